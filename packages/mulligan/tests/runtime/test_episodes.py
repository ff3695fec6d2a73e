"""What is remembered and told of a call that failed, until another one corrects it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mulligan.runtime.episodes import MOST_OPEN, Offers, build_earlier
from mulligan.runtime.lookup import Advised
from mulligan.types.call import Call, Execution, Failure, Outcome
from mulligan.types.failure import Advice, Decision, ErrorClass
from mulligan.types.finding import Finding, Severity
from mulligan.types.lesson import Earlier, FailedCall, Kind, Origin, Patch, Suggestion


class HostileError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


def made(outcome: Outcome, error: BaseException | None = None) -> Execution:
    failure = None if error is None else Failure(error_class=ErrorClass.MISSING, error=error)
    return Execution(
        call=Call(id="1", tool="find", arguments={"id": "x", "key": "k1"}),
        outcome=outcome,
        at=datetime(2026, 11, 15, tzinfo=UTC),
        duration=timedelta(),
        result="found",
        failure=failure,
    )


@pytest.mark.parametrize(
    ("execution", "result", "failed"),
    [
        (made(Outcome.SUCCESS), "found", False),
        (made(Outcome.FAILURE, ValueError("no x")), "no x", True),
        (made(Outcome.FAILURE, HostileError()), "<HostileError that cannot be shown>", True),
        (made(Outcome.UNKNOWN), "found", True),
    ],
)
def test_of_a_call_that_failed_what_it_said_is_remembered(
    execution: Execution, result: str, failed: bool
) -> None:
    arguments = {"id": "x", "key": "k1"}

    assert build_earlier(execution) == Earlier(
        tool="find", arguments=arguments, result=result, failed=failed
    )


def failing(**arguments: object) -> Execution:
    return Execution(
        call=Call(id="1", tool="find", arguments=arguments),
        outcome=Outcome.FAILURE,
        at=datetime(2026, 11, 15, tzinfo=UTC),
        duration=timedelta(),
    )


def suggesting(patch: Patch) -> Suggestion:
    return Suggestion(
        patch=patch, source=Origin.SCHEMA, kinds=(Kind.REFORMAT,), probability=0.5, n=0,
        evidence="so it says",
    )  # fmt: skip


def take(offers: Offers, **arguments: object) -> str | None:
    taken = offers.take(arguments, server="", tool="find")
    return taken.by if taken else None


def test_a_correction_is_taken_once_by_the_call_that_is_made_just_so() -> None:
    offers = Offers()
    offers.make(failing(id="1"), [suggesting(Patch(changes={"id": "#1"}))])

    assert offers.waiting
    assert take(offers, id="#2") is None
    assert take(offers, id="#1") == "schema: so it says"
    assert take(offers, id="#1") is None


def test_only_the_newest_wait() -> None:
    offers = Offers()
    for n in range(MOST_OPEN + 1):
        offers.make(failing(id="x"), [suggesting(Patch(changes={"id": f"#{n}"}))])

    assert take(offers, id="#0") is None
    assert take(offers, id="#1") is not None


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def advised(now: object = None, **more: object) -> Advised:
    call = Call(id="1", tool="find")
    failure = Failure(error_class=ErrorClass.CONFLICT, now=now)
    return Advised(
        execution=Execution(
            call=call,
            outcome=Outcome.FAILURE,
            at=datetime(2026, 11, 15, tzinfo=UTC),
            duration=timedelta(),
            failure=failure,
        ),
        failed=FailedCall(call=call, failure=failure, error="no"),
        advice=Advice(decision=Decision.ASK, why="Two are meant.", ask="Which one?"),
        suggestions=(
            Suggestion(
                patch=Patch(changes={"id": "#1"}),
                source=Origin.SCHEMA,
                kinds=(Kind.REFORMAT,),
                probability=0.8,
                n=12,
                evidence="the schema says so",
            ),
        ),
        **more,
    )


def test_an_agent_reads_what_to_do_what_to_ask_and_what_to_try() -> None:
    warned = Finding(rule="x.y", severity=Severity.WARNING, issue="It was.", correction="Look.")

    told = str(advised({"day": "Friday"}, foreseen=(warned,))).splitlines()

    assert told[0] == f"What to do: {Decision.ASK}. Two are meant."
    assert told[1:3] == ["Ask the person: Which one?", "What is there now: “{'day': 'Friday'}”"]
    assert told[3].startswith("Try: ")
    assert told[3].endswith("(schema, 80%, n=12: the schema says so)")
    assert told[4] == "It could be foreseen: It was. Look."


def test_a_strangers_object_can_be_long_or_refuse_to_be_shown() -> None:
    assert "What is there now: “a Hostile”" in str(advised(Hostile()))
    assert len(str(advised("x" * 10_000))) < 1_000
