from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    CallDeferred,
    DeferredToolRequests,
    ModelRetry,
    RunContext,
)
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from mulligan import Effect, Mulligan, Standing, State
from mulligan.types.adapter import HostCall
from mulligan.types.errors import UnfinishedRunError
from mulligan.types.log import LogQuery

pytestmark = pytest.mark.full


@pytest.fixture
async def m():
    async with Mulligan("memory:", recover=False) as app:
        yield app


def follow(*steps):
    """A model that follows a script, each step a text or the calls that it makes at once."""
    left, shown = list(steps), []

    def answer(messages, info):
        shown.append([part for message in messages for part in message.parts])
        step = left.pop(0)
        if isinstance(step, str):
            return ModelResponse(parts=[TextPart(step)])
        return ModelResponse(parts=[ToolCallPart(tool_name=n, args=a) for n, a in step])

    return FunctionModel(answer), shown


@pytest.fixture
def days(m):
    """A dinner that may be moved, and only to the 20th."""
    found = {"dinner": 18}
    m.declare(
        "move",
        effect=Effect.REVERSIBLE,
        before=lambda record: found["dinner"],
        undo=lambda record: found.update(dinner=record.snapshot.state),
    )

    @m.check("move")
    def is_right(call):
        return None if call.arguments["day"] == 20 else "It was to be the 20th."

    return found


@pytest.fixture
def move(days):
    async def move(day: int) -> str:
        """Move dinner."""
        days.update(dinner=day)
        return "moved"

    return move


def read_texts(parts):
    return [str(part.content) for part in parts if hasattr(part, "content")]


async def test_calls_that_are_made_at_once_belong_to_one_turn(m):
    both = asyncio.Barrier(2)

    async def look(city: str) -> str:
        await both.wait()
        return f"sun in {city}"

    model, _ = follow([("look", {"city": "Bari"}), ("look", {"city": "Rome"})], "Sunny.")
    agent = Agent(model, tools=[look], capabilities=[m.for_pydantic_ai()])

    await agent.run("How is it?")
    m.flush()

    rows = m.insights.log(LogQuery())
    assert len({row.turn for row in rows}) == 1
    assert [row.tool for row in rows] == ["look", "look"]


async def test_two_runs_of_one_agent_are_two_turns(m):
    async def look(city: str) -> str:
        return "sun"

    capability = m.for_pydantic_ai()

    async def run() -> None:
        model, _ = follow([("look", {"city": "Bari"})], "Sunny.")
        await Agent(model, tools=[look], capabilities=[capability]).run("How is it?")

    await asyncio.gather(run(), run())
    m.flush()

    assert len({row.turn for row in m.insights.log(LogQuery())}) == 2


async def test_an_agent_that_is_a_tool_of_another_belongs_to_its_turn(m, days, move):
    @m.check("ask_helper")
    def is_wanted(call):
        return "Nobody wanted this."

    helper, _ = follow([("move", {"day": 20})], "Moved.")
    inner = Agent(helper, name="helper", tools=[move], capabilities=[m.for_pydantic_ai()])

    async def ask_helper(what: str) -> str:
        return (await inner.run(what)).output

    lead, _ = follow([("ask_helper", {"what": "Move it"})], "Done.", "I left it alone.")
    agent = Agent(lead, name="lead", tools=[ask_helper], capabilities=[m.for_pydantic_ai()])

    result = await agent.run("Leave dinner alone")

    assert result.output.startswith("I left it alone.")
    assert days == {"dinner": 18}


@pytest.mark.parametrize("raised", [CallDeferred(), ModelRetry("another city, please")], ids=repr)
async def test_what_steers_the_framework_passes_untouched(m, raised):
    async def look(city: str) -> str:
        raise raised

    model, shown = follow([("look", {"city": "Bari"})], "I cannot.")
    agent = Agent(
        model,
        tools=[look],
        output_type=[str, DeferredToolRequests],
        capabilities=[m.for_pydantic_ai()],
    )

    result = await agent.run("How is it?")

    if isinstance(raised, CallDeferred):
        assert isinstance(result.output, DeferredToolRequests)
    else:
        assert "another city, please" in read_texts(shown[1])[-1]


async def test_a_tool_may_take_the_context_of_the_run(m):
    async def look(ctx: RunContext[str], city: str) -> str:
        return f"{ctx.deps} sees sun"

    model, shown = follow([("look", {"city": "Bari"})], "Sunny.")
    agent = Agent(model, tools=[look], deps_type=str, capabilities=[m.for_pydantic_ai()])

    await agent.run("How is it?", deps="Ann")

    assert read_texts(shown[1])[-1] == "Ann sees sun"


