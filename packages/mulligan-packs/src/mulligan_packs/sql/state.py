"""What was there and what is: rows with their dependants, as plain values that any vault keeps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from graphlib import CycleError, TopologicalSorter
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from mulligan.types.errors import ConflictError
from mulligan_packs.sql.table import ABSENT, Reference, UserTable, Values
from mulligan_packs.typed_dict import TypedDict


class RowState(TypedDict):
    """One row, or that it is not there."""

    table: str
    key: list[Any]
    values: Values | None
    at: str
    """Its version."""
    dependants: list[RowState]
    """Rows that would go, or lose their reference, with it, and what goes with those."""
    goes: bool
    """Of a dependant: it would go itself, and not only lose its reference."""


class TableState(TypedDict):
    """What a call is about, all of it."""

    rows: list[RowState]
    at: str
    """The version of all of it."""
    undone: bool
    """It is just as our undo has left it."""


def read_state(
    connection: Connection, table: UserTable, *, keys: Sequence[Sequence[Any]], deep: bool
) -> TableState:
    """The rows of some keys; `deep`: with those that depend on them."""
    rows = [read_row(connection, table, key=key, deep=deep) for key in keys]
    return TableState(rows=rows, at=combine_versions(each["at"] for each in rows), undone=False)


def read_row(
    connection: Connection, table: UserTable, *, key: Sequence[Any], deep: bool, lock: bool = False
) -> RowState:
    """One row by its key."""
    values, at = table.read_row(connection, key, lock=lock)
    # As the row itself has it: a call may spell it otherwise, and the next one otherwise again.
    own = list(key) if values is None else [values[name] for name in table.key]
    row = RowState(table=table.full_name, key=own, values=values, at=at, dependants=[], goes=True)
    if deep and values is not None:
        row["dependants"] = _read_dependants(connection, table, values, lock=lock)
    return row


def _read_dependants(
    connection: Connection, table: UserTable, values: Values, *, lock: bool
) -> list[RowState]:
    """Each row once, however many references lead to it: round a circle there is no end."""
    first = _name(table, [values[name] for name in table.key])
    found, gone = dict[str, RowState](), {first}
    queue = [(table, values)] if table.enforced else []
    for owner, there in queue:
        for reference in owner.acting:
            for key in reference.list_rows(connection, there, lock=lock):
                name = _name(reference.table, key)
                if name == first:
                    continue
                if name not in found:
                    found[name] = read_row(
                        connection, reference.table, key=key, deep=False, lock=lock
                    )
                    found[name]["goes"] = False
                content = found[name]["values"]
                if reference.on_delete == "CASCADE" and name not in gone and content is not None:
                    gone.add(name)
                    found[name]["goes"] = True
                    queue.append((reference.table, content))
    return list(found.values())


def _name(table: UserTable, key: Sequence[Any]) -> str:
    return f"{table.full_name}:{json.dumps(list(key), default=str)}"


def list_all(row: RowState) -> Iterator[RowState]:
    """A row and all that depends on it."""
    yield row
    for each in row["dependants"]:
        yield from list_all(each)


def build_absent(table: UserTable, key: list[Any]) -> RowState:
    """That there is no such row."""
    return RowState(
        table=table.full_name, key=key, values=None, at=ABSENT, dependants=[], goes=True
    )


def print_deeply(row: RowState) -> str:
    """One version for a row and all that depends on it."""
    return json.dumps(
        [row["at"], *((each["table"], each["key"], each["at"]) for each in row["dependants"])]
    )


def combine_versions(versions: Iterator[str]) -> str:
    """One version for several rows: of one row it is its own."""
    found = list(versions)
    if len(found) == 1:
        return found[0]
    return hashlib.sha256("\n".join(found).encode()).hexdigest() if found else ABSENT


def is_same_state(before: object, now: object, *, own: AbstractSet[str]) -> bool:
    """Whether two states have the same content but for columns that the database sets by itself, or
    our undo has left the second."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return before is now
    if now.get("undone"):
        return True
    pairs = list(zip(before["rows"], now["rows"], strict=False))
    return len(before["rows"]) == len(now["rows"]) and all(
        is_same_row(was, there, own=own) for was, there in pairs
    )


def is_same_row(was: RowState, there: RowState, *, own: AbstractSet[str]) -> bool:
    """Whether a row and its dependants have the same content."""
    if was["values"] is None or there["values"] is None:
        return was["values"] is there["values"]
    pairs = [_list_contents(row, own=own) for row in (was, there)]
    return pairs[0] == pairs[1]


def _list_contents(row: RowState, *, own: AbstractSet[str]) -> dict[str, object]:
    contents = dict[str, object]()
    for each in list_all(row):
        ignored = own if each["table"] == row["table"] else ()
        left = {n: v for n, v in (each["values"] or {}).items() if n not in ignored}
        contents["" if each is row else json.dumps([each["table"], each["key"]])] = left
    return contents


