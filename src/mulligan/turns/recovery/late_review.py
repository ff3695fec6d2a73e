"""A review after the fact: the turn is gone, and what it left behind is looked at all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from mulligan.core.action import State
from mulligan.core.finding import Standing, Verdict
from mulligan.core.interfaces import Vault
from mulligan.core.policy import Step
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.runtime.points import Point, reach
from mulligan.loops.actions import Attempted, Reviewers, review_attempt
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.evidence import (
    LET_RUN,
    UndeclaredCall,
    decode_executions,
    decode_history,
    decode_turn,
    decode_undeclared,
    load_evidence,
    load_trail,
)
from mulligan.turns.journal.kept.reviews import ReviewedAttempt
from mulligan.turns.journal.live_action import LiveAction, as_execution
from mulligan.turns.turn.rejection import Fate, choose_fate, choose_step, insists, reject
from mulligan.turns.turn.rollback import undo_actions
from mulligan.turns.turn.seen_ids import gather_existing_ids
from mulligan.turns.turn.undeclared import record_undeclared_late
from mulligan.turns.turn.verdicts import describe_rejection, join_verdicts, settle_reviewed


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What else there is of an attempt: rejected, nobody wants that either."""

    held: Sequence[LiveAction] = ()
    """Calls that wait for a person."""
    unsettled: Sequence[LiveAction] = ()
    """Calls of which nobody knows yet whether they happened."""


async def review_late(
    actions: Sequence[LiveAction],
    *,
    delivered: bool,
    begun: int,
    reviewers: Reviewers,
    book: Book,
    beside: Beside,
) -> None:
    """Review one attempt's actions as a whole, in the order they were made.

    Rejected, they are undone; but where the answer was delivered, a person is asked first.
    `begun` counts the reviews since the last that came to an end, this one among them.
    """
    for action in actions:
        action.tries += 1
    facts: dict[str, object] = {"delivered": delivered}
    await book.move(actions, State.PENDING_REVIEW, facts=facts | {"reviewing": begun})
    await reach(Point.CLAIMED)
    number = actions[0].opening.attempt
    parts = await asyncio.to_thread(_load_parts, actions, book.vault)
    if parts is None:
        why = "What the review would need is not kept any more."
        await reject((), beyond=actions, book=book, why=why)
        return
    verdict = await _review_parts(parts, reviewers=reviewers)
    await reach(Point.REVIEWED)
    unseen = [action for action in actions if action.opening.call in verdict.unchecked]
    step, verdict = (
        (Step.DISPUTE, verdict)
        if delivered
        else choose_step(verdict, attempt=number, reviewers=reviewers, standing=actions)
    )
    _record_verdict(parts[0], verdict, book=book)
    end = _End(actions=actions, beside=beside, parts=parts, book=book)
    match verdict.standing:
        case Standing.UNCHECKED if insists(unseen) and not delivered:
            why = "Nobody looked at it, and its tool insists."
            await end.take_back(why)
        case Standing.ACCEPTED | Standing.UNCHECKED:
            await settle_reviewed(actions, verdict, book=book, late=True)
            await reach(Point.MARKED)
        case Standing.REJECTED | Standing.UNREVIEWED if step is Step.DISPUTE and verdict.errors:
            await end.dispute(describe_rejection(verdict))
        case Standing.REJECTED:
            await end.take_back(describe_rejection(verdict))
        case Standing.UNREVIEWED if step is Step.GIVE_UP:
            why = "Nobody could say, and its tool insists."
            await end.take_back(why)
        case Standing.UNREVIEWED:
            why = "Nobody could say."
            await book.move(actions, State.PENDING_REVIEW, why=why, facts=facts)


