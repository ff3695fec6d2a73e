"""The loops. Each is the same engine with its own attempt, review and correction."""
