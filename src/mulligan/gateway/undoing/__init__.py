"""Undo recipes: what an operator writes of a server, as the functions that an undo needs."""
