"""Checks of an application's own: functions, the standard ones, or both."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mulligan import Mulligan
from mulligan.checks.custom import load_checks, make_call_check, only_warn
from mulligan.checks.dates import dates_as_said
from mulligan.checks.parameters import Standard
from mulligan.checks.provenance import ids_seen
from mulligan.checks.standard import StandardChecks
from mulligan.checks.subject import people_named
from mulligan.checks.text import length
from mulligan.loops import checking
from mulligan.loops.actions import Attempted
from mulligan.loops.checking import run_checks
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity
from mulligan.types.turn import Turn
from tests.checks.attempts import attempt, ran, severities

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
TURN = Turn(id="t", message="Move it", now=NOW)


def execute(tool: str, *, call_id: str, outcome: Outcome = Outcome.SUCCESS) -> Execution:
    call = Call(id=call_id, tool=tool, arguments={"day": "2026-11-20"})
    return Execution(
        call=call, outcome=outcome, at=NOW, duration=timedelta(), result=call_id.upper()
    )


ATTEMPTED = Attempted(
    turn=TURN,
    executions=(
        execute("move", call_id="a"),
        execute("mail", call_id="b"),
        execute("move", call_id="c", outcome=Outcome.FAILURE),
    ),
)


async def find(function: object, *tools: str) -> list[Finding]:
    found, answered = await run_checks(
        ATTEMPTED, [make_call_check(function, tools=tools, severity=Severity.ERROR)]
    )
    assert answered
    return found


async def test_a_function_is_asked_about_each_call_of_its_tools_that_did_not_fail() -> None:
    def names_the_day(call, turn):
        return f"{turn.message}: not on {call.arguments['day']}."

    (finding,) = await find(names_the_day, "move")

    assert finding.issue == "Move it: not on 2026-11-20."
    assert finding.rule == "check.names_the_day"
    assert finding.severity is Severity.ERROR
    assert finding.call == "a"


async def test_an_async_function_is_waited_for() -> None:
    async def objects(call):
        return ["One thing.", "And another."] if call.tool == "mail" else None

    assert [each.issue for each in await find(objects)] == ["One thing.", "And another."]


@pytest.mark.parametrize("name", ["cal", "person"])
def test_an_unknown_parameter_is_refused_when_the_check_is_declared(name: str) -> None:
    named: dict[str, object] = {}
    exec(f"def look({name}): ...", named)

    with pytest.raises(ConfigurationError, match=rf"asks for {name}.*call, turn, result"):
        make_call_check(named["look"], severity=Severity.ERROR)


def test_what_has_a_default_is_its_own() -> None:
    check = make_call_check(lambda call, limit=3: None, severity=Severity.ERROR)

    assert check(ATTEMPTED) == []


def test_something_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="A check is a function"):
        make_call_check(3, severity=Severity.ERROR)


async def test_a_check_that_does_not_end_has_given_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checking, "ANSWERS_WITHIN", timedelta(milliseconds=20))

    async def asks_a_silent_directory(call):
        await asyncio.Event().wait()

    async def streams_nothing(call):
        await asyncio.Event().wait()
        yield "never"

    for function in (asks_a_silent_directory, streams_nothing):
        check = make_call_check(function, severity=Severity.ERROR)
        (finding,), answered = await run_checks(ATTEMPTED, [check])

        assert not answered
        assert (finding.rule, finding.severity) == ("check.broken", Severity.WARNING)


def test_a_call_that_its_tool_refuses_is_only_warned_of() -> None:
    check = only_warn(
        ids_seen({"delete": ["id"], "drop": ["id"]}), refused=lambda call: call.tool == "drop"
    )

    findings = check(attempt("Delete it", ran("delete", {"id": "a1"}), ran("drop", {"id": "?"})))

    assert severities(findings) == [Severity.ERROR, Severity.WARNING]


@pytest.mark.parametrize("given", ["standart", ["strict"], [7], 7])
def test_what_names_no_checks_is_refused(given: Any) -> None:
    with pytest.raises(ConfigurationError, match="checks"):
        load_checks(given, find_tool=lambda _: None)


def test_standard_is_named_alone_or_beside_checks_of_ones_own() -> None:
    own = dates_as_said()

    alone, chosen = load_checks("standard", find_tool=lambda _: None)
    both, also = load_checks([own, Standard(only_asked=Severity.ERROR)], find_tool=lambda _: None)
    plain, none = load_checks([own], find_tool=lambda _: None)

    assert (chosen, also, none) == (True, True, False)
    assert [type(each) for each in alone] == [StandardChecks]
    assert both[0] is own
    assert isinstance(both[1], StandardChecks)
    assert plain == [own]


class Polite:
    """A check, by its class."""

    def __call__(self, attempt: Attempted) -> list[Finding]:
        return []


def make_polite(words):
    return lambda attempt: None if words else "Say please."


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (dates_as_said, r"dates_as_said itself, and needs what it makes: write dates_as_said\(…\)"),
        (ids_seen, r"write ids_seen\(…\)"),
        (people_named, r"write people_named\(…\)"),
        (length, r"write length\(…\)"),
        (Polite, r"write Polite\(…\)"),
        (length(at_most=5), "a check of replies"),
        (lambda: None, "lambda, which cannot be called with the "),
    ],
)
@pytest.mark.parametrize("what", ["checks", "facts"])
def test_what_makes_a_check_is_refused_at_once_and_not_broken_in_each_turn(
    what, given, said
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Mulligan("memory:", **{what: [given]})


def test_a_check_that_answers_with_a_check_is_told_to_be_called() -> None:
    m = Mulligan("memory:", checks=[make_polite])

    @m.tool(effect="reversible", before=lambda record: 1, undo=lambda record: None)
    def move(day: str) -> None: ...

    done = m.act_sync("Move it", lambda turn: move("2026-11-20"))
    m.close()

    [finding] = done.attempts[-1].verdict.findings
    assert "it makes a check and is none: call it where you pass it" in finding.issue


def test_a_class_is_no_check_of_calls() -> None:
    with pytest.raises(ConfigurationError, match="not the class Polite"):
        Mulligan("memory:").check(Polite)
