"""What a judge may say of an attempt, and what an agent and a person get to read of it.

What it says in its fields is checked, and becomes a sentence of ours. Its prose may be that of
whoever wrote what it has read: it is a quote, and never what an agent is told to do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from mulligan.checks.facts.contradiction import CallFacts
from mulligan.checks.language.zones import parse_local_moment
from mulligan.checks.subject.values import list_texts
from mulligan.core.call import Execution
from mulligan.core.display.escape import quote_name
from mulligan.core.display.quoted import Ours, Quoted
from mulligan.core.finding import Severity
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.runtime.enums import set_enums
from mulligan.core.turn import Turn
from mulligan.learning.protected_fields import is_locked, stands_in

LONGEST_VALUE = 100
"""Characters of a value that a correction brings in: an id, a day, a name, and no sentence."""


class Area(StrEnum):
    """What a remark is about."""

    DATE = "date"
    TIME = "time"
    ID = "id"
    PLACE = "place"
    VALUE = "value"
    DUPLICATE = "duplicate"
    MISSING = "missing"
    PROCESS = "process"
    """The outcome is right, and the way to it was not good."""
    OTHER = "other"


_ABOUT: Mapping[Area, str] = {
    Area.DATE: "the date",
    Area.TIME: "the time",
    Area.ID: "the id",
    Area.PLACE: "the place",
    Area.VALUE: "a value",
    Area.DUPLICATE: "what was done twice",
    Area.MISSING: "what is missing",
    Area.PROCESS: "the way to it",
    Area.OTHER: "the outcome",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing a judge has to say about an attempt."""

    area: Area
    severity: Severity
    call: int | None = None
    """Its number, from 1; `None`: about the attempt as a whole."""
    issue: str
    correction: str | None = None
    """In its own words: held against the facts, and quoted."""
    argument: str | None = None
    """The argument of that call that is to be another."""
    value: str | None = None
    """What it is to be, as JSON."""

    def __post_init__(self) -> None:
        set_enums(self, area=Area, severity=Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a judge says of an attempt. Whether that is a rejection is not for it to say."""

    findings: tuple[Remark, ...]
    confirmed: bool
    """Every call was compared with the person's words, and the outcome is right."""


def describe_remark(remark: Remark, about: Sequence[Execution]) -> Ours:
    """What is objected to, in words of ours."""
    where = f" in {quote_name(about[0].call.tool)}" if remark.call is not None else ""
    named = remark.argument if _names_argument(remark, about) else None
    which = f", {quote_name(named)}" if named else ""
    return Ours(f"A judge objects to {_ABOUT[remark.area]}{where}{which}.")


def quote_remark(remark: Remark) -> Quoted | None:
    """A judge's own words; `None` where it has none."""
    said = " ".join(part for part in (remark.issue, remark.correction) if part and part.strip())
    return Quoted(said, "a judge") if said else None


def describe_correction(
    remark: Remark, about: Sequence[Execution], *, turn: Turn, known: CallFacts
) -> Ours | None:
    """The one thing that a judge may have an agent told: another value for an argument of a call.

    The value is the person's own, one that a tool returned whole, or a day that the facts allow;
    who, where and how much are changed by nothing but the person's words.
    """
    if not _names_argument(remark, about) or remark.argument is None or remark.value is None:
        return None
    value = _read_value(remark.value)
    if value is None or not value.strip() or len(value) > LONGEST_VALUE:
        return None
    said = stands_in((turn.message,), value)
    read = not is_locked((remark.argument,)) and _was_returned(value, about)
    if not (_is_day_meant(value, turn, known) if _is_date(value, turn) else said or read):
        return None
    return Ours(f"Use {value!r} for {quote_name(remark.argument)}.")


def _names_argument(remark: Remark, about: Sequence[Execution]) -> bool:
    return remark.call is not None and remark.argument in about[0].call.arguments


def _read_value(written: str) -> str | None:
    """A text or a number; models forget the quotes of JSON."""
    try:
        value = json.loads(written[: LONGEST_VALUE * 4])
    except (ValueError, RecursionError):
        return written
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return str(value) if plain else None


def _was_returned(value: str, about: Iterable[Execution]) -> bool:
    """Whether it is the whole of something that a tool returned, and one word."""
    if len(value.split()) > 1:
        return False
    return any(value == text for each in about for text in list_texts(each.result))


def _is_date(value: str, turn: Turn) -> bool:
    return parse_local_moment(value, zone=turn.timezone) is not None


def _is_day_meant(value: str, turn: Turn, known: CallFacts) -> bool:
    """A day that the person can have meant, where that was computed; else one they wrote down."""
    moment = parse_local_moment(value, zone=turn.timezone)
    if known.days_meant and moment is not None:
        return moment.date() in known.days_meant
    return stands_in((turn.message,), value)
