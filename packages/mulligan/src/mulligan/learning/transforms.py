"""Transformations that make a value from a failing call, its error and its turn.

Only the source of the value is stored: the tool, the name, the position. To apply it again, the
same source is looked up in the current turn.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from mulligan.learning.coerce import NOTHING, ORDERS, coerce, read_date
from mulligan.learning.error_details import extract_message
from mulligan.learning.fingerprint import QUOTED
from mulligan.learning.protected_fields import is_locked
from mulligan.learning.suggest import Knowledge, describe_shape, parse_result
from mulligan.learning.values import find_key, list_properties
from mulligan.types.lesson import NO_SCHEMA, Earlier, FailedCall, How, Transformation
from mulligan_dates.text import is_number, is_same, list_leaves, parse_numeral, split_name

Given = Mapping[str, object]
"""The parameters of a transformation: names, signs and positions, never a value of the call."""

PLAIN: Given = MappingProxyType({})


class ArgumentPlace(Struct, frozen=True, kw_only=True):
    """One argument of a call to make: the failing call again, or a prerequisite call."""

    argument: str
    failed: FailedCall
    schema: Mapping[str, object] = NO_SCHEMA
    """Of the failing tool; of a prerequisite none is known."""

    @property
    def old(self) -> object:
        """What stood there when it failed; `NOTHING` if the argument is new."""
        return self.failed.call.arguments.get(self.argument, NOTHING)

    def read_source(self, given: Given) -> object:
        """The input value: that of the named argument, else of the argument itself."""
        named = str(given.get("of", self.argument))
        return self.failed.call.arguments.get(named, NOTHING)

    @property
    def rule(self) -> Mapping[str, Any]:
        """What the schema says of this argument; empty where it says nothing."""
        found = list_properties(self.schema).get(self.argument)
        return found if isinstance(found, Mapping) else {}

    def read_documentation(self) -> str:
        """The same, as text."""
        part = list_properties(self.schema).get(self.argument)
        return "" if part is None else json.dumps(part, ensure_ascii=False, default=str)


Explain = Callable[[object, ArgumentPlace], Iterator[Given]]
"""Explains how a value was made, simplest first."""

Make = Callable[[Given, ArgumentPlace], object]
"""Makes the value again; `NOTHING` where that is impossible."""


class Way(Struct, frozen=True):
    """One transformation in both directions: inferred from an observation, and applied."""

    explain: Explain
    make: Make


MOST_NUMBER = 100
LONGEST_WORD = 40
LONGEST_LIST = 20


def names_nobody(value: object, place: ArgumentPlace) -> bool:
    """Whether a value may be stored: a flag, a small number, signs, or a word of the tool's schema.

    Values of protected fields are never stored, except signs such as `..`.
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


def _is_documented(value: str, place: ArgumentPlace) -> bool:
    """Whether the schema itself says this word of the argument."""
    if not value.strip() or len(value) > LONGEST_WORD:
        return False
    found = re.search(rf"(?<![\w]){re.escape(value)}(?![\w])", place.read_documentation())
    return found is not None


def _explain_constant(value: object, place: ArgumentPlace) -> Iterator[Given]:
    if names_nobody(value, place):
        # One way to write a number, so that the same constant is the same lesson.
        whole = isinstance(value, float) and value.is_integer()
        yield {"value": int(value) if whole and isinstance(value, float) else value}


FROM_ARGUMENT = Way(
    lambda value, place: (
        {"of": name} for name, held in place.failed.call.arguments.items() if is_same(held, value)
    ),
    lambda given, place: place.read_source(given),
)
CONSTANT = Way(
    _explain_constant,
    lambda given, place: (
        given["value"] if "value" in given and names_nobody(given["value"], place) else NOTHING
    ),
)


LONGEST_TEXT = 500
"""Longer texts are prose, which is neither prefixed nor split."""
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


def _try_each(shape: Shape, tried: Iterable[Given]) -> Read:
    """An inference that tries every parameter of a small set."""
    ways = tuple(tried)

    def read(old: object, new: object) -> Iterator[Given]:
        return (given for given in ways if is_same(shape(old, given), new))

    return read


def _change_case(old: object, given: Given) -> object:
    turn = CASES.get(str(given.get("case")))
    return turn(old) if turn and isinstance(old, str) else NOTHING


