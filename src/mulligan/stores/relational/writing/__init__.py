"""Commits of one writer: its place in the journal, its account, what a server may still lose."""
