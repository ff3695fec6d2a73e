"""Planted mistakes in the protocol: a campaign that does not notice each of them proves nothing."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from mulligan.core.action import State, UndoResult
from mulligan.core.finding import Verdict, reach_verdict
from mulligan.core.points import Point, reach
from mulligan.core.record import Abilities, Record
from mulligan.turns import attempt, late_review, releasing, settling, trying
from mulligan.turns.attempt import LiveAttempt, Versions
from mulligan.turns.book import Book, LiveAction
from mulligan.turns.hands import ON_LOOP, Hands
from mulligan.turns.performing import Performing
from mulligan.turns.recovery import Recovery
from mulligan.turns.settling import Seen
from mulligan.undo import taking_back
from mulligan.undo.taking_back import Undone

Mutant = Callable[[], None]
MUTANTS: dict[str, Mutant] = {}


def mutant(plant: Mutant) -> Mutant:
    """List a mistake under its name."""
    MUTANTS[plant.__name__.replace("_", " ")] = plant
    return plant


def swap(old: object, new: object) -> None:
    """Put something else in the place of a function, wherever it was imported to."""
    for module in [m for name, m in sys.modules.items() if name.startswith("mulligan.")]:
        for name, value in list(vars(module).items()):
            if value is old:
                setattr(module, name, new)


@mutant
def no_intent_before_the_call() -> None:
    """Nothing is written until the call has come back, and then all of it."""
    intend, executed, move = Book.intend, Book.executed, Book.move
    owed: dict[str, bytes] = {}

    async def later(self: Book, actions: Any, *, evidence: bytes, **_: Any) -> None:
        self.live.update(action.id for action in actions)
        owed.update({action.id: evidence for action in actions})

    async def pay_up(self: Book, actions: Any, hands: Hands) -> None:
        due = [action for action in actions if action.version == 0 and action.id in owed]
        if due:
            await intend(self, due, hands=hands, evidence=owed.pop(due[0].id))

    async def both(self: Book, actions: Any, *, hands: Hands) -> None:
        await pay_up(self, list(actions), hands)
        await executed(self, actions, hands=hands)

    async def moved(self: Book, actions: Any, state: State, *, hands: Hands, **said: Any) -> None:
        actions = list(actions)
        if state is not State.INTENT:
            await pay_up(self, actions, hands)
        await move(self, actions, state, hands=hands, **said)

    Book.intend, Book.executed, Book.move = later, both, moved


@mutant
def nothing_is_journaled_at_all() -> None:
    async def nothing(self: Book, *args: Any, **said: Any) -> None:
        """Write nothing, whatever is asked."""

    Book.intend = Book.executed = nothing


@mutant
def verdict_not_journaled_before_undoing() -> None:
    take = attempt.take_back_one

    async def only_planned(actions: Sequence[LiveAction], **_: Any) -> None:
        for place, action in enumerate(actions):
            action.after = tuple(earlier.id for earlier in actions[:place])
            action.tries = 1
        await reach(Point.DOOMED)

    async def undo_then_write(
        action: LiveAction, versions: Versions, *, book: Book, hands: Hands, stuck: str = ""
    ) -> None:
        if action.state is State.UNDOING:
            await take(action, versions, book=book, hands=hands, stuck=stuck)
            return
        version = versions.current(action.record.version)
        undone = await taking_back.take_back(
            replace(action.record, version=version), action.abilities
        )
        was = await taking_back.version_of(
            action.record.before, record=action.record, abilities=action.abilities
        )
        versions.replaced(was, undone.version)
        action.undone = undone.result
        await book.move([action], State.UNDOING, hands=hands)
        await book.move([action], attempt.STATE_AFTER[undone.result], hands=hands)

    swap(attempt.doom, only_planned)
    swap(attempt.take_back_one, undo_then_write)


@mutant
def undo_without_a_condition() -> None:
    apply = taking_back._apply

    async def blindly(record: Record, abilities: Abilities) -> BaseException | None:
        return await apply(replace(record, version=None), abilities)

    swap(taking_back._changed, lambda *_: False)
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
        now = await taking_back._now(record, abilities)
        version = await taking_back.version_of(now, record=record, abilities=abilities)
        return await take(replace(record, version=version), abilities)

    swap(take, at_any)


@mutant
def undo_twice() -> None:
    async def never_done(record: Record, abilities: Abilities) -> Undone:
        await reach(Point.LOOKED)
        now = await taking_back._now(record, abilities)
        version = await taking_back.version_of(now, record=record, abilities=abilities)
        failure = await taking_back._apply(replace(record, version=version), abilities)
        await reach(Point.TAKEN_BACK)
        return await taking_back._prove(record, abilities, failure)

    swap(taking_back.take_back, never_done)


@mutant
def undone_is_written_before_the_undo() -> None:
    take = attempt.take_back_one

    async def boast(
        action: LiveAction, versions: Versions, *, book: Book, hands: Hands, stuck: str = ""
    ) -> None:
        if stuck:
            await take(action, versions, book=book, hands=hands, stuck=stuck)
            return
        record = replace(action.record, version=versions.current(action.record.version))
        action.undone = UndoResult.RESTORED
        await book.move([action], State.UNDONE, hands=hands)
        await reach(Point.UNDONE)
        undone = await taking_back.take_back(record, action.abilities)
        was = await taking_back.version_of(record.before, record=record, abilities=action.abilities)
        versions.replaced(was, undone.version)

    swap(take, boast)


@mutant
def fresh_key_for_every_try() -> None:
    try_call = trying.try_call

    async def with_fresh_keys(watch: Any, pending: Any, *, make: Any, hands: Hands) -> Any:
        key = watch.declaration.key

        async def made(**more: Any) -> Any:
            fresh = {key: uuid.uuid4().hex} if key else {}
            return await make(**more | fresh)

        return await try_call(watch, pending, make=made, hands=hands)

    swap(try_call, with_fresh_keys)


@mutant
def recovery_repeats_the_call() -> None:
    async def again(self: Recovery, action: LiveAction) -> None:
        action.tries += 1
        await self.book.move([action], State.UNKNOWN, hands=ON_LOOP)
        tool = self.toolbox.find(action.opening)
        if tool is not None:
            made = await tool.maker(action.record.arguments)()
            await settling.adopt([action], [made], book=self.book, hands=ON_LOOP)

    Recovery._find_out = again


@mutant
def unknown_means_not_executed() -> None:
    async def forget(self: Recovery, action: LiveAction) -> None:
        await self.book.move([action], State.NOT_EXECUTED, hands=ON_LOOP)

    Recovery._find_out = forget


@mutant
def unsure_means_not_executed() -> None:
    async def forget(action: LiveAction, seen: Seen, *, book: Book, hands: Hands) -> None:
        if seen.landing is settling.Landing.LANDED:
            await settling.adopt([action], [seen.result], book=book, hands=hands)
        else:
            await book.move([action], State.NOT_EXECUTED, hands=hands)

    swap(settling.write_down, forget)


@mutant
def absent_at_once() -> None:
    swap(settling.is_too_late_to_land, lambda *_: True)


@mutant
def stopped_means_not_executed() -> None:
    move = Book.move

    async def moved(self: Book, actions: Any, state: State, **said: Any) -> None:
        stopped = state is State.UNKNOWN and "stopped" in str(said.get("why"))
        await move(self, actions, State.NOT_EXECUTED if stopped else state, **said)

    Book.move = moved


@mutant
def recovery_skips_undos() -> None:
    async def skip(self: Recovery, action: LiveAction) -> None:
        """Leave it to somebody else."""

    Recovery._undo = skip


@mutant
def recovery_skips_reviews() -> None:
    async def skip(self: Recovery, left: Any) -> int:  # noqa: ARG001
        return 0

    Recovery._reviews = skip


@mutant
def an_outage_is_a_pass() -> None:
    def always_answered(findings: Any, *, answered: bool, attempt: int) -> Verdict:  # noqa: ARG001
        return reach_verdict(findings, answered=True, attempt=attempt)

    swap(reach_verdict, always_answered)


@mutant
def late_review_undoes_what_was_delivered() -> None:
    review = late_review.review_late

    async def undelivered(actions: Any, *, delivered: bool, **using: Any) -> None:  # noqa: ARG001
        await review(actions, delivered=False, **using)

    swap(review, undelivered)


@mutant
def claims_are_ignored() -> None:
    from mulligan.stores.relational.journal import JournalTables

    def all_gone(self: Any, writers: Any) -> set[str]:  # noqa: ARG001
        return set(writers)

    JournalTables.gone = all_gone


@mutant
def own_calls_are_taken_for_left_behind() -> None:
    left_behind = Recovery._left_behind

    def all_of_them(self: Recovery) -> Any:
        live, self.book.live = self.book.live, set()
        try:
            return left_behind(self)
        finally:
            self.book.live = live

    Recovery._left_behind = all_of_them


@mutant
def one_pre_image_for_an_object() -> None:
    take_all = attempt.take_back_all

    async def shared(live: LiveAttempt, **using: Any) -> Any:
        latest: dict[str, object] = {}
        for action in live.actions:
            name = str(action.record.arguments.get("event_id"))
            latest[name] = action.record.before
        for action in live.actions:
            before = latest[str(action.record.arguments.get("event_id"))]
            action.record = replace(action.record, before=before)
        return await take_all(live, **using)

    swap(take_all, shared)


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
def hold_runs_without_approval() -> None:
    hold = Recovery._hold

    async def run_it(self: Recovery, action: LiveAction) -> None:
        if action.state is State.HELD:
            await self.book.move([action], State.APPROVED, hands=ON_LOOP)
        await hold(self, action)

    Recovery._hold = run_it


@mutant
def approved_call_runs_before_its_intent() -> None:
    release = releasing.release

    async def run_first(action: LiveAction, *, tool: Any, book: Book, **_: Any) -> None:
        result = await tool.maker(action.record.arguments)()
        await reach(Point.CALLED)

        async def made() -> Any:
            return result

        await release(action, tool=tool, make=made, book=book)

    swap(release, run_first)


@mutant
def a_refusal_speaks_for_every_try() -> None:
    nothing = trying._nothing_happened
    swap(nothing, lambda executions: nothing(list(executions)[-1:]))


@mutant
def call_not_bound_to_its_pre_image() -> None:
    async def unbound(self: Performing, make: Any, actions: Any) -> Any:  # noqa: ARG001
        return make

    Performing._conditional = unbound


@mutant
def result_not_kept_for_an_undo() -> None:
    async def executed(self: Book, actions: Any, *, hands: Hands) -> None:
        await self.move(actions, State.EXECUTED, hands=hands)

    Book.executed = executed


@mutant
def undos_forget_the_versions_they_wrote() -> None:
    Recovery._versions = lambda *_: Versions()


@mutant
def a_bulk_that_failed_did_nothing() -> None:
    account = Performing._account

    async def as_one(self: Performing, actions: Any, tried: Any) -> None:
        if tried.last.failure is not None and tried.nothing_happened:
            book = self.watch.instruments.book
            await book.move(actions, State.NOT_EXECUTED, hands=self.hands)
        else:
            await account(self, actions, tried)

    Performing._account = as_one
