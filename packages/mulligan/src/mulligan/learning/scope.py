"""Whether a remedy keeps the request of the failing call and changes only its form.

A lesson repairs the form of a call. Another request (a word cut from a query, another channel,
a dropped argument) needs the person's decision, however often it has helped before."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from mulligan.learning.closeness import NEGATING, is_turned, loses_words, match_part, match_spelling
from mulligan.learning.coerce import ADDED, DROPPED, NOTHING
from mulligan.learning.protected_fields import (
    HOW_MUCH,
    WHERE,
    is_command,
    is_locked,
    is_said_number,
    is_secret,
    stands_in,
)
from mulligan.learning.schema import TYPE_NAMES
from mulligan.learning.transforms import ArgumentPlace, list_choices, make, split
from mulligan.learning.validation_errors import ComplaintKind, parse_complaints
from mulligan.learning.values import list_properties
from mulligan.types.effect import Effect
from mulligan.types.lesson import FailedCall, How, Remedy, Transformation
from mulligan_dates.text import is_same, list_words, read_number, split_name

LONGEST_ERROR = 4_000
STEPS = frozenset("/\\.~*?%")
"""Signs that change a path to another place, or to several."""
SEVERAL = frozenset(",;|\n[]{}")
"""Signs of a text that holds more than one thing."""
UNITS = list_words("""
    second seconds millisecond milliseconds minute minutes hour hours day days week weeks month
    months year years ms sec min cent cents percent dollar dollars euro euros meter meters metre
    metres km kilometer kilometers mile miles inch inches kg kilogram kilograms pound pounds gallon
    gallons liter liters litre litres byte bytes kb mb epoch timestamp unix
