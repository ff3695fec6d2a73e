"""Taking an effect back under a version check, and reading back to prove it."""
