"""What was there before a call is there for a fact, and no judge can talk it away."""

from __future__ import annotations

from datetime import UTC, datetime

from mulligan import Effect, Mulligan
from mulligan.loops.review import Area, Opinion, Remark
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from mulligan.types.finding import Severity
from mulligan_testing.fakes import ScriptedJudge

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
NO_SUCH_ID = Opinion(
    findings=(
        Remark(area=Area.ID, severity=Severity.ERROR, call=1, issue="The id e1 does not exist."),
    ),
    confirmed=False,
)


async def test_an_object_whose_pre_image_was_read_exists_whatever_a_judge_says() -> None:
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
