"""Asks a model for a typed answer, in bounded time, and says so when there is none."""
