"""What is special of LangChain; the stories that all hosts share are in tests/stories."""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import version
from types import SimpleNamespace
from typing import Annotated

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command
from pydantic import BaseModel

from bench.hosts.drivers import Ran
from bench.hosts.drivers.langchain import ScriptedChat, build_agent
from mulligan import Effect, Mulligan, Standing, State
from mulligan.checks.text import avoids
from mulligan.hosts.langchain import find_asked, read_id, read_messages
from mulligan.types.log import LogQuery

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]

VERSION = tuple(int(part) for part in version("langchain").split(".")[:3])
ASKED = {"messages": [("user", "Move dinner to the 20th")]}
IN_THREAD = {"configurable": {"thread_id": "one"}}
WRONG, RIGHT = ("move", {"day": 21}), ("move", {"day": 20})


@pytest.fixture
async def m():
    async with Mulligan("memory:", recover=False) as app:
        yield app


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
def tools(days):
    def move(day: int) -> dict[str, int]:
        """Move dinner."""
        days.update(dinner=day)
        return {"day": day}

    return [move]


def look(city: str) -> str:
    """Look at the sky."""
    return f"sun in {city}"


async def invoke(agent, given, config=None, *, form="ainvoke"):
    if form == "ainvoke":
        return await agent.ainvoke(given, config)
    return await asyncio.to_thread(agent.invoke, given, config)


def build_graph(reflection, tools, script, ran, *, saver=None):
    """A graph of one's own, as the page says."""
    model = ScriptedChat(steps=list(script), ran=ran)

    def call_model(state):
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(reflection.state_schema)
    graph.add_node("begin", reflection.build_beginning())
    graph.add_node("model", call_model)
    graph.add_node(
        "tools",
        ToolNode(
            tools,
            wrap_tool_call=reflection.wrap_tool_call,
            awrap_tool_call=reflection.awrap_tool_call,
        ),
    )
    graph.add_node("review", reflection.build_review(model="model"))
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "model")
    graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: "review"})
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=saver)


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
@pytest.mark.parametrize("raw", [False, True], ids=["agent", "graph"])
async def test_a_wrong_action_is_undone_and_done_right(m, days, tools, form, raw):
    ran, answers, script = Ran(), [], [WRONG, "Moved.", RIGHT, "Moved to the 20th."]
    if raw:
        reflection = m.for_langchain(on_answer=answers.append)
        agent = build_graph(reflection, tools, script, ran)
    else:
        options = {"on_answer": answers.append}
        agent = build_agent(m, tools, script, ran=ran, options=options)

    ended = await invoke(agent, ASKED, form=form)

    assert ended["messages"][-1].text == "Moved to the 20th."
    assert days == {"dinner": 20}
    assert "It was to be the 20th." in ran.shown[2]
    assert "Moved." not in ran.shown[2]
    assert [answer.standing for answer in answers] == [Standing.ACCEPTED]
    assert m.insights.open_list.actions() == []


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_calls_that_are_made_at_once_belong_to_one_turn(m, form):
    both = [("look", {"city": "Bari"}), ("look", {"city": "Rome"})]
    agent = build_agent(m, [look], [both, "Sunny."], ran=Ran())

    await invoke(agent, ASKED, form=form)
    m.flush()

    rows = m.insights.log(LogQuery())
    assert len({row.turn for row in rows}) == 1
    assert [row.tool for row in rows] == ["look", "look"]


@pytest.mark.parametrize("options", [{}, {"agent": "scout"}])
async def test_the_agent_is_called_by_its_name_or_as_the_option_says(m, options):
    agent = build_agent(m, [look], [("look", {"city": "Bari"}), "Sunny."], ran=Ran(),
                        options=options)  # fmt: skip

    await agent.ainvoke(ASKED)
    m.flush()

    [row] = m.insights.log(LogQuery())
    # Agents are told their names from 1.2.10 on.
    told = "planner" if VERSION >= (1, 2, 10) else ""
    assert row.agent == options.get("agent", told)


