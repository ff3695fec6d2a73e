"""The catalog in a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from mulligan.core.interfaces import KnownTool


class MemoryCatalog:
    """The tools that were declared, by server and name."""

    def __init__(self) -> None:
        self._tools: dict[tuple[str, str], KnownTool] = {}

    def remember(self, tools: Sequence[KnownTool]) -> Future[None]:
        """Keep what was declared."""
        self._tools.update({(each.server, each.tool): each for each in tools})
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def list_tools(self) -> list[KnownTool]:
        """Every tool ever declared."""
        return [tool for _, tool in sorted(self._tools.items())]
