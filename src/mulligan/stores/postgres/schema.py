"""The schema of a Postgres database: its migrations, and the table that counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mulligan.stores.migrate import bring_up_to_date, check_version
from mulligan.stores.postgres.partitioning import check_bound, limit_log, split_log
from mulligan.stores.postgres.session import PostgresSession

PART = "postgres"
_LOCK = 0x4D756C6C
"""The advisory lock of whoever migrates."""
_CALLED: dict[str, Callable[[PostgresSession], None]] = {
    "call limit_log": limit_log,
    "call check_bound": check_bound,
    "call split_log": split_log,
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

    @contextmanager
    def lock(self) -> Iterator[None]:
        """A transaction that only one migrator can be in."""
        with self.session.begin_transaction():
            self.session.fetch("lock_migrations", lock=_LOCK)
            # Asked first: who may not create a schema may still use one that is there.
            if not self.session.fetch("schema")[0][0]:
                self.session.run("make_schema")
            self.session.run("make_migration_table")
            yield

    def execute(self, sql: str) -> object:
        """Run one statement."""
        called = _CALLED.get(sql)
        return self.session.execute(sql) if called is None else called(self.session)

    def set_version(self, number: int) -> None:
        """Write the number down, in the same transaction."""
        self.session.run("add_migration", number=number)


def prepare(session: PostgresSession, *, store: str, migrate: bool) -> None:
    """Create or migrate the schema, or refuse it in one sentence and leave it as it is."""
    schema = PostgresSchema(session)
    check_version(PART, store=store, url=store, found=schema.read_version(), migrate=migrate)
    if migrate:
        bring_up_to_date(schema, PART)
