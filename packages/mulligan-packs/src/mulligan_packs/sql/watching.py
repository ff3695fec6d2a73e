"""Which rows a transaction has really written, by the database's own account.

A statement says which table it names; what triggers and foreign keys do besides, and which rows it
has met, only the database knows: SQLite tells it to triggers of the connection's own, Postgres and
MariaDB count rows, and a declared row shows whether it was one of them.
"""

from __future__ import annotations

import json
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from msgspec import Struct, field
from sqlalchemy import Connection, text

from mulligan_packs.sql.dialects import quote_name
from mulligan_packs.sql.errors import UndeclaredWriteError
from mulligan_packs.sql.statements import (
    Statement,
    find_spelling,
    is_declared,
    read_name,
    read_statement,
)
from mulligan_packs.sql.table import UserTable, to_plain

_UNDO = Statement()
"""What an undo does is not one statement."""
CHUNK = 100
"""Rows that are looked at in one statement."""


class KnownRow(Struct, frozen=True, kw_only=True):
    """Rows of one table that a transaction may write."""

    table: UserTable
    keys: list[list[Any]]
    made: list[list[Any]] = field(default_factory=list)
    """Keys that the database has made: such a row must be new."""
    makes: bool = False
    """It makes rows whose keys are known only afterwards."""
    by_database: bool = False
    """Only foreign keys change them, and no statement."""
    leaves: frozenset[str] = frozenset()
    """Tables of which what is written may stay."""


class Strange(NamedTuple):
    """Rows that were written beyond those."""

    table: str
    rows: int
    named: str = ""
    """Which, where that is known."""


class TriggerWatch:
    """Triggers of SQLite's that belong to the connection alone, and to one transaction of it.

    They are not kept for the next: a table that others make anew leaves them behind half dead.
    """

    looks = False

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.token = f"mulligan_{uuid.uuid4().hex}"
        self.count = 0

    def begin(self, known: Sequence[KnownRow], *_: object) -> None:
        """Also after a savepoint was rolled back, which may have taken them along."""
        driver: Any = self.connection.connection.dbapi_connection
        if not getattr(driver, "in_transaction", True):
            self._run("BEGIN IMMEDIATE")
        there = f"SELECT count(*) FROM sqlite_temp_master WHERE name LIKE '{self.token}%'"  # noqa: S608
        if self.count and self._run(there) == [(self.count,)]:
            return
        self._create()
        self._refuse_hidden([each.table.name for each in known])
        wanted = list(self._list_triggers([each.table for each in known]))
        for at, statement in enumerate(wanted):
            self._run(f"CREATE TEMP TRIGGER {self.token}_{at} {statement}")
        self.count = len(wanted)

    def _create(self) -> None:
        """A savepoint that was rolled back has taken it along, with all that it was told since."""
        columns = ", ".join(["name", "deed", "count", *_KEYS])
        self._run(f"CREATE TEMP TABLE IF NOT EXISTS mulligan_written ({columns})")

    def end(self, *_: object) -> None:
        """The triggers have written it down."""

    def settle(self, known: Sequence[KnownRow]) -> None:
        """SQLite has no trigger that waits."""

    def has_made(self, table: UserTable) -> bool:
        """Whether there are new rows of a table."""
        return bool(self.list_made(table))

    def list_made(self, table: UserTable) -> list[list[Any]]:
        """The keys of new rows of a table."""
        self._create()
        columns = ", ".join(_KEYS[: len(table.key)])
        where = "deed = 'insert' AND name = ? COLLATE NOCASE ORDER BY rowid"
        written = f"SELECT {columns} FROM temp.mulligan_written WHERE {where}"  # noqa: S608
        return [list(map(to_plain, key)) for key in self._run(written, table.name)]

    def list_strange(self, known: Sequence[KnownRow]) -> list[Strange]:
        """Each row by its table and key."""
        self._create()
        written = self._run("SELECT * FROM temp.mulligan_written ORDER BY rowid")
        self._run("DELETE FROM temp.mulligan_written")
        for at in range(self.count):
            self._run(f"DROP TRIGGER IF EXISTS temp.{self.token}_{at}")
        allowed = {_name(each.table.name, key) for each in known for key in each.keys}
        new = {_name(each.table.name, key): (each, key) for each in known for key in each.made}
        seen, found = set[str](), dict[str, list[str]]()
        for table, deed, count, *key in written:
            name = _name(table, map(to_plain, key[:count]))
            ours = name in seen or name in allowed or (name in new and deed == "insert")
            seen.add(name)
            if not ours:
                found.setdefault(table, []).append(", ".join(map(str, key[:count])))
        for name, (each, key) in new.items():
            # The driver may name a row that it has met, or one of the statement before.
            if name not in seen:
                found.setdefault(each.table.name, []).append(str(key))
        return [
            Strange(table, len(keys), ", ".join(f"{table} {key}" for key in keys[:3]))
            for table, keys in found.items()
        ]

    def _run(self, statement: str, *bound: str) -> list[Any]:
        """Past SQLAlchemy, which would take a colon in a name for a parameter."""
        cursor = self.connection.connection.cursor()
        try:
            cursor.execute(statement, bound)
            return list(cursor.fetchall())
        finally:
            cursor.close()

    def _refuse_hidden(self, names: Sequence[str]) -> None:
        """A table that belongs to the connection alone takes the place of another of its name."""
        marks = ", ".join("?" * len(names))
        temporary = f"FROM sqlite_temp_master WHERE name COLLATE NOCASE IN ({marks})"
        for (name,) in self._run(f"SELECT name {temporary}", *names):
            raise UndeclaredWriteError(
                f"A temporary table of this connection hides {name}, so what the call "
                "writes there is visible to no other connection. Give it another name."
            )

    def _list_triggers(self, tables: Sequence[UserTable]) -> Iterator[str]:
        """A trigger may write anywhere; without one, only what is related is ever reached."""
        related = {each.place for table in tables for each in table.related.values()}
        for schema in sorted({place.schema or "main" for place in related}):
            master = f"{quote_name(schema)}.sqlite_master"
            names = [at.name for at in related if (at.schema or "main") == schema]
            found = self._run(
                f"SELECT m.name, p.name FROM {master} m "  # noqa: S608
                "LEFT JOIN pragma_table_info(m.name, ?) p ON p.pk > 0 WHERE m.type = 'table' "
                "AND substr(m.name, 1, 7) <> 'sqlite_' AND m.name <> 'mulligan_mark' "
                "AND m.sql NOT LIKE 'CREATE VIRTUAL%' "
                f"AND (m.name COLLATE NOCASE IN ({', '.join('?' * len(names))}) "
                f"OR EXISTS (SELECT 1 FROM {master} WHERE type = 'trigger')) ORDER BY m.name, p.pk",
                *(schema, *names),
            )
            for name, columns in groupby(found, key=itemgetter(0)):
                key = [quote_name(column) for _, column in columns if column is not None]
                yield from _build_triggers(schema, name, key[:_MOST] or ["rowid"])


