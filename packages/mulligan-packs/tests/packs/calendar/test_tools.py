"""What the calendar's tools do and declare: held where others would be told."""

from __future__ import annotations

import inspect

import pytest

from mulligan import State
from mulligan.runtime.hold import Held
from mulligan.runtime.promises import list_promises
from mulligan_packs.calendar import CalDAV, calendar_tools
from mulligan_packs.calendar.desk import Desk
from mulligan_packs.calendar.errors import BadEventError, ChangedSinceError, NoSuchEventError
from tests.packs.calendar.family import Family, event_id

pytestmark = pytest.mark.full

GUEST = "ATTENDEE:mailto:grandma@example.org\r\n"


async def test_an_invitation_awaits_approval_and_is_sent_once(family: Family) -> None:
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
async def test_an_event_that_others_are_invited_to_awaits_approval(
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


@pytest.fixture
def desk(family: Family) -> Desk:
    return Desk(calendar=family.calendar, zone=None)


async def test_a_call_over_an_older_version_changes_nothing(family: Family, desk: Desk) -> None:
    old = family.calendar.get(event_id(1))
    family.person_writes(1, title="Supper")
    edited = family.export()

    with pytest.raises(ChangedSinceError):
        await desk.update_calendar_event(event_id(1), title="Lunch", if_match=old.etag)
    with pytest.raises(ChangedSinceError):
        await desk.delete_calendar_event(event_id(1), if_match=old.etag)

    assert family.export() == edited


async def test_a_bulk_is_refused_as_a_whole(family: Family, desk: Desk) -> None:
    before = family.export()
    good = {"event_id": event_id(1), "title": "Lunch"}

    with pytest.raises(NoSuchEventError, match="nobody-has-this"):
        await desk.bulk_update_calendar_events([good, {"event_id": "nobody-has-this"}])
    with pytest.raises(BadEventError):
        await desk.bulk_update_calendar_events([good, {"event_id": event_id(2), "start": "soon"}])
    with pytest.raises(BadEventError, match="twice"):
        await desk.bulk_update_calendar_events([good, good])
    with pytest.raises(BadEventError, match="what changes of: title"):
        await desk.bulk_update_calendar_events([good, {"event_id": event_id(2), "when": "soon"}])

    assert family.export() == before


async def test_events_are_found_by_day_in_order(family: Family, desk: Desk) -> None:
    lunch = await desk.create_calendar_event("Lunch", "2026-11-20T12:00+00:00")
    walk = await desk.create_calendar_event("Walk", "2026-11-20T09:00+00:00")

    found = await desk.get_calendar_events("2026-11-20", "2026-11-20")

    assert [(event.id, event.title) for event in found] == [(walk.id, "Walk"), (lunch.id, "Lunch")]
    assert [event.etag for event in found] == [walk.etag, lunch.etag]
