"""Where a place is and what a phrase means: for the person who asks, or not at all."""

from __future__ import annotations

from datetime import UTC, datetime

from mulligan import Mulligan
from mulligan_packs.calendar import KnownPlaces, Place
from mulligan_packs.calendar.tools import Phrases

HOME = "12 Elm Street, Springfield"


async def look_up(query: str) -> list[Place]:
    return [Place(name=f"{query} Depot", address="900 Mall Road"), Place(name=query, address="")]


async def test_home_is_where_the_person_lives() -> None:
    places = KnownPlaces(look_up=look_up)

    with Mulligan("memory:") as m, m.turn("Dinner at home", known={"home": HOME}):
        found = [await places.get_location_info(said) for said in ("home", "my house", "Our home")]

    assert [place.address for place in found] == [HOME] * 3


async def test_a_name_that_the_family_has_is_known_by_any_way_to_say_it() -> None:
    places = KnownPlaces(known={"Grandma": "Lindengasse 3, Graz"})

    found = await places.get_location_suggestions("at Grandma's place")

    assert found == [Place(name="Grandma", address="Lindengasse 3, Graz")]


async def test_what_nobody_knows_is_looked_up_the_best_first() -> None:
    places = KnownPlaces(known={"Grandma": "Lindengasse 3, Graz"}, look_up=look_up)

    best = await places.get_location_info("Library")
    all_of_them = await places.get_location_suggestions("Library")

    assert best == all_of_them[0]
    assert len(all_of_them) == 2
    assert await KnownPlaces().get_location_info("Library") is None


SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
LATE_ON_SUNDAY = datetime(2026, 11, 15, 23, 30, tzinfo=UTC)
"""It is Monday in Berlin already."""
EARLY_ON_TUESDAY = datetime(2026, 11, 17, 3, 0, tzinfo=UTC)
"""It is still Monday in New York."""


async def test_without_a_zone_nothing_is_resolved() -> None:
    phrases = Phrases(zone=None, clock=lambda: SUNDAY)

    answer = await phrases.calculate_datetime("tomorrow")

    assert answer["known"] is False


async def test_a_phrase_means_what_it_means_where_the_person_is() -> None:
    phrases = Phrases(zone="Europe/Berlin", clock=lambda: LATE_ON_SUNDAY)

    outside = await phrases.calculate_datetime("tomorrow")
    with Mulligan("memory:") as m, m.turn("…", now=EARLY_ON_TUESDAY, timezone="America/New_York"):
        inside = await phrases.calculate_datetime("tomorrow")

    assert [reading["start"] for reading in outside["readings"]] == ["2026-11-17"]
    assert [reading["start"] for reading in inside["readings"]] == ["2026-11-17"]


async def test_a_friday_is_a_friday_without_any_model() -> None:
    answer = await Phrases(zone="Europe/Berlin", clock=lambda: SUNDAY).calculate_datetime("Friday")

    assert answer["known"] is True
    assert {reading["weekday"] for reading in answer["readings"]} == {"Friday"}
    assert "2026-11-20" in [reading["start"] for reading in answer["readings"]]
