"""Writes files anew, as pages put together of others can keep a piece of what was deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from mulligan.core.errors import StoreError
from mulligan.core.storage.sharing import Vacuumed
from mulligan.stores.sqlite.files import measure_size
from mulligan.stores.sqlite.session import SqliteSession, open_erasing_session


def vacuum_files(
    connects: Mapping[Path, Callable[[], SqliteSession]], *, most_bytes: int | None
) -> Vacuumed:
    """Each of the files, unless it is larger, or somebody is at work on it for too long."""
    parts, left = [], []
    for path, connect in connects.items():
        size = measure_size(path)
        if most_bytes is not None and size > most_bytes:
            left.append(f"{path.name} has {size / 1e6:,.0f} MB")
            continue
        try:
            with open_erasing_session(connect) as session:
                session.execute("vacuum")
        except StoreError as error:
            left.append(f"{path.name}: {error}")
        else:
            parts.append(path.name)
    return Vacuumed(parts=tuple(parts), left=tuple(left))
