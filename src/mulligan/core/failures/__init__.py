"""Errors by class, what may be done about each, and what failures teach."""
