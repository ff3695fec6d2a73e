"""Rows of the log: which blocks they are in, how they are found, and how old ones are packed."""
