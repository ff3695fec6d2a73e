from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from mulligan import Effect, Mulligan, Severity
from mulligan.judge import NOT_SCRUBBED, ScrubbedJudge, scrub_question
from mulligan.loops.review import Area, Opinion, Remark
from mulligan.redaction.scrub import number_ids
from mulligan.runtime.context import OpenTurn
from mulligan.types.display import Ours, Question, StandIns
from mulligan_testing.fakes import ScriptedJudge

KEY = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e"
ASKED = Question(
    prompt="review_actions",
    values={"message": Ours(f"With {KEY}")},
    untrusted={"result": f"key {KEY}"},
    answer=Opinion,
    purpose="test",
)


def hide(text: str, _: StandIns) -> str:
    return text.replace(KEY, "<hidden>")


async def test_an_application_asks_its_own_judge_without_secrets_in_message_error_and_known() -> (
    None
):
    judge = ScriptedJudge(lambda _: Opinion(findings=(), confirmed=True))
    with Mulligan("memory:", judge=judge) as m:

        @m.tool(effect=Effect.READ)
        def look() -> str:
            raise ValueError(f"no access with {KEY}")

        @m.tool(effect=Effect.REVERSIBLE, undo=lambda _: None, read=lambda _: None)
        def write() -> str:
            return "ok"

        async def agent(turn: object) -> str:
            try:
                look()
            except ValueError:
                write()
            return "Done."

        about = {"now": datetime(2026, 11, 15, tzinfo=UTC), "timezone": "Europe/Berlin"}
        known = {"home": f"12 Elm St, {KEY}"}
        await m.act(f"Go home with {KEY}", agent, known=known, **about)

    asked = str([(each.values, each.untrusted) for each in judge.questions])
    assert judge.questions
    assert "no access with" in asked
    assert "12 Elm St" in asked
    assert KEY not in asked


RIGHT, WRONG = "g7k2m9x4q1p8w3z6a5s0d9f8", "9f8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d"


async def move(to: str, judge: ScriptedJudge) -> list[str]:
    """Have an event moved that was found before, and what the agent is told of it."""
    told, moved = list[str](), list[str]()
    with Mulligan("memory:", judge=judge) as m:

        @m.tool(effect=Effect.READ)
        def find() -> list[dict[str, str]]:
            return [{"id": RIGHT, "title": "Dinner"}, {"id": WRONG, "title": "Lunch"}]

        @m.tool(effect=Effect.REVERSIBLE, before=lambda _: [*moved], undo=lambda _: moved.clear())
        def move_event(event_id: str) -> dict[str, str]:
            moved.append(event_id)
            return {"moved": event_id, "note": f"event:\n{event_id}"}

        async def agent(turn: OpenTurn) -> str:
            told.extend([turn.correction.text] if turn.correction else [])
            find()
            move_event(to)
            return "Moved."

        await m.act(f"Move dinner ({RIGHT}), not lunch", agent)
    return told


@pytest.mark.full
@pytest.mark.parametrize(("moved", "seen"), [(RIGHT, "<token 1>"), (WRONG, "<token 2>")])
async def test_a_judge_can_tell_the_right_id_from_the_wrong_one_without_reading_either(
    moved: str, seen: str
) -> None:
    judge = ScriptedJudge(lambda _: Opinion(findings=(), confirmed=True))

    await move(moved, judge)

    asked, prompt = judge.questions[0], judge.prompts[0].message
    assert asked.values["message"] == "Move dinner (<token 1>), not lunch"
    assert f'"event_id": "{seen}"' in asked.values["calls"]
    assert '"id": "<token 1>", "title": "Dinner"' in asked.untrusted["result of call 1"]
    assert '"id": "<token 2>", "title": "Lunch"' in asked.untrusted["result of call 1"]
    assert asked.untrusted["result of call 2"].count(seen) == 2
    assert RIGHT not in prompt
    assert WRONG not in prompt


async def test_what_a_judge_says_of_a_numbered_id_reaches_the_agent_as_that_id() -> None:
    remark = Remark(
        area=Area.ID,
        severity=Severity.ERROR,
        call=2,
        issue="It moved <token 2>, which is lunch.",
        argument="event_id",
        value='"<token 1>"',
    )
    judge = ScriptedJudge([Opinion(findings=(remark,), confirmed=False), None])

    [told] = await move(WRONG, judge)

    assert f"It moved {WRONG}, which is lunch." in told
    assert f"Use '{RIGHT}' for `event_id`." in told


def test_what_others_write_like_a_numbered_id_stands_for_none() -> None:
    asked = replace(ASKED, untrusted={"result": f"{WRONG} is <token 1>, not <token 2>"})

    shown = scrub_question(asked, number_ids, StandIns())

    assert shown.untrusted == {"result": "<token 1> is <token … 1>, not <token … 2>"}


def refuse(text: str, _: StandIns) -> str:
    raise ValueError(text)


@pytest.mark.parametrize(
    ("scrub", "message", "result"),
    [(hide, "With <hidden>", "key <hidden>"), (refuse, NOT_SCRUBBED, NOT_SCRUBBED)],
)
async def test_a_judge_of_ones_own_is_asked_without_secrets(scrub, message, result) -> None:
    heard: list[Question[Opinion]] = []

    class Own:
        async def ask(self, question: Question[Opinion]) -> str:
            heard.append(question)
            return "my answer"

    assert await ScrubbedJudge(Own(), scrub=scrub).ask(ASKED) == "my answer"
    [asked] = heard
    assert (asked.values, asked.untrusted) == ({"message": message}, {"result": result})
