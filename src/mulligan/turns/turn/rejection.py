"""A rejection on disk before anything is undone: of all that it concerns, in one transaction."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mulligan.core.action import State
from mulligan.core.effect import Effect, NoVerdict
from mulligan.core.errors import StaleEntryError
from mulligan.core.finding import Finding, Severity, Source, Verdict
from mulligan.core.points import Point, reach
from mulligan.core.policy import Step, decide, is_judged_alone
from mulligan.loops.actions import Reviewers
from mulligan.turns.journal.book import Book, LiveAction, StateChange
from mulligan.undo.dependence import find_made_ids, find_named_ids

_report = logging.getLogger("mulligan")

MOST_TRIES = 5
"""How often others may move an action between our look at it and our entry."""


def insists(actions: Iterable[LiveAction]) -> bool:
    """Whether one of them may not stand unless somebody could review it."""
    return any(action.declaration.on_no_verdict is NoVerdict.UNDO for action in actions)


def line_up(actions: Sequence[LiveAction]) -> None:
    """Have each action know those that are undone before it, on what it left behind.

    They are about the same object, as their tools declare it, or name what it has made. The
    actions are in the order in which they are to be undone.
    """
    latest: dict[tuple[str, str], str] = {}
    named: dict[tuple[str, str], str] = {}
    for action in actions:
        objects, server = action.objects, action.opening.server
        touched = [latest[each] for each in objects if each in latest]
        made = [(server, each) for each in find_made_ids(action.record)]
        touched += [named[each] for each in made if each in named]
        action.after = tuple(dict.fromkeys(touched))
        latest |= dict.fromkeys(objects, action.id)
        for value in find_named_ids(action.record):
            named[server, value] = action.id


BUDGET_SPENT = Finding(
    rule="judge.budget_spent",
    severity=Severity.ERROR,
    issue=(
        "Only a judge speaks against it, and a judge alone has had as many actions undone of late "
        "as it may: a person decides."
    ),
    source=Source.JUDGE,
)


def choose_step(
    verdict: Verdict, *, attempt: int, reviewers: Reviewers, standing: Sequence[LiveAction]
) -> tuple[Step, Verdict]:
    """What follows from a verdict, and the verdict with why a judge is not followed, if it is not.

    `standing` is what a rejection would undo: on a judge's word alone it is taken out of a budget.
    """
    last = attempt >= reviewers.attempts
    undoable = [each for each in standing if each.opening.effect is Effect.REVERSIBLE]
    if last or not undoable or not is_judged_alone(verdict):
        return decide(verdict, attempt=attempt, attempts=reviewers.attempts), verdict
    tenant = undoable[0].opening.tenant
    if reviewers.undos.take(tenant, len(undoable)):
        return Step.RETRY, verdict
    if reviewers.undos.is_news(tenant):
        _report.warning(BUDGET_SPENT.issue)
    step = decide(verdict, attempt=attempt, attempts=reviewers.attempts, may_undo=False)
    return step, replace(verdict, findings=(*verdict.findings, BUDGET_SPENT))


async def reject(
    doomed: Sequence[LiveAction],
    *,
    held: Iterable[LiveAction] = (),
    beyond: Sequence[LiveAction] = (),
    book: Book,
    why: str,
) -> list[LiveAction]:
    """Put a rejection on disk: nobody asks for a verdict again. Those that are now to be undone.

    `doomed` will be undone in this order; what is `held` nobody wants any more; what is `beyond`,
    in the order it was done, is put before a person. What somebody else has moved meanwhile is
    left to them: a person who was quicker has said what is to be.
    """
    line_up(doomed)
    line_up(list(reversed(beyond)))
    for action in doomed:
        action.tries = 1
    groups = [(list(doomed), State.UNDOING), (list(held), State.DENIED)]
    groups.append((list(beyond), State.DISPUTED))
    for left in reversed(range(MOST_TRIES)):
        try:
            await book.move_together(
                [StateChange(actions=a, state=state, why=why) for a, state in groups]
            )
            break
        except StaleEntryError:
            still = [(await _list_unmoved(actions, book), state) for actions, state in groups]
            if not left or still == groups:
                # Not of one action: this process was given up, and may write nothing.
                raise
            groups = still
    if groups[0][0]:
        await reach(Point.DOOMED)
    if groups[2][0]:
        await reach(Point.DISPUTED)
    return groups[0][0]


async def _list_unmoved(actions: Sequence[LiveAction], book: Book) -> list[LiveAction]:
    """Those that stand in the journal as this process knows them."""
    found = [await asyncio.to_thread(book.journal.find_action, action.id) for action in actions]
    return [
        action
        for action, current in zip(actions, found, strict=True)
        if current is not None and current.version == action.version
    ]
