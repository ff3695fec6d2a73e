from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pytest
from pydantic import BaseModel
from strands import Agent, ToolContext, tool
from strands.multiagent import Swarm
from strands.session.file_session_manager import FileSessionManager

from bench.hosts.drivers import Ran
from bench.hosts.drivers.strands import ScriptedModel, answer_all
from bench.hosts.world import FRIDAY, SATURDAY, add_event, build_tools, list_rows, move
from mulligan import Effect
from mulligan.hosts.strands import NO, YES, read_approval, read_text, read_value
from mulligan.types.errors import UnfinishedRunError

# The framework's own warnings are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]


def build_agent(m, tools, *script, options=None, **rest):
    ran = Ran()
    agent = Agent(
        ScriptedModel(script, ran),
        tools=[each if hasattr(each, "tool_spec") else tool(each) for each in tools],
        hooks=[m.for_strands(**(options or {}))],
        callback_handler=None,
        **{"name": "planner", **rest},
    )
    return agent, ran


async def test_calls_that_are_made_at_once_are_one_attempt_of_one_turn(m, remote):
    first, second = add_event(remote), add_event(remote)
    wrong, right = (
        [move(first, FRIDAY), move(second, SATURDAY)],
        [
            move(first, FRIDAY),
            move(second, FRIDAY),
        ],
    )
    agent, _ = build_agent(m, build_tools(remote), wrong, "Moved.", right, "Moved both.")

    result = await agent.invoke_async("Move both to Friday")

    assert str(result) == "Moved both.\n"
    assert {item.data["day"] for item in remote.list_items().values()} == {FRIDAY}
    assert [line.by for line in remote.ledger()].count("undo") == 2
    assert len({row.turn for row in list_rows(m)}) == 1


async def test_in_a_swarm_only_the_agent_that_was_wrong_tries_again(m, remote):
    first, second = add_event(remote), add_event(remote)
    hand_over = ("handoff_to_agent", {"agent_name": "mover", "message": "Move the other"})
    planner, planned = build_agent(
        m, build_tools(remote), [move(first, FRIDAY), hand_over], "Handed over."
    )
    script = [move(second, SATURDAY), "Moved.", move(second, FRIDAY), "Moved to Friday."]
    mover, moved = build_agent(m, build_tools(remote), *script, name="mover")

    await Swarm([planner, mover]).invoke_async("Move both to Friday")

    assert {item.data["day"] for item in remote.list_items().values()} == {FRIDAY}
    assert [line.by for line in remote.ledger()].count("undo") == 1
    assert (len(planned.shown), len(moved.shown)) == (2, 4)
    assert len({row.turn for row in list_rows(m)}) == 2


async def test_two_agents_with_the_same_hooks_have_turns_of_their_own(m):
    both = asyncio.Barrier(2)

    async def look(city: str) -> str:
        """Look."""
        await both.wait()
        return "sun"

    hooks, shared = m.for_strands(), {}
    agents = [
        Agent(
            ScriptedModel([("look", {"city": "Bari"}), "Sunny."], Ran()),
            tools=[tool(look)],
            hooks=[hooks],
            callback_handler=None,
        )
        for _ in range(2)
    ]

    await asyncio.gather(*(a.invoke_async("How is it?", invocation_state=shared) for a in agents))

    assert len({row.turn for row in list_rows(m)}) == 2


async def test_what_an_agent_does_as_a_tool_belongs_to_the_turn_outside(m, remote):
    first, second, tools = add_event(remote), add_event(remote), build_tools(remote)
    inside, _ = build_agent(m, tools, *[move(first, FRIDAY), "Moved it."] * 2, name="mover")
    ask = ("mover", {"input": "Move the first to Friday"})
    script = [[ask, move(second, SATURDAY)], "Moved.", [ask, move(second, FRIDAY)], "Moved both."]
    agent, ran = build_agent(m, [inside.as_tool(), *tools], *script)

    result = await agent.invoke_async("Move both to Friday")

    assert str(result) == "Moved both.\n"
    assert ran.shown[2].partition("Undone and verified:")[2].count("- move_event(") == 2
    assert [line.by for line in remote.ledger()].count("undo") == 2
    assert {item.data["day"] for item in remote.list_items().values()} == {FRIDAY}


