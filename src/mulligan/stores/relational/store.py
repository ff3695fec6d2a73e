"""What shares the journal's file and its group commit, all but the log; and both as one store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from mulligan.stores.database import Pool
from mulligan.stores.encoding import decode_tool, encode_tool
from mulligan.stores.opening import Options
from mulligan.stores.relational.committer import Commit, GroupCommit, JournalCommitter
from mulligan.stores.relational.failures import CasebookTables
from mulligan.stores.relational.journal import JournalTables
from mulligan.stores.relational.log import LogTables
from mulligan.stores.relational.signing import Adoption, settle_store
from mulligan.stores.relational.task_versions import ArchiveTables
from mulligan.stores.relational.transaction import Transaction
from mulligan.stores.relational.vault import Keyring, Safe, VaultTables, find_key_caveats
from mulligan.stores.relational.writers import DutyTable
from mulligan.stores.watermarks import WatermarkFile
from mulligan.types.interfaces import KnownTool


class CatalogTable:
    """Written in passing, through the journal's group commit."""

    def __init__(self, pool: Pool, *, committer: JournalCommitter) -> None:
        self._pool = pool
        self._committer = committer

    def remember(self, tools: Sequence[KnownTool]) -> Future[None]:
        """Write down what was declared, without waiting for the disk."""
        rows = [
            {"server": each.server, "name": each.tool, "about": encode_tool(each)} for each in tools
        ]

        def write(transaction: Transaction) -> None:
            for row in rows:
                _remember(transaction, row)

        return self._committer.submit(write, synced=False)

    def list_tools(self) -> list[KnownTool]:
        """Every tool ever declared."""
        rows = self._pool.ask(lambda session: session.fetch("tools"))
        return [decode_tool(about) for (about,) in rows]


def _remember(transaction: Transaction, row: Mapping[str, str]) -> None:
    session = transaction.session
    # Most are declared as they were before.
    while not session.fetch("known_tool", **row):
        gone = session.fetch("drop_tool", **row)
        transaction.drop("tool", (seal for (seal,) in gone))
        seal = transaction.sign_row("tool", row["server"], row["name"], row["about"])
        if not session.run("remember_tool", seal=seal, **row):
            # Another writer was quicker; what it has put there is looked at again.
            transaction.drop("tool", [seal])


class JournalDatabase:
    """One writer for everything that must never be lost."""

    def __init__(
        self,
        pool: Pool,
        *,
        options: Options,
        erase: Callable[[], None],
        marks: WatermarkFile | None = None,
        trust_processes: bool = True,
        place: str | None = None,
        group: Callable[[Commit[Any]], GroupCommit[Any]] = GroupCommit,
    ) -> None:
        self.pool = pool
        self._erase = erase
        self.keyring = Keyring(options.seal, place=place)
        self._safe = Safe(options.seal, keyring=self.keyring)
        adoption = Adoption(self.keyring, safe=self._safe, clock=options.clock, marks=marks)
        self._committer = JournalCommitter(
            pool.connect,
            timeout=options.timeout,
            lease=options.lease,
            marks=marks,
            trust_processes=trust_processes,
            begin=adoption.begin,
            group=group,
        )
        self.journal = JournalTables(
            self.pool,
            committer=self._committer,
            safe=self._safe,
            kept_for=options.retention.kept,
            clock=options.clock,
            erase=erase,
            marks=marks,
        )
        self.duties = DutyTable(self.pool, committer=self._committer, writers=self.journal.writers)
        self.catalog = CatalogTable(self.pool, committer=self._committer)
        self.vault = VaultTables(
            self.pool,
            committer=self._committer,
            safe=self._safe,
            clock=options.clock,
            erase=erase,
        )
        self.archive = ArchiveTables(self.pool, committer=self._committer)
        self.casebook = CasebookTables(self.pool, committer=self._committer)

    def check_key(self) -> None:
        """Refuse a key that is not the store's own."""
        self.pool.ask(self._safe.check)

    def sign_store(self) -> None:
        """With a key, have a store that is not signed yet signed, and its values locked."""
        if self.keyring.given is None:
            return
        if self.pool.ask(self.keyring.is_signed):
            if self.pool.ask(self.keyring.may_settle):
                self._committer.submit(partial(settle_store, keyring=self.keyring)).result()
            return
        self._committer.identify_writer()
        # What lay there in plain text is gone from the disk as well.
        self._erase()

    def find_caveats(self) -> Iterator[str]:
        """What the key does not prove, a sentence each."""
        return self.pool.ask(lambda session: iter(list(find_key_caveats(session, self.keyring))))

    def close(self) -> None:
        """Finish what was submitted, then let go of every connection."""
        self._committer.close()
        self.pool.close()

    def reset_after_fork(self) -> None:
        """In a child: be another writer, on other connections."""
        self._committer.reset_after_fork()
        self.pool.reset_after_fork()


class TableStore:
    """The parts of a store over tables, by the names that its users know them by."""

    def __init__(self, database: JournalDatabase, *, log: LogTables) -> None:
        self._database = database
        self.journal = database.journal
        self.vault = database.vault
        self.log = log
        self.catalog = database.catalog
        self.duties = database.duties
        self.archive = database.archive
        self.casebook = database.casebook
