"""Copy a store into another, of files or of a server, while applications go on writing to it.

A round reads the source as it is at one moment, deletes from the copy what is gone there, and
writes what differs. Rounds go on until one finds every row alike, which is the end and the proof.
Killed at any point, the next start goes on from what the copy has.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from operator import itemgetter
from typing import Any, Protocol

from mulligan.stores.database import Pool, Row, Session
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import CopiedTable, CopyRound

_AT_A_TIME = 2_000
_PAUSE = 1.0
"""Seconds until the next round, from the third on: beside an application that writes."""


class CopiedStore(Protocol):
    """What a store over tables has, as far as copying goes."""

    parts: tuple[Pool, ...]

    def load_secret(self) -> bytes:
        """What names are hashed with: a copy has that of its source, and no other store."""

    def set_secret(self, secret: bytes) -> None:
        """Have the secret be that one, if there is none yet."""

    def set_marks(self) -> None:
        """Have what lies beside its files say how far each writer of the journal got."""


Watch = Callable[[int, int], None]
"""Is told of how many rows were compared, and of how many there are."""
_Found = dict[str, tuple[Session, list[Row]]]
"""Tables by name, those first that others refer to: their session and their columns."""


def copy_rows(source: CopiedStore, target: CopiedStore, watch: Watch) -> Iterator[CopyRound]:
    """Compare and copy until both are equal; the last round is the one that found them so."""
    with ExitStack() as stack:
        ours, theirs = _find_tables(source, stack), _find_tables(target, stack)
        _refuse_same(ours, theirs)
        # A table that only one of them has is of its kind of database alone.
        tables = [
            _Table(name, columns, source=ours[name][0], target=session)
            for name, (session, columns) in theirs.items()
            if name in ours
        ]
        _refuse_others(tables, source, target)
        number, done = 0, None
        while done is None or not done.equal:
            number += 1
            if number > 2:
                time.sleep(_PAUSE)
            done = _compare(tables, number, watch)
            yield done


def _find_tables(store: CopiedStore, stack: ExitStack) -> _Found:
    found: _Found = {}
    for pool in store.parts:
        session = stack.enter_context(pool.acquire_session())
        for name, *column in session.fetch("copied_columns"):
            found.setdefault(name, (session, []))[1].append(tuple(column))
    return found


def _refuse_same(ours: _Found, theirs: _Found) -> None:
    """Refuse a target that is the source by whatever name: its rows would be put back as they were
    a moment ago, under the applications that write them.
    """
    one, other = (
        {tuple(session.fetch("database_identity")) for session, _ in found.values()}
        for found in (ours, theirs)
    )
    if one & other:
        raise ConfigurationError(
            "The source and the target are the same database, so nothing was copied: name an empty "
            "database, or a file that does not exist yet."
        )


def _refuse_others(tables: Sequence[_Table], source: CopiedStore, target: CopiedStore) -> None:
    """Refuse a target that is not empty and no copy, and a copy that was written to since."""
    secret = source.load_secret()
    if not any(table.read(table.target, keys=True, after=None) for table in tables):
        target.set_secret(secret)
    if target.load_secret() != secret:
        raise ConfigurationError(
            "The target has data of its own, so nothing was copied: name an empty database, or a "
            "file that does not exist yet."
        )
    by_name = {table.name: table for table in tables}
    if any(by_name["writer"].find_gone()) or by_name["execution"].has_newer():
        raise ConfigurationError(
            "An application has used the target since it was copied, so nothing was copied: its "
            "data would be lost. Name an empty database, or a file that does not exist yet."
        )


def _compare(tables: Sequence[_Table], number: int, watch: Watch) -> CopyRound:
    """One round: the source as it is now, and the copy as it was before."""
    with ExitStack() as stack:
        for session in dict.fromkeys(table.source for table in tables):
            stack.enter_context(session.begin_snapshot())
        # A snapshot begins with what is first read of it: so all of them begin now.
        whole, compared = sum(table.count(table.source) for table in tables), 0
        # Those that refer to others go before them, and come after them.
        deleted = sum(table.delete_gone() for table in reversed(tables))

        def step(rows: int) -> None:
            nonlocal compared
            compared += rows
            watch(compared, whole)

        found = {table.name: table.write_changed(step) for table in tables}
    return CopyRound(
        number=number,
        written=sum(written for written, _ in found.values()),
        deleted=deleted,
        tables={name: table for name, (_, table) in found.items()},
    )


class _Table:
    """A table that both have, with the columns and the key of the copy's."""

    def __init__(
        self, name: str, columns: Sequence[Row], *, source: Session, target: Session
    ) -> None:
        self.name = name
        self.source = source
        self.target = target
        names, kinds = [row[0] for row in columns], {row[0]: row[1] for row in columns}
        self.key = [name for _, name in sorted((row[2], row[0]) for row in columns if row[2])]
        counted = [row[0] for row in columns if row[3]]
        self._columns = ", ".join(names)
        self._order = ", ".join(
            f"{{bytewise {name}}}" if kinds[name] == "text" else name for name in self.key
        )
        change = [f"{e} = excluded.{e}" for e in names if e not in {*self.key, *counted}]
        update = f"update set {', '.join(change)}" if change else "nothing"
        self._write = (
            f"insert into {name} ({self._columns}) {{numbered}} {{rows {' '.join(kinds.values())}}}"
            f" on conflict ({', '.join(self.key)}) do {update}"
        )
        self._delete = (
            f"delete from {name} where ({', '.join(self.key)})"  # noqa: S608 - our own names
            f" in ({{rows {' '.join(kinds[each] for each in self.key)}}})"
        )
        self._numbers = [f"{{set_number {name} {each}}}" for each in counted]
        self._key_of = itemgetter(*(names.index(each) for each in self.key))

    def key_of(self, row: Row) -> Row:
        """The key in a whole row."""
        found = self._key_of(row)
        return found if len(self.key) > 1 else (found,)

    def count(self, session: Session) -> int:
        """How many rows one of the two has."""
        query = f"select count(*) from {self.name}"  # noqa: S608 - our own names
        return int(session.fetch(session.learn(query))[0][0])

    def read(
        self, session: Session, *, keys: bool = False, after: Row | None, until: Row | None = None
    ) -> list[Row]:
        """Rows after a key, in their order: up to another key, or so many."""
        bounds, values = [], dict[str, Any](most=_AT_A_TIME if until is None else 2**31)
        for sign, name, bound in ((">", "after", after), ("<=", "until", until)):
            if bound is not None:
                given = {f"{name}_{chr(97 + n)}": value for n, value in enumerate(bound)}
                bounds.append(f"({self._order}) {sign} (:{', :'.join(given)})")
                values |= given
        where = f" where {' and '.join(bounds)}" if bounds else ""
        columns = ", ".join(self.key) if keys else self._columns
        query = f"select {columns} from {self.name}{where} order by {self._order} limit :most"  # noqa: S608
        return session.fetch(session.learn(query), **values)

    def _change(self, statement: str, rows: Sequence[Row]) -> int:
        with self.target.begin_transaction():
            self.target.run_many(self.target.learn(statement), rows)
        return len(rows)

    def has_newer(self) -> bool:
        """Whether the copy has a key behind all of the source's."""
        query = f"select {', '.join(f'max({each})' for each in self.key)} from {self.name}"  # noqa: S608
        [last] = self.source.fetch(self.source.learn(query))
        after = None if last[0] is None else last
        return bool(self.read(self.target, keys=True, after=after))

    def find_gone(self) -> Iterator[list[Row]]:
        """The keys that the copy has and the source has no more, some at a time."""
        after = None
        while there := self.read(self.target, keys=True, after=after):
            kept = {*self.read(self.source, keys=True, after=after, until=there[-1])}
            after = there[-1]
            yield [key for key in there if key not in kept]

    def delete_gone(self) -> int:
        """Delete from the copy what the source has no more."""
        return sum(self._change(self._delete, gone) for gone in self.find_gone() if gone)

    def write_changed(self, watch: Callable[[int], None]) -> tuple[int, CopiedTable]:
        """Write to the copy what differs; how much that was, and what the source has."""
        written, rows, digest, after = 0, 0, hashlib.sha256(), None
        while ours := self.read(self.source, after=after):
            last = self.key_of(ours[-1])
            there = self.read(self.target, after=after, until=last)
            if ours != there:
                known = set(there)
                written += self._change(self._write, [row for row in ours if row not in known])
            digest.update("\n".join(map(repr, ours)).encode())
            rows, after = rows + len(ours), last
            watch(len(ours))
        for statement in self._numbers:
            self.target.fetch(self.target.learn(statement))
        return written, CopiedTable(rows=rows, sha256=digest.hexdigest())