def test_an_agent_that_is_called_without_an_event_loop_is_reviewed_too(m, remote):
    event = add_event(remote)
    script = [move(event, SATURDAY), "Moved.", move(event, FRIDAY), "Moved to Friday."]
    agent, _ = build_agent(m, build_tools(remote), *script)

    assert str(agent("Move dinner to Friday")) == "Moved to Friday.\n"
    assert [line.by for line in remote.ledger()] == ["person", "agent", "undo", "agent"]


async def test_a_sync_tool_is_called_as_the_host_calls_it(m):
    def look(city: str) -> dict:
        """Look."""
        return {"sky": "blue", "city": city}

    agent, _ = build_agent(m, [look], ("look", {"city": "Bari"}), "Blue.")

    await agent.invoke_async("How is it?")

    [row] = list_rows(m)
    assert (row.tool, row.agent, row.outcome) == ("look", "planner", "success")
    assert '"sky": "blue"' in agent.messages[2]["content"][0]["toolResult"]["content"][0]["text"]


async def test_a_rejected_attempt_leaves_the_history_and_is_kept_aside(m, remote):
    event = add_event(remote)
    script = [move(event, SATURDAY), "Moved, honestly.", move(event, FRIDAY), "Moved to Friday."]
    agent, _ = build_agent(m, build_tools(remote), "Hello.", *script)

    await agent.invoke_async("Hi")
    await agent.invoke_async("Move dinner to Friday")

    roles = [message["role"] for message in agent.messages]
    assert roles == ["user", "assistant", "user", "assistant", "user", "assistant"]
    assert "honestly" not in str(agent.messages)
    assert agent.messages[2]["content"][0]["text"] == "Move dinner to Friday"
    turn = list_rows(m)[0].turn
    kept = json.loads(m._parts.store.vault.get(turn, "messages 1"))
    assert kept[-1]["content"] == [{"text": "Moved, honestly."}]


async def test_a_tool_that_interrupts_goes_on_as_the_host_has_it(m):
    made = []

    @tool(context=True)
    def ask(what: str, tool_context: ToolContext) -> str:
        """Ask the person."""
        said = tool_context.interrupt("which", reason=what)
        made.append(said)
        return f"They said {said}."

    agent, _ = build_agent(m, [ask], ("ask", {"what": "Which?"}), "Blue, then.")

    first = await agent.invoke_async("Ask me")
    second = await agent.invoke_async(answer_all(first.interrupts, "blue"))

    assert [each.name for each in first.interrupts] == ["which"]
    assert (first.stop_reason, str(second), made) == ("interrupt", "Blue, then.\n", ["blue"])


@pytest.mark.parametrize(
    ("said", "told", "sent"),
    [("yes", "sent to Ann", 1), (False, "A person denied it", 0), ("hm", "awaiting approval", 0)],
)
async def test_a_held_call_is_decided_by_what_a_person_answers_in_the_host(
    m, remote, said, told, sent
):
    script = [("send_invitation", {"to": "Ann"}), "So be it."]
    agent, ran = build_agent(m, build_tools(remote), *script)

    first = await agent.invoke_async("Invite Ann")
    [held] = m.insights.open_list.actions()
    await agent.invoke_async(answer_all(first.interrupts, said))

    assert first.interrupts[0].reason["action"] == held.id
    assert told in ran.shown[1]
    assert len(remote.list_items()) == sent


async def test_a_session_that_is_loaded_ends_with_what_was_undone(m, remote, tmp_path):
    keep = {"session_id": "s1", "storage_dir": str(tmp_path / "sessions")}
    wrong = [move(add_event(remote), SATURDAY), "Moved, honestly."]
    manager = FileSessionManager(**keep)
    agent, _ = build_agent(m, build_tools(remote), *wrong, *wrong, session_manager=manager)
    await agent.invoke_async("Move dinner to Friday")

    other, ran = build_agent(m, [], "I look.", session_manager=FileSessionManager(**keep))
    await other.invoke_async("Where is it now?")

    assert "everything was undone" in ran.shown[0][ran.shown[0].rindex(SATURDAY) :]