def _read_affix(old: object, new: object, *, front: bool) -> Iterator[Given]:
    if not (isinstance(old, str) and isinstance(new, str) and old and new):
        return
    for word, long, short in (("text", new, old), ("without", old, new)):
        fits = long.endswith(short) if front else long.startswith(short)
        rest = long[: -len(short)] if front else long[len(short) :]
        if fits and _AFFIX.fullmatch(rest):
            yield {word: rest}


def _change_affix(old: object, given: Given, *, front: bool) -> object:
    if not isinstance(old, str):
        return NOTHING
    has = old.startswith if front else old.endswith
    if isinstance(added := given.get("text"), str):
        return NOTHING if has(added) else added + old if front else old + added
    taken = str(given.get("without") or "")
    cut = old.removeprefix if front else old.removesuffix
    return cut(taken) if taken and has(taken) else NOTHING


def _change_form(old: object, given: Given) -> object:
    write = FORMS.get(str(given.get("form")))
    return write(old) if write and isinstance(old, str) and len(old) <= LONGEST_TEXT else NOTHING


def _write_plain(text: str) -> object:
    return _BLANK.sub(" ", text).strip().strip("'\"`")


def _write_day(text: str, *, order: str) -> object:
    day = read_date(text)
    return NOTHING if day is None else day.strftime(order)


def _join_time(text: str) -> object:
    found = _DAY_AND_TIME.fullmatch(text.strip())
    return f"{found[1]}T{found[2]}" if found else NOTHING


def _write_24_hours(text: str) -> object:
    found = _12_HOURS.fullmatch(text.strip())
    if found is None or not 1 <= int(found[1]) <= 12:
        return NOTHING
    hour = int(found[1]) % 12 + (12 if found[4] in "pP" else 0)
    return f"{hour:02}:{found[2] or '00'}" + (f":{found[3]}" if found[3] else "")


def _write_epoch(text: str) -> object:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return NOTHING
    # Without a zone it is another moment elsewhere.
    return NOTHING if moment.tzinfo is None else int(moment.timestamp())


def _write_digits(text: str) -> object:
    digits = re.sub("[- ]", "", text)
    # A short one may be a range, as `10-20` is.
    numbered = _PARTED.fullmatch(text) and len(digits) >= SHORTEST_NUMBERED
    return digits if numbered and read_date(text) is None else NOTHING


_DAY_AND_TIME = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d.*)")
_12_HOURS = re.compile(r"(\d{1,2})(?::(\d\d))?(?::(\d\d))? ?([ap])\.?m\.?", re.IGNORECASE)
_PARTED = re.compile(r"\d+(?:[- ]\d+)+")
SHORTEST_NUMBERED = 7
"""Digits of an id that may be written with dashes or blanks between them."""
FORMS: Mapping[str, Callable[[str], object]] = {
    "plain": _write_plain,
    **{order: partial(_write_day, order=order) for order in ORDERS},
    "date T time": _join_time,
    "24 hours": _write_24_hours,
    "epoch seconds": _write_epoch,
    "digits": _write_digits,
}
"""Ways to write a value that leave it what it is."""


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
    return parts[at].strip() if isinstance(at, int) and -len(parts) <= at < len(parts) else NOTHING


def split(text: str, sign: str) -> list[str]:
    """The parts of a value; a single dot is the current folder, not a part."""
    return [part for part in text.strip().split(sign) if part.strip() not in ("", ".")]


def _read_scaled(old: object, new: object) -> Iterator[Given]:
    if is_number(old) and is_number(new) and old and new:
        yield from ({"by": by} for by in FACTORS if math.isclose(old * by, new, rel_tol=1e-6))


def _scale_number(old: object, given: Given) -> object:
    by = given.get("by")
    if not is_number(old) or by not in FACTORS:
        return NOTHING
    made = round(old * float(str(by)), 6)
    return int(made) if made.is_integer() else made


