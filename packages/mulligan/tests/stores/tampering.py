"""Change a signed store as somebody who can write to it but has no key; count what is noticed.

The long form: `python -m tests.stores.tampering 500`, and with `--postgres` on a server.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import apsw
import psycopg
from msgspec.structs import replace

from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.errors import StoreError
from mulligan.types.interfaces import KnownTool, Store
from mulligan_testing.postgres import run_postgres_server
from mulligan_testing.store_contract.contract import (
    NOW,
    find_way,
    make_episode,
    make_first_entry,
    make_id,
    make_lesson,
    make_next_entry,
    make_use,
    walk,
)
from mulligan_testing.store_contract.task_versions import make_notes
from tests.stores.damage import fast_folder, reopen
from tests.stores.tamper_kinds import SIGNED, Scene, Table, Tables, list_kinds

KEY = bytes(range(32))


class Database(Protocol):
    """The tables of a store as plain rows, for whoever can write to them."""

    url: str

    def read(self) -> Tables: ...

    def write(self, tables: Tables) -> None: ...

    def restore(self) -> None: ...


def fill(url: str) -> Iterator[None]:
    """Write something of every kind, as three processes one after the other; pauses in between."""
    actions = [make_id() for _ in range(12)]
    for process in range(3):
        store = open_store(url, vault_key=KEY)
        # First and last: retention makes an anchor of the one, and leaves the other hollow.
        _write_old(store)
        for name in actions[process * 4 : process * 4 + 4]:
            kept = [
                Kept(owner=name, name=part, value=f"{part} of {name}".encode()) for part in "ab"
            ]
            store.journal.submit([make_first_entry(name)], keep=kept).result()
            store.journal.submit([make_next_entry(name, State.EXECUTED, version=2)]).result()
        _write_old(store)
        settled = make_id()
        store.journal.submit(walk(settled, find_way(State.VERIFIED))).result()
        store.vault.put(Kept(owner="turn", name="message", value=f"said {process}".encode()))
        store.vault.put(Kept(owner=f"turn {process}", name="message", value=b"m", expires_at=NOW))
        _learn(store, process)
        yield
        store.journal.prune(settled_before=NOW - timedelta(days=90))
        store.close()


def _write_old(store: Store) -> None:
    old = make_id()
    way = walk(old, find_way(State.VERIFIED), at=NOW - timedelta(days=200))
    store.journal.submit(way, keep=[Kept(owner=old, name="a", value=b"old")]).result()


def _learn(store: Store, process: int) -> None:
    said = KnownTool(tool="move", server="calendar", effect="read", repeat="once", mode="auto")
    store.catalog.remember([replace(said, tool=f"move{n}") for n in range(process + 2)]).result()
    store.catalog.remember([replace(said, effect=("read", "once", "more")[process])]).result()
    store.task_versions.append(make_notes(process))
    store.failures.record([make_episode(10 * process + n) for n in range(4)])
    store.failures.append([make_lesson(process + 1, why=f"seen {process}")])
    store.failures.append([make_lesson(1, id=f"other-{process}")])
    store.failures.use([make_use(10 * process + n) for n in range(3)])


def accept_something(database: Database) -> None:
    """Damage that a person has accepted, so that there is a row to tamper with."""
    tables = database.read()
    tables["kept"].pop()
    tables["tool"].pop()
    tables["key_check"].clear()
    database.write({name: tables[name] for name in ("kept", "tool", "key_check")})
    store = open_store(database.url, vault_key=KEY, tolerate_damage=True)
    store.journal.accept_damage("a test")
    store.close()


class SqliteFiles:
    """A store in files, left behind by its last process."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder}/family.db"
        self.folder = folder
        self.content: dict[str, bytes] = {}

    def read(self) -> Tables:
        with self._connect() as connection:
            return {name: _read_sqlite(connection, name) for name in SIGNED}

    def write(self, tables: Tables) -> None:
        with self._connect() as connection, connection:
            for name, rows in tables.items():
                connection.execute(f"delete from {name}")
                for row in rows:
                    marks = ", ".join("?" * len(row))
                    columns = ", ".join(row)
                    sql = f"insert into {name} ({columns}) values ({marks})"
                    connection.execute(sql, tuple(row.values()))

    def save(self) -> None:
        self.content = {file.name: file.read_bytes() for file in self.folder.iterdir()}

    def restore(self) -> None:
        for file in self.folder.iterdir():
            file.unlink()
        for name, content in self.content.items():
            (self.folder / name).write_bytes(content)
            (self.folder / name).chmod(0o600)

    def read_marks(self) -> bytes:
        return (self.folder / "family.db.mark").read_bytes()

    def write_marks(self, content: bytes) -> None:
        (self.folder / "family.db.mark").write_bytes(content)

    @contextmanager
    def _connect(self) -> Iterator[apsw.Connection]:
        connection = apsw.Connection(str(self.folder / "family.db"))
        try:
            yield connection
        finally:
            connection.close()


