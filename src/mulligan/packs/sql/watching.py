"""Which rows a transaction has really written, by the database's own account.

A statement says which table it names; what triggers and foreign keys do besides, and which rows it
has met, only the database knows: SQLite tells it to triggers of the connection's own, Postgres and
MariaDB count rows, and a declared row shows whether it was one of them.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection, text

from mulligan.core.runtime.dataclass import dataclass
from mulligan.packs.sql.dialects import quote_name
from mulligan.packs.sql.statements import Statement, is_declared
from mulligan.packs.sql.table import UserTable, to_plain

CHUNK = 100
"""Rows that are looked at in one statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRow:
    """Rows of one table that a transaction may write."""

    table: UserTable
    keys: list[list[Any]]
    made: list[list[Any]] = field(default_factory=list)
    """Keys that the database has made: such a row must be new."""
    makes: bool = False
    """It makes rows whose keys are known only afterwards."""
    by_database: bool = False
    """Only foreign keys change them, and no statement."""
    leaves: bool = False
    """Some of what triggers write may stay."""


class Strange(NamedTuple):
    """Rows that were written beyond those."""

    table: str
    rows: int
    named: str = ""
    """Which, where that is known."""


class Watch(Protocol):
    """One transaction, from its first write on."""

    looks: bool
    """It must look at the rows after each statement."""

    def begin(
        self, connection: Connection, known: Sequence[KnownRow], statement: Statement | None = None
    ) -> None:
        """A statement is about to write."""

    def end(
        self,
        connection: Connection,
        known: Sequence[KnownRow],
        statement: Statement | None = None,
        rowcount: int = 0,
    ) -> None:
        """It has."""

    def list_strange(self, connection: Connection, known: Sequence[KnownRow]) -> list[Strange]:
        """What was written and is not known. Asked once, at the end."""


def open_watch(connection: Connection) -> Watch:
    """The way in which a database tells."""
    ways: dict[str, Callable[[], Watch]] = {"sqlite": TriggerWatch, "postgresql": StatsWatch}
    return ways.get(connection.dialect.name, HandlerWatch)()


class TriggerWatch:
    """Triggers of SQLite's that belong to the connection alone, and to one transaction of it.

    They are not kept for the next: a table that others make anew leaves them behind half dead.
    """

    looks = False

    def __init__(self) -> None:
        self.token = f"mulligan_{uuid.uuid4().hex}"
        self.count = 0

    def begin(
        self,
        connection: Connection,
        known: Sequence[KnownRow],
        statement: Statement | None = None,  # noqa: ARG002
    ) -> None:
        """Also after a savepoint was rolled back, which may have taken them along."""
        driver: Any = connection.connection
        cursor = driver.cursor()
        try:
            if not getattr(driver.dbapi_connection, "in_transaction", True):
                cursor.execute("BEGIN IMMEDIATE")
            if not self.count or self._count_triggers(cursor) != self.count:
                self._set_triggers(cursor, connection.info, [each.table for each in known])
        finally:
            cursor.close()

    def _count_triggers(self, cursor: Any) -> int:
        cursor.execute(f"SELECT count(*) FROM sqlite_temp_master WHERE name LIKE '{self.token}%'")  # noqa: S608
        return int(cursor.fetchone()[0])

    def _set_triggers(self, cursor: Any, info: dict[Any, Any], tables: Sequence[UserTable]) -> None:
        """Have triggers on every table that may be written, by whichever way."""
        cursor.execute(
            f"CREATE TEMP TABLE IF NOT EXISTS mulligan_written (name, deed, count, {_VALUES})"
        )
        wanted = _list_triggers(cursor, info, tables)
        for at, statement in enumerate(wanted):
            cursor.execute(f"CREATE TEMP TRIGGER {self.token}_{at} {statement}")
        self.count = len(wanted)

    def end(
        self,
        connection: Connection,
        known: Sequence[KnownRow],
        statement: Statement | None = None,
        rowcount: int = 0,
    ) -> None:
        """The triggers have written it down."""

    def list_strange(self, connection: Connection, known: Sequence[KnownRow]) -> list[Strange]:
        """Each row by its table and key."""
        cursor = connection.connection.cursor()
        try:
            cursor.execute("SELECT * FROM temp.mulligan_written ORDER BY rowid")
            written = cursor.fetchall()
            cursor.execute("DELETE FROM temp.mulligan_written")
            for at in range(self.count):
                cursor.execute(f"DROP TRIGGER temp.{self.token}_{at}")
        finally:
            cursor.close()
        allowed, new = set[str](), set[str]()
        for each in known:
            allowed.update(_name(each.table.name, key) for key in each.keys)
            new.update(_name(each.table.name, key) for key in each.made)
        first = dict[str, tuple[str, str, str]]()
        for table, deed, count, *key in written:
            named = ", ".join(str(value) for value in key[:count])
            first.setdefault(_name(table, map(to_plain, key[:count])), (table, deed, named))
        found: dict[str, list[str]] = {}
        for name, (table, deed, named) in first.items():
            if name not in allowed and not (name in new and deed == "insert"):
                found.setdefault(table, []).append(named)
        for each in known:
            # The driver may name a row that it has met, or one of the statement before.
            stale = [key for key in each.made if _name(each.table.name, key) not in first]
            found.setdefault(each.table.name, []).extend(str(key) for key in stale)
        return [
            Strange(table, len(keys), ", ".join(f"{table} {key}" for key in keys[:3]))
            for table, keys in found.items()
            if keys
        ]


