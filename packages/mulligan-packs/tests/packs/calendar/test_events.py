from __future__ import annotations

import pytest

from mulligan_packs.calendar.errors import BadEventError
from mulligan_packs.calendar.events import Invited, Stored, Update, as_update, read_changes


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
