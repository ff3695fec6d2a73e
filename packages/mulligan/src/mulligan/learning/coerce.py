"""Converts a value to another type, unit or format where the meaning stays the same.

A correction made of a call's own values can still be another call: letters in front of an id make
another id, a dropped argument widens the request, a wildcard matches everything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, datetime, time
from fractions import Fraction
from typing import Any, NamedTuple

from mulligan.learning.closeness import NEGATING, match_name, match_spelling, pick_only
from mulligan.learning.parsing import GarbledError, list_expressions, read_whole
from mulligan.learning.protected_fields import says_same
from mulligan.types.lesson import Kind
from mulligan_dates.text import fold_name, is_number, split_name, split_words

TRUE = frozenset({"true", "yes", "on"})
FALSE = frozenset({"false", "no", "off"})

_WHOLE = re.compile(r"[+-]?\d{1,18}(?:\.0+)?|[+-]?\d{1,3}(?:,\d{3}){1,5}")
_NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_TWO_NUMBERS = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
"""`1.000` is one or a thousand, depending on the locale."""

NOTHING = object()
"""No value, where `None` is one: the answer of a transformation that does not apply."""


_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "array": (list, tuple), "object": (dict,),
    "null": (type(None),),
}  # fmt: skip


def has_type(value: object, wanted: str) -> bool:
    """Whether a value is of a JSON type already."""
    if wanted == "integer":
        return is_number(value) and (isinstance(value, int) or value.is_integer())
    if wanted == "number":
        return is_number(value)
    return wanted not in _TYPES or isinstance(value, _TYPES[wanted])


def may_be_two(text: str) -> bool:
    """Whether a number that came as text can be read as two different ones."""
    return _TWO_NUMBERS.fullmatch(text.strip()) is not None


def coerce(value: object, wanted: str) -> object:
    """The value in the type that is wanted, or `NOTHING`."""
    if isinstance(value, list) and len(value) == 1 and wanted in ("string", "integer", "number"):
        return value[0] if has_type(value[0], wanted) else coerce(value[0], wanted)
    match wanted:
        case "string":
            return _as_text(value)
        case "integer":
            return _as_whole(value)
        case "number":
            return _as_number(value)
        case "boolean":
            return _as_boolean(value)
        case "array" | "object":
            return _as_structure(value, wanted)
        case _:
            return NOTHING


def _as_text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) < 10**18:
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() and abs(value) < 10**15 else repr(value)
    return NOTHING


def _as_whole(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(float(value.replace(",", ""))) if "." in value else int(value.replace(",", ""))
    return NOTHING


def _as_number(value: object) -> object:
    if not isinstance(value, str):
        return NOTHING
    text = value.strip()
    if _WHOLE.fullmatch(text):
        return _as_whole(text)
    if _NUMBER.fullmatch(text) or _GROUPED.fullmatch(text):
        number = float(text.replace(",", ""))
        return number if math.isfinite(number) else NOTHING
    return NOTHING


def _as_boolean(value: object) -> object:
    if type(value) is int and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.strip().casefold() in TRUE | FALSE:
        return value.strip().casefold() in TRUE
    return NOTHING


def _as_structure(value: object, wanted: str) -> object:
    found = from_text(value) if isinstance(value, str) else NOTHING
    if has_type(found, wanted):
        return found
    several = isinstance(value, str) and any(sign in value for sign in ",;\n")
    alone = found is NOTHING and not isinstance(value, dict | list) and not several
    return [value] if wanted == "array" and alone else NOTHING


def from_text(text: str) -> object:
    """A list or an object that came as text, or `NOTHING`."""
    if text.lstrip()[:1] not in ("[", "{", "("):
        return NOTHING
    try:
        value = read_whole(text)
    except GarbledError:
        return NOTHING
    return value if isinstance(value, list | dict) and not list_expressions(value) else NOTHING


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR_FIRST = re.compile(r"(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})(?:[T ]00:00(?::00)?Z?)?")
_YEAR_LAST = re.compile(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})")
_MONTH_NAMED = re.compile(
    r"(?:(?P<d1>\d{1,2})(?:st|nd|rd|th)?[ .-]++)?(?P<m>[A-Za-z]{3,9})\.?"
    r"(?:[ -]*+(?P<d2>\d{1,2})(?!\d)(?:st|nd|rd|th)?,?)?[ ,-]++(?P<y>\d{4})"
)
_LITERAL_START = re.compile(r"\^([#@A-Za-z0-9_/:-]+)")

ORDERS = (
    "%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%m-%d-%Y", "%d-%m-%Y",
)  # fmt: skip
"""Ways to write a day, in `strftime` codes."""


def read_date(text: str) -> date | None:
    """The day that a text means; `None` when it is ambiguous or no day."""
    text = text.strip()
    if len(text) > 40:
        return None
    if found := _YEAR_FIRST.fullmatch(text):
        return _parse_day(found[1], found[2], found[3])
    if found := _YEAR_LAST.fullmatch(text):
        one = _parse_day(found[3], found[1], found[2])
        other = _parse_day(found[3], found[2], found[1])
        return one if other is None or one == other else other if one is None else None
    if (found := _MONTH_NAMED.fullmatch(text)) and (found["d1"] is None) != (found["d2"] is None):
        name = found["m"][:3].casefold()
        month = _MONTHS.index(name) + 1 if name in _MONTHS else 0
        return _parse_day(found["y"], str(month), found["d1"] or found["d2"])
    return None


def convert_format(text: str, wanted: str) -> str | None:
    """A text in one of JSON Schema's formats, or `None`."""
    if wanted == "date":
        day = read_date(text)
        return day.isoformat() if day else None
    said = read_moment(text) if wanted == "date-time" else None
    if said is None or said.clock is None or not said.zone:
        return None
    zone = said.zone if said.zone == "Z" else f"{said.zone[:3]}:{said.zone[-2:]}"
    return f"{said.day}T{said.clock.isoformat()}{zone}"


