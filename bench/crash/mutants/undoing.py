"""Mistakes in taking back: no condition, no proof, the wrong order, the wrong moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from bench.crash.mutants.planting import mutant, plant_in, swap
from mulligan.process.fault_points import Point, checkpoint
from mulligan.runtime import assessment, rollback
from mulligan.runtime import undo as undoing
from mulligan.runtime.assessment import Observation, Undone, UndoPolicy
from mulligan.runtime.context import LiveAttempt
from mulligan.runtime.journal import JournalWriter, ObjectHistory
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.rollback import _Rollback, _Undo
from mulligan.types.action import Kept, State, UndoResult
from mulligan.types.call import Record


@mutant("update (wrong, then right, then wrong): kill")
def verdict_not_journaled_before_undoing() -> None:
    write, reject = _Rollback._record, rollback.reject

    async def only_planned(
        doomed: Sequence[LiveAction], *, book: JournalWriter, why: str, **others: Any
    ) -> list[LiveAction]:
        rollback.line_up(doomed)
        for action in doomed:
            action.tries = 1
        await reject((), book=book, why=why, **others)
        await checkpoint(Point.DOOMED)
        return list(doomed)

    async def send_unwritten(self: _Rollback, sending: Sequence[_Undo]) -> None:  # noqa: ARG001
        for each in sending:
            each.failure = await undoing.run_undo(each.record, each.policy)
            await undoing.wait_to_settle(each.policy)

    async def write_all(self: _Rollback, done: Sequence[_Undo]) -> None:
        unwritten = [each.action for each in done if each.action.state is not State.UNDOING]
        await self.book.move(unwritten, State.UNDOING)
        await write(self, done)

    swap(reject, only_planned)
    plant_in(_Rollback, _run_undos=send_unwritten, _record=write_all)


def _send_blindly() -> None:
    send = undoing.run_undo

    async def blindly(record: Record, policy: UndoPolicy) -> BaseException | None:
        return await send(replace(record, version=None), policy)

    swap(send, blindly)


@mutant("update (wrong): edit")
def undo_without_a_condition() -> None:
    judge = assessment.assess_current

    def see_nobody(record: Record, observed: Observation, *, policy: UndoPolicy) -> Undone | None:
        judged = judge(record, observed, policy=policy)
        if judged is not None and (judged.result is UndoResult.CONFLICT or judged.behind_ours):
            return None
        return judged

    swap(judge, see_nobody)
    _send_blindly()


@mutant("update (wrong): edit")
def condition_checked_but_not_passed_on() -> None:
    _send_blindly()


@mutant("update (wrong): edit")
def undo_of_whatever_version_is_there() -> None:
    look = _Rollback._assess

    async def at_any(self: _Rollback, action: LiveAction) -> _Undo:
        begun = await look(self, action)
        if begun.undone is not None and begun.undone.result is UndoResult.CONFLICT:
            begun.record = replace(begun.record, version=begun.first.version)
            begun.undone = None
        return begun

    plant_in(_Rollback, _assess=at_any)


@mutant("update (wrong): kill")
def undo_twice() -> None:
    look = _Rollback._assess

    async def never_done(self: _Rollback, action: LiveAction) -> _Undo:
        begun = await look(self, action)
        if begun.undone is not None and begun.undone.result is UndoResult.RESTORED:
            begun.record = replace(begun.record, version=begun.first.version)
            begun.undone = None
        return begun

    plant_in(_Rollback, _assess=never_done)


@mutant("update (wrong): kill")
def undone_is_written_before_the_undo() -> None:
    write = _Rollback._record

    async def boast(self: _Rollback, sending: Sequence[_Undo]) -> None:
        for each in sending:
            each.action.undone = UndoResult.RESTORED
        await self.book.move([each.action for each in sending], State.UNDONE)
        await checkpoint(Point.UNDONE)
        for each in sending:
            each.failure = await undoing.run_undo(each.record, each.policy)
            await undoing.wait_to_settle(each.policy)

    async def write_others(self: _Rollback, done: Sequence[_Undo]) -> None:
        await write(self, [each for each in done if each.action.state is not State.UNDONE])

    plant_in(_Rollback, _run_undos=boast, _record=write_others)


@mutant("two updates of one (wrong): rival")
def one_snapshot_for_an_object() -> None:
    take_all = rollback.undo_all

    async def shared(attempt: LiveAttempt, **using: Any) -> Any:
        latest = {_object(action): action.record.snapshot for action in attempt.actions}
        for action in attempt.actions:
            action.record = replace(action.record, snapshot=latest[_object(action)])
        return await take_all(attempt, **using)

    swap(take_all, shared)


def _object(action: LiveAction) -> str:
    given = action.record.arguments
    return str(given.get("event_id") or given.get("events") or action.id)


@mutant("undo refused (wrong): rival")
def read_back_not_looked_at() -> None:
    async def believe(*_: Any, **__: Any) -> Undone:
        return Undone(result=UndoResult.RESTORED)

    swap(undoing.verify, believe)


@mutant("two updates of one (wrong): kill")
def undo_from_the_first_to_the_last() -> None:
    line_up, undo = rollback.line_up, rollback.undo_actions

    def line_up_forwards(actions: Sequence[LiveAction]) -> None:
        line_up(list(reversed(actions)))

    async def undo_forwards(actions: Sequence[LiveAction], *, book: JournalWriter) -> None:
        await undo(list(reversed(actions)), book=book)

    swap(line_up, line_up_forwards)
    swap(undo, undo_forwards)


@mutant("two updates of one (wrong): kill")
def undos_forget_the_versions_they_wrote() -> None:
    def forget(self: ObjectHistory, *_: Any, **__: Any) -> list[Kept]:  # noqa: ARG001
        return []

    plant_in(ObjectHistory, keep_undo=forget)
