"""Lessons in words: for a prompt, for a person."""
