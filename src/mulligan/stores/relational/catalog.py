"""The catalog over a table: what applications have declared their tools to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future

from mulligan.core.interfaces import KnownTool
from mulligan.stores.columns.encoding import decode_tool, encode_tool
from mulligan.stores.database.pool import Pool
from mulligan.stores.relational.writing.ledger import Ledger
from mulligan.stores.relational.writing.transaction import Transaction


class CatalogTable:
    """Written in passing, through the journal's group commit."""

    def __init__(self, pool: Pool, *, ledger: Ledger) -> None:
        self._pool = pool
        self._ledger = ledger

    def remember(self, tools: Sequence[KnownTool]) -> Future[None]:
        """Write down what was declared, without waiting for the disk."""
        rows = [
            {"server": each.server, "name": each.tool, "about": encode_tool(each)} for each in tools
        ]

        def write(transaction: Transaction) -> None:
            for row in rows:
                _remember(transaction, row)

        return self._ledger.submit(write, synced=False)

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
