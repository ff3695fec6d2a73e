from __future__ import annotations

import asyncio
import gc
import time
import weakref
from inspect import signature
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    human_in_the_loop,
)
from langchain.agents.middleware.types import ModelResponse
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from bench.hosts.drivers import Ran
from bench.hosts.drivers.langchain import ScriptedChat, build_agent
from mulligan import Effect, Mulligan
from mulligan.hosts.langchain import (
    ANSWERED,
    MOST_KEPT,
    ApprovalDecision,
    GraphCall,
    NotedApproval,
    add_calls,
    find_message,
    read_value,
)
from mulligan.types.action import DECIDED, ActionQuery
from mulligan.types.adapter import MeantCall
from mulligan.types.log import LogQuery

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]

ASKED = {"messages": [("user", "Pay Ann")]}
IN_THREAD: Any = {"configurable": {"thread_id": "one"}}


@pytest.fixture
async def m():
    async with Mulligan("memory:", recover=False) as app:
        app.declare("pay", effect=Effect.IRREVERSIBLE)
        yield app


@pytest.fixture
def paid():
    return []


@pytest.fixture
def pay(paid):
    async def pay(to: str) -> str:
        """Pay somebody."""
        paid.append(to)
        return f"paid {to}"

    return pay


def test_a_person_approves_a_call_of_a_sync_run(paid):
    def pay(to: str) -> str:
        """Pay somebody."""
        paid.append(to)
        return f"paid {to}"

    with Mulligan("memory:", recover=False) as m:
        m.declare("pay", effect=Effect.IRREVERSIBLE)
        script = [("pay", {"to": "Ann"}), "Paid."]
        agent = build_agent(m, [pay], script, ran=Ran(), saver=InMemorySaver())

        [asked] = agent.invoke(ASKED, IN_THREAD)["__interrupt__"]
        before = list(paid)
        ended = agent.invoke(Command(resume=asked.value["approve"]), IN_THREAD)
        left = m.insights.open_list.actions()

    assert (asked.value["tool"], asked.value["args"]) == ("pay", {"to": "Ann"})
    assert (before, paid, left) == ([], ["Ann"], [])
    assert ended["messages"][-2].content == "paid Ann"


APPROVE = {"type": "approve"}


def change(name, **args):
    """A decision in LangChain's form, by a person who changes a call."""
    return {"type": "edit", "edited_action": {"name": name, "args": args}}


def decide(*decisions):
    """An answer in LangChain's form."""
    return Command(resume={"decisions": list(decisions)})


@pytest.mark.parametrize(
    "word",
    [
        True,
        "approve",
        {"approve": "another"},
        {"decisions": []},
        {"decisions": [APPROVE, APPROVE]},
        {"decisions": [{"type": "maybe"}]},
        {"decisions": [change("look", city="Bari")]},
    ],
)
async def test_an_answer_that_is_not_about_the_call_approves_nothing(m, pay, paid, word):
    script = [("pay", {"to": "Ann"}), "Paid."]
    agent = build_agent(m, [pay], script, ran=Ran(), saver=InMemorySaver())

    await agent.ainvoke(ASKED, IN_THREAD)
    [asked] = (await agent.ainvoke(Command(resume=word), IN_THREAD))["__interrupt__"]
    before = list(paid)
    await agent.ainvoke(Command(resume=asked.value["approve"]), IN_THREAD)

    assert (before, paid) == ([], ["Ann"])


@pytest.mark.parametrize("word", [APPROVE, {"decisions": [APPROVE]}])
async def test_a_decision_in_langchains_form_approves_the_call(m, pay, paid, word):
    script = [("pay", {"to": "Ann"}), "Paid."]
    agent = build_agent(m, [pay], script, ran=Ran(), saver=InMemorySaver())

    [asked] = (await agent.ainvoke(ASKED, IN_THREAD))["__interrupt__"]
    ended = await agent.ainvoke(Command(resume=word), IN_THREAD)

    assert (paid, ended["messages"][-1].text) == (["Ann"], "Paid.")
    assert list_decisions(m) == [("approved", "a person, through the host")]
    why = "pay waits for your approval: it cannot be undone."
    assert asked.value["action_requests"] == [
        {"name": "pay", "args": {"to": "Ann"}, "description": why}
    ]
    assert asked.value["review_configs"] == [
        {"action_name": "pay", "allowed_decisions": ["approve", "edit", "reject"]}
    ]


