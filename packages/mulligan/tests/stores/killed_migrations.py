"""Kills a migration at some of its statements, each time in a child, then lets one through.

Run as a program of its own, because it forks: `killed_migrations.py PART PLACE`.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import timedelta
from pathlib import Path

from mulligan.stores.migrations import bring_up_to_date, find_latest_version, load_migrations
from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.postgres.store import PostgresSchema
from mulligan.stores.sqlite.files import SqliteSchema
from mulligan.stores.sqlite.session import SqliteSession


def open_schema(part: str, place: str):
    if part == "postgres":
        return PostgresSchema(PostgresSession(place, timeout=timedelta(seconds=5)))
    return SqliteSchema(SqliteSession(Path(place), part.removeprefix("sqlite/"), create=True))


def migrate_until(part: str, place: str, number: int) -> None:
    """Migrate in a child that dies before the statement with this number."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    left = [number]

    def watch(_statement: str) -> None:
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1

    bring_up_to_date(open_schema(part, place), part, watch=watch)
    os._exit(0)


def main() -> None:
    part, place = sys.argv[1:]
    # What each number of a killed statement leaves behind: the migrations that were whole by then.
    kills = before = 0
    for migration in load_migrations(part):
        for statement in choose_places(len(migration.statements)):
            migrate_until(part, place, statement)
            kills += 1
            found = version_of(part, place)
            assert found == before, (migration.number, statement, found)
        migrate_until(part, place, len(migration.statements) + 2)
        before = migration.number
        assert version_of(part, place) >= before
    assert version_of(part, place) == find_latest_version(part)
    print(kills)


def choose_places(statements: int) -> list[int]:
    """Before the first, in the middle, before the version is written, and before the commit."""
    return sorted({0, statements // 2, statements, statements + 1})


def version_of(part: str, place: str) -> int:
    """Asked in a child too, so that no connection of ours is open when the next one forks."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, str(open_schema(part, place).read_version()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    answer = os.read(reader, 16)
    os.close(reader)
    os.close(writer)
    return int(answer)


if __name__ == "__main__":
    main()
