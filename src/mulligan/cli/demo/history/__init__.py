"""Thirty days of an invented office, lived through the real pipeline with a clock that is moved."""
