"""The command line: it asks, renders, and decides nothing."""
