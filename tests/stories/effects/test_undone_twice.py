"""An undo that may have been applied is not applied again: not after a crash, not for a timeout."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Mulligan
from mulligan.types.call import Record
from mulligan_testing.fakes import FixedClock
from tests.stories.effects.family import (
    Family,
    die_undoing_a_delete,
    die_undoing_an_update,
    run_until_killed,
)
from tests.stories.effects.remote import StoryRemote
from tests.stories.effects.world import act, list_open, open_app


@pytest.fixture
def remote(tmp_path: Path) -> StoryRemote:
    made = StoryRemote(tmp_path / "ledger")
    made.create({"title": "Dinner", "day": "Monday"}, name="dinner", by="person")
    return made


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime.now(UTC))


def open_again(folder: Path, clock: FixedClock) -> Mulligan:
    """Another process that has the same code."""
    return Family(folder, rejects=True, clock=clock).m


async def recover_for_an_hour(m: Mulligan, clock: FixedClock) -> None:
    for _ in range(3):
        await m.recover()
        clock.move(timedelta(minutes=20))


async def test_what_a_person_deletes_after_the_undo_is_not_made_again_by_recovery(
    tmp_path: Path, remote: StoryRemote, clock: FixedClock
) -> None:
    run_until_killed(die_undoing_a_delete, tmp_path)
    assert remote.get("dinner") is not None
    remote.delete("dinner", by="person")

    with open_again(tmp_path, clock) as m:
        await recover_for_an_hour(m, clock)

        assert remote.get("dinner") is None
        assert len(remote.list_writes(by="undo")) == 1
        assert len(list_open(m)) == 1


async def test_what_a_person_edits_after_an_undo_without_versions_is_not_written_over(
    tmp_path: Path, remote: StoryRemote, clock: FixedClock
) -> None:
    run_until_killed(die_undoing_an_update, tmp_path)
    remote.update("dinner", {"title": "Dinner for two", "day": "Tuesday"}, by="person")

    with open_again(tmp_path, clock) as m:
        await recover_for_an_hour(m, clock)

        assert remote.get("dinner")["title"] == "Dinner for two"
        assert len(remote.list_writes(by="undo")) == 1
        assert len(list_open(m)) == 1


class Bank:
    """Charges and refunds, none of them with a version; refunds may be late."""

    def __init__(self, *, late: bool) -> None:
        self.remote = StoryRemote()
        self._late = late
        self._on_the_way: list[str] = []

    def charge(self, euros: int) -> dict[str, Any]:
        return self.remote.create({"euros": euros}, name="charge")

    def refund(self, record: Record) -> None:
        self._on_the_way.append("charge")
        if not self._late:
            self.land()
        raise TimeoutError("the bank did not answer")

    def land(self) -> None:
        while self._on_the_way:
            self.remote.delete(self._on_the_way.pop(), by="undo")

    def list_refunds(self) -> int:
        return len(self.remote.list_writes(by="undo"))


async def test_a_refund_that_is_late_is_not_made_a_second_time(clock: FixedClock) -> None:
    bank = Bank(late=True)
    with open_app(rejects=True, clock=clock) as m:

        @m.tool(
            effect=Effect.REVERSIBLE,
            undo=bank.refund,
            read=lambda record: bank.remote.get("charge"),
        )
        async def charge(euros: int) -> dict[str, Any]:
            return bank.charge(euros)

        await act(m, lambda: charge(50))
        await recover_for_an_hour(m, clock)
        bank.land()

        assert bank.list_refunds() == 1


async def test_a_refund_that_landed_unseen_is_not_made_a_second_time(clock: FixedClock) -> None:
    """The answer is lost and the reader lags: for all that can be seen, nothing was refunded."""
    bank = Bank(late=False)
    with open_app(rejects=True, clock=clock) as m:

        @m.tool(
            effect=Effect.REVERSIBLE,
            undo=bank.refund,
            read=lambda record: bank.remote.get_before("charge", bank.list_refunds()),
        )
        async def charge(euros: int) -> dict[str, Any]:
            return bank.charge(euros)

        _, told = await act(m, lambda: charge(50))

        assert bank.list_refunds() == 1
        assert list_open(m)
        assert not told.says_taken_back
