"""The same store as the pages are tried on."""

from tests.dashboard.conftest import filled, m, stage

__all__ = ["filled", "m", "stage"]
