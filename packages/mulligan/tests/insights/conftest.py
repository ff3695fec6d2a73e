"""The stores that the pages are tried on."""

from tests.dashboard.conftest import filled, lived, m, month, stage, visits

__all__ = ["filled", "lived", "m", "month", "stage", "visits"]
