"""Where a place is. The application says how that is found out; what it knows itself comes first.

A look-up only reads, but a wrong one becomes a wrong event: both tools ask for review.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping

from msgspec import Struct, field

from mulligan.process.user_functions import await_value
from mulligan.runtime.context import find_current_turn
from mulligan_dates.lexicon import list_in_order, load_words
from mulligan_packs.calendar.events import Place

LookUp = Callable[[str], Iterable[Place] | Awaitable[Iterable[Place]]]
"""Finds places by a name or a part of one, the best first: a geocoder, a map service."""


class KnownPlaces(Struct, frozen=True, kw_only=True):
    """Places that the family has names for; a look-up is asked about all others."""

    known: Mapping[str, str] = field(default_factory=dict)
    """Addresses by name, such as `{"grandma": "Lindengasse 3, Graz"}`."""
    look_up: LookUp | None = None

    async def get_location_info(self, query: str) -> Place | None:
        """The place that a name means, with its address; nothing if it is unknown."""
        return next(iter(await self.get_location_suggestions(query)), None)

    async def get_location_suggestions(self, query: str) -> list[Place]:
        """Every place that a name can mean, the best first."""
        wanted = _normalize_name(query)
        own = [
            Place(name=name, address=address)
            for name, address in self._merge_names().items()
            if _normalize_name(name) == wanted
        ]
        if own or self.look_up is None:
            return own
        return list(await await_value(self.look_up(query)))

    def _merge_names(self) -> Mapping[str, str]:
        """What is known of the person who is asking, over what is known in general."""
        turn = find_current_turn()
        home = turn.turn.known.get("home") if turn else None
        return {**self.known, **({"home": home} if isinstance(home, str) else {})}


def _normalize_name(name: str) -> str:
    """A name without what people put around it: "my home", "Grandma's place"."""
    words = name.casefold().replace("\u2019", "'").split()
    around = load_words("words", "around_place")
    kept = [_drop_possessive(word) for word in words if word not in around]
    return " ".join(kept) or "home"


def _drop_possessive(word: str) -> str:
    endings = list_in_order("words", "possessive")
    return next((word.removesuffix(each) for each in endings if word.endswith(each)), word)
