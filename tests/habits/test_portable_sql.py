"""Our SQL stays what engines take that speak Postgres and spread it over machines."""

from __future__ import annotations

import re
from pathlib import Path

import mulligan

STORES = Path(mulligan.__file__).parent / "stores"

AVOIDED = {
    "triggers": r"create\s+(?:or\s+replace\s+)?trigger",
    "functions in the database": r"create\s+(?:or\s+replace\s+)?(?:function|procedure)|plpgsql",
    "temporary and unlogged tables": r"create\s+(?:temp|temporary|unlogged)\b",
    "physical places of rows": r"\b(?:ctid|xmin|xmax)\b",
    "constraints that are checked at the end": r"\bdeferrable\b",
    "rules and inheritance": r"create\s+rule|\binherits\s*\(",
    "extensions": r"create\s+extension",
    "large objects": r"\blo_(?:create|import|export)\b",
    "locks of the session": r"pg_advisory_lock",
    "locks of the transaction": r"pg_advisory_xact_lock",
    "locks of a table": r"\block\s+table\b",
    "messages": r"\bpg_notify\b|^\s*listen\b",
    "partitions": r"\bpartition\s+(?:by|of)\b|\b(?:at|de)tach\s+partition\b",
    "indexes of blocks": r"using\s+brin\b",
    "rows as a stream": r"^\s*copy\b",
}
FLAGS = re.IGNORECASE | re.MULTILINE
KEPT = {
    "locks of the transaction": {
        "lock_migrations": "Migrate from one process where it does nothing.",
        "lock_counted": "Where it does nothing, two thumbs of one moment may both count.",
    },
    "locks of a table": {
        "lock_writers": "When a store gets its key, or its first signatures: once.",
        "lock_days": "Where it is refused, days are counted without it.",
        "hold_partition": "Elsewhere the log stays one table.",
    },
    "messages": {
        "tell_others": "Everybody looks every two seconds as well.",
        "listen_to_others": "The same.",
    },
    "partitions": {
        "make_partitioned_log": "Elsewhere the log stays one table, row by row.",
        "make_default_partition": "The same.",
        "attach_before": "The same.",
        "attach_partition": "The same.",
    },
    "indexes of blocks": {"index_partition": "The same."},
    "rows as a stream": {"add_rows_by_copy": "Where it is refused, rows are inserted as columns."},
}
"""What is used all the same, by the name of the statement, and what an engine without it costs."""


def list_statements() -> dict[str, str]:
    """Every statement for Postgres by its name, and every file of tables and migrations."""
    schema = STORES / "schema"
    tables = [*schema.glob("*.sql"), *(schema / "postgres").glob("*.sql")]
    found = {each.name: each.read_text() for each in tables}
    for file in (STORES / "sql").glob("*.sql"):
        if file.stem != "sqlite":
            parts = re.split(r"^-- name: (\w+)\n", file.read_text(), flags=re.MULTILINE)
            found |= dict(zip(parts[1::2], parts[2::2], strict=True))
    return found


def test_nothing_is_asked_of_a_database_that_spread_ones_refuse() -> None:
    statements = list_statements()
    used = {
        what: {name for name, sql in statements.items() if re.search(form, sql, FLAGS)}
        for what, form in AVOIDED.items()
    }

    assert len(statements) > 100
    assert {what: names for what, names in used.items() if names} == {
        what: set(kept) for what, kept in KEPT.items()
    }
