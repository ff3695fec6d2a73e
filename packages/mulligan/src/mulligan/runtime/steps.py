"""The steps of a turn that an engine keeps: each found again by its id, in whichever process.

A step may be asked for twice: the process that made it was killed before its engine wrote down what
it came to. Its call has an id that is computed from the turn and the step, so that the journal says
its result; only what certainly did not happen is made again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from msgspec import Struct

from mulligan.codec import to_plain
from mulligan.runtime.context import (
    LiveAttempt,
    NextCall,
    OpenTurn,
    carry,
    is_typed,
    read_context,
)
from mulligan.runtime.host_run import Run
from mulligan.runtime.host_tools import HostHolds
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.live_action import LiveAction, as_execution, read_order
from mulligan.runtime.recovery import Recovery
from mulligan.runtime.toolbox import Toolbox
from mulligan.types.action import HOLDS, IN_PLACE, UNCERTAIN, Action, ActionQuery, State, UndoResult
from mulligan.types.adapter import NOT_MADE, Called, HostCall, Plain, Tools
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.errors import AlreadyDoneError, ConfigurationError, HeldError, StoreError
from mulligan.types.values import RANDOM_BITS, make_uuid7, to_us

PAUSE = 0.1
"""Seconds between one look and the next at a call that another process may be making."""
MOST_TRIES = 10
"""Of one step, each of which certainly did nothing."""
MOST_ELEMENTS = 10_000


def compute_id(turn: Plain, *parts: object) -> str:
    """The same for the same turn and parts, and in the order of time among others."""
    number = parts[0] if parts and isinstance(parts[0], int) else 0
    at = datetime.fromisoformat(str(turn["now"])) + timedelta(microseconds=number)
    text = "\0".join(map(str, (turn["id"], *parts)))
    chance = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return make_uuid7(to_us(at, name="now"), chance >> 64 - RANDOM_BITS)


class StepMaker(Struct, frozen=True, kw_only=True):
    """Makes one step of a turn, as far as it was not made before."""

    run: Run
    holds: HostHolds
    recovery: Recovery
    step: Plain

    @property
    def _turn(self) -> OpenTurn:
        return self.run.turn

    @property
    def _book(self) -> JournalWriter:
        return self.recovery.book

    @property
    def _toolbox(self) -> Toolbox:
        return self.recovery.toolbox

    async def make(self, tools: Tools) -> Plain:
        """The result of the step, as plain values."""
        await self._take_up_earlier()
        ends = False
        try:
            if self.step["kind"] == "review":
                answer = await self.run.review(self.step["reply"])
                ends = not answer.feedback
                unfinished = answer.unfinished if is_typed(self.step["reply"]) else None
                return {
                    "reply": to_plain(answer.reply) if unfinished is None else None,
                    "standing": str(answer.standing),
                    "confidence": answer.confidence and str(answer.confidence),
                    "note": answer.note if unfinished is None else unfinished.answer,
                    "feedback": answer.feedback,
                    "undone": answer.undone,
                }
            return await self._call(tools)
        finally:
            await self._pause(over=ends)

    async def _pause(self, *, over: bool) -> None:
        """Leave the turn to the next step, or for good."""
        actions = self._turn.list_actions()
        if over:
            await self.run.leave()
        else:
            self._turn.pause()
        self._book.let_go(actions)

    async def _take_up_earlier(self) -> None:
        """Have the turn know what its earlier steps did, from the journal and its engine."""
        turn = self._turn
        while len(turn.attempts) < int(self.step["attempt"]):
            turn.attempts.append(LiveAttempt(turn=turn.turn, number=len(turn.attempts) + 1))
        for taken in self.step["steps"]:
            attempt = turn.attempts[int(taken["attempt"]) - 1]
            actions = await self._list_actions(str(taken["id"]))
            # The step that made it has noted this too, in a turn that has ended since.
            named = self._toolbox.find_by_name(str(taken["tool"]), server="")
            declared = [each.declaration for each in (*actions, named) if each is not None]
            attempt.asks = attempt.asks or any(each.review.judged for each in declared)
            self._book.live.update(action.id for action in actions)
            attempt.actions.extend(actions)
            for action in actions:
                if await asyncio.to_thread(self.recovery.was_approved, action):
                    attempt.approved |= {action.id, action.opening.call or action.id}
            if taken.get("failed"):
                continue
            if len(actions) == 1:
                attempt.done.append(as_execution(actions[0], turn.turn))
            elif actions:
                attempt.done.append(self._tell_execution(taken))
            else:
                attempt.notes.append(partial(self._tell_execution, taken))

    async def _list_actions(self, call: str) -> list[LiveAction]:
        """What a call did, element by element; nothing of one that only reads."""
        journal = self._book.journal
        found = await asyncio.to_thread(journal.find_action, call)
        query = ActionQuery(parent=call, limit=MOST_ELEMENTS)
        actions = [found] if found else await asyncio.to_thread(journal.list_actions, query)
        live = [await self._take_up(action) for action in sorted(actions, key=read_order)]
        return [action for action in live if action is not None]

    async def _take_up(self, action: Action) -> LiveAction | None:
        """An action's state once no call or undo of it is under way any more."""
        settled = await self._settle(action)
        if settled is None:
            return None
        live = await asyncio.to_thread(self._toolbox.take_up, settled, self._book.vault)
        if live is not None:
            live.undone = _UNDONE.get(settled.state)
        return live

    async def _settle(self, action: Action | None) -> Action | None:
        """Have what was cut short come to its end: a call, or the undo of a review before this."""
        while action is not None and action.state in _CUT_SHORT:
            before, action = action, await self.recovery.settle_one(action)
            if action is not None and action.version == before.version:
                # Who is at it lives, or it is too soon to tell: both end by themselves.
                await asyncio.sleep(PAUSE)
                action = await asyncio.to_thread(self._book.journal.find_action, before.id)
        return action

    def _tell_execution(self, taken: Plain) -> Execution:
        told = self._turn.turn
        call = Call(
            id=str(taken["id"]),
            tool=str(taken["tool"]),
            arguments=taken["arguments"],
            agent=told.agent,
            context=told.context,
            tenant=told.tenant,
            turn=told.id,
        )
        return Execution(
            call=call,
            outcome=Outcome.SUCCESS,
            at=told.now,
            duration=timedelta(),
            result=taken["result"],
        )

    async def _call(self, tools: Tools) -> Plain:
        name = str(self.step["tool"])
        if name not in tools:
            raise ConfigurationError(
                f"No tool {name!r} was given to the engine's worker: it has {', '.join(tools)}."
            )
        for number in range(MOST_TRIES):
            call = self._build_call(name, tools[name], number=number)
            try:
                came = await self._find_earlier(call)
                if came is _NOTHING_DONE:
                    continue
                if came is None:
                    with carry(read_context()._replace(next_call=[NextCall(id=call.id)])):
                        came = await self.run.call(call)
                assert isinstance(came, Called)  # noqa: S101 - the others are named above
                return {"id": call.id, "result": to_plain(came.result)}
            except HeldError as held:
                if not held.decided:
                    return {"waits": held.action}
                return {"id": call.id, "refused": str(held)}
            except NOT_MADE as refused:
                return {"id": call.id, "refused": str(refused)}
            except StoreError:
                # Its engine tries again: what was begun is found by its id.
                raise
            except Exception as error:  # noqa: BLE001 - a tool of others: its agent is told
                return {"id": call.id, "refused": f"{name} failed: {error}"}
        return {"id": call.id, "refused": f"{name} was tried {MOST_TRIES} times, and never began."}

    def _build_call(self, name: str, tool: Callable[..., object], *, number: int) -> HostCall:
        async def make(arguments: Mapping[str, object]) -> object:
            answer = tool(**arguments)
            return await answer if isinstance(answer, Awaitable) else answer

        arguments: dict[str, Any] = self.step["arguments"]
        call = compute_id(self.step["turn"], int(self.step["number"]), "call", number)
        return HostCall(tool=name, arguments=arguments, make=make, id=call, once=True)

    async def _find_earlier(self, call: HostCall) -> Called | object | None:
        """The result of the call when this step was made before; `None`: it never was."""
        found = await asyncio.to_thread(self._book.journal.find_action, call.id)
        action = await self._settle(found)
        if action is None:
            return None
        if action.state is State.NOT_EXECUTED:
            return _NOTHING_DONE
        return await self._follow(call, action)

    async def _follow(self, call: HostCall, action: Action) -> Called | None:
        if action.state in HOLDS:
            await self.holds.keep_again(call, action)
        if action.state in HOLDS or action.state is State.DENIED:
            waited = await self.holds.follow(call, action.id)
            if waited is not None and waited.made:
                return Called(result=waited.action.record.result)
            # As `Run.call` goes on with it, which finds it by the host's own id.
            return None
        if action.state in IN_PLACE:
            live = await asyncio.to_thread(self._toolbox.take_up, action, self._book.vault)
            if live is not None:
                return Called(result=live.record.result)
        what = f"{call.tool} of an earlier try of this step"
        raise AlreadyDoneError(what=what, action=action.id, state=str(action.state))


_NOTHING_DONE = object()
"""The step was made before, and certainly did nothing."""

_CUT_SHORT = (*UNCERTAIN, State.UNDOING)
_UNDONE = {
    State.UNDONE: UndoResult.RESTORED,
    State.CONFLICT: UndoResult.CONFLICT,
    State.UNDO_FAILED: UndoResult.FAILED,
}
"""The result of undoing, where a review was cut short after it."""
