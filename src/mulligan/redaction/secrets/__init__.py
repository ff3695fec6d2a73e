"""Kinds of secret in a text, one a file, and how they are told and hidden."""
