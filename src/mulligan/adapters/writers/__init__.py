"""Agents of frameworks as writers of texts, found by their class."""
