"""How each database spells a value so that it comes back exactly, and a row's print."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, inspect, text
from sqlalchemy import types as kinds

from mulligan.runtime.assessment import SELF_CHANGING, normalize_name
from mulligan.types.errors import ConfigurationError

PRINT = "mulligan_print"
"""The function that SQLite, which has no hash of its own, is given."""


class Field(Struct, frozen=True, kw_only=True):
    """A column, as far as reading it and writing it back goes."""

    name: str
    bare: str
    """As written in a statement."""
    quoted: str
    """With its table's name before it."""
    type: str
    """As the database calls it."""
    kind: kinds.TypeEngine[Any]
    generated: bool = False
    """The database computes it: it cannot be written."""
    identity: bool = False
    """The database counts it by itself, and is to be told if another value is written."""
    nullable: bool = True
    default: str | None = None
    """As SQL."""

    @property
    def is_time(self) -> bool:
        """Whether it holds a day or a time."""
        return isinstance(self.kind, kinds.DateTime | kinds.Date | kinds.Time)

    @property
    def is_own_time(self) -> bool:
        """Whether the database may set it to now by itself, by its name or its default."""
        renewed = "ON UPDATE" in str(self.default).upper()
        return self.is_time and (renewed or self.is_stamp)

    @property
    def is_stamp(self) -> bool:
        """Whether its name says that every write changes it, as that of a version does."""
        return normalize_name(self.name) in SELF_CHANGING

    @property
    def is_bytes(self) -> bool:
        """Whether it holds bytes: those of MySQL are of more types than `LargeBinary`."""
        return isinstance(self.kind, kinds._Binary)  # noqa: SLF001 - what all of them derive from

    @property
    def is_number(self) -> bool:
        """Whether a version in it is counted up."""
        return isinstance(self.kind, kinds.Integer)


class TablePlace(NamedTuple):
    """Which table."""

    schema: str | None
    name: str
    quoted: str
    """As written in a `text(…)`."""


class ForeignKey(NamedTuple):
    """A foreign key, as the catalog has it."""

    schema: str | None
    table: str
    """The table whose rows refer to another's."""
    columns: tuple[str, ...]
    to: tuple[str | None, ...]
    """Of the other table; `None` where it is just its key."""
    on_delete: str


