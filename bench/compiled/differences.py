"""What is seen of a value in one form, and where two forms do not show the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Difference(NamedTuple):
    """Where the two forms do not show the same."""

    seed: str
    what: str
    pure: str
    fast: str


def see(act: Callable[[], object]) -> str:
    """What comes of it, in a form that tells -0.0 from 0.0 and one order from another."""
    try:
        return repr(act())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
