"""What reviews find is counted by rule, tool and agent, and is there for whoever asks later."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mulligan import Effect, Mulligan
from mulligan.insights.insights import Insights
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.settings import Settings
from mulligan.types.finding import Finding, FindingCount, Severity
from mulligan_testing.fakes import ScriptedJudge

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def hasty(attempted: Attempted) -> Iterator[Finding]:
    """Warns of every call, and is content with the rest."""
    for execution in attempted.executions:
        yield Finding(
            rule="process.hasty",
            severity=Severity.WARNING,
            issue="Nobody looked first.",
            call=execution.call.id,
        )


async def write_twice(m: Mulligan, *, agent: str) -> None:
    @m.tool(effect=Effect.REVERSIBLE, read=lambda record: None, undo=print, server="notes")
    async def write(text: str) -> str:
        return text

    async def writer(turn: OpenTurn) -> str:
        await write("milk")
        await write("tea")
        return "Written."

    await m.act("Write milk and tea", writer, now=NOW, agent=agent)


def counted(rule: str, count: int, *, agent: str) -> FindingCount:
    return FindingCount(
        rule=rule, severity=Severity.WARNING, server="notes", tool="write", agent=agent, count=count
    )


async def test_warnings_undo_nothing_and_are_counted_for_good(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/notes.db"
    async with Mulligan(store, checks=[hasty], recover=False) as m:
        for agent in ("planner", "planner", "writer"):
            await write_twice(m, agent=agent)

    with Insights.open(Settings(store=store)) as insights:
        found = insights.figures(DAY).findings

    assert found == (
        counted("process.hasty", 4, agent="planner"),
        counted("process.hasty", 2, agent="writer"),
    )


async def test_an_attempt_that_is_reviewed_again_counts_once() -> None:
    judge = ScriptedJudge([None, None])
    async with Mulligan("memory:", checks=[hasty], judge=judge, recover=False) as m:
        await write_twice(m, agent="planner")
        await m.recover()
        m.flush()

        found = m.insights.figures(DAY).findings

    assert len(judge.questions) == 2
    assert found == (counted("process.hasty", 2, agent="planner"),)
