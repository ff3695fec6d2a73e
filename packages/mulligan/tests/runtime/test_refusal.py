"""A refusal counts where nobody can look, or where a look agrees with it; a deferral always."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.errors import GraphInterrupt, ParentCommand
from langgraph.types import Command
from pydantic_ai import ApprovalRequired, CallDeferred, ModelRetry

from mulligan import Effect, Failures, Mulligan, NothingDone, Outcome, Remote, State
from mulligan.runtime.results import asks_again, is_deferral, is_steering
from mulligan.types.call import Record
from mulligan.types.effect import EffectNote, note_effect
from mulligan.types.log import LogQuery
from mulligan_testing.remote import FakeRemote, Fault, Item, RemoteError

pytestmark = pytest.mark.full

RULES = [{"says": "^RemoteError: 4", "nothing_done": True}]
WORDS = {"failures": Failures(error_rules=RULES)}


@contextmanager
def refuse(records: Sequence[Record]) -> Iterator[None]:
    """What a call is made inside of: it hears a server refuse."""
    try:
        yield
    except RemoteError as error:
        note_effect(error, EffectNote.REFUSED)
        raise


class Office:
    """A title in a remote, and a tool that changes it under its version."""

    def __init__(self, path: Path) -> None:
        self.remote = FakeRemote(path / "ledger")
        self.remote.create({"title": "Tax"}, id="t1", by="person")

    def read(self, record: Record) -> Item | None:
        return self.remote.get("t1")

    def undo(self, record: Record) -> None:
        raise AssertionError("nothing is undone here")

    async def act(self, fault: Fault, **said: Any) -> list[State | None]:
        """Change the title once, and see what is known of that right then."""
        async with Mulligan("memory:", recover=False) as m:
            declared = {"before": self.read, "read": self.read, "undo": self.undo} | said

            @m.tool(effect=Effect.REVERSIBLE, about=lambda record: "t1", **declared)
            async def rename(title: str, version: str) -> Item:
                return self.remote.update("t1", {"title": title}, if_version=version)

            version = self.remote.list_items()["t1"].version
            self.remote.plan(fault, by="agent")
            async with m.turn("Rename it") as turn:
                with pytest.raises(RemoteError):
                    await rename("Income tax", version)
                return [action.state for action in turn.list_actions()]


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


@pytest.mark.parametrize("said", [{"around": refuse}, WORDS])
@pytest.mark.parametrize("fault", [Fault.REPEATED, Fault.UNMET_AFTER, Fault.INVALID_AFTER])
async def test_a_refusal_after_the_effect_is_found_out_by_a_look(
    office: Office, fault: Fault, said: dict[str, Any]
) -> None:
    assert await office.act(fault, **said) == [State.NEEDS_HUMAN]


@pytest.mark.parametrize("said", [{"around": refuse}, WORDS])
async def test_a_refusal_that_a_look_agrees_with_settles_it_at_once(
    office: Office, said: dict[str, Any]
) -> None:
    assert await office.act(Fault.FORBIDDEN, **said) == [State.NOT_EXECUTED]


async def test_a_read_that_may_be_behind_agrees_with_nothing_yet(office: Office) -> None:
    lag = timedelta(milliseconds=1)

    states = await office.act(Fault.FORBIDDEN, around=refuse, remote=Remote(settles_within=lag))

    assert states == [State.UNKNOWN]


async def test_a_look_that_fails_agrees_with_nothing_either(office: Office) -> None:
    states = await office.act(Fault.FORBIDDEN, around=refuse, read=lambda record: 1 / 0)

    assert states == [State.UNKNOWN]


async def test_where_nobody_can_look_the_word_counts(office: Office) -> None:
    states = await office.act(Fault.FORBIDDEN, before=None, **WORDS)

    assert states == [State.NOT_EXECUTED]


async def test_an_error_that_is_raised_again_speaks_for_each_call_of_its_own() -> None:
    refusal = NothingDone("It is not open yet.")
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(
            effect=Effect.REVERSIBLE,
            undo=lambda record: None,
            read=lambda record: None,
            about=lambda record: record.key,
        )
        async def book(number: int) -> None:
            raise refusal

        async with m.turn("Do it") as turn:
            for number in range(2):
                with pytest.raises(NothingDone):
                    await book(number)
            states = [action.state for action in turn.list_actions()]

    assert states == [State.NOT_EXECUTED] * 2


@pytest.mark.parametrize("error", [NothingDone, LookupError])
async def test_what_refuses_a_call_as_it_looks_before_it_asks_nobody_to_approve_it(
    error: type[Exception],
) -> None:
    async with Mulligan("memory:", recover=False) as m:
        seats, called = {"7A": ""}, list[str]()

        def look(record: Record) -> str:
            if record.arguments["seat"] not in seats:
                raise error("there is no such seat")
            return seats[record.arguments["seat"]]

        @m.tool(effect=Effect.REVERSIBLE, before=look, undo=called.append, refuses=LookupError)
        async def reserve(seat: str) -> None:
            called.append(seat)

        async with m.turn("Reserve 9Z") as turn:
            with pytest.raises(error, match="no such seat") as refused:
                await reserve("9Z")

        assert (called, list(turn.list_actions())) == ([], [])
        assert refused.value.mulligan.execution.failure.nothing_done  # type: ignore[attr-defined]


async def test_what_another_tool_refuses_to_a_look_says_nothing_of_the_call() -> None:
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.READ)
        async def find_seat(seat: str) -> str:
            raise NothingDone("the desk opens at nine")

        async def look(record: Record) -> str:
            return await find_seat(str(record.arguments["seat"]))

        @m.tool(effect=Effect.REVERSIBLE, before=look, undo=lambda record: None)
        async def reserve(seat: str) -> None: ...

        async with m.turn("Reserve 7A") as turn:
            await reserve("7A")

        assert [action.state for action in turn.list_actions()] == [State.HELD]


DEFERRALS = [CallDeferred(), ApprovalRequired(), GraphInterrupt(())]
FAILURES = [ModelRetry("another city"), ValueError("no"), KeyError("no")]


def test_what_puts_a_call_off_says_that_nothing_was_done_and_a_failure_does_not() -> None:
    elsewhere = ParentCommand(Command(goto="there"))

    assert all(is_deferral(error) and is_steering(error) for error in DEFERRALS)
    assert is_steering(elsewhere)
    assert not is_deferral(elsewhere), "it may have done something"
    assert not any(is_deferral(error) or is_steering(error) for error in FAILURES)


@pytest.mark.parametrize("error", DEFERRALS, ids=repr)
@pytest.mark.parametrize("effect", [None, Effect.READ, Effect.REVERSIBLE])
async def test_a_call_that_was_put_off_is_no_failure_and_leaves_nothing_open(error, effect):
    declared = {} if effect is None else {"effect": effect}
    if effect is Effect.REVERSIBLE:
        declared |= {"undo": lambda record: None, "read": lambda record: None}
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(**declared)
        async def pay(amount: int) -> str:
            raise error

        async with m.turn("Pay 3"):
            with pytest.raises(type(error)) as raised:
                await pay(3)
        m.flush()
        [row] = m.insights.log(LogQuery())
        open_actions = m.insights.open_list.actions()

    assert raised.value is error
    assert not getattr(error, "__notes__", [])
    assert (row.outcome, open_actions) == (Outcome.CANCELLED, [])


async def test_a_tool_that_asks_to_be_called_again_has_done_nothing_and_is():
    asked = [ModelRetry("The calendar is busy, try again.")]
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.REVERSIBLE, undo=lambda record: None, read=lambda record: None)
        async def pay(amount: int) -> str:
            if asked:
                raise asked.pop()
            return "paid"

        async with m.turn("Pay 3"):
            with pytest.raises(ModelRetry) as raised:
                await pay(3)
            paid = await pay(3)
        open_actions = m.insights.open_list.actions()

    assert asks_again(raised.value)
    assert not asks_again(ValueError("no"))
    assert (paid, [action.opening.tool for action in open_actions]) == ("paid", ["pay"])
