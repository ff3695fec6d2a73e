"""The sentence inside an error that came as a structure."""

from __future__ import annotations

from mulligan.learning.errors.fields import LONGEST, read_error

__all__ = ["LONGEST", "extract_message"]


def extract_message(error: str) -> str:
    """What an error says, without an envelope around it."""
    return read_error(error).message
