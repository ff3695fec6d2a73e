"""A small agent that plans a family's week on a real calendar, with a second shot.

    python examples/family_calendar.py                       scripted: no key, a server of its own
    python examples/family_calendar.py --model openai:gpt-5 --url https://… --user … "Move dinner"

It needs `pip install "mulligan[demo,openai]"`; the password is asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import ToolDefinition

from mulligan import Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan_packs.calendar import (
    CalDAV,
    KnownPlaces,
    calendar_facts,
    calendar_tools,
)
from mulligan_packs.calendar.desk import Desk
from mulligan_packs.calendar.tools import OWN
from mulligan_testing.radicale import radicale_server

SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
"""When the story takes place, unless it is a real model on somebody's own calendar."""


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """A model that takes Saturday for Friday, until it is told."""
    asked, done = "", {}
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, UserPromptPart):
            asked = str(part.content)
        elif isinstance(part, ToolReturnPart):
            done[part.tool_name] = part.content
    if "get_calendar_events" not in done:
        week = {"start": "2026-11-15", "end": "2026-11-22"}
        return ModelResponse(parts=[ToolCallPart("get_calendar_events", week)])
    if "update_calendar_event" not in done:
        dinner = next(event for event in done["get_calendar_events"] if event.title == "Dinner")
        told = "\n" in asked  # a correction follows the request
        day = 20 if told else 21
        move = {"event_id": dinner.id, "start": f"2026-11-{day}T18:00"}
        return ModelResponse(parts=[ToolCallPart("update_calendar_event", move)])
    return ModelResponse(parts=[TextPart("Dinner is on Friday at six.")])


async def without_ours(_: RunContext, tool: ToolDefinition) -> ToolDefinition:
    """A tool as the model is shown it: less the parameters that Mulligan fills in."""
    schema = dict(tool.parameters_json_schema)
    schema["properties"] = {k: v for k, v in schema["properties"].items() if k not in OWN}
    return replace(tool, parameters_json_schema=schema)


async def plan(options: argparse.Namespace, calendar: CalDAV) -> None:
    """Let the agent act, and print the result."""
    own_time = options.model and options.url
    now = datetime.now(ZoneInfo(options.zone)) if own_time else SUNDAY
    m = Mulligan(
        options.store,
        checks="standard",
        facts=calendar_facts(calendar, zone=options.zone),
    )
    tools = calendar_tools(m, calendar, zone=options.zone, places=KnownPlaces())
    agent = Agent(
        options.model or FunctionModel(scripted),
        instructions=f"You keep a family's calendar. It is {now:%A, %Y-%m-%d %H:%M} there. "
        "Look events up before you change them.",
        tools=[Tool(tool, prepare=without_ours) for tool in tools],
    )

    async def family_agent(turn: OpenTurn) -> object:
        if turn.correction is None:
            return (await agent.run(turn.message)).output
        print(f"\nThe agent is told:\n{_indented(turn.correction.text)}\n")
        return (await agent.run(f"{turn.message}\n\n{turn.correction.text}")).output

    print(f"{now:%A, %B %d}: {options.message!r}")
    async with m:
        known = {"home": options.home} if options.home else {}
        done = await m.act(
            options.message, family_agent, now=now, timezone=options.zone, known=known
        )
    print(f"{done.reply}\n\nConfidence: {done.confidence}, after {len(done.attempts)} attempts.")
    await _show(calendar, now, zone=options.zone)
    calendar.close()


async def _show(calendar: CalDAV, now: datetime, *, zone: str) -> None:
    desk = Desk(calendar=calendar, zone=ZoneInfo(zone))
    until = (now + timedelta(days=7)).date().isoformat()
    print("On the calendar:")
    for event in await desk.get_calendar_events(now.date().isoformat(), until):
        print(f"  {event.start}  {event.title}")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


@contextmanager
def opened(options: argparse.Namespace) -> Generator[CalDAV]:
    """The calendar of the URL given; without one, a server of our own with dinner on Wednesday."""
    if options.url:
        password = getpass.getpass("Password: ") if options.user else None
        yield CalDAV(options.url, user=options.user, password=password)
        return
    with radicale_server() as server:
        calendar = CalDAV(server.calendar())
        desk = Desk(calendar=calendar, zone=ZoneInfo(options.zone))
        asyncio.run(desk.create_calendar_event("Dinner", "2026-11-18T18:00"))
        yield calendar


def main() -> None:
    """Read the command line, and plan."""
    parser = argparse.ArgumentParser(description="Plan a family's week on a real calendar.")
    parser.add_argument("message", nargs="?", default="Move dinner to Friday")
    parser.add_argument("--model", help="any pydantic-ai model, such as openai:…; else a script")
    parser.add_argument("--url", help="of a calendar; else a Radicale is started for the occasion")
    parser.add_argument("--user")
    parser.add_argument("--zone", default="Europe/Berlin")
    parser.add_argument("--home", help="the home address")
    parser.add_argument("--store", default="memory:")
    options = parser.parse_args()
    with opened(options) as calendar:
        asyncio.run(plan(options, calendar))


if __name__ == "__main__":
    main()
