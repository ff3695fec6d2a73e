"""What the tools declare: held where others would be told, and put to an agent as they are."""

from __future__ import annotations

import inspect

import pytest

from mulligan import State
from mulligan.runtime.hold import Held
from mulligan.runtime.promises import list_promises
from mulligan_packs.calendar import CalDAV, calendar_tools
from tests.packs.calendar.family import Family, event_id

GUEST = "ATTENDEE:mailto:grandma@example.org\r\n"


async def test_an_invitation_waits_for_a_person_and_is_sent_once(family: Family) -> None:
    before, answers = family.export(), []

    async def do() -> None:
        answers.append(
            await family.tools.create_calendar_event(
                "Dinner", "2026-11-20T18:00", attendees=["grandma@example.org"]
            )
        )
        family.m.insights.open_list.approve(answers[-1].hold.action, by="Mum")

    async with family.m.turn("Invite Grandma"):
        await do()
    await family.m.recover()

    assert isinstance(answers[0], Held)
    [new] = family.export().keys() - before.keys()
    assert b"grandma@example.org" in family.export()[new]
    assert family.states() == []


@pytest.mark.parametrize("tool", ["update_calendar_event", "delete_calendar_event"])
async def test_an_event_that_others_are_invited_to_waits_for_a_person(
    family: Family, tool: str
) -> None:
    family.person_writes(1, extra=GUEST)
    before = family.export()

    async with family.m.turn("Do something about dinner"):
        answer = await getattr(family.tools, tool)(event_id(1))

    assert isinstance(answer, Held)
    assert family.export() == before
    assert family.states() == [State.HELD]


async def test_where_the_server_writes_to_nobody_guests_do_no_harm(family: Family) -> None:
    tools = calendar_tools(family.m, family.calendar, notifies=False)
    family.person_writes(1, extra=GUEST)
    before = family.export()

    async def do() -> None:
        await tools.create_calendar_event("Dinner", "2026-11-20", attendees=["bo@example.org"])
        await tools.update_calendar_event(event_id(1), title="Lunch")

    await family.act(do)

    assert family.export() == before
    assert family.states() == []


async def test_an_event_nobody_has_is_not_done_and_says_what_to_do(family: Family) -> None:
    errors = []

    async def do() -> None:
        for tool in (family.tools.update_calendar_event, family.tools.delete_calendar_event):
            try:
                await tool("event-of-nobody")
            except Exception as error:
                errors.append(str(error))

    await family.act(do)

    assert ["Look the event up" in error for error in errors] == [True] * 4
    assert family.states() == []


def test_every_tool_keeps_its_name_its_description_and_its_parameters(family: Family) -> None:
    names = [tool.__name__ for tool in family.tools]

    assert names == [
        "get_calendar_events",
        "create_calendar_event",
        "update_calendar_event",
        "bulk_update_calendar_events",
        "delete_calendar_event",
        "get_location_info",
        "get_location_suggestions",
        "calculate_datetime",
    ]
    assert all(inspect.getdoc(tool) for tool in family.tools)
    assert "event_id" in inspect.signature(family.tools.update_calendar_event).parameters


def test_the_tools_of_two_calendars_are_kept_apart_for_recovery(family: Family) -> None:
    calendars = [CalDAV("http://a.test/mum/"), CalDAV("http://a.test/dad/"), family.calendar]
    same_elsewhere = CalDAV("https://b.test:8443/mum/")
    named = CalDAV("http://a.test/mum/", name="Mum's")

    servers = [
        calendar_tools(family.m, each).create_calendar_event.mulligan.server
        for each in (*calendars, same_elsewhere, named)
    ]

    assert len(set(servers[:3])) == 3
    assert servers[3] == servers[0]
    assert servers[4] == "Mum's"


def test_both_location_tools_ask_for_review_though_they_only_read(family: Family) -> None:
    asks = {tool.__name__: tool.mulligan.review.judged for tool in family.tools}

    assert asks == {
        "get_calendar_events": False,
        "create_calendar_event": True,
        "update_calendar_event": True,
        "bulk_update_calendar_events": True,
        "delete_calendar_event": True,
        "get_location_info": True,
        "get_location_suggestions": True,
        "calculate_datetime": False,
    }


def test_the_doctor_says_what_an_undo_does_not_bring_back(family: Family) -> None:
    changing = [tool for tool in family.tools if "calendar_event" in tool.__name__][1:]

    for tool in changing:
        said = " ".join(list_promises(tool.mulligan))
        assert "no edit is ever overwritten" in said
        assert "reminders that went off in between" in said