def list_decisions(m):
    """What is on record of who decided what, oldest first."""
    listed = m.insights.open_list
    found = [
        e for a in reversed(listed.search(ActionQuery())) for e in listed.read_story(a.id).entries
    ]
    return [(e.state.value, e.detail["by"]) for e in found if e.state in DECIDED]


@pytest.mark.parametrize("why", ["", "She was paid."], ids=["our form", "langchain's form"])
async def test_a_rejection_denies_the_call_and_tells_the_model_why(m, pay, paid, why):
    ran, saver = Ran(), InMemorySaver()
    agent = build_agent(m, [pay], [("pay", {"to": "Ann"}), "Not paid."], ran=ran, saver=saver)

    [asked] = (await agent.ainvoke(ASKED, IN_THREAD))["__interrupt__"]
    ours, theirs = Command(resume=asked.value["deny"]), decide({"type": "reject", "message": why})
    await agent.ainvoke(theirs if why else ours, IN_THREAD)

    [action] = m.insights.open_list.search(ActionQuery())
    assert (paid, action.state.value, action.detail.get("note", "")) == ([], "denied", why)
    assert "A person denied it" in ran.shown[1]
    assert (f"They said: {why}" in ran.shown[1]) is bool(why)


async def test_a_call_that_a_person_has_changed_is_another_one_in_its_place(m, pay, paid):
    ran, saver = Ran(), InMemorySaver()
    agent = build_agent(m, [pay], [("pay", {"to": "Ann"}), "Paid."], ran=ran, saver=saver)

    await agent.ainvoke(ASKED, IN_THREAD)
    ended = await agent.ainvoke(decide(change("pay", to="Bob")), IN_THREAD)

    second, first = m.insights.open_list.search(ActionQuery())
    assert (paid, ended["messages"][-1].text) == (["Bob"], "Paid.")
    assert (first.state.value, first.detail["replaced_by"]) == ("denied", second.id)
    assert first.detail["note"] == "A person approved it with other arguments."
    assert second.state.value == "unchecked"
    assert "A person changed this call before it ran. It was made with to=Bob" in ran.shown[1]


async def test_a_change_that_its_tool_does_not_take_is_asked_about_again(m, pay, paid):
    script = [("pay", {"to": "Ann"}), "Paid."]
    agent = build_agent(m, [pay], script, ran=Ran(), saver=InMemorySaver())

    await agent.ainvoke(ASKED, IN_THREAD)
    [asked] = (await agent.ainvoke(decide(change("pay", whom="Bob")), IN_THREAD))["__interrupt__"]
    before = list(paid)
    await agent.ainvoke(decide(APPROVE), IN_THREAD)

    assert (before, paid) == ([], ["Ann"])
    assert "pay does not accept the changed arguments" in asked.value["why"]


async def test_what_a_person_has_put_into_a_call_counts_as_said(pay):
    sums = []

    def transfer(amount: float) -> str:
        """Transfer money."""
        sums.append(amount)
        return "done"

    async with Mulligan("memory:", recover=False, checks="standard") as m:
        m.declare("transfer", effect=Effect.IRREVERSIBLE)
        answers, script = [], [("transfer", {"amount": 30.0}), "Done."]
        options = {"on_answer": answers.append}
        agent = build_agent(
            m, [transfer], script, ran=Ran(), saver=InMemorySaver(), options=options
        )
        await agent.ainvoke({"messages": [("user", "Transfer 30 euros")]}, IN_THREAD)
        await agent.ainvoke(decide(change("transfer", amount=47.5)), IN_THREAD)

    assert (sums, [answer.findings for answer in answers]) == ([47.5], [()])


