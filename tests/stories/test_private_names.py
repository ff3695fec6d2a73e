"""Names and keys that hold what nobody thought of: they do what they are for, and are not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from mulligan import Effect, Mulligan
from mulligan.cli.main import main
from mulligan.core.event import AttemptReviewed, Event
from mulligan.core.finding import Finding, Severity
from mulligan.core.record import Record

KEY = "order of bob@example.org"


def reject(_: object) -> list[Finding]:
    return [Finding(rule="test.wrong", severity=Severity.ERROR, issue="It is wrong.")]


async def test_a_key_of_the_agents_own_is_a_hash_in_the_journal_and_itself_to_an_undo(
    tmp_path: Path,
) -> None:
    keys: list[str] = []
    paid: dict[str, int] = {}
    events: list[Event] = []
    m = Mulligan(f"sqlite:///{tmp_path}/keys.db", checks=[reject])
    m.subscribe(events.append)

    def take_back(record: Record) -> None:
        keys.append(record.key)
        paid.clear()

    @m.tool(effect=Effect.REVERSIBLE, key="key", undo=take_back, read=lambda _: paid.get(KEY))
    async def pay(amount: int, key: str | None = None) -> int:
        paid[KEY] = amount
        return amount

    async def agent(_: object) -> str:
        await pay(5, key=KEY)
        action = m.insights.open_list.actions()[-1]
        taken_up = m._parts.toolbox.take_up(action, m._parts.store.vault)
        assert action.opening.key is not None
        assert action.opening.key.startswith("<str 24 #")
        assert taken_up is not None
        keys.append(taken_up.record.key)
        return "Paid."

    async with m:
        await m.act("Pay.", agent, agent="bot of bob@example.org", tenant="eve@example.org")
        m.flush()

    assert set(keys) == {KEY}
    assert len(keys) > 1
    assert any(isinstance(event, AttemptReviewed) for event in events)
    assert "@example.org" not in str(events)


async def test_what_a_tool_was_declared_with_shows_no_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/tools.db"
    async with Mulligan(url) as m:

        @m.tool(effect=Effect.READ, server="https://bob:hunter2@pay.example/mcp?token=abc")
        async def look(limit: int = 3, api_key: str = "sk_live_abcdefghijklmnop") -> int:
            return limit

        with m.turn("Look."):
            assert await look() == 3

    main(["doctor", "--store", url, "--json"])

    shown = capsys.readouterr().out
    assert "https://<credentials>@pay.example/mcp?<query>" in shown
    assert "hunter2" not in shown
    assert "sk_live" not in shown
    assert "token=abc" not in shown