def _build_way(read: Read, shape: Shape) -> Way:
    """A transformation from any argument: the same name first; lists by element."""

    def explain(value: object, place: ArgumentPlace) -> Iterator[Given]:
        others = dict(place.failed.call.arguments)
        own = {name: others.pop(name) for name in (place.argument,) if name in others}
        # Letters around a value are kept only if the schema has them, or the error itself.
        said = place.failed.error[:LONGEST_ERROR]
        for held in filter(None, map(str, place.failed.call.arguments.values())):
            said = said.replace(held, " ")
        known = f"{said} {place.read_documentation()}"
        for name, old in {**own, **others}.items():
            if is_same(old, value):
                continue
            each = ({**given, "each": True} for given in _read_each(old, value, read))
            for given in (*read(old, value), *each):
                kept = str(given.get("text") or given.get("without") or "")
                if kept in known or not any(sign.isalnum() for sign in kept):
                    yield {**({} if name in own else {"of": name}), **given}

    def make(given: Given, place: ArgumentPlace) -> object:
        old = place.read_source(given)
        if not given.get("each"):
            return NOTHING if old is NOTHING else shape(old, given)
        made = [shape(item, given) for item in old] if isinstance(old, list) else []
        return made if made and NOTHING not in made else NOTHING

    return Way(explain, make)


def _read_each(old: object, new: object, read: Read) -> Iterator[Given]:
    if not (isinstance(old, list) and isinstance(new, list) and 0 < len(old) == len(new) <= 100):
        return
    shared = list(read(old[0], new[0]))
    for left, right in zip(old[1:], new[1:], strict=True):
        ways = list(read(left, right))
        shared = [given for given in shared if given in ways]
    yield from shared


def _build_tried(shape: Shape, tried: Iterable[Given]) -> Way:
    return _build_way(_try_each(shape, tried), shape)


RESHAPING: Mapping[How, Way] = {
    How.LIST: _build_tried(lambda old, _: NOTHING if isinstance(old, list) else [old], [PLAIN]),
    How.SCALAR: _build_tried(
        lambda old, _: old[0] if isinstance(old, list) and len(old) == 1 else NOTHING, [PLAIN]
    ),
    How.COERCE: _build_tried(
        lambda old, given: coerce(old, str(given.get("to"))), ({"to": name} for name in TYPES)
    ),
    How.CASE: _build_tried(_change_case, ({"case": name} for name in CASES)),
    How.FORMAT: _build_tried(_change_form, ({"form": form} for form in FORMS)),
    How.PREFIX: _build_way(partial(_read_affix, front=True), partial(_change_affix, front=True)),
    How.SUFFIX: _build_way(partial(_read_affix, front=False), partial(_change_affix, front=False)),
    How.PART: _build_tried(
        _pick_part,
        (
            {"sign": sign, **given}
            for sign in SIGNS
            for given in ({"at": -1}, {"at": 0}, {"at": 1}, {"upto": -1})
        ),
    ),
    How.SCALE: _build_way(_read_scaled, _scale_number),
}
"""The simplest first."""


MOST_CALLS = 30
MOST_VALUES = 500
SHORTEST = 2
HOLDING = ("/", "\\", "::", ".")
"""Separators between an object and its container."""
MOST_SAID = 50_000

_BETWEEN = r"(?:\s+(?:is|being|of|as|will be|should be)|\s*[:=])?\s*['\"`(]?"
_GIVEN = r"((?=[\w#@])(?=[\w#@.+-]*[\d_@#])[\w#@][\w#@.+-]*\w|(?<=['\"`])\w+(?=['\"`])|(?<=is )\w+)"
"""A value differs from a word of the sentence by a digit or sign, by quotes, or by "is"."""


def _explain(value: object, place: ArgumentPlace) -> Iterator[Given]:
    if not _is_telling(value):
        return
    asking = {name: held for name, held in place.failed.call.arguments.items() if _is_telling(held)}
    # What is left of the argument after a number of this turn is taken away.
    less = _subtract(place.old, value)
    differences: list[Given] = []
    for made in _list_latest(place):
        # Which argument of the failing call the earlier one was about, if it was about one.
        about = next((name for name, held in asking.items() if _is_among(held, made)), None)
        asked = {} if about is None else {"asked": about}
        result = parse_result(made.result)
        for where, of in (("result", result), ("arguments", made.arguments)):
            for given in _locate_value(value, of):
                yield {"tool": made.tool, "in": where, **given, **asked}
        left = _locate_value(less, result) if less and less is not NOTHING else ()
        taken = {"tool": made.tool, "in": "result", "less": True}
        differences += [{**taken, **given} for given in left if given["key"]]
    # A value of this turn ends in one of the call's: what stands before it, as a folder does.
    names = place.failed.call.arguments
    holders = ({"holds": name, "sign": sign} for name in names for sign in HOLDING)
    yield from (given for given in holders if is_same(_find_holder(given, place), value))
    yield from differences
    yield from _explain_said(value, place)