@pytest.mark.parametrize("mode", ["batched", "per_call"])
async def test_langchains_own_middleware_asks_and_nobody_else_does(m, pay, paid, mode):
    if (
        mode == "per_call"
        and "interrupt_mode" not in signature(HumanInTheLoopMiddleware).parameters
    ):
        pytest.skip("This release asks about all calls of a message at once.")
    told = {} if mode == "batched" else {"interrupt_mode": mode}
    asking = HumanInTheLoopMiddleware(interrupt_on={"pay": True}, **told)
    agent = build_inside(m, [pay], [("pay", {"to": "Ann"}), "Paid."], asking)

    await agent.ainvoke(ASKED, IN_THREAD)
    before = list(paid)
    word = APPROVE if mode == "per_call" else {"decisions": [APPROVE]}
    ended = await agent.ainvoke(Command(resume=word), IN_THREAD)

    assert (before, paid, ended["messages"][-1].text) == ([], ["Ann"], "Paid.")
    assert list_decisions(m) == [("approved", "a person, through the host")]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ({"question": "May I?"}, {"type": "approve"}),
        ({"question": "May I?"}, {"type": "reject"}),
        ({"action_requests": None}, {"type": "approve"}),
        ({"action_requests": ["pay"]}, {"decisions": [{"type": "approve"}]}),
        ({"action_requests": [{"name": "pay"}]}, {"decisions": [{"type": "approve"}]}),
    ],
)
def test_a_graph_of_others_may_ask_in_any_form(question, answer):
    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [("ai", str(human_in_the_loop.interrupt(question)))]}

    graph = StateGraph(MessagesState).add_node(ask).add_edge(START, "ask")
    agent = graph.compile(checkpointer=InMemorySaver())
    agent.invoke(ASKED, IN_THREAD)

    ended = agent.invoke(Command(resume=answer), IN_THREAD)

    assert ended["messages"][-1].text == str(answer)


def test_of_graphs_of_others_only_the_latest_approvals_are_kept_and_no_checkpointer():
    question = {"action_requests": [{"name": "pay", "args": {}}] * 30}
    answer = {"decisions": [APPROVE] * 30}

    def ask(state: MessagesState) -> dict[str, Any]:
        for _ in range(30):
            human_in_the_loop.interrupt(question)
        return {}

    saver = InMemorySaver()
    alive = weakref.ref(saver)
    graph = StateGraph(MessagesState).add_node(ask).add_edge(START, "ask")
    agent = graph.compile(checkpointer=saver)
    agent.invoke(ASKED, IN_THREAD)
    for _ in range(30):
        agent.invoke(Command(resume=answer), IN_THREAD)
    del saver, agent
    end = time.monotonic() + 60
    while alive() and time.monotonic() < end:  # a thread of the graph may still let go of it
        gc.collect()

    kept = [each for each in gc.get_objects() if type(each) is NotedApproval]

    assert 0 < len(kept) <= MOST_KEPT
    assert alive() is None


def test_an_approval_is_taken_once(pay):
    question = {"action_requests": [{"name": "pay", "args": {"to": "Ann"}}]}
    tool = StructuredTool.from_function(coroutine=pay)
    call = GraphCall(tool, {"name": "pay", "args": {"to": "Ann"}, "id": "1"}, tool.ainvoke)
    taken = []

    def ask(state: MessagesState) -> dict[str, Any]:
        human_in_the_loop.interrupt(question)
        taken.extend(ANSWERED.take(call) for _ in range(2))
        return {}

    graph = StateGraph(MessagesState).add_node(ask).add_edge(START, "ask")
    agent = graph.compile(checkpointer=InMemorySaver())
    agent.invoke(ASKED, IN_THREAD)

    agent.invoke(decide(APPROVE), IN_THREAD)

    assert taken == [ApprovalDecision("pay", {"to": "Ann"}, approved=True), None]


