"""Rows held against the entries and chains that they must add up to."""
