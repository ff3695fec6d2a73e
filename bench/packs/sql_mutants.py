"""Mistakes planted in the SQL pack, each of which the histories must find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from bench.packs.campaign import Hunt
from bench.packs.histories import Place
from mulligan.runtime import retry
from mulligan.types.errors import ConflictError
from mulligan_packs.sql import listening, scope, state, watching
from mulligan_packs.sql.dialects import ForeignKey, SqlDialect
from mulligan_packs.sql.table import UserTable, name_row
from mulligan_packs.sql.writing import TableWriter


@contextmanager
def plant(owner: Any, name: str, changed: Any) -> Iterator[None]:
    """Have one thing be another for a while."""
    there = owner.__dict__[name]
    setattr(owner, name, changed)
    try:
        yield
    finally:
        setattr(owner, name, there)


def _nothing(*_: Any, **__: Any) -> None:
    pass


def _forget_before(record_before: Any) -> Any:
    """An insert whose undo deletes whatever has the key."""

    def read(self: TableWriter, record: Any, connection: Any) -> Any:
        found = record_before(self, record, connection)
        if self._options.makes and found is not None:
            for row in found["rows"]:
                row.update(values=None)
        return found

    return read


def _restore_assigned(read: Any) -> Any:
    """An undo that leaves a number to whatever the database has made of it."""

    def list_unlike(*given: Any) -> Any:
        odd, key = read(*given)
        return odd - {"n", "twice"}, key

    return list_unlike


def _believe_nothing(undo: Any) -> Any:
    def undo_on(self: TableWriter, connection: Any, record: Any) -> Any:
        try:
            return undo(self, connection, record)
        except ConflictError:
            return [], False

    return undo_on


def _stop_at_children(read: Any) -> Any:
    def read_children(connection: Any, table: Any, values: Any, *, lock: bool) -> Any:
        found = read(connection, table, values, lock=lock)
        return [each for each in found if each["table"] != table.full_name][:1]

    return read_children


def _name_no_action(load: Any) -> Any:
    def load_keys(self: Any, *given: Any, **more: Any) -> list[ForeignKey]:
        return [each._replace(on_delete="") for each in load(self, *given, **more)]

    return load_keys


def _take_all(read: Any) -> Any:
    """An undo that does not ask whether the row is as the call left it."""

    def undo(self: TableWriter, connection: Any, record: Any) -> Any:
        table = self.load(connection)
        before = record.before
        if not before:
            return read(self, connection, record)
        list(state.restore_rows(connection, table, rows=before["rows"]))
        return [], False

    return undo


def _trust_driver(strange: Any) -> Any:
    """A row that the driver names is taken for new."""

    def list_strange(self: Any, known: Any) -> Any:
        for each in known:
            each.keys.extend(each.made)
        return strange(self, known)

    return list_strange


def _restore_only(restore: Any) -> Any:
    def restore_present(connection: Any, table: Any, rows: Any) -> Any:
        return restore(connection, table, [{**row, "dependants": []} for row in rows])

    return restore_present


def _share_rows(connection: Any) -> Any:
    """A call answers for all that calls inside of it write."""
    scopes = scope.list_current()
    return [] if any(id(connection) in each.busy for each in scopes) else list(scopes)


def _name_own_rows(self: TableWriter, record: Any) -> Any:
    """A call is about its own rows, and not about those that go with them."""
    return [name_row(self.table, key) for key in self._list_known_keys(record)]


MUTANTS: dict[str, Callable[[], Any]] = {
    "an insert reads nothing before it": lambda: plant(
        TableWriter, "_read", _forget_before(TableWriter._read)
    ),
    "rows written are not compared with rows declared": lambda: plant(
        listening, "refuse_strange", _nothing
    ),
    "only the first row that depends on another is read": lambda: plant(
        state, "_read_dependants", _stop_at_children(state._read_dependants)
    ),
    "what foreign keys do is not read": lambda: plant(
        SqlDialect, "load_keys", _name_no_action(SqlDialect.load_keys)
    ),
    "a row that was edited in between is written over": lambda: plant(
        TableWriter, "is_outdated", lambda *_: False
    ),
    "an undo does not look whether the row is ours": lambda: plant(
        TableWriter, "undo_on", _take_all(TableWriter.undo_on)
    ),
    "an undo may set off triggers": lambda: plant(TableWriter, "_refuse_more", _nothing),
    "REPLACE may take away what it meets": lambda: plant(
        SqlDialect, "read_replacing", lambda *_, **__: (False, False)
    ),
    "a lost reference stays lost": lambda: plant(state, "_list_lost", _nothing),
    "a key that the driver names is a new row": lambda: plant(
        watching.TriggerWatch, "list_strange", _trust_driver(watching.TriggerWatch.list_strange)
    ),
    "foreign keys are believed where they are not enforced": lambda: plant(
        UserTable, "enforced", property(lambda _: True)
    ),
    "a mark is believed whatever became of its transaction": lambda: plant(
        TableWriter,
        "_is_marked",
        lambda *given, mark, **_: mark in given[3].marked or given[3].marked.add(mark),
    ),
    "a call answers for what calls inside of it write": lambda: plant(
        listening, "list_scopes", _share_rows
    ),
    "what a tool raises after its commit is answered by a look": lambda: plant(
        retry, "is_unheard", lambda *_: True
    ),
    "rows that go with another are none of its call's": lambda: plant(
        TableWriter, "name_object", _name_own_rows
    ),
    "what a trigger sets in a row is no content": lambda: plant(
        TableWriter, "_list_unlike", _restore_assigned(TableWriter._list_unlike)
    ),
    "a call that was not seen is called undone": lambda: plant(
        TableWriter, "undo_on", _believe_nothing(TableWriter.undo_on)
    ),
    "what the driver itself writes is not counted": lambda: plant(
        listening, "has_unseen", lambda _: False
    ),
    "what went with a row does not come back": lambda: plant(
        state, "_restore_present", _restore_only(state._restore_present)
    ),
}

LIKELY = {
    "an insert reads nothing before it": ("upsert", "upsert replace", "look first"),
    "only the first row that depends on another is read": ("delete", "rows delete"),
    "REPLACE may take away what it meets": ("upsert replace",),
    "a lost reference stays lost": ("delete", "delete construct"),
    "a key that the driver names is a new row": ("upsert made",),
    "foreign keys are believed where they are not enforced": ("delete", "rows delete"),
    "a mark is believed whatever became of its transaction": ("retry",),
    "a call answers for what calls inside of it write": ("nested fails",),
    "rows that go with another are none of its call's": ("chain change", "chain delete"),
    "what a trigger sets in a row is no content": ("update", "session"),
    "a call that was not seen is called undone": ("past", "past other"),
    "what the driver itself writes is not counted": ("past beside",),
}
"""What shows a mistake is drawn more often where it is looked for."""


def list_hunts(place: Place) -> dict[str, Hunt]:
    """Each mistake, with what it is looked for with."""
    return {
        name: Hunt(plant=planted, draw=partial(place.draw, likely=LIKELY.get(name, ())))
        for name, planted in MUTANTS.items()
    }