""")
_AFFIX: Mapping[How, re.Pattern[str]] = {
    How.PREFIX: re.compile(r"[A-Za-z0-9]+[#@:_./+-]?|[@:+/]"),
    How.SUFFIX: re.compile(r"[#@:_./+-]?[A-Za-z0-9]+|[@:/]"),
}
"""A prefix or suffix that may be added where it is stated: a word, one sign, or both. More signs
could lead elsewhere."""
_FORM = frozenset({How.LIST, How.SCALAR, How.COERCE, How.CASE, How.FORMAT, How.FROM_ARGUMENT})
_EMPTY: tuple[object, ...] = (NOTHING, None, "", [], {})

Rule = Callable[[Transformation, ArgumentPlace], bool]


def find_scope_changes(remedy: Remedy, failed: FailedCall) -> list[str]:
    """The arguments by which a remedy changes the request; none: it only repairs the form."""
    moved = _list_moved(remedy)
    return [
        each.argument
        for each in remedy.changes
        if not (each.how is How.DROP and each.argument in moved)
        and not _may_make(each, remedy, failed)
    ]


def only_rewrites(remedy: Remedy) -> bool:
    """Whether a remedy gives the same values, in another form or under another name."""
    moved = _list_moved(remedy)
    return bool(remedy.changes) and all(
        each.how in _FORM or (each.how is How.DROP and each.argument in moved)
        for each in remedy.changes
    )


def _list_moved(remedy: Remedy) -> set[object]:
    """The arguments whose values get another name."""
    return {each.given["of"] for each in remedy.changes if each.how is How.FROM_ARGUMENT}


def asks_for_other(remedy: Remedy, *, stated: str) -> bool:
    """Whether a remedy changes the request for any call, so that it may not be shown.

    `stated`: the words of the tool and its errors.
    """
    moved = _list_moved(remedy)
    for made in remedy.changes:
        match made.how:
            case How.DROP:
                other = made.argument not in moved
            case How.FROM_ARGUMENT:
                other = is_turned(str(made.given.get("of")), made.argument)
            case How.PREFIX | How.SUFFIX:
                other = not _keeps_sense(made, stated, spoken=True)
            case How.SCALE:
                other = UNITS.isdisjoint(split_name(f"{stated} {made.argument}"))
            case How.PART:
                other = made.given.get("sign") == " "
            case _:
                other = made.how is How.FROM_TURN and "holds" in made.given
        if other:
            return True
    return False


def is_named(failed: FailedCall, argument: str) -> bool:
    """Whether an error names an argument, or quotes its value."""
    value = failed.call.arguments.get(argument)
    quoted = isinstance(value, str) and len(value) > 2 and _is_stated(value, failed)
    return quoted or _is_stated(argument, failed)


def _may_make(made: Transformation, remedy: Remedy, failed: FailedCall) -> bool:
    place = ArgumentPlace(argument=made.argument, failed=failed, schema=failed.schema)
    source = made.given.get("of")
    if source is not None and made.how is not How.FROM_ARGUMENT and source != made.argument:
        return False
    if is_command(made.argument) and made.how not in (How.COERCE, How.FROM_ARGUMENT):
        return False
    if made.how is How.PART:
        return _may_cut(made, place, remedy)
    if made.how is How.DROP and made.argument not in list_properties(place.schema):
        # What this tool does not take is as good in a call before it that does.
        named = _is_stated(made.argument, failed)
        return (named and _is_carried(place.old, remedy, failed)) or _may_drop(made, place)
    return _RULES[made.how](made, place)


def _may_drop(made: Transformation, place: ArgumentPlace) -> bool:
    """An empty or default value may be dropped where the error names it.

    An unknown argument can still carry meaning: `dry_run`, `only_mine`.
    """
    required = place.schema.get("required")
    if isinstance(required, list | tuple) and made.argument in required:
        return False
    default = place.rule.get("default", NOTHING)
    idle = place.old in _EMPTY[1:] or (default is not NOTHING and is_same(default, place.old))
    return idle and _is_stated(made.argument, place.failed)


def _may_complete(made: Transformation, place: ArgumentPlace) -> bool:
    """Only a missing value is completed: from the schema, or where the error asks for it.

    Protected fields are never filled in.
    """
    if place.old not in _EMPTY:
        return False
    value = made.given.get("value")
    default, listed = place.rule.get("default", NOTHING), place.rule.get("enum")
    own = is_same(default, value) or listed == [value]
    asked = _is_stated(made.argument, place.failed) and not is_locked((made.argument,))
    return own or asked


def _keeps_sense(made: Transformation, stated: str, *, spoken: bool = False) -> bool:
    """A sign that does not change a value, or one that the error or the schema states.

    Few signs are harmless: `-7` is another number, `!a` the opposite, `a*` many, `../a` elsewhere.
    `spoken`: words count as stated, since a lesson has only words that were stated when learned.
    """
    added, taken = str(made.given.get("text") or ""), str(made.given.get("without") or "")
    if added in ADDED and taken in DROPPED:
        return True
    text = added or taken
    leads_away = set(split_name(made.argument)) & WHERE and set(text) & STEPS
    if leads_away or set(split_name(text)) & NEGATING or not _AFFIX[made.how].fullmatch(text):
        return False
    if not any(sign.isalnum() for sign in text):
        # In quotes, for a text has signs of its own.
        return any(f"{mark}{text}{mark}" in stated for mark in "'\"`")
    return spoken or text in stated


def _may_rename(made: Transformation, place: ArgumentPlace) -> bool:
    """A value may move to the correct name; it is not copied from another argument."""
    source = str(made.given.get("of"))
    unknown = place.old in _EMPTY and source not in list_properties(place.schema)
    says_less = match_part(source, [made.argument]) and loses_words(source, made.argument)
    narrower = bool(says_less) and place.failed.effect is not Effect.READ
    return unknown and not narrower and not is_turned(source, made.argument)


def _may_take_stated(made: Transformation, place: ArgumentPlace) -> bool:
    """A number becomes a stated bound, a word its nearest allowed value; nothing is chosen."""
    value = make(made, place)
    if value is NOTHING or isinstance(value, list):
        return False
    if place.old in _EMPTY:
        return _is_stated(made.argument, place.failed)
    if isinstance(value, int | float):
        amount = bool(set(split_name(made.argument)) & HOW_MUCH)
        said = is_said_number(place.old, place.failed.said)
        return read_number(place.old) is not None and not amount and not said
    return match_spelling(str(place.old), [str(value)]) is not None


def _may_take_seen(made: Transformation, place: ArgumentPlace) -> bool:
    """The result of a lookup of this value, or a missing value; never one of several."""
    given = made.given
    if "said" in given or "like" in given:
        return True
    if "holds" in given:
        return False
    if given.get("less"):
        # A value from the person is the request; the agent's own number may be adjusted.
        said = place.failed.said
        return not (stands_in(said, place.old) or is_said_number(place.old, said))
    if len(list_choices(given, place)) > 1:
        return False
    about = given.get("asked") == made.argument and given.get("in") == "result"
    return place.old in _EMPTY or about or is_secret(made.argument)


def _may_cut(made: Transformation, place: ArgumentPlace, remedy: Remedy) -> bool:
    """A part may replace the whole where the rest is in an earlier call or another argument."""
    value, whole = make(made, place), place.old
    if not isinstance(value, str) or not isinstance(whole, str) or made.given.get("sign") == " ":
        return False
    sign = str(made.given.get("sign"))
    rest = [part for part in split(whole, sign) if part not in split(value, sign)]
    others = [
        str(held) for name, held in place.failed.call.arguments.items() if name != made.argument
    ]
    beside = all(any(part in other.split(sign) for other in others) for part in rest)
    return bool(rest) and (beside or _is_carried(sign.join(rest), remedy, place.failed))


def _is_carried(value: object, remedy: Remedy, failed: FailedCall) -> bool:
    """Whether a call before is given a value, made from an argument of the failing call."""
    return any(
        "of" in each.given
        and is_same(make(each, ArgumentPlace(argument=each.argument, failed=failed)), value)
        for call in remedy.first
        for each in call.arguments
    )


def _wants_list(place: ArgumentPlace) -> bool:
    """Whether the schema or the error wants a list."""
    if place.rule:
        held = (place.rule.get("anyOf"), place.rule.get("oneOf"))
        inner = [each for parts in held if isinstance(parts, list) for each in parts]
        forms = [place.rule, *(each for each in inner if isinstance(each, Mapping))]
        types = [each.get("type") for each in forms]
        named = [name for held in types for name in (held if isinstance(held, list) else [held])]
    else:
        named = [
            word
            for each in parse_complaints(place.failed.error)
            if each.about is ComplaintKind.TYPE and each.subject == place.argument
            for word in each.wanted
        ]
    return any(TYPE_NAMES.get(str(name), name) == "array" for name in named)


def _list_stated(place: ArgumentPlace) -> str:
    """The words of the error and the schema about an argument."""
    return f"{place.failed.error[:LONGEST_ERROR]} {place.read_documentation()}"


def _may_list(_: Transformation, place: ArgumentPlace) -> bool:
    """A list of one is the same where a list is wanted; one of nothing or of several is not."""
    several = isinstance(place.old, str) and any(sign in place.old for sign in SEVERAL)
    return place.old not in _EMPTY and not several and _wants_list(place)


def _is_stated(text: str, failed: FailedCall) -> bool:
    """Whether an error has a text as a separate word."""
    alone = rf"(?<![\w]){re.escape(text)}(?![\w])"
    return bool(text) and re.search(alone, failed.error[:LONGEST_ERROR]) is not None


_RULES: Mapping[How, Rule] = {
    How.CONSTANT: _may_complete,
    **dict.fromkeys(
        (How.PREFIX, How.SUFFIX), lambda made, place: _keeps_sense(made, _list_stated(place))
    ),
    # Another number is the same amount only where a unit is stated.
    How.SCALE: lambda _, place: (
        not UNITS.isdisjoint(split_name(f"{_list_stated(place)} {place.argument}"))
    ),
    How.LIST: _may_list,
    How.SCALAR: lambda _, place: (
        isinstance(place.old, list) and place.old != [] and place.old[0] not in _EMPTY
    ),
    **dict.fromkeys((How.CASE, How.COERCE, How.FORMAT), lambda _, place: place.old not in _EMPTY),
    How.FROM_ARGUMENT: _may_rename,
    How.FROM_ERROR: _may_take_stated,
    How.FROM_TURN: _may_take_seen,
    How.OPEN: lambda _made, _place: False,
    How.DROP: _may_drop,
}
"""For each transformation, whether it keeps the request."""
