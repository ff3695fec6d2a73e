"""The same store as for the other commands."""

from tests.cli.conftest import store

__all__ = ["store"]