async def test_a_decorated_tool_is_logged_once(m):
    @m.tool(effect=Effect.READ)
    async def look(city: str) -> str:
        return "sun"

    model, _ = follow([("look", {"city": "Bari"})], "Sunny.")
    await Agent(model, tools=[look], capabilities=[m.for_pydantic_ai()]).run("How is it?")
    m.flush()

    assert len(m.insights.log(LogQuery())) == 1


async def test_where_nobody_waits_for_deferred_calls_the_model_is_told(m):
    m.declare("pay", effect=Effect.IRREVERSIBLE)

    async def pay(amount: int) -> str:
        raise AssertionError("nobody approved it")

    model, shown = follow([("pay", {"amount": 3})], "Awaiting your approval.")
    result = await Agent(model, tools=[pay], capabilities=[m.for_pydantic_ai()]).run("Pay 3")

    assert read_texts(shown[1])[-1].startswith("pay was not run yet: it cannot be undone.")
    assert "Not done yet, awaiting approval:" in result.output


async def test_a_failure_that_keeps_coming_back_does_not_end_the_run(m):
    async def look(city: str) -> str:
        raise ValueError(f"unknown city {city!r}")

    model, shown = follow([("look", {"city": "A"})], [("look", {"city": "B"})], "I cannot.")
    agent = Agent(model, tools=[look], retries=1, capabilities=[m.for_pydantic_ai()])

    result = await agent.run("How is it?")

    assert result.output == "I cannot."
    assert "unknown city 'B'" in read_texts(shown[2])[-1]


async def test_an_output_that_is_no_text_is_given_as_it_is(m):
    model, _ = follow([("final_result", {"response": 3})])
    agent = Agent(model, output_type=int, capabilities=[m.for_pydantic_ai()])

    assert (await agent.run("How many?")).output == 3


async def test_a_run_that_fails_leaves_what_it_did_to_a_later_review(m, move):
    model, _ = follow([("move", {"day": 20})])
    agent = Agent(model, tools=[move], capabilities=[m.for_pydantic_ai()])

    with pytest.raises(IndexError):
        await agent.run("Move it")

    [action] = m.insights.open_list.actions()
    assert action.state in (State.EXECUTED, State.PENDING_REVIEW)


async def test_the_messages_of_a_rejected_attempt_are_kept_apart(m):
    @m.check("look")
    def is_wanted(call):
        return "It was to be Rome." if call.arguments["city"] == "Bari" else None

    async def look(city: str) -> str:
        return f"sun in {city}"

    answers = []
    model, _ = follow(
        [("look", {"city": "Bari"})], "Sun.", [("look", {"city": "Rome"})], "Sun in Rome."
    )
    agent = Agent(model, tools=[look], capabilities=[m.for_pydantic_ai(on_answer=answers.append)])

    result = await agent.run("How is it in Rome?")
    m.flush()

    kept = m._parts.store.vault.get(m.insights.log(LogQuery())[0].turn, "messages 1")
    assert "sun in Bari" in json.dumps(json.loads(kept))
    assert "sun in Bari" not in str(result.all_messages())
    assert [answer.standing for answer in answers] == [Standing.ACCEPTED]


async def test_a_written_call_is_made_beside_what_was_said(m):
    async def look(city: str) -> str:
        return f"sun in {city}"

    model, shown = follow('I look.\nlook(city="Bari")', "Sunny.")
    agent = Agent(model, tools=[look], capabilities=[m.for_pydantic_ai(written_calls=True)])

    result = await agent.run("How is it?")

    said, called = result.all_messages()[1].parts
    assert (said.content, called.args) == ('I look.\nlook(city="Bari")', {"city": "Bari"})
    assert read_texts(shown[1])[-1] == "sun in Bari"
    assert result.output == "Sunny."


async def test_what_goes_wrong_is_said_to_the_model_and_not_taken_for_the_tools_own_words(m):
    asked = []

    async def query(limit: int) -> str:
        """Look something up."""
        if limit > 10:
            raise ValueError(f"limit must be at most 10, got {limit}")
        return "found"

    def answer(messages, info):
        asked.append(info.function_tools[0].description)
        step = left.pop(0)
        if isinstance(step, str):
            return ModelResponse(parts=[TextPart(step)])
        return ModelResponse(parts=[ToolCallPart(tool_name="query", args=step)])

    agent = Agent(
        FunctionModel(answer), tools=[query], capabilities=[m.for_pydantic_ai(pitfalls=True)]
    )
    for limit in (50, 60, 70, 80):
        left = [{"limit": limit}, {"limit": 10}, "Found."]
        await agent.run("Look it up")
        m.flush()

    assert asked[0] == "Look something up."
    assert "`limit` must be at most 10" in asked[-1]
    query_call = HostCall(tool="query", arguments={}, make=query)
    assert asked[-1] not in m._hosted.find_tool(query_call).declaration.failures.docs
    assert asked[0] in m._hosted.find_tool(query_call).declaration.failures.docs


