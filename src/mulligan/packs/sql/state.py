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
    row = RowState(
        table=table.full_name, key=list(key), values=values, at=at, dependants=[], goes=True
    )
    if deep and values is not None:
        row["dependants"] = _read_dependants(connection, table, values, lock=lock)
    return row


def _read_dependants(
    connection: Connection, table: UserTable, values: Values, *, lock: bool
) -> list[RowState]:
    """Each row once, however many references lead to it: round a circle there is no end."""
    first = _name(table, [values[name] for name in table.key])
    found, gone = dict[str, RowState](), {first}
    queue = [(table, values)]
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
    pairs = [_list_contents(row, version=version) for row in (was, there)]
    return pairs[0] == pairs[1]


def _list_contents(row: RowState, *, version: str | None) -> dict[str, object]:
    contents = dict[str, object]()
    for each in list_all(row):
        own = each["table"] == row["table"] and each["values"] is not None
        left = {n: v for n, v in (each["values"] or {}).items() if not (own and n == version)}
        contents["" if each is row else json.dumps([each["table"], each["key"]])] = left
    return contents


def restore_row(connection: Connection, table: UserTable, *, row: RowState) -> list[Missing]:
    """Make a row what it was, and those that depend on it. The rows that have come back."""
    values, now = row["values"], table.read_row(connection, row["key"], lock=True)[0]
    try:
        if values is None:
            _refuse_referred(connection, table, now)
            table.delete_row(connection, row["key"])
            return []
        return _restore_present(connection, table, row, now)
    except IntegrityError as error:
        raise ConflictError(
            f"What is there now does not go together with {table.describe_row(row['key'])} as it "
            f"was: {type(error.orig).__name__}."
        ) from error


def _restore_present(
    connection: Connection, table: UserTable, row: RowState, now: Values | None
) -> list[Missing]:
    """Rows that are gone first: what has lost its reference refers to one of them."""
    missing, changed = list[Missing](), list[tuple[UserTable, RowState, Values]]()
    for each in list_all(row):
        owner, was = table.related[each["table"]], each["values"]
        there = now if each is row else owner.read_row(connection, each["key"], lock=True)[0]
        if was is not None and there is None:
            if each.get("goes", True):  # else somebody else has deleted it since
                missing.append((owner, was))
        elif was is not None and there is not None and each is not row:
            changed.append((owner, each, there))
    _insert_all(connection, table, missing)
    if now is not None:
        table.update_row(connection, row["key"], values=row["values"] or {})
    for owner, each, there in changed:
        _restore_reference(connection, table.list_references(owner), each, there)
    return missing


Missing = tuple[UserTable, Values]


def _insert_all(connection: Connection, table: UserTable, missing: list[Missing]) -> None:
    """Insert rows that refer to each other, in whichever order they can be."""
    left = _insert_some(connection, missing)
    if not left:
        return
    # They refer to each other in a circle: where it may be empty, it is closed only at the end.
    bare = [(owner, _drop_references(table, owner, values)) for owner, values in left]
    stuck = _insert_some(connection, bare)
    for owner, values in stuck[:1]:
        owner.insert_row(connection, values)  # says why
    for owner, values in left:
        owner.update_row(connection, [values[name] for name in owner.key], values=values)


def _insert_some(connection: Connection, missing: list[Missing]) -> list[Missing]:
    """Insert what can be. What cannot."""
    while missing:
        left = []
        for owner, values in missing:
            try:
                with connection.begin_nested():
                    owner.insert_row(connection, values)
            except IntegrityError:
                left.append((owner, values))
        if len(left) == len(missing):
            break
        missing = left
    return missing


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


def _restore_reference(
    connection: Connection, references: Sequence[Reference], row: RowState, now: Values
) -> None:
    """Put back a reference that was taken away with the row; all else in it is not ours."""
    lost = Values()
    for reference in references:
        for name in reference.columns if reference.on_delete.startswith("SET") else ():
            was = (row["values"] or {})[name]
            if now[name] == was:
                continue
            table = reference.table
            if now[name] is not None and not table.has_default(connection, name, now[name]):
                raise ConflictError(f"Somebody has changed {table.describe_row(row['key'])} since.")
            lost[name] = was
    if lost:
        references[0].table.update_row(connection, row["key"], values=lost)
