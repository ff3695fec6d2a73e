"""Stores with a key, for the contract of every store."""

from __future__ import annotations

from dataclasses import replace

from mulligan.core.interfaces import Store
from mulligan.stores.keys.seal import make_seal
from mulligan.stores.options import Options
from mulligan.stores.schemes import choose_opener

KEY = bytes(range(32))


def open_signed(url: str, options: Options) -> Store:
    """Open a store as `open_store` does that is told the key."""
    return choose_opener(url)(url, replace(options, seal=make_seal(KEY)))
