"""The tools' own work, outside of any turn."""

from __future__ import annotations

import pytest

from mulligan_packs.calendar.desk import Desk
from mulligan_packs.calendar.errors import BadEventError, ChangedSinceError, NoSuchEventError
from tests.packs.calendar.family import Family, event_id


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
