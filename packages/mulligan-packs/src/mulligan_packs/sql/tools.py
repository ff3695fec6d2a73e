"""The declarations: what `@m.tool(**sql.update(engine, "task", id="task_id"))` is given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncEngine

from mulligan.runtime.declaration import Declared, Remote, Undoing
from mulligan.types.effect import Effect, ProbeBy
from mulligan_packs.sql.errors import SqlPackError
from mulligan_packs.sql.writing import Choose, Find, TableOptions, TableWriter

Id = str | Sequence[str] | Find
"""The parameters that have a row's key, in its order, or a function of the record that finds it."""


def update(
    engine: Engine | AsyncEngine,
    table: str,
    *,
    id: Id,  # noqa: A002 - what everybody calls it
    version: str | None = None,
    each: str | None = None,
    leaves: Iterable[str] = (),
    sets: Iterable[str] = (),
) -> Declared:
    """A tool that changes one row; with `each`, one for every element of that parameter.

    `version` is the column that every write changes; without one the whole row is compared.
    `leaves` are tables that it also writes to and that an undo leaves, `sets` columns that the
    database sets by itself with every write.
    """
    return _declare(engine, table, leaves, sets, id=id, version=version, each=each)


def insert(
    engine: Engine | AsyncEngine,
    table: str,
    *,
    id: Id | None = None,  # noqa: A002 - as above
    version: str | None = None,
    leaves: Iterable[str] = (),
    sets: Iterable[str] = (),
) -> Declared:
    """A tool that makes one row, or changes it if it is there already (an upsert).

    `id`: it is given the key, which else the database makes. Only then may the row be there.
    """
    return _declare(engine, table, leaves, sets, id=id, version=version, makes=True)


def delete(
    engine: Engine | AsyncEngine,
    table: str,
    *,
    id: Id,  # noqa: A002 - as above
    version: str | None = None,
    each: str | None = None,
    leaves: Iterable[str] = (),
    sets: Iterable[str] = (),
) -> Declared:
    """A tool that deletes one row, which comes back with all that went with it."""
    return _declare(engine, table, leaves, sets, id=id, version=version, each=each, deletes=True)


def rows(
    engine: Engine | AsyncEngine,
    table: str,
    *,
    where: Choose,
    version: str | None = None,
    leaves: Iterable[str] = (),
    sets: Iterable[str] = (),
) -> Declared:
    """A tool that changes or deletes all rows for which a condition holds.

    `where` is a function of the record: the condition as SQL, and its parameters.
    """
    return _declare(engine, table, leaves, sets, version=version, where=where)


class TableTools(Struct, frozen=True, kw_only=True):
    """One table for a family of tools: what is said here is said once for all of them."""

    engine: Engine | AsyncEngine
    table: str
    id: Id
    version: str | None = None
    leaves: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()

    def update(self, *, each: str | None = None) -> Declared:
        """`sql.update` of this table."""
        return update(self.engine, self.table, id=self.id, each=each, **self._list_shared())

    def delete(self, *, each: str | None = None) -> Declared:
        """`sql.delete` of this table."""
        return delete(self.engine, self.table, id=self.id, each=each, **self._list_shared())

    def insert(self, *, id: Id | None = None) -> Declared:  # noqa: A002 - as above
        """`sql.insert` into this table."""
        return insert(self.engine, self.table, id=id, **self._list_shared())

    def rows(self, *, where: Choose) -> Declared:
        """`sql.rows` of this table."""
        return rows(self.engine, self.table, where=where, **self._list_shared())

    def _list_shared(self) -> Any:
        return {"version": self.version, "leaves": self.leaves, "sets": self.sets}


def _declare(
    engine: Engine | AsyncEngine,
    table: str,
    leaves: Iterable[str],
    sets: Iterable[str],
    **given: Any,
) -> Declared:
    options = TableOptions(leaves=frozenset(leaves), sets=frozenset(sets), **given)
    writing = TableWriter(engine, table, options)
    gone = ", and what goes with them by foreign keys" if writing.may_delete else ""
    more = "a call that makes the database write anything else, also by a trigger, is refused"
    declared = Declared(
        effect=Effect.REVERSIBLE,
        read=writing.read_current,
        undo=writing.undo,
        probe=writing.find_call,
        probe_by=ProbeBy.RECEIPT,
        about=writing.name_object,
        version=writing.read_version,
        around=writing.enter_call,
        refuses=SqlPackError,
        # Who looks for a call and does not find it rules out that it comes late.
        remote=Remote(binds=True, lands_within=timedelta()),
        undoing=Undoing(
            same=writing.is_same,
            loses=[f"rows that it also wrote to {name}" for name in sorted(options.leaves)],
            rests_on=[f"the declared rows of {writing.table}{gone}: {more}"],
        ),
    )
    if options.id is not None or options.where is not None:
        declared["before"] = writing.read_before
    if options.each is not None:
        declared["each"] = options.each
    return declared
