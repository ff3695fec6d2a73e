"""The one idea: attempt, review, decide, undo, correct, and again.

Actions, calls, replies and drafts are this engine with other arguments. It knows no clock, no
store and no model: all of them come in as functions, and what happened comes out as rounds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from msgspec import Struct

from mulligan.types.policy import Step

S = TypeVar("S")
"""The subject: what an attempt makes and a review looks at."""
V = TypeVar("V")
"""The verdict of a review."""
C = TypeVar("C")
"""The correction that the next attempt gets."""


class Round(Struct, Generic[S, V], frozen=True, kw_only=True):
    """One attempt, what the review said of it, and what was decided."""

    number: int
    subject: S
    verdict: V
    step: Step


class Loop(Struct, Generic[S, V, C], frozen=True, kw_only=True):
    """What makes a loop: four functions, and a fifth where something is left to undo."""

    attempt: Callable[[int, C | None], Awaitable[S]]
    """Make the subject, on the given try, told the given correction."""
    review: Callable[[S], Awaitable[V]]
    decide: Callable[[S, V, int], Step]
    correct: Callable[[S, V], Awaitable[C | None]]
    """What to tell the next attempt. `None`: there is nothing to say, so there is no next."""
    undo: Callable[[S, V], Awaitable[None]] | None = None
    """Undo what a rejected attempt did. Called before a retry, and before giving up.
    `None`: an attempt of this loop leaves nothing behind."""

    async def play(self, subject: S, *, number: int) -> tuple[Round[S, V], C | None]:
        """Everything that follows an attempt, up to what the next one is told."""
        verdict = await self.review(subject)
        step = self.decide(subject, verdict, number)
        if self.undo is not None and step in (Step.RETRY, Step.GIVE_UP):
            await self.undo(subject, verdict)
        correction = await self.correct(subject, verdict) if step is Step.RETRY else None
        if step is Step.RETRY and correction is None:
            step = Step.GIVE_UP
        return Round(number=number, subject=subject, verdict=verdict, step=step), correction


async def run_loop(loop: Loop[S, V, C], *, first: S | None = None) -> tuple[Round[S, V], ...]:
    """Go round until something is accepted, deferred or given up. The last round is the outcome.

    `first` is a subject that was made already, where the first attempt is worth no ceremony.
    `decide` sees the number of the attempt and bounds the rounds.
    """
    rounds: list[Round[S, V]] = []
    correction: C | None = None
    subject = first
    while True:
        number = len(rounds) + 1
        if subject is None:
            subject = await loop.attempt(number, correction)
        played, correction = await loop.play(subject, number=number)
        rounds.append(played)
        if played.step is not Step.RETRY:
            return tuple(rounds)
        subject = None
