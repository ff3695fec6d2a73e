"""A rejection on disk before anything is undone: of all that it concerns, in one transaction."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from enum import StrEnum
from itertools import groupby

from mulligan.core.action import Kept, State, UndoResult
from mulligan.core.effect import Effect, NoVerdict
from mulligan.core.errors import StaleEntryError
from mulligan.core.finding import Finding, Severity, Source, Standing, Verdict
from mulligan.core.interfaces import Vault
from mulligan.core.policy import Step, decide, is_judged_alone
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.runtime.points import Point, reach
from mulligan.loops.actions import RejectedAction, Reviewers
from mulligan.turns.journal.book import Book, StateChange
from mulligan.turns.journal.live_action import LiveAction, read_order
from mulligan.undo.dependence import find_made_ids, find_named_ids

_report = logging.getLogger("mulligan")

MOST_TRIES = 5
"""How often others may move an action between our look at it and our entry."""

_MANY = 100
"""So many that not every element of a bulk names them all: one does, and the others name it."""


def insists(actions: Iterable[LiveAction]) -> bool:
    """Whether one of them may not stand unless somebody could review it."""
    return any(action.declaration.on_no_verdict is NoVerdict.UNDO for action in actions)


def build_rejected_action(
    action: LiveAction,
    *,
    result: UndoResult | None,
    why: str,
    certain: bool = True,
    blocks: bool = True,
) -> RejectedAction:
    """One action as its agent and a person are told of it."""
    return RejectedAction(
        action=action.id,
        tool=action.opening.tool,
        what=action.what,
        said=action.said,
        result=result,
        why=why,
        certain=certain,
        blocks=blocks,
    )


def line_up(actions: Sequence[LiveAction]) -> None:
    """Have each action know those that are undone before it, on what it left behind.

    They are about the same object, as their tools declare it, or name what it has made. What does
    not say what it is about may be about anything: where no version tells whether it is, one waits
    for all later calls, and others wait for it. The actions are in the order in which they are to
    be undone.
    """
    line = _Line()
    for _, call in groupby(actions, key=lambda action: action.opening.parent or action.id):
        line.add_call(list(call))


@dataclass(slots=True)
class _Line:
    """Who waits for whom among actions that come in the order in which they are undone."""

    latest: dict[tuple[str, str], str] = field(default_factory=dict)
    named: dict[tuple[str, str], str] = field(default_factory=dict)
    since: list[str] = field(default_factory=list)
    """The last call that has waited for all later ones itself, and those that came since."""
    vague: list[str] = field(default_factory=list)
    """Those of them that may be about anything."""

    def add_call(self, elements: Sequence[LiveAction]) -> None:
        """The actions of one call: of a bulk none waits for another that is not on its object."""
        vague = [action.id for action in elements if not action.objects]
        unsure = {action.id for action in elements if not _is_told_by_version(action)}
        waiting = [each for each in vague if each in unsure]
        for action in elements:
            waits = self._find_related(action)
            if action.id in unsure and action.objects:
                waits += self.vague
            elif action.id in unsure:
                many = len(self.since) > _MANY and action.id != waiting[0]
                waits += waiting[:1] if many else self.since
            action.after = tuple(dict.fromkeys(waits))
            self._remember(action)
        if waiting:
            self.since.clear()
            self.vague.clear()
        self.since += [action.id for action in elements]
        self.vague += vague

    def _find_related(self, action: LiveAction) -> list[str]:
        made = [(action.opening.server, each) for each in find_made_ids(action.record)]
        found = [self.latest[each] for each in action.objects if each in self.latest]
        return found + [self.named[each] for each in made if each in self.named]

    def _remember(self, action: LiveAction) -> None:
        self.latest |= dict.fromkeys(action.objects, action.id)
        for value in find_named_ids(action.record):
            self.named[action.opening.server, value] = action.id


def _is_told_by_version(action: LiveAction) -> bool:
    """Whether its undo is refused where another call has changed the object since."""
    return action.abilities.version is not None and not action.declaration.deletes


BUDGET_SPENT = Finding(
    rule="judge.budget_spent",
    severity=Severity.ERROR,
    issue=(
        "Only a judge speaks against it, and a judge alone has had as many actions undone of late "
        "as it may: a person decides."
    ),
    source=Source.JUDGE,
)


SILENCE_SPENT = replace(
    BUDGET_SPENT,
    issue=(
        "Nobody could say whether it is right, and as much was undone of late for want of a "
        "judge's word as may be: a person decides."
    ),
)


def choose_step(
    verdict: Verdict, *, attempt: int, reviewers: Reviewers, standing: Sequence[LiveAction]
) -> tuple[Step, Verdict]:
    """What follows from a verdict, and the verdict with why a judge is not followed, if it is not.

    `standing` is what a rejection would undo: on a judge's word alone it is taken out of a budget.
    """
    last = attempt >= reviewers.attempts
    undoable = [each for each in standing if each.opening.effect is Effect.REVERSIBLE]
    if verdict.standing is Standing.UNREVIEWED and insists(standing):
        # To be silenced is as easy as to be led: what a judge does not say is bounded as well.
        if _may_undo(undoable, reviewers=reviewers, spent=SILENCE_SPENT):
            return Step.GIVE_UP, verdict
        return Step.DISPUTE, replace(verdict, findings=(*verdict.findings, SILENCE_SPENT))
    if last or not undoable or not is_judged_alone(verdict):
        return decide(verdict, attempt=attempt, attempts=reviewers.attempts), verdict
    if _may_undo(undoable, reviewers=reviewers, spent=BUDGET_SPENT):
        return Step.RETRY, verdict
    step = decide(verdict, attempt=attempt, attempts=reviewers.attempts, may_undo=False)
    return step, replace(verdict, findings=(*verdict.findings, BUDGET_SPENT))


def _may_undo(undoable: Sequence[LiveAction], *, reviewers: Reviewers, spent: Finding) -> bool:
    """Whether no fact is needed to undo these; they are taken out of their tenant's budget."""
    if not undoable:
        return True
    tenant = undoable[0].opening.tenant
    if reviewers.undos.take(tenant, len(undoable)):
        return True
    if reviewers.undos.is_news(tenant):
        _report.warning(spent.issue)
    return False


