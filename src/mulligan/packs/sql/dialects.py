"""How each database spells a value so that it comes back exactly, and a row's print."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy import types as kinds

from mulligan.core.runtime.dataclass import dataclass

PRINT = "mulligan_print"
"""The function that SQLite, which has no hash of its own, is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column, as far as reading it and writing it back goes."""

    name: str
    bare: str
    """As it stands where it is written."""
    quoted: str
    """With its table's name before it."""
    type: str
    """As the database calls it."""
    kind: kinds.TypeEngine[Any]
    generated: bool = False
    """The database computes it: it cannot be written."""
    identity: bool = False
    """The database counts it by itself, and is to be told if another value is written."""

    @property
    def is_time(self) -> bool:
        """Whether it holds a day or a time, as a trigger may set with every write."""
        return isinstance(self.kind, kinds.DateTime | kinds.Date | kinds.Time)

    @property
    def is_bytes(self) -> bool:
        """Whether it holds bytes: those of MySQL are of more types than `LargeBinary`."""
        return isinstance(self.kind, kinds._Binary)  # noqa: SLF001 - what all of them derive from

    @property
    def is_number(self) -> bool:
        """Whether a version in it is counted up."""
        return isinstance(self.kind, kinds.Integer)


class Dialect:
    """What is common: values as the driver has them, as SQLite does."""

    locks = ""
    """What a read ends with that keeps others from writing."""

    def read_column(self, field: Field) -> str:
        """A column's value in a form that says all of it."""
        return field.quoted

    def write_value(self, field: Field, parameter: str) -> str:  # noqa: ARG002
        """That form as a value of the column."""
        return f":{parameter}"

    def as_raw(self, value: object) -> object:
        """A key as a tool is given it, in the form in which it is read."""
        if isinstance(value, uuid.UUID):
            return value.hex
        return value if isinstance(value, int | float | str | bytes | None) else str(value)

    def hash_row(self, fields: Sequence[Field]) -> str:
        """A print of the whole row."""
        parts = " || ',' || ".join(f"quote({self.read_column(each)})" for each in fields)
        return f"{PRINT}({parts})"

    def read_text(self, field: Field) -> str:
        """A column's value as text."""
        return f"CAST({self.read_column(field)} AS TEXT)"

    def join_texts(self, *parts: str) -> str:
        """Texts one after the other."""
        return " || ".join(parts)

    def count_columns(self, name: str, *, schema: str | None, quoted: str) -> str:  # noqa: ARG002
        """How many columns a table has by now, as part of a statement that reads its rows."""
        given = ", ".join(_quote_text(part) for part in (name, schema) if part is not None)
        return f"(SELECT count(*) FROM pragma_table_xinfo({given}))"  # noqa: S608

    def load_types(self, connection: Connection, table: str) -> dict[str, str]:  # noqa: ARG002
        """What the database calls the types of a table's columns, where that is needed."""
        return {}

    def begin_writing(self, connection: Connection) -> None:
        """Keep all others from writing before anything is read."""
        driver: Any = connection.connection.dbapi_connection
        if not getattr(driver, "in_transaction", True):
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    def prepare(self, connection: Connection) -> None:
        """Make sure that a row can be hashed."""
        driver: Any = connection.connection.dbapi_connection
        driver.create_function(PRINT, 1, _hash_text, deterministic=True)

    def limit_waiting(self, connection: Connection) -> None:
        """Do not wait for another transaction without an end: whoever looks can look again."""


