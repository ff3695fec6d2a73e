"""Values of this very turn: in the result of an earlier call, among its arguments, in the message.

What is kept is where the value stood: the tool, the name, which of several. To make it once more,
the same place is looked up in the turn at hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.core.lesson import Earlier
from mulligan.learning.from_turn import shape
from mulligan.learning.knowledge import Knowledge, structure_of
from mulligan.learning.leaves import key_of, leaves
from mulligan.learning.lessons.ways.place import NOTHING, Given, Place, Way, same

MOST_CALLS = 30
MOST_VALUES = 500
SHORTEST = 2


def _explain(value: object, place: Place) -> Iterator[Given]:
    if not _telling(value):
        return
    for made in _latest(place):
        asked = _asked(made, place)
        for where, of in (("result", structure_of(made.result)), ("arguments", made.arguments)):
            for given in _standing(value, of):
                yield {"tool": made.tool, "in": where, **given, **asked}
    yield from _less(value, place)
    yield from _said(value, place)


def _make(given: Given, place: Place) -> object:
    if "like" in given:
        return _like(str(given["like"]), place)
    for made in _latest(place):
        if made.tool != given.get("tool") or not _is_about(made, given, place):
            continue
        held = made.arguments if given.get("in") == "arguments" else structure_of(made.result)
        found = _pick(held, given)
        if found is not NOTHING:
            return _minus(place.old, found) if given.get("less") else found
    return NOTHING


def _latest(place: Place) -> list[Earlier]:
    """What the turn did, the latest first; what failed brought nothing."""
    return [made for made in reversed(place.failed.earlier[-MOST_CALLS:]) if not made.failed]


def _telling(value: object) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    return not isinstance(value, str) or len(value.strip()) >= SHORTEST


def _standing(value: object, held: object) -> Iterator[Given]:
    """Under which name a value stands, and which of several it is."""
    if same(held, value):
        yield {"key": ""}
        return
    standing = [
        (key_of(path), each)
        for path, each in leaves(held, most=MOST_VALUES)
        if path and (same(each, value) or _written(each, value))
    ]
    for name, each in dict(standing).items():
        written = {} if same(each, value) else {"text": True}
        for at in (0, -1):
            given = {"key": name, "at": at, **written}
            if same(_pick(held, given), value):
                yield given
                break


def _pick(held: object, given: Given) -> object:
    key, at = given.get("key"), given.get("at", 0)
    if key == "":
        return held
    found = [each for path, each in leaves(held, most=MOST_VALUES) if key_of(path) == key]
    if not isinstance(at, int) or not -len(found) <= at < len(found):
        return NOTHING
    return str(found[at]) if given.get("text") else found[at]


def _written(found: object, value: object) -> bool:
    """Whether a whole number of a result stands as text in the call."""
    whole = isinstance(found, int) and not isinstance(found, bool)
    return whole and isinstance(value, str) and str(found) == value


def _asked(made: Earlier, place: Place) -> Given:
    """Which argument of the failing call the earlier one was about, if it was about one."""
    for name, value in place.failed.call.arguments.items():
        if _telling(value) and any(same(value, each) for each in made.arguments.values()):
            return {"asked": name}
    return {}


def _is_about(made: Earlier, given: Given, place: Place) -> bool:
    name = given.get("asked")
    value = place.failed.call.arguments.get(str(name), NOTHING)
    return name is None or any(same(value, each) for each in made.arguments.values())


def _less(value: object, place: Place) -> Iterator[Given]:
    """What is left of the argument after a number of this turn is taken away."""
    wanted = _minus(place.old, value)
    if wanted is NOTHING or not wanted:
        return
    for made in _latest(place):
        for given in _standing(wanted, structure_of(made.result)):
            if given["key"]:
                yield {"tool": made.tool, "in": "result", **given, "less": True}


def _minus(one: object, other: object) -> object:
    if isinstance(one, bool) or isinstance(other, bool):
        return NOTHING
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return NOTHING
    left = round(one - other, 6)
    return int(left) if float(left).is_integer() else left


def _said(value: object, place: Place) -> Iterator[Given]:
    """The one word of the person's that looks like this: `USR001` looks like `A999`."""
    if isinstance(value, str) and any(sign.isdigit() for sign in value):
        look = shape(value)
        if same(_like(look, place), value):
            yield {"like": look}


def _like(look: str, place: Place) -> object:
    words = Knowledge(place.failed.said, ()).words
    found = [word for word in words if shape(word) == look]
    return found[0] if len(found) == 1 else NOTHING


FROM_TURN = Way(_explain, _make)
