"""What follows from a verdict and what it is written down as; and what an attempt has shown so far,
kept for a review that may come late.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from mulligan.loops.actions import Reviewers
from mulligan.runtime.context import LiveAttempt, OpenTurn
from mulligan.runtime.journal import SHARED_LIFE, JournalWriter, StateChange
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.payloads import (
    FOLLOWING,
    UndeclaredCall,
    name_trail,
    pack_evidence,
)
from mulligan.types.action import AWAITING_REVIEW, UNCERTAIN, Kept, State
from mulligan.types.call import Execution
from mulligan.types.effect import Effect, NoVerdict
from mulligan.types.errors import MulliganError
from mulligan.types.finding import Confidence, Finding, Severity, Source, Standing, Verdict
from mulligan.types.policy import Step, decide, is_judged_alone
from mulligan.types.turn import NO_HISTORY

_report = logging.getLogger("mulligan")
T = TypeVar("T")

WORST_FIRST = (Standing.REJECTED, Standing.UNREVIEWED, Standing.UNCHECKED, Standing.ACCEPTED)
LEAST_FIRST = (None, Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH)


def join_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """What several reviews come to: the worst of them, as sure as the one that is least sure."""
    worst = min(verdicts, key=lambda verdict: WORST_FIRST.index(verdict.standing))
    alike = [each.confidence for each in verdicts if each.standing is worst.standing]
    return replace(
        worst,
        confidence=min(alike, key=LEAST_FIRST.index),
        by=tuple(dict.fromkeys(who for each in verdicts for who in each.by)),
        unchecked=tuple(dict.fromkeys(call for each in verdicts for call in each.unchecked)),
        looked={call: who for each in verdicts for call, who in each.looked.items()},
        muted={call: rules for each in verdicts for call, rules in each.muted.items()},
    )


def join_unseen(verdict: Verdict, attempt: LiveAttempt) -> Verdict:
    """The result of a review with those of the turns inside it, which have found what they found,
    and with what none can speak for.

    A look at what an attempt did itself is none at what was done in a turn inside it.
    """
    parts = [each for each in attempt.list_whole()[1:] if each.list_changing()]
    others = [each.verdict for each in parts if each.verdict is not None]
    if unseen := tuple(attempt.list_unseen()):
        others.append(Verdict(standing=Standing.UNCHECKED, confidence=None, unchecked=unseen))
    if not others:
        return verdict
    joined = join_verdicts(others if is_idle(verdict) else [verdict, *others])
    return replace(joined, findings=verdict.findings, facts=verdict.facts)


def is_idle(verdict: Verdict) -> bool:
    """Whether there was nothing to look at: nothing was done, or only read."""
    return not (verdict.by or verdict.unchecked or verdict.findings)


def requires_verdict(actions: Iterable[LiveAction]) -> bool:
    """Whether one of them may not stand without a review."""
    return any(action.declaration.review.on_no_verdict is NoVerdict.UNDO for action in actions)


BUDGET_SPENT = Finding(
    rule="judge.budget_spent",
    severity=Severity.ERROR,
    issue=(
        "Only a judge rejected it, and the limit of recent undos by a judge alone is reached: a "
        "person decides."
    ),
    source=Source.JUDGE,
)


SILENCE_SPENT = replace(
    BUDGET_SPENT,
    issue=(
        "There is no verdict on it, and the limit of recent undos without a verdict is reached: "
        "a person decides."
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
    if verdict.standing is Standing.UNREVIEWED and requires_verdict(standing):
        # To be silenced is as easy as to be led: what a judge does not say is bounded as well.
        if _take_from_budget(undoable, reviewers=reviewers, spent=SILENCE_SPENT):
            return Step.GIVE_UP, verdict
        return Step.DISPUTE, replace(verdict, findings=(*verdict.findings, SILENCE_SPENT))
    if last or not undoable or not is_judged_alone(verdict):
        return decide(verdict, attempt=attempt, attempts=reviewers.attempts), verdict
    if _take_from_budget(undoable, reviewers=reviewers, spent=BUDGET_SPENT):
        return Step.RETRY, verdict
    step = decide(verdict, attempt=attempt, attempts=reviewers.attempts, may_undo=False)
    return step, replace(verdict, findings=(*verdict.findings, BUDGET_SPENT))


def _take_from_budget(
    undoable: Sequence[LiveAction], *, reviewers: Reviewers, spent: Finding
) -> bool:
    """Take these out of what their tenant allows to undo without a fact. Whether there was room."""
    if not undoable:
        return True
    tenant = undoable[0].opening.tenant
    if reviewers.undos.take(tenant, len(undoable)):
        return True
    if reviewers.undos.is_news(tenant):
        _report.warning(spent.issue)
    return False


async def settle_reviewed(
    actions: Iterable[LiveAction],
    verdict: Verdict,
    *,
    book: JournalWriter,
    late: bool = False,
    keep: Sequence[Kept] = (),
) -> None:
    """Write down that actions stand, with the reviewers of each, if any."""
    reviewed: dict[tuple[tuple[str, ...], tuple[str, ...]], list[LiveAction]] = {}
    for action in actions:
        note_looks(action, verdict)
        muted = verdict.muted.get(action.opening.call or action.id, ())
        reviewed.setdefault((action.looked, muted), []).append(action)
    after = ", in a late review" if late else ""
    changes = []
    for (looked, muted), found in reviewed.items():
        facts: dict[str, object] = {"muted": ", ".join(muted)} if muted else {}
        if looked:
            facts["by"] = f"{' and '.join(looked)}{after}"
            changes.append(StateChange(actions=found, state=State.VERIFIED, facts=facts))
            continue
        other = "other " if muted else ""
        why = f"No {other}check reviewed it, and no judge was asked."
        changes.append(StateChange(actions=found, state=State.UNCHECKED, why=why, facts=facts))
    await book.move_together(changes, keep=keep)


def note_looks(action: LiveAction, verdict: Verdict) -> None:
    """Remember the reviewers of an action; for a turn inside another, that turn's review has set
    them."""
    action.looked = verdict.looked.get(action.opening.call or action.id, action.looked)


_TO_BE_REVIEWED = UNCERTAIN | AWAITING_REVIEW
"""States from which an action may yet come to a late review."""


def gather_evidence(turn: OpenTurn, attempt: LiveAttempt) -> bytes:
    """What a call that is awaiting approval rests on; the next one will bring it too."""
    return _pack(turn, attempt, notes=_list_new(attempt.notes, attempt.trail.note))


def bring_evidence(
    turn: OpenTurn, attempt: LiveAttempt, *, actions: Sequence[LiveAction], book: JournalWriter
) -> list[Kept]:
    """What has been shown since the last action was put on record, and what leads to it from the
    evidence before it; from now on it is told."""
    trail, parent = attempt.trail, actions[0].opening.parent
    keep = [book.keep_shared(actions, "evidence", _tell(turn, attempt))]
    before, trail.owner, trail.parts = trail.owner, parent or actions[0].id, 0
    trail.shared = parent is not None
    if before is not None:
        value, until = trail.owner.encode(), book.clock() + SHARED_LIFE
        keep.append(Kept(owner=before, name=FOLLOWING, value=value, expires_at=until))
    return keep


def follow_undeclared(turn: OpenTurn, *, book: JournalWriter) -> None:
    """An undeclared call came back: it goes behind the last action, if there is one.

    It is not waited for, and not synced: only what the machine had no time for is lost.
    """
    try:
        kept = _build_part(turn, book=book)
        if kept is not None:
            book.journal.submit([], keep=[kept])
    except Exception as error:  # noqa: BLE001 - the call itself was made, and must not fail by this
        _report.warning("An undeclared call is not kept (%s).", type(error).__name__)


async def keep_rest(turn: OpenTurn, *, book: JournalWriter) -> None:
    """What was shown since the last action: the turn ends, and what it did may be reviewed late."""
    whole = turn.attempt.list_whole()
    open_ones = any(each.list_in_state(*_TO_BE_REVIEWED) for each in whole)
    if not open_ones or not any(_has_news(each) for each in whole):
        return
    kept = _build_part(turn, book=book)
    try:
        await book.move_together([], keep=[] if kept is None else [kept])
    except MulliganError as error:
        # The turn has still ended; a late review sees less of it.
        _report.warning("The latest results of a turn could not be kept: %s", error)


def _build_part(turn: OpenTurn, *, book: JournalWriter) -> Kept | None:
    """A part of the nearest trail that there is: of this turn, or of one around it."""
    carrier: OpenTurn | None = turn
    while carrier is not None and carrier.attempt.trail.owner is None:
        carrier = carrier.outer
    if carrier is None:
        return None
    trail = carrier.attempt.trail
    trail.parts += 1
    until = book.clock() + SHARED_LIFE if trail.shared else None
    value = _tell(carrier, carrier.attempt)
    name = name_trail(trail.parts)
    return Kept(owner=str(trail.owner), name=name, value=value, expires_at=until)


def _tell(turn: OpenTurn, attempt: LiveAttempt) -> bytes:
    """Pack what is new, also what turns inside it did undeclared, and take it for told."""
    notes = _list_new(attempt.notes, attempt.trail.note)
    undeclared = []
    for part in attempt.list_whole():
        untracked = _list_new(part.untracked, part.trail.untracked)
        part.trail.untracked = untracked[-1] if untracked else part.trail.untracked
        for each in untracked:
            action = each.build()
            undeclared.append(
                UndeclaredCall(
                    id=action.id,
                    opening=action.opening,
                    arguments=action.record.arguments,
                    came_back=each.came_back,
                )
            )
    packed = _pack(turn, attempt, notes=notes, undeclared=undeclared)
    attempt.trail.note = notes[-1] if notes else attempt.trail.note
    return packed


def _pack(
    turn: OpenTurn,
    attempt: LiveAttempt,
    *,
    notes: Sequence[Callable[[], Execution]],
    undeclared: Sequence[UndeclaredCall] = (),
) -> bytes:
    first, before = attempt.trail.owner is None, turn.attempts[: attempt.number - 1]
    return pack_evidence(
        turn.turn,
        [note() for note in notes],
        earlier=[done for each in before for done in each.list_standing()] if first else (),
        history=turn.turn.history if first else NO_HISTORY,
        undeclared=undeclared,
        previous=attempt.trail.owner,
    )


def _has_news(attempt: LiveAttempt) -> bool:
    trail = attempt.trail
    return any(
        kept and kept[-1] is not told
        for kept, told in ((attempt.notes, trail.note), (attempt.untracked, trail.untracked))
    )


def _list_new(kept: Sequence[T], told: T | None) -> list[T]:
    """What was added after the last that was told: the oldest may have gone meanwhile."""
    new: list[T] = []
    for each in reversed(list(kept)):
        if each is told:
            break
        new.append(each)
    return new[::-1]
