"""A turn from the request to the answer: attempt, review, undo, correct, and once more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from mulligan.core.action import SETTLED, State, UndoResult
from mulligan.core.engine import Loop, Round, run_loop
from mulligan.core.finding import Confidence, Correction, Finding, Standing, Verdict
from mulligan.core.interfaces import Check
from mulligan.core.policy import Step, decide
from mulligan.core.turn import Attempt
from mulligan.loops.actions import (
    Attempted,
    TakenBack,
    render_correction,
    render_question,
    review_attempt,
)
from mulligan.turns.attempt import LiveAttempt, take_back_all
from mulligan.turns.book import Book
from mulligan.turns.hands import ON_LOOP
from mulligan.turns.turn import OpenTurn

Agent = Callable[[OpenTurn], Awaitable[object]]
"""What acts: it is told the turn, calls tools, and gives a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a turn."""

    reply: object
    """The agent's reply, or a question to the person where its last attempt was rejected."""
    standing: Standing
    confidence: Confidence | None
    """`None`: not yet checked."""
    findings: tuple[Finding, ...]
    """Of the last attempt."""
    attempts: tuple[Attempt, ...]
    open_actions: tuple[str, ...]
    """Ids of actions that still need somebody."""


class Acting:
    """One turn on its way. The five functions of the engine, and what they share."""

    def __init__(
        self, turn: OpenTurn, agent: Agent, *, checks: Sequence[Check[Attempted]], book: Book
    ) -> None:
        self._turn = turn
        self._agent = agent
        self._checks = checks
        self._book = book
        self._attempts: list[LiveAttempt] = []
        self._corrections: list[Correction | None] = []
        self._taken_back: list[TakenBack] = []

    async def run(self) -> Done:
        """Go through the turn. What the agent raises comes through, its actions settled first."""
        with self._turn:
            rounds = await run_loop(
                Loop(
                    attempt=self._attempt,
                    review=self._review,
                    decide=self._decide,
                    undo=self._undo,
                    correct=self._correct,
                )
            )
            await self._settle(rounds[-1])
        return self._done(rounds)

    async def _attempt(self, number: int, correction: Correction | None) -> object:
        attempt = LiveAttempt(number=number)
        self._attempts.append(attempt)
        self._corrections.append(correction)
        self._turn.attempt, self._turn.correction = attempt, correction
        try:
            return await self._agent(self._turn)
        except Exception:
            # No reply will be shown; what was done is still somebody's calendar.
            verdict = await self._review(None)
            if verdict.standing is Standing.REJECTED:
                await self._undo(None, verdict)
            else:
                await self._mark(verdict)
            raise

    async def _review(self, reply: object) -> Verdict:
        attempt = self._attempts[-1]
        attempted = Attempted(
            turn=self._turn.turn, executions=tuple(attempt.executions), reply=reply
        )
        return review_attempt(attempted, checks=self._checks, attempt=attempt.number)

    def _decide(self, reply: object, verdict: Verdict, number: int) -> Step:  # noqa: ARG002
        return decide(verdict, attempt=number)

    async def _undo(self, reply: object, verdict: Verdict) -> None:  # noqa: ARG002
        why = "; ".join(f"{finding.rule}: {finding.issue}" for finding in verdict.errors)
        self._taken_back = await take_back_all(
            self._attempts[-1], book=self._book, hands=ON_LOOP, why=why
        )

    async def _correct(self, reply: object, verdict: Verdict) -> Correction | None:  # noqa: ARG002
        """Told what really happened. After an undo that failed there is no second attempt."""
        if any(taken.result is not UndoResult.RESTORED for taken in self._taken_back):
            return None
        return render_correction(verdict, self._taken_back)

    async def _settle(self, last: Round[object, Verdict]) -> None:
        if last.step in (Step.ACCEPT, Step.DEFER):
            await self._mark(last.verdict)

    async def _mark(self, verdict: Verdict) -> None:
        """Nothing unreviewed is ever called verified."""
        accepted = verdict.standing is Standing.ACCEPTED
        state = State.VERIFIED if accepted else State.PENDING_REVIEW
        executed = self._attempts[-1].in_state(State.EXECUTED)
        await self._book.move(executed, state, hands=ON_LOOP, by="checks" if accepted else None)

    def _done(self, rounds: Sequence[Round[object, Verdict]]) -> Done:
        last = rounds[-1]
        rejected = last.verdict.standing is Standing.REJECTED
        return Done(
            reply=render_question(last.verdict, self._taken_back) if rejected else last.subject,
            standing=last.verdict.standing,
            confidence=Confidence.LOW if rejected else last.verdict.confidence,
            findings=last.verdict.findings,
            attempts=tuple(
                Attempt(
                    number=attempt.number,
                    correction=correction,
                    calls=tuple(execution.call.id for execution in attempt.executions),
                    verdict=played.verdict,
                )
                for attempt, correction, played in zip(
                    self._attempts, self._corrections, rounds, strict=True
                )
            ),
            open_actions=tuple(
                action.id
                for attempt in self._attempts
                for action in attempt.actions
                if action.state not in SETTLED
            ),
        )
