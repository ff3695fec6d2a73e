"""Values of this very turn: in the result of an earlier call, among its arguments, in the message.

What is kept is where the value stood: the tool, the name, which of several. To make it once more,
the same place is looked up in the turn at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mulligan.core.failures.suggestion import Earlier
from mulligan.learning.lessons.ways.place import PLAIN, ArgumentPlace, Given, Way, is_same
from mulligan.learning.lessons.ways.reshape import split
from mulligan.learning.repair.from_turn import describe_shape
from mulligan.learning.repair.knowledge import Knowledge, parse_result
from mulligan.learning.shape.coerce import NOTHING
from mulligan.learning.values.closeness import tokenize
from mulligan.learning.values.leaves import find_key, list_leaves

MOST_CALLS = 30
MOST_VALUES = 500
SHORTEST = 2
HOLDING = ("/", "\\", "::", ".")
"""What stands between a thing and what holds it."""
MOST_SAID = 50_000

_BETWEEN = r"(?:\s+(?:is|being|of|as|will be|should be)|\s*[:=])?\s*['\"`(]?"
_GIVEN = r"((?=[\w#@])(?=[\w#@.+-]*[\d_@#])[\w#@][\w#@.+-]*\w|(?<=['\"`])\w+(?=['\"`])|(?<=is )\w+)"
"""A value is told from a word of the sentence by a digit or sign in it, by quotes, or by "is"."""


def _explain(value: object, place: ArgumentPlace) -> Iterator[Given]:
    if not _is_telling(value):
        return
    for made in _list_latest(place):
        asked = _find_asked(made, place)
        for where, of in (("result", parse_result(made.result)), ("arguments", made.arguments)):
            for given in _locate_value(value, of):
                yield {"tool": made.tool, "in": where, **given, **asked}
    yield from _explain_holder(value, place)
    yield from _explain_difference(value, place)
    yield from _explain_said(value, place)


def _make(given: Given, place: ArgumentPlace) -> object:
    if "holds" in given:
        return _find_holder(given, place)
    if "said" in given:
        return find_named_by_person(given, place)
    if "like" in given:
        return _find_alike(str(given["like"]), place)
    for made in _list_latest(place):
        if made.tool != given.get("tool") or not _is_about(made, given, place):
            continue
        held = made.arguments if given.get("in") == "arguments" else parse_result(made.result)
        found = _pick(held, given)
        if found is not NOTHING:
            return _subtract(place.old, found) if given.get("less") else found
    return NOTHING


def list_choices(given: Given, place: ArgumentPlace) -> list[object]:
    """The different values among which the way would choose one, in the call it goes by."""
    for made in _list_latest(place):
        if made.tool == given.get("tool") and _is_about(made, given, place):
            held = made.arguments if given.get("in") == "arguments" else parse_result(made.result)
            leaves = list_leaves(held, most=MOST_VALUES)
            found = [each for path, each in leaves if find_key(path) == given.get("key")]
            if found or given.get("key") == "":
                return [each for at, each in enumerate(found) if each not in found[:at]]
    return []


def _list_latest(place: ArgumentPlace) -> list[Earlier]:
    """What the turn did, the latest first; what failed brought nothing."""
    return [made for made in reversed(place.failed.earlier[-MOST_CALLS:]) if not made.failed]


def _is_telling(value: object) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    return not isinstance(value, str) or len(value.strip()) >= SHORTEST


def _locate_value(value: object, held: object) -> Iterator[Given]:
    """Under which name a value stands, and which of several it is."""
    if is_same(held, value):
        yield {"key": ""}
        return
    standing = [
        (find_key(path), each)
        for path, each in list_leaves(held, most=MOST_VALUES)
        if path and (is_same(each, value) or _is_written(each, value))
    ]
    for name, each in dict(standing).items():
        written = {} if is_same(each, value) else {"text": True}
        for at in (0, -1):
            given = {"key": name, "at": at, **written}
            if is_same(_pick(held, given), value):
                yield given
                break


def _pick(held: object, given: Given) -> object:
    key, at = given.get("key"), given.get("at", 0)
    if key == "":
        return held
    found = [each for path, each in list_leaves(held, most=MOST_VALUES) if find_key(path) == key]
    if not isinstance(at, int) or not -len(found) <= at < len(found):
        return NOTHING
    return str(found[at]) if given.get("text") else found[at]


def _is_written(found: object, value: object) -> bool:
    """Whether a whole number of a result stands as text in the call."""
    whole = isinstance(found, int) and not isinstance(found, bool)
    return whole and isinstance(value, str) and str(found) == value


def _find_asked(made: Earlier, place: ArgumentPlace) -> Given:
    """Which argument of the failing call the earlier one was about, if it was about one."""
    for name, value in place.failed.call.arguments.items():
        if _is_telling(value) and any(is_same(value, each) for each in made.arguments.values()):
            return {"asked": name}
    return {}


def _is_about(made: Earlier, given: Given, place: ArgumentPlace) -> bool:
    name = given.get("asked")
    value = place.failed.call.arguments.get(str(name), NOTHING)
    return name is None or any(is_same(value, each) for each in made.arguments.values())


def _explain_holder(value: object, place: ArgumentPlace) -> Iterator[Given]:
    """A value of this turn ends in one of the call's: what stands before it, as a folder does."""
    for name in place.failed.call.arguments:
        for sign in HOLDING:
            given = {"holds": name, "sign": sign}
            if is_same(_find_holder(given, place), value):
                yield given


