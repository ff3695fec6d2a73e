"""The ways in which a value can be made out of a failing call, its error and its turn.

What is kept is where the value stood: the tool, the name, which of several. To make it once more,
the same place is looked up in the turn at hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from mulligan.learning.coerce import NOTHING, ORDERS, coerce, read_date
from mulligan.learning.error_details import extract_message
from mulligan.learning.fingerprint import QUOTED
from mulligan.learning.protected_fields import is_locked
from mulligan.learning.suggest import Knowledge, describe_shape, parse_result
from mulligan.learning.values import find_key
from mulligan.text import is_number, is_same, list_leaves, parse_numeral, split_name
from mulligan.types.lesson import NO_SCHEMA, Earlier, FailedCall, How, Transformation

Given = Mapping[str, object]
"""What a way needs to be gone again: names, signs and positions, never a value of the call."""

PLAIN: Given = MappingProxyType({})


class ArgumentPlace(Struct, frozen=True, kw_only=True):
    """One argument of a call that is to be made: the failing one again, or one before it."""

    argument: str
    failed: FailedCall
    schema: Mapping[str, object] = NO_SCHEMA
    """Of the tool that the argument belongs to."""

    @property
    def old(self) -> object:
        """What stood there when it failed; `NOTHING` if the argument is new."""
        return self.failed.call.arguments.get(self.argument, NOTHING)

    def read_source(self, given: Given) -> object:
        """The value a way starts from: that of the argument it names, else the one of this name."""
        named = str(given.get("of", self.argument))
        return self.failed.call.arguments.get(named, NOTHING)

    def read_documentation(self) -> str:
        """What the schema says of this argument, as text."""
        properties = self.schema.get("properties")
        part = properties.get(self.argument) if isinstance(properties, Mapping) else None
        return "" if part is None else json.dumps(part, ensure_ascii=False, default=str)


Explain = Callable[[object, ArgumentPlace], Iterator[Given]]
"""How a value can have been made at a place, the simplest first."""

Make = Callable[[Given, ArgumentPlace], object]
"""The value made once more; `NOTHING` where it cannot be."""


class Way(Struct, frozen=True):
    """One way of making a value, in both directions: read out of an observation, and gone again."""

    explain: Explain
    make: Make


MOST_NUMBER = 100
LONGEST_WORD = 40
LONGEST_LIST = 20


def _explain_argument(value: object, place: ArgumentPlace) -> Iterator[Given]:
    for name, held in place.failed.call.arguments.items():
        if is_same(held, value):
            yield {"of": name}


def _make_argument(given: Given, place: ArgumentPlace) -> object:
    return place.read_source(given)


def _explain_constant(value: object, place: ArgumentPlace) -> Iterator[Given]:
    if names_nobody(value, place):
        yield {"value": normalize_number(value)}


def _make_constant(given: Given, place: ArgumentPlace) -> object:
    value = given.get("value", NOTHING)
    return value if value is not NOTHING and names_nobody(value, place) else NOTHING


def names_nobody(value: object, place: ArgumentPlace) -> bool:
    """Whether a value may be kept: a flag, a small number, signs, or a word of the tool's schema.

    Who, where and how much are never kept; of such a field only signs such as `..` are.
    """
    if isinstance(value, list):
        return len(value) <= LONGEST_LIST and all(names_nobody(item, place) for item in value)
    if isinstance(value, str):
        signs = len(value) <= 3 and not any(sign.isalnum() for sign in value)
        return signs or (not is_locked((place.argument,)) and _is_documented(value, place))
    if is_locked((place.argument,)):
        return False
    if value is None or isinstance(value, bool):
        return True
    return isinstance(value, int | float) and abs(value) <= MOST_NUMBER


def normalize_number(value: object) -> object:
    """One way to write a number, so that the same constant is the same lesson."""
    whole = isinstance(value, float) and value.is_integer()
    return int(value) if whole and isinstance(value, float) else value


def _is_documented(value: str, place: ArgumentPlace) -> bool:
    """Whether the schema itself says this word of the argument."""
    if not value.strip() or len(value) > LONGEST_WORD:
        return False
    found = re.search(rf"(?<![\w]){re.escape(value)}(?![\w])", place.read_documentation())
    return found is not None


FROM_ARGUMENT = Way(_explain_argument, _make_argument)
CONSTANT = Way(_explain_constant, _make_constant)


LONGEST_TEXT = 500
"""Longer texts are prose: nobody puts a sign before them or splits them."""
LONGEST_AFFIX = 12
LONGEST_ERROR = 4_000
SIGNS = ("/", "\\", "@", ":", ",", ";", "#", "|", "_", "-", ".", " ")
"""What a value may be split at."""

CASES: Mapping[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
    "capital": str.capitalize,
}
TYPES = ("integer", "number", "string", "boolean", "array", "object")
UNITS = (10, 100, 1_000, 1_000_000, 60, 3_600, 24, 86_400, 7, 12, 2.54, 1.609344, 0.453592, 3.78541)
"""Factors between units of money, measure and time; each counts both ways."""
FACTORS = (*UNITS, *(1 / unit for unit in UNITS))

_AFFIX = re.compile(r"[\W_]{1,4}|[A-Za-z]{1,8}[\W_]{1,3}|[\W_][A-Za-z0-9]{1,6}")
_BLANK = re.compile(r"[\s\u200b\ufeff]+")

Shape = Callable[[object, Given], object]
"""A source in its new shape."""

Read = Callable[[object, object], Iterator[Given]]
"""How a source was given its new shape."""


def _read_case(old: object, new: object) -> Iterator[Given]:
    if isinstance(old, str) and isinstance(new, str):
        yield from ({"case": name} for name, turn in CASES.items() if turn(old) == new)


def _change_case(old: object, given: Given) -> object:
    turn = CASES.get(str(given.get("case")))
    return turn(old) if turn and isinstance(old, str) else NOTHING


def _read_coerced(old: object, new: object) -> Iterator[Given]:
    for wanted in TYPES:
        found = coerce(old, wanted)
        if found is not NOTHING and type(found) is type(new) and found == new:
            yield {"to": wanted}


def _coerce_value(old: object, given: Given) -> object:
    return coerce(old, str(given.get("to")))


def _read_listed(old: object, new: object) -> Iterator[Given]:
    if isinstance(new, list) and len(new) == 1 and is_same(new[0], old):
        yield PLAIN


def _wrap_list(old: object, _: Given) -> object:
    return NOTHING if old is NOTHING or isinstance(old, list) else [old]


def _read_scalar(old: object, new: object) -> Iterator[Given]:
    if isinstance(old, list) and len(old) == 1 and is_same(old[0], new):
        yield PLAIN


def _unwrap_scalar(old: object, _: Given) -> object:
    return old[0] if isinstance(old, list) and len(old) == 1 else NOTHING


def _read_form(old: object, new: object) -> Iterator[Given]:
    if isinstance(old, str) and isinstance(new, str):
        forms = ("plain", *dict.fromkeys(ORDERS.values()))
        yield from ({"form": form} for form in forms if _change_form(old, {"form": form}) == new)


def _change_form(old: object, given: Given) -> object:
    if not isinstance(old, str):
        return NOTHING
    if given.get("form") == "plain":
        return _BLANK.sub(" ", old).strip().strip("'\"`")
    form = str(given.get("form"))
    day = read_date(old) if form in ORDERS.values() else None
    return NOTHING if day is None else day.strftime(form)


def _read_prefix(old: object, new: object) -> Iterator[Given]:
    if isinstance(old, str) and isinstance(new, str) and old and new:
        if new.endswith(old) and _AFFIX.fullmatch(added := new[: -len(old)]):
            yield {"text": added}
        if old.endswith(new) and _AFFIX.fullmatch(taken := old[: -len(new)]):
            yield {"without": taken}


def _change_prefix(old: object, given: Given) -> object:
    if not isinstance(old, str):
        return NOTHING
    if isinstance(added := given.get("text"), str):
        return NOTHING if old.startswith(added) else added + old
    taken = str(given.get("without") or "")
    return old.removeprefix(taken) if taken and old.startswith(taken) else NOTHING


def _read_suffix(old: object, new: object) -> Iterator[Given]:
    if isinstance(old, str) and isinstance(new, str) and old and new:
        if new.startswith(old) and _AFFIX.fullmatch(added := new[len(old) :]):
            yield {"text": added}
        if old.startswith(new) and _AFFIX.fullmatch(taken := old[len(new) :]):
            yield {"without": taken}


def _change_suffix(old: object, given: Given) -> object:
    if not isinstance(old, str):
        return NOTHING
    if isinstance(added := given.get("text"), str):
        return NOTHING if old.endswith(added) else old + added
    taken = str(given.get("without") or "")
    return old.removesuffix(taken) if taken and old.endswith(taken) else NOTHING


def _read_part(old: object, new: object) -> Iterator[Given]:
    if not (isinstance(old, str) and isinstance(new, str) and new and len(old) <= LONGEST_TEXT):
        return
    for sign in (sign for sign in SIGNS if sign in old and new in old):
        parts = split(old, sign)
        if len(parts) > 1:
            yield from ({"sign": sign, "at": at} for at in (-1, 0, 1) if _pick_at(parts, at) == new)
            yield from ({"sign": sign, "upto": at} for at in (-1,) if sign.join(parts[:at]) == new)


def _pick_part(old: object, given: Given) -> object:
    sign = str(given.get("sign") or "")
    if not isinstance(old, str) or not sign or len(old) > LONGEST_TEXT:
        return NOTHING
    parts = split(old, sign)
    if len(parts) < 2:
        return NOTHING
    if isinstance(upto := given.get("upto"), int):
        return sign.join(parts[:upto]) or NOTHING
    at = given.get("at")
    return _pick_at(parts, at) if isinstance(at, int) else NOTHING


def split(text: str, sign: str) -> list[str]:
    """The parts of a value; a dot alone is the place one is at, and no part."""
    return [part for part in text.strip().split(sign) if part.strip() not in ("", ".")]


def _pick_at(parts: list[str], at: int) -> object:
    return parts[at].strip() if -len(parts) <= at < len(parts) else NOTHING


def _read_scaled(old: object, new: object) -> Iterator[Given]:
    if is_number(old) and is_number(new) and old and new:
        yield from ({"by": by} for by in FACTORS if _is_close(old * by, new))


def _scale_number(old: object, given: Given) -> object:
    by = given.get("by")
    if not is_number(old) or by not in FACTORS:
        return NOTHING
    made = round(old * float(str(by)), 6)
    return int(made) if made.is_integer() else made


def _is_close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other))


def _build_way(read: Read, shape: Shape) -> Way:
    """A way from any argument: that of the same name first, then the others; lists by element."""

    def explain(value: object, place: ArgumentPlace) -> Iterator[Given]:
        for named, old in _list_sources(place):
            if is_same(old, value):
                continue
            found = [
                *read(old, value),
                *({**g, "each": True} for g in _read_each(old, value, read)),
            ]
            yield from ({**named, **given} for given in found if _is_keepable(given, place))

    def make(given: Given, place: ArgumentPlace) -> object:
        old = place.read_source(given)
        if given.get("each"):
            return _shape_each(old, given, shape)
        return NOTHING if old is NOTHING else shape(old, given)

    return Way(explain, make)


def _is_keepable(given: Given, place: ArgumentPlace) -> bool:
    """Signs may be kept; letters around a value only if the error or the schema has them."""
    kept = str(given.get("text") or given.get("without") or "")
    known = f"{place.failed.error[:LONGEST_ERROR]} {place.read_documentation()}"
    return not any(sign.isalnum() for sign in kept) or kept in known


def _list_sources(place: ArgumentPlace) -> Iterator[tuple[Given, object]]:
    if place.old is not NOTHING:
        yield PLAIN, place.old
    for name, value in place.failed.call.arguments.items():
        if name != place.argument:
            yield {"of": name}, value


def _read_each(old: object, new: object, read: Read) -> Iterator[Given]:
    if not (isinstance(old, list) and isinstance(new, list) and 0 < len(old) == len(new) <= 100):
        return
    shared = list(read(old[0], new[0]))
    for left, right in zip(old[1:], new[1:], strict=True):
        ways = list(read(left, right))
        shared = [given for given in shared if given in ways]
    yield from shared


def _shape_each(old: object, given: Given, shape: Shape) -> object:
    if not isinstance(old, list) or not old:
        return NOTHING
    made = [shape(item, given) for item in old]
    return NOTHING if NOTHING in made else made


RESHAPING: Mapping[How, Way] = {
    How.LIST: _build_way(_read_listed, _wrap_list),
    How.SCALAR: _build_way(_read_scalar, _unwrap_scalar),
    How.COERCE: _build_way(_read_coerced, _coerce_value),
    How.CASE: _build_way(_read_case, _change_case),
    How.FORMAT: _build_way(_read_form, _change_form),
    How.PREFIX: _build_way(_read_prefix, _change_prefix),
    How.SUFFIX: _build_way(_read_suffix, _change_suffix),
    How.PART: _build_way(_read_part, _pick_part),
    How.SCALE: _build_way(_read_scaled, _scale_number),
}
"""The simplest first."""


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
    if not is_number(one) or not is_number(other):
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
    name = r"[\s_-]*".join(map(re.escape, split_name(place.argument)))
    said = "\n".join(place.failed.said)[-MOST_SAID:]
    found = re.findall(rf"\b{name}\b{_BETWEEN}{_GIVEN}", said, re.IGNORECASE) if name else []
    distinct = list(dict.fromkeys(found))
    return distinct[-1] if distinct else NOTHING


FROM_TURN = Way(_explain, _make)


_LONGEST_READ = 4_000
_MOST_STATED = 20

_NUMBER = re.compile(
    r"(?<![\w.#-])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.#-])-?\d+(?:\.\d+)?(?!\w)"
)
_LIST = re.compile(r":\s*+\[?((?:[\w'\"-]++\s*+,\s*+)+(?:and |or )?[\w'\"-]++)")
_WORD = re.compile(r"[^\s,;:'\"`()\[\]{}<>]+")


def parse_stated(error: str) -> Mapping[str, Sequence[object]]:
    """What an error states, by kind and in its order."""
    text = extract_message(error)[:_LONGEST_READ]
    quoted = [next(part for part in found if part is not None) for found in _list_quoted(text)]
    return {
        "number": [parse_numeral(found.group()) for found in _NUMBER.finditer(text)][:_MOST_STATED],
        "quoted": list(quoted)[:_MOST_STATED],
        "list": [_split_names(found[1]) for found in _LIST.finditer(text)][:_MOST_STATED],
        "word": [found.group().rstrip(".!?") for found in _WORD.finditer(text)][:100],
    }


def _list_quoted(text: str) -> Iterator[tuple[str | None, ...]]:
    yield from (found.groups() for found in QUOTED.finditer(text))


def _split_names(text: str) -> list[object]:
    words = (
        word.strip("'\" ")
        for word in re.split(r"(?:(?<!\s)\s++)?+,\s*+(?:and |or )?|(?<!\s)\s++(?:and|or)\s++", text)
    )
    return [word for word in words if word]


def _explain_stated(value: object, place: ArgumentPlace) -> Iterator[Given]:
    for what, stated in parse_stated(place.failed.error).items():
        if what == "word" and not _speaks(value):
            continue
        for at, each in enumerate(stated):
            if is_same(each, value):
                yield {"what": what, "at": at}
                break


def _speaks(value: object) -> bool:
    """A single word of an error is a value only if words of prose do not look like it."""
    return isinstance(value, str) and any(sign.isdigit() or sign in "_#@/" for sign in value)


def _make_stated(given: Given, place: ArgumentPlace) -> object:
    stated = parse_stated(place.failed.error).get(str(given.get("what")), [])
    at = given.get("at")
    return stated[at] if isinstance(at, int) and -len(stated) <= at < len(stated) else NOTHING


FROM_ERROR = Way(_explain_stated, _make_stated)


WAYS: Mapping[How, Way] = {
    **RESHAPING,
    How.FROM_ARGUMENT: FROM_ARGUMENT,
    How.FROM_ERROR: FROM_ERROR,
    How.CONSTANT: CONSTANT,
    How.FROM_TURN: FROM_TURN,
}

OPEN = Way(lambda _value, _place: iter(()), find_named_by_person)
"""What could not be understood is what the person calls by its name, if they do."""

_MOST_WAYS = 6
"""Ways to one value that are worth keeping."""


def find_ways(value: object, place: ArgumentPlace) -> list[Transformation]:
    """How a value can have been made, the simplest first; each way, gone again, leads to it."""
    found: list[Transformation] = []
    for made in _explain_value(value, place):
        if made not in found and is_same(make(made, place), value):
            found.append(made)
        if len(found) == _MOST_WAYS:
            break
    return found


def make(made: Transformation, place: ArgumentPlace) -> object:
    """The value made once more out of the call at hand; `NOTHING` where it cannot be."""
    way = OPEN if made.how is How.OPEN else WAYS.get(made.how)
    return NOTHING if way is None else way.make(made.given, place)


def _explain_value(value: object, place: ArgumentPlace) -> Iterator[Transformation]:
    for how, way in WAYS.items():
        for given in way.explain(value, place):
            yield Transformation(argument=place.argument, how=how, given=given)
