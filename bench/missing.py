"""The one error a suite raises on purpose."""

from __future__ import annotations


class MissingError(Exception):
    """Data or a peer that a suite needs is not there. One sentence: what, and what to do next."""
