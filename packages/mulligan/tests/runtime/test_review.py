"""What reviews find: counted, written down, and not to be talked away."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mulligan import Effect, Mulligan, State
from mulligan.insights.insights import Insights
from mulligan.loops.actions import Attempted
from mulligan.loops.review import Area, Opinion, Remark
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.payloads import Rejection
from mulligan.runtime.review import WORST_FIRST
from mulligan.settings import Settings
from mulligan.types.call import Record
from mulligan.types.finding import Finding, FindingCount, Severity, Standing, Verdict
from mulligan_testing.fakes import ScriptedJudge


def test_a_rejection_outweighs_all_else() -> None:
    assert min(Standing, key=WORST_FIRST.index) is Standing.REJECTED
    assert set(WORST_FIRST) == set(Standing)


def test_a_rejection_names_what_was_wrong_and_no_warning() -> None:
    wrong = Finding(rule="a.b", severity=Severity.ERROR, issue="It was wrong.")
    doubt = Finding(rule="c.d", severity=Severity.WARNING, issue="Hm.")

    verdict = Verdict(standing=Standing.REJECTED, confidence=None, findings=(wrong, doubt))

    said = Rejection(verdict.errors)

    assert "It was wrong." in said.found
    assert "Hm." not in said.found


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


NO_SUCH_ID = Opinion(
    findings=(
        Remark(area=Area.ID, severity=Severity.ERROR, call=1, issue="The id e1 does not exist."),
    ),
    confirmed=False,
)


async def test_an_object_whose_snapshot_was_read_exists_whatever_a_judge_says() -> None:
    events = {"e1": "Monday", "e2": "Monday"}
    judge = ScriptedJudge([NO_SUCH_ID])
    async with Mulligan("memory:", judge=judge, recover=False) as m:

        def before(record: Record) -> str:
            return events[record.arguments["moves"]["event_id"]]

        @m.tool(effect=Effect.REVERSIBLE, before=before, undo=print, each="moves")
        async def move(moves: list[dict[str, str]]) -> list[str]:
            for each in moves:
                events[each["event_id"]] = each["day"]
            return [each["day"] for each in moves]

        async def agent(turn: OpenTurn) -> str:
            await move([{"event_id": name, "day": "Friday"} for name in events])
            return "Moved."

        done = await m.act("Move everything to Friday", agent, now=NOW)

    assert (len(done.attempts), done.findings) == (1, ())
    assert events == {"e1": "Friday", "e2": "Friday"}
    assert (
        "fact 2]\nThere was an object with the id 'e2' before the call." in judge.prompts[0].message
    )


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
