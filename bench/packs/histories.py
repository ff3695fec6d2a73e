"""One call of a tool on random tables, with somebody else at work; the whole database is compared.

What the product says of a call is held against every row there is: before it, after it, and in the
end. Nothing of the pack is asked.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from importlib import import_module
from typing import Any

from sqlalchemy import Engine, MetaData, Table, create_engine, event, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool, StaticPool

from bench.packs.acting import act_once, reject
from bench.packs.campaign import Totals
from bench.packs.schemas import (
    AUDIT,
    ELSEWHERE,
    SIDE,
    Key,
    Schema,
    TableSpec,
    draw_key,
    draw_rows,
    draw_schema,
    draw_values,
)
from mulligan import Mulligan, State
from mulligan.types.action import ActionQuery
from mulligan_packs import sql
from mulligan_packs.compose import compose

THEIRS, OURS = "theirs", "ours"
THEIR_DAY, OUR_DAY = "2026-03-03", "2026-02-02"
UNBOUND = {
    "sqlite": "PRAGMA foreign_keys = OFF",
    "postgresql": "SET session_replication_role = replica",
    "mysql": "SET foreign_key_checks = 0",
}
DEEDS = (
    "update", "update", "update same", "update twice", "update other", "update construct",
    "delete", "delete", "delete construct", "insert", "insert made", "upsert", "upsert",
    "upsert nothing", "upsert replace", "upsert unique", "upsert made", "rows update",
    "rows delete", "savepoint", "rows none", "split", "split same", "retry", "retry landed",
    "nested", "nested same", "nested twice", "nested fails", "late error", "late error",
    "look first", "session", "joined", "insert made", "upsert made", "chain change",
    "chain change", "chain delete", "chain delete", "rows after", "rows after", "added",
    "added late", "bulk", "bulk half", "bulk half",
)  # fmt: skip
ON_UNIQUE = ("upsert replace", "upsert replace", "upsert unique", "upsert unique")
"""What meets rows by another key than its own, and is drawn more often where there is one."""
SEVERAL = ("rows", "nested", "chain", "split", "late error", "added late", "bulk")
"""Of several rows, calls or transactions some may be undone, or refused, and others not."""
LATE = (RuntimeError, TimeoutError, LookupError)
"""What a tool raises after its commit."""
SERVED = {
    "postgresql": ("elsewhere", "driver", "two phases", "rounded"),
    "mysql": ("clamped", "driver", "two phases"),
    "sqlite": (*("past", "past other", "past beside") * 2, *("found", "found made") * 2),
}
"""What only a server does, and what only SQLite tells of."""
BEYOND = (
    "update other",
    "upsert unique",
    "upsert made",
    "upsert replace",
    "elsewhere",
    "nested twice",
)
"""What may write other rows than the declared one."""
REFUSALS = ("UndeclaredWriteError", "OutdatedRowError", "NoTransactionError", "OutdatedTableError")
AMOUNT = 2
"""What a call takes away from a number, under the name of the column."""
CALLS = 5
"""Histories on one schema, each on rows of its own."""
MOMENTS = ("never", "never", "inside", "after", "after")
Rows = dict[tuple[str, str], dict[str, Any]]
"""All rows of all tables, by table and key."""


class Place:
    """A database that is made anew for every history."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.on = create_engine(url).dialect.name
        self.on = "mysql" if self.on == "mariadb" else self.on

    @contextmanager
    def open(self) -> Iterator[tuple[Engine, Engine]]:
        """The tool's engine, and a person's."""
        self._clear()
        more: dict[str, Any] = {}
        if self.on == "postgresql":
            more["connect_args"] = {"prepare_threshold": None}
        # One connection for each, which is kept: no two of a tool's statements run at once.
        engines = [create_engine(self.url, poolclass=StaticPool, **more) for _ in range(2)]
        for engine in engines:
            event.listen(engine, "connect", self._prepare)
        try:
            yield engines[0], engines[1]
        finally:
            for engine in engines:
                engine.dispose()

    def draw(self, chance: random.Random, totals: Totals, *, likely: Sequence[str] = ()) -> None:
        """Some histories on one schema; `likely`: deeds that make up half of them."""
        schema = draw_schema(chance, self.on)
        with self.open() as (engine, person):
            self.create(person, schema)
            if not schema.bound:
                with engine.begin() as connection:
                    connection.exec_driver_sql(UNBOUND[schema.on])
            for _ in range(CALLS):
                _draw_history(chance, schema, engine, person, likely).run(totals)

    def create(self, engine: Engine, schema: Schema) -> None:
        """The tables, and our marks."""
        with engine.begin() as connection:
            for statement in schema.list_statements():
                connection.exec_driver_sql(statement)
        sql.create_marks(engine)

    def _prepare(self, connection: Any, _: Any) -> None:
        if self.on == "sqlite":
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA journal_mode = MEMORY")
        elif self.on == "postgresql":
            connection.execute("SET synchronous_commit = off")
            connection.execute("SET lock_timeout = '2s'")
            connection.commit()

    def _clear(self) -> None:
        engine = create_engine(self.url, poolclass=NullPool)
        with engine.begin() as connection:
            if self.on == "postgresql":
                connection.execute(text("DROP SCHEMA public CASCADE"))
                connection.execute(text(f"DROP SCHEMA IF EXISTS {ELSEWHERE} CASCADE"))
                connection.execute(text("CREATE SCHEMA public"))
                return
            if self.on == "mysql":
                connection.execute(text("SET foreign_key_checks = 0"))
            found = (
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
                if self.on == "sqlite"
                else "SHOW TABLES"
            )
            for (name,) in connection.execute(text(found)).all():
                connection.execute(text(f"DROP TABLE {name}"))