async def test_a_held_call_goes_on_in_another_process_by_its_session(m, remote, tmp_path):
    tools, script = build_tools(remote), [("send_invitation", {"to": "Ann"})]
    keep = {"session_id": "s1", "storage_dir": str(tmp_path / "sessions")}
    agent, _ = build_agent(m, tools, *script, session_manager=FileSessionManager(**keep))
    first = await agent.invoke_async("Invite Ann")
    m.insights.open_list.approve(m.insights.open_list.actions()[0].id, by="Mum")

    other, _ = build_agent(m, tools, "Invited.", session_manager=FileSessionManager(**keep))
    result = await other.invoke_async(answer_all(first.interrupts))

    assert str(result) == "Invited.\n"
    assert [line.op for line in remote.ledger()] == ["create"]


async def test_a_decorated_tool_is_logged_once_and_held_in_the_host(m):
    sent = []

    @m.tool(effect=Effect.READ)
    async def look(city: str) -> dict:
        """Look."""
        return {"sky": "blue"}

    @m.tool(effect=Effect.IRREVERSIBLE)
    async def send(to: str) -> str:
        """Send."""
        sent.append(to)
        return "sent"

    script = [("look", {"city": "Bari"}), ("send", {"to": "Ann"}), "Sent."]
    agent, _ = build_agent(m, [look, send], *script)

    first = await agent.invoke_async("Look and send")
    before = list(sent)
    second = await agent.invoke_async(answer_all(first.interrupts))

    assert (before, sent, str(second)) == ([], ["Ann"], "Sent.\n")
    assert [row.tool for row in list_rows(m)].count("look") == 1
    assert m.insights.open_list.actions() == []


async def test_what_a_tool_streams_comes_through_while_it_runs(m):
    @tool
    async def count(to: int):
        """Count."""
        for number in range(to):
            yield number
        yield "counted"

    agent, ran = build_agent(m, [count], ("count", {"to": 2}), "Done.")

    events = [event async for event in agent.stream_async("Count")]

    seen = [e["tool_stream_event"]["data"] for e in events if "tool_stream_event" in e]
    assert seen == [0, 1, "counted"]
    assert "counted" in ran.shown[1]


async def test_arguments_that_the_host_would_not_take_are_a_refusal(m, remote):
    agent, ran = build_agent(m, build_tools(remote), ("move_event", {"event_id": "e1"}), "No.")

    await agent.invoke_async("Move it")

    [row] = list_rows(m)
    assert row.outcome == "failure"
    assert "Field required" in ran.shown[1]
    assert m.insights.open_list.actions() == []


async def test_a_failure_that_is_returned_is_a_failure(m):
    @tool
    def look(city: str) -> dict:
        """Look."""
        return {"status": "error", "content": [{"text": "no such city"}]}

    agent, ran = build_agent(m, [look], ("look", {"city": "Atlantis"}), "No.")

    await agent.invoke_async("Look")

    [row] = list_rows(m)
    assert (row.outcome, row.error_message) == ("failure", "no such city")
    assert "no such city" in ran.shown[1]


async def test_an_output_of_a_type_is_reviewed_and_its_tool_is_no_call(m, remote):
    class Plan(BaseModel):
        day: str

    event = add_event(remote)
    plan = ("Plan", {"day": FRIDAY})
    script = [move(event, SATURDAY), plan, move(event, FRIDAY), plan]
    agent, _ = build_agent(m, build_tools(remote), *script)

    result = await agent.invoke_async("Move dinner to Friday", structured_output_model=Plan)

    assert result.structured_output == Plan(day=FRIDAY)
    assert remote.list_items()[event].data["day"] == FRIDAY
    assert {row.tool for row in list_rows(m)} == {"move_event"}


async def test_a_question_takes_the_place_of_the_reply_in_the_history_too(m, remote):
    event = add_event(remote)
    agent, _ = build_agent(m, build_tools(remote), *[move(event, SATURDAY), "Moved."] * 2)

    result = await agent.invoke_async("Move dinner to Friday")

    [block] = result.message["content"]
    assert block["text"].startswith("I could not do this reliably")
    assert agent.messages[-1] is result.message


