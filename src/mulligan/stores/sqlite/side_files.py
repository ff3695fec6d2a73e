"""The files beside a database that SQLite reads by their names alone, whoever put them there."""

from __future__ import annotations

from pathlib import Path

from mulligan.stores.disk.private_file import refuse_second_name, refuse_unsafe

ENDINGS = ("-journal", "-wal", "-shm")
"""A rollback journal comes first: SQLite plays one back also into a file with a log ahead."""


def list_side_files(path: Path) -> list[Path]:
    """Where they would lie: beside the file itself, also when its name is a link to it."""
    places = dict.fromkeys((path, path.resolve()))
    return [place.with_name(place.name + ending) for place in places for ending in ENDINGS]


def refuse_unsafe_database(path: Path) -> None:
    """Refuse a database, or what SQLite would take up beside it, that a stranger can have made."""
    refuse_unsafe(path, linked=True)
    for file in list_side_files(path):
        refuse_unsafe(file)
        refuse_second_name(file)
