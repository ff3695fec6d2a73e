"""One run of a host's agent: a turn, whose calls and reply come from the host."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any

from msgspec.structs import replace

from mulligan.redaction.redactor import hide_in_arguments
from mulligan.runtime.advice import find_host_refusal, plan_call, predict_failure
from mulligan.runtime.call import ActiveCall, begin_call
from mulligan.runtime.context import (
    NextCall,
    OpenTurn,
    Reviewed,
    carry,
    is_typed,
    read_context,
)
from mulligan.runtime.hold import Held
from mulligan.runtime.host_tools import Hosted, HostedTools, HostHolds
from mulligan.runtime.journaled_call import JournaledCall
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.lookup import Advised, RepairedCall
from mulligan.runtime.outcome import build_proposal
from mulligan.runtime.reply import Rewrite, join_standings
from mulligan.runtime.tool import Tool
from mulligan.runtime.waiting import ON_LOOP
from mulligan.types.action import SETTLED, Kept, State
from mulligan.types.adapter import Answer, Called, HostCall
from mulligan.types.call import Call, Execution
from mulligan.types.display import format_value
from mulligan.types.effect import Precheck
from mulligan.types.errors import AlreadyDoneError, HeldError, StaleEntryError
from mulligan.types.finding import Correction, Severity, Standing
from mulligan.types.reply import Replied
from mulligan.types.turn import CallKey, name_call


async def hold_ahead(tool: Tool, arguments: Mapping[str, object], *, turn: OpenTurn) -> Held | None:
    """Hold a call of the current turn; `None` where it is to be made, which may also refuse it."""
    call = begin_call(tool, ((), dict(arguments)), waiter=ON_LOOP)
    if await find_host_refusal(call) is not None or _is_refused(call, turn):
        return None
    return await JournaledCall(call=call, turn=turn, attempt=turn.attempt).hold_ahead()


def _is_refused(call: ActiveCall, turn: OpenTurn) -> bool:
    """Whether no approval is needed: by what is known, the call is not made at all."""
    tool = call.tool
    if tool.declaration.failures.precheck is not Precheck.REFUSE:
        return False
    planned = plan_call(tool, build_proposal(call).call, turn=turn)
    return any(each.severity is Severity.ERROR for each in predict_failure(tool, planned))


CheckReply = Callable[[str, Rewrite], Awaitable[Replied]]
"""Checks a reply, and has it written again until it is good or the bound is met."""


class Rewriting:
    """One reply under way, whose next text comes from outside whenever its host has it."""

    def __init__(self, check: CheckReply) -> None:
        self._check = check
        self._task: asyncio.Future[Replied] | None = None
        self._asked: asyncio.Future[Correction] = asyncio.get_running_loop().create_future()
        self._written: asyncio.Future[str] | None = None

    async def offer(self, text: str) -> Correction | Replied:
        """Bring a text: what is to be told about it, or the result of them all."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._check(text, self._rewrite))
        elif self._written is not None and not self._written.done():
            # Else it comes too late: the time for it was up, and another text goes out.
            self._written.set_result(text)
        either: list[asyncio.Future[Any]] = [self._task, self._asked]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            return self._task.result()
        correction = self._asked.result()
        self._asked = asyncio.get_running_loop().create_future()
        return correction

    async def stop(self) -> None:
        """No further text will come."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            with suppress(asyncio.CancelledError, Exception):  # no caller waits any more
                await self._task

    async def _rewrite(self, correction: Correction) -> str:
        self._written = asyncio.get_running_loop().create_future()
        self._asked.set_result(correction)
        return await self._written


_report = logging.getLogger("mulligan")

MOST_CALLS = 500
"""Calls of one turn: each is kept with its result until the turn ends."""


class Run:
    """A host's run under way."""

    def __init__(
        self,
        turn: OpenTurn,
        *,
        tools: HostedTools,
        holds: HostHolds,
        keep: Callable[[Kept], Awaitable[None]],
        check: CheckReply | None = None,
        on_answer: Callable[[Answer], object] | None = None,
        keep_unfinished: bool = False,
    ) -> None:
        self.turn = turn
        self._tools = tools
        self._holds = holds
        self._keep = keep
        self._check = check
        self._on_answer = on_answer
        self._keep_unfinished = keep_unfinished
        self._reviewed: Reviewed | None = None
        """What was said of what was done, while only the text is written again."""
        self._seen: frozenset[str] = frozenset()
        """The calls that this was said of, as far as they changed something."""
        self._rewriting: Rewriting | None = None
        self._calls = 0
        self._acted: dict[int, list[CallKey]] = {}
        """By attempt: the calls with an effect, as the host has them in its conversation."""
        turn.begin()

    @property
    def id(self) -> str:
        """The turn's, as on every row of the log."""
        return self.turn.id

    @property
    def is_full(self) -> bool:
        """Whether the next call is the last that is kept of it."""
        return self._calls + 1 >= MOST_CALLS

    def note_tools(self, count: int) -> None:
        """How many tools its agent has."""
        self.turn.note_tools(count)

    async def call(self, call: HostCall) -> Called:
        """Make a call: logged, repaired, journaled or held as its tool was declared."""
        self._calls += 1
        with self.turn.make_current():
            wrapped, tool = self._tools.find(call), self._tools.find_tool(call)
            waited = None
            if tool is not None and tool.reach.has_effect:
                named = Call(id=call.id, tool=call.tool, arguments=call.arguments)
                self._acted.setdefault(self.turn.attempt.number, []).append(name_call(named))
                waited = await self._holds.find(call)
            if waited is None:
                if call.approved and tool is not None:
                    return await self._make_approved(call, wrapped, tool=tool)
                return await self._make(call, wrapped)
            asked = call
            if waited.replaced:
                call = replace(call, arguments=waited.action.record.arguments)
                self._hear_changes(asked.arguments, call.arguments)
            if waited.made:
                self._note_made(waited.action)
                called = Called(result=waited.action.record.result)
            else:
                called = await self._make(call, wrapped, approved=waited.action)
                await self._holds.forget(asked)
            return _tell_change(called, call) if waited.replaced else called

    async def _make_approved(self, call: HostCall, wrapped: Hosted | None, *, tool: Tool) -> Called:
        """Make a call that a person has approved in the host, where it was not on hold here."""
        made = tool.runtime.make_id()
        self.turn.attempt.approved.add(made)
        before = await self._holds.replace(call, by=made)
        if before is not None or call.edited:
            self._hear_changes(before or {}, call.arguments)
        try:
            with carry(read_context()._replace(next_call=[NextCall(id=made)])):
                called = await self._make(call, wrapped)
        except HeldError as held:
            if held.action != made:
                # It was repaired in between: that is not what the person has seen.
                raise
            called = await self.call(call)
        return called if before is None else _tell_change(called, call)

    def _hear_changes(self, asked: Mapping[str, object], given: Mapping[str, object]) -> None:
        """What a person left as it was is still the model's."""
        changes = {n: v for n, v in given.items() if n not in asked or asked[n] != v}
        self.turn.hear(changes)

    async def _make(
        self, call: HostCall, wrapped: Hosted | None, *, approved: LiveAction | None = None
    ) -> Called:
        held: dict[str, Held] = {}
        said: list[Advised | RepairedCall] = []
        context = read_context()._replace(held=held, said=said, resumed=approved, once=call.once)
        result: object = None
        try:
            with carry(context):
                result = await self._enter(call, wrapped)
        except StaleEntryError:
            # Another caller was quicker with the same approval; what it gets is the result.
            made = approved and await self._holds.follow(call, approved.id)
            if not made or not made.made:
                raise
            return Called(result=made.action.record.result)
        except Exception:
            if call.tool not in held:
                raise
        waits = result if isinstance(result, Held) else held.get(call.tool)
        if waits is not None:
            await self._holds.keep(call, waits.hold)
            raise HeldError(str(waits), action=waits.hold.action, why=waits.hold.reason)
        return Called(result=result, note=_choose_note(said, result))

    def _note_made(self, action: LiveAction) -> None:
        """Have the attempt know what was made for it elsewhere: it is not to be made again."""
        attempt = self.turn.attempt
        if action.state in SETTLED and action.id not in attempt.approved:
            attempt.actions.append(action)
            attempt.approved.add(action.id)

    async def _enter(self, call: HostCall, wrapped: Hosted | None) -> object:
        if wrapped is None:
            with self._tools.expect(call, turn=self.turn):
                return await call.make(call.arguments)
        with carry(read_context()._replace(in_host=call)):
            return await wrapped(**call.arguments)

    def list_actions(self) -> tuple[str, ...]:
        """The ids of all that was done or tried so far and is on record."""
        return tuple(action.id for action in self.turn.list_actions())

    def may_hold(self, call: HostCall) -> bool:
        """Whether calls of a tool may have to wait, for a host that asks before it calls."""
        return self._tools.may_hold(call)

    async def hold(self, call: HostCall) -> HeldError | None:
        """Put a call on hold if it has to wait. Nothing is made of it."""
        with self.turn.make_current():
            self._tools.find(call)
            tool = self._tools.find_tool(call)
            if tool is None or not self.may_hold(call):
                return None
            try:
                if await self._holds.find(call) is not None:
                    return None
                with carry(read_context()._replace(in_host=call, held={})):
                    held = await hold_ahead(tool, call.arguments, turn=self.turn)
            except HeldError as waits:
                return waits
            except AlreadyDoneError:
                return None  # it is told by the call
            if held is None:
                return None
            await self._holds.keep(call, held.hold)
            return HeldError(str(held), action=held.hold.action, why=held.hold.reason)

    async def is_released(self, call: HostCall) -> bool:
        """Whether a call was held and may be made now, as a person has said."""
        return await self._holds.find(call) is not None

    async def review(self, reply: object, *, last: bool = False) -> Answer:
        """Review what was done since the last review, and the reply, before it is shown."""
        with self.turn.make_current():
            reviewed = await self._review_done(reply)
            if reviewed.correction is None:
                answer = await self._check_text(reviewed, reply)
            else:
                told = "" if last else reviewed.correction.text
                answer = self._build_answer(reviewed, reply, feedback=told)
        if not answer.feedback:
            self._tell(answer)
        return answer

    async def review_failed(self) -> str:
        """Why the effect of a failed call was undone; empty where it was not."""
        if not self.turn.attempt.list_whole_in_state(State.EXECUTED):
            return ""
        answer = await self.review(None)
        return "" if answer.stands else answer.refusal

    def deliver(self, reply: object) -> Answer:
        """The reply is out already, and its agent cannot go on."""
        answer = Answer(reply=reply, standing=Standing.UNREVIEWED, confidence=None)
        self._tell(answer)
        return answer

    def make_current(self) -> AbstractContextManager[None]:
        """What is done in here belongs to the turn, also what is not brought as a call."""
        return self.turn.make_current()

    def add_instructions(self, text: str) -> None:
        """What its model is shown beside messages."""
        self.turn.turn.history.add_instructions(text)

    def list_returned(self) -> list[Execution]:
        """The calls that stand."""
        return self.turn.list_standing()

    async def keep_dropped(self, messages: bytes) -> None:
        """Keep the messages of a rejected attempt for a later look at the turn."""
        rejected = len(self.turn.attempts) - 1
        await self._keep(Kept(owner=self.id, name=f"messages {rejected}", value=messages))

    async def leave(self, *, failed: bool = False) -> None:
        """The run is over. What was not reviewed goes to a later review."""
        if self._rewriting is not None:
            await self._rewriting.stop()
        if not failed and not self.turn.is_inner:
            await self._review_pause()
        await self.turn.end(failed=failed)

    async def _review_pause(self) -> None:
        """Review what was done beside calls that await approval, which may come much later.

        Rejected, all of it is undone, and the agent is told so where its run goes on.
        """
        attempt = self.turn.attempt
        held = attempt.list_whole_in_state(State.HELD)
        if not held or not attempt.list_whole_in_state(State.EXECUTED):
            return
        with self.turn.make_current():
            reviewed = await self.turn.review(None)
        told = reviewed.question if reviewed.correction is None else reviewed.correction.text
        if told:
            await self._holds.explain([action.id for action in held], told)

    def _tell(self, answer: Answer) -> None:
        """Call `on_answer`; the answer is sent whatever it raises."""
        try:
            if self._on_answer is not None:
                self._on_answer(answer)
        except Exception:  # noqa: BLE001 - a listener of others
            _report.warning("on_answer failed: the answer is still sent.", exc_info=True)

    async def _review_done(self, reply: object) -> Reviewed:
        """What is to be said of what was done; once, unless more is done while the text is written
        again."""
        if self._reviewed is None or self._list_changing() - self._seen:
            self._reviewed = None
            number = self.turn.attempt.number
            reviewed = await self.turn.review(reply)
            self._note_outcome(number, accepted=reviewed.standing is Standing.ACCEPTED)
            self._seen = self._list_changing()
            return reviewed
        return self._reviewed

    def _note_outcome(self, number: int, *, accepted: bool) -> None:
        """Remember whether the calls of an attempt stand: the host may keep them in its thread."""
        states = {action.state for action in self.turn.attempts[number - 1].actions}
        if accepted or states == {State.UNDONE}:
            self._tools.note_outcomes(self._acted.get(number, ()), stands=accepted)

    def _list_changing(self) -> frozenset[str]:
        whole = self.turn.attempt.list_whole()
        return frozenset(call for attempt in whole for call in attempt.list_changing())

    async def _check_text(self, reviewed: Reviewed, reply: object) -> Answer:
        if self._check is None or not reviewed.stands or not isinstance(reply, str):
            return self._build_answer(reviewed, reply)
        self._reviewed = reviewed
        self._rewriting = self._rewriting or Rewriting(self._check)
        came = await self._rewriting.offer(reply)
        if isinstance(came, Correction):
            return self._build_answer(reviewed, reply, feedback=came.text)
        self._reviewed = self._rewriting = None
        standing, confidence = join_standings(reviewed, came, idle=reviewed.idle)
        answer = self._build_answer(reviewed, came.text)
        return replace(
            answer,
            standing=standing,
            confidence=confidence,
            findings=(*reviewed.findings, *came.findings),
            finished=answer.finished and standing is not Standing.REJECTED,
        )

    def _build_answer(self, reviewed: Reviewed, reply: object, *, feedback: str = "") -> Answer:
        kept = self._keep_unfinished and is_typed(reply)
        done = reviewed.is_done()
        return Answer(
            reply=reply if feedback or kept else reviewed.choose_reply(reply),
            standing=reviewed.standing,
            confidence=reviewed.confidence,
            findings=reviewed.findings,
            note=(reviewed.question if kept else "") or reviewed.note,
            feedback=feedback,
            undone=reviewed.correction is not None or bool(reviewed.question),
            stands=reviewed.stands,
            finished=done,
            unfinished=None if done or self._keep_unfinished else reviewed.build_error(reply),
        )


def _tell_change(called: Called, call: HostCall) -> Called:
    """Tell the agent too, whose own messages have the call as it had asked for it."""
    shown = hide_in_arguments(call.arguments).items()
    given = ", ".join(f"{name}={format_value(value)}" for name, value in shown)
    said = (
        f"[A person changed this call before it ran. It was made with {given or 'no arguments'}. "
        "Do not make the original call again.]"
    )
    return replace(called, note="\n\n".join(filter(None, (said, called.note))))


def _choose_note(said: Sequence[Advised | RepairedCall], result: object) -> str:
    """The last word on a call, unless the result has it already, as under a text."""
    note = str(said[-1]) if said else ""
    return "" if isinstance(result, str) and note in result else note
