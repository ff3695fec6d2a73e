"""Processes that write: their clocks, leases, signs of life, forks and commits."""
