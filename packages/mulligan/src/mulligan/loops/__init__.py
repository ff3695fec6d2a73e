"""The loops: each is the engine of core with its own attempt, review and correction."""
