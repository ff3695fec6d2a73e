"""Numbered, forward-only migrations, each in one transaction together with its number.

Killed at any statement, a migration has not happened; two at once take turns, and the second
finds the work done.

A file that begins with `-- expand` only adds: programs that know all up to the one before go on
beside it. One that begins with `-- contract: 18` takes away what programs that know schema 18 use
no more: it waits until every other has ended. Any other is for when all programs are stopped.
Tables that all databases have alike are in a file of their own: `-- tables: journal` names it.
"""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from importlib.resources import files

from msgspec import Struct

from mulligan.stores.database import Session
from mulligan.stores.dialects import POSTGRES, SQLITE
from mulligan.types.errors import SchemaTooNewError, SchemaTooOldError, StoreError

_EXPAND = "-- expand"
_CONTRACT = re.compile(r"-- contract: (\d+)$", re.MULTILINE)
_TABLES = re.compile(r"^-- tables: (\w+)$", re.MULTILINE)
_STATEMENT_END = re.compile(r";\s*(?:\n|$)")
_MOST_NAMED = 5
_report = logging.getLogger("mulligan")


class Migration(Struct, frozen=True, kw_only=True):
    """One step of a schema."""

    number: int
    statements: tuple[str, ...]
    needs: int
    """The oldest schema a program may know to keep running after this step."""
    waits: bool = False
    """It can be left for later, until every program that knows less has ended."""


class DatabaseSchema(ABC):
    """The schema of one database, as far as migrating it goes."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @abstractmethod
    def read_version(self) -> int:
        """The number of its last migration; 0 when it is empty."""

    @abstractmethod
    def set_version(self, migration: Migration) -> None:
        """Write its number down, in the same transaction."""

    def read_needs(self) -> int:
        """The oldest schema a program may know to use it; by default its own."""
        return self.read_version()

    def lock(self) -> AbstractContextManager[None]:
        """A transaction that only one migrator can be in."""
        return self.session.begin_transaction()

    def execute(self, sql: str) -> object:
        """Run one statement."""
        return self.session.execute(sql)

    def list_earlier(self, known: int) -> list[str]:  # noqa: ARG002 - of who shares a database
        """The running processes of earlier versions, as an operator can find them."""
        return []


@cache
def load_migrations(part: str) -> tuple[Migration, ...]:
    """The migrations of a part, such as `sqlite/log`, in order."""
    dialect = {"sqlite": SQLITE, "postgres": POSTGRES}[part.partition("/")[0]]
    folder = files("mulligan.stores").joinpath("schema", *part.split("/"))
    migrations: list[Migration] = []
    for name, text in sorted((file.name, file.read_text("utf-8")) for file in folder.iterdir()):
        before = migrations[-1].needs if migrations else 0
        text = _TABLES.sub(lambda found: dialect.read_tables(found[1]), text)
        migrations.append(_read_migration(int(name[:4]), text, needs_before=before))
    return tuple(migrations)


def _read_migration(number: int, text: str, *, needs_before: int) -> Migration:
    lines = (line for line in text.splitlines() if not line.startswith("--"))
    parts = _STATEMENT_END.split("\n".join(lines))
    statements = tuple(part.strip() for part in parts if part.strip())
    contract = _CONTRACT.match(text)
    if contract:
        return Migration(number=number, statements=statements, needs=int(contract[1]), waits=True)
    needs = needs_before if text.startswith(_EXPAND) else number
    return Migration(number=number, statements=statements, needs=needs)


def find_latest_version(part: str) -> int:
    """The schema this Mulligan writes."""
    return load_migrations(part)[-1].number


def check_version(
    part: str, schema: DatabaseSchema, *, store: str, url: str, migrate: bool
) -> None:
    """Refuse a schema from the future that is too much for us, and one from the past.

    That one unless we may migrate it. `store` is what has the schema, `url` what `mulligan
    migrate` is to be told.
    """
    found, known = schema.read_version(), find_latest_version(part)
    oldest = load_migrations(part)[0].number
    if 0 < found < oldest:
        raise StoreError(
            f"{store} has schema {found}, from before the first release: Mulligan migrates what "
            f"has schema {oldest} or a later one. Name another place for the store, to start anew."
        )
    if found > known and schema.read_needs() > known:
        raise SchemaTooNewError(store=store, found=found, known=known)
    missing = [each for each in load_migrations(part) if each.number > found]
    if not migrate and not all(each.waits for each in missing):
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
            earlier = schema.list_earlier(migration.needs) if migration.waits else []
            if earlier:
                _leave_for_later(part, migration, earlier)
                break
            for statement in migration.statements:
                watch(statement)
                schema.execute(statement)
            watch("set version")
            schema.set_version(migration)
            watch("commit")
        done += 1
    return done


def _leave_for_later(part: str, migration: Migration, earlier: list[str]) -> None:
    """Say which processes a step waits for; an error where a later step is needed."""
    said = (
        f"Step {migration.number} of the schema takes away what {len(earlier)} processes of an "
        f"earlier version still use ({', '.join(earlier[:_MOST_NAMED])}), and waits for them."
    )
    after = [each for each in load_migrations(part) if each.number > migration.number]
    if not all(each.waits for each in after):
        raise StoreError(f"{said} This version needs what comes after it: stop them first.")
    _report.info("%s", said)