async def test_runs_of_the_same_agent_on_the_same_message_are_turns_of_their_own(m):
    both, message = asyncio.Barrier(2), HumanMessage("How is it?")

    async def wait(city: str) -> str:
        """Look with others."""
        await both.wait()
        return "sun"

    script = [("wait", {"city": "Bari"}), ("wait", {"city": "Bari"}), "Sunny.", "Sunny."]
    agent = build_agent(m, [wait], script, ran=Ran())

    await asyncio.gather(*(agent.ainvoke({"messages": [message]}) for _ in range(2)))
    m.flush()

    assert len({row.turn for row in m.insights.log(LogQuery())}) == 2


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_an_agent_that_is_a_tool_of_another_belongs_to_its_turn(m, days, tools, form):
    inner = build_agent(m, tools, [RIGHT, "Moved."], ran=Ran())

    @m.check("ask_helper")
    def is_wanted(call):
        return "Nobody wanted this."

    def ask_helper(what: str) -> str:
        """Ask somebody."""
        return inner.invoke({"messages": [("user", what)]})["messages"][-1].text

    script = [("ask_helper", {"what": "Move it"}), "Done.", "I left it alone."]
    agent = build_agent(m, [ask_helper], script, ran=Ran())

    ended = await invoke(agent, ASKED, form=form)

    assert ended["messages"][-1].text.startswith("I left it alone.")
    assert days == {"dinner": 18}


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_an_agent_that_is_a_node_of_a_graph_belongs_to_its_turn(m, days, tools, form):
    reflection, ran = m.for_langchain(), Ran()
    script = [WRONG, "Moved.", RIGHT, "Moved to the 20th."]
    inner = create_agent(
        ScriptedChat(steps=script, ran=ran), tools, name="mover", middleware=[reflection]
    )
    graph = StateGraph(reflection.state_schema)
    graph.add_node("begin", reflection.build_beginning())
    graph.add_node("mover", inner)
    graph.add_node("review", reflection.build_review(model="mover"))
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "mover")
    graph.add_edge("mover", "review")

    ended = await invoke(graph.compile(), ASKED, form=form)
    m.flush()

    assert ended["messages"][-1].text == "Moved to the 20th."
    assert days == {"dinner": 20}
    assert len({row.turn for row in m.insights.log(LogQuery())}) == 1