async def test_an_approval_is_not_for_the_next_call_that_looks_the_same(m, paid):
    script = [("pay", {"to": "Ann"}), ("pay", {"to": "Ann"}), "Paid."]
    asking = HumanInTheLoopMiddleware(interrupt_on={"pay": True})

    async def pay(to: str) -> str:
        """Pay somebody, after which nobody is asked there any more."""
        paid.append(to)
        asking.interrupt_on.clear()
        return "paid"

    agent = build_inside(m, [pay], script, asking)

    await agent.ainvoke(ASKED, IN_THREAD)
    ended = await agent.ainvoke(decide(APPROVE), IN_THREAD)

    assert (paid, ended["__interrupt__"][0].value["tool"]) == (["Ann"], "pay")


async def test_an_answer_that_names_no_call_is_not_for_one_that_was_held_since(m, pay, paid):
    inner = build_agent(m, [pay], [("pay", {"to": "Ann"}), "It waits."], ran=Ran())

    async def delegate(what: str) -> str:
        """Have another agent do it."""
        return (await inner.ainvoke({"messages": [("user", what)]}))["messages"][-1].text

    m.declare("delegate", effect=Effect.IRREVERSIBLE)
    script = [("delegate", {"what": "Pay Ann"}), "Asked."]
    agent = build_agent(m, [delegate], script, ran=Ran(), saver=InMemorySaver())

    [asked] = (await agent.ainvoke(ASKED, IN_THREAD))["__interrupt__"]
    m.insights.open_list.approve(asked.value["mulligan"], by="Bea")
    await agent.ainvoke(decide(APPROVE), IN_THREAD)

    assert paid == []
    assert [each.opening.tool for each in m.insights.open_list.actions()] == ["pay"]


async def test_calls_that_wait_at_once_are_approved_one_by_one(m, pay, paid):
    both = [("pay", {"to": "Ann"}), ("pay", {"to": "Bob"})]
    agent = build_agent(m, [pay], [both, "Paid."], ran=Ran(), saver=InMemorySaver())

    asked = (await agent.ainvoke(ASKED, IN_THREAD))["__interrupt__"]
    bob = next(each for each in asked if each.value["args"] == {"to": "Bob"})
    [left] = (await agent.ainvoke(Command(resume={bob.id: bob.value["approve"]}), IN_THREAD))[
        "__interrupt__"
    ]
    between = list(paid)
    await agent.ainvoke(Command(resume=left.value["approve"]), IN_THREAD)

    assert between == ["Bob"]
    assert paid == ["Bob", "Ann"]


async def test_without_a_checkpointer_the_model_is_told_that_it_waits(m, pay, paid):
    ran = Ran()
    agent = build_agent(m, [pay], [("pay", {"to": "Ann"}), "It waits."], ran=ran)

    await agent.ainvoke(ASKED, IN_THREAD)

    assert paid == []
    assert "pay was not run yet: it cannot be undone." in ran.shown[1]


async def test_a_decorated_tool_that_is_held_interrupts_too(m, paid):
    @m.tool(effect=Effect.IRREVERSIBLE)
    async def send(to: str) -> str:
        """Send to somebody."""
        paid.append(to)
        return f"sent to {to}"

    script = [("send", {"to": "Ann"}), "Sent."]
    agent = build_agent(m, [send], script, ran=Ran(), saver=InMemorySaver())

    [asked] = (await agent.ainvoke(ASKED, IN_THREAD))["__interrupt__"]
    before = list(paid)
    ended = await agent.ainvoke(Command(resume=asked.value["approve"]), IN_THREAD)

    assert (before, paid) == ([], ["Ann"])
    assert ended["messages"][-2].content == "sent to Ann"