async def test_a_note_stands_under_the_reply(m, remote):
    def water_plants() -> str:
        """Water the plants."""
        return "watered"

    event, water = add_event(remote), ("water_plants", {})
    script = [[move(event, SATURDAY), water], "Moved.", move(event, FRIDAY), "Moved to Friday."]
    agent, _ = build_agent(m, [*build_tools(remote), water_plants], *script)

    result = await agent.invoke_async("Move dinner to Friday")

    said, under = [block["text"] for block in result.message["content"]]
    assert said == "Moved to Friday."
    assert "Water plants" in under


async def test_an_invocation_that_dies_is_over(m, remote):
    event = add_event(remote)
    agent, _ = build_agent(m, build_tools(remote), move(event, FRIDAY))

    with pytest.raises(Exception, match="pop from empty list"):
        await agent.invoke_async("Move dinner to Friday")
    agent.model = ScriptedModel([("find_room", {"size": "small"}), "Room 4."], Ran())
    await agent.invoke_async("Find a room")

    assert len({row.turn for row in list_rows(m)}) == 2


async def test_what_is_known_to_go_wrong_is_in_the_prompt_of_the_invocation(m, remote):
    steps = [("find_room", {"size": "Large"}), "Room 4."]
    agent, ran = build_agent(
        m, build_tools(remote), *steps * 4, options={"pitfalls": True}, system_prompt="Be kind."
    )

    for _ in range(4):
        await agent.invoke_async("Find a large room")
        m.flush()

    assert ran.shown[0].startswith("Be kind.\n")
    assert "find_room" in ran.shown[-1].split("Find a large room")[0]
    assert agent.system_prompt == "Be kind."


async def test_a_call_in_the_background_is_refused_loudly(m, remote):
    hooks, [send] = m.for_strands(), [tool(each) for each in build_tools(remote)[2:3]]
    use = {"toolUseId": "t1", "name": "send_invitation", "input": {"to": "Ann"}}
    agent = SimpleNamespace(messages=[], name="planner", tool_names=[], system_prompt="")
    event = {"agent": agent, "invocation_state": {}}
    hooks.open_run(SimpleNamespace(**event, messages=[]))
    call = SimpleNamespace(**event, selected_tool=send, tool_use=use)
    hooks.wrap_tool(call)

    [came] = [each async for each in call.selected_tool.stream(use, {}, _tool_context=object())]

    assert came.tool_result["status"] == "error"
    assert "cannot run in the background" in came.tool_result["content"][0]["text"]
    assert remote.list_items() == {}


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ([{"text": '{"id": 1}'}], {"id": 1}),
        ([{"text": "[1]"}], [1]),
        ([{"text": "[not json"}], "[not json"),
        ([{"text": "0123"}], "0123"),
        ([{"text": "7"}], "7"),
        ([{"json": {"a": 1}}], {"a": 1}),
        ([{"text": "a"}, {"json": [1]}], ["a", [1]]),
        ([], []),
    ],
)
def test_a_result_is_read_as_what_the_tool_returned(content, value):
    assert read_value({"content": content}) == value


def test_structured_content_of_a_server_is_the_value():
    assert read_value({"content": [{"text": "x"}], "structuredContent": {"a": 1}}) == {"a": 1}


def test_text_with_citations_is_read_as_text():
    assert read_text([{"citationsContent": {"content": [{"text": "a"}]}}, {"text": "b"}]) == "b\na"


def test_an_answer_that_is_neither_yes_nor_no_decides_nothing():
    assert [read_approval(word.upper()) for word in YES] == [True] * len(YES)
    assert [read_approval(word) for word in NO] == [False] * len(NO)
    assert [read_approval(said) for said in (True, False, "later", {"a": 1})] == [
        True,
        False,
        None,
        None,
    ]


async def test_a_rejected_invocation_gives_no_object_and_its_history_says_why(m, remote):
    class Plan(BaseModel):
        day: str

    event = add_event(remote)
    script = [move(event, SATURDAY), ("Plan", {"day": SATURDAY})] * 2
    agent, _ = build_agent(m, build_tools(remote), *script, "Which day?")

    with pytest.raises(UnfinishedRunError):
        await agent.invoke_async("Move dinner to Friday", structured_output_model=Plan)

    said = [
        block["text"] for each in agent.messages for block in each["content"] if "text" in block
    ]
    assert said[-1].startswith("I could not do this reliably")
    assert "Which day?" in str(await agent.invoke_async("And now?"))