@dataclass(kw_only=True)
class History:
    """One call, and all that happens around it."""

    chance: random.Random
    schema: Schema
    engine: Engine
    person: Engine
    deed: str
    moment: str
    wrong: bool
    stamps: bool
    """What triggers set in the row itself is declared."""
    said: str = ""
    """The class of what the tool raised."""
    seen: dict[str, Rows] = field(default_factory=dict)
    states: set[State] = field(default_factory=set)
    """What is on record of the call."""

    @property
    def table(self) -> TableSpec:
        return self.schema.first

    def run(self, totals: Totals) -> None:
        """Make the call, and hold what is said of it against what is there."""
        self._fill()
        totals.histories += 1
        totals.deeds[self.deed] += 1
        with Mulligan("memory:", checks=[reject] if self.wrong else [], recover=False) as m:
            call, leaves = self._declare(m)
            self.seen["before"] = self._look()
            asyncio.run(self._act(m, call))
            left = list(m.insights.open_list.actions())
            query = ActionQuery(tool="change")
            self.states = {each.state for each in m.insights.open_list.search(query)}
        self.seen["end"] = self._look()
        Judgement(history=self, leaves=leaves, left=left).judge(totals)

    def _fill(self) -> None:
        """Have other rows than the history before this one left."""
        unbound = "SELECT 1" if self.schema.on == "postgresql" else UNBOUND[self.schema.on]
        names = [SIDE, AUDIT, *(table.name for table in self.schema.tables)]
        if self.schema.on == "postgresql":
            names.append(f"{ELSEWHERE}.{self.table.name}")
        with self.person.connect() as connection:
            connection.exec_driver_sql(unbound)
            if self.schema.on == "postgresql":
                connection.exec_driver_sql(f"TRUNCATE {', '.join(names)}")
            else:
                for name in reversed(names):
                    connection.exec_driver_sql(f"DELETE FROM {name}")
                connection.exec_driver_sql(f"DELETE FROM {SIDE}")
            for name, row in draw_rows(self.chance, self.schema):
                _insert(connection, name, row)
            connection.exec_driver_sql(f"DELETE FROM {AUDIT}")
            connection.exec_driver_sql(f"DELETE FROM {SIDE}")
            connection.exec_driver_sql(f"INSERT INTO {SIDE} VALUES (1, 10)")
            connection.commit()
            connection.exec_driver_sql(unbound.replace("OFF", "ON").replace("= 0", "= 1"))
            connection.commit()

    def _look(self) -> Rows:
        rows: Rows = {}
        keys = {table.name: table.key_names for table in self.schema.tables}
        keys |= {SIDE: ["id"], AUDIT: ["id"]}
        if self.schema.on == "postgresql":
            keys[f"{ELSEWHERE}.{self.table.name}"] = self.table.key_names
        with self.person.connect() as connection:
            for name, key in keys.items():
                for row in connection.execute(text(f"SELECT * FROM {name}")).mappings():
                    rows[name, repr([row[column] for column in key])] = dict(row)
            connection.rollback()
        return rows

    async def _act(self, m: Mulligan, call: Callable[[], Any]) -> None:
        async def work() -> None:
            try:
                await call()
            except Exception as error:
                self.said = type(error).__name__
            self.seen["called"] = self._look()
            if self.moment == "after":
                self._disturb()
            self.seen["edited"] = self._look()

        await act_once(m, work)

    # The tool.

    def _declare(self, m: Mulligan) -> tuple[Callable[[], Any], set[str]]:
        table, engine = self.table, self.engine
        stamped = any(each.kind == "stamp" for each in self.schema.triggers)
        kinds = {each.kind for each in self.schema.triggers}
        leaves = {each for each in kinds & {SIDE, AUDIT} if self.chance.random() < 0.4}
        shared: dict[str, Any] = {"version": table.version, "leaves": leaves}
        sets: dict[str, Any] = {"sets": ["n"]} if stamped and self.stamps else {}
        keys = list(table.rows)
        self.key = self.chance.choice(keys)
        others = [key for key in keys if key != self.key]
        self.other = self.chance.choice(others)
        way = self.deed.split()[0]
        if way in ("added", "bulk"):
            return self._declare_given(m, shared | sets), leaves
        makes = way in ("insert", "upsert", "look", "found")
        if makes and (way == "insert" or self.chance.random() < 0.4):
            self.key = draw_key(table, 50)
        made = self.deed.endswith("made")
        find = lambda _: self.key  # noqa: E731
        if way == "rows":
            least = 40 if self.deed == "rows none" else 4
            where = lambda _: ("n > :n", {"n": least})  # noqa: E731
            declared = sql.rows(engine, table.name, where=where, **shared, **sets)
        elif way in ("insert", "upsert", "found"):
            given: dict[str, Any] = {} if made else {"id": find}
            declared = sql.insert(engine, table.name, **given, **shared, **sets)
        elif way == "look":
            declared = sql.insert(engine, table.name, id=find, **shared, **sets)
        elif way in ("delete", "chain"):
            declared = sql.delete(engine, table.name, id=find, **shared, **sets)
        else:
            declared = sql.update(engine, table.name, id=find, **shared, **sets)
        if SIDE in kinds - leaves and self.chance.random() < 0.5:
            declared = compose(sql.update(engine, SIDE, id=lambda _: 1), declared)
        work = self._choose_work()
        inner = self._declare_inner(m, shared | sets)

        @m.tool(**declared)
        async def change() -> None:
            await self._make_call(work, inner)

        if self.deed == "rows after":
            one = sql.update(engine, table.name, id=find, **shared, **sets)
            return self._change_first(m, one, change), leaves
        return (self._chain(m, change) if way == "chain" else change), leaves

    def _declare_given(self, m: Mulligan, shared: dict[str, Any]) -> Callable[[], Any]:
        """A tool that goes by what it is given: an amount, under the name of the column that it is
        taken away from, or a list of rows, of which each has a transaction of its own."""
        table, names = self.table, tuple(self.table.key_names)
        where = " AND ".join(f"{name} = :k{at}" for at, name in enumerate(names))
        renew = ", rev = rev + 1" if table.version else ""
        less = f"UPDATE {table.name} SET n = n - :n{renew} WHERE {where}"
        fails = self.chance.randrange(2) if self.deed == "bulk half" else None
        change, error = self._build_change(), self.chance.choice(LATE)

        @m.tool(**sql.update(self.engine, table.name, id=lambda _: self.key, **shared))
        async def take_away(n: int) -> None:
            self._begin_call()
            self._run_texts([(less, _bind_key(self.key) | {"n": n})])
            if self.deed == "added late":
                raise error("after its commit")

        @m.tool(**sql.update(self.engine, table.name, id=names, each="rows", **shared))
        async def change_each(rows: list[dict[str, Any]]) -> None:
            self._begin_call()
            for at, row in enumerate(rows):
                if at == fails:
                    raise error("half of it")
                self._run_texts([(change, _bind_key(tuple(row.values())))])

        if self.deed.startswith("added"):
            return partial(take_away, AMOUNT)
        both = [dict(zip(names, key, strict=True)) for key in (self.key, self.other)]
        return partial(change_each, both)

    def _change_first(
        self, m: Mulligan, declared: Any, change: Callable[[], Any]
    ) -> Callable[[], Any]:
        """One row by a call of its own, before one that changes it along with others."""
        where = " AND ".join(f"{name} = :k{at}" for at, name in enumerate(self.table.key_names))
        renew = ", rev = rev + 1" if self.table.version else ""
        statement = f"UPDATE {self.table.name} SET said = '{OURS} first'{renew} WHERE {where}"

        @m.tool(**declared)
        async def change_one() -> None:
            self._begin_call()
            self._run_texts([(statement, _bind_key(self.key))])

        async def run() -> None:
            await change_one()
            await change()

        return run

    def _chain(self, m: Mulligan, change: Callable[[], Any]) -> Callable[[], Any]:
        """A row that goes with the first one, or loses its reference: changed before that, or
        deleted after it."""
        found = [
            (table, key)
            for table in self.schema.tables
            for each in table.references
            for key, row in table.rows.items()
            if each.to == self.table.name and (row[each.column],) == self.key != key
        ]
        if not found:
            return change
        owner, key = self.chance.choice(found)
        first = self.deed == "chain change"
        declare = sql.update if first else sql.delete
        statement = f"UPDATE {owner.name} SET said = '{OURS}'"
        statement = statement if first else f"DELETE FROM {owner.name}"
        where = " AND ".join(f"{name} = :k{at}" for at, name in enumerate(owner.key_names))

        @m.tool(**declare(self.engine, owner.name, id=lambda _: key))
        async def change_along() -> None:
            self._begin_call()
            self._run_texts([(f"{statement} WHERE {where}", _bind_key(key))])

        async def run() -> None:
            for call in (change_along, change) if first else (change, change_along):
                await call()

        return run

    def _begin_call(self) -> None:
        if "base" not in self.seen:
            if self.moment == "inside":
                self._disturb()
            self.seen["base"] = self._look()

    async def _make_call(self, work: Callable[[], None], inner: Callable[[], Any]) -> None:
        self._begin_call()
        if self.deed.startswith("nested"):
            await inner()
        if self.deed == "nested fails":
            raise ValueError("nothing of its own")
        if self.deed != "nested same":
            work()
        if self.deed == "late error":
            raise self.chance.choice(LATE)("after its commit")

    def _declare_inner(self, m: Mulligan, shared: dict[str, Any]) -> Callable[[], Any]:
        """A tool that another calls: for another row, or for the very same."""
        key = self.other if self.deed == "nested" else self.key
        declared = sql.update(self.engine, self.table.name, id=lambda _: key, **shared)

        @m.tool(**declared)
        async def change_inside() -> None:
            self._run_texts([(self._build_change(), _bind_key(key))])

        return change_inside

    def _build_change(self) -> str:
        table = self.table
        where = " AND ".join(f"{name} = :k{at}" for at, name in enumerate(table.key_names))
        said = OURS * 20 if self.deed == "clamped" else OURS
        more = ", rev = rev + 1" if table.version else ""
        more += f", {table.time} = '{OUR_DAY} 10:00:00'" if table.time else ""
        return f"UPDATE {table.name} SET said = '{said}'{more} WHERE {where}"

    def _choose_work(self) -> Callable[[], None]:
        table = self.table
        where = " AND ".join(f"{name} = :k{at}" for at, name in enumerate(table.key_names))
        bound, other = _bind_key(self.key), _bind_key(self.other)
        renew = ", rev = rev + 1" if table.version else ""
        change = self._build_change()
        same = f"UPDATE {table.name} SET said = said WHERE {where}"
        again = f"UPDATE {table.name} SET n = n + 3 WHERE {where}"
        texts: dict[str, list[tuple[str, dict[str, Any]]]] = {
            "update": [(change, bound)],
            "update same": [(same, bound)],
            "update twice": [(change, bound), (again, bound)],
            "update other": [(change, bound), (again, other)],
            "delete": [(f"DELETE FROM {table.name} WHERE {where}", bound)],
            "rows update": [(f"UPDATE {table.name} SET said = '{OURS}'{renew} WHERE n > 4", {})],
            "rows delete": [(f"DELETE FROM {table.name} WHERE n > 4", {})],
            "rows none": [(f"DELETE FROM {table.name} WHERE n > 40", {})],
            "clamped": [("SET SESSION sql_mode = ''", {}), (change, bound)],
            "rounded": [("SET LOCAL extra_float_digits = 0", {}), (change, bound)],
            "elsewhere": [(f"SET LOCAL search_path = {ELSEWHERE}, public", {}), (change, bound)],
        }
        texts |= {"rows after": texts["rows update"]}
        texts |= {"nested": [(change, bound)], "nested same": []}
        texts |= {"nested twice": [(again, bound)], "nested fails": []}
        texts |= {"late error": texts["update"], "chain change": texts["delete"]}
        texts |= {"chain delete": texts["delete"]}
        if self.deed == "update other" and self.chance.random() < 0.5:
            texts["update other"] = [(change, other)]
        if self.deed in texts:
            return lambda: self._run_texts(texts[self.deed])
        first = same if self.deed == "split same" else change
        ways: dict[str, Callable[[], None]] = {
            "split": lambda: self._run_split([(first, bound), (change, bound)]),
            "retry": lambda: self._run_retry(change, bound),
            "driver": lambda: self._run_past(change, bound),
            "two phases": lambda: self._run_past(change, bound),
            "session": lambda: self._run_beside(change, bound),
            "joined": lambda: self._run_beside(change, bound),
            "savepoint": lambda: self._run_savepoint(change, again, bound),
            "past": lambda: self._run_unseen(change, bound, other),
            "update construct": lambda: self._run_construct(delete=False),
            "delete construct": lambda: self._run_construct(delete=True),
        }
        found = ways.get(self.deed) or ways.get(self.deed.split()[0])
        return found or self._choose_insert(change)

    def _choose_insert(self, change: str) -> Callable[[], None]:
        table = self.table
        row = dict(zip(table.key_names, self.key, strict=True))
        row |= draw_values(self.chance, self.schema, table, OURS)
        if self.deed in ("upsert unique", "upsert replace") and "code" in row:
            row["code"] = table.rows[self.other]["code"]
        if self.deed.startswith("found"):
            return lambda: self._run_finding(row)
        if self.deed.endswith("made"):
            return lambda: self._run_made(row)
        if self.deed == "look first":
            return lambda: self._run_looking(row, change)
        return lambda: self._run_insert(row)

    def _run_texts(self, statements: list[tuple[str, dict[str, Any]]]) -> None:
        with self.engine.begin() as connection:
            for statement, bound in statements:
                connection.execute(text(statement), bound)

    def _run_beside(self, change: str, bound: dict[str, Any]) -> None:
        """In a session, or by an engine with a pool of its own."""
        other = create_engine(self.engine.url, poolclass=NullPool)
        with Session(self.engine if self.deed == "session" else other) as session:
            if self.deed == "joined":
                sql.join(session)
            session.execute(text("SELECT 1"))
            session.execute(text(change), bound)
            session.commit()
        other.dispose()

    def _run_looking(self, row: dict[str, Any], change: str) -> None:
        """Make what is not there, else change it."""
        look = change.replace(change[: change.index(" WHERE")], f"SELECT 1 FROM {self.table.name}")
        bound = _bind_key(self.key)
        with self.engine.connect() as connection:
            there = connection.execute(text(look), bound).first()
            if self.chance.random() < 0.5:
                connection.commit()
            if there:
                connection.execute(text(change), bound)
            else:
                _insert(connection, self.table.name, row)
            connection.commit()

    def _run_split(self, statements: list[tuple[str, dict[str, Any]]]) -> None:
        for each in statements:
            self._run_texts([each])

    def _run_retry(self, change: str, bound: dict[str, Any]) -> None:
        """A commit that fails, or whose answer is lost."""
        dialect: Any = self.engine.dialect

        def fail(connection: Any) -> None:
            del dialect.do_commit
            if self.deed == "retry landed":
                dialect.do_commit(connection)
            raise OperationalError("COMMIT", {}, Exception("no answer"))

        dialect.do_commit = fail
        try:
            self._run_texts([(change, bound)])
        except OperationalError:
            if "do_commit" in vars(dialect) or self.deed == "retry landed":
                raise
            self._run_texts([(change, bound)])
        finally:
            vars(dialect).pop("do_commit", None)

    def _run_past(self, change: str, bound: dict[str, Any]) -> None:
        """Past the transaction that the pack looks at."""
        with self.engine.connect() as connection:
            driver: Any = connection.connection.dbapi_connection
            switch = getattr(driver, "autocommit", None)
            switch = (
                switch if callable(switch) else lambda on: setattr(driver, "autocommit", bool(on))
            )
            try:
                if self.deed == "driver":
                    switch(1)
                begin = connection.begin if self.deed == "driver" else connection.begin_twophase
                with begin():
                    connection.execute(text(change), bound)
            finally:
                connection.rollback()
                if self.deed == "driver":
                    switch(0)

    def _run_savepoint(self, change: str, again: str, bound: dict[str, Any]) -> None:
        with self.engine.begin() as connection:
            nested = connection.begin_nested()
            connection.execute(text(again), bound)
            nested.rollback()
            connection.execute(text(change), bound)

    def _run_unseen(self, change: str, bound: dict[str, Any], other: dict[str, Any]) -> None:
        """By a connection that nobody hears of, alone or beside one that is heard."""
        if self.deed == "past beside":
            self._run_texts([(change, bound)])
        apart = self.deed != "past beside" and self.chance.random() < 0.5
        place = create_engine(self.engine.url, poolclass=NullPool) if apart else self.engine
        raw = place.raw_connection()
        try:
            raw.cursor().execute(change, bound if self.deed == "past" else other)
            raw.commit()
        finally:
            raw.close()

    def _run_finding(self, row: dict[str, Any]) -> None:
        """Make a row in a savepoint; one that is there already is only read."""
        look = self._build_change()
        look = look.replace(look[: look.index(" WHERE")], f"SELECT 1 FROM {self.table.name}")
        after = f" RETURNING {', '.join(self.table.key_names)}"
        with self.engine.begin() as connection:
            try:
                with connection.begin_nested():
                    _insert(connection, self.table.name, row, after=after)
            except IntegrityError:
                connection.execute(text(look), _bind_key(self.key)).first()

    def _run_construct(self, *, delete: bool) -> None:
        there = Table(self.table.name, MetaData(), autoload_with=self.engine)
        wanted: Any = there.delete() if delete else there.update().values(said=OURS)
        for name, value in zip(self.table.key_names, self.key, strict=True):
            wanted = wanted.where(there.c[name] == value)
        with self.engine.begin() as connection:
            connection.execute(wanted)

    def _run_insert(self, row: dict[str, Any]) -> None:
        on, name = self.schema.on, self.table.name
        before, after = "INSERT", ""
        keys = ", ".join(self.table.key_names)
        if self.deed == "upsert replace" and on != "postgresql":
            before = "REPLACE" if on == "mysql" else "INSERT OR REPLACE"
        elif self.deed == "upsert nothing":
            before = {"mysql": "INSERT IGNORE", "sqlite": "INSERT OR IGNORE"}.get(on, before)
            after = " ON CONFLICT DO NOTHING" if on == "postgresql" else ""
        elif self.deed.startswith("upsert") and on == "mysql":
            after = f" ON DUPLICATE KEY UPDATE said = '{OURS}'"
        elif self.deed.startswith("upsert"):
            met = "code" if self.deed == "upsert unique" and "code" in row else keys
            after = f" ON CONFLICT ({met}) DO UPDATE SET said = '{OURS}'"
        with self.engine.begin() as connection:
            _insert(connection, name, row, before=before, after=after)

    def _run_made(self, row: dict[str, Any]) -> None:
        """The key is the database's to make, where it makes any."""
        if self.chance.random() < 0.5:
            self._run_made_as_text(row)
            return
        if self.table.time:
            row = row | {self.table.time: datetime.fromisoformat(row[self.table.time])}
        there = Table(self.table.name, MetaData(), autoload_with=self.engine)
        wanted = import_module(f"sqlalchemy.dialects.{self.schema.on}").insert(there)
        if self.deed.startswith("upsert"):
            if self.schema.on == "mysql":
                wanted = wanted.on_duplicate_key_update(said=OURS)
            elif self.chance.random() < 0.5:
                wanted = wanted.on_conflict_do_nothing()
            else:
                keys = self.table.key_names
                wanted = wanted.on_conflict_do_update(index_elements=keys, set_={"said": OURS})
        elif self.table.serial:
            row = {name: value for name, value in row.items() if name != "id"}
        with self.engine.begin() as connection:
            connection.execute(wanted.values(**row))

    def _run_made_as_text(self, row: dict[str, Any]) -> None:
        keys = ", ".join(self.table.key_names)
        # A driver knows the keys that MariaDB makes, and no others.
        told = self.schema.on == "mysql" and self.table.serial
        after = "" if told else f" RETURNING {keys}"
        if self.deed.startswith("upsert") and self.schema.on == "mysql":
            after = f" ON DUPLICATE KEY UPDATE said = '{OURS}'"
        elif self.deed.startswith("upsert"):
            after = f" ON CONFLICT ({keys}) DO UPDATE SET said = '{OURS}'{after}"
        elif self.table.serial:
            row = {name: value for name, value in row.items() if name != "id"}
        with self.engine.begin() as connection:
            _insert(connection, self.table.name, row, after=after)

    # Somebody else.

    def _disturb(self) -> None:
        """A person changes, adds or deletes something, if the database lets them."""
        table = self.table
        tables = [table, table, *self.schema.tables[1:]]
        chosen = self.chance.choice(tables)
        keys = list(chosen.rows)
        key = self.key if chosen is table and self.chance.random() < 0.6 else None
        key = key or self.chance.choice(keys)
        where = " AND ".join(f"{name} = :k{at}" for at, name in enumerate(chosen.key_names))
        bound = _bind_key(key)
        ways = ["edit", "edit", "edit", "delete", "child", "same key"]
        if self.key not in table.rows:  # the call makes a row
            ways = ["edit", "child", "child", "same key"]
        way = self.chance.choice(ways)
        try:
            with self.person.begin() as connection:
                if way == "edit":
                    what = f"said = '{THEIRS}'"
                    if chosen.time and self.chance.random() < 0.4:
                        what = f"{chosen.time} = '{THEIR_DAY} 10:00:00'"
                    change = f"UPDATE {chosen.name} SET {what} WHERE {where}"
                    connection.execute(text(change), bound)
                elif way == "delete":
                    connection.execute(text(f"DELETE FROM {chosen.name} WHERE {where}"), bound)
                elif way == "same key":
                    self._add(connection, table, self.key)
                else:
                    self._add_child(connection)
        except DBAPIError:
            pass  # it was told that this does not go together, or that somebody is at it

    def _add_child(self, connection: Any) -> None:
        for table in self.schema.tables:
            named = [each.column for each in table.references if each.to == self.table.name]
            if named and len(self.key) == 1:
                self._add(connection, table, draw_key(table, 70), **{named[0]: self.key[0]})
                return

    def _add(self, connection: Any, table: TableSpec, key: Key, **more: Any) -> None:
        row = dict(zip(table.key_names, key, strict=True))
        row |= draw_values(self.chance, self.schema, table, THEIRS) | more
        _insert(connection, table.name, row)