async def test_an_interrupt_of_a_tool_of_its_own_passes_untouched(m):
    def ask(what: str) -> str:
        """Ask the person."""
        return f"the person said {interrupt(what)}"

    agent = build_agent(m, [ask], [("ask", {"what": "Red?"}), "So be it."], ran=Ran(),
                        saver=InMemorySaver())  # fmt: skip

    asked = await agent.ainvoke(ASKED, IN_THREAD)
    ended = await agent.ainvoke(Command(resume="yes"), IN_THREAD)

    assert [each.value for each in asked["__interrupt__"]] == ["Red?"]
    assert ended["messages"][-2].content == "the person said yes"


def look(city: str) -> str:
    """Look at the sky."""
    return f"sun in {city}"


async def test_an_unknown_tool_is_answered_with_what_would_help(m):
    ran = Ran()
    agent = build_agent(m, [look], [("loook", {"city": "Bari"}), "Sorry."], ran=ran)

    ended = await agent.ainvoke(ASKED)

    [told] = [each for each in ended["messages"] if isinstance(each, ToolMessage)]
    assert told.status == "error"
    assert told.text.startswith("Error: loook is not a valid tool")
    assert "What to do:" in told.text


async def test_a_decorated_tool_is_logged_once(m):
    @m.tool(effect=Effect.READ)
    def watch(city: str) -> str:
        """Look at the sky."""
        return "sun"

    agent = build_agent(m, [watch], [("watch", {"city": "Bari"}), "Sunny."], ran=Ran())

    await agent.ainvoke(ASKED)
    m.flush()

    assert [row.tool for row in m.insights.log(LogQuery())] == ["watch"]


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("sun", "sun"),
        ('{"day": 20}', {"day": 20}),
        ("[1, 2]", [1, 2]),
        ("[see below", "[see below"),
        ("20", "20"),
        ("", ""),
        ([{"type": "text", "text": '{"day": 20}'}], {"day": 20}),
        ([{"type": "image", "url": "u"}], [{"type": "image", "url": "u"}]),
    ],
)
def test_what_a_tool_returned_is_read_from_its_message(content, value):
    assert read_value(content) == value


def build_call(came):
    async def handler(_):
        return came

    asked = {"name": "look", "args": {"city": "Bari"}, "id": "c1"}
    return GraphCall(StructuredTool.from_function(look), asked, handler)


async def test_a_message_with_more_in_it_comes_back_as_it_is():
    came = ToolMessage("sun", tool_call_id="c1", artifact={"raw": 1})
    call = build_call(came)

    value = await call.make({})

    assert call.with_result(value, "") is came


async def test_a_note_is_put_into_the_message_of_a_command():
    answer = ToolMessage("sun", tool_call_id="c1")
    other = HumanMessage("beside")
    call = build_call(Command(goto="next", update={"seen": 1, "messages": [other, answer]}))

    value = await call.make({})
    command = call.with_result(value, "[a note]")

    assert (command.goto, command.update["seen"]) == ("next", 1)
    assert command.update["messages"][0] is other
    assert find_message(command, "c1").content == "sun\n\n[a note]"


async def test_a_result_in_blocks_keeps_them_beside_a_note():
    blocks = [{"type": "text", "text": "sun"}]
    call = build_call(ToolMessage(blocks, tool_call_id="c1"))

    value = await call.make({})

    told = call.with_result(value, "[a note]").content
    assert told == [*blocks, {"type": "text", "text": "[a note]"}]


@pytest.mark.parametrize("form", ["invoke", "ainvoke"])
async def test_a_written_call_is_one_of_the_message_that_it_stands_in(m, form):
    def look(city: str) -> str:
        """How it is."""
        return f"sun in {city}"

    script = ['I look.\nlook(city="Bari")', "Sunny."]
    agent = build_agent(m, [look], script, ran=Ran(), options={"written_calls": True})

    if form == "ainvoke":
        ended = await agent.ainvoke(ASKED)
    else:
        ended = await asyncio.to_thread(agent.invoke, ASKED)

    _, wrote, came, said = ended["messages"]
    assert (wrote.text, wrote.tool_calls[0]["args"]) == (script[0], {"city": "Bari"})
    assert (came.content, said.text) == ("sun in Bari", "Sunny.")


