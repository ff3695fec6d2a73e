"""Rows of any SQL database as tools that can be undone: `@m.tool(**sql.update(engine, …))`."""

from importlib.util import find_spec

from mulligan.types.errors import MissingExtraError

if find_spec("sqlalchemy") is None:
    raise MissingExtraError(need="The SQL pack", extra="sql")

from mulligan_packs.sql.errors import (
    NoTransactionError,
    OutdatedRowError,
    SqlPackError,
    UndeclaredWriteError,
    VoidCallError,
)
from mulligan_packs.sql.listening import join
from mulligan_packs.sql.marks import create_marks, create_marks_async, prune_marks
from mulligan_packs.sql.tools import TableTools, delete, insert, rows, update

__all__ = [
    "NoTransactionError",
    "OutdatedRowError",
    "SqlPackError",
    "TableTools",
    "UndeclaredWriteError",
    "VoidCallError",
    "create_marks",
    "create_marks_async",
    "delete",
    "insert",
    "join",
    "prune_marks",
    "rows",
    "update",
]