_MOST_KEYS = 16
_VALUES = ", ".join(f"k{at}" for at in range(_MOST_KEYS))


def _name(table: str, key: Iterable[Any]) -> str:
    return f"{table.casefold()}:{json.dumps(list(key))}"


def _list_triggers(cursor: Any, info: dict[Any, Any], tables: Sequence[UserTable]) -> list[str]:
    """As long as no schema changes, they are as the last time."""
    schemas = sorted({table.schema or "main" for table in tables})
    related = sorted({name.casefold() for table in tables for name in table.related})
    state = (related, [_read_schema_version(cursor, schema) for schema in schemas])
    if info.get("mulligan_watch", (None,))[0] != state:
        found = [
            statement
            for schema in schemas
            for name in _list_tables(cursor, schema, related)
            for statement in _build_triggers(cursor, schema, name)
        ]
        info["mulligan_watch"] = (state, found)
    statements: list[str] = info["mulligan_watch"][1]
    return statements


def _read_schema_version(cursor: Any, schema: str) -> int:
    cursor.execute(f"PRAGMA {quote_name(schema)}.schema_version")
    return int(cursor.fetchone()[0])


def _list_tables(cursor: Any, schema: str, related: Sequence[str]) -> Iterator[str]:
    """A trigger may write anywhere; without one, only what is related is ever reached."""
    cursor.execute(f"SELECT type, name, sql FROM {quote_name(schema)}.sqlite_master")  # noqa: S608
    found = cursor.fetchall()
    triggered = any(kind == "trigger" for kind, *_ in found)
    for kind, name, created in found:
        if kind != "table" or name.startswith("sqlite_") or name == "mulligan_mark":
            continue
        full = name if schema == "main" else f"{schema}.{name}"
        virtual = str(created).upper().startswith("CREATE VIRTUAL")
        if not virtual and (triggered or full.casefold() in related):
            yield name


def _build_triggers(cursor: Any, schema: str, name: str) -> Iterator[str]:
    place, literal = quote_name(schema), "'" + name.replace("'", "''") + "'"
    cursor.execute(f"PRAGMA {place}.table_info({quote_name(name)})")
    key = [row[1] for row in sorted(cursor.fetchall(), key=lambda row: row[5]) if row[5] > 0]
    columns = [quote_name(each) for each in key[:_MOST_KEYS]] or ["rowid"]
    for deed, sides in (("insert", ["NEW"]), ("update", ["OLD", "NEW"]), ("delete", ["OLD"])):
        body = "".join(
            f"INSERT INTO mulligan_written VALUES ({literal}, '{deed}', {len(columns)}, "  # noqa: S608
            + ", ".join(
                [f"{side}.{each}" for each in columns] + ["NULL"] * (_MOST_KEYS - len(columns))
            )
            + "); "
            for side in sides
        )
        yield f"AFTER {deed.upper()} ON {place}.{quote_name(name)} BEGIN {body}END"


class Deeds(NamedTuple):
    """How many rows were written in each way."""

    inserted: int = 0
    updated: int = 0
    deleted: int = 0

    def since(self, before: Deeds) -> Deeds:
        """What has come in between."""
        return Deeds(*(now - was for now, was in zip(self, before, strict=True)))


