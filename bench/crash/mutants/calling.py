"""Mistakes around the call: what is written before and after it, and what is believed."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from bench.crash.mutants.planting import mutant, plant_in, swap
from mulligan.runtime import journaled_call, retry
from mulligan.runtime.call import ActiveCall
from mulligan.runtime.context import UNDER_WAY
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.journaled_call import JournaledCall
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.retry import Tried
from mulligan.types.action import Kept, State
from mulligan.types.call import Execution
from mulligan.types.finding import Verdict, reach_verdict


@mutant("create (right): kill")
def no_intent_before_the_call() -> None:
    """Nothing is written until the call has come back, and then all of it."""
    intend, executed, move = JournalWriter.intend, JournalWriter.mark_executed, JournalWriter.move
    owed: dict[str, list[Kept]] = {}

    async def later(self: JournalWriter, actions: Any, *, keep: list[Kept], why: str) -> None:  # noqa: ARG001
        self.live.update(action.id for action in actions)
        owed.update({action.id: keep for action in actions})

    async def pay_up(self: JournalWriter, actions: Any) -> None:
        due = [action for action in actions if action.version == 0 and action.id in owed]
        if due:
            await intend(self, due, keep=owed.pop(due[0].id), why="")

    async def both(self: JournalWriter, actions: Any, *, facts: Any = None) -> None:
        await pay_up(self, list(actions))
        await executed(self, actions, facts=facts)

    async def moved(self: JournalWriter, actions: Any, state: State, **said: Any) -> None:
        actions = list(actions)
        if state is not State.INTENT:
            await pay_up(self, actions)
        await move(self, actions, state, **said)

    plant_in(
        JournalWriter, intend=later, mark_executed=both, move=moved, require_lease=_send_at_once
    )


@mutant("update (right): kill")
def nothing_is_journaled_at_all() -> None:
    async def nothing(self: JournalWriter, *args: Any, **said: Any) -> None:
        """Write nothing, whatever is asked."""

    plant_in(JournalWriter, intend=nothing, mark_executed=nothing, require_lease=_send_at_once)


def _send_at_once(self: JournalWriter, actions: Any, *, to: Any) -> None:
    """Send whatever is on record, or is not."""


@mutant("inner call, then no answer")
def a_call_is_made_again_whatever_it_has_called() -> None:
    plant_in(
        ActiveCall,
        enter=lambda self: UNDER_WAY.set(self),
        begin=lambda self: None,  # noqa: ARG005
        note_end=lambda self, *, acted: None,  # noqa: ARG005
    )


@mutant("lazy answer")
def an_answer_is_not_gone_through() -> None:
    async def hand_on(self: ActiveCall, answer: Any) -> Any:  # noqa: ARG001
        return answer

    plant_in(ActiveCall, _go_through=hand_on)


@mutant("late, keyed", "keyed, answer lost")
def fresh_key_for_every_try() -> None:
    call_with_retries = retry.call_with_retries

    async def with_fresh_keys(call: ActiveCall) -> Any:
        key, make = call.tool.declaration.key, call._make

        async def make_fresh(**more: Any) -> Any:
            return await make(**more | ({key: uuid.uuid4().hex} if key else {}))

        return await call_with_retries(call.with_maker(make_fresh))

    swap(call_with_retries, with_fresh_keys)


@mutant("bulk (right): cancel", "update (right): cancel")
def stopped_means_not_executed() -> None:
    move = JournalWriter.move

    async def moved(self: JournalWriter, actions: Any, state: State, **said: Any) -> None:
        stopped = state is State.UNKNOWN and "stopped" in str(said.get("why"))
        await move(self, actions, State.NOT_EXECUTED if stopped else state, **said)

    plant_in(JournalWriter, move=moved)


@mutant("update (down")
def an_outage_is_a_pass() -> None:
    def always_answered(findings: Any, *, answered: bool = True, **more: Any) -> Verdict:  # noqa: ARG001
        return reach_verdict(findings, answered=True, **more)

    swap(reach_verdict, always_answered)


@mutant("lost, then")
def a_refusal_speaks_for_every_try() -> None:
    sum_up = retry._sum_up

    def believe_the_last(call: ActiveCall, executions: Any) -> Any:
        last = sum_up(call, list(executions)[-1:])
        return replace(sum_up(call, executions), nothing_happened=last.nothing_happened)

    swap(sum_up, believe_the_last)


@mutant("update (wrong): edit")
def call_not_bound_to_its_snapshot() -> None:
    async def require_nothing(call: ActiveCall, actions: Any) -> None:
        """Make the call whatever is there by now."""

    swap(journaled_call.require_version, require_nothing)


@mutant("create (wrong): kill")
def result_not_kept_for_an_undo() -> None:
    async def executed(self: JournalWriter, actions: Any, *, facts: Any = None) -> None:
        await self.move(actions, State.EXECUTED, facts=facts)

    plant_in(JournalWriter, mark_executed=executed)


@mutant("bulk refused midway")
def a_bulk_that_failed_did_nothing() -> None:
    write = JournaledCall._write_outcome

    async def as_one(self: JournaledCall, actions: Sequence[LiveAction], tried: Tried) -> Execution:
        if tried.last.failure is None or self.declaration.each is None:
            return await write(self, actions, tried)
        await self.book.move(actions, State.NOT_EXECUTED)
        return tried.last

    plant_in(JournaledCall, _write_outcome=as_one)