def _make(given: Given, place: ArgumentPlace) -> object:
    if "holds" in given:
        return _find_holder(given, place)
    if "said" in given:
        return find_named_by_person(given, place)
    if "like" in given:
        return _find_alike(str(given["like"]), place)
    found = (_pick(held, given) for held in _list_held(given, place))
    value = next((each for each in found if each is not NOTHING), NOTHING)
    return _subtract(place.old, value) if given.get("less") and value is not NOTHING else value


def _list_held(given: Given, place: ArgumentPlace) -> Iterator[object]:
    """Arguments and results of the calls that a transformation reads, latest first."""
    name = given.get("asked")
    value = place.failed.call.arguments.get(str(name), NOTHING)
    for made in _list_latest(place):
        if made.tool == given.get("tool") and (name is None or _is_among(value, made)):
            yield made.arguments if given.get("in") == "arguments" else parse_result(made.result)


def _is_among(value: object, made: Earlier) -> bool:
    """Whether a call was given a value."""
    return any(is_same(value, each) for each in made.arguments.values())


def list_choices(given: Given, place: ArgumentPlace) -> list[object]:
    """The different values that the transformation would choose from."""
    for held in _list_held(given, place):
        leaves = list_leaves(held, most=MOST_VALUES)
        found = [each for path, each in leaves if find_key(path) == given.get("key")]
        if found or given.get("key") == "":
            return [each for at, each in enumerate(found) if each not in found[:at]]
    return []


def _list_latest(place: ArgumentPlace) -> list[Earlier]:
    """The successful calls of the turn, latest first."""
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
        # A whole number of a result may stand as text in the call.
        if path and (is_same(each, value) or (type(each) is int and str(each) == value))
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
    quoted = [found[found.lastindex or 0] for found in QUOTED.finditer(text)]
    return {
        "number": [parse_numeral(found.group()) for found in _NUMBER.finditer(text)][:_MOST_STATED],
        "quoted": list(quoted)[:_MOST_STATED],
        "list": [_split_names(found[1]) for found in _LIST.finditer(text)][:_MOST_STATED],
        "word": [found.group().rstrip(".!?") for found in _WORD.finditer(text)][:100],
    }


def _split_names(text: str) -> list[object]:
    words = (
        word.strip("'\" ")
        for word in re.split(r"(?:(?<!\s)\s++)?+,\s*+(?:and |or )?|(?<!\s)\s++(?:and|or)\s++", text)
    )
    return [word for word in words if word]


def _explain_stated(value: object, place: ArgumentPlace) -> Iterator[Given]:
    for what, stated in parse_stated(place.failed.error).items():
        # A single word of an error is a value only if words of prose do not look like it.
        word = isinstance(value, str) and any(sign.isdigit() or sign in "_#@/" for sign in value)
        if what == "word" and not word:
            continue
        for at, each in enumerate(stated):
            if is_same(each, value):
                yield {"what": what, "at": at}
                break


def _make_stated(given: Given, place: ArgumentPlace) -> object:
    stated = parse_stated(place.failed.error).get(str(given.get("what")), [])
    at = given.get("at")
    return stated[at] if isinstance(at, int) and -len(stated) <= at < len(stated) else NOTHING


WAYS: Mapping[How, Way] = {
    **RESHAPING,
    How.FROM_ARGUMENT: FROM_ARGUMENT,
    How.FROM_ERROR: Way(_explain_stated, _make_stated),
    How.CONSTANT: CONSTANT,
    How.FROM_TURN: Way(_explain, _make),
}

OPEN = Way(lambda _value, _place: iter(()), find_named_by_person)
"""A value that cannot be explained otherwise may be the one the person stated by name."""

_MOST_WAYS = 6
"""Transformations of one value that are kept."""


def find_ways(value: object, place: ArgumentPlace) -> list[Transformation]:
    """How a value can have been made, simplest first; each transformation reproduces it."""
    found: list[Transformation] = []
    ways = ((how, given) for how, way in WAYS.items() for given in way.explain(value, place))
    for how, given in ways:
        made = Transformation(argument=place.argument, how=how, given=given)
        if made not in found and is_same(make(made, place), value):
            found.append(made)
        if len(found) == _MOST_WAYS:
            break
    return found


def make(made: Transformation, place: ArgumentPlace) -> object:
    """The value made from the current call; `NOTHING` where that is impossible."""
    way = OPEN if made.how is How.OPEN else WAYS.get(made.how)
    return NOTHING if way is None else way.make(made.given, place)