def _bind_key(key: Key) -> dict[str, Any]:
    return {f"k{at}": value for at, value in enumerate(key)}


def _insert(
    connection: Any, name: str, row: dict[str, Any], *, before: str = "INSERT", after: str = ""
) -> None:
    placed = ", ".join(f":{column}" for column in row)
    statement = f"{before} INTO {name} ({', '.join(row)}) VALUES ({placed}){after}"
    connection.execute(text(statement), row)


@dataclass(kw_only=True)
class Judgement:
    """What was said of a call, against what is there."""

    history: History
    leaves: set[str]
    left: list[Any]

    def judge(self, totals: Totals) -> None:
        """Count what is not as it must be."""
        history, wrong = self.history, Counter[str]()
        seen = history.seen
        seen.setdefault("base", seen["before"])
        outcome = self._tell_outcome()
        totals.outcomes[outcome] += 1
        match outcome:
            case "refused":
                totals.refused[history.said] += 1
                wrong["needless"] += self._is_needless()
                wrong["untrue"] += self._differs("base", "called") or self._differs("edited", "end")
            case "kept":
                wrong["untrue"] += self._differs("edited", "end")
            case "undone":
                self._judge_undone(wrong)
            case "person":
                for action in self.left:
                    totals.person[self._name_cause(action)] += 1
                    causeless = self._name_cause(action).endswith(": other")
                    causeless = causeless and not history.deed.startswith("past")
                    wrong["needless"] += causeless and not history.schema.triggers
                    wrong["needless"] += self._is_left_to_trigger(action)
                # Of several rows or calls, some may be undone all the same.
                if not history.deed.startswith(SEVERAL) and not self._is_composed():
                    wrong["untrue"] += self._differs("edited", "end")
            case _:
                wrong["errors"] += 1
        told = history.deed in ("nested fails", "late error", "added late", "bulk half")
        wrong["untrue"] += told and not history.said and not self.left
        undone = history.deed == "nested fails" and State.UNDONE in history.states
        wrong["untrue"] += undone  # there was nothing to undo
        wrong["deleted"] += len(self._list_taken())
        wrong["overwritten"] += len(self._list_overwritten())
        totals.count(wrong, lambda broken: self._describe(broken, outcome))

    def _tell_outcome(self) -> str:
        history = self.history
        if self.left:
            return "person"
        if history.deed.startswith(SEVERAL[1:]):  # some of it was done, or refused too
            return "undone" if history.wrong else "kept"
        if history.said in REFUSALS:
            return "refused"
        if history.said in ("IntegrityError", "OperationalError", "DataError", "ProgrammingError"):
            return "refused"  # by the database itself
        if history.said:
            return f"raised {history.said}"
        return "undone" if history.wrong else "kept"

    def _is_needless(self) -> bool:
        """Whether nothing beyond the declared rows could have been written."""
        history = self.history
        if history.said != "UndeclaredWriteError" or history.schema.triggers:
            return False
        # Postgres goes on counting what a savepoint has rolled back.
        counted = history.schema.on == "postgresql" and history.deed == "savepoint"
        # And counts a row twice that loses one reference and goes by another.
        acts = [{each.on_delete for each in table.references} for table in history.schema.tables]
        both = any("CASCADE" in found and found & {"SET NULL", "SET DEFAULT"} for found in acts)
        counted |= history.schema.on == "postgresql" and both and "delete" in history.deed
        # Somebody may have added a row for which the condition holds.
        added = history.moment == "inside" and history.deed.startswith("rows")
        return not counted and not added and history.deed not in BEYOND

    def _name_cause(self, action: Any) -> str:
        why = str(action.detail.get("why", ""))
        if action.state is State.HELD:
            return f"held: {why}"
        if self.history.moment != "never":
            return f"{action.state}: somebody else was there"
        if "by a trigger" in why:
            return f"{action.state}: an undo would set off a trigger"
        return f"{action.state}: other"

    def _is_left_to_trigger(self, action: Any) -> bool:
        """Whether only a column stands in the way of an undo that no statement of the call sets."""
        history = self.history
        # Only MariaDB's triggers fire whatever column is put back.
        alone = {each.kind for each in history.schema.triggers} == {"stamp"}
        alone = alone and history.schema.on != "mysql"
        plain = history.deed.split()[0] in ("update", "late", "session", "joined", "retry")
        sets = history.deed in ("update twice", "update other")
        why = str(action.detail.get("why", ""))
        return history.moment == "never" and alone and plain and not sets and "sets=['n']" in why

    def _is_composed(self) -> bool:
        kinds = {each.kind for each in self.history.schema.triggers}
        return SIDE in kinds - self.leaves

    def _judge_undone(self, wrong: Counter[str]) -> None:
        """All that nobody else has touched is as it was; what the call made is gone."""
        base, called, edited, end = self._list_seen("base", "called", "edited", "end")
        theirs = {key for key in {**called, **edited} if called.get(key) != edited.get(key)}
        for key in {**base, **called, **end}:
            if key in theirs or key[0] in self.leaves:
                continue
            if self._drop_own(key, base.get(key)) != self._drop_own(key, end.get(key)):
                wrong["lost" if key in base else "untrue"] += 1
        # What somebody has deleted since stays so.
        wrong["untrue"] += sum(key not in edited and key in end for key in theirs)

    def _drop_own(self, key: tuple[str, str], row: dict[str, Any] | None) -> object:
        """A row without what every write changes."""
        if row is None:
            return None
        own = {"rev"} if key[0] == self.history.table.name else set[str]()
        # What a trigger has set in a row is content, but where it was declared to be none.
        kinds = {each.kind for each in self.history.schema.triggers if each.on == key[0]}
        if "stamp" in kinds and self.history.stamps:
            own |= {"n", "twice"}
        return {name: value for name, value in row.items() if name not in own}

    def _differs(self, one: str, other: str) -> bool:
        return self.history.seen[one] != self.history.seen[other]

    def _list_seen(self, *names: str) -> list[Rows]:
        return [self.history.seen[name] for name in names]

    def _list_taken(self) -> list[object]:
        """Rows that went between the call and the end, and that the call had not made."""
        base, edited, end = self._list_seen("base", "edited", "end")
        called = self.history.seen["called"]
        made = called.keys() - base.keys()
        return [key for key in edited.keys() - end.keys() if key not in made]

    def _list_overwritten(self) -> list[object]:
        edited, end = self._list_seen("edited", "end")

        def find_theirs(row: dict[str, Any]) -> set[str]:
            return {
                name for name, value in row.items() if str(value).startswith((THEIRS, THEIR_DAY))
            }

        return [
            key for key, row in edited.items() if find_theirs(row) - find_theirs(end.get(key, {}))
        ]

    def _describe(self, wrong: dict[str, int], outcome: str) -> str:
        history = self.history
        steps = {
            f"{one}>{other}": {
                key: (history.seen[one].get(key), history.seen[other].get(key))
                for key in {**history.seen[one], **history.seen[other]}
                if history.seen[one].get(key) != history.seen[other].get(key)
            }
            for one, other in (("base", "called"), ("called", "edited"), ("edited", "end"))
        }
        why = [str(action.detail.get("why")) for action in self.left]
        created = list(history.schema.list_statements())
        return (
            f"{wrong} {outcome} {history.deed!r} key={history.key} moment={history.moment} "
            f"said={history.said} leaves={sorted(self.leaves)} why={why} {steps} {created}"
        )


def _draw_history(
    chance: random.Random, schema: Schema, engine: Engine, person: Engine, likely: Sequence[str]
) -> History:
    for table in schema.tables:
        table.rows.clear()
    deeds = [*DEEDS, *SERVED.get(schema.on, ()), *(ON_UNIQUE if schema.first.unique else ())]
    if likely and chance.random() < 0.5:
        deeds = [*likely]
    return History(
        chance=chance,
        schema=schema,
        engine=engine,
        person=person,
        deed=chance.choice(deeds),
        moment=chance.choice(MOMENTS),
        wrong=chance.random() < 0.85,
        stamps=chance.random() < 0.5,
    )
