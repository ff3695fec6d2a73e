"""Numbered, forward-only migrations, each in one transaction together with its number.

Killed at any statement, a migration has not happened; two at once take turns, and the second
finds the work done.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Protocol

from mulligan.core.errors import SchemaTooNewError, SchemaTooOldError
from mulligan.stores.driver import Session
from mulligan.stores.relational.blocks import mark_old_blocks
from mulligan.stores.relational.rollups import roll_up_old_days
from mulligan.stores.relational.text_hours import roll_up_old_texts

_STATEMENT_END = re.compile(r";\s*(?:\n|$)")
_CALLED: dict[str, Callable[[Session], None]] = {
    "call roll_up_old_texts": roll_up_old_texts,
    "call mark_old_blocks": mark_old_blocks,
    "call roll_up_old_days": roll_up_old_days,
}
"""Statements that no SQL can say: what is packed has to be unpacked first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of a schema."""

    number: int
    statements: tuple[str, ...]


class DatabaseSchema(Protocol):
    """The schema of one database, as far as migrating it goes."""

    @property
    def session(self) -> Session:
        """The connection that migrates it."""

    def read_version(self) -> int:
        """The number of its last migration; 0 when it is empty."""

    def lock(self) -> AbstractContextManager[None]:
        """A transaction that only one migrator can be in."""

    def execute(self, sql: str) -> object:
        """Run one statement."""

    def set_version(self, number: int) -> None:
        """Write the number down, in the same transaction."""


@cache
def load_migrations(part: str) -> tuple[Migration, ...]:
    """The migrations of a part, such as `sqlite/log`, in order."""
    folder = files("mulligan.stores").joinpath("schema", *part.split("/"))
    steps = sorted((file.name, file.read_text("utf-8")) for file in folder.iterdir())
    return tuple(
        Migration(number=int(name[:4]), statements=_split_statements(text)) for name, text in steps
    )


def find_latest_version(part: str) -> int:
    """The schema this Mulligan writes."""
    return load_migrations(part)[-1].number


def check_version(part: str, *, store: str, url: str, found: int, migrate: bool) -> None:
    """Refuse a schema from the future always, and one from the past unless we may migrate it.

    `store` is what has the schema, `url` what `mulligan migrate` is to be told.
    """
    known = find_latest_version(part)
    if found > known:
        raise SchemaTooNewError(store=store, found=found, known=known)
    if found < known and not migrate:
        raise SchemaTooOldError(store=url, found=found, known=known)


def bring_up_to_date(
    schema: DatabaseSchema, part: str, *, watch: Callable[[str], None] = lambda _statement: None
) -> int:
    """Run what is missing. Returns how many migrations that was; `watch` sees each statement."""
    done = 0
    for migration in load_migrations(part):
        if schema.read_version() >= migration.number:
            continue
        with schema.lock():
            # Another migrator may have been faster while we waited for the lock.
            if schema.read_version() >= migration.number:
                continue
            for statement in migration.statements:
                watch(statement)
                called = _CALLED.get(statement)
                if called is None:
                    schema.execute(statement)
                else:
                    called(schema.session)
            watch("set version")
            schema.set_version(migration.number)
            watch("commit")
        done += 1
    return done


def _split_statements(text: str) -> tuple[str, ...]:
    lines = (line for line in text.splitlines() if not line.startswith("--"))
    parts = _STATEMENT_END.split("\n".join(lines))
    return tuple(part.strip() for part in parts if part.strip())
