from __future__ import annotations

import pytest
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    Tool,
    ToolApproved,
    ToolReturn,
)
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from mulligan import Effect, Mode, Mulligan
from mulligan.types.action import ActionQuery
from tests.hosts.test_pydantic_ai import follow, read_texts

pytestmark = pytest.mark.full


@pytest.fixture
async def m():
    async with Mulligan("memory:", recover=False) as app:
        yield app


@pytest.fixture
def paid():
    return []


@pytest.fixture
def pay(paid):
    async def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        return "paid"

    return pay


def build_payer(m, tool, *, name="payer", output_type=(str, DeferredToolRequests)):
    m.declare("pay", effect=Effect.IRREVERSIBLE)

    def answer(messages, info):
        made = any(part.part_kind == "tool-return" for each in messages for part in each.parts)
        return ModelResponse(
            parts=[TextPart("Paid.") if made else ToolCallPart("pay", {"amount": 30})]
        )

    reflection = m.for_pydantic_ai()
    kinds = list(output_type)
    return Agent(
        FunctionModel(answer), tools=[tool], output_type=kinds, capabilities=[reflection], name=name
    )


async def approve(agent, first, **said):
    yes = {each.tool_call_id: ToolApproved(**said) for each in first.output.approvals}
    results = DeferredToolResults(approvals=yes)
    return await agent.run(message_history=first.all_messages(), deferred_tool_results=results)


@pytest.mark.parametrize(
    "said", [{}, {"override_args": {"amount": 5}}], ids=["as asked", "repaired"]
)
@pytest.mark.parametrize("asks_first", [False, True])
async def test_an_approval_in_the_host_is_asked_for_once(m, pay, paid, said, asks_first):
    agent = build_payer(m, Tool(pay, requires_approval=asks_first))

    ended = await approve(agent, await agent.run("Pay 30"), **said)

    assert (ended.output, paid) == ("Paid.", [5] if said else [30])
    assert m.insights.open_list.actions() == []


async def test_a_call_that_was_approved_with_other_arguments_replaces_the_one_that_was_held(m, pay):
    agent = build_payer(m, pay)

    ended = await approve(agent, await agent.run("Pay 30"), override_args={"amount": 5})

    second, first = m.insights.open_list.search(ActionQuery())
    assert (first.state.value, first.detail["replaced_by"]) == ("denied", second.id)
    assert second.state.value == "unchecked"
    assert "A person changed this call" in str(ended.all_messages())


async def test_other_arguments_that_the_tool_does_not_take_are_asked_about_again(m, pay, paid):
    agent = build_payer(m, pay)

    again = await approve(agent, await agent.run("Pay 30"), override_args={"amount": "much"})
    [waits] = again.output.approvals
    ended = await approve(agent, again, override_args={"amount": 5})

    assert (
        "does not accept the changed arguments" in again.output.metadata[waits.tool_call_id]["why"]
    )
    assert (ended.output, paid) == ("Paid.", [5])


async def test_an_approval_counts_for_an_agent_that_is_called_otherwise_since(m, pay, paid):
    first = build_payer(m, pay, name=None)
    waits = await first.run("Pay 30")
    another = build_payer(m, pay, name=None)

    ended = await approve(another, waits)

    assert (ended.output, paid) == ("Paid.", [30])
    assert m.insights.open_list.actions() == []


async def test_calls_wait_in_the_host_where_the_run_may_end_so(m, pay):
    never = build_payer(m, pay, output_type=[str])
    always = build_payer(m, pay)

    waits = await never.run("Pay 30", output_type=[str, DeferredToolRequests])
    told = await always.run("Pay 30", output_type=str)

    assert isinstance(waits.output, DeferredToolRequests)
    assert told.output.startswith("Paid.")


async def test_arguments_that_cannot_run_are_answered_as_the_host_does(m, pay):
    m.declare("pay", effect=Effect.IRREVERSIBLE)
    model, shown = follow([("pay", {"amount": "thirty"})], "I cannot.")

    result = await Agent(model, tools=[pay], capabilities=[m.for_pydantic_ai()]).run("Pay thirty")

    assert result.output == "I cannot."
    assert "Input should be a valid integer" in read_texts(shown[1])[-1]
    assert m.insights.open_list.actions() == []


@pytest.mark.parametrize("outside", [True, False])
async def test_what_another_capability_has_changed_is_checked_as_it_ran(m, outside):
    seen, ran = [], []

    @m.check("look")
    def note_city(call):
        seen.append(call.arguments["city"])

    async def look(city: str) -> str:
        ran.append(city)
        return "sun"

    hooks = Hooks()

    @hooks.on.before_tool_execute
    async def go_to_rome(ctx, *, call, tool_def, args):
        return {"city": "Rome"}

    both = [hooks, m.for_pydantic_ai()] if outside else [m.for_pydantic_ai(), hooks]
    model, _ = follow([("look", {"city": "Bari"})], "Sunny.")
    await Agent(model, tools=[look], capabilities=both).run("How is it?")

    assert (ran, seen) == (["Rome"], ["Rome"])


async def test_a_rich_result_stays_one_beside_a_note(m):
    m.declare("fetch", effect=Effect.READ, mode=Mode.AUTO)

    async def fetch(query: str, limit: int) -> ToolReturn:
        return ToolReturn(return_value={"rows": limit}, content=["a picture"])

    model, shown = follow([("fetch", {"query": "x", "limt": 3})], "Found.")
    await Agent(model, tools=[fetch], capabilities=[m.for_pydantic_ai()]).run("Fetch 3")

    [returned] = [part for part in shown[1] if part.part_kind == "tool-return"]
    assert returned.content["result"] == {"rows": 3}
    assert "fetch failed as it was called" in returned.content["note"]
    assert "a picture" in read_texts(shown[1])[-1]