class SqlDialect:
    """What is common: values as the driver has them, as SQLite does."""

    locks = ""
    """What a read ends with that keeps others from writing."""
    hides_cascades = False
    """What foreign keys do is nowhere counted."""
    session = "(SELECT foreign_keys FROM pragma_foreign_keys)"
    """How a connection is set, as far as rows depend on it; `0`: no foreign key is enforced."""

    def find_schema(self, connection: Connection, name: str) -> str | None:  # noqa: ARG002
        """Where a table is that is named without a schema, if that may change on the way."""
        return None

    def refuse_table(
        self, connection: Connection, place: TablePlace, fields: Iterable[Field]
    ) -> None:
        """Refuse a table whose rows could not be put back exactly."""

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
        parts = " || ',' || ".join(_quote_column(self.read_column(each)) for each in fields)
        return f"{PRINT}({parts})"

    def read_text(self, field: Field) -> str:
        """A column's value as text."""
        return f"CAST({self.read_column(field)} AS TEXT)"

    def join_texts(self, *parts: str) -> str:
        """Texts one after the other."""
        return " || ".join(parts)

    def describe_parts(self, place: TablePlace) -> str:
        """How a connection is set, how many columns a table has by now, foreign keys that refer to
        it, and triggers."""
        parts = (("'/'", each) for each in (self.session, *self.count_parts(place)))
        return self.join_texts(*[each for pair in parts for each in pair][1:])

    def count_parts(self, place: TablePlace) -> Sequence[str]:
        """How many columns and such there are, each as SQL."""
        fired = f"type = 'trigger' AND tbl_name = {_quote_text(place.name)} COLLATE NOCASE"
        return (
            f"(SELECT count(*) FROM pragma_table_xinfo({_list_given(place)}))",  # noqa: S608
            f"(SELECT count(*) FROM {_join_keys(place)})",  # noqa: S608
            f"(SELECT count(*) FROM {_name_master(place)} WHERE {fired})",  # noqa: S608
        )

    def load_keys(self, connection: Connection, place: TablePlace) -> list[ForeignKey]:
        """The foreign keys that refer to a table. SQLAlchemy does not read all that is written
        beside a column, and only those of one schema."""
        found = connection.execute(
            text(
                'SELECT m.name, f.id, f."from", f."to", f.on_delete '  # noqa: S608
                f"FROM {_join_keys(place)} ORDER BY m.name, f.id, f.seq"
            )
        )
        return _group_keys((place.schema, *row) for row in found)

    def read_replacing(self, connection: Connection, place: TablePlace) -> tuple[bool, bool]:
        """Whether `REPLACE` may take away other rows than that of its key, and also without being
        asked, by how the table was created."""
        found = f"pragma_index_list({_list_given(place)}) WHERE \"unique\" AND origin <> 'pk'"
        unique = connection.execute(text(f"SELECT count(*) FROM {found}")).scalar()  # noqa: S608
        named = f"{_name_master(place)} WHERE name = {_quote_text(place.name)} COLLATE NOCASE"
        created = str(connection.execute(text(f"SELECT sql FROM {named}")).scalar())  # noqa: S608
        always = re.search(r"ON\s+CONFLICT\s+REPLACE", created, re.IGNORECASE)
        return bool(unique), bool(always)

    def load_types(self, connection: Connection, place: TablePlace) -> dict[str, str]:  # noqa: ARG002
        """What the database calls the types of a table's columns, where that is needed."""
        return {}

    def begin_writing(self, connection: Connection) -> None:
        """Keep all others from writing before anything is read."""
        driver: Any = connection.connection.dbapi_connection
        if not getattr(driver, "in_transaction", True):
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    def prepare(self, connection: Connection) -> None:
        """Make sure that a row can be hashed."""
        if PRINT not in connection.info:
            driver: Any = connection.connection.dbapi_connection
            driver.create_function(PRINT, 1, _hash_text, deterministic=True)
            connection.info[PRINT] = True

    def limit_waiting(self, connection: Connection) -> None:
        """Do not wait for another transaction without an end: whoever looks can look again."""


def _quote_column(name: str) -> str:
    """A value with its type; `quote` alone ends at the first NUL of a text."""
    return f"CASE WHEN instr({name}, char(0)) THEN hex({name}) ELSE quote({name}) END"


class ServerDialect(SqlDialect):
    """One that others write to at the same time: rows are locked one by one, and it has a hash."""

    locks = " FOR UPDATE"

    def begin_writing(self, connection: Connection) -> None:
        """Rows are locked as they are read."""

    def prepare(self, connection: Connection) -> None:
        """Nothing is missing."""


