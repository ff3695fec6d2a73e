"""Calls of openai-agents: who approves them, what of them is logged, what a model only writes."""

from __future__ import annotations

import logging
from typing import Any, Literal

import pytest
from agents import (
    Agent,
    FunctionTool,
    ModelBehaviorError,
    RunState,
    SQLiteSession,
    ToolOutputImage,
    function_tool,
    set_tracing_disabled,
)

from bench.hosts.drivers import Ran, Step
from bench.hosts.drivers.openai_agents import Scripted
from bench.hosts.world import FRIDAY, SATURDAY, add_event, build_tools, move
from mulligan import Effect, Mode, Mulligan, State
from mulligan.types.log import LogQuery
from mulligan_testing.remote import FakeRemote
from tests.hosts.test_openai_agents import build_agent

# The framework's own warnings are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]

set_tracing_disabled(True)


async def test_what_is_approved_in_the_host_is_approved_in_the_journal_and_runs_once(
    m: Mulligan, remote: FakeRemote
) -> None:
    agent = build_agent(remote, [("send_invitation", {"to": "Ann"}), "Ann is invited."])
    runner = m.for_openai_agents()

    waits = await runner.run(agent, "Invite Ann")
    [item] = waits.interruptions
    state = waits.to_state()
    state.approve(item)
    ended = await runner.run(agent, state)

    assert ended.final_output == "Ann is invited."
    assert [line.op for line in remote.ledger()] == ["create"]
    assert m.insights.open_list.actions() == []


