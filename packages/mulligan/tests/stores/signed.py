"""Stores with a key, for the contract of every store."""

from __future__ import annotations

from msgspec.structs import replace

from mulligan.stores.crypto import Seal
from mulligan.stores.opening import Options, choose_opener
from mulligan.types.interfaces import Store

KEY = bytes(range(32))


def open_signed(url: str, options: Options) -> Store:
    """Open a store as `open_store` does that is told the key."""
    return choose_opener(url)(url, replace(options, seal=Seal(KEY)))
