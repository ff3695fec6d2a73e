"""A turn from the request to the answer: attempt, review, undo, correct, and once more."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, cast

from msgspec.structs import replace

from mulligan.checks.subject import watch_checks
from mulligan.loops.actions import (
    Attempted,
    RejectedAction,
    Reviewers,
    look_at,
    render_correction,
    render_question,
    review_attempt,
)
from mulligan.loops.checking import run_checks_now
from mulligan.process.fault_points import Point, checkpoint
from mulligan.runtime.context import (
    LiveAttempt,
    OpenTurn,
    Reviewed,
    TurnResult,
    gather_existing_ids,
    is_typed,
    render_note,
)
from mulligan.runtime.episodes import Ended
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.payloads import Rejection
from mulligan.runtime.probe import settle
from mulligan.runtime.review import (
    choose_step,
    is_idle,
    join_unseen,
    keep_rest,
    note_looks,
    requires_verdict,
    settle_reviewed,
)
from mulligan.runtime.rollback import build_rejected_action, dispute_all, undo_all
from mulligan.runtime.waiting import Waiter
from mulligan.types.action import HOLDS, RECOVERABLE, SETTLED, Kept, State, UndoResult
from mulligan.types.call import Execution
from mulligan.types.engine import Loop, Round, run_loop
from mulligan.types.errors import MulliganError
from mulligan.types.finding import Correction, Standing, Verdict
from mulligan.types.policy import Step
from mulligan.types.reply import Replied
from mulligan.types.turn import Attempt

_DONE = "a person approved it, and it was done"
_UNSURE = "a person approved it, and it may or may not have taken effect"
_WHY: Mapping[State, str] = {
    State.APPROVED: "a person approved it, and it is about to be done",
    State.INTENT: "a person approved it, and it is being done",
    State.EXECUTED: _DONE,
    State.UNCHECKED: _DONE,
    # As a version before this one has written it.
    State.VERIFIED: _DONE,
    State.UNKNOWN: _UNSURE,
    State.NEEDS_HUMAN: _UNSURE,
}


async def list_approved(attempt: LiveAttempt, *, book: JournalWriter) -> list[RejectedAction]:
    """What a rejection has come too late for: a person's decision counts, and an agent is told
    so."""
    held = attempt.list_whole_in_state(*HOLDS)
    await book.read_answers(held)
    attempt.approved.update(action.id for action in held if action.state in _WHY)
    approved = {each for part in attempt.list_whole() for each in part.approved}
    return [
        build_rejected_action(action, result=None, why=why, certain=why == _DONE, blocks=False)
        for action in attempt.list_whole_in_state(*_WHY)
        if action.id in approved and (why := _WHY.get(action.state or State.HELD))
    ]


_report = logging.getLogger("mulligan")

Agent = Callable[[OpenTurn], Awaitable[object]]
"""What acts: it is told the turn, calls tools, and gives a reply."""


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Output = TypeVar("Output", default=Any)
else:
    from typing import TypeVar

    Output = TypeVar("Output")


class Done(TurnResult, Generic[Output], frozen=True, kw_only=True):
    """The result of a turn."""

    output: Output
    """What the agent gave at last, as it gave it, whatever its result: `standing` has that."""
    attempts: tuple[Attempt, ...]
    open_actions: tuple[str, ...]
    """Ids of actions that need attention."""
    replied: Replied | None = None
    """How the text itself was checked, where the application has rules for replies."""

    @property
    def reply(self) -> Output | str:
        """What the person reads: the agent's text with the note under it, or the question.

        A reply that is no text is given as it is, where it is `finished`. Else this raises
        `UnfinishedRunError`, as the object would look as if all of it was done: see `output`.
        """
        said = self.output if self.replied is None else self.replied.text
        if is_typed(said) and not self.is_done():
            raise self.build_error(said)
        return cast("Output | str", self.choose_reply(said))


class TurnLoop:
    """One turn under way: the five functions of the engine, and what they share."""

    def __init__(
        self,
        turn: OpenTurn,
        *,
        reviewers: Reviewers,
        book: JournalWriter,
        on_entering: Callable[[], None] = lambda: None,
        on_leaving: Callable[[Collection[str]], None] = lambda _: None,
        remember: Callable[[OpenTurn, Sequence[Ended]], None] | None = None,
    ) -> None:
        self.turn = turn
        self._reviewers = reviewers
        self._book = book
        self._on_entering = on_entering
        self._on_leaving = on_leaving
        self._remember = remember
        self._verdicts: dict[int, Verdict] = {}
        """By the number of the attempt; one that goes on after a review has the last."""
        self._standings: dict[str, Standing] = {}
        """The result of each call's review, by its id."""
        self._review_kept: list[Kept] = []
        """The result of the last review, until a step is written that it belongs to."""
        self._settled = 0
        """The last finished attempt: tries are counted from there."""
        self._disputed: set[int] = set()
        """Attempts that a person decides on: nothing of them is undone meanwhile."""
        self._reviewed: list[LiveAction] = []
        """What the last review has seen: what came back later was not reviewed."""
        self._rejected: list[RejectedAction] = []
        """The result of the last rejection."""
        self._stood: list[RejectedAction] = []
        """What earlier rejections could not undo, and a later attempt went on beside."""

    async def run(self, agent: Agent) -> Done[Any]:
        """Go through the turn. What the agent raises comes through, its actions settled first."""
        async with self.turn:
            rounds = await run_loop(self._build_loop(partial(self._attempt, agent)))
            await self._end(rounds[-1])
        return self._build_done(rounds[-1])

    async def review(self, reply: object) -> Reviewed:
        """Review what was done since the last review, and do what follows from the verdict."""
        number = self.turn.attempt.number
        played, correction = await self._build_loop(self._begin).play(reply, number=number)
        if correction is None:
            await self._end(played)
        undone = correction is None and played.step is Step.GIVE_UP
        reviewed = Reviewed(
            correction=correction,
            idle=is_idle(played.verdict),
            **self._sum_up(played, note=correction is None, question=undone),
        )
        await self._go_on(played, correction)
        return reviewed

    async def _go_on(self, last: Round[object, Verdict], correction: Correction | None) -> None:
        """What is done after a review: another try, or something new, as in a turn of many calls.

        What was found wrong is not looked at again with what comes after it.
        """
        number = last.number
        if correction is None:
            self._settled = number if last.step in (Step.GIVE_UP, Step.DISPUTE) else number - 1
            self._rejected, self._stood = [], []
        if correction is not None or self._settled == number:
            await self._begin(number + 1, correction)

    def enter(self) -> None:
        """The turn begins."""
        self._on_entering()

    def clears(self, proposed: Execution) -> bool:
        """Whether checks have looked at a call that was not made yet, and all are content."""
        from mulligan.checks.facts import find_denials

        attempted, read = self._build_attempted(), set[str]()
        whole = replace(attempted, executions=(*attempted.executions, proposed))
        checks = self._reviewers.checks
        findings, answered = run_checks_now(whole, watch_checks(checks, read))
        denied, computed = run_checks_now(whole, (find_denials,))
        looked = look_at(whole, checks, read).calls.get(proposed.call.id, ())
        return "checks" in looked and answered and computed and not [*findings, *denied]

    async def leave(self, *, failed: bool, waiter: Waiter) -> None:
        """The turn is over. Its actions that were not reviewed go to a later review.

        That it was delivered is on disk before the reply is shown. Where the turn failed, its reply
        was not seen, and a rejection still undoes.
        """
        await keep_rest(self.turn, book=self._book.with_waiter(waiter))
        if self.turn.is_inner:
            # It belongs to the turn that it was opened in, and ends with that.
            self._keep_memory()
            return
        actions = self.turn.list_actions()
        left = [action for action in actions if action.state is State.EXECUTED]
        if left and not failed:
            await self._write_end(left, waiter)
        self._book.let_go(actions)
        if any(action.state in _DUE for action in actions):
            self._on_leaving([each.id for each in actions if each.state not in SETTLED])
        self._keep_memory()

    async def _write_end(self, left: Sequence[LiveAction], waiter: Waiter) -> None:
        """Each on its own if not all at once: another process may have one by now."""
        book, facts = self._book.with_waiter(waiter), {"delivered": True}
        why = "The turn ended without a review."
        try:
            await book.move(left, State.PENDING_REVIEW, why=why, facts=facts)
        except MulliganError as error:
            if len(left) > 1:
                for action in left:
                    await self._write_end([action], waiter)
                return
            # The turn has still ended well; recovery finds what is open.
            _report.warning("The end of a turn could not be written: %s", error)

    def _keep_memory(self) -> None:
        if self._remember is not None:
            self._remember(self.turn, self._list_ended() if self.turn.episodes else ())

    def _list_ended(self) -> list[Ended]:
        """Every call of the turn, with the result of its attempt's review."""
        return [
            Ended(
                execution=execution,
                accepted=self._standings.get(execution.call.id) is Standing.ACCEPTED,
                rejected=self._standings.get(execution.call.id) is Standing.REJECTED,
            )
            for attempt in self.turn.attempts
            for execution in attempt.list_executions()
        ]

    def _build_loop(
        self, attempt: Callable[[int, Correction | None], Awaitable[object]]
    ) -> Loop[object, Verdict, Correction]:
        return Loop(
            attempt=attempt,
            review=self._review,
            decide=self._decide,
            undo=self._undo,
            correct=self._correct,
        )

    async def _begin(self, number: int, correction: Correction | None) -> None:
        if number > 1:
            attempt = LiveAttempt(turn=self.turn.turn, number=number, correction=correction)
            self.turn.attempts.append(attempt)

    async def _attempt(self, agent: Agent, number: int, correction: Correction | None) -> object:
        await self._begin(number, correction)
        try:
            return await agent(self.turn)
        except Exception:
            # No reply will be shown; what was done still changed a calendar.
            verdict = await self._review(None)
            match self._decide(None, verdict, number):
                case Step.RETRY | Step.GIVE_UP:
                    await self._undo(None, verdict)
                case Step.DISPUTE:
                    await self._dispute()
                case Step.ACCEPT | Step.DEFER:
                    await self._mark(verdict, delivered=False)
            raise

    async def _review(self, reply: object) -> Verdict:
        attempt = self.turn.attempt
        await settle(attempt.list_in_state(State.UNKNOWN), book=self._book)
        inner = [a for a in attempt.list_inner() if a.state is State.EXECUTED and a.accepted]
        self._reviewed = [*attempt.list_in_state(State.EXECUTED), *inner]
        verdict = await review_attempt(
            self._build_attempted(reply),
            by=self._reviewers,
            attempt=attempt.number - self._settled,
            judged=attempt.asks,
        )
        verdict = join_unseen(verdict, attempt)
        self._verdicts[attempt.number] = verdict
        await checkpoint(Point.REVIEWED)
        return verdict

    def _build_attempted(self, reply: object = None) -> Attempted:
        *before, attempt = self.turn.attempts
        tries = [each for each in before if each.number > self._settled]
        return Attempted(
            turn=self.turn.turn,
            executions=attempt.list_executions(),
            reply=reply,
            facts=gather_existing_ids(attempt.actions),
            earlier=(
                *self.turn.turn.history.executions,
                *(execution for each in before for execution in each.list_standing()),
            ),
            acted=attempt.list_changing(),
            leftovers=any(a.state in _LEFT for a in self.turn.list_actions()),
            again=any(each.has_acted() for each in tries) and not attempt.has_acted(),
        )

    def _decide(self, reply: object, verdict: Verdict, number: int) -> Step:  # noqa: ARG002
        current = self.turn.attempt
        standing = current.list_whole_in_state(State.EXECUTED)
        step, decided = choose_step(
            verdict,
            attempt=number - self._settled,
            reviewers=self._reviewers,
            standing=standing,
        )
        self._verdicts[number] = decided
        told = current.correction
        self._review_kept = self._book.build_review(
            decided, turn=self.turn.id, attempt=number, told="" if told is None else told.text
        )
        if not any(attempt.actions for attempt in current.list_whole()):
            self._book.keep_later(self._take_review())
        for execution in current.list_executions():
            if self._standings.get(execution.call.id) is not Standing.ACCEPTED:
                self._standings[execution.call.id] = decided.standing
        if verdict.standing is not Standing.UNCHECKED:
            return step
        executed = current.list_in_state(State.EXECUTED)
        unseen = [each for each in executed if each.opening.call in verdict.unchecked]
        return Step.GIVE_UP if requires_verdict(unseen) else step

    def _take_review(self) -> list[Kept]:
        kept, self._review_kept = self._review_kept, []
        return kept

    async def _undo(self, reply: object, verdict: Verdict) -> None:  # noqa: ARG002
        attempt, why = self.turn.attempt, Rejection(verdict.errors)
        self._stood += [taken for taken in self._rejected if not taken.blocks]
        taken = await undo_all(attempt, book=self._book, why=why, keep=self._take_review())
        named = {each.action for each in taken}
        approved = await list_approved(attempt, book=self._book)
        self._rejected = [*taken, *(each for each in approved if each.action not in named)]

    async def _correct(self, reply: object, verdict: Verdict) -> Correction | None:  # noqa: ARG002
        """What the agent is told; after an undo that failed there is no second attempt."""
        stuck = (taken for taken in self._rejected if taken.result is not UndoResult.RESTORED)
        if any(taken.blocks for taken in stuck):
            return None
        await checkpoint(Point.CORRECTED)
        return render_correction(verdict, self._rejected)

    async def _end(self, last: Round[object, Verdict]) -> None:
        why = "Its answer came after its attempt was rejected."
        for attempt in self.turn.attempts[:-1]:
            if attempt.number not in self._disputed and attempt.has_late_answers():
                await undo_all(attempt, book=self._book, why=why)
        if last.step is Step.DISPUTE:
            self._disputed.add(last.number)
            await self._dispute()
        elif last.step in (Step.ACCEPT, Step.DEFER):
            await self._mark(last.verdict, delivered=True)
        # A person may have answered meanwhile.
        await self._book.read_answers(self.turn.list_actions())

    async def _dispute(self) -> None:
        """Mark an attempt's actions as disputed, so that a person may have them undone."""
        why = Rejection(self._verdicts[self.turn.attempt.number].errors)
        keep = self._take_review()
        await dispute_all(self.turn.attempt, book=self._book, why=why, keep=keep)

    async def _mark(self, verdict: Verdict, *, delivered: bool) -> None:
        """Nothing unreviewed is called verified, and nothing of a turn inside another alone."""
        stands = verdict.standing in (Standing.ACCEPTED, Standing.UNCHECKED)
        if self.turn.is_inner:
            self._book.keep_later(self._take_review())
            self.turn.attempt.verdict = verdict if stands else None
            for action in self._reviewed:
                action.accepted = stands
                note_looks(action, verdict)
            return
        seen = [action for action in self._reviewed if action.state is State.EXECUTED]
        unread: dict[str, object] = {"delivered": delivered}
        if not seen:
            # No step follows that it could be written with.
            self._book.keep_later(self._take_review())
        keep = self._take_review()
        if stands:
            await settle_reviewed(seen, verdict, book=self._book, keep=keep)
        else:
            await self._book.move(seen, State.PENDING_REVIEW, keep=keep, facts=unread)
        if late := self.turn.attempt.list_whole_in_state(State.EXECUTED):
            why = "Its answer came during the review."
            await self._book.move(late, State.PENDING_REVIEW, why=why, facts=unread)
        await checkpoint(Point.MARKED)

    def _build_done(self, last: Round[object, Verdict]) -> Done[Any]:
        undone = last.step is Step.GIVE_UP
        return Done(
            output=last.subject,
            attempts=tuple(
                Attempt(
                    number=attempt.number,
                    correction=attempt.correction,
                    calls=tuple(
                        dict.fromkeys(e.call.parent or e.call.id for e in attempt.list_executions())
                    ),
                    verdict=verdict,
                )
                for attempt, verdict in zip(
                    self.turn.attempts, self._verdicts.values(), strict=False
                )
            ),
            open_actions=tuple(
                action.id for action in self.turn.list_actions() if action.state not in SETTLED
            ),
            **self._sum_up(last, note=not undone, question=undone),
        )

    def _sum_up(
        self, last: Round[object, Verdict], *, note: bool, question: bool
    ) -> dict[str, Any]:
        """The fields of a `TurnResult`."""
        verdict, actions = last.verdict, self.turn.list_actions()
        rejected = [*self._stood, *self._rejected]
        stands = last.step in (Step.ACCEPT, Step.DEFER)
        return {
            "standing": verdict.standing,
            "confidence": verdict.shown_confidence,
            "findings": self._verdicts[last.number].findings,
            "note": render_note(verdict, actions) if note and not self.turn.is_inner else "",
            "question": render_question(verdict, rejected) if question else "",
            "stands": stands and verdict.standing is not Standing.REJECTED,
            "waits": any(action.state in HOLDS for action in actions),
        }


_LEFT = frozenset(State) - SETTLED - {State.EXECUTED}

_DUE = RECOVERABLE - {State.HELD}
"""What recovery has to do with at once; a hold waits for a person."""