async def test_what_a_stream_has_told_is_not_undone_behind_its_reader(m, days, move):
    answers, steps = [], [0]

    async def stream(messages, info):
        steps[0] += 1
        if steps[0] == 1:
            yield {0: DeltaToolCall(name="move", json_args='{"day": 21}')}
        else:
            yield "Moved."

    reflection = m.for_pydantic_ai(on_answer=answers.append)
    agent = Agent(
        FunctionModel(stream_function=stream), tools=[move], capabilities=[reflection], name="p"
    )
    async with agent.run_stream("Move it to the 20th") as shown:
        await shown.get_output()
    await m.recover()

    [action] = m.insights.open_list.actions()
    assert (days, action.state) == ({"dinner": 21}, State.DISPUTED)
    assert [answer.standing for answer in answers] == [Standing.UNREVIEWED]


async def test_an_output_function_is_a_call_of_the_attempt(m, days):
    def move(day: int) -> str:
        """Move dinner, and end."""
        days.update(dinner=day)
        return f"moved to {day}"

    model, _ = follow([("final_result", {"day": 21})], [("final_result", {"day": 20})])
    agent = Agent(model, output_type=move, capabilities=[m.for_pydantic_ai()], name="p")

    result = await agent.run("Move it to the 20th")
    m.flush()

    rows = [row.parameters for row in m.insights.log(LogQuery()) if row.tool == "move"]
    assert (result.output, days) == ("moved to 20", {"dinner": 20})
    assert rows == ['{"day":20}', '{"day":21}']


class Plan(BaseModel):
    day: int


@pytest.fixture
def build_planner(m, move):
    """Builds an agent that moves dinner and gives a plan, by a model that may be streamed."""

    def build(*script, **options):
        steps = list(script)

        async def stream(messages, info):
            name, args = steps.pop(0)
            key = f"c{len(steps)}"
            yield {0: DeltaToolCall(name=name, json_args=json.dumps(args), tool_call_id=key)}

        return Agent(
            FunctionModel(stream_function=stream),
            output_type=Plan,
            tools=[move],
            capabilities=[m.for_pydantic_ai(**options)],
        )

    return build


WRONG_PLAN = [("move", {"day": 21}), ("final_result", {"day": 21})]


async def test_a_stream_of_a_rejected_run_gives_no_object_in_the_end(days, build_planner):
    answers = []
    agent = build_planner(*WRONG_PLAN, on_answer=answers.append)

    with pytest.raises(UnfinishedRunError, match="It was to be the 20th"):
        async with agent.run_stream("Move it to the 20th") as shown:
            await shown.get_output()

    assert days == {"dinner": 18}
    assert [(each.standing, each.finished) for each in answers] == [(Standing.REJECTED, False)]


async def test_a_stream_that_has_shown_an_object_ends_with_the_error(days, build_planner):
    shown, agent = [], build_planner(*WRONG_PLAN)

    async def show() -> None:
        async with agent.run_stream("Move it to the 20th") as streamed:
            async for each in streamed.stream_output(debounce_by=None):
                shown.append(each)

    with pytest.raises(UnfinishedRunError):
        await show()

    assert (days, shown[-1]) == ({"dinner": 18}, Plan(day=21))


async def test_a_stream_of_a_right_run_gives_its_object(days, build_planner):
    agent = build_planner(("move", {"day": 20}), ("final_result", {"day": 20}))

    async with agent.run_stream("Move it to the 20th") as shown:
        plan = await shown.get_output()

    assert (plan, days) == (Plan(day=20), {"dinner": 20})


async def test_an_agent_whose_helper_did_not_finish_is_told_so(m, days, build_planner):
    inner = build_planner(*WRONG_PLAN * 2)

    async def ask_helper(what: str) -> int:
        async with inner.iter(what) as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        async for _ in stream:
                            pass
        return run.result.output.day

    lead, shown = follow([("ask_helper", {"what": "Move it"})], "It could not be moved.")
    agent = Agent(lead, tools=[ask_helper], capabilities=[m.for_pydantic_ai()])

    result = await agent.run("Move dinner to the 20th")

    assert (result.output, days) == ("It could not be moved.", {"dinner": 18})
    assert "It was to be the 20th." in read_texts(shown[1])[-1]
