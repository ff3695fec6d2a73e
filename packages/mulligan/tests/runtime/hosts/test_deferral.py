"""What a framework raises to put a call off, or to have it made again, says: nothing was done."""

from __future__ import annotations

import pytest
from langgraph.errors import GraphInterrupt, ParentCommand
from langgraph.types import Command
from pydantic_ai import ApprovalRequired, CallDeferred, ModelRetry

from mulligan import Effect, Mulligan, Outcome
from mulligan.runtime.results import asks_again, is_deferral, is_steering
from mulligan.types.log import LogQuery

pytestmark = pytest.mark.full

DEFERRALS = [CallDeferred(), ApprovalRequired(), GraphInterrupt(())]
FAILURES = [ModelRetry("another city"), ValueError("no"), KeyError("no")]


def test_what_puts_a_call_off_says_that_nothing_was_done_and_a_failure_does_not() -> None:
    elsewhere = ParentCommand(Command(goto="there"))

    assert all(is_deferral(error) and is_steering(error) for error in DEFERRALS)
    assert is_steering(elsewhere)
    assert not is_deferral(elsewhere), "it may have done something"
    assert not any(is_deferral(error) or is_steering(error) for error in FAILURES)


@pytest.mark.parametrize("error", DEFERRALS, ids=repr)
@pytest.mark.parametrize("effect", [None, Effect.READ, Effect.REVERSIBLE])
async def test_a_call_that_was_put_off_is_no_failure_and_leaves_nothing_open(error, effect):
    declared = {} if effect is None else {"effect": effect}
    if effect is Effect.REVERSIBLE:
        declared |= {"undo": lambda record: None, "read": lambda record: None}
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(**declared)
        async def pay(amount: int) -> str:
            raise error

        async with m.turn("Pay 3"):
            with pytest.raises(type(error)) as raised:
                await pay(3)
        m.flush()
        [row] = m.insights.log(LogQuery())
        open_actions = m.insights.open_list.actions()

    assert raised.value is error
    assert not getattr(error, "__notes__", [])
    assert (row.outcome, open_actions) == (Outcome.CANCELLED, [])


async def test_a_tool_that_asks_to_be_called_again_has_done_nothing_and_is():
    asked = [ModelRetry("The calendar is busy, try again.")]
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.REVERSIBLE, undo=lambda record: None, read=lambda record: None)
        async def pay(amount: int) -> str:
            if asked:
                raise asked.pop()
            return "paid"

        async with m.turn("Pay 3"):
            with pytest.raises(ModelRetry) as raised:
                await pay(3)
            paid = await pay(3)
        open_actions = m.insights.open_list.actions()

    assert asks_again(raised.value)
    assert not asks_again(ValueError("no"))
    assert (paid, [action.opening.tool for action in open_actions]) == ("paid", ["pay"])
