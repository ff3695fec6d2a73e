"""A store whose tasks are remembered elsewhere."""

from __future__ import annotations

from typing import Any, cast

from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Archive, Store

_METHODS = (
    "append",
    "list_versions",
    "count",
    "list_scorecards",
    "list_runs",
    "move",
    "rate",
    "clear",
    "list_grounds",
    "prune",
)


def with_archive(store: Store, archive: Archive) -> Store:
    """The store, but for its archive; what is missing in that one is said at once."""
    missing = [name for name in _METHODS if not callable(getattr(archive, name, None))]
    if missing:
        raise ConfigurationError(
            f"archive={type(archive).__name__} has no {', '.join(missing)}: an archive has "
            f"{len(_METHODS)} methods, and ArchiveContract of mulligan.testing tests them."
        )
    return cast("Store", _StoreWithArchive(store, archive))


class _StoreWithArchive:
    """Passes everything on but the archive."""

    def __init__(self, store: Store, archive: Archive) -> None:
        self._store = store
        self.archive = archive

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
