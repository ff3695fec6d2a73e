"""A review after the fact: the turn is gone, and what it left behind is looked at all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from mulligan.core.action import State
from mulligan.core.call import Execution
from mulligan.core.finding import Standing, Verdict
from mulligan.core.interfaces import Vault
from mulligan.core.points import Point, reach
from mulligan.core.policy import Step
from mulligan.core.turn import Turn
from mulligan.loops.actions import Attempted, Reviewers, review_attempt
from mulligan.turns.journal.book import Book, LiveAction, as_execution
from mulligan.turns.journal.evidence import decode_executions, decode_turn, load_evidence
from mulligan.turns.turn.act import WORST_FIRST, describe_rejection, settle_reviewed
from mulligan.turns.turn.rejection import choose_step, insists, reject
from mulligan.turns.turn.rollback import undo_actions
from mulligan.turns.turn.seen_ids import gather_existing_ids


async def review_late(
    actions: Sequence[LiveAction],
    *,
    delivered: bool,
    begun: int,
    reviewers: Reviewers,
    book: Book,
    held: Sequence[LiveAction] = (),
) -> None:
    """Review one attempt's actions as a whole, in the order they were made.

    Rejected, they are undone; but where the answer was delivered, a person is asked first.
    `held` are the calls of that attempt that wait for a person: rejected, nobody wants them.
    `begun` counts the reviews since the last that came to an end, this one among them.
    """
    for action in actions:
        action.tries += 1
    facts: dict[str, object] = {"delivered": delivered}
    under_way = facts | {"reviewing": begun}
    await book.move(actions, State.PENDING_REVIEW, facts=under_way)
    await reach(Point.CLAIMED)
    number = actions[0].opening.attempt
    verdict = await _review_parts(actions, reviewers=reviewers, vault=book.vault)
    if verdict is None:
        why = "What the review would need is not kept any more."
        await reject((), beyond=actions, book=book, why=why)
        return
    await reach(Point.REVIEWED)
    unseen = [action for action in actions if action.opening.call in verdict.unchecked]
    step, verdict = (
        (Step.DISPUTE, verdict)
        if delivered
        else choose_step(verdict, attempt=number, reviewers=reviewers, standing=actions)
    )
    match verdict.standing:
        case Standing.UNCHECKED if insists(unseen) and not delivered:
            why = "Nobody looked at it, and its tool insists."
            await _take_back(actions, held=held, book=book, why=why)
        case Standing.ACCEPTED | Standing.UNCHECKED:
            for action in unseen:
                action.unchecked = True
            await settle_reviewed(actions, by="late review", book=book)
            await reach(Point.MARKED)
        case Standing.REJECTED if step is Step.DISPUTE:
            why = describe_rejection(verdict)
            await reject((), held=held, beyond=actions, book=book, why=why)
        case Standing.REJECTED:
            await _take_back(actions, held=held, book=book, why=describe_rejection(verdict))
        case Standing.UNREVIEWED if insists(actions) and not delivered:
            why = "Nobody could say, and its tool insists."
            await _take_back(actions, held=held, book=book, why=why)
        case Standing.UNREVIEWED:
            why = "Nobody could say."
            await book.move(actions, State.PENDING_REVIEW, why=why, facts=facts)


async def _review_parts(
    actions: Sequence[LiveAction], *, reviewers: Reviewers, vault: Vault
) -> Verdict | None:
    """What the reviews of an attempt, and of the turns inside it, come to: the worst of them."""
    parts: dict[str | None, list[LiveAction]] = {}
    for action in actions:
        parts.setdefault(action.opening.turn, []).append(action)
    verdicts = []
    for part in parts.values():
        attempted = await asyncio.to_thread(_load_attempted, part, vault)
        if attempted is None:
            return None
        judged = any(action.declaration.review for action in part)
        number = part[0].opening.attempt
        verdicts.append(
            await review_attempt(attempted, by=reviewers, attempt=number, judged=judged)
        )
    unchecked = tuple(call for verdict in verdicts for call in verdict.unchecked)
    worst = min(verdicts, key=lambda verdict: WORST_FIRST.index(verdict.standing))
    return replace(worst, unchecked=unchecked)


async def _take_back(
    actions: Sequence[LiveAction], *, held: Sequence[LiveAction], book: Book, why: str
) -> None:
    doomed = await reject(list(reversed(actions)), held=held, book=book, why=why)
    await undo_actions(doomed, book=book)


def _load_attempted(actions: Sequence[LiveAction], vault: Vault) -> Attempted | None:
    """The attempt as far as it was kept; `None` when its turn is not known any more."""
    turn: Turn | None = None
    executions: list[Execution] = []
    earlier: list[Execution] = []
    for action in actions:
        evidence = load_evidence(vault, action.opening, action=action.id)
        if evidence is None:
            return None
        turn = decode_turn(evidence)
        executions += decode_executions(evidence)
        earlier += decode_executions(evidence, part="earlier")
        executions.append(as_execution(action, turn))
    if turn is None:
        return None
    return Attempted(
        turn=turn,
        executions=tuple(executions),
        earlier=tuple(earlier),
        facts=gather_existing_ids(actions),
        acted=frozenset(action.opening.call or action.id for action in actions),
    )
