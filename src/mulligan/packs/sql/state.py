"""What was there and what is: rows with their dependants, as plain values that any vault keeps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from mulligan.core.errors import ConflictError
from mulligan.packs.sql.table import ABSENT, Reference, UserTable, Values
from mulligan.packs.typed_dict import TypedDict


class RowState(TypedDict):
    """One row, or that it is not there."""

    table: str
    key: list[Any]
    values: Values | None
    at: str
    """Its version."""
    dependants: list[RowState]
    """Rows that would go, or lose their reference, with it."""


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
    found = list(_read_dependants(connection, table, values, lock=lock)) if deep and values else []
    return RowState(table=table.name, key=list(key), values=values, at=at, dependants=found)


def _read_dependants(
    connection: Connection, table: UserTable, values: Values, *, lock: bool
) -> Iterator[RowState]:
    for reference in table.referred:
        for key in reference.list_rows(connection, values, lock=lock):
            if list(key) == [values[name] for name in table.key] and reference.table is table:
                continue  # a row that refers to itself
            deep = reference.on_delete == "CASCADE"
            yield read_row(connection, reference.table, key=key, deep=deep, lock=lock)


def build_absent(table: UserTable, key: list[Any]) -> RowState:
    """That there is no such row."""
    return RowState(table=table.name, key=key, values=None, at=ABSENT, dependants=[])


def print_deeply(row: RowState) -> str:
    """One version for a row and all that depends on it."""
    return json.dumps([row["at"], [print_deeply(each) for each in row["dependants"]]])


def combine_versions(versions: Iterator[str]) -> str:
    """One version for several rows: of one row it is its own."""
    found = list(versions)
    if len(found) == 1:
        return found[0]
    return hashlib.sha256("\n".join(found).encode()).hexdigest() if found else ABSENT


def is_same_state(before: object, now: object, *, version: str | None) -> bool:
    """Whether two states have the same content, or our undo has left the second."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return before is now
    if now.get("undone"):
        return True
    pairs = list(zip(before["rows"], now["rows"], strict=False))
    return len(before["rows"]) == len(now["rows"]) and all(
        is_same_row(was, there, version=version) for was, there in pairs
    )


def is_same_row(was: RowState, there: RowState, *, version: str | None) -> bool:
    """Whether a row and its dependants have the same content."""
    if was["values"] is None or there["values"] is None:
        return was["values"] is there["values"]
    names = was["values"].keys() - {version}
    same = all(was["values"][name] == there["values"].get(name) for name in names)
    alike = [(each["table"], each["key"], each["values"]) for each in was["dependants"]]
    return same and alike == [(d["table"], d["key"], d["values"]) for d in there["dependants"]]


def restore_row(connection: Connection, table: UserTable, *, row: RowState) -> None:
    """Make a row what it was, and then those that depend on it."""
    values, now = row["values"], table.read_row(connection, row["key"], lock=True)[0]
    try:
        if values is None:
            _refuse_referred(connection, table, now)
            table.delete_row(connection, row["key"])
        elif now is None:
            table.insert_row(connection, values)
        else:
            table.update_row(connection, row["key"], values=values)
        for each in row["dependants"]:
            _restore_dependant(connection, _find_reference(table, each["table"]), each)
    except IntegrityError as error:
        raise ConflictError(
            f"What is there now does not go together with {table.describe_row(row['key'])} as it "
            f"was: {type(error.orig).__name__}."
        ) from error


def _refuse_referred(connection: Connection, table: UserTable, values: Values | None) -> None:
    """What others have hung on a row since would go with it."""
    for reference in table.referred if values is not None else ():
        # Locked, so that what is seen is what is there and not what was when the undo began.
        if values is not None and reference.list_rows(connection, values, lock=True):
            raise ConflictError(f"Rows of {reference.table.name} refer to it by now.")


def _restore_dependant(connection: Connection, reference: Reference, row: RowState) -> None:
    table, values = reference.table, row["values"]
    now = table.read_row(connection, row["key"], lock=True)[0]
    if values is None or now == values:
        return
    if now is None:
        restore_row(connection, table, row=row)
        return
    lost = {name: values[name] for name in reference.columns}
    if all(now[name] is None for name in reference.columns):
        # Its reference was taken away with the row; all else in it is not ours.
        table.update_row(connection, row["key"], values=lost)
    elif any(now[name] != value for name, value in lost.items()):
        raise ConflictError(f"Somebody has changed {table.describe_row(row['key'])} since.")


def _find_reference(table: UserTable, name: str) -> Reference:
    return next(each for each in table.referred if each.table.name == name)