class Postgres(Dialect):
    """Every type has a text that it is read from again."""

    locks = " FOR UPDATE"

    def read_column(self, field: Field) -> str:
        """A time with a zone as UTC, whatever the session shows."""
        if getattr(field.kind, "timezone", False) and isinstance(field.kind, kinds.DateTime):
            at_utc = f"CAST({field.quoted} AT TIME ZONE 'UTC' AS text)"
            plain = f"CAST({field.quoted} AS text)"
            return f"CASE WHEN isfinite({field.quoted}) THEN {at_utc} || '+00' ELSE {plain} END"
        return f"CAST({field.quoted} AS text)"

    def write_value(self, field: Field, parameter: str) -> str:
        """Text first, so that no driver asks for a type of its own."""
        return f"CAST(CAST(:{parameter} AS text) AS {field.type})"

    def as_raw(self, value: object) -> object:
        """All keys are text."""
        if isinstance(value, bytes):
            return f"\\x{value.hex()}"
        return None if value is None else str(value)

    def hash_row(self, fields: Sequence[Field]) -> str:
        """A row's text has its quotes and its nulls."""
        parts = ", ".join(self.read_column(each) for each in fields)
        return f"encode(sha256(convert_to(CAST(ROW({parts}) AS text), 'UTF8')), 'hex')"

    def read_text(self, field: Field) -> str:
        """As it is read anyway."""
        return self.read_column(field)

    def count_columns(self, name: str, *, schema: str | None, quoted: str) -> str:  # noqa: ARG002
        """As its catalog has it."""
        return (
            f"(SELECT count(*) FROM pg_attribute WHERE attrelid = CAST({_quote_text(quoted)} AS "  # noqa: S608
            "regclass) AND attnum > 0 AND NOT attisdropped)"
        )

    def load_types(self, connection: Connection, table: str) -> dict[str, str]:
        """Also of types that SQLAlchemy does not know: domains, enumerations, extensions."""
        rows = connection.execute(
            text(
                "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
                "WHERE attrelid = CAST(:name AS regclass) AND attnum > 0 AND NOT attisdropped"
            ),
            {"name": table},
        )
        return {name: kind.replace(":", "\\:") for name, kind in rows}

    def begin_writing(self, connection: Connection) -> None:
        """Rows are locked one by one."""

    def prepare(self, connection: Connection) -> None:
        """It has a hash."""

    def limit_waiting(self, connection: Connection) -> None:
        """For this transaction alone."""
        connection.exec_driver_sql("SET LOCAL lock_timeout = '5s'")


class MySql(Dialect):
    """Text for what has one, bytes for what has none, and a time with a zone as seconds."""

    locks = " FOR UPDATE"

    def read_column(self, field: Field) -> str:
        """A `FLOAT` is shown rounded, so it is read as a `DOUBLE`."""
        if field.is_bytes or isinstance(field.kind, kinds.Float) or field.type.startswith("BIT"):
            return (
                f"CAST({field.quoted} AS DOUBLE)" if "FLOAT" in field.type.upper() else field.quoted
            )
        if field.type.upper().startswith("TIMESTAMP"):
            return f"CAST(UNIX_TIMESTAMP({field.quoted}) AS CHAR)"
        return f"CAST({field.quoted} AS CHAR)"

    def write_value(self, field: Field, parameter: str) -> str:
        """Only seconds need to be told what they are."""
        if field.type.upper().startswith("TIMESTAMP"):
            return f"FROM_UNIXTIME(:{parameter})"
        return f":{parameter}"

    def hash_row(self, fields: Sequence[Field]) -> str:
        """In hexadecimal no value runs into the next."""
        parts = (f"IFNULL(HEX({self.read_text(each)}), '-')" for each in fields)
        return f"SHA2(CONCAT_WS(',', {', '.join(parts)}), 256)"

    def read_text(self, field: Field) -> str:
        """Bytes are text enough to be hashed."""
        return field.quoted if field.is_bytes else f"CAST({self.read_column(field)} AS CHAR)"

    def join_texts(self, *parts: str) -> str:
        """`||` is an `OR` here."""
        return f"CONCAT({', '.join(parts)})"

    def count_columns(self, name: str, *, schema: str | None, quoted: str) -> str:  # noqa: ARG002
        """As its catalog has it."""
        place = "DATABASE()" if schema is None else _quote_text(schema)
        return (
            f"(SELECT count(*) FROM information_schema.columns WHERE table_schema = {place} "  # noqa: S608
            f"AND table_name = {_quote_text(name)})"
        )

    def begin_writing(self, connection: Connection) -> None:
        """Rows are locked one by one."""

    def prepare(self, connection: Connection) -> None:
        """It has a hash."""


def choose_dialect(name: str) -> Dialect:
    """The dialect of a database, by SQLAlchemy's name for it."""
    return {"postgresql": Postgres, "mysql": MySql, "mariadb": MySql}.get(name, Dialect)()


def _quote_text(value: str) -> str:
    quoted = value.replace("\\:", ":").replace("'", "''")
    return f"'{quoted}'".replace(":", "\\:")


def _hash_text(row: str | None) -> str | None:
    return None if row is None else hashlib.sha256(row.encode(errors="surrogatepass")).hexdigest()
