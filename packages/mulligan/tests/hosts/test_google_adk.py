from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import StreamingMode
from google.adk.apps import App
from google.adk.models import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool
from google.adk.tools.agent_tool import AgentTool
from google.genai import types
from pydantic import BaseModel

from bench.hosts.drivers.google_adk import ScriptedLlm, Talk
from bench.hosts.world import FRIDAY, SATURDAY, add_event, build_tools, list_rows, move
from mulligan import Effect
from mulligan.hosts.google_adk import put_answer, read_answer, read_schema

# The framework's own warnings are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]


def build_agent(tools, *script, **rest):
    model = ScriptedLlm(steps=list(script))
    return LlmAgent(model=model, tools=list(tools), **{"name": "planner", **rest}), model


def open_talk(m, agent, **options):
    return Talk(agent, m.for_google_adk(**options))


async def run(m, tools, message, *script, **rest):
    agent, model = build_agent(tools, *script, **rest)
    talk = open_talk(m, agent)
    return await talk.say(types.Part(text=message)), model, talk


async def test_calls_that_are_made_at_once_are_one_attempt_of_one_turn(m, remote):
    first, second = add_event(remote), add_event(remote)
    wrong = [move(first, FRIDAY), move(second, SATURDAY)]
    right = [move(first, FRIDAY), move(second, FRIDAY)]

    reply, _, _ = await run(
        m, build_tools(remote), "Move both to Friday", wrong, "Moved.", right, "Moved both."
    )

    assert reply == "Moved both."
    assert {item.data["day"] for item in remote.list_items().values()} == {FRIDAY}
    assert [line.by for line in remote.ledger()].count("undo") == 2
    assert len({row.turn for row in list_rows(m)}) == 1


async def test_what_an_agent_does_as_a_tool_belongs_to_the_turn_outside(m, remote):
    first, second, tools = add_event(remote), add_event(remote), build_tools(remote)
    inside, _ = build_agent(tools, *[move(first, FRIDAY), "Moved it."] * 2, name="mover")
    ask = ("mover", {"request": "Move the first to Friday"})
    script = [[ask, move(second, SATURDAY)], "Moved.", [ask, move(second, FRIDAY)], "Moved both."]

    reply, model, _ = await run(m, [AgentTool(inside), *tools], "Move both to Friday", *script)

    assert reply == "Moved both."
    assert model.shown[2].partition("Undone and verified:")[2].count("- move_event(") == 2
    assert [line.by for line in remote.ledger()].count("undo") == 2


async def test_the_second_attempt_begins_at_the_agent_that_was_handed_over_to(m, remote):
    event = add_event(remote)
    script = [move(event, SATURDAY), "Moved.", move(event, FRIDAY), "Moved to Friday."]
    mover, model = build_agent(build_tools(remote), *script, name="mover")
    hand_over = ("transfer_to_agent", {"agent_name": "mover"})

    reply, planner, _ = await run(m, [], "Move dinner to Friday", hand_over, sub_agents=[mover])

    assert reply == "Moved to Friday."
    assert (len(planner.shown), len(model.shown)) == (1, 4)
    assert f"It was to be on {FRIDAY}." in model.shown[2]
    rows = list_rows(m)
    assert ({row.tool for row in rows}, len({row.turn for row in rows})) == ({"move_event"}, 1)


def test_a_runner_without_an_event_loop_is_reviewed_too(m, remote):
    event = add_event(remote)
    script = [move(event, SATURDAY), "Moved.", move(event, FRIDAY), "Moved to Friday."]
    agent, _ = build_agent(build_tools(remote), *script)
    app = App(name="planning", root_agent=agent, plugins=[m.for_google_adk()])
    runner = InMemoryRunner(app=app)
    made = runner.session_service.create_session(app_name="planning", user_id="ann")
    session = asyncio.run(made)
    message = types.Content(role="user", parts=[types.Part(text="Move dinner to Friday")])

    events = list(runner.run(user_id="ann", session_id=session.id, new_message=message))

    assert events[-1].content.parts[0].text == "Moved to Friday."
    assert [line.by for line in remote.ledger()] == ["person", "agent", "undo", "agent"]


async def test_a_rejected_attempt_leaves_the_session_for_later_runs_too(m, remote):
    event = add_event(remote)
    script = [move(event, SATURDAY), "Moved, honestly.", move(event, FRIDAY), "Moved to Friday."]

    _, model, talk = await run(m, build_tools(remote), "Move dinner to Friday", *script, "Bye.")
    await talk.say(types.Part(text="Thanks"))

    assert "honestly" not in "".join(model.shown)
    assert SATURDAY not in model.shown[4].replace(f"day={SATURDAY}", "")
    assert model.shown[4].count("Move dinner to Friday") == 1
    kept = json.loads(m._parts.store.vault.get(list_rows(m)[0].turn, "messages 1"))
    assert kept[-1]["parts"] == [{"text": "Moved, honestly."}]


