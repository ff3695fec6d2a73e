"""A store in a Postgres database."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

from mulligan.core.display.escape import quote_name
from mulligan.core.errors import HiddenSecretError, StoreDamagedError
from mulligan.core.interfaces import Health
from mulligan.core.storage.sharing import Vacuumed
from mulligan.stores.database.driver import Session
from mulligan.stores.database.pool import Pool
from mulligan.stores.options import Options
from mulligan.stores.postgres.listening import NewsListener
from mulligan.stores.postgres.partitions import LogPartitions
from mulligan.stores.postgres.roles import RoleTable, Surface
from mulligan.stores.postgres.schema import prepare
from mulligan.stores.postgres.session import PostgresSession, as_postgres
from mulligan.stores.postgres.vacuum import vacuum_tables
from mulligan.stores.process.fork import renew_after_fork
from mulligan.stores.process.presence import find_presence_caveats
from mulligan.stores.relational.audit.audit import refuse_damages
from mulligan.stores.relational.log import LogTables
from mulligan.stores.relational.truth import TableStore, Truth
from mulligan.stores.url import strip_credentials

T = TypeVar("T")

_ENTRIES_CHECKED = 20_000
"""How many of the newest entries are verified at an opening with a key; `verify` takes all."""

_SEES_ONE_TENANT = (
    "This role sees one tenant's rows, so whether the journal is whole was not checked, what was "
    "packed away is left out, and no name is looked up: `mulligan doctor` under a role that sees "
    "all checks it."
)


class PostgresStore(TableStore):
    """Everything in the schema `mulligan`. The server keeps its own log; no file is ours."""

    def __init__(self, url: str, options: Options) -> None:
        self._url = url
        self._options = options
        self._surface: Surface | None = None
        self._pool = Pool(self._connect)
        # A process that hangs on this machine is no better than one that hangs elsewhere, and
        # whoever comes back after its lease is told so before it acts.
        self._truth = Truth(
            self._connect, options=options, erase=_skip_erasing, trust_processes=False
        )
        self._partitions = LogPartitions()
        self._log = LogTables(
            self._pool, erasing=self._pool.acquire_session, partitions=self._partitions
        )
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise
        renew_after_fork(self)

    def load_secret(self) -> bytes:
        """32 random bytes, made once and the same ever after."""
        if self._surface is Surface.TENANT:
            raise HiddenSecretError(
                "A role that sees one tenant's rows may not read what names are hashed with: give "
                "the identity as it is shown, such as acme~ and its digits, and no name."
            )
        return self._pool.ask(_read_secret)

    def change_access(self, work: Callable[[RoleTable], T]) -> T:
        """Look at which roles see what, or change it."""
        with self._pool.acquire_session() as session:
            return work(RoleTable(as_postgres(session)))

    def check_health(self, *, thorough: bool = True) -> Health:
        """Look at everything, or else at what takes as long however much there is."""
        [(version,)] = self._pool.ask(lambda session: session.fetch("version"))
        [(schema,)] = self._pool.ask(lambda session: session.fetch("schema_version"))
        [(size,)] = self._pool.ask(lambda session: session.fetch("size"))
        return Health(
            url=strip_credentials(self._url),
            kind="postgres",
            version=version,
            schemas={"journal": schema, "log": schema},
            rows=self._log.count() if thorough else None,
            open_actions=self.journal.count_open(),
            size_bytes=size,
            problems=tuple(self._find_problems()) if thorough else (),
            caveats=tuple(self._find_caveats()),
            writers=self.journal.writers.list_lately(),
        )

    def _find_caveats(self) -> Iterator[str]:
        yield from find_presence_caveats(self._options.lease)
        yield from self._truth.find_caveats()
        if not self._truth.keyring.whole:
            yield _SEES_ONE_TENANT

    def _find_problems(self) -> Iterator[str]:
        with self._pool.acquire_session() as session:
            planted = session.fetch("planted")
        for kind, name, table in planted:
            yield (
                f"The table mulligan.{table} has a {kind}, {quote_name(name)}, that Mulligan did "
                "not make: it is run with what is written there. See whose it is, and remove it "
                f"(`drop {kind}`)."
            )
        yield from (damage.what for damage in self.journal.verify())
        yield from self.vault.find_problems()
        yield from self.casebook.find_problems()

    def listen(self, on_news: Callable[[], None]) -> Callable[[], None]:
        """Call `on_news` when another process has decided something, or has left its work."""
        return NewsListener(self._connect, on_news).close

    def vacuum(self, *, most_bytes: int | None) -> Vacuumed:
        """Write tables anew, so that no piece of what was deleted is left in them."""
        with self._pool.acquire_session() as session:
            return vacuum_tables(
                as_postgres(session), most_bytes=most_bytes, also=self._partitions.mixed
            )

    def close(self) -> None:
        """Finish what was submitted and let go of every connection. Twice is fine."""
        self._truth.close()
        self._pool.close()

    def reset_after_fork(self) -> None:
        """In a child: be another writer, on other connections."""
        self._truth.reset_after_fork()
        self._pool.reset_after_fork()
        self._log.reset_after_fork()

    def _connect(self) -> PostgresSession:
        return PostgresSession(self._url, timeout=self._options.timeout)

    def _prepare(self) -> None:
        with self._pool.acquire_session() as session:
            prepare(
                as_postgres(session),
                store=strip_credentials(self._url),
                migrate=self._options.migrate,
                row_security=self._options.row_security,
            )
            if self._options.migrate:
                self._partitions.make_ahead(as_postgres(session))
            self._surface = RoleTable(as_postgres(session)).find_own()
        if self._surface is Surface.TENANT:
            # Without what all tenants share there is neither a key nor a chain to check.
            self._truth.keyring.whole = False
            return
        # Whoever looks at a damaged store may find the proof of the key damaged as well.
        with suppress(*((StoreDamagedError,) if self._options.tolerate_damage else ())):
            self._truth.check_key()
        if self._options.tolerate_damage:
            return
        if self._truth.keyring.given is not None:
            # A server keeps its own files whole: without a key there is nothing to look for.
            found = self.journal.look(budget=_ENTRIES_CHECKED)
            refuse_damages(found, store=strip_credentials(self._url))
        if self._options.migrate:
            self._truth.sign_store()


def _read_secret(session: Session) -> bytes:
    found = session.fetch("secret")
    if not found:
        # Whoever comes first makes it; everyone reads what is there then.
        session.run("make_secret", value=secrets.token_bytes(32))
        found = session.fetch("secret")
    return bytes(found[0][0])


def _skip_erasing() -> None:
    """No file is ours to truncate; `vacuum` sees to the tables."""
