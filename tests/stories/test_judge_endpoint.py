"""A judge over real HTTP, on the path a paid model takes. It proves the wiring, not a judgement."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from mulligan.judge import ModelJudge
from mulligan.loops.review import Area, Opinion, Remark, ask_about
from mulligan.prompts.template import render
from mulligan.redaction import Redactor
from mulligan.redaction.scrub import number_ids
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.events import AskOutcome, JudgeAsked
from mulligan.types.finding import Fact, Severity
from mulligan.types.limits import JudgeLimits
from mulligan.types.turn import Turn
from tests.judge.answers import let_an_hour_pass
from tests.judge.endpoint import Endpoint, endpoint

SECRET = "sk-live0123456789abcdefghij"
TURN = Turn(
    id="t1",
    message=f"Move dinner to Friday. My key is {SECRET}.",
    now=datetime(2025, 10, 20, 9, 0, tzinfo=UTC),
    timezone="Europe/Berlin",
)
MOVED = Execution(
    call=Call(id="c1", tool="update_event", arguments={"start": "2025-10-23", "key": SECRET}),
    outcome=Outcome.SUCCESS,
    at=TURN.now,
    duration=timedelta(),
    result={"ok": True, "token": SECRET},
)
THURSDAY = Fact(
    kind="date.weekday", subject="2025-10-23", value="Thursday", about="2025-10-23 is a Thursday."
)
QUESTION = ask_about(
    TURN, executions=[MOVED], facts=[THURSDAY], show=Redactor(key=b"k" * 32).show_value
)
ANSWER = {
    "findings": [
        {
            "area": "date",
            "severity": "error",
            "call": 1,
            "issue": "2025-10-23 is a Thursday.",
            "correction": "Use 2025-10-24.",
        }
    ],
    "confirmed": False,
}
LONG = timedelta(seconds=60)
PROTOCOLS = ["openai:gpt-4o-mini", "openai-chat:gpt-4o-mini"]


@pytest.fixture
def server(monkeypatch) -> Iterator[Endpoint]:
    with endpoint() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "a key nobody checks")
        server.answer = ANSWER
        yield server


def judge(name: str, told: list[JudgeAsked]) -> ModelJudge:
    return ModelJudge(
        name, render=render, scrub=number_ids, tell=told.append, limits=JudgeLimits(timeout=LONG)
    )


@pytest.mark.parametrize("name", PROTOCOLS)
async def test_a_structured_verdict_is_parsed_and_counted(name: str, server: Endpoint) -> None:
    told: list[JudgeAsked] = []

    opinion = await judge(name, told).ask(QUESTION)

    assert opinion == Opinion(
        findings=(
            Remark(
                area=Area.DATE,
                severity=Severity.ERROR,
                call=1,
                issue="2025-10-23 is a Thursday.",
                correction="Use 2025-10-24.",
            ),
        ),
        confirmed=False,
    )
    assert [(t.outcome, t.model, t.requests, t.input_tokens, t.output_tokens) for t in told] == [
        (AskOutcome.ANSWERED, "gpt-4o-mini", 1, 120, 30)
    ]


@pytest.mark.parametrize("name", PROTOCOLS)
async def test_what_goes_over_the_wire_is_cool_brief_and_without_secrets(
    name: str, server: Endpoint
) -> None:
    await judge(name, []).ask(QUESTION)

    (asked,) = server.asked
    sent = json.dumps(asked)
    assert asked["temperature"] == 0
    assert 1_000 in (asked.get("max_output_tokens"), asked.get("max_completion_tokens"))
    assert "Move dinner to Friday" in sent
    assert "2025-10-23 is a Thursday." in sent
    assert SECRET not in sent
    assert SECRET[8:] not in sent


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("status", [401, 429, 500])
async def test_an_error_of_the_endpoint_is_no_answer(
    name: str, status: int, server: Endpoint
) -> None:
    told: list[JudgeAsked] = []
    server.status = status
    server.answer = '{"error": {"message": "no", "type": "x", "code": "x"}}'

    assert await judge(name, told).ask(QUESTION) is None
    assert [t.outcome for t in told] == [AskOutcome.DOWN]


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("body", ["", "<html>Bad gateway</html>", "null", "{}"])
async def test_a_body_that_fits_no_protocol_is_no_answer(
    name: str, body: str, server: Endpoint
) -> None:
    told: list[JudgeAsked] = []
    server.answer = body

    assert await judge(name, told).ask(QUESTION) is None
    assert told[0].outcome in (AskOutcome.DOWN, AskOutcome.UNREADABLE)


@pytest.mark.parametrize("name", PROTOCOLS)
async def test_an_answer_of_another_form_is_asked_for_once_more_and_then_none(
    name: str, server: Endpoint
) -> None:
    told: list[JudgeAsked] = []
    server.answer = {"verdict": "SUPPORTED"}

    assert await judge(name, told).ask(QUESTION) is None
    assert [(t.outcome, t.requests) for t in told] == [(AskOutcome.UNREADABLE, 2)]
    assert len(server.asked) == 2


@pytest.mark.parametrize("name", PROTOCOLS)
async def test_an_endpoint_that_never_answers_is_left_behind(name: str, server: Endpoint) -> None:
    told: list[JudgeAsked] = []
    server.go_on.clear()

    asking = asyncio.ensure_future(judge(name, told).ask(QUESTION))
    await asyncio.to_thread(server.reached.wait, 60)
    let_an_hour_pass()

    assert await asking is None
    assert [t.outcome for t in told] == [AskOutcome.LATE]


async def test_while_the_breaker_is_open_nothing_is_sent(server: Endpoint) -> None:
    told: list[JudgeAsked] = []
    server.status = 401
    asking = judge(PROTOCOLS[0], told)

    for _ in range(8):
        await asking.ask(QUESTION)

    assert len(server.asked) == 5
    assert [t.outcome for t in told[5:]] == [AskOutcome.NOT_ASKED] * 3


def test_one_judge_serves_one_event_loop_after_another(server: Endpoint) -> None:
    asking = judge(PROTOCOLS[0], [])

    answers = [asyncio.run(asking.ask(QUESTION)) for _ in range(3)]

    assert [type(answer) for answer in answers] == [Opinion] * 3


async def test_many_may_ask_at_once(server: Endpoint) -> None:
    asking = judge(PROTOCOLS[1], [])

    answers = await asyncio.gather(*(asking.ask(QUESTION) for _ in range(10)))

    assert [type(answer) for answer in answers] == [Opinion] * 10