async def test_a_rejected_answer_is_no_event(m, remote):
    reply, _, talk = await run(
        m, build_tools(remote), "Will it work?", "Success is guaranteed.", "It should work."
    )

    session = await talk.runner.session_service.get_session(
        app_name="planning", user_id="ann", session_id=talk.session
    )
    texts = [event.content.parts[0].text for event in session.events]
    assert (reply, texts) == ("It should work.", ["Will it work?", "It should work."])


@pytest.mark.parametrize(("yes", "told"), [(True, "sent to Ann"), (False, "denied it")])
async def test_a_held_call_is_decided_by_the_confirmation_of_the_host(m, remote, yes, told):
    script = [("send_invitation", {"to": "Ann"}), "So be it."]
    _, model, talk = await run(m, build_tools(remote), "Invite Ann", *script)
    [held] = m.insights.open_list.actions()
    asked = talk.asked[0].args["toolConfirmation"]

    reply = await talk.confirm(yes=yes)

    assert (asked["payload"], reply) == ({"mulligan": held.id}, "So be it.")
    assert told in model.shown[1]
    assert len(remote.list_items()) == int(yes)
    assert m.insights.open_list.actions() == []


async def test_a_tool_that_asks_by_itself_goes_on_as_the_host_has_it(m):
    made = []

    def pay(amount: int) -> str:
        """Pay."""
        made.append(amount)
        return "paid"

    tool = FunctionTool(pay, require_confirmation=True)
    _, _, talk = await run(m, [tool], "Pay", ("pay", {"amount": 3}), "Paid.")
    before = list(made)

    reply = await talk.confirm()

    assert (before, made, reply) == ([], [3], "Paid.")


async def test_callbacks_of_the_agent_are_asked_as_without_us(m, remote):
    seen = []

    def forbid(tool, args, tool_context):
        seen.append(tool.name)
        return {"error": "Not today."}

    _, model, _ = await run(
        m,
        build_tools(remote),
        "Invite Ann",
        ("send_invitation", {"to": "Ann"}),
        "Not today.",
        before_tool_callback=forbid,
    )

    assert (seen, remote.list_items(), list_rows(m)) == (["send_invitation"], {}, [])
    assert "Not today." in model.shown[1]


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
    _, _, talk = await run(m, [look, send], "Look and send", *script)
    before = list(sent)

    reply = await talk.confirm()

    assert (before, sent, reply) == ([], ["Ann"], "Sent.")
    assert [row.tool for row in list_rows(m)].count("look") == 1


async def test_what_a_tool_returns_reaches_the_model_as_it_was(m):
    async def look(city: str) -> dict:
        """Look."""
        return {"sky": "blue"}

    async def water() -> None:
        """Water the plants."""

    calls = [("look", {"city": "Bari"}), ("water", {})]
    _, _, talk = await run(m, [look, water], "Look", calls, "Blue.")

    session = await talk.runner.session_service.get_session(
        app_name="planning", user_id="ann", session_id=talk.session
    )
    responses = [each for event in session.events for each in event.get_function_responses()]
    assert [each.response for each in responses] == [{"sky": "blue"}, {"result": None}]
    assert {row.tool for row in list_rows(m)} == {"look", "water"}


async def test_a_call_without_an_argument_is_a_refusal(m, remote):
    _, model, _ = await run(
        m, build_tools(remote), "Move it", ("move_event", {"event_id": "e1"}), "No."
    )

    assert {row.outcome for row in list_rows(m)} == {"failure"}
    assert "mandatory input parameters are not present" in model.shown[1]
    assert m.insights.open_list.actions() == []


async def test_a_run_that_dies_is_over_when_the_next_one_begins(m, remote):
    event = add_event(remote)
    agent, model = build_agent(build_tools(remote), move(event, FRIDAY))
    talk = open_talk(m, agent)

    with pytest.raises(IndexError):
        await talk.say(types.Part(text="Move dinner to Friday"))
    model.steps[:] = [("find_room", {"size": "small"}), "Room 4."]
    await talk.say(types.Part(text="Find a room"))
    await talk.runner.close()

    assert len({row.turn for row in list_rows(m)}) == 2