class Postgres(ServerDialect):
    """Every type has a text that it is read from again."""

    session = (
        "CASE current_setting('session_replication_role') WHEN 'replica' THEN '0' ELSE '1' END || "
        "CASE WHEN CAST(current_setting('extra_float_digits') AS integer) > 0 THEN '' ELSE '~' END"
    )

    def find_schema(self, connection: Connection, name: str) -> str | None:
        """By the path, as it is now."""
        query = text(
            "SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE c.relname = :name AND relkind <> 'i' AND pg_table_is_visible(c.oid)"
        )
        return connection.execute(query, {"name": name}).scalar()

    def refuse_table(
        self, connection: Connection, place: TablePlace, fields: Iterable[Field]
    ) -> None:
        """Rows of tables that inherit from it, and numbers that are shown rounded."""
        heirs = text(
            "SELECT string_agg(CAST(CAST(c.oid AS regclass) AS text), ', ') FROM pg_inherits "
            "JOIN pg_class c ON c.oid = inhrelid "
            "WHERE inhparent = CAST(:name AS regclass) AND NOT relispartition"
        )
        found = connection.execute(heirs, {"name": place.quoted.replace("\\:", ":")}).scalar()
        if found:
            raise ConfigurationError(
                f"{place.name} has tables that inherit from it ({found}): their rows are seen as "
                "its own, and would come back as such. Declare those tables, and write to them."
            )
        rounded = "~" in str(connection.execute(text(f"SELECT {self.session}")).scalar())
        for field in fields if rounded else ():
            if re.search(r"double|real|point|line|lseg|box|path|polygon|circle", field.type):
                raise ConfigurationError(
                    f"extra_float_digits is 0 or less, so that {place.name}.{field.name} is read "
                    "rounded, and an undo would write it so. Connect with extra_float_digits=1."
                )

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
        exact = "encode(float8send({}), 'hex')"
        parts = ", ".join(
            exact.format(each.quoted)
            if each.type in ("real", "double precision")
            else self.read_column(each)
            for each in fields
        )
        return f"encode(sha256(convert_to(CAST(ROW({parts}) AS text), 'UTF8')), 'hex')"

    def read_text(self, field: Field) -> str:
        """As it is read anyway."""
        return self.read_column(field)

    def count_parts(self, place: TablePlace) -> Sequence[str]:
        """As its catalog has it, also of heirs, triggers and rules."""
        table = f"CAST({_quote_text(place.quoted)} AS regclass)"
        columns = f"attrelid = {table} AND attnum > 0 AND NOT attisdropped"
        heirs = f"(SELECT count(*) FROM pg_inherits WHERE inhparent = {table})"  # noqa: S608
        return (
            f"(SELECT count(*) FROM pg_attribute WHERE {columns}) || '+' || {heirs}",  # noqa: S608
            f"(SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND confrelid = {table})",  # noqa: S608
            f"(SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = {table})",  # noqa: S608
            f"(SELECT count(*) FROM pg_rewrite WHERE ev_class = {table})",  # noqa: S608
        )

    def load_keys(self, connection: Connection, place: TablePlace) -> list[ForeignKey]:
        """Of all schemas; one of a partitioned table only once."""
        names = (
            "ARRAY(SELECT CAST(a.attname AS text) FROM unnest(k.{0}) WITH ORDINALITY u(num, at) "
            "JOIN pg_attribute a ON a.attrelid = k.{1} AND a.attnum = u.num ORDER BY u.at)"
        )
        found = connection.execute(
            text(
                "SELECT CASE WHEN pg_table_is_visible(c.oid) THEN NULL ELSE n.nspname END, "  # noqa: S608
                f"c.relname, {names.format('conkey', 'conrelid')}, "
                f"{names.format('confkey', 'confrelid')}, "
                "CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' "
                "WHEN 'd' THEN 'SET DEFAULT' ELSE '' END "
                "FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid "
                "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE k.contype = 'f' "
                "AND k.conparentid = 0 AND k.confrelid = CAST(:name AS regclass) ORDER BY k.oid"
            ),
            {"name": place.quoted.replace("\\:", ":")},
        )
        return [ForeignKey(s, t, tuple(a), tuple(b), d) for s, t, a, b, d in found]

    def read_replacing(self, *_: object) -> tuple[bool, bool]:
        """It has no `REPLACE`."""
        return False, False

    def load_types(self, connection: Connection, place: TablePlace) -> dict[str, str]:
        """Also of types that SQLAlchemy does not know: domains, enumerations, extensions."""
        rows = connection.execute(
            text(
                "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
                "WHERE attrelid = CAST(:name AS regclass) AND attnum > 0 AND NOT attisdropped"
            ),
            {"name": place.quoted.replace("\\:", ":")},
        )
        return {name: kind.replace(":", "\\:") for name, kind in rows}

    def limit_waiting(self, connection: Connection) -> None:
        """For this transaction alone."""
        connection.exec_driver_sql("SET LOCAL lock_timeout = '5s'")


