"""Rows of the log: found by their blocks, and packed."""
