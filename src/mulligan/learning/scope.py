"""Whether a remedy still asks for what the failing call asked for, in a form that the tool takes.

A lesson mends the form of a call. What would make another call out of it, a word cut out of a
query, another channel of a list, an argument left out, is for the person to say, however often it
has helped before."""

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
from mulligan.learning.transforms import ArgumentPlace, list_choices, make
from mulligan.learning.validation_errors import ComplaintKind, parse_complaints
from mulligan.text import is_same, list_words, read_number, split_name
from mulligan.types.effect import Effect
from mulligan.types.lesson import FailedCall, How, Remedy, Transformation

LONGEST_ERROR = 4_000
STEPS = frozenset("/\\.~*?%")
"""Signs that lead to another place, or to more than one, where they are put around a path."""
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
"""What may stand in front of a value or behind it where somebody states it: a word, one sign, or
both. A sign of more is a way somewhere else."""
_EMPTY: tuple[object, ...] = (NOTHING, None, "", [], {})

Rule = Callable[[Transformation, ArgumentPlace], bool]


def find_scope_changes(remedy: Remedy, failed: FailedCall) -> list[str]:
    """The arguments by which a remedy would ask for something else; none: it mends the form."""
    moved = {each.given["of"] for each in remedy.changes if each.how is How.FROM_ARGUMENT}
    return [
        each.argument
        for each in remedy.changes
        if not (each.how is How.DROP and each.argument in moved)
        and not _may_make(each, remedy, failed)
    ]


def asks_for_other(remedy: Remedy, *, stated: str) -> bool:
    """Whether a remedy asks for something else whatever the call: what may be told of it at all.

    `stated` is what the tool and its errors say.
    """
    moved = {each.given["of"] for each in remedy.changes if each.how is How.FROM_ARGUMENT}
    return any(
        not _keeps_request(each, stated) and not (each.how is How.DROP and each.argument in moved)
        for each in remedy.changes
    )


def _keeps_request(made: Transformation, stated: str) -> bool:
    match made.how:
        case How.DROP:
            return False
        case How.FROM_ARGUMENT:
            return not is_turned(str(made.given.get("of")), made.argument)
        case How.PREFIX | How.SUFFIX:
            return _keeps_sense(made, stated, spoken=True)
        case How.SCALE:
            return bool(set(split_name(f"{stated} {made.argument}")) & UNITS)
        case How.PART:
            return made.given.get("sign") != " "
        case How.FROM_TURN:
            return "holds" not in made.given
        case _:
            return True


def is_named(failed: FailedCall, argument: str) -> bool:
    """Whether an error names an argument, or has its value as a word of its own."""
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
    return _RULES[made.how](made, place)


def _may_drop(made: Transformation, place: ArgumentPlace) -> bool:
    """What asks for nothing, or for what the tool does by itself, may go where the error names it.

    An argument that the tool does not have says something all the same: `dry_run`, `only_mine`.
    """
    if made.argument in _list_required(place):
        return False
    default = _read_rule(place).get("default", NOTHING)
    idle = place.old in _EMPTY[1:] or (default is not NOTHING and is_same(default, place.old))
    return idle and _is_stated(made.argument, place.failed)


def _may_complete(made: Transformation, place: ArgumentPlace) -> bool:
    """Only what was not there is completed: with the schema's own, or where the error asks.

    Who, where and how much are nobody's to fill in.
    """
    if place.old not in _EMPTY:
        return False
    rule = _read_rule(place)
    listed = rule.get("enum")
    value = made.given.get("value")
    own = is_same(rule.get("default", NOTHING), value) or listed == [value]
    asked = _is_stated(made.argument, place.failed) and not is_locked((made.argument,))
    return own or asked


def _may_wrap(_: Transformation, place: ArgumentPlace) -> bool:
    """A list of one is the same where a list is wanted; one of nothing or of several is not."""
    several = isinstance(place.old, str) and any(sign in place.old for sign in SEVERAL)
    return place.old not in _EMPTY and not several and _is_wanted("array", place)


def _may_unwrap(_: Transformation, place: ArgumentPlace) -> bool:
    value = place.old[0] if isinstance(place.old, list) and place.old else None
    return value not in _EMPTY


def _may_affix(made: Transformation, place: ArgumentPlace) -> bool:
    stated = f"{place.failed.error[:LONGEST_ERROR]} {place.read_documentation()}"
    return _keeps_sense(made, stated)


def _keeps_sense(made: Transformation, stated: str, *, spoken: bool = False) -> bool:
    """A sign that leaves a value what it is, or what the error or the schema states here and now.

    Of signs few do: `-7` is another number, `!a` all but one, `a*` many, `../a` another place.
    `spoken`: words count as stated, for no lesson has any that were not when it was learned.
    """
    added, taken = str(made.given.get("text") or ""), str(made.given.get("without") or "")
    if added in ADDED and taken in DROPPED:
        return True
    text = added or taken
    leads_away = set(split_name(made.argument)) & WHERE and set(text) & STEPS
    if leads_away or set(split_name(text)) & NEGATING or not _AFFIX[made.how].fullmatch(text):
        return False
    if not any(sign.isalnum() for sign in text):
        return _is_quoted(text, stated)
    return spoken or text in stated


