"""What a verdict is written down as, whether it was reached in its turn or after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mulligan.core.action import State
from mulligan.core.finding import Confidence, Standing, Verdict
from mulligan.turns.journal.book import Book, StateChange
from mulligan.turns.journal.kept.findings import Rejection
from mulligan.turns.journal.kept.reviews import ReviewedAttempt
from mulligan.turns.journal.live_action import LiveAction
from mulligan.turns.turn.attempt import LiveAttempt
from mulligan.turns.turn.context import OpenTurn

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
    )


def join_inner(verdict: Verdict, attempt: LiveAttempt) -> Verdict:
    """What a review comes to with those of the turns inside it, which have found what they found.

    A look at what an attempt did itself is none at what was done in a turn inside it.
    """
    inner = attempt.list_inner_verdicts()
    if unseen := tuple(attempt.list_unseen_inside()):
        inner.append(Verdict(standing=Standing.UNCHECKED, confidence=None, unchecked=unseen))
    if not inner:
        return verdict
    joined = join_verdicts(inner if is_idle(verdict) else [verdict, *inner])
    return replace(joined, findings=verdict.findings, facts=verdict.facts)


def is_idle(verdict: Verdict) -> bool:
    """Whether there was nothing to look at: nothing was done, or only read."""
    return not (verdict.by or verdict.unchecked or verdict.findings)


async def settle_reviewed(
    actions: Iterable[LiveAction], verdict: Verdict, *, book: Book, late: bool = False
) -> None:
    """Write down that actions stand: who looked at each of them, or that nobody did."""
    reviewed: dict[tuple[str, ...], list[LiveAction]] = {}
    for action in actions:
        note_looks(action, verdict)
        reviewed.setdefault(action.looked, []).append(action)
    why = "No check looked at it, and no judge was asked."
    after = ", in a late review" if late else ""
    await book.move_together(
        [
            StateChange(
                actions=found,
                state=State.VERIFIED,
                facts={"by": f"{' and '.join(looked)}{after}"},
            )
            if looked
            else StateChange(actions=found, state=State.UNCHECKED, why=why)
            for looked, found in reviewed.items()
        ]
    )


def note_looks(action: LiveAction, verdict: Verdict) -> None:
    """Remember who looked at an action; of a turn inside another, that turn's review has said."""
    action.looked = verdict.looked.get(action.opening.call or action.id, action.looked)


def choose_confidence(verdict: Verdict) -> Confidence | None:
    """How sure to call an outcome: one that was rejected to the end is not sure at all."""
    return Confidence.LOW if verdict.standing is Standing.REJECTED else verdict.confidence


def record_verdict(turn: OpenTurn, verdict: Verdict, *, book: Book) -> None:
    """Keep what the review of the attempt that is going on came to."""
    told = turn.correction
    book.record_review(
        ReviewedAttempt(
            turn=turn.id,
            number=turn.attempt.number,
            verdict=replace(verdict, confidence=choose_confidence(verdict)),
            told=told.text if told is not None else "",
        )
    )


def describe_rejection(verdict: Verdict) -> Rejection:
    """Why an attempt was rejected, in one line."""
    return Rejection(verdict.errors)
