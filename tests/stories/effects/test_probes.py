"""A probe that shows what is there cannot tell whose it is: an edit is never adopted as ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Remote
from mulligan.types.call import Record
from mulligan.types.effect import ProbeBy
from tests.stories.effects.remote import StoryRemote, read_version
from tests.stories.effects.world import AT_ONCE, act, list_open, put_back


class Line:
    """A line to the remote that loses answers, or whole calls, while a person edits."""

    def __init__(self, remote: StoryRemote, *, lands: bool, edits: bool = True) -> None:
        self._remote = remote
        self._lands = lands
        self._edits = edits

    def move(self, day: str, key: str = "") -> dict[str, Any]:
        if self._lands:
            self._remote.update("dinner", {"day": day}, key=key)
        if self._edits:
            self._edits = False
            self._remote.update("dinner", {"day": "Wednesday"}, by="person")
        raise TimeoutError("no answer")


def declare(m: Mulligan, remote: StoryRemote, line: Line, probe: Any, **more: Any) -> Any:
    """`move(day)` over that line, with that probe."""

    @m.tool(
        effect=Effect.REVERSIBLE, before=lambda record: remote.get("dinner"),
        undo=put_back(remote), probe=probe, version=read_version,
        remote=Remote(lands_within=AT_ONCE), **more,
    )  # fmt: skip
    async def move(day: str, key: str = "") -> dict[str, Any]:
        return line.move(day, key)

    return move


def show_state(remote: StoryRemote) -> Callable[[Record], object]:
    return lambda record: remote.get("dinner")


def show_change(remote: StoryRemote) -> Callable[[Record], object]:
    """A probe that goes by the snapshot: whatever differs from it has happened."""

    def probe(record: Record) -> object:
        now = remote.get("dinner")
        return None if now == record.before else now

    return probe


@pytest.mark.parametrize("probe", [show_state, show_change])
async def test_a_probe_does_not_say_that_a_lost_call_has_landed(
    content: Mulligan, remote: StoryRemote, probe: Any
) -> None:
    move = declare(content, remote, Line(remote, lands=False, edits=False), probe(remote))

    _, told = await act(content, lambda: move("Saturday"))

    assert remote.list_writes() == []
    assert told.results == []


@pytest.mark.parametrize("probe", [show_state, show_change])
@pytest.mark.parametrize("lands", [False, True], ids=["lost", "landed"])
async def test_an_edit_that_a_probe_finds_in_place_of_our_call_stands(
    strict: Mulligan, remote: StoryRemote, probe: Any, lands: bool
) -> None:
    move = declare(strict, remote, Line(remote, lands=lands), probe(remote))

    _, told = await act(strict, lambda: move("Saturday"))

    assert remote.get("dinner")["day"] == "Wednesday"
    assert list_open(strict)
    assert not told.says_taken_back


async def test_an_edit_that_recovery_finds_in_place_of_our_call_stands(
    strict: Mulligan, remote: StoryRemote
) -> None:
    probes: list[object] = []

    def look_later(record: Record) -> object:
        probes.append(record)
        if len(probes) < 3:
            raise ConnectionError("not now")
        return remote.get("dinner")

    move = declare(strict, remote, Line(remote, lands=False), look_later)

    await act(strict, lambda: move("Saturday"))
    for _ in range(3):
        await strict.recover()

    assert remote.get("dinner")["day"] == "Wednesday"


@pytest.mark.parametrize("by", [ProbeBy.CALL, ProbeBy.STATE])
async def test_an_edit_stands_also_where_the_probe_goes_by_a_key(
    strict: Mulligan, remote: StoryRemote, by: ProbeBy
) -> None:
    """Declared as showing the state it adopts nothing; by the call it finds ours under the edit."""
    shows_call = by is ProbeBy.CALL
    probe = (lambda record: remote.find(record.key)) if shows_call else show_state(remote)
    line = Line(remote, lands=shows_call)
    move = declare(strict, remote, line, probe, key="key", probe_by=by)

    await act(strict, lambda: move("Saturday"))

    assert len(remote.list_writes()) == shows_call
    assert remote.get("dinner")["day"] == "Wednesday"
    assert len(list_open(strict)) == 1


async def test_a_booking_that_a_probe_finds_by_its_key_as_a_person_has_changed_it_stands(
    strict: Mulligan,
) -> None:
    bookings: dict[str, dict[str, Any]] = {}

    @strict.tool(
        effect=Effect.REVERSIBLE,
        read=lambda record: bookings.get(record.key),
        undo=lambda record: bookings.pop(record.key),
        probe=lambda record: bookings.get(record.key),
        about=lambda record: record.key,
        key="request_id",
        remote=Remote(lands_within=AT_ONCE),
    )
    async def book_table(people: int, request_id: str = "") -> dict[str, Any]:
        bookings[request_id] = {"table": 7, "people": people}
        bookings[request_id]["people"] = 6  # a person comes to know of two more
        raise TimeoutError("no answer")

    await act(strict, lambda: book_table(people=4))

    assert list(bookings.values()) == [{"table": 7, "people": 6}]
    [left] = list_open(strict)
    assert "people is not what it was given" in str(left.detail["why"])
