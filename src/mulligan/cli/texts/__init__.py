"""Replies and tasks: evaluated, listed, optimized."""