def _read_sqlite(connection: apsw.Connection, name: str) -> Table:
    cursor = connection.execute(f"select * from {name}")
    rows = cursor.fetchall()
    if not rows:
        return []
    columns = [column for _, column, *_ in connection.execute(f"pragma table_info({name})")]
    return [dict(zip(columns, row, strict=True)) for row in rows]


class PostgresTables:
    """A store in a database of its own."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.saved: Tables = {}

    def read(self) -> Tables:
        with psycopg.connect(self.url) as connection:
            return {name: self._read(connection, name) for name in SIGNED}

    def _read(self, connection: psycopg.Connection[Any], name: str) -> Table:
        cursor = connection.execute(f"select * from mulligan.{name}".encode())
        columns = [column.name for column in cursor.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]

    def write(self, tables: Tables) -> None:
        with psycopg.connect(self.url) as connection:
            for name, rows in tables.items():
                connection.execute(f"delete from mulligan.{name}".encode())
                over = "overriding system value" if name == "writer" else ""
                for row in rows:
                    columns, marks = ", ".join(row), ", ".join(["%s"] * len(row))
                    sql = f"insert into mulligan.{name} ({columns}) {over} values ({marks})"
                    connection.execute(sql.encode(), tuple(row.values()))

    def save(self) -> None:
        self.saved = self.read()

    def restore(self) -> None:
        self.write(self.saved)


def is_noticed(url: str) -> str:
    """What is said of a store that somebody has changed; nothing when all seems well."""
    try:
        store = reopen(url, vault_key=KEY)
    except StoreError as error:
        return str(error)
    try:
        return " ".join(store.check_health().problems)
    except StoreError as error:
        return str(error)
    finally:
        # What is damaged may be noticed while it is closed, too.
        with suppress(StoreError):
            store.close()


def count_tamperings(
    database: SqliteFiles | PostgresTables, count: int
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """What became of so many tamperings, by kind; and what was not noticed, in words."""
    in_files = isinstance(database, SqliteFiles)
    older: Tables = {}
    for step, _ in enumerate(fill(database.url)):
        if step == 1:
            older = database.read()
    accept_something(database)
    database.save()
    assert is_noticed(database.url) == "", "a store that nobody has changed"
    database.restore()
    sound = database.read()
    chance = random.Random(20261115)
    kinds = list_kinds(files=in_files)
    found: Counter[tuple[str, str]] = Counter()
    silent = []
    for number in range(count):
        kind, table = kinds[number % len(kinds)]
        scene = Scene(tables=deepcopy(sound), older=older, chance=chance, table=table)
        if in_files:
            scene.files["mark"] = database.read_marks()
        kind(scene)
        changed = {name: rows for name, rows in scene.tables.items() if rows != sound[name]}
        database.write(changed)
        if in_files:
            database.write_marks(scene.files["mark"])
        said = is_noticed(database.url)
        found[f"{kind.__name__} {table}".strip(), "noticed" if said else "silent"] += 1
        if not said:
            silent.append(f"{number}: {kind.__name__} {table} {_describe(changed, sound)}")
        database.restore()
    return found, silent


def _describe(changed: Tables, sound: Tables) -> str:
    said = []
    for name, rows in changed.items():
        gone = [row for row in sound[name] if row not in rows]
        more = [row for row in rows if row not in sound[name]]
        said.append(f"{name}: {gone[:2]} became {more[:2]}")
    return "; ".join(said)[:600]


def main() -> None:
    """Print what became of the tamperings."""
    count = int(sys.argv[1])
    if "--postgres" in sys.argv:
        with run_postgres_server() as server, server.create_database() as url:
            found, silent = count_tamperings(PostgresTables(url), count)
    else:
        with fast_folder() as folder:
            found, silent = count_tamperings(SqliteFiles(folder), count)
    for (kind, what), times in sorted(found.items()):
        print(f"  {kind:28} {what:8} {times}")
    for line in silent:
        print(f"SILENT {line}")
    print(f"{sum(t for (_, w), t in found.items() if w == 'noticed')} of {count} noticed")


if __name__ == "__main__":
    main()