_MOST = 16
_KEYS = [f"k{at}" for at in range(_MOST)]
"""Columns for a key's values."""


def _build_triggers(schema: str, name: str, key: Sequence[str]) -> Iterator[str]:
    literal = name.replace("'", "''")
    into = ", ".join(["name", "deed", "count", *_KEYS[: len(key)]])
    for deed, sides in (("insert", ["NEW"]), ("update", ["OLD", "NEW"]), ("delete", ["OLD"])):
        values = (", ".join(f"{side}.{each}" for each in key) for side in sides)
        body = "".join(
            f"INSERT INTO mulligan_written ({into}) "  # noqa: S608
            f"VALUES ('{literal}', '{deed}', {len(key)}, {value}); "
            for value in values
        )
        place = f"{quote_name(schema)}.{quote_name(name)}"
        yield f"AFTER {deed.upper()} ON {place} BEGIN {body}END"


def _name(table: str, key: Iterable[Any]) -> str:
    return f"{table.casefold()}:{json.dumps(list(key))}"


class Deeds(NamedTuple):
    """How many rows were written in each way."""

    inserted: int = 0
    updated: int = 0
    deleted: int = 0

    def beyond(self, other: Deeds) -> Deeds:
        """How many more than others there are of each."""
        return Deeds(*(max(0, here - there) for here, there in zip(self, other, strict=True)))


Stamps = dict[tuple[str, str], str]
"""By table and key, something that is another after every write."""