Stamps = dict[tuple[str, str], str]
"""By table and key, something that is another after every write."""


class StampWatch:
    """Counts, and a look at every row that may be written, around each statement."""

    looks = True
    stamp = ""

    def __init__(self) -> None:
        self.stamps: Stamps = {}
        self.strange = Counter[str]()

    def read_stamps(self, connection: Connection, known: Sequence[KnownRow]) -> Stamps:
        """What stands in the rows; of those that are not there, nothing."""
        found: Stamps = {}
        for each in known:
            keys = [*each.keys, *each.made]
            for at in range(0, len(keys), CHUNK):
                found |= self._read_some(connection, each.table, keys[at : at + CHUNK])
        return found

    def _read_some(self, connection: Connection, table: UserTable, keys: list[list[Any]]) -> Stamps:
        wheres, bound = list[str](), dict[str, Any]()
        for number, key in enumerate(keys):
            raw = list(table.bind_key(key).values())
            names = [f"k{number}_{at}" for at in range(len(raw))]
            pairs = zip(table.key, names, strict=True)
            wheres.append("(" + " AND ".join(table.match(*pair) for pair in pairs) + ")")
            bound |= dict(zip(names, raw, strict=True))
        read = [table.dialect.read_column(table.fields[name]) for name in table.key]
        stamp = self.stamp or table.print
        query = f"SELECT {stamp}, {', '.join(read)} FROM {table.quoted} WHERE {' OR '.join(wheres)}"  # noqa: S608
        return {
            (table.full_name, json.dumps(list(map(to_plain, key)), default=str)): str(stamp)
            for stamp, *key in connection.execute(text(query), bound)
        }

    def compare(self, now: Stamps, names: Iterable[str]) -> Deeds:
        """What has become of the rows of some tables."""
        named = set(names)
        was = {key: at for key, at in self.stamps.items() if key[0] in named}
        there = {key: at for key, at in now.items() if key[0] in named}
        changed = sum(at != there[key] for key, at in was.items() if key in there)
        return Deeds(len(there.keys() - was), changed, len(was.keys() - there))


class StatsWatch(StampWatch):
    """Postgres counts the rows of every table, whoever writes them; a row that is written moves."""

    stamp = "CAST(ctid AS text)"

    def __init__(self) -> None:
        super().__init__()
        self.counts: Mapping[str, Deeds] | None = None

    def begin(
        self, connection: Connection, known: Sequence[KnownRow], statement: Statement | None = None
    ) -> None:
        """Counts are needed only where more can happen than the statement says."""
        self.stamps = self.read_stamps(connection, known)
        upserts = statement is None or statement.upserts
        active = upserts or any(map(_is_active, (each.table for each in known)))
        self.counts = _read_stats(connection) if active else None

    def end(
        self,
        connection: Connection,
        known: Sequence[KnownRow],
        statement: Statement | None = None,
        rowcount: int = 0,
    ) -> None:
        """What the rows show is set against what was counted."""
        now = self.read_stamps(connection, known)
        counts = None if self.counts is None else _read_stats(connection)
        tables = {each.table.full_name: each.table for each in known}
        makes = {each.table.full_name for each in known if each.makes}
        told = dict[str, Deeds]()
        for place, after in (counts or {}).items():
            done = after.since((self.counts or {}).get(place, Deeds()))
            own = [name for name, table in tables.items() if _is_at(connection, table, place)]
            if own:
                told[own[0]] = done
            elif any(done):
                self.strange[place] += sum(done)
        for name, table in tables.items():
            done = self.compare(now, [name])
            written = statement is not None and _writes(connection, statement, table)
            counted = told.get(name, Deeds())
            if sum(counted) < (rowcount if written else 0):
                # Nobody counts (track_counts is off, or there was no need): the statement does.
                counted = Deeds(*(max(a, b) for a, b in zip(counted, done, strict=True)))
                missing = max(0, rowcount - sum(counted))
                counted = counted._replace(inserted=counted.inserted + missing)
            # One that is there by now and was not counted is somebody else's.
            self.strange[name] += max(0, done.inserted - counted.inserted)
            new = counted.inserted if name in makes else done.inserted
            self.strange[name] += max(0, counted.inserted - new)
            self.strange[name] += max(0, counted.updated - done.updated)
            self.strange[name] += max(0, counted.deleted - done.deleted)
            if name in makes:
                self.strange[f"new {name}"] += counted.inserted - done.inserted
        self.stamps = now

    def list_strange(self, connection: Connection, known: Sequence[KnownRow]) -> list[Strange]:  # noqa: ARG002
        """A row that was made counts as known if its key is."""
        for each in known:
            if each.makes:
                self.strange[f"new {each.table.full_name}"] -= len(each.made)
        return [
            Strange(name.removeprefix("new "), abs(count))
            for name, count in self.strange.items()
            if count > 0 or (count and name.startswith("new "))
        ]


