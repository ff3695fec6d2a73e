"""The catalog over a table: what applications have declared their tools to be."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from mulligan.core.interfaces import KnownTool
from mulligan.stores.encoding import decode_tool, encode_tool
from mulligan.stores.pool import Pool
from mulligan.stores.relational.ledger import Ledger, Transaction


class CatalogTable:
    """Written in passing, through the journal's group commit."""

    def __init__(self, pool: Pool, *, ledger: Ledger) -> None:
        self._pool = pool
        self._ledger = ledger

    def remember(self, tools: Sequence[KnownTool]) -> Future[None]:
        """Write down what was declared, without waiting for the disk."""
        rows = [(each.server, each.tool, encode_tool(each)) for each in tools]

        def write(transaction: Transaction) -> None:
            for server, name, about in rows:
                transaction.session.run("remember_tool", server=server, name=name, about=about)

        return self._ledger.submit(write, synced=False)

    def list_tools(self) -> list[KnownTool]:
        """Every tool ever declared."""
        rows = self._pool.ask(lambda session: session.fetch("tools"))
        return [decode_tool(about) for (about,) in rows]
