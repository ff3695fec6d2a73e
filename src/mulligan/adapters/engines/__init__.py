"""Engines for durable workflows: a turn is one of them, and each of its calls a step."""
