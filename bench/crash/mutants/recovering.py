"""Mistakes of recovery and of late reviews: too much, too little, too soon, not its own."""

from __future__ import annotations

from typing import Any

from bench.crash.mutants.planting import mutant, plant_in, swap
from mulligan.process.fault_points import Point, checkpoint
from mulligan.runtime import probe, recovery, retry
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.probe import Seen
from mulligan.runtime.recovery import Recovery
from mulligan.stores.relational.journal import JournalTables
from mulligan.types.action import State


@mutant("marked, busy_after (right): kill", "bulk create, busy_after (right): kill")
def recovery_repeats_the_call() -> None:
    async def again(self: Recovery, action: LiveAction) -> None:
        action.tries += 1
        await self.book.move([action], State.UNKNOWN)
        tool = self.toolbox.find(action)
        if tool is not None:
            made = await tool.prepare_call(action.record)()
            await probe.record_result([action], [made], book=self.book)

    plant_in(Recovery, _find_out=again)


@mutant("create (right): kill")
def unknown_means_not_executed() -> None:
    async def forget(self: Recovery, action: LiveAction) -> None:
        await self.book.move([action], State.NOT_EXECUTED)

    plant_in(Recovery, _find_out=forget)


@mutant("no probe", "naive probe, landed")
def unsure_means_not_executed() -> None:
    async def forget(
        action: LiveAction,
        seen: Seen,
        *,
        final: bool,
        book: JournalWriter,
        absent: State,
    ) -> None:
        del final, absent
        if seen.found is probe.ProbeResult.LANDED:
            await probe.record_result([action], [seen.result], book=book)
        else:
            await book.move([action], State.NOT_EXECUTED)

    swap(probe.write_down, forget)


@mutant("looked for, late")
def absent_at_once() -> None:
    swap(probe.is_too_late_to_land, lambda *_: True)


@mutant("hold approved, late")
def lateness_is_counted_from_the_request() -> None:
    def since_asked_for(action: LiveAction, book: JournalWriter) -> bool:
        return book.clock() - action.opened_at >= action.declaration.remote.lands_within

    swap(probe.is_too_late_to_land, since_asked_for)


@mutant("slowly looked for")
def lateness_is_asked_after_the_look() -> None:
    write_down = probe.write_down

    async def ask_now(action: LiveAction, seen: Seen, *, book: JournalWriter, **using: Any) -> None:
        final = probe.is_too_late_to_land(action, book)
        await write_down(action, seen, book=book, **using | {"final": final})

    swap(write_down, ask_now)


@mutant("update (wrong): kill")
def recovery_skips_undos() -> None:
    async def skip(self: Recovery, action: LiveAction) -> None:
        """Leave it to somebody else."""

    plant_in(Recovery, _undo=skip)


@mutant("left open (wrong): kill")
def recovery_skips_reviews() -> None:
    async def skip(*_: Any) -> int:
        return 0

    plant_in(Recovery, _review_attempts=skip)


@mutant("update (down, then wrong")
def late_review_undoes_what_was_delivered() -> None:
    review = recovery.review_late

    async def undelivered(actions: Any, *, delivered: bool, **using: Any) -> None:  # noqa: ARG001
        await review(actions, delivered=False, **using)

    swap(review, undelivered)


@mutant("update (right): rival", "create (wrong): rival")
def claims_are_ignored() -> None:
    """And nobody notices afterwards: that is the second line of defence."""

    def all_gone(self: Any, writers: Any) -> set[str]:  # noqa: ARG001
        return set(writers)

    plant_in(JournalTables, find_dead_writers=all_gone)
    plant_in(JournalWriter, require_lease=_believe_the_lease)
    plant_in(JournalWriter, remember=_forget)


@mutant("update (wrong): meanwhile", "delete (wrong): meanwhile", "create (right): meanwhile")
def own_calls_are_taken_for_left_behind() -> None:
    run = Recovery.run

    async def all_of_them(self: Recovery, only: Any = None) -> int:
        live, self.book.live = self.book.live, set()
        try:
            return await run(self, only)
        finally:
            self.book.live = live

    plant_in(Recovery, run=all_of_them)
    plant_in(JournalWriter, remember=_forget)


def _believe_the_lease(self: JournalWriter, actions: Any, *, to: Any) -> None:
    """Send whatever others have done meanwhile."""


def _forget(self: JournalWriter, actions: Any, *, why: str = "") -> None:
    """Leave it as others have written it."""


@mutant("hold unanswered (right): kill")
def hold_runs_without_approval() -> None:
    release_hold = Recovery._release_hold

    async def run_it(self: Recovery, action: LiveAction) -> None:
        if action.state is State.HELD:
            await self.book.move([action], State.APPROVED)
        await release_hold(self, action)

    plant_in(Recovery, _release_hold=run_it)


@mutant("hold approved (right): kill")
def approved_call_runs_before_its_intent() -> None:
    run_approved = retry.release

    async def run_first(action: LiveAction, *, tool: Any, book: JournalWriter, **_: Any) -> None:
        result = await tool.prepare_call(action.record)()
        await checkpoint(Point.CALLED)

        async def made() -> Any:
            return result

        await run_approved(action, tool=tool, make=made, book=book)

    swap(run_approved, run_first)
