"""A store that lives as long as its process: for tests, and for trying things out."""

from __future__ import annotations

from mulligan.core.interfaces import Store
from mulligan.stores.options import Options
from mulligan.stores.schemes import make_refusal


def open_store(url: str, options: Options) -> Store:
    """Open `memory:`, each time another one."""
    if url != "memory:":
        raise make_refusal(url)
    from mulligan.stores.memory.store import MemoryStore

    return MemoryStore(options)
