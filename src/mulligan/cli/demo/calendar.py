"""The calendar as an application sees it: requests over a connection that may break."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from mulligan.cli.demo.server import HOST
from mulligan.testing.remote import Effected, Item, RemoteError


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """Events with versions, in another process."""

    port: int

    async def create(
        self, data: Mapping[str, object], *, id: str, key: str | None = None, by: str = "agent"  # noqa: A002
    ) -> Item:  # fmt: skip
        """Make an event; the same key makes no second one."""
        asked = {"data": data, "id": id, "key": key, "by": by}
        return Item(**await self._ask("create", **asked))

    async def update(
        self, id: str, data: Mapping[str, object], *, if_version: str | None = None,  # noqa: A002
        key: str | None = None, by: str = "agent",
    ) -> Item:  # fmt: skip
        """Replace what an event says, only at the given version if one is given."""
        asked = {"id": id, "data": data, "if_version": if_version, "key": key, "by": by}
        return Item(**await self._ask("update", **asked))

    async def delete(self, id: str, *, if_version: str | None, by: str) -> None:  # noqa: A002
        """Remove an event, only at the given version if one is given."""
        await self._ask("delete", id=id, if_version=if_version, by=by)

    async def get(self, id: str) -> Item | None:  # noqa: A002
        """An event as it is now."""
        found = await self._ask("get", id=id)
        return Item(**found) if found else None

    async def answer_to(self, key: str) -> Item | None:
        """What the request with the given key made, if it ever arrived."""
        found = await self._ask("answer_to", key=key)
        return Item(**found) if found else None

    async def ledger(self) -> list[Effected]:
        """Everything that ever took effect, by the calendar's own account."""
        return [Effected(**line) for line in await self._ask("ledger")]

    async def lose_next_answer(self) -> None:
        """Have the next change take effect, and its answer lost."""
        await self._ask("lose_next_answer")

    async def _ask(self, op: str, **asked: object) -> Any:
        reader, writer = await asyncio.open_connection(HOST, self.port)
        try:
            writer.write(json.dumps({"op": op, **asked}).encode() + b"\n")
            line = await reader.readline()
        finally:
            writer.close()
            with suppress(OSError):  # it was closed at the other end already
                await writer.wait_closed()
        if not line:
            raise ConnectionResetError("the calendar hung up without an answer")
        said = json.loads(line)
        if "error" in said:
            raise RemoteError(said["status"], said["error"])
        return said["answer"]


def in_words(data: Mapping[str, object]) -> str:
    """An event for a person: `Dinner, Fri Nov 20`."""
    return f"{data['title']}, {day_in_words(str(data['day']))}" if data else ""


def day_in_words(day: str) -> str:
    """`2026-11-20` as `Fri Nov 20`."""
    return f"{date.fromisoformat(day):%a %b %d}"