async def test_a_hand_over_to_another_agent_passes_and_ends_the_turn(m, days, tools):
    def hand_over(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Let the other one do it."""
        told = ToolMessage("handed over", tool_call_id=tool_call_id)
        return Command(goto="second", update={"messages": [told]}, graph=Command.PARENT)

    first = build_agent(m, [*tools, hand_over], [RIGHT, ("hand_over", {})], ran=Ran())
    graph = StateGraph(MessagesState)
    graph.add_node("first", first)
    graph.add_node("second", lambda _: {"messages": [AIMessage("I take over.")]})
    graph.add_edge(START, "first")

    ended = await graph.compile().ainvoke(ASKED)

    assert ended["messages"][-1].text == "I take over."
    [action] = m.insights.open_list.actions()
    assert action.state is State.PENDING_REVIEW


async def test_a_graph_keeps_an_id_and_nobody_else_sees_it(m):
    saver = InMemorySaver()
    agent = build_agent(m, [look], [("look", {"city": "Bari"}), "Sunny."], ran=Ran(), saver=saver)

    ended = await agent.ainvoke(ASKED, IN_THREAD)

    kept = (await agent.aget_state(IN_THREAD)).values
    assert set(ended) == {"messages"}
    assert {name: type(value) for name, value in kept.items()} == {
        "messages": list,
        "mulligan_turn": str,
    }


async def test_only_the_messages_of_the_rejected_attempt_leave_and_they_are_kept(m, days, tools):
    script = ["Hello.", WRONG, "Moved.", RIGHT, "Moved to the 20th."]
    agent = build_agent(m, tools, script, ran=Ran(), saver=InMemorySaver())

    await agent.ainvoke({"messages": [("user", "Hello")]}, IN_THREAD)
    ended = await agent.ainvoke(ASKED, IN_THREAD)
    m.flush()

    texts = [each.text for each in ended["messages"]]
    assert texts[:3] == ["Hello", "Hello.", "Move dinner to the 20th"]
    assert "Moved." not in texts
    kinds = [each.type for each in ended["messages"]]
    assert kinds == ["human", "ai", "human", "ai", "tool", "ai"]
    turn = m.insights.log(LogQuery())[0].turn
    assert "Moved." in str(json.loads(m._parts.store.vault.get(turn, "messages 1")))


async def test_while_a_run_goes_on_pages_can_tell_the_correction_from_the_persons_words(m, tools):
    agent = build_agent(m, tools, [WRONG, "Moved.", RIGHT, "Moved to the 20th."], ran=Ran())

    values = [each async for each in agent.astream(ASKED, stream_mode="values")]

    seen = {m.id: m for each in values for m in each["messages"] if m.type == "human"}
    [told] = [m for m in seen.values() if m.text != "Move dinner to the 20th"]
    assert told.id.startswith("do-not-render-")
    assert told.response_metadata == {"mulligan": "feedback"}


async def test_a_reply_that_was_written_again_leaves_with_what_was_said_of_it():
    async with Mulligan("memory:", recover=False, replies=[avoids(words=["sorry"])]) as m:
        script = ["Sorry, no.", "That cannot be done."]
        agent = build_agent(m, [], script, ran=Ran(), saver=InMemorySaver())

        ended = await agent.ainvoke(ASKED, IN_THREAD)

    assert [each.text for each in ended["messages"]] == [
        "Move dinner to the 20th",
        "That cannot be done.",
    ]


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_a_run_that_fails_leaves_what_it_did_to_a_later_review(m, tools, form):
    agent = build_agent(m, tools, [RIGHT], ran=Ran())

    with pytest.raises(IndexError):
        await invoke(agent, ASKED, form=form)

    [action] = m.insights.open_list.actions()
    assert action.state is State.EXECUTED
    assert not m._parts.under_way.list_turns()


async def test_what_a_failed_run_did_in_a_thread_is_left_to_a_person_if_it_was_wrong(m, tools):
    agent = build_agent(m, tools, [RIGHT], ran=Ran(), saver=InMemorySaver())

    with pytest.raises(IndexError):
        await agent.ainvoke(ASKED, IN_THREAD)

    # The thread may go on from what it says: nothing is undone behind its back.
    [action] = m.insights.open_list.actions()
    assert (action.state, action.detail["delivered"]) == (State.PENDING_REVIEW, True)


async def test_a_run_that_another_middleware_stopped_ends_where_the_next_begins(m, tools):
    stops = HumanInTheLoopMiddleware(interrupt_on={"look": True})
    script = [RIGHT, ("look", {"city": "Bari"}), "Hello."]
    agent = create_agent(
        ScriptedChat(steps=script, ran=Ran()),
        [*tools, look],
        middleware=[m.for_langchain(), stops],
        checkpointer=InMemorySaver(),
    )

    await agent.ainvoke(ASKED, IN_THREAD)
    before = m._parts.under_way.list_turns()
    await agent.ainvoke({"messages": [("user", "Hello")]}, IN_THREAD)

    assert len(before) == 1
    assert m._parts.under_way.list_turns() == []


async def test_what_a_person_must_know_stands_under_the_reply(m):
    m.declare("look", effect=Effect.IRREVERSIBLE)
    agent = build_agent(m, [look], [("look", {"city": "Bari"}), "It waits."], ran=Ran())

    ended = await agent.ainvoke(ASKED)

    assert ended["messages"][-1].text.startswith("It waits.\n")
    assert "awaiting approval" in ended["messages"][-1].text
    assert len(ended["messages"]) == 4


async def test_a_graph_without_a_beginning_is_told_of_it_once(m, caplog):
    reflection = m.for_langchain()
    called = [{"name": "look", "args": {"city": c}, "id": c} for c in ("Bari", "Rome")]
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([look], awrap_tool_call=reflection.awrap_tool_call))
    graph.add_edge(START, "tools")

    await graph.compile().ainvoke({"messages": [AIMessage("", tool_calls=called)]})
    m.flush()

    assert [each.message for each in caplog.records if "without a turn" in each.message] != []
    assert len([each for each in caplog.records if "without a turn" in each.message]) == 1
    assert len({row.turn for row in m.insights.log(LogQuery())}) == 2
    assert m._parts.under_way.list_turns() == []


async def test_two_runs_at_once_in_one_thread_are_both_reviewed(m):
    answers, both = [], asyncio.Barrier(2)

    async def look(city: str) -> str:
        """Look at the sky."""
        await both.wait()
        return f"sun in {city}"

    @m.check("look")
    def is_wanted(call):
        return None

    options = {"on_answer": answers.append}
    script = [("look", {"city": "Bari"}), ("look", {"city": "Rome"}), "Sunny.", "Sunny."]
    agent = build_agent(m, [look], script, ran=Ran(), options=options)
    await asyncio.gather(*(agent.ainvoke(ASKED, IN_THREAD) for _ in range(2)))

    assert [answer.standing for answer in answers] == [Standing.ACCEPTED, Standing.ACCEPTED]


class Moved(BaseModel):
    day: int


def build_structured(m, tools, script, *, by=ToolStrategy):
    return create_agent(
        ScriptedChat(steps=list(script), ran=Ran()),
        tools,
        middleware=[m.for_langchain()],
        response_format=by(Moved),
        checkpointer=InMemorySaver(),
    )


@pytest.mark.parametrize("by", [ToolStrategy, ProviderStrategy])
@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_a_thread_keeps_the_question_in_the_place_of_a_rejected_response(
    m, tools, days, by, form
):
    said = ("Moved", {"day": 21}) if by is ToolStrategy else '{"day": 21}'
    agent = build_structured(m, tools, [WRONG, said] * 2, by=by)

    if form == "invoke":
        ended = await asyncio.to_thread(agent.invoke, ASKED, IN_THREAD)
    else:
        ended = await agent.ainvoke(ASKED, IN_THREAD)

    kept = agent.get_state(IN_THREAD).values
    assert (ended["structured_response"], kept["structured_response"]) == (None, None)
    assert isinstance(kept["messages"][-1], AIMessage)
    assert "It was to be the 20th." in kept["messages"][-1].text
    assert not any("Returning structured response" in each.text for each in kept["messages"])
    assert days == {"dinner": 18}


async def test_the_last_of_a_streams_values_has_no_rejected_response(m, tools):
    agent = build_structured(m, tools, [WRONG, ("Moved", {"day": 21})] * 2)

    events = [each async for each in agent.astream(ASKED, IN_THREAD, stream_mode="values")]

    assert events[-1]["structured_response"] is None
    assert "It was to be the 20th." in events[-1]["messages"][-1].text


FEEDBACK = HumanMessage("No.", response_metadata={"mulligan": "feedback"})


def test_what_the_person_said_last_is_found_before_what_we_told_the_agent():
    messages = [HumanMessage("Hi"), AIMessage("Hello"), HumanMessage("Move it"), FEEDBACK]

    assert find_asked(messages) == 2
    assert find_asked([FEEDBACK]) is None


def test_a_state_may_be_a_mapping_an_object_or_only_messages():
    messages = [HumanMessage("Hi")]

    assert read_messages(messages) == messages
    assert read_messages({"messages": messages}) == messages
    assert read_id(SimpleNamespace(mulligan_turn="t1")) == "t1"
    assert read_id({}) == ""