class CountWatch:
    """Counts, and a look at every row that may be written, around each statement.

    Postgres counts the rows of every table, whoever writes them, and a row that is written moves.
    """

    looks = True
    stamp = "CAST(ctid AS text)"
    """What a row shows; if nothing, its print."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.stamps: Stamps = {}
        self.counts: dict[str, Deeds] = {}
        self.strange, self.new = Counter[str](), Counter[str]()

    def begin(self, known: Sequence[KnownRow], statement: Statement = _UNDO) -> None:
        """What is there, and what was counted until now."""
        self.stamps = self._read_stamps(known)
        self.counts = self.read_counts(known, statement)

    def end(
        self, known: Sequence[KnownRow], statement: Statement = _UNDO, rowcount: int = 0
    ) -> None:
        """What the rows show is set against what was counted."""
        now, counts = self._read_stamps(known), self.read_counts(known, statement)
        groups = self.group(known)
        for name in counts.keys() | groups:
            rows = groups.get(name, [])
            done = self._compare(now, {each.table.full_name for each in rows})
            counted = counts.get(name, Deeds()).beyond(self.counts.get(name, Deeds()))
            counted = self.correct(counted, done, rows, statement, rowcount)
            if any(each.makes for each in rows):
                self.new[name] += counted.inserted - done.inserted
                counted = counted._replace(inserted=min(counted.inserted, done.inserted))
            # One that is there by now and was not counted is of another transaction.
            self.strange[name] += sum(counted.beyond(done)) + done.beyond(counted).inserted

    def settle(self, known: Sequence[KnownRow]) -> None:
        """Have triggers fire that wait for the commit."""
        if any(at.triggered for each in known for at in each.table.related.values()):
            self.begin(known)
            self.connection.exec_driver_sql("SET CONSTRAINTS ALL IMMEDIATE")
            self.end(known)

    def list_made(self, table: UserTable) -> list[list[Any]]:  # noqa: ARG002
        """Rows are counted, and not named."""
        return []

    def has_made(self, table: UserTable) -> bool:  # noqa: ARG002
        """Whether rows were counted that are not known."""
        return any(self.new.values())

    def list_strange(self, known: Sequence[KnownRow]) -> list[Strange]:
        """A row that was made counts as known if its key is."""
        for name, rows in self.group(known).items():
            self.new[name] -= sum(len(each.made) for each in rows if each.makes)
        found = [*self.strange.items(), *self.new.items()]
        return [Strange(name, abs(count)) for name, count in found if count]

    def group(self, known: Sequence[KnownRow]) -> dict[str, list[KnownRow]]:
        """Each table by itself."""
        groups: dict[str, list[KnownRow]] = {}
        for each in known:
            groups.setdefault(each.table.full_name, []).append(each)
        return groups

    def read_counts(self, known: Sequence[KnownRow], statement: Statement) -> dict[str, Deeds]:
        """Only where more can happen than the statement says; some may be of earlier ones."""
        tables = {each.table.full_name: each.table for each in known}
        reached = [table for first in tables.values() for table in first.related.values()]
        quiet = not any(table.acting or table.triggered for table in reached)
        if quiet and statement.plain and not statement.upserts:
            return {}
        found = self.connection.execute(
            text(
                "SELECT n.nspname, c.relname, sum(s.n_tup_ins), sum(s.n_tup_upd), "
                "sum(s.n_tup_del) FROM pg_stat_xact_user_tables s "
                "JOIN pg_class c ON c.oid = COALESCE(pg_partition_root(s.relid), s.relid) "
                "JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0 "
                "AND c.relpersistence <> 't' AND c.relname <> 'mulligan_mark' GROUP BY 1, 2"
            )
        )
        usual = self.connection.dialect.default_schema_name
        names = {(table.home, table.name): name for name, table in tables.items()}
        counts = {}
        for schema, name, *deeds in found:
            place = name if schema == usual else f"{schema}.{name}"
            counts[names.get((schema, name), place)] = Deeds(*map(int, deeds))
        return counts

    def correct(
        self, counted: Deeds, done: Deeds, rows: list[KnownRow], statement: Statement, rowcount: int
    ) -> Deeds:
        """Where the server does not count (track_counts is off, or no need), the statement does."""
        if sum(counted) >= rowcount or not self.writes(rows, statement):
            return counted
        most = Deeds(*map(max, counted, done))
        return most._replace(inserted=most.inserted + max(0, rowcount - sum(most)))

    def writes(self, rows: Iterable[KnownRow], statement: Statement) -> bool:
        """Whether a statement names one of their tables."""
        names = {each.table.full_name for each in rows}
        return any(statement.writes_to(self.connection, name) for name in names)

    def _read_stamps(self, known: Sequence[KnownRow]) -> Stamps:
        """What stands in the rows; of those that are not there, nothing."""
        found: Stamps = {}
        for each in (each for rows in self.group(known).values() for each in rows):
            keys = [*each.keys, *each.made]
            for at in range(0, len(keys), CHUNK):
                found |= self._read_some(each.table, keys[at : at + CHUNK])
        return found

    def _read_some(self, table: UserTable, keys: list[list[Any]]) -> Stamps:
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
            for stamp, *key in self.connection.execute(text(query), bound)
        }

    def _compare(self, now: Stamps, names: set[str]) -> Deeds:
        """What has become of the rows of some tables."""
        was = {key: at for key, at in self.stamps.items() if key[0] in names}
        there = {key: at for key, at in now.items() if key[0] in names}
        changed = sum(at != there[key] for key, at in was.items() if key in there)
        return Deeds(len(there.keys() - was), changed, len(was.keys() - there))


class HandlerWatch(CountWatch):
    """MariaDB counts what a session writes, in all tables together, and no foreign key's work."""

    stamp = ""

    def settle(self, known: Sequence[KnownRow]) -> None:
        """Nor has MariaDB."""

    def group(self, known: Sequence[KnownRow]) -> dict[str, list[KnownRow]]:
        """All of them by the first."""
        rows = [each for each in known if not each.by_database]
        return {rows[0].table.full_name: rows}

    def read_counts(self, known: Sequence[KnownRow], _: Statement) -> dict[str, Deeds]:
        """Of all tables."""
        names = ("Handler_write", "Handler_update", "Handler_delete")
        query = f"SHOW SESSION STATUS WHERE Variable_name IN {names}"
        counts = {name: int(count) for name, count in self.connection.execute(text(query))}
        return {known[0].table.full_name: Deeds(*(counts[name] for name in names))}

    def correct(
        self, counted: Deeds, done: Deeds, rows: list[KnownRow], statement: Statement, rowcount: int
    ) -> Deeds:
        """What was written where it was not counted as such."""
        leaves = frozenset(name for each in rows for name in each.leaves)
        triggered = any(each.table.triggered for each in rows)
        if triggered and leaves:
            self.strange.update(self._list_fired({each.table.full_name for each in rows}, leaves))
        if leaves and statement is not _UNDO and not self.writes(rows, statement):
            more = max(0, sum(counted) - rowcount - sum(done))
        elif statement.upserts:
            # A row that is met is counted as inserted first, and as two rows if it is changed.
            met = done.inserted + 2 * (done.updated + done.deleted)
            foreign = done.inserted > 0 and not rowcount
            more = max(0, rowcount - met, foreign, triggered and not leaves)
        elif triggered and leaves:
            more = max(0, min(rowcount, sum(counted)) - sum(done))
            return done._replace(inserted=done.inserted + more)
        else:
            return counted
        return done._replace(updated=done.updated + more)

    def _list_fired(self, tables: set[str], leaves: frozenset[str]) -> Iterator[str]:
        """Where triggers write besides, by their text: MariaDB does not count table by table."""
        queue = [read_name(self.connection, name) for name in sorted(tables)]
        query = text(
            "SELECT action_statement FROM information_schema.triggers WHERE event_object_table = "
            ":name AND event_object_schema = COALESCE(NULLIF(:schema, ''), DATABASE())"
        )
        for place in queue:
            for (body,) in self.connection.execute(query, place._asdict()):
                read = read_statement(_BLOCK.sub(";", body), find_spelling(self.connection.dialect))
                for table in read.tables - set(queue):
                    queue.append(table)
                    if not is_declared(self.connection, table, *tables, *leaves):
                        yield str(table)
                yield from (each for each in read.untold if not _CONTROL.match(each))


_BLOCK = re.compile(r"\b(BEGIN|THEN|ELSE|DO|LOOP|REPEAT)\b", re.IGNORECASE)
"""After these another statement begins."""
_CONTROL = re.compile(r"(if|elseif|while|until|case|when|leave|iterate|signal|return)\b")


def open_watch(connection: Connection) -> TriggerWatch | CountWatch:
    """The way in which a database tells."""
    if connection.dialect.name == "sqlite":
        return TriggerWatch(connection)
    watch = CountWatch if connection.dialect.name == "postgresql" else HandlerWatch
    return watch(connection)
