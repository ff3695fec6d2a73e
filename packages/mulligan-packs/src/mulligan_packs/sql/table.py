"""A table of the user's: its columns, its key, its version, and the references to its rows."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct, field
from sqlalchemy import Connection, inspect, text
from sqlalchemy.sql.compiler import IdentifierPreparer
from sqlalchemy.types import NullType, TypeEngine

from mulligan.types.errors import ConfigurationError
from mulligan_packs.sql.dialects import Field, ForeignKey, SqlDialect, TablePlace, choose_dialect
from mulligan_packs.sql.errors import UndeclaredWriteError

Values = dict[str, Any]
"""Values by column, in the form in which the database gives them back exactly."""

ABSENT = "absent"
"""The version of a row that is not there."""
NONE = "none"
"""The version of a row that has none."""


class OutdatedTableError(UndeclaredWriteError):
    """A table has got a column, or lost one, since it was described."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} is not what it was when its rows were read: it has other columns, triggers or "
            "foreign keys, or this connection enforces foreign keys otherwise. Set all connections "
            "of the engine alike, and make the call again."
        )


class UserTable(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """One table, and the statements that read and restore its rows."""

    name: str
    schema: str | None
    home: str | None
    """The schema that it is in, where that is not said but found."""
    quoted: str
    fields: Mapping[str, Field]
    key: tuple[str, ...]
    version: str | None
    dialect: SqlDialect
    parts: str
    """How its connection is set, how many columns it has, and foreign keys that refer to it:
    another count, another table."""
    replaceable: tuple[bool, bool]
    """Whether `REPLACE` may take away other rows than that of its key, and also unasked."""
    referred: list[Reference] = field(default_factory=list)
    """Tables whose rows refer to its rows; it may be one of them itself."""

    @property
    def place(self) -> TablePlace:
        """Where the catalog has it."""
        return TablePlace(self.home, self.name, self.quoted)

    @property
    def full_name(self) -> str:
        """With its schema, where that is not the usual one."""
        return f"{self.schema}.{self.name}" if self.schema else self.name

    @property
    def acting(self) -> list[Reference]:
        """Foreign keys by which rows go, or lose their reference, with its rows."""
        return [reference for reference in self.referred if reference.acts]

    @property
    def triggered(self) -> bool:
        """Whether it has triggers or rules, where they are counted."""
        return any(count != "0" for count in self.parts.split("/")[3:])

    @property
    def enforced(self) -> bool:
        """Whether the database does what foreign keys say."""
        return not self.parts.startswith("0")

    @cached_property
    def related(self) -> dict[str, UserTable]:
        """It, and all tables whose rows refer to it, also through others."""
        found = {self.full_name: self}
        for table in (queue := [self]):
            for reference in table.referred:
                if reference.table.full_name not in found:
                    found[reference.table.full_name] = reference.table
                    queue.append(reference.table)
        return found

    def list_references(self, owner: UserTable) -> list[Reference]:
        """The foreign keys of one of them that refer to another."""
        return [
            reference
            for table in self.related.values()
            for reference in table.referred
            if reference.table is owner
        ]

    @cached_property
    def print(self) -> str:
        """What tells two states of a row apart: all of it, with its version before that.

        A version alone would not do: an edit by hand may leave it as it is.
        """
        whole = self.dialect.hash_row(list(self.fields.values()))
        if self.version is None or self.fields[self.version].is_time:
            return whole
        # Compared in the tool's own statement, where nothing equals NULL.
        version = f"COALESCE({self.dialect.read_text(self.fields[self.version])}, '{NONE}')"
        return self.dialect.join_texts(version, "':'", whole)

    @cached_property
    def where(self) -> str:
        """A row by its key."""
        return " AND ".join(
            self.match(name, f"mulligan_key_{at}") for at, name in enumerate(self.key)
        )

    def match(self, name: str, parameter: str) -> str:
        """A column that has a value."""
        field = self.fields[name]
        return f"{field.quoted} = {self.dialect.write_value(field, parameter)}"

    def bind_key(self, key: Sequence[object]) -> Values:
        """The parameters of `where`."""
        return {
            f"mulligan_key_{at}": self.dialect.as_raw(from_plain(value))
            for at, value in enumerate(key)
        }

    @cached_property
    def columns(self) -> str:
        """All columns, each in its exact form, then how many parts it has by now, and the print."""
        read = [self.dialect.read_column(field) for field in self.fields.values()]
        return ", ".join([*read, self.dialect.describe_parts(self.place), self.print])

    def read_row(
        self, connection: Connection, key: Sequence[object], *, lock: bool = False
    ) -> tuple[Values | None, str]:
        """A row by its key, and its version."""
        tail = self.dialect.locks if lock else ""
        query = text(f"SELECT {self.columns} FROM {self.quoted} WHERE {self.where}{tail}")  # noqa: S608
        found = connection.execute(query, self.bind_key(key)).first()
        if found is None:
            return None, ABSENT
        if found[-2] != self.parts:
            raise OutdatedTableError(self.name)
        values = map(to_plain, found[:-2])
        return dict(zip(self.fields, values, strict=True)), str(found[-1])

    def read_print(self, connection: Connection, key: Sequence[object], *, lock: bool) -> str:
        """The version of a row."""
        tail = self.dialect.locks if lock else ""
        query = text(f"SELECT {self.print} FROM {self.quoted} WHERE {self.where}{tail}")  # noqa: S608
        found = connection.execute(query, self.bind_key(key)).first()
        return ABSENT if found is None else str(found[0])

    def find_key(
        self, connection: Connection, key: Sequence[object], values: Values | None = None
    ) -> list[Any]:
        """A key as the row itself has it, which a call may have spelled otherwise."""
        if values is not None:
            return [values[name] for name in self.key]
        found = self.list_keys(connection, self.where, values=self.bind_key(key))
        return found[0] if found else list(key)

    def list_keys(
        self, connection: Connection, where: str, *, values: Values, lock: bool = False
    ) -> list[list[Any]]:
        """The keys of the rows that a condition holds for, in their order."""
        tail = self.dialect.locks if lock else ""
        read = ", ".join(self.dialect.read_column(self.fields[name]) for name in self.key)
        order = ", ".join(self.fields[name].quoted for name in self.key)
        query = text(f"SELECT {read} FROM {self.quoted} WHERE {where} ORDER BY {order}{tail}")  # noqa: S608
        bound = {name: from_plain(value) for name, value in values.items()}
        keys = [list(map(to_plain, row)) for row in connection.execute(query, bound)]
        if any(None in key for key in keys):
            raise ConfigurationError(
                f"Rows of {self.name} have NULL in their key, so that nothing tells them apart. "
                f"Give each a key: {', '.join(self.key)} NOT NULL."
            )
        return keys

    def insert_row(self, connection: Connection, values: Values) -> None:
        """Bring a row back, with its very key."""
        given = [f for f in self.fields.values() if not f.generated and f.name in values]
        names = ", ".join(field.bare for field in given)
        placed = ", ".join(self.dialect.write_value(f, f"v{at}") for at, f in enumerate(given))
        by_us = " OVERRIDING SYSTEM VALUE" if any(field.identity for field in given) else ""
        connection.execute(
            text(f"INSERT INTO {self.quoted} ({names}){by_us} VALUES ({placed})"),  # noqa: S608
            {f"v{at}": from_plain(values[field.name]) for at, field in enumerate(given)},
        )

    def update_row(
        self, connection: Connection, key: Sequence[object], *, values: Values, renew: bool = True
    ) -> None:
        """Put values back into a row. `renew`: under a new version, as it is a write of its own."""
        given = [f for f in self.fields.values() if self._is_restored(f) and f.name in values]
        placed = [
            f"{field.bare} = {self.dialect.write_value(field, f'v{at}')}"
            for at, field in enumerate(given)
        ]
        bound = {f"v{at}": from_plain(values[field.name]) for at, field in enumerate(given)}
        placed += self._renew_version(bound) if renew else ()
        if not placed:
            return  # all of it is its key
        connection.execute(
            text(f"UPDATE {self.quoted} SET {', '.join(placed)} WHERE {self.where}"),  # noqa: S608
            {**self.bind_key(key), **bound},
        )

    def has_default(self, connection: Connection, name: str, value: object) -> bool:
        """Whether a value is what the database puts where nothing is said."""
        default = self.fields[name].default
        if default is None:
            return False
        return str(connection.execute(text(f"SELECT {default}")).scalar()) == str(value)

    def delete_row(self, connection: Connection, key: Sequence[object]) -> None:
        """Take a row away."""
        query = text(f"DELETE FROM {self.quoted} WHERE {self.where}")  # noqa: S608
        connection.execute(query, self.bind_key(key))

    def describe_row(self, key: Sequence[object]) -> str:
        """A row as people name it: `task 7`."""
        return f"{self.name} {', '.join(map(str, key))}"

    def _is_restored(self, field: Field) -> bool:
        fixed = field.generated or field.identity or field.name in self.key
        return not fixed and field.name != self.version

    def _renew_version(self, bound: Values) -> Iterator[str]:
        """An undo is a write: a reader of the undone value must see another version."""
        if self.version is None:
            return
        field = self.fields[self.version]
        if field.is_number:
            yield f"{field.bare} = {field.quoted} + 1"
        elif field.is_time:
            yield f"{field.bare} = CURRENT_TIMESTAMP"
        else:
            bound["fresh"] = str(uuid.uuid4())
            yield f"{field.bare} = {self.dialect.write_value(field, 'fresh')}"


class Reference(Struct, frozen=True, kw_only=True):
    """A foreign key of another table that refers to this one."""

    table: UserTable
    columns: tuple[str, ...]
    """Of the other table."""
    to: tuple[str, ...]
    """Of this one."""
    on_delete: str
    """What the database does to such rows: `CASCADE`, `SET NULL`, or it refuses."""

    @property
    def acts(self) -> bool:
        """Whether the database changes or deletes such rows by itself."""
        return self.on_delete == "CASCADE" or bool(self.lost)

    @property
    def lost(self) -> tuple[str, ...]:
        """The columns that the database makes empty, or what they are by default."""
        return self.columns if self.on_delete in ("SET NULL", "SET DEFAULT") else ()

    def list_rows(self, connection: Connection, values: Values, *, lock: bool) -> list[list[Any]]:
        """The keys of the rows that refer to a row."""
        bound = {f"to_{at}": values[name] for at, name in enumerate(self.to)}
        pairs = enumerate(self.columns)
        where = " AND ".join(self.table.match(name, f"to_{at}") for at, name in pairs)
        return self.table.list_keys(connection, where, values=bound, lock=lock)


def name_row(table: str, key: Sequence[object]) -> str:
    """A row as programs name it, whoever spells its table how, and before any is read."""
    # Postgres writes bytes so, where others give them as they are.
    spelled = [f"\\x{each['hex']}" if isinstance(each, dict) else str(each) for each in key]
    return f"{table.rpartition('.')[2].casefold()}:{json.dumps(spelled)}"


def load_table(connection: Connection, name: str, *, version: str | None = None) -> UserTable:
    """A table as the database describes it, with those that refer to it."""
    schema, _, bare = name.rpartition(".")
    return _follow(connection, (schema or None, bare), version=version, loaded={})


def _follow(
    connection: Connection,
    named: tuple[str | None, str],
    *,
    version: str | None,
    loaded: dict[tuple[str | None, str], UserTable],
) -> UserTable:
    if named not in loaded:
        table = loaded[named] = _load_columns(connection, *named, version=version)
        for key in table.dialect.load_keys(connection, table.place):
            owner = _follow(connection, (key.schema, key.table), version=None, loaded=loaded)
            table.referred.append(_build_reference(table, owner, key))
    return loaded[named]


def _build_reference(table: UserTable, owner: UserTable, key: ForeignKey) -> Reference:
    named = [there or table.key[at] for at, there in enumerate(key.to)]
    return Reference(
        table=owner,
        columns=tuple(_find_name(owner, name) for name in key.columns),
        to=tuple(_find_name(table, name) for name in named),
        on_delete=key.on_delete.upper(),
    )


def _find_name(table: UserTable, name: str) -> str:
    """A column as the table spells it, which the foreign key need not."""
    same = (each for each in table.fields if each.casefold() == name.casefold())
    return name if name in table.fields else next(same)


def _load_columns(
    connection: Connection, schema: str | None, name: str, *, version: str | None
) -> UserTable:
    dialect = choose_dialect(connection.dialect.name)
    prepare = connection.dialect.identifier_preparer
    looking = inspect(connection)
    if not looking.has_table(name, schema=schema):
        raise ConfigurationError(f"The database has no table {name!r}.")
    home = schema or dialect.find_schema(connection, name)
    quoted = ".".join(_quote(prepare, part) for part in (home, name) if part is not None)
    place = TablePlace(home, name, quoted)
    types = dialect.load_types(connection, place)
    fields = {
        column["name"]: Field(
            name=column["name"],
            bare=_quote(prepare, column["name"]),
            quoted=f"{quoted}.{_quote(prepare, column['name'])}",
            type=types.get(column["name"]) or _name_type(connection, column["type"]),
            kind=column["type"],
            generated="computed" in column,
            identity=bool(column.get("identity", {}).get("always")),
            nullable=column["nullable"],
            default=column.get("default"),
        )
        for column in looking.get_columns(name, schema=schema)
    }
    key = tuple(looking.get_pk_constraint(name, schema=schema)["constrained_columns"])
    if not key:
        raise ConfigurationError(
            f"{name} has no primary key, so that nothing tells its rows apart. Give it one; of a "
            "view, declare the table behind it."
        )
    if version is not None and version not in fields:
        raise ConfigurationError(f"{name} has no column {version!r}. It has: {', '.join(fields)}.")
    dialect.refuse_table(connection, place, fields.values())
    return UserTable(
        name=name,
        schema=schema,
        home=home,
        quoted=quoted,
        fields=fields,
        key=key,
        version=version,
        dialect=dialect,
        parts=str(connection.execute(text(f"SELECT {dialect.describe_parts(place)}")).scalar()),
        replaceable=dialect.read_replacing(connection, place),
    )


def _name_type(connection: Connection, kind: TypeEngine[Any]) -> str:
    """A type as the database calls it; a column of SQLite's may have none."""
    return "" if isinstance(kind, NullType) else str(kind.compile(connection.dialect))


def _quote(prepare: IdentifierPreparer, name: str) -> str:
    """A name as written in a `text(…)`, which has signs of its own, and doubles them itself."""
    quoted = prepare.quote(name)
    if quoted.count("%") > name.count("%"):
        quoted = quoted.replace("%%", "%")
    return quoted.replace(":", "\\:")


def to_plain(value: object) -> object:
    """A value as any vault keeps it: bytes are no JSON."""
    return {"hex": bytes(value).hex()} if isinstance(value, bytes | memoryview) else value


def from_plain(value: Any) -> Any:
    """The value again."""
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) and "hex" in value else value
