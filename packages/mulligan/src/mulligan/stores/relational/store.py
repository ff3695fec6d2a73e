"""A store over tables: what shares the journal's file and its group commit, and the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from msgspec.structs import asdict

from mulligan.stores.database import Pool
from mulligan.stores.encoding import decode_tool, encode_tool
from mulligan.stores.opening import Options
from mulligan.stores.relational.committer import Commit, GroupCommit, JournalCommitter
from mulligan.stores.relational.failures import FailureTables
from mulligan.stores.relational.journal import JournalTables, LeaderLockTable
from mulligan.stores.relational.log import LogTables
from mulligan.stores.relational.signing import Adoption
from mulligan.stores.relational.task_versions import TaskVersionTables
from mulligan.stores.relational.transaction import Transaction
from mulligan.stores.relational.vault import Keyring, Safe, VaultTables, find_key_caveats
from mulligan.stores.watermarks import WatermarkFile
from mulligan.types.errors import StoreDamagedError
from mulligan.types.finding import Waiver, read_waivers
from mulligan.types.interfaces import KnownTool

OPERATOR = "(operator)"
"""The server in whose rows it stands how far an operator lets tools go."""
WAIVERS = "(waivers)"
"""The same for what people say of rules."""


class CatalogTable:
    """Written in passing, through the journal's group commit."""

    def __init__(self, pool: Pool, *, committer: JournalCommitter) -> None:
        self._pool = pool
        self._committer = committer

    def remember(self, tools: Sequence[KnownTool]) -> Future[None]:
        """Record declarations without waiting for the disk."""
        rows = [
            {"server": each.server, "name": each.tool, "about": encode_tool(each)} for each in tools
        ]

        def write(transaction: Transaction) -> None:
            session = transaction.session
            for row in rows:
                # Most are declared as they were before.
                while not session.fetch("known_tool", **row):
                    gone = session.fetch("drop_tool", **row)
                    transaction.drop("tool", (seal for (seal,) in gone))
                    seal = transaction.sign_row("tool", *row.values())
                    if not session.run("remember_tool", seal=seal, **row):
                        # Another writer was first; its row is read again.
                        transaction.drop("tool", [seal])

        return self._committer.submit(write, synced=False)

    def list_tools(self) -> list[KnownTool]:
        """Every tool ever declared."""
        rows = self._pool.fetch("tools", operator=OPERATOR, waivers=WAIVERS)
        return [decode_tool(about) for (about,) in rows]

    def limit(self, tool: str, mode: str) -> Future[None]:
        """Record how far an operator lets a tool go."""
        said = KnownTool(server=OPERATOR, tool=tool, effect="", repeat="", mode=mode)
        return self.remember([said])

    def list_limits(self) -> dict[str, str]:
        """What an operator has set, and none of the declarations."""
        return {said.tool: said.mode for said in self._list_said(OPERATOR)}

    def waive(self, waiver: Waiver) -> Future[None]:
        """Record what a person says of a rule."""
        about = {name: str(value) for name, value in asdict(waiver).items() if value}
        named = "\n".join((waiver.rule, waiver.tool, waiver.agent))
        said = KnownTool(server=WAIVERS, tool=named, effect="", repeat="", mode="", kinds=about)
        return self.remember([said])

    def list_waivers(self) -> list[Waiver]:
        """What people have said of rules."""
        return list(read_waivers([said.kinds for said in self._list_said(WAIVERS)]))

    def _list_said(self, operator: str) -> list[KnownTool]:
        rows = self._pool.fetch("limits", operator=operator)
        return [decode_tool(about) for (about,) in rows]


ENTRIES_CHECKED = 20_000
"""How many of the newest entries are verified at an opening, about 0.1 s; `verify` takes all."""


class TableStore:
    """The parts of a store over tables: one writer for all that must never be lost, and the log."""

    def __init__(
        self,
        pool: Pool,
        *,
        log: LogTables,
        options: Options,
        erase: Callable[[], None] = lambda: None,
        marks: WatermarkFile | None = None,
        trust_processes: bool = True,
        place: str | None = None,
        group: Callable[[Commit[Any]], GroupCommit[Any]] = GroupCommit,
    ) -> None:
        self._pool = pool
        self.parts: tuple[Pool, ...] = (pool,)
        """What lies apart has a pool of its own."""
        self.log = log
        self._options = options
        self._erase = erase
        self._keyring = Keyring(options.seal, place=place)
        self._safe = Safe(options.seal, keyring=self._keyring)
        adoption = Adoption(self._keyring, safe=self._safe, clock=options.clock, marks=marks)
        self._committer = committer = JournalCommitter(
            pool.connect,
            timeout=options.timeout,
            lease=options.lease,
            marks=marks,
            trust_processes=trust_processes,
            begin=adoption.begin,
            group=group,
        )
        self.journal = JournalTables(
            pool,
            committer=committer,
            safe=self._safe,
            kept_for=options.retention.kept,
            clock=options.clock,
            erase=erase,
            marks=marks,
        )
        self.leader_locks = LeaderLockTable(pool, committer=committer, writers=self.journal.writers)
        self.catalog = CatalogTable(pool, committer=committer)
        self.vault = VaultTables(
            pool, committer=committer, safe=self._safe, clock=options.clock, erase=erase
        )
        self.task_versions = TaskVersionTables(pool, committer=committer)
        self.failures = FailureTables(pool, committer=committer)

    def close(self) -> None:
        """Finish submitted work and release every connection. Idempotent."""
        self._committer.close()
        self._pool.close()
        self.log.close()

    def set_marks(self) -> None:
        """Have what lies beside its files say how far each writer of the journal got."""
        self.journal.set_marks()

    def reset_after_fork(self) -> None:
        """In a child: be another writer, on other connections."""
        self._committer.reset_after_fork()
        self._pool.reset_after_fork()
        self.log.reset_after_fork()

    def _check_key(self) -> None:
        """Refuse a key that is not the store's own."""
        # In a damaged store, the proof of the key may be damaged too.
        with suppress(*((StoreDamagedError,) if self._options.tolerate_damage else ())):
            self._pool.read(self._safe.check)

    def _sign(self) -> None:
        """With a key, have a store that is not signed yet signed, and its values locked."""
        if self._keyring.given is not None and not self._pool.read(self._keyring.is_signed):
            self._committer.identify_writer()
            # The plain text is erased from the disk as well.
            self._erase()

    def _find_key_caveats(self) -> list[str]:
        """What the key does not prove, a sentence each."""
        return self._pool.read(lambda session: list(find_key_caveats(session, self._keyring)))
