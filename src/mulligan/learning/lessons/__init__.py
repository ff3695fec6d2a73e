"""Lessons: what mended a failure, in general, and how it is used where every value is another."""
