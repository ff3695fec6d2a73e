"""Names and keys that hold what nobody thought of: they do what they are for, and are not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from mulligan import Effect, Mulligan
from mulligan.cli.main import main
from mulligan.types.events import AttemptReviewed, Happened
from mulligan.types.finding import Finding, Severity

KEY = "order of bob@example.org"


def reject(_: object) -> list[Finding]:
    return [Finding(rule="test.wrong", severity=Severity.ERROR, issue="It is wrong.")]


async def test_names_of_agents_and_tenants_show_nobody_in_events(tmp_path: Path) -> None:
    events: list[Happened] = []
    m = Mulligan(f"sqlite:///{tmp_path}/names.db", checks=[reject])
    m.subscribe(events.append)
    paid: dict[str, int] = {}

    @m.tool(effect=Effect.REVERSIBLE, undo=lambda _: paid.clear(), read=lambda _: paid.get("x"))
    async def pay(amount: int) -> int:
        paid["x"] = amount
        return amount

    async def agent(_: object) -> str:
        await pay(5)
        return "Paid."

    async with m:
        await m.act("Pay.", agent, agent="bot of bob@example.org", tenant="eve@example.org")
        m.flush()

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
