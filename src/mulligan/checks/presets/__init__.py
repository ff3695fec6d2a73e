"""Sets of checks that ship with Mulligan, written as a user would write theirs."""
