"""Mistakes in taking back: no condition, no proof, the wrong order, the wrong moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bench.crash.mutants.planting import mutant, swap
from mulligan.core.action import State, UndoResult
from mulligan.core.points import Point, reach
from mulligan.core.record import Abilities, Record
from mulligan.turns.journal.book import Book, LiveAction
from mulligan.turns.recovery.recovery import Recovery
from mulligan.turns.turn import attempt
from mulligan.turns.turn.attempt import LiveAttempt, Versions
from mulligan.undo import taking_back
from mulligan.undo.taking_back import Undone


async def _remember(versions: Versions, record: Record, undone: Undone, action: LiveAction) -> None:
    was = await taking_back.read_version(record.before, record=record, abilities=action.abilities)
    versions.record_replacement(record, old=was, new=undone.version)


@mutant
def verdict_not_journaled_before_undoing() -> None:
    take = attempt.take_back_one

    async def only_planned(actions: Sequence[LiveAction], **_: Any) -> None:
        for place, action in enumerate(actions):
            action.after = tuple(earlier.id for earlier in actions[:place])
            action.tries = 1
        await reach(Point.DOOMED)

    async def undo_then_write(
        action: LiveAction, versions: Versions, *, book: Book, stuck: str = ""
    ) -> None:
        if action.state is State.UNDOING:
            await take(action, versions, book=book, stuck=stuck)
            return
        record = replace(action.record, version=versions.find_current(action.record))
        undone = await taking_back.take_back(record, action.abilities)
        await _remember(versions, record, undone, action)
        action.undone = undone.result
        await book.move([action], State.UNDOING)
        await book.move([action], attempt.STATE_AFTER[undone.result])

    swap(attempt.doom, only_planned)
    swap(attempt.take_back_one, undo_then_write)


@mutant
def undo_without_a_condition() -> None:
    apply = taking_back._apply

    async def blindly(record: Record, abilities: Abilities) -> BaseException | None:
        return await apply(replace(record, version=None), abilities)

    swap(taking_back._was_changed, lambda *_: False)
    swap(apply, blindly)


@mutant
def condition_checked_but_not_passed_on() -> None:
    apply = taking_back._apply

    async def blindly(record: Record, abilities: Abilities) -> BaseException | None:
        return await apply(replace(record, version=None), abilities)

    swap(apply, blindly)


@mutant
def undo_of_whatever_version_is_there() -> None:
    take = taking_back.take_back

    async def at_any(record: Record, abilities: Abilities) -> Undone:
        now = await taking_back._read_state(record, abilities)
        version = await taking_back.read_version(now, record=record, abilities=abilities)
        return await take(replace(record, version=version), abilities)

    swap(take, at_any)


@mutant
def undo_twice() -> None:
    async def never_done(record: Record, abilities: Abilities) -> Undone:
        await reach(Point.LOOKED)
        now = await taking_back._read_state(record, abilities)
        version = await taking_back.read_version(now, record=record, abilities=abilities)
        failure = await taking_back._apply(replace(record, version=version), abilities)
        await reach(Point.TAKEN_BACK)
        return await taking_back._prove(record, abilities, failure)

    swap(taking_back.take_back, never_done)


@mutant
def undone_is_written_before_the_undo() -> None:
    take = attempt.take_back_one

    async def boast(action: LiveAction, versions: Versions, *, book: Book, stuck: str = "") -> None:
        if stuck:
            await take(action, versions, book=book, stuck=stuck)
            return
        record = replace(action.record, version=versions.find_current(action.record))
        action.undone = UndoResult.RESTORED
        await book.move([action], State.UNDONE)
        await reach(Point.UNDONE)
        undone = await taking_back.take_back(record, action.abilities)
        await _remember(versions, record, undone, action)

    swap(take, boast)


@mutant
def one_pre_image_for_an_object() -> None:
    take_all = attempt.take_back_all

    async def shared(live: LiveAttempt, **using: Any) -> Any:
        latest: dict[str, object] = {}
        for action in live.actions:
            latest[_object(action)] = action.record.before
        for action in live.actions:
            before = latest[_object(action)]
            action.record = replace(action.record, before=before)
        return await take_all(live, **using)

    swap(take_all, shared)


def _object(action: LiveAction) -> str:
    given = action.record.arguments
    return str(given.get("event_id") or given.get("events") or action.id)


@mutant
def read_back_not_looked_at() -> None:
    async def believe(*_: Any) -> Undone:
        return Undone(result=UndoResult.RESTORED)

    swap(taking_back._prove, believe)


@mutant
def undo_from_the_first_to_the_last() -> None:
    doom = attempt.doom

    async def forwards(actions: Any, **using: Any) -> None:
        actions.reverse()
        await doom(actions, **using)

    swap(doom, forwards)


@mutant
def undos_forget_the_versions_they_wrote() -> None:
    Recovery._versions = lambda *_: Versions()
