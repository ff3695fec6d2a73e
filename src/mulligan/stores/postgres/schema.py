"""The schema of a Postgres database: its migrations, and the table that counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mulligan.core.errors import StoreError
from mulligan.stores.migrate import Migration, bring_up_to_date, check_version
from mulligan.stores.postgres.partitioning import check_bound, limit_log, skip_samples, split_log
from mulligan.stores.postgres.roles import RoleTable
from mulligan.stores.postgres.session import PART, PostgresSession

_LOCK = 0x4D756C6C
"""The advisory lock of whoever migrates."""
_CALLED: dict[str, Callable[[PostgresSession], None]] = {
    "call limit_log": limit_log,
    "call check_bound": check_bound,
    "call split_log": split_log,
    "call skip_samples": skip_samples,
}
"""Statements that are others on another server, or on another day."""


class PostgresSchema:
    """A database's schema: what ran stands in the table `migration`."""

    def __init__(self, session: PostgresSession) -> None:
        self.session = session

    def read_version(self) -> int:
        """The number of its last migration; 0 when it is empty."""
        [(table,)] = self.session.fetch("migration_table")
        return int(self.session.fetch("schema_version")[0][0]) if table else 0

    def read_needs(self) -> int:
        """The schema that a program has to know at least to use it."""
        if not self.session.fetch("needs_column"):
            # Only ever migrated by programs that asked for their own schema and no other.
            return self.read_version()
        return int(self.session.fetch("schema_needs")[0][0])

    @contextmanager
    def lock(self) -> Iterator[None]:
        """A transaction that only one migrator can be in."""
        with self.session.begin_transaction():
            self.session.fetch("lock_migrations", lock=_LOCK)
            # Asked first: who may not create a schema may still use one that is there.
            if not self.session.fetch("schema")[0][0]:
                self.session.run("make_schema")
            self.session.run("make_migration_table")
            if not self.session.fetch("needs_column"):
                self.session.run("add_needs_column")
            yield

    def execute(self, sql: str) -> object:
        """Run one statement."""
        called = _CALLED.get(sql)
        return self.session.execute(sql) if called is None else called(self.session)

    def list_earlier(self, known: int) -> list[str]:
        """The processes at work whose programs know less, as a person may look for them."""
        found = self.session.fetch("earlier_programs", known=known)
        return [f"pid {pid} on {machine}" for pid, machine in found]

    def set_version(self, migration: Migration) -> None:
        """Write its number down, in the same transaction."""
        self.session.run("add_migration", number=migration.number, needs=migration.needs)
        access = RoleTable(self.session)
        if access.is_on():
            # In the same transaction: no table of ours is ever there without its policies.
            access.enable()


def prepare(
    session: PostgresSession, *, store: str, migrate: bool, row_security: bool = False
) -> None:
    """Create or migrate the schema, or refuse it in one sentence and leave it as it is."""
    schema = PostgresSchema(session)
    check_version(PART, schema, store=store, url=store, migrate=migrate)
    if migrate:
        bring_up_to_date(schema, PART)
    if row_security:
        _require_row_security(RoleTable(session), store=store, migrate=migrate)


def _require_row_security(access: RoleTable, *, store: str, migrate: bool) -> None:
    """Turn row security on where we may, else refuse a store without it."""
    if access.is_on() and not access.find_uncovered():
        return
    if not migrate:
        raise StoreError(
            f"{store} has tables without row security, which the setting row_security asks for: "
            f"run `mulligan migrate --store {store}` once with it set, as who owns the tables."
        )
    access.enable()
