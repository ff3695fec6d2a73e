"""Which operations of a pack are proven at every point: in the long form, all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable

ALL = os.environ.get("MULLIGAN_TEST_PACKS") == "all"


def choose_proven(ways: Iterable[str], *short: str) -> list[str]:
    """All in the long form (`MULLIGAN_TEST_PACKS=all`), else those that the short form names."""
    return list(ways) if ALL else list(short)
