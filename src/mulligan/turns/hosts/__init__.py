"""Runs of other frameworks as turns: their calls, holds and replies, in no framework's words."""