def test_what_calls_by_itself_is_not_read():
    called = AIMessage("pay(to='Ann')", tool_calls=[{"name": "pay", "args": {}, "id": "1"}])
    response = ModelResponse(result=[called])

    assert add_calls(response, lambda text: [MeantCall("2", "pay", {"to": "Ann"})]) is response


@pytest.fixture
def days(m):
    days = {"dinner": 18}
    m.declare(
        "move",
        effect=Effect.REVERSIBLE,
        before=lambda record: days["dinner"],
        undo=lambda record: days.update(dinner=record.snapshot.state),
    )

    @m.check("move")
    def is_friday(call):
        return None if call.arguments["day"] == 20 else "It was to be the 20th."

    return days


@pytest.fixture
def move(days):
    def move(day: int) -> str:
        """Move dinner."""
        days.update(dinner=day)
        return "moved"

    return move


def build_inside(m, tools, script, *inside):
    """An agent with other middleware between ours and the tools."""
    return create_agent(
        ScriptedChat(steps=list(script), ran=Ran()),
        tools,
        middleware=[m.for_langchain(), *inside],
        checkpointer=InMemorySaver(),
    )


async def edit(agent, name, **args):
    """A person repairs what the model has asked for."""
    await agent.ainvoke(ASKED, IN_THREAD)
    return await agent.ainvoke(decide(change(name, **args)), IN_THREAD)


async def test_what_a_person_has_repaired_is_checked_as_it_ran(m, move, days):
    asking = HumanInTheLoopMiddleware(interrupt_on={"move": True})
    agent = build_inside(m, [move], [("move", {"day": 21}), "Moved."], asking)

    ended = await edit(agent, "move", day=20)
    m.flush()

    assert days == {"dinner": 20}
    assert ended["messages"][-1].text == "Moved."
    assert [row.parameters for row in m.insights.log(LogQuery())] == ['{"day":20}']


async def test_a_tool_that_a_person_has_put_in_the_place_of_another_is_approved_by_that(
    m, move, pay, paid
):
    asking = HumanInTheLoopMiddleware(interrupt_on={"move": True})
    agent = build_inside(m, [move, pay], [("move", {"day": 20}), "Paid."], asking)

    ended = await edit(agent, "pay", to="Ann")

    assert (paid, ended["messages"][-1].text) == (["Ann"], "Paid.")
    assert list_decisions(m) == [("approved", "a person, through the host")]


class Twice(AgentMiddleware):
    """Makes every call twice, as one that tries again does."""

    async def awrap_tool_call(self, request, handler):
        await handler(request)
        return await handler(request)


async def test_a_call_that_is_made_twice_inside_is_on_record_twice(m, days, move):
    agent = build_inside(m, [move], [("move", {"day": 20}), "Moved."], Twice())

    await agent.ainvoke(ASKED, IN_THREAD)
    m.flush()

    assert [row.tool for row in m.insights.log(LogQuery())] == ["move", "move"]


class Cached(AgentMiddleware):
    """Answers calls by itself."""

    async def awrap_tool_call(self, request, handler):
        return ToolMessage("moved", tool_call_id=request.tool_call["id"])


async def test_a_call_that_no_tool_was_reached_with_is_on_no_record(m, days, move):
    agent = build_inside(m, [move], [("move", {"day": 21}), "Moved."], Cached())

    ended = await agent.ainvoke(ASKED, IN_THREAD)
    m.flush()

    assert ended["messages"][-1].text == "Moved."
    assert m.insights.log(LogQuery()) == []


async def test_a_tool_that_has_words_for_arguments_it_does_not_take_says_them(m):
    tool = StructuredTool.from_function(look)
    tool.handle_validation_error = "Name a city."
    ran = Ran()
    agent = build_agent(m, [tool], [("look", {}), "I cannot."], ran=ran)

    await agent.ainvoke(ASKED)

    assert "Name a city." in ran.shown[1]