def _find_holder(given: Given, place: ArgumentPlace) -> object:
    held, sign = place.failed.call.arguments.get(str(given["holds"])), str(given.get("sign"))
    if not isinstance(held, str) or len(held) < SHORTEST:
        return NOTHING
    for made in _list_latest(place):
        for _, each in list_leaves(parse_result(made.result), most=MOST_VALUES):
            if isinstance(each, str) and each.endswith(f"{sign}{held}"):
                parts = split(each.removesuffix(held), sign)
                if parts:
                    return parts[-1]
    return NOTHING


def _explain_difference(value: object, place: ArgumentPlace) -> Iterator[Given]:
    """What is left of the argument after a number of this turn is taken away."""
    wanted = _subtract(place.old, value)
    if wanted is NOTHING or not wanted:
        return
    for made in _list_latest(place):
        for given in _locate_value(wanted, parse_result(made.result)):
            if given["key"]:
                yield {"tool": made.tool, "in": "result", **given, "less": True}


def _subtract(one: object, other: object) -> object:
    if isinstance(one, bool) or isinstance(other, bool):
        return NOTHING
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return NOTHING
    left = round(one - other, 6)
    return int(left) if float(left).is_integer() else left


def _explain_said(value: object, place: ArgumentPlace) -> Iterator[Given]:
    """What the person said under the argument's name, or the one word that looks like this.

    `USR001` looks like `A999`.
    """
    if is_same(find_named_by_person(PLAIN, place), value):
        yield {"said": "named"}
    if isinstance(value, str) and any(sign.isdigit() for sign in value):
        look = describe_shape(value)
        if is_same(_find_alike(look, place), value):
            yield {"like": look}


def _find_alike(look: str, place: ArgumentPlace) -> object:
    words = Knowledge(place.failed.said, ()).words
    found = [word for word in words if describe_shape(word) == look]
    return found[0] if len(found) == 1 else NOTHING


def find_named_by_person(_: Given, place: ArgumentPlace) -> object:
    """The word that follows the argument's name in the person's words: "my user id is U7"."""
    name = r"[\s_-]*".join(map(re.escape, tokenize(place.argument)))
    said = "\n".join(place.failed.said)[-MOST_SAID:]
    found = re.findall(rf"\b{name}\b{_BETWEEN}{_GIVEN}", said, re.IGNORECASE) if name else []
    distinct = list(dict.fromkeys(found))
    return distinct[-1] if distinct else NOTHING


FROM_TURN = Way(_explain, _make)