def _is_quoted(sign: str, stated: str) -> bool:
    """Whether a sign is spoken of: in quotes, for a text has signs of its own."""
    return any(f"{mark}{sign}{mark}" in stated for mark in "'\"`")


def _may_scale(_: Transformation, place: ArgumentPlace) -> bool:
    """Another number is the same amount only where somebody speaks of a unit."""
    told = f"{place.failed.error[:LONGEST_ERROR]} {place.read_documentation()} {place.argument}"
    return bool(set(split_name(told)) & UNITS)


def _may_rename(made: Transformation, place: ArgumentPlace) -> bool:
    """A value moves under the name there is for it; it is not copied over from another one."""
    known = place.schema.get("properties")
    properties = known if isinstance(known, Mapping) else {}
    source = str(made.given.get("of"))
    unknown = place.old in _EMPTY and source not in properties
    says_less = match_part(source, [made.argument]) and loses_words(source, made.argument)
    narrower = bool(says_less) and place.failed.effect is not Effect.READ
    return unknown and not narrower and not is_turned(source, made.argument)


def _may_take_stated(made: Transformation, place: ArgumentPlace) -> bool:
    """A number becomes the bound that is stated, a word the one it nearly is; no choice is made."""
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
    """What a lookup of this very value gave, or what was missing; never one thing of several."""
    given = made.given
    if "said" in given or "like" in given:
        return True
    if "holds" in given:
        return False
    if given.get("less"):
        # What the person said is what is asked for; a figure of the agent's own may be fitted.
        said = place.failed.said
        return not (stands_in(said, place.old) or is_said_number(place.old, said))
    if len(list_choices(given, place)) > 1:
        return False
    about = given.get("asked") == made.argument and given.get("in") == "result"
    return place.old in _EMPTY or about or is_secret(made.argument)


def _may_cut(made: Transformation, place: ArgumentPlace, remedy: Remedy) -> bool:
    """A part stands for the whole where the rest is said elsewhere: in a call before, or beside."""
    value, whole = make(made, place), place.old
    if not isinstance(value, str) or not isinstance(whole, str) or made.given.get("sign") == " ":
        return False
    sign = str(made.given.get("sign"))
    rest = [part for part in whole.split(sign) if part.strip() not in ("", ".", value)]
    carried = any(
        each.how is How.PART and each.given.get("of") == made.argument
        for call in remedy.first
        for each in call.arguments
    )
    others = [
        str(held) for name, held in place.failed.call.arguments.items() if name != made.argument
    ]
    beside = all(any(part in other.split(sign) for other in others) for part in rest)
    return carried or (bool(rest) and beside)


def _is_wanted(kind: str, place: ArgumentPlace) -> bool:
    """Whether the schema or the error wants a value of this type."""
    rule = _read_rule(place)
    if rule:
        forms = [rule, *_list_parts(rule.get("anyOf")), *_list_parts(rule.get("oneOf"))]
        types = [each.get("type") for each in forms]
        named = [name for held in types for name in (held if isinstance(held, list) else [held])]
        return any(TYPE_NAMES.get(str(name), name) == kind for name in named)
    wanted = (
        word
        for each in parse_complaints(place.failed.error)
        if each.about is ComplaintKind.TYPE and each.subject == place.argument
        for word in each.wanted
    )
    return any(TYPE_NAMES.get(word, word) == kind for word in wanted)


def _read_rule(place: ArgumentPlace) -> Mapping[str, object]:
    known = place.schema.get("properties")
    found = known.get(place.argument) if isinstance(known, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _list_parts(held: object) -> list[Mapping[str, object]]:
    return [each for each in held if isinstance(each, Mapping)] if isinstance(held, list) else []


def _list_required(place: ArgumentPlace) -> tuple[object, ...]:
    found = place.schema.get("required")
    return tuple(found) if isinstance(found, list | tuple) else ()


def _is_stated(text: str, failed: FailedCall) -> bool:
    """Whether an error has a text as a word of its own."""
    alone = rf"(?<![\w]){re.escape(text)}(?![\w])"
    return bool(text) and re.search(alone, failed.error[:LONGEST_ERROR]) is not None


def _may_rewrite(_: Transformation, place: ArgumentPlace) -> bool:
    return place.old not in _EMPTY


_RULES: Mapping[How, Rule] = {
    How.CONSTANT: _may_complete,
    How.PREFIX: _may_affix,
    How.SUFFIX: _may_affix,
    How.CASE: _may_rewrite,
    How.SCALE: _may_scale,
    How.LIST: _may_wrap,
    How.SCALAR: _may_unwrap,
    How.COERCE: _may_rewrite,
    How.FORMAT: _may_rewrite,
    How.FROM_ARGUMENT: _may_rename,
    How.FROM_ERROR: _may_take_stated,
    How.FROM_TURN: _may_take_seen,
    How.OPEN: lambda _made, _place: False,
    How.DROP: _may_drop,
}
"""Whether each way of making a value leaves what is asked for; parts are held against the rest."""