async def finish_rejection(actions: Sequence[tuple[LiveAction, Fate]], *, book: Book) -> None:
    """Calls that turn out to have happened after their attempt was rejected go the same way.

    They are not looked at on their own: what was wrong may be what they were done with.
    """
    doomed = [action for action, fate in reversed(actions) if fate is Fate.UNDO]
    beyond = [action for action, fate in actions if fate is Fate.DISPUTE]
    why = "The attempt it belongs to had been found wrong before anybody knew that it happened."
    taken = await reject(doomed, beyond=beyond, book=book, why=why)
    await undo_actions(taken, book=book)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What is known of an attempt, or of one inside it."""

    attempted: Attempted
    attempt: int
    judged: bool
    undeclared: Sequence[UndeclaredCall]


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """A rejection after the fact, of all that there is of an attempt."""

    actions: Sequence[LiveAction]
    beside: Beside
    parts: Sequence[_Part]
    book: Book

    async def take_back(self, why: str) -> None:
        """Undo what can be undone, and put the rest before a person."""
        await self._record_undeclared(why)
        fates = [(each, choose_fate(each, self.actions)) for each in self.beside.unsettled]
        doomed = await reject(
            list(reversed(self.actions)),
            held=self.beside.held,
            unsettled=fates,
            book=self.book,
            why=why,
        )
        await undo_actions(doomed, book=self.book)

    async def dispute(self, why: str) -> None:
        """Put all of it before a person."""
        await self._record_undeclared(why)
        fates = [(each, Fate.DISPUTE) for each in self.beside.unsettled]
        held, book = self.beside.held, self.book
        await reject((), held=held, beyond=self.actions, unsettled=fates, book=book, why=why)

    async def _record_undeclared(self, why: str) -> None:
        """First: once the others are on record as rejected, nobody reviews this attempt again."""
        calls = [call for part in self.parts for call in part.undeclared]
        await record_undeclared_late(calls, book=self.book, why=why)


async def _review_parts(parts: Sequence[_Part], *, reviewers: Reviewers) -> Verdict:
    """What the reviews of an attempt, and of the turns inside it, come to: the worst of them."""
    verdicts = [
        await review_attempt(part.attempted, by=reviewers, attempt=part.attempt, judged=part.judged)
        for part in parts
    ]
    return join_verdicts(verdicts)


def _record_verdict(part: _Part, verdict: Verdict, *, book: Book) -> None:
    turn = part.attempted.turn.id
    book.record_review(ReviewedAttempt(turn=turn, number=part.attempt, verdict=verdict, late=True))


def _load_parts(actions: Sequence[LiveAction], vault: Vault) -> list[_Part] | None:
    """An attempt and those inside it; `None` when one of their turns is not known any more."""
    by_turn: dict[str | None, list[LiveAction]] = {}
    for action in actions:
        by_turn.setdefault(action.opening.turn, []).append(action)
    parts = [_load_part(part, vault) for part in by_turn.values()]
    return [part for part in parts if part] if all(parts) else None


def _load_part(actions: Sequence[LiveAction], vault: Vault) -> _Part | None:
    """The attempt as far as it was kept."""
    kept = [load_evidence(vault, action.opening, action=action.id) for action in actions]
    if any(evidence is None for evidence in kept):
        return None
    trail = load_trail(vault, [action.opening.parent or action.id for action in actions])
    turn = decode_turn(trail[0])
    history = max(
        (decode_history(part, turn) for part in trail), key=lambda each: len(each.entries)
    )
    turn = replace(turn, history=history)
    done = [
        replace(as_execution(action, turn), approved=vault.get(action.id, LET_RUN) is not None)
        for action in actions
    ]
    # Told twice where two calls were put on record at the same time.
    shown = {each.call.id: each for part in trail for each in decode_executions(part)}
    earlier = {e.call.id: e for part in trail for e in decode_executions(part, part="earlier")}
    undeclared = [call for part in trail for call in decode_undeclared(part)]
    acted = {action.opening.call or action.id for action in actions}
    attempted = Attempted(
        turn=turn,
        # Ids are in the order of time.
        executions=tuple(sorted([*shown.values(), *done], key=lambda each: each.call.id)),
        earlier=(
            *history.executions,
            *sorted(earlier.values(), key=lambda each: each.call.id),
        ),
        facts=gather_existing_ids(actions),
        acted=frozenset(acted | {call.id for call in undeclared}),
    )
    judged = any(action.declaration.review for action in actions)
    number = actions[0].opening.attempt
    return _Part(attempted=attempted, attempt=number, judged=judged, undeclared=undeclared)
