"""`garden:`, a store that keeps everything in memory."""

from __future__ import annotations

from typing import Any, cast

from msgspec.structs import replace

from mulligan.stores.memory import open_store as open_memory
from mulligan.stores.opening import Options
from mulligan.types.interfaces import Health, Store


def open_store(url: str, options: Options) -> Store:
    """Open `garden:`."""
    return cast("Store", GardenStore(open_memory("memory:", options), url))


class GardenStore:
    """Hands everything on to the store in memory, and says that it is its own."""

    def __init__(self, inner: Store, url: str) -> None:
        self._inner = inner
        self._url = url

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def check_health(self, *, thorough: bool = True) -> Health:
        """Look at all of it, or at what takes no time."""
        found = self._inner.check_health(thorough=thorough)
        return replace(found, url=self._url, kind="garden")