def restore_rows(
    connection: Connection, table: UserTable, *, rows: Sequence[RowState]
) -> Iterator[tuple[UserTable, Values]]:
    """Make rows what they were, and those that depend on them. Each, as it must be now."""
    try:
        for key in (row["key"] for row in rows if row["values"] is None):
            _refuse_referred(connection, table, table.read_row(connection, key, lock=True)[0])
            table.delete_row(connection, key)
        yield from _restore_present(connection, table, rows)
    except IntegrityError as error:
        named = ", ".join(table.describe_row(row["key"]) for row in rows)
        raise ConflictError(
            f"What is there now does not go together with {named} as it was: "
            f"{type(error.orig).__name__}."
        ) from error


def _restore_present(
    connection: Connection, table: UserTable, rows: Sequence[RowState]
) -> Iterator[tuple[UserTable, Values]]:
    """Rows that are gone first: what has lost its reference refers to one of them."""
    found, roots = dict[str, tuple[UserTable, RowState, Values]](), {id(row) for row in rows}
    dependants = [each for row in rows for each in row["dependants"]]
    # With one row it may only have lost a reference, and have gone with another.
    dependants.sort(key=lambda each: not each.get("goes", True))
    for each in [*rows, *dependants]:
        if each["values"] is not None:
            owner, was = table.related[each["table"]], each["values"]
            found.setdefault(_name(owner, [was[name] for name in owner.key]), (owner, each, was))
    missing, changed = list[tuple[UserTable, Values]](), list[Any]()
    for owner, each, was in found.values():
        there = owner.read_row(connection, each["key"], lock=True)[0]
        if there is not None:
            changed.append((owner, each, was, there))
        elif each.get("goes", True):  # else it was deleted since
            missing.append((owner, was))
    if missing:
        _insert_all(connection, table, missing)
    yield from missing
    for owner, each, was, there in changed:
        if lost := id(each) not in roots:
            was = _list_lost(connection, table.list_references(owner), each, there)
        if was:
            # The database took a reference away without a new version, and so it comes back: an
            # earlier call of ours has left the row at this one.
            owner.update_row(connection, each["key"], values=was, renew=not lost)
            yield owner, {**there, **was}


def _insert_all(
    connection: Connection, table: UserTable, missing: Sequence[tuple[UserTable, Values]]
) -> None:
    """Insert rows that refer to each other: where in a circle, it is closed only at the end."""
    try:
        with connection.begin_nested():
            for owner, values in _sort(table, missing):
                owner.insert_row(connection, values)
    except IntegrityError:
        bare = [(owner, _drop_references(table, owner, values)) for owner, values in missing]
        for owner, values in _sort(table, bare):
            owner.insert_row(connection, values)
        for owner, values in missing:
            key = [values[name] for name in owner.key]
            owner.update_row(connection, key, values=values, renew=False)


def _sort(
    table: UserTable, rows: Sequence[tuple[UserTable, Values]]
) -> Iterator[tuple[UserTable, Values]]:
    """Rows after those that they refer to: a database that counts counts also what it refuses."""

    def spell(to: UserTable, reference: Reference, values: Iterable[object]) -> str:
        return f"{to.full_name} {reference.to} {[str(value).casefold() for value in values]}"

    places = {
        spell(owner, reference, (values[name] for name in reference.to)): at
        for at, (owner, values) in enumerate(rows)
        for reference in owner.referred
    }
    before: dict[int, set[int]] = {}
    for at, (owner, values) in enumerate(rows):
        refers = [(to, r) for to in table.related.values() for r in to.referred if r.table is owner]
        named = (spell(to, r, (values[name] for name in r.columns)) for to, r in refers)
        before[at] = {places[name] for name in named if name in places} - {at}
    try:
        yield from [rows[at] for at in TopologicalSorter(before).static_order()]
    except CycleError:
        yield from rows


def _drop_references(table: UserTable, owner: UserTable, values: Values) -> Values:
    columns = {name for each in table.list_references(owner) for name in each.columns}
    empty = {name for name in columns - set(owner.key) if owner.fields[name].nullable}
    return {name: None if name in empty else value for name, value in values.items()}


def _refuse_referred(connection: Connection, table: UserTable, values: Values | None) -> None:
    """What others have hung on a row since would go with it."""
    for reference in table.referred if values is not None else ():
        # Locked, so that what is seen is what is there and not what was when the undo began.
        found = reference.list_rows(connection, values or {}, lock=True)
        own = [(values or {})[name] for name in table.key]
        if any(reference.table is not table or key != own for key in found):
            raise ConflictError(f"Rows of {reference.table.name} refer to it by now.")


def _list_lost(
    connection: Connection, references: Sequence[Reference], row: RowState, now: Values
) -> Values:
    """A reference that was taken away with the row; all else in it is not ours."""
    lost = Values()
    for reference in references:
        for name in reference.lost:
            was = (row["values"] or {})[name]
            if now[name] == was:
                continue
            table = reference.table
            if now[name] is not None and not table.has_default(connection, name, now[name]):
                raise ConflictError(f"{table.describe_row(row['key'])} was changed since.")
            lost[name] = was
    return lost
