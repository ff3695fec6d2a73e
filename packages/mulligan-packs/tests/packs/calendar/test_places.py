"""Where a place is: what the family calls it comes before what a map calls it."""

from __future__ import annotations

from mulligan import Mulligan
from mulligan_packs.calendar import KnownPlaces, Place

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