async def test_a_session_has_no_call_without_its_output_after_a_rejection(
    m: Mulligan, remote: FakeRemote
) -> None:
    event, session = add_event(remote), SQLiteSession("dinner")
    invite = ("send_invitation", {"to": "Ann"})
    script = [invite, move(event, SATURDAY), "Done.", move(event, FRIDAY), "Both are done."]
    agent, runner = build_agent(remote, script), m.for_openai_agents()

    waits = await runner.run(agent, "Invite Ann and move dinner to Friday", session=session)
    state = waits.to_state()
    state.approve(waits.interruptions[0])
    ended = await runner.run(agent, state, session=session)

    items = await session.get_items()
    called = [item["call_id"] for item in items if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    assert called == answered
    assert ended.final_output == "Both are done."


async def test_what_a_person_approved_in_the_host_is_not_undone_by_a_check(
    m: Mulligan, remote: FakeRemote
) -> None:
    event = add_event(remote)
    tools = [function_tool(each, needs_approval=True) for each in build_tools(remote)]
    agent = build_agent(remote, [move(event, SATURDAY), "It is on Saturday."], tools=tools)
    runner = m.for_openai_agents()

    waits = await runner.run(agent, "Move dinner to Friday")
    state = waits.to_state()
    state.approve(waits.interruptions[0])
    ended = await runner.run(agent, state)

    assert ended.final_output == "It is on Saturday."
    assert remote.list_items()[event].data["day"] == SATURDAY


async def test_what_is_refused_in_the_host_is_denied_in_the_journal(
    m: Mulligan, remote: FakeRemote
) -> None:
    agent = build_agent(remote, [("send_invitation", {"to": "Ann"}), "Then not."])
    runner = m.for_openai_agents()

    waits = await runner.run(agent, "Invite Ann")
    [held] = m.insights.open_list.actions()
    state = waits.to_state()
    state.reject(waits.interruptions[0])
    ended = await runner.run(agent, state)

    assert ended.final_output == "Then not."
    assert (remote.ledger(), m.insights.open_list.actions()) == ([], [])
    assert str(m.insights.open_list.find(held.id).state) == "denied"


async def test_what_is_denied_elsewhere_is_told_to_the_model(
    m: Mulligan, remote: FakeRemote
) -> None:
    ran = Ran()
    agent = build_agent(remote, [("send_invitation", {"to": "Ann"}), "Then not."], ran)
    runner = m.for_openai_agents()

    waits = await runner.run(agent, "Invite Ann")
    [held] = m.insights.open_list.actions()
    m.insights.open_list.deny(held.id, by="Mum")
    state = await RunState.from_string(agent, waits.to_state().to_string())
    await runner.run(agent, state)

    assert "A person denied it" in ran.shown[-1]
    assert remote.ledger() == []


async def test_a_run_that_waits_is_not_gone_on_with_past_the_journal(
    m: Mulligan, remote: FakeRemote
) -> None:
    agent = build_agent(remote, [("send_invitation", {"to": "Ann"}), "Ann is invited."])
    runner = m.for_openai_agents()

    waits = await runner.run(agent, "Invite Ann")
    still = await runner.run(agent, waits.to_state())

    assert len(still.interruptions) == 1
    assert remote.ledger() == []


async def test_a_tool_of_the_applications_own_is_logged_once(
    m: Mulligan, remote: FakeRemote
) -> None:
    @m.tool(effect=Effect.READ)
    async def count_guests(party: str) -> int:
        """Count the guests."""
        return len(party)

    agent = build_agent(
        remote, [("count_guests", {"party": "four"}), "Four."], tools=[function_tool(count_guests)]
    )

    await m.for_openai_agents().run(agent, "How many?")

    m.flush()
    rows = [row.tool for row in m.insights.log(LogQuery())]
    assert rows.count("count_guests") == 1


async def test_a_failure_is_told_in_the_tools_own_words_or_raised_as_its_author_wants(
    m: Mulligan, remote: FakeRemote
) -> None:
    async def fetch(city: str) -> str:
        """Fetch."""
        raise ValueError(f"unknown city {city!r}")

    ran = Ran()
    told = function_tool(fetch, failure_error_function=lambda ctx, error: "No such place.")
    raised = function_tool(fetch, failure_error_function=None)
    call: Step = ("fetch", {"city": "Atlantis"})

    await m.for_openai_agents().run(
        build_agent(remote, [call, "Nowhere."], ran, tools=[told]), "Where is it?"
    )
    with pytest.raises(Exception, match="unknown city 'Atlantis'"):
        await m.for_openai_agents().run(
            build_agent(remote, [call, "Nowhere."], tools=[raised]), "Where is it?"
        )

    assert "No such place.\n\n" in ran.shown[1]
    assert "What to do:" in ran.shown[1]


async def test_what_comes_as_text_of_an_mcp_server_is_read_and_shown_as_it_came(
    m: Mulligan, remote: FakeRemote
) -> None:
    ran, read = Ran(), []

    async def invoke(ctx: Any, arguments: str) -> dict[str, str]:
        return {"type": "text", "text": '{"id": "t1", "version": "7"}'}

    m.declare(
        "add_table",
        effect=Effect.REVERSIBLE,
        before=lambda record: None,
        undo=lambda record: None,
        version=lambda record: read.append(record.result),
    )
    schema = {"type": "object", "properties": {}}
    tool = FunctionTool("add_table", "Add.", schema, invoke, strict_json_schema=False)

    await m.for_openai_agents().run(
        build_agent(remote, [("add_table", {}), "Added."], ran, tools=[tool]), "Add a table"
    )

    assert read[0] == {"id": "t1", "version": "7"}
    assert "'input_text'" in ran.shown[1]


async def test_an_error_of_the_host_that_a_tool_raises_itself_proves_nothing(
    m: Mulligan, remote: FakeRemote
) -> None:
    def refuse() -> None:
        raise ModelBehaviorError("Invalid JSON input for tool book_table: the answer is none")

    tools = [function_tool(each) for each in build_tools(remote, spoil=refuse)]
    script: list[Step] = [("book_table", {"people": "five"}), "Booked?", "It is not."]
    await m.for_openai_agents().run(build_agent(remote, script, tools=tools), "Leave it")

    assert [line.op for line in remote.ledger()] == ["create", "delete"]


async def test_an_agent_that_is_a_tool_waits_where_it_was_declared(m: Mulligan) -> None:
    m.declare("publish", effect=Effect.IRREVERSIBLE)
    press = Agent("press", model=Scripted(["It is out."], Ran()))
    model = Scripted([("publish", {"input": "our news"}), "Sent."], Ran())
    top = Agent("top", model=model, tools=[press.as_tool("publish", "Publishes.")])

    result = await m.for_openai_agents().run(top, "Publish it")

    assert [item.name for item in result.interruptions] == ["publish"]
    assert [action.state for action in m.insights.open_list.actions()] == [State.HELD]


async def test_an_image_stays_one_beside_a_note(m: Mulligan) -> None:
    m.declare("draw", effect=Effect.READ, mode=Mode.AUTO)

    @function_tool(strict_mode=False)
    async def draw(size: Literal["small", "large"]) -> ToolOutputImage:
        """Draw."""
        return ToolOutputImage(image_url="data:image/png;base64,AAAA")

    model = Scripted([("draw", {"size": "Large"}), "Drawn."], Ran())
    result = await m.for_openai_agents().run(Agent("a", model=model, tools=[draw]), "Draw")

    [output] = [item for item in result.new_items if item.type == "tool_call_output_item"]
    assert output.raw_item["output"][0]["type"] == "input_image"
    assert "draw failed as it was called" in output.raw_item["output"][1]["text"]


WRITTEN = 'Action: find_room\nAction Input: {"size": "large"}'


def build_writer(remote: FakeRemote, model: Any, **more: Any) -> Agent[Any]:
    return build_agent(remote, [], **more).clone(model=model)


async def test_what_is_written_in_a_stream_is_called_too(m: Mulligan, remote: FakeRemote) -> None:
    runner, ran = m.for_openai_agents(written_calls=True), Ran()
    agent = build_writer(remote, runner.wrap_model(Scripted([WRITTEN, "Room 4."], ran)))

    streamed = runner.run_streamed(agent, "Find a room")
    names = [each.name async for each in streamed.stream_events() if hasattr(each, "name")]

    assert "room 4, large" in ran.shown[1]
    assert "tool_called" in names
    assert streamed.final_output == "Room 4."


async def test_what_is_written_awaits_approval_as_any_call(m: Mulligan, remote: FakeRemote) -> None:
    runner = m.for_openai_agents(written_calls=True)
    model = Scripted(['send_invitation(to="Ann")', "Ann is invited."], Ran())
    agent = build_writer(remote, runner.wrap_model(model))

    waits = await runner.run(agent, "Invite Ann")
    [held] = m.insights.open_list.actions()
    m.insights.open_list.approve(held.id, by="Mum")
    ended = await runner.run(agent, waits.to_state())

    assert (len(waits.interruptions), ended.final_output) == (1, "Ann is invited.")
    assert [line.op for line in remote.ledger()] == ["create"]


async def test_an_agent_may_be_handed_over_to_in_writing(m: Mulligan, remote: FakeRemote) -> None:
    runner = m.for_openai_agents(written_calls=True)
    desk = Agent("desk", model=runner.wrap_model(Scripted(["The desk is here."], Ran())))
    model = runner.wrap_model(Scripted(["<tool_call>transfer_to_desk()</tool_call>"], Ran()))

    ended = await runner.run(build_writer(remote, model, handoffs=[desk]), "Give me the desk")

    assert (ended.last_agent.name, ended.final_output) == ("desk", "The desk is here.")


async def test_what_does_not_fit_is_a_reply(m: Mulligan, remote: FakeRemote) -> None:
    runner = m.for_openai_agents(written_calls=True)
    said = 'Action: find_room\nAction Input: {"size": "enormous"}'

    ended = await runner.run(build_writer(remote, runner.wrap_model(Scripted([said], Ran()))), "Go")

    assert ended.final_output == said


async def test_a_model_that_is_not_wrapped_is_told_of_once(
    m: Mulligan, remote: FakeRemote, caplog: pytest.LogCaptureFixture
) -> None:
    runner = m.for_openai_agents(written_calls=True)

    with caplog.at_level(logging.WARNING, logger="mulligan"):
        for _ in range(2):
            agent = Agent("unwrapped", model=Scripted(["Hello."], Ran()))
            await runner.run(agent, "Hello")

    assert [each for each in caplog.messages if "of unwrapped writes" in each] != []
    assert len([each for each in caplog.messages if "wrap_model" in each]) == 1