async def reject(
    doomed: Sequence[LiveAction],
    *,
    held: Iterable[LiveAction] = (),
    beyond: Sequence[LiveAction] = (),
    unsettled: Iterable[tuple[LiveAction, Fate]] = (),
    book: Book,
    why: str,
) -> list[LiveAction]:
    """Put a rejection on disk: nobody asks for a verdict again. Those that are now to be undone.

    `doomed` will be undone in this order; what is `held` nobody wants any more; what is `beyond`,
    in the order it was done, is put before a person. Of what is `unsettled` nobody knows yet
    whether it happened: it is kept what follows if it has. What somebody else has moved meanwhile
    is left to them: a person who was quicker has said what is to be.
    """
    line_up(doomed)
    line_up(list(reversed(beyond)))
    for action in doomed:
        action.tries = 1
    groups = [(list(doomed), State.UNDOING), (list(held), State.DENIED)]
    groups.append((list(beyond), State.DISPUTED))
    keep = [Kept(owner=a.id, name=_FATE, value=fate.value.encode()) for a, fate in unsettled]
    for left in reversed(range(MOST_TRIES)):
        try:
            await book.move_together(
                [StateChange(actions=a, state=state, why=why) for a, state in groups], keep=keep
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


class Fate(StrEnum):
    """What becomes of a call that turns out to have happened after its attempt was rejected."""

    UNDO = "undo"
    DISPUTE = "dispute"
    """It is put before a person."""


_FATE = "rejected"
"""By what name that is kept with an action."""


def choose_fate(action: LiveAction, undone: Iterable[LiveAction]) -> Fate:
    """What is right for a call beside others of its attempt that are undone before it.

    Its pre-image has what an earlier call on its object left: put back, that would stand again.
    """
    if action.opening.effect is not Effect.REVERSIBLE:
        return Fate.DISPUTE
    if action.record.before is None:
        return Fate.UNDO
    order, objects = read_order(action), action.objects
    rests = any(
        read_order(each) < order
        and not (objects and each.objects and objects.isdisjoint(each.objects))
        for each in undone
    )
    return Fate.DISPUTE if rests else Fate.UNDO


def load_fate(action: str, vault: Vault) -> Fate | None:
    """What was decided on an action before anybody knew that it happened; `None`: nothing."""
    kept = vault.get(action, _FATE)
    return None if kept is None else Fate(kept.decode())


async def _list_unmoved(actions: Sequence[LiveAction], book: Book) -> list[LiveAction]:
    """Those that stand in the journal as this process knows them."""
    found = [await asyncio.to_thread(book.journal.find_action, action.id) for action in actions]
    return [
        action
        for action, current in zip(actions, found, strict=True)
        if current is not None and current.version == action.version
    ]
