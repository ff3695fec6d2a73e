"""Mistakes about what outlives something: a lease, a turn, a review, a rejection, an undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.crash.mutants.planting import mutant, plant_in
from mulligan.app.mulligan import Mulligan
from mulligan.app.turn_factory import About
from mulligan.process.fault_points import Point, checkpoint
from mulligan.runtime import recovery, rollback
from mulligan.runtime.assessment import Undone
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.rollback import _Rollback, _Undo
from mulligan.runtime.turn import TurnLoop
from mulligan.runtime.undo import run_undo, verify
from mulligan.types.action import State, UndoResult
from mulligan.types.finding import Standing, Verdict


@mutant("counter-booking, late (wrong): kill")
def a_resumed_undo_is_taken_for_the_first() -> None:
    look = _Rollback._assess

    async def as_the_first(self: _Rollback, action: LiveAction) -> _Undo:
        action.undo_begun = action.seen = False
        return await look(self, action)

    plant_in(_Rollback, _assess=as_the_first)


@mutant("counter-booking, late (wrong): kill")
def an_undo_is_sent_before_that_is_on_record() -> None:
    async def send_at_once(self: _Rollback, sending: Sequence[_Undo]) -> None:  # noqa: ARG001
        for each in sending:
            each.failure = await run_undo(each.record, each.policy)

    plant_in(_Rollback, _run_undos=send_at_once)


@mutant("counter-booking, late (wrong): rival")
def an_undo_without_an_answer_is_made_again_at_once() -> None:
    proving = _Rollback._verify

    async def again(self: _Rollback, sent: _Undo) -> Undone:
        undone = await proving(self, sent)
        if undone.result not in (UndoResult.RESTORED, UndoResult.CONFLICT):
            failure = await run_undo(sent.record, sent.policy)
            undone = await verify(sent.record, sent.policy, first=sent.first, failure=failure)
        return undone

    plant_in(_Rollback, _verify=again)


@mutant("loose")
def what_returns_during_the_review_is_verified() -> None:
    async def mark_all(self: TurnLoop, verdict: Verdict, *, delivered: bool, **_: Any) -> None:
        accepted = verdict.standing is Standing.ACCEPTED
        state = State.VERIFIED if accepted else State.PENDING_REVIEW
        facts: dict[str, object] = {"by": "checks"} if accepted else {"delivered": delivered}
        executed = self.turn.attempt.list_in_state(State.EXECUTED)
        await self._book.move(executed, state, facts=facts)
        await checkpoint(Point.MARKED)

    plant_in(TurnLoop, _mark=mark_all)


@mutant("held, rejected late (right, then wrong): kill")
def a_late_rejection_leaves_holds_alive() -> None:
    reject = rollback.reject

    async def spare(doomed: Any, *, held: Any = (), **said: Any) -> list[LiveAction]:  # noqa: ARG001
        return await reject(doomed, **said)

    plant_in(recovery, reject=spare)


@mutant("left open (wrong): kill")
def delivered_is_not_waited_for() -> None:
    """As if the process had died before the entry was on disk."""
    move = JournalWriter.move

    async def lose_it(self: JournalWriter, actions: Any, state: State, **said: Any) -> None:
        if (said.get("facts") or {}).get("delivered") is not True:
            await move(self, actions, state, **said)

    plant_in(JournalWriter, move=lose_it)


@mutant("update (right): sleep")
def who_slept_past_its_lease_sends_and_forgets() -> None:
    plant_in(JournalWriter, require_lease=lambda self, actions, *, to: None)  # noqa: ARG005
    plant_in(JournalWriter, remember=_forget)


@mutant("bulk (right): sleep")
def what_comes_back_after_it_was_given_up_is_forgotten() -> None:
    plant_in(JournalWriter, remember=_forget)


def _forget(self: JournalWriter, actions: Any, *, why: str = "") -> None:
    """Leave it as others have written it."""


@mutant("nested (wrong): rival")
def an_inner_turn_is_on_its_own() -> None:
    if "own" not in About.__annotations__:
        raise AttributeError("No turn can say that it is on its own.")
    turn = Mulligan.turn

    def alone(self: Mulligan, message: str = "", **about: Any) -> Any:
        return turn(self, message, **about | {"own": True})

    plant_in(Mulligan, turn=alone)
