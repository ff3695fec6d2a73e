from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mulligan.runtime.lookup import Advised
from mulligan.types.call import Call, Execution, Failure, Outcome
from mulligan.types.failure import Advice, Decision, ErrorClass
from mulligan.types.finding import Finding, Severity
from mulligan.types.lesson import FailedCall, Kind, Origin, Patch, Suggestion


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
