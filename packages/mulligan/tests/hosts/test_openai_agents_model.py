"""Models that only write, in openai-agents."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from agents import Agent, function_tool, set_tracing_disabled

from bench.hosts.drivers import Ran
from bench.hosts.drivers.openai_agents import Scripted
from bench.hosts.world import build_tools
from mulligan import Mulligan
from mulligan_testing.remote import FakeRemote

pytestmark = pytest.mark.filterwarnings("default")  # the framework's own are not ours to mend

set_tracing_disabled(True)

WRITTEN = 'Action: find_room\nAction Input: {"size": "large"}'


def build_agent(remote: FakeRemote, model: Any, **more: Any) -> Agent[Any]:
    tools = [function_tool(each) for each in build_tools(remote)]
    return Agent("planner", model=model, tools=tools, **more)


async def test_what_is_written_in_a_stream_is_called_too(m: Mulligan, remote: FakeRemote) -> None:
    runner, ran = m.for_openai_agents(written_calls=True), Ran()
    agent = build_agent(remote, runner.wrap_model(Scripted([WRITTEN, "Room 4."], ran)))

    streamed = runner.run_streamed(agent, "Find a room")
    names = [each.name async for each in streamed.stream_events() if hasattr(each, "name")]

    assert "room 4, large" in ran.shown[1]
    assert "tool_called" in names
    assert streamed.final_output == "Room 4."


async def test_what_is_written_waits_for_a_person_as_any_call(
    m: Mulligan, remote: FakeRemote
) -> None:
    runner = m.for_openai_agents(written_calls=True)
    model = Scripted(['send_invitation(to="Ann")', "Ann is invited."], Ran())
    agent = build_agent(remote, runner.wrap_model(model))

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

    ended = await runner.run(build_agent(remote, model, handoffs=[desk]), "Give me the desk")

    assert (ended.last_agent.name, ended.final_output) == ("desk", "The desk is here.")


async def test_what_does_not_fit_is_a_reply(m: Mulligan, remote: FakeRemote) -> None:
    runner = m.for_openai_agents(written_calls=True)
    said = 'Action: find_room\nAction Input: {"size": "enormous"}'

    ended = await runner.run(build_agent(remote, runner.wrap_model(Scripted([said], Ran()))), "Go")

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
