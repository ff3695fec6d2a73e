"""An undo is made once: not again after a crash or a timeout, and it stops no other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Undoing
from mulligan.types.call import Record
from mulligan_testing.fakes import FixedClock
from tests.stories.effects.family import (
    Family,
    die_undoing_a_delete,
    die_undoing_an_update,
    run_until_killed,
)
from tests.stories.effects.remote import StoryRemote
from tests.stories.effects.world import act, list_open, make_calendar, open_app


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime.now(UTC))


async def recover_for_an_hour(m: Mulligan, clock: FixedClock) -> None:
    for _ in range(3):
        await m.recover()
        clock.move(timedelta(minutes=20))


@pytest.mark.full
@pytest.mark.parametrize("story", [die_undoing_a_delete, die_undoing_an_update])
async def test_what_a_person_does_after_an_undo_is_left_alone_by_recovery(
    tmp_path: Path, clock: FixedClock, story: Any
) -> None:
    remote = make_calendar(tmp_path / "ledger")
    run_until_killed(story, tmp_path)
    assert len(remote.list_writes(by="undo")) == 1
    if story is die_undoing_a_delete:
        remote.delete("dinner", by="person")
    else:
        remote.update("dinner", {"title": "Dinner for two"}, by="person")
    left = remote.get("dinner")

    with Family(tmp_path, rejects=True, clock=clock).m as m:
        await recover_for_an_hour(m, clock)

        assert remote.get("dinner") == left
        assert len(remote.list_writes(by="undo")) == 1
        assert len(list_open(m)) == 1


@pytest.mark.parametrize("late", [True, False])
async def test_a_refund_without_an_answer_is_not_made_a_second_time(
    clock: FixedClock, late: bool
) -> None:
    """It is on its way, or it landed and the reader lags: nothing seems refunded."""
    bank, on_the_way = StoryRemote(), list[str]()

    def land() -> None:
        while on_the_way:
            bank.delete(on_the_way.pop(), by="undo")

    def refund(record: Record) -> None:
        on_the_way.append("charge")
        if not late:
            land()
        raise TimeoutError("the bank did not answer")

    with open_app(rejects=True, clock=clock) as m:

        @m.tool(
            effect=Effect.REVERSIBLE, undo=refund,
            read=lambda _: bank.get_before("charge", len(bank.list_writes(by="undo"))),
        )  # fmt: skip
        async def charge(euros: int) -> dict[str, Any]:
            return bank.create({"euros": euros}, name="charge")

        _, told = await act(m, lambda: charge(50))
        await recover_for_an_hour(m, clock)
        land()

        assert len(bank.list_writes(by="undo")) == 1
        assert list_open(m)
        assert not told.says_taken_back


async def test_an_undo_that_calls_a_tool_is_no_deed_of_the_turn(strict: Mulligan) -> None:
    files: dict[str, str] = {}

    @strict.tool(
        effect=Effect.REVERSIBLE, deletes=True, before=lambda r: files.get("a"),
        undo=lambda r: files.update(a=str(r.before)),
    )  # fmt: skip
    async def delete() -> None:
        files.pop("a")

    async def take_away(record: Record) -> None:
        await delete()

    @strict.tool(effect=Effect.REVERSIBLE, read=lambda r: files.get("a"), undo=take_away)
    async def create(text: str) -> str:
        files["a"] = text
        return "a"

    await act(strict, lambda: create("b"))
    await strict.recover()

    assert files == {}
    assert list_open(strict) == []


async def test_a_version_that_cannot_be_read_stops_no_other_undo(
    strict: Mulligan, remote: StoryRemote
) -> None:
    """What is read has a version only in the answer of the call."""
    cell = {"value": 0}

    @strict.tool(
        effect=Effect.REVERSIBLE, before=lambda r: {"day": remote.get("dinner")["day"]},
        read=lambda r: remote.get("dinner"), version=lambda r: r.result["version"],
        undo=lambda r: remote.update("dinner", r.before, by="undo"),
        undoing=Undoing(same=lambda a, b: a["day"] == b["day"]),
    )  # fmt: skip
    async def move(day: str) -> dict[str, Any]:
        return remote.update("dinner", {"day": day})

    @strict.tool(
        effect=Effect.REVERSIBLE, before=lambda r: cell["value"],
        undo=lambda r: cell.update(value=r.before),
    )  # fmt: skip
    async def put(value: int) -> None:
        cell["value"] = value

    async def do_both() -> None:
        await put(5)
        await move("Saturday")

    await act(strict, do_both)

    assert (remote.get("dinner")["day"], cell["value"]) == ("Monday", 0)
    assert list_open(strict) == []
