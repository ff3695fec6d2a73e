"""What is special of openai-agents; the stories that all hosts share are in tests/stories."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest
from agents import (
    Agent,
    Runner,
    SQLiteSession,
    function_tool,
    handoff,
    set_tracing_disabled,
)
from agents.items import ModelResponse
from pydantic import BaseModel

from bench.hosts.drivers import Ran, Step
from bench.hosts.drivers.openai_agents import Scripted
from bench.hosts.world import FRIDAY, SATURDAY, WEDNESDAY, build_tools, list_days, move
from mulligan import Mulligan
from mulligan.hosts.openai_agents import list_items
from mulligan.types.call import LogRow
from mulligan.types.errors import ConfigurationError, RunningLoopError, UnfinishedRunError
from mulligan_testing.remote import FakeRemote

# The framework's own warnings are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]

set_tracing_disabled(True)


def build_agent(
    remote: FakeRemote, script: Sequence[Step], ran: Ran | None = None, **more: Any
) -> Agent[Any]:
    tools = [function_tool(each) for each in build_tools(remote)]
    model = Scripted(script, ran or Ran())
    return Agent("planner", model=model, tools=more.pop("tools", tools), **more)


def correct(event: str) -> list[Step]:
    return [move(event, SATURDAY), "Moved, honestly.", move(event, FRIDAY), "Moved to Friday."]


async def test_the_second_attempt_begins_at_the_first_agent_whoever_was_handed_over_to(
    m: Mulligan, remote: FakeRemote, event: str, rows: Callable[[], list[LogRow]]
) -> None:
    planned, moved = Ran(), Ran()
    mover = build_agent(remote, correct(event), moved)
    mover.name = "mover"
    script: list[Step] = [("transfer_to_mover", {})] * 2
    first = Agent("planner", model=Scripted(script, planned), handoffs=[handoff(mover)])

    ended = await m.for_openai_agents().run(first, "Move dinner to Friday")

    assert ended.final_output == "Moved to Friday."
    assert ended.last_agent is mover
    assert (len(planned.shown), len(moved.shown)) == (2, 4)
    assert list_days(remote) == [WEDNESDAY, SATURDAY, WEDNESDAY, FRIDAY]
    assert len({row.turn for row in rows()}) == 1


async def test_what_an_agent_does_that_is_called_as_a_tool_belongs_to_the_turn(
    m: Mulligan, remote: FakeRemote, event: str
) -> None:
    moves: list[Step] = [move(event, SATURDAY), "Moved.", move(event, FRIDAY), "Moved."]
    mover = build_agent(remote, moves)
    asks: Step = ("ask_mover", {"input": "Move it"})
    first = build_agent(
        remote, [asks, "Done.", asks, "Done on Friday."], tools=[mover.as_tool("ask_mover", "Ask.")]
    )

    ended = await m.for_openai_agents().run(first, "Move dinner to Friday")

    assert ended.final_output == "Done on Friday."
    assert list_days(remote) == [WEDNESDAY, SATURDAY, WEDNESDAY, FRIDAY]


class Chained(Scripted):  # type: ignore[misc]
    """As a provider that keeps the conversation: every response has an id."""

    def __init__(self, script: Sequence[Step], ran: Ran) -> None:
        super().__init__(script, ran)
        self.roles: list[Any] = []

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        said = await super().get_response(*given, **named)
        said.response_id = f"resp_{len(self.ran.shown)}"
        items = list_items(given[1] if given else named["input"])
        self.roles += [item.get("role") for item in items]
        return said


@pytest.mark.parametrize("name", ["conversation_id", "previous_response_id"])
async def test_what_a_server_keeps_is_followed_by_what_the_person_was_told(
    m: Mulligan, remote: FakeRemote, event: str, name: str
) -> None:
    runner, ran = m.for_openai_agents(), Ran()
    wrong: list[Step] = [move(event, SATURDAY), "Moved, honestly."]
    agent = build_agent(remote, [])
    agent.model = Chained([*wrong, *wrong], ran)
    first = await runner.run(agent, "Move dinner to Friday", **{name: "id_0"})
    corrected = agent.model.roles
    thread = {"conversation_id": "id_0", "previous_response_id": first.last_response_id}[name]

    for said in ("Where is it now?", "And now?"):
        agent.model = Chained(["I look."], ran)
        await runner.run(agent, said, **{name: thread})

    assert "developer" in corrected
    assert ran.shown[-2].index("everything was undone") < ran.shown[-2].index("Where is it now?")
    assert "undone" not in ran.shown[-1]


async def test_what_a_result_hands_on_has_no_rejected_attempt_and_no_word_of_ours(
    m: Mulligan, remote: FakeRemote, event: str
) -> None:
    wrong: list[Step] = [move(event, SATURDAY), "Moved, honestly."]
    runner = m.for_openai_agents()
    right = await runner.run(build_agent(remote, correct(event)), "Move dinner to Friday")
    rejected = await runner.run(
        build_agent(remote, [*wrong, *wrong]),
        [*right.to_input_list(), {"role": "user", "content": "To Friday, please"}],
    )
    items = rejected.to_input_list()

    kinds = [item.get("role") or item.get("type") for item in items]
    made = ["user", "function_call", "function_call_output", "assistant"]
    assert kinds == [*made, "user", "assistant"]
    assert "everything was undone" in items[-1]["content"]
    assert not any(word in str(items) for word in ("honestly", SATURDAY, "was checked"))


async def test_parallel_calls_are_of_one_turn(
    m: Mulligan, remote: FakeRemote, rows: Callable[[], list[LogRow]]
) -> None:
    class Both(Scripted):  # type: ignore[misc]
        async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
            said = await super().get_response(*given, **named)
            if self.steps and not isinstance(self.steps[0], str):
                said.output += (await super().get_response(*given, **named)).output
            return said

    calls: list[Step] = [("find_room", {"size": "large"}), ("find_room", {"size": "small"})]
    agent = build_agent(remote, [])
    agent.model = Both([*calls, "Two rooms."], Ran())

    ended = await m.for_openai_agents().run(agent, "Find two rooms")

    assert ended.final_output == "Two rooms."
    assert [row.tool for row in rows()] == ["find_room", "find_room"]
    assert len({row.turn for row in rows()}) == 1


async def test_a_session_has_nothing_of_a_rejected_attempt_which_is_kept_for_later(
    m: Mulligan, remote: FakeRemote, event: str, rows: Callable[[], list[LogRow]]
) -> None:
    session = SQLiteSession("dinner")
    await session.add_items([{"role": "user", "content": "Hello."}])

    await m.for_openai_agents().run(
        build_agent(remote, correct(event)), "Move dinner to Friday", session=session
    )

    kept = str(await session.get_items())
    assert "Hello." in kept
    assert kept.count("Move dinner to Friday") == 1
    assert "Moved, honestly." not in kept
    assert "Moved to Friday." in kept
    dropped = m._parts.store.vault.get(str(rows()[0].turn), "messages 1")
    assert b"Moved, honestly." in (dropped or b"")


async def test_in_a_session_a_reply_is_written_again_after_what_was_said(
    m: Mulligan, remote: FakeRemote
) -> None:
    ran, session = Ran(), SQLiteSession("success")
    agent = build_agent(remote, ["Success is guaranteed.", "It should work."], ran)

    ended = await m.for_openai_agents().run(agent, "Will it work?", session=session)

    assert ended.final_output == "It should work."
    assert ran.shown[1].count("Will it work?") == 1


def test_without_an_event_loop_it_runs_on_the_thread_that_waits(
    m: Mulligan, remote: FakeRemote, event: str
) -> None:
    ended = m.for_openai_agents().run_sync(build_agent(remote, correct(event)), "Move it to Friday")

    assert ended.final_output == "Moved to Friday."
    assert list_days(remote) == [WEDNESDAY, SATURDAY, WEDNESDAY, FRIDAY]


async def test_it_does_not_hold_up_an_event_loop(m: Mulligan, remote: FakeRemote) -> None:
    with pytest.raises(RunningLoopError, match="await run"):
        m.for_openai_agents().run_sync(build_agent(remote, ["Hello."]), "Hello")


@pytest.mark.parametrize(("live", "said"), [(False, 1), (True, 2)])
async def test_events_are_held_back_until_they_are_reviewed(
    m: Mulligan, remote: FakeRemote, event: str, live: bool, said: int
) -> None:
    agent = build_agent(remote, correct(event))

    streamed = m.for_openai_agents().run_streamed(agent, "Move dinner to Friday", live=live)
    with pytest.raises(AttributeError, match="stream_events"):
        assert streamed.final_output
    names = [each.name async for each in streamed.stream_events() if hasattr(each, "name")]

    assert names.count("message_output_created") == said
    assert streamed.final_output == "Moved to Friday."
    assert list_days(remote) == [WEDNESDAY, SATURDAY, WEDNESDAY, FRIDAY]


async def test_runs_at_the_same_time_have_their_own_turns(
    m: Mulligan, remote: FakeRemote, rows: Callable[[], list[LogRow]]
) -> None:
    runner = m.for_openai_agents()
    call: Step = ("find_room", {"size": "large"})

    await asyncio.gather(
        *(runner.run(build_agent(remote, [call, "Room 4."]), "Find a room") for _ in range(3))
    )

    assert len({row.turn for row in rows()}) == 3


async def test_a_run_of_the_hosts_own_runner_is_left_alone(
    m: Mulligan, remote: FakeRemote, event: str, rows: Callable[[], list[LogRow]]
) -> None:
    m.for_openai_agents()

    ended = await Runner.run(build_agent(remote, correct(event)[:2]), "Move dinner to Friday")

    assert ended.final_output == "Moved, honestly."
    assert rows() == []


async def test_what_a_run_is_about_may_come_from_its_context(
    m: Mulligan, remote: FakeRemote, rows: Callable[[], list[LogRow]]
) -> None:
    runner = m.for_openai_agents(about=lambda context: {"agent": context["who"]})
    agent = build_agent(remote, [("find_room", {"size": "large"}), "Room 4."])

    await runner.run(agent, "Find a room", context={"who": "butler"})

    assert [row.agent for row in rows()] == ["butler"]


def test_unknown_options_are_refused(m: Mulligan) -> None:
    with pytest.raises(ConfigurationError, match="'agnet'"):
        m.for_openai_agents(agnet="planner")


class Plan(BaseModel):
    day: str


def give_wrong_plan(event: str) -> list[Step]:
    return [move(event, SATURDAY), Plan(day=SATURDAY).model_dump_json()] * 2


@pytest.mark.parametrize("live", [True, False])
async def test_a_stream_of_a_rejected_run_ends_with_the_error(
    m: Mulligan, remote: FakeRemote, event: str, *, live: bool
) -> None:
    agent = build_agent(remote, give_wrong_plan(event), output_type=Plan)
    streamed, seen = m.for_openai_agents().run_streamed(agent, "Move it", live=live), []

    async def show() -> None:
        async for each in streamed.stream_events():
            seen.append(each)

    with pytest.raises(UnfinishedRunError):
        await show()

    assert bool(seen) is live
    with pytest.raises(AttributeError, match="there once"):
        _ = streamed.final_output


@pytest.mark.parametrize("typed", [True, False])
async def test_a_session_says_what_the_person_was_told(
    m: Mulligan, remote: FakeRemote, event: str, *, typed: bool
) -> None:
    session = SQLiteSession("s1")
    script = give_wrong_plan(event) if typed else [move(event, SATURDAY), "Moved."] * 2
    agent = build_agent(remote, script, **({"output_type": Plan} if typed else {}))

    with suppress(UnfinishedRunError):  # of the object: what the session says is asked here
        await m.for_openai_agents().run(agent, "Move dinner to Friday", session=session)

    *_, last = await session.get_items()
    assert last["role"] == "assistant"
    assert last["content"].startswith("I could not do this reliably")