def list_variants(text: str, pattern: str) -> set[str]:
    """The plain variants of a text that a pattern may want: trimmed, another case, a prefix."""
    trimmed = text.strip().strip("'\"`")
    forms = {trimmed, trimmed.upper(), trimmed.lower(), re.sub(r"[\s-]", "", trimmed)}
    start = _LITERAL_START.match(pattern)
    if start:
        forms |= {start[1] + form for form in forms}
    return forms - {text}


def _parse_day(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


_DIRECTIVE = r"%[YymdHIMSfzp]"
_PART = "(?:YYYY|MM|DD)"
STATED = (
    rf"(?-i:{_DIRECTIVE}(?:[-/.:,T ]{{0,2}}{_DIRECTIVE})++Z?+)"
    rf"|\b{_PART}[-/.]{_PART}[-/.]{_PART}(?:[T ]HH:MM(?::SS)?+Z?+)?+"
    r"|\bHH:MM(?::SS)?+"
)
"""A date format inside a sentence; documentation formats in any case."""

PATTERNS: Mapping[str, str] = {
    "Y": r"\d{4}", "y": r"\d{2}", "m": r"\d{2}", "d": r"\d{2}", "H": r"\d{2}", "I": r"\d{2}",
    "M": r"\d{2}", "S": r"\d{2}", "f": r"\d{1,6}", "z": r"[+-]\d{2}:?\d{2}", "p": "[AaPp][Mm]",
}  # fmt: skip
_LONGEST_MOMENT = 60

_STATED = re.compile(STATED, re.IGNORECASE)
_STATED_MOMENT = re.compile(
    r"(?P<day>[^T:]{6,30}?)(?:(?:T| at |,? )(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:\.(?P<part>\d{1,6}))?)?)? ?(?P<zone>Z|[+-]\d{2}:?\d{2})?"
)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_UTC = frozenset({"Z", "+00:00", "+0000", "-00:00", "-0000"})


class StatedMoment(NamedTuple):
    """The date and time in a text, and which parts it states."""

    day: date
    clock: time | None
    zone: str


def find_form(text: str) -> str | None:
    """The only date format that a text states, in `strptime` codes; `None`: none, or several."""
    named = {_translate(found[0]) for found in _STATED.finditer(text[:2_000])}
    return named.pop() if len(named) == 1 else None


def format_moment(text: str, form: str) -> str | None:
    """The same time in another format; `None` where something would be lost or invented."""
    if "%d" not in form:
        return _format_clock(text, form)
    said = read_moment(text)
    if said is None or not _can_say(said, form):
        return None
    return datetime.combine(said.day, said.clock or time()).strftime(form)


def read_moment(text: str) -> StatedMoment | None:
    """The time that a text means; a clock time and a zone only where it states them."""
    text = text.strip()
    found = _STATED_MOMENT.fullmatch(text) if len(text) <= _LONGEST_MOMENT else None
    day = read_date(found["day"]) if found else read_date(text)
    if found is None or day is None:
        return None if day is None else StatedMoment(day, None, "")
    part = (found["part"] or "").ljust(6, "0")
    numbers = (found["hour"] or 0, found["minute"] or 0, found["second"] or 0, part)
    hour, minute, second, micro = map(int, numbers)
    try:
        clock = time(hour, minute, second, micro) if found["hour"] else None
    except ValueError:
        return None
    return StatedMoment(day, clock, found["zone"] or "")


def build_pattern(form: str) -> str:
    """A regular expression for a date format; empty if it has unknown parts."""
    parts = re.split(r"%(.)", form)
    if any(name not in PATTERNS for name in parts[1::2]):
        return ""
    # Not `re.escape`: the expressions of schemas know no escape before a blank.
    plain = (each.replace(".", "\\.") for each in parts[::2])
    named = (*(PATTERNS[each] for each in parts[1::2]), "")
    return "^" + "".join(f"{before}{part}" for before, part in zip(plain, named, strict=True)) + "$"


def drops_zone(before: str, after: str) -> bool:
    """Whether the zone was dropped, which may make it another time."""
    said, now = read_moment(before), read_moment(after)
    return bool(said and said.zone and (now is None or not now.zone))


def _can_say(said: StatedMoment, form: str) -> bool:
    """Whether a format has exactly the parts that were stated."""
    clock = said.clock
    if said.zone:
        fits = said.zone in _UTC and "%z" not in form
    else:
        fits = "%z" not in form and not form.endswith("Z")
    if "%H" not in form:
        return fits and "%I" not in form and clock in (None, time())
    if clock is None:
        return False
    return fits and ("%S" in form or not clock.second) and ("%f" in form or not clock.microsecond)


def _format_clock(text: str, form: str) -> str | None:
    found = _CLOCK.fullmatch(text.strip()[:_LONGEST_MOMENT])
    if found is None or form not in ("%H:%M", "%H:%M:%S") or int(found[1]) > 23:
        return None
    if form == "%H:%M":
        return f"{int(found[1]):02}:{found[2]}" if found[3] in (None, "00") else None
    return f"{int(found[1]):02}:{found[2]}:{found[3] or '00'}"


def _translate(words: str) -> str:
    """A form of documentation in the signs of `strptime`."""
    if "%" in words:
        return words
    at = words.upper().find("HH")
    day, clock = (words, "") if at < 0 else (words[:at], words[at:])
    day = day.upper().replace("YYYY", "%Y").replace("MM", "%m").replace("DD", "%d")
    clock = clock.upper().replace("HH", "%H").replace("MM", "%M").replace("SS", "%S")
    return f"{day}{clock}"


UNIT_KEY = "x-mulligan-unit"
"""The schema keyword for a number's unit, in tightened schemas."""

_DURATIONS: dict[str, Fraction | int] = {
    "millisecond": Fraction(1, 1000), "ms": Fraction(1, 1000), "msec": Fraction(1, 1000),
    "second": 1, "sec": 1, "s": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600, "h": 3600,
    "day": 86_400, "d": 86_400, "week": 604_800,
}  # fmt: skip
_SIZES: dict[str, Fraction | int] = {
    "byte": 1, "b": 1, "kb": 1_000, "kilobyte": 1_000, "mb": 10**6, "megabyte": 10**6,
    "gb": 10**9, "gigabyte": 10**9, "kib": 1_024, "mib": 1_024**2, "gib": 1_024**3,
}  # fmt: skip
_LENGTHS: dict[str, Fraction | int] = {
    "millimetre": Fraction(1, 1000), "millimeter": Fraction(1, 1000), "mm": Fraction(1, 1000),
    "centimetre": Fraction(1, 100), "centimeter": Fraction(1, 100), "cm": Fraction(1, 100),
    "metre": 1, "meter": 1, "m": 1, "kilometre": 1_000, "kilometer": 1_000, "km": 1_000,
}  # fmt: skip
KINDS: tuple[Mapping[str, Fraction | int], ...] = (_DURATIONS, _SIZES, _LENGTHS)
"""Units by dimension, each with its factor to the base unit."""

NAMES = "|".join(sorted({f"{name}s?" for kind in KINDS for name in kind if len(name) > 3}))
"""Units as a sentence spells them out."""

_AMOUNT = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?([A-Za-z]{1,12})")


def convert_unit(text: str, unit: str) -> int | float | None:
    """An amount converted to a unit; `None` if it states no unit, or one of another dimension."""
    found = _AMOUNT.fullmatch(text.strip()[:30])
    if found is None:
        return None
    wanted, given = _strip_plural(unit), _strip_plural(found[2])
    kind = next((each for each in KINDS if wanted in each and given in each), None)
    if kind is None:
        return None
    amount = Fraction(found[1]) * kind[given] / kind[wanted]
    return int(amount) if amount.denominator == 1 else float(amount)


def _strip_plural(unit: str) -> str:
    low = unit.casefold()
    known = any(low in kind for kind in KINDS)
    return low if known else low.removesuffix("s")


LONGEST_TEXT = 500
"""Longer texts are prose, not codes: they are never reformatted."""

Coerced = tuple[object, Kind] | None
"""A converted value and what was changed, or nothing."""

Accepts = Callable[[object], bool]
"""Whether a part of the schema accepts a value."""


def list_types(part: dict[str, Any]) -> tuple[str, ...]:
    """The types a part of a schema allows; none named means any."""
    named = part.get("type")
    return (named,) if isinstance(named, str) else tuple(named or ())


def coerce_value(value: object, part: dict[str, Any], *, accepts: Accepts) -> Coerced:
    """The first simple change after which the schema accepts the value."""
    unit = part.get(UNIT_KEY)
    amount = convert_unit(value, unit) if isinstance(value, str) and isinstance(unit, str) else None
    if amount is not None and accepts(amount):
        return amount, Kind.REFORMAT
    for step in (_coerce_value, _match_enum, _reformat_value, _clamp_value):
        fitting = [(found, kind) for found, kind in step(value, part) if accepts(found)]
        if len({repr(found) for found, _ in fitting}) == 1:
            return fitting[0]
    return None


def _coerce_value(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    wanted = list_types(part)
    if any(has_type(value, each) for each in wanted):
        return
    for each in wanted:
        found = coerce(value, each)
        if found is NOTHING:
            continue
        yield found, Kind.COERCE
        yield from _match_enum(found, part)
        yield from _clamp_value(found, part)


def _match_enum(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    domain = part.get("enum")
    if not isinstance(domain, list) or not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return
    words = {str(each): each for each in domain if isinstance(each, str | int | float)}
    same = match_spelling(value, words)
    if same is not None:
        yield words[same], Kind.ENUM
        return
    mine = set(split_name(value))
    if mine & NEGATING:
        return
    inside = pick_only(each for each in words if split_name(each) and set(split_name(each)) <= mine)
    if inside is not None:
        yield words[inside], Kind.OTHER


def _reformat_value(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return
    if isinstance(part.get("format"), str):
        found = convert_format(value, part["format"])
        if found is not None:
            yield found, Kind.REFORMAT
    if isinstance(part.get("pattern"), str):
        form = find_form(str(part.get("description", "")))
        dated = format_moment(value, form) if form else None
        forms = {dated} if dated else list_variants(value, part["pattern"])
        yield from ((each, Kind.REFORMAT) for each in sorted(forms) if fold_name(each))


def _clamp_value(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    if not is_number(value) or not math.isfinite(value):
        return
    low, high = part.get("minimum"), part.get("maximum")
    if isinstance(low, int | float) and value < low:
        yield low, Kind.CLAMP
    if isinstance(high, int | float) and value > high:
        yield high, Kind.CLAMP


ADDED = frozenset({"", "#"})
"""Signs that may be put around a value without changing it. Any other could make another path,
command or person: `../plans`, `plans';--`, `@plans`, `//plans`."""
DROPPED = frozenset("#\"'`") | {"", " ", "./"}
"""Signs that may be removed from around it."""
JOINTS = frozenset(" _-")
"""Interchangeable separators between words; between digits none are."""

_WORDS = re.compile(r"[^\W_]+")
_WRITTEN_NUMBER = re.compile(r"\s*[-+]?[\d.,]+\s*")
NOTHING_SAID: tuple[object, ...] = (None, "", [], {})
"""Empty values: a call without them asks for the same."""


def changes_only_form(
    before: Mapping[str, object],
    after: Mapping[str, object],
    *,
    defaults: Mapping[str, object],
) -> bool:
    """Whether each value is still there and means the same, under its name in some spelling.

    Empty values and the tool's own `defaults` may be left out.
    """
    gone = [name for name in before if name not in after]
    moved = {
        name: _find_origin(name, after[name], before=before, gone=gone)
        for name in after
        if name not in before
    }
    lost = [name for name in gone if name not in moved.values()]
    kept = all(is_same_in_form(before[name], after[name]) for name in after if name in before)
    return (
        kept
        and None not in moved.values()
        and all(
            before[name] in NOTHING_SAID or repr(defaults.get(name, ...)) == repr(before[name])
            for name in lost
        )
    )


def is_same_in_form(old: object, new: object) -> bool:
    """Whether two values differ only in type, case, date format or the signs around them."""
    if repr(old) == repr(new):
        return True
    if not (isinstance(old, str) and isinstance(new, str)):
        return _says_same_in_parts(old, new)
    if (day := read_date(old)) is not None:
        return day == read_date(new)
    if _WRITTEN_NUMBER.fullmatch(old) and _WRITTEN_NUMBER.fullmatch(new):
        return says_same(old, new)
    return split_words(old) == split_words(new) != [] and _differs_in_form(old, new)


def _says_same_in_parts(old: object, new: object) -> bool:
    """Whether one is the other in another type, or a list of it."""
    if isinstance(new, list) and not isinstance(old, list):
        return len(new) == 1 and is_same_in_form(old, new[0])
    if isinstance(old, list) and not isinstance(new, list):
        return len(old) == 1 and is_same_in_form(old[0], new)
    if isinstance(old, list) and isinstance(new, list):
        alike = zip(old, new, strict=False)
        return len(old) == len(new) and all(is_same_in_form(*pair) for pair in alike)
    return says_same(old, new)


def _differs_in_form(old: str, new: str) -> bool:
    """Whether the signs around and between the words of two texts mean the same."""
    before, after = _WORDS.split(old), _WORDS.split(new)
    ends = zip((before[0], before[-1]), (after[0], after[-1]), strict=True)
    around = all(one == other or (other in ADDED and one in DROPPED) for one, other in ends)
    figures = all(word.isdigit() for word in split_words(old))
    joints = zip(before[1:-1], after[1:-1], strict=True)
    return around and all(
        one == other or (not figures and {one, other} <= JOINTS) for one, other in joints
    )


def _find_origin(
    name: str, value: object, *, before: Mapping[str, object], gone: Collection[str]
) -> str | None:
    """The name that a value had before, if it is the same in another spelling."""
    old = match_name(name, gone)
    return old if old is not None and is_same_in_form(before[old], value) else None
