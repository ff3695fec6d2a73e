"""Calls that a host asks about before it makes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from mulligan import Arguments, Effect, Failures, Finding, Mulligan, Review, Severity
from mulligan.types.adapter import HostCall
from mulligan.types.effect import Precheck, Release
from mulligan.types.errors import HeldError

SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string"}},
    "required": ["to"],
    "additionalProperties": False,
}


@pytest.fixture
def m(tmp_path: Path) -> Iterator[Mulligan]:
    with Mulligan(f"sqlite:///{tmp_path / 'store.db'}", checks=[no_strangers]) as app:
        yield app


def no_strangers(attempted: object) -> Iterator[Finding]:
    for each in attempted.executions:  # type: ignore[attr-defined]
        if each.call.arguments.get("to") == "a stranger":
            yield Finding(rule="test.stranger", severity=Severity.ERROR, issue="Nobody knows them.")


async def hold(m: Mulligan, tool: str, arguments: Mapping[str, object]) -> HeldError | None:
    run = m._build_host({}).open("Invite Ann")
    made: list[object] = []

    async def make(given: Mapping[str, object]) -> object:
        made.append(given)
        return "made"

    held = await run.hold(
        HostCall(tool=tool, arguments=arguments, make=make, id="1", schema=SCHEMA)
    )
    await run.leave()
    assert made == []
    return held


@pytest.mark.parametrize(
    ("effect", "waits"),
    [
        (Effect.REVERSIBLE, False),
        (Effect.IRREVERSIBLE, True),
        (lambda record: Effect.IRREVERSIBLE if record.arguments["to"] else Effect.READ, True),
        (lambda record: Effect.READ if record.arguments["to"] else Effect.IRREVERSIBLE, False),
    ],
)
async def test_what_cannot_be_undone_is_on_hold_and_nothing_of_it_was_made(
    m: Mulligan, effect: Effect, waits: bool
) -> None:
    m.declare("send", effect=effect, before=lambda record: None, undo=lambda record: None)

    held = await hold(m, "send", {"to": "Ann"})

    assert (held is not None) is waits
    assert len(m.insights.open_list.actions()) == waits


@pytest.mark.parametrize(("to", "waits"), [("Ann", False), ("a stranger", True)])
async def test_what_the_checks_let_through_does_not_wait(m: Mulligan, to: str, waits: bool) -> None:
    m.declare("send", effect=Effect.IRREVERSIBLE, review=Review(release=Release.CHECKS))

    held = await hold(m, "send", {"to": to})

    assert (held is not None) is waits


async def test_nobody_is_asked_about_a_call_that_is_refused(m: Mulligan) -> None:
    m.declare(
        "send",
        effect=Effect.IRREVERSIBLE,
        failures=Failures(precheck=Precheck.REFUSE),
        arguments=Arguments(schema=SCHEMA),
    )

    held = await hold(m, "send", {"recipient": "Ann"})

    assert held is None
    assert m.insights.open_list.actions() == []


async def test_the_same_call_of_a_host_is_held_once(m: Mulligan) -> None:
    m.declare("send", effect=Effect.IRREVERSIBLE)

    held = [await hold(m, "send", {"to": "Ann"}) for _ in range(2)]

    assert held[0] is not None
    assert held[1] is not None
    assert held[0].action == held[1].action
    assert len(m.insights.open_list.actions()) == 1
