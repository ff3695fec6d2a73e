"""What shares the journal's file and its group commit, all but the log; and both as one store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from mulligan.stores.database.driver import Session
from mulligan.stores.database.pool import Pool
from mulligan.stores.disk.mark import MarkFile
from mulligan.stores.options import Options
from mulligan.stores.relational.archive import ArchiveTables
from mulligan.stores.relational.casebook import CasebookTables
from mulligan.stores.relational.catalog import CatalogTable
from mulligan.stores.relational.duties import DutyTable
from mulligan.stores.relational.journal import JournalTables
from mulligan.stores.relational.log import LogTables
from mulligan.stores.relational.signing.adoption import Adoption, settle_store
from mulligan.stores.relational.signing.keyring import Keyring, find_key_caveats
from mulligan.stores.relational.signing.safe import Safe
from mulligan.stores.relational.vault import VaultTables
from mulligan.stores.relational.writing.ledger import Ledger


class Truth:
    """One writer for everything that must never be lost."""

    def __init__(
        self,
        connect: Callable[[], Session],
        *,
        options: Options,
        erase: Callable[[], None],
        marks: MarkFile | None = None,
        trust_processes: bool = True,
        place: str | None = None,
    ) -> None:
        self.pool = Pool(connect)
        self._erase = erase
        self.keyring = Keyring(options.seal, place=place)
        self._safe = Safe(options.seal, keyring=self.keyring)
        adoption = Adoption(self.keyring, safe=self._safe, clock=options.clock, marks=marks)
        self._ledger = Ledger(
            connect,
            timeout=options.timeout,
            lease=options.lease,
            marks=marks,
            trust_processes=trust_processes,
            begin=adoption.begin,
        )
        self.journal = JournalTables(
            self.pool,
            ledger=self._ledger,
            safe=self._safe,
            kept_for=options.retention.kept,
            clock=options.clock,
            erase=erase,
            marks=marks,
        )
        self.duties = DutyTable(self.pool, ledger=self._ledger, writers=self.journal.writers)
        self.catalog = CatalogTable(self.pool, ledger=self._ledger)
        self.vault = VaultTables(
            self.pool,
            ledger=self._ledger,
            safe=self._safe,
            clock=options.clock,
            erase=erase,
        )
        self.archive = ArchiveTables(self.pool, ledger=self._ledger)
        self.casebook = CasebookTables(self.pool, ledger=self._ledger)

    def check_key(self) -> None:
        """Refuse a key that is not the store's own."""
        self.pool.ask(self._safe.check)

    def sign_store(self) -> None:
        """With a key, have a store that is not signed yet signed, and its values locked."""
        if self.keyring.given is None:
            return
        if self.pool.ask(self.keyring.is_signed):
            if self.pool.ask(self.keyring.may_settle):
                self._ledger.submit(partial(settle_store, keyring=self.keyring)).result()
            return
        self._ledger.identify_writer()
        # What lay there in plain text is gone from the disk as well.
        self._erase()

    def find_caveats(self) -> Iterator[str]:
        """What the key does not prove, a sentence each."""
        return self.pool.ask(lambda session: iter(list(find_key_caveats(session, self.keyring))))

    def close(self) -> None:
        """Finish what was submitted, then let go of every connection."""
        self._ledger.close()
        self.pool.close()

    def reset_after_fork(self) -> None:
        """In a child: be another writer, on other connections."""
        self._ledger.reset_after_fork()
        self.pool.reset_after_fork()


class TableStore:
    """The parts of a store over tables, by the names that its users know them by."""

    _truth: Truth
    _log: LogTables

    @property
    def journal(self) -> JournalTables:
        """The truth about effects."""
        return self._truth.journal

    @property
    def vault(self) -> VaultTables:
        """Raw values that expire."""
        return self._truth.vault

    @property
    def log(self) -> LogTables:
        """Telemetry about every call."""
        return self._log

    @property
    def catalog(self) -> CatalogTable:
        """The tools that were declared."""
        return self._truth.catalog

    @property
    def duties(self) -> DutyTable:
        """What is to be done once for all processes."""
        return self._truth.duties

    @property
    def archive(self) -> ArchiveTables:
        """What was learned about tasks."""
        return self._truth.archive

    @property
    def casebook(self) -> CasebookTables:
        """How failures ended, and the lessons drawn from them."""
        return self._truth.casebook
