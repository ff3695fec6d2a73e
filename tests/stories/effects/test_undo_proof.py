"""Taken back is said only of what is gone: one look that says "as before" proves nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Remote, State
from mulligan.types.call import Record
from mulligan_testing.fakes import FixedClock
from tests.stories.effects.remote import (
    Answer,
    StoryRemote,
    name_conflicts,
    read_data,
    read_version,
)
from tests.stories.effects.world import (
    Told,
    act,
    declare_move,
    list_open,
    open_app,
    put_back,
)

pytestmark = pytest.mark.promise(6)

LAG = 0.05
SETTLES = timedelta(milliseconds=80)


class Replica:
    """A reader that is behind for a few reads, or for a while, after the first write it missed."""

    def __init__(self, remote: StoryRemote, *, reads: int = 0, seconds: float = 0.0) -> None:
        self._remote = remote
        self._reads = reads
        self._seconds = seconds
        self._seen = len(remote.ledger)
        self._since: float | None = None

    def get(self, name: str) -> Any:
        missed = len(self._remote.ledger) - self._seen
        if missed and self._since is None:
            self._since = time.monotonic()
        if missed and self._is_behind():
            self._reads -= 1
            return self._remote.get_before(name, missed)
        self._seen, self._since = self._seen + missed, None
        return self._remote.get(name)

    def _is_behind(self) -> bool:
        return self._reads > 0 or time.monotonic() - float(self._since or 0) < self._seconds


def get_by_replica(replica: Replica) -> Callable[[Record], object]:
    return lambda record: replica.get(str(record.arguments["event_id"]))


def read_days(remote: StoryRemote) -> dict[str, object]:
    found = {name: remote.get(name) for name in ("dinner", "supper")}
    return {name: state and state["day"] for name, state in found.items()}


def get_nothing(record: Record) -> object:
    """What a remote says to one who may not look."""
    raise Answer(404)


def declare_make(m: Mulligan, remote: StoryRemote, **more: Any) -> Any:
    """`make(event_id)`: an event that was not there."""

    def remove(record: Record) -> None:
        with name_conflicts():
            event = str(record.arguments["event_id"])
            remote.delete(event, if_version=record.version, by="undo")

    @m.tool(effect=Effect.REVERSIBLE, undo=remove, **more)
    async def make(event_id: str) -> dict[str, Any]:
        return remote.create({"day": "Friday"}, name=event_id)

    return make


def declare_remove(m: Mulligan, remote: StoryRemote, read: Any, **more: Any) -> Any:
    """`remove(event_id)`: gone, and made again by the undo."""

    def restore(record: Record) -> None:
        before: Any = record.before
        remote.create(read_data(before), name="dinner", by="undo")

    @m.tool(effect=Effect.REVERSIBLE, before=read, undo=restore, deletes=True, **more)
    async def remove(event_id: str) -> None:
        remote.delete(event_id)

    return remove


def assert_told_the_truth(m: Mulligan, told: Told, *, stands: bool) -> None:
    """What stands is in front of a person, and nobody says that it was taken back."""
    assert not stands or list_open(m)
    assert not (stands and told.says_taken_back)


def declare_bare_move(m: Mulligan, remote: StoryRemote, /, **more: Any) -> Any:
    """`move(event_id, day)`, which tells no version."""

    @m.tool(effect=Effect.REVERSIBLE, undo=put_back(remote), **more)
    async def move(event_id: str, day: str) -> str:
        remote.update(event_id, {"day": day})
        return "moved"

    return move


VERSION: dict[str, Any] = {"version": read_version}


@pytest.mark.parametrize("kind", ["update", "update without versions", "create", "delete"])
async def test_what_a_lagging_replica_does_not_show_is_undone_or_before_a_person(
    strict: Mulligan, remote: StoryRemote, kind: str
) -> None:
    read = get_by_replica(Replica(remote, reads=1))
    deeds: dict[str, Callable[[], Any]] = {
        "update": lambda: declare_move(strict, remote, before=read)("dinner", "Saturday"),
        "update without versions": lambda: declare_bare_move(strict, remote, before=read)(
            "dinner", "Saturday"
        ),
        "create": lambda: declare_make(strict, remote, read=read, **VERSION)("supper"),
        "delete": lambda: declare_remove(strict, remote, read, **VERSION)("dinner"),
    }
    before = read_days(remote)

    _, told = await act(strict, deeds[kind])

    assert_told_the_truth(strict, told, stands=read_days(remote) != before)


async def test_an_update_bound_to_its_version_is_taken_back_from_behind_a_lagging_replica(
    strict: Mulligan, remote: StoryRemote
) -> None:
    read = get_by_replica(Replica(remote, reads=1))

    @strict.tool(
        effect=Effect.REVERSIBLE, before=read, undo=put_back(remote), version=read_version,
        if_version="if_version",
    )  # fmt: skip
    async def move(event_id: str, day: str, if_version: str | None = None) -> dict[str, Any]:
        return remote.update(event_id, {"day": day}, if_version=if_version)

    await act(strict, lambda: move("dinner", "Saturday"))

    assert remote.get("dinner")["day"] == "Monday"
    assert list_open(strict) == []


@pytest.mark.parametrize("declare", [declare_move, declare_bare_move])
async def test_an_update_is_restored_for_sure_where_its_replicas_have_time_to_settle(
    strict: Mulligan, remote: StoryRemote, declare: Any
) -> None:
    read = get_by_replica(Replica(remote, seconds=LAG))
    move = declare(strict, remote, before=read, remote=Remote(settles_within=SETTLES))

    _, told = await act(strict, lambda: move("dinner", "Saturday"))

    assert told.says_taken_back
    assert remote.get("dinner")["day"] == "Monday"
    assert list_open(strict) == []


@pytest.mark.parametrize("more", [VERSION, {}], ids=["versioned", "bare"])
async def test_a_404_for_want_of_permission_is_not_taken_for_a_created_event_that_is_gone(
    strict: Mulligan, remote: StoryRemote, more: dict[str, Any]
) -> None:
    make = declare_make(strict, remote, read=get_nothing, **more)

    _, told = await act(strict, lambda: make("supper"))

    assert_told_the_truth(strict, told, stands=remote.get("supper") is not None)
    assert list_open(strict)


async def test_a_404_after_our_own_event_was_seen_is_its_absence(
    strict: Mulligan, remote: StoryRemote
) -> None:
    """The other side: where the reader has shown our event in this very undo, it may look."""

    def read(record: Record) -> object:
        found = remote.get(str(record.arguments["event_id"]))
        if found is None:
            raise Answer(404)
        return found

    make = declare_make(strict, remote, read=read, version=read_version)

    _, told = await act(strict, lambda: make("supper"))

    assert told.says_taken_back
    assert remote.get("supper") is None
    assert list_open(strict) == []


async def test_an_undo_sent_twice_behind_a_lagging_replica_blames_nobody_and_is_found_later(
    remote: StoryRemote,
) -> None:
    replica, clock = Replica(remote), FixedClock(datetime.now(UTC))

    def send_twice(record: Record) -> None:
        replica.get("dinner")
        replica._reads = 3
        put_back(remote)(record)
        put_back(remote)(record)

    with open_app(rejects=True, clock=clock) as m:
        move = declare_move(m, remote, before=get_by_replica(replica), undo=send_twice)
        _, told = await act(m, lambda: move("dinner", "Saturday"))
        state = [action.state for action in list_open(m)]
        replica._reads = 0
        clock.move(timedelta(minutes=5))
        await m.recover()
        left = list_open(m)

    assert state == [State.UNDO_FAILED]
    assert not told.says_taken_back
    assert left == []
    assert remote.get("dinner")["day"] == "Monday"