def _is_active(table: UserTable) -> bool:
    """Whether more than the statement's own rows may be written."""
    return any(each.acting or not each.parts.endswith("/0/0") for each in table.related.values())


def _read_stats(connection: Connection) -> dict[str, Deeds]:
    """Of this transaction, and perhaps of some before it: only what is added tells anything."""
    found = connection.execute(
        text(
            "SELECT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname "
            "ELSE n.nspname || '.' || c.relname END, sum(s.n_tup_ins), sum(s.n_tup_upd), "
            "sum(s.n_tup_del) FROM pg_stat_xact_user_tables s "
            "JOIN pg_class c ON c.oid = COALESCE(pg_partition_root(s.relid), s.relid) "
            "JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0 "
            "AND c.relpersistence <> 't' AND c.relname <> 'mulligan_mark' GROUP BY 1"
        )
    )
    return {name: Deeds(*map(int, deeds)) for name, *deeds in found}


def _is_at(connection: Connection, table: UserTable, place: str) -> bool:
    schema, _, name = place.rpartition(".")
    usual = connection.dialect.default_schema_name
    return table.name == name and (table.schema or usual) == (schema or usual)


def _writes(connection: Connection, statement: Statement, table: UserTable) -> bool:
    return any(
        is_declared(each, table.full_name, connection=connection) for each in statement.tables
    )


class HandlerWatch(StampWatch):
    """MariaDB counts what a session writes, in all tables together, and no foreign key's work."""

    def __init__(self) -> None:
        super().__init__()
        self.counts = Deeds()

    def begin(
        self,
        connection: Connection,
        known: Sequence[KnownRow],
        statement: Statement | None = None,  # noqa: ARG002
    ) -> None:
        """What was there, and what was counted."""
        self.stamps = self.read_stamps(connection, [each for each in known if not each.by_database])
        self.counts = _read_handlers(connection)

    def end(
        self,
        connection: Connection,
        known: Sequence[KnownRow],
        statement: Statement | None = None,
        rowcount: int = 0,
    ) -> None:
        """What the rows show is set against what was counted."""
        counted = _read_handlers(connection).since(self.counts)
        rows = [each for each in known if not each.by_database]
        now = self.read_stamps(connection, rows)
        names = [each.table.full_name for each in rows]
        done = self.compare(now, names)
        triggered = any(not each.table.parts.endswith("/0") for each in rows)
        leaves = any(each.leaves for each in rows)
        if statement is not None and statement.upserts:
            # A row that is met is counted as inserted first, and as two rows if it is changed.
            met = done.inserted + 2 * (done.updated + done.deleted)
            foreign = done.inserted and not rowcount
            self.strange[names[0]] += max(0, rowcount - met) or int(foreign)
            self.strange[names[0]] += triggered and not leaves
        elif triggered and leaves:
            over = min(rowcount, sum(counted)) - sum(done)
            self.strange[names[0]] += max(0, over)
        else:
            over = sum(max(0, a - b) for a, b in zip(counted, done, strict=True))
            if any(each.makes for each in rows):
                over -= max(0, counted.inserted - done.inserted)
                self.strange[f"new {names[0]}"] += counted.inserted - done.inserted
            self.strange[names[0]] += over
        self.stamps = now

    list_strange = StatsWatch.list_strange


def _read_handlers(connection: Connection) -> Deeds:
    names = ("Handler_write", "Handler_update", "Handler_delete")
    found = connection.execute(text(f"SHOW SESSION STATUS WHERE Variable_name IN {names}"))
    counts = {name: int(count) for name, count in found}
    return Deeds(*(counts[name] for name in names))
