"""What is written down about an undo."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from mulligan import Effect, Finding, Mulligan, Severity, State
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record


def etag(text: str) -> str:
    """A version as many servers make it: as long as a secret."""
    return f'"{hashlib.sha256(text.encode()).hexdigest()}"'


def rejects(attempt: object) -> Iterator[Finding]:
    yield Finding(rule="test.rejected", severity=Severity.ERROR, issue="Wrong.")


async def test_a_conflict_names_both_versions_however_long_they_are() -> None:
    page = {"text": "as it was"}

    def read(record: Record) -> dict[str, str]:
        return {"text": page["text"], "etag": etag(page["text"])}

    async with Mulligan("memory:", checks=[rejects], recover=False) as m:

        @m.tool(
            effect=Effect.REVERSIBLE,
            before=read,
            undo=lambda record: page.update(text=record.before["text"]),
            version=lambda record: record.result["etag"],
        )
        async def write(text: str) -> dict[str, str]:
            page["text"] = text
            return {"text": text, "etag": etag(text)}

        async def agent(turn: OpenTurn) -> str:
            await write("ours")
            page["text"] = "theirs"
            return "Written."

        await m.act("Write it", agent)
        [action] = m.insights.open_list.actions()

    assert action.state is State.CONFLICT
    assert action.detail["left_at"] == etag("ours")
    assert action.detail["now_at"] == etag("theirs")
    assert page["text"] == "theirs"