class MySql(ServerDialect):
    """Text for what has one, bytes for what has none, and a time with a zone as seconds."""

    hides_cascades = True
    session = "@@foreign_key_checks + 0"

    def find_schema(self, connection: Connection, name: str) -> str | None:  # noqa: ARG002
        """The database in use."""
        return connection.execute(text("SELECT DATABASE()")).scalar()

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

    def count_parts(self, place: TablePlace) -> Sequence[str]:
        """As its catalog has it."""
        schema = "DATABASE()" if place.schema is None else _quote_text(place.schema)
        name = _quote_text(place.name)
        where = f"table_schema = {schema} AND table_name = {name}"
        keys = f"referenced_table_schema = {schema} AND referenced_table_name = {name}"
        fired = f"event_object_schema = {schema} AND event_object_table = {name}"
        return (
            f"(SELECT count(*) FROM information_schema.columns WHERE {where})",  # noqa: S608
            f"(SELECT count(*) FROM information_schema.key_column_usage WHERE {keys})",  # noqa: S608
            f"(SELECT count(*) FROM information_schema.triggers WHERE {fired})",  # noqa: S608
        )

    def load_keys(self, connection: Connection, place: TablePlace) -> list[ForeignKey]:
        """Of all schemas."""
        found = connection.execute(
            text(
                "SELECT NULLIF(k.table_schema, DATABASE()), k.table_name, k.constraint_name, "
                "k.column_name, k.referenced_column_name, r.delete_rule "
                "FROM information_schema.key_column_usage k "
                "JOIN information_schema.referential_constraints r "
                "ON r.constraint_schema = k.constraint_schema AND r.table_name = k.table_name "
                "AND r.constraint_name = k.constraint_name "
                "WHERE k.referenced_table_schema = COALESCE(:schema, DATABASE()) "
                "AND k.referenced_table_name = :name "
                "ORDER BY k.table_schema, k.table_name, k.constraint_name, k.ordinal_position"
            ),
            {"schema": place.schema, "name": place.name},
        )
        return _group_keys(found)

    def read_replacing(self, connection: Connection, place: TablePlace) -> tuple[bool, bool]:
        """Any unique index but that of the key."""
        found = inspect(connection).get_indexes(place.name, schema=place.schema)
        return any(each["unique"] for each in found), False


def choose_dialect(name: str) -> SqlDialect:
    """The dialect of a database, by SQLAlchemy's name for it."""
    return {"postgresql": Postgres, "mysql": MySql, "mariadb": MySql}.get(name, SqlDialect)()


def quote_name(name: str) -> str:
    """A name as SQLite reads it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def _name_master(place: TablePlace) -> str:
    return f"{quote_name(place.schema or 'main')}.sqlite_master"


def _list_given(place: TablePlace) -> str:
    named = (place.name, place.schema)
    return ", ".join(_quote_text(part) for part in named if part is not None)


def _join_keys(place: TablePlace) -> str:
    schema, name = _quote_text(place.schema or "main"), _quote_text(place.name)
    keys = f"{_name_master(place)} m, pragma_foreign_key_list(m.name, {schema}) f"
    return f"{keys} WHERE m.type = 'table' AND f.\"table\" = {name} COLLATE NOCASE"


def _group_keys(found: Iterable[Sequence[Any]]) -> list[ForeignKey]:
    """Foreign keys of which every row has a column."""
    keys = []
    for (schema, table, _), rows in groupby(found, key=lambda row: tuple(row[:3])):
        columns, to, deletes = zip(*(row[3:] for row in rows), strict=True)
        keys.append(ForeignKey(schema, table, columns, to, deletes[0]))
    return keys


def _quote_text(value: str) -> str:
    quoted = value.replace("\\:", ":").replace("'", "''")
    return f"'{quoted}'".replace(":", "\\:")


def _hash_text(row: str | None) -> str | None:
    return None if row is None else hashlib.sha256(row.encode(errors="surrogatepass")).hexdigest()
