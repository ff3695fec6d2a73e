"""iCalendar text: what is written is what was asked for, and nothing else changes."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from mulligan_packs.calendar.errors import BadEventError
from mulligan_packs.calendar.events import (
    Changes,
    Event,
    Invited,
    Stored,
    Update,
    as_update,
    read_changes,
)
from mulligan_packs.calendar.text import (
    create_text,
    is_alike,
    is_rewritten,
    parse_attendees,
    parse_stretch,
    read_text,
    update_text,
)
from tests.packs.calendar.family import event_text

BERLIN = ZoneInfo("Europe/Berlin")
DINNER = Changes(title="Dinner", start="2026-11-20T18:00")


def made(changes: Changes, *, zone: ZoneInfo | None = BERLIN) -> str:
    return create_text("u1", changes, invited=Invited(), zone=zone)


def read(text: str) -> Event:
    return read_text(Stored(id="u1", href="", text=text, etag='"1"'))


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ({}, "2026-11-20T18:00:00+01:00", "2026-11-20T19:00:00+01:00"),
        ({"end": "2026-11-20T18:30"}, "2026-11-20T18:00:00+01:00", "2026-11-20T18:30:00+01:00"),
        ({"start": "2026-11-20T17Z"}, "2026-11-20T18:00:00+01:00", "2026-11-20T19:00:00+01:00"),
        ({"start": "2026-11-20"}, "2026-11-20", "2026-11-21"),
        ({"start": "2026-07-20T18"}, "2026-07-20T18:00:00+02:00", "2026-07-20T19:00:00+02:00"),
    ],
)
def test_a_new_event_is_when_it_was_asked_for(asked: Changes, start: str, end: str) -> None:
    event = read(made({**DINNER, **asked}))

    assert (event.title, event.start, event.end) == ("Dinner", start, end)


def test_moving_the_start_keeps_the_length_and_everything_else() -> None:
    before = event_text(1)

    after = update_text(before, {"start": "2026-11-21T18:00"}, zone=BERLIN)

    event = read(after)
    assert (event.start, event.end) == ("2026-11-21T17:00:00+00:00", "2026-11-21T18:30:00+00:00")
    assert event.title == read(before).title == "Dinner 1 für Großmama, und alle"
    assert "X-SOMEBODY-COLOUR;X-SHADE=dark:blue" in after
    assert "BEGIN:VALARM" in after


def test_a_time_is_the_events_own_where_nobody_knows_the_persons_zone() -> None:
    changed = update_text(made(DINNER), {"end": "2026-11-20T21:00"}, zone=None)

    assert read(changed).end == "2026-11-20T21:00:00+01:00"


def test_a_start_on_no_clock_and_an_end_on_one_are_refused() -> None:
    with pytest.raises(BadEventError, match="Give both anew"):
        made({"start": "2026-11-20T18:00", "end": "2026-11-20T19:00Z"}, zone=None)


def test_a_series_stays_in_its_own_zone() -> None:
    weekly = made(DINNER).replace("END:VEVENT", "RRULE:FREQ=WEEKLY\r\nEND:VEVENT")

    moved = update_text(weekly, {"start": "2026-11-27T12:00-05:00"}, zone=ZoneInfo("UTC"))

    assert "DTSTART;TZID=Europe/Berlin:20261127T180000" in moved
    assert read(moved).rrule == "FREQ=WEEKLY"


def test_an_occurrence_that_was_moved_on_its_own_is_not_the_event() -> None:
    single = "BEGIN:VEVENT\r\nUID:u1\r\nRECURRENCE-ID:20261127T170000Z\r\nSUMMARY:Moved\r\nDTSTART:20261128T170000Z\r\nEND:VEVENT\r\n"  # noqa: E501
    series = made(DINNER).replace("BEGIN:VEVENT", f"{single}BEGIN:VEVENT", 1)

    changed = update_text(series, {"title": "Supper"}, zone=BERLIN)

    assert read(changed).title == "Supper"
    assert "SUMMARY:Moved" in changed


@pytest.mark.parametrize(
    "changes",
    [{"start": "next Friday"}, {"end": "2026-11-18T08:00"}, {"end": "2026-11-19"}, {"start": ""}],
)
def test_what_is_no_event_is_refused(changes: Changes) -> None:
    with pytest.raises(BadEventError) as refused:
        update_text(event_text(1), changes, zone=BERLIN)

    assert refused.value.status == 422


def test_texts_are_alike_but_for_what_a_server_sets() -> None:
    ours = update_text(event_text(1), {"title": "Supper"}, zone=BERLIN)

    rewritten = ours.replace("PRODID:-//Somebody//Else 1.0//EN", "PRODID:-//Server//EN")
    edited = ours.replace("Supper", "Breakfast")
    added = ours.replace("BEGIN:VALARM", "LOCATION:Graz\r\nBEGIN:VALARM")

    assert is_alike(ours, rewritten.replace("SEQUENCE:1", "SEQUENCE:7"))
    assert not is_alike(ours, edited)
    assert not is_alike(ours, added)


def test_what_a_server_spells_out_is_no_edit_and_what_somebody_adds_is_one() -> None:
    ours = update_text(event_text(1), {"title": "Supper"}, zone=BERLIN)

    spelled = ours.replace("BEGIN:VALARM", "STATUS:CONFIRMED\r\nTRANSP:OPAQUE\r\nBEGIN:VALARM")
    added = ours.replace("BEGIN:VALARM", "LOCATION:Graz\r\nBEGIN:VALARM")
    cancelled = ours.replace("BEGIN:VALARM", "STATUS:CANCELLED\r\nBEGIN:VALARM")

    assert is_rewritten(spelled, ours)
    assert not is_rewritten(added, ours)
    assert not is_rewritten(cancelled, ours)
    assert not is_rewritten(ours.replace("Supper", "Breakfast"), ours)


def test_everybody_invited_is_found() -> None:
    invited = Invited(attendees=("ann@example.org", "mailto:bo@example.org"), organizer="me@x.org")

    text = create_text("u1", DINNER, invited=invited, zone=None)

    assert list(parse_attendees(text)) == ["ann@example.org", "bo@example.org"]
    assert "ORGANIZER:mailto:me@x.org" in text
    assert "ORGANIZER" not in made(DINNER)


def test_a_last_day_is_looked_at_to_its_end() -> None:
    since, until = parse_stretch("2026-11-20", "2026-11-21", zone=BERLIN)

    assert since.isoformat() == "2026-11-20T00:00:00+01:00"
    assert until.isoformat() == "2026-11-22T00:00:00+01:00"


def test_only_what_is_given_of_an_event_is_changed() -> None:
    arguments = {"event_id": "e1", "title": "Dinner", "start": None, "location": "", "zone": "x"}

    assert read_changes(arguments) == {"title": "Dinner", "location": ""}


@pytest.mark.parametrize(
    "element",
    [
        {"event_id": "e1", "start": "2026-11-20"},
        Update(event_id="e1", start="2026-11-20"),
    ],
)
def test_an_update_is_taken_as_a_value_or_as_json_brings_it(element: object) -> None:
    assert as_update(element) == Update(event_id="e1", start="2026-11-20")


@pytest.mark.parametrize("element", [{"start": "2026-11-20"}, {"event_id": "e1", "day": "Friday"}])
def test_what_is_no_update_is_refused_with_what_may_change(element: object) -> None:
    with pytest.raises(BadEventError, match=r"Give an event_id.*title, start, end"):
        as_update(element)


def test_an_organizer_asks_only_where_somebody_is_asked() -> None:
    alone = Invited(organizer="mailto:ann@a.example")
    both = Invited(organizer="mailto:ann@a.example", attendees=("mailto:bob@b.example",))

    assert list(alone.list_addresses()) == []
    assert list(both.list_addresses()) == [
        ("organizer", "mailto:ann@a.example"),
        ("attendee", "mailto:bob@b.example"),
    ]


def test_an_events_text_is_in_no_log_by_accident() -> None:
    assert "s3cret" not in repr(Stored(id="e1", href="/e1", text="s3cret", etag='"1"'))
