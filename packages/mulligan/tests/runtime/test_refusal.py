"""A refusal counts where nobody can look, or where a look agrees with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Failures, Mulligan, NothingDone, Remote, State
from mulligan.types.call import Record
from mulligan.types.effect import EffectNote, ProbeBy, note_effect
from mulligan_testing.remote import FakeRemote, Fault, Item, RemoteError

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


@pytest.mark.parametrize("lag", [timedelta(), timedelta(milliseconds=1)])
async def test_where_nobody_can_look_the_word_counts(office: Office, lag: timedelta) -> None:
    late = Remote(settles_within=lag)

    states = await office.act(Fault.FORBIDDEN, before=None, remote=late, **WORDS)

    assert states == [State.NOT_EXECUTED]


@pytest.mark.parametrize(("said", "looks"), [({"around": refuse}, 1), (WORDS, 0)])
async def test_a_look_that_may_call_a_call_off_is_made_for_a_remotes_refusal_alone(
    office: Office, said: dict[str, Any], looks: int
) -> None:
    looked: list[Record] = []

    states = await office.act(Fault.FORBIDDEN, probe=looked.append, probe_by=ProbeBy.CALL, **said)

    assert states == [State.NOT_EXECUTED]
    assert len(looked) == looks


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