async def test_what_is_written_where_the_model_is_asked_again_is_a_call_too(m, remote):
    event = add_event(remote)
    written = f'move_event(event_id="{event}", day="{FRIDAY}")'
    agent, _ = build_agent(
        build_tools(remote), move(event, SATURDAY), "Moved.", written, "Moved to Friday."
    )

    reply = await open_talk(m, agent, written_calls=True).say(types.Part(text="Move to Friday"))

    assert reply == "Moved to Friday."
    assert [line.data["day"] for line in remote.ledger()][-1] == FRIDAY


@pytest.mark.parametrize(("held", "shown"), [(True, ["Hello."]), (False, ["Hello.", "Hello."])])
async def test_a_stream_is_held_back_where_that_is_asked_for(m, remote, held, shown):
    agent, _ = build_agent(build_tools(remote), "Hello.")
    talk = open_talk(m, agent, hold_back=held)

    assert await talk.stream(types.Part(text="Hello"), mode=StreamingMode.SSE) == shown


async def test_a_live_run_is_not_reviewed_and_says_so(m, caplog):
    plugin, context = m.for_google_adk(), SimpleNamespace(live_request_queue=object())

    await plugin.before_run_callback(invocation_context=context)

    assert "`run_live` does is not reviewed" in caplog.text


async def test_asking_again_counts_as_a_call_of_the_model(m, remote):
    script = ["Success is guaranteed.", "It should work."]
    agent, _ = build_agent(build_tools(remote), *script)
    talk = open_talk(m, agent)

    with pytest.raises(RuntimeError, match="Max number of llm calls limit of `1` exceeded"):
        await talk.say(types.Part(text="Will it work?"), most=1)


def test_an_answer_is_text_that_is_whole_and_calls_nothing():
    def respond(*parts, **rest):
        return LlmResponse(content=types.Content(role="model", parts=list(parts)), **rest)

    thought, said = types.Part(text="hm", thought=True), types.Part(text="Yes.")
    call = types.Part.from_function_call(name="look", args={})

    assert read_answer(respond(thought, said)) == "Yes."
    assert read_answer(respond(said, call)) is None
    assert read_answer(respond(said, partial=True)) is None
    assert read_answer(respond(thought)) is None
    assert read_answer(LlmResponse(error_code="500")) is None
    assert put_answer(respond(thought, said), "No.").content.parts[0].text == "hm"
    assert read_answer(put_answer(respond(thought, said), "No.")) == "No."


def test_a_tool_without_a_declaration_has_no_schema():
    declared = types.FunctionDeclaration(name="look")

    assert (read_schema(None), read_schema(declared)) == ({}, {})


class Plan(BaseModel):
    day: str


def give(day):
    return "set_model_response", {"day": day}


async def collect(talk, text):
    """Everything that a caller gets, and the state afterwards."""
    user = {"user_id": "ann", "session_id": talk.session}
    message = types.Content(role="user", parts=[types.Part(text=text)])
    events = [each async for each in talk.runner.run_async(**user, new_message=message)]
    session = await talk.runner.session_service.get_session(app_name="planning", **user)
    return events, session


async def test_an_output_with_a_schema_of_a_rejected_run_is_an_error_of_the_event(m, remote):
    event = add_event(remote)
    right, wrong = move(event, FRIDAY), move(event, SATURDAY)
    script = [right, give(FRIDAY), *[wrong, give(SATURDAY)] * 2, "Which day?"]
    agent, model = build_agent(build_tools(remote), *script, output_schema=Plan, output_key="plan")
    talk = open_talk(m, agent)
    opened = await talk.runner.session_service.create_session(app_name="planning", user_id="ann")
    talk.session = opened.id

    _, before = await collect(talk, "Move dinner to Friday")
    events, after = await collect(talk, "Move dinner to Friday, really")

    assert before.state["plan"] == {"day": FRIDAY}
    assert (events[-1].error_code, events[-1].content) == ("MULLIGAN_UNFINISHED", None)
    assert "I could not do this reliably" in events[-1].error_message
    assert after.state["plan"] is None
    assert remote.list_items()[event].data["day"] == FRIDAY
    agent.output_schema = agent.output_key = None
    await collect(talk, "And now?")
    assert "I could not do this reliably" in model.shown[-1]


async def test_an_output_that_is_given_beside_a_call_waits_for_that_call(m, remote):
    event = add_event(remote)
    both = [move(event, FRIDAY), give("too early")]
    agent, _ = build_agent(
        build_tools(remote), both, give(FRIDAY), output_schema=Plan, output_key="plan"
    )
    talk = open_talk(m, agent)
    opened = await talk.runner.session_service.create_session(app_name="planning", user_id="ann")
    talk.session = opened.id

    _, session = await collect(talk, "Move dinner to Friday")

    assert session.state["plan"] == {"day": FRIDAY}
    assert remote.list_items()[event].data["day"] == FRIDAY
    assert m.insights.open_list.actions() == []
