"""What a phrase means as a whole: its days, with its time of day put on them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from mulligan.checks.dates.grammar.phrases import Phrase
from mulligan.checks.dates.grammar.stretches import Spoken, Stretch
from mulligan.checks.dates.meaning.arithmetic import add
from mulligan.checks.dates.meaning.dated import extend_readings, resolve_dated, shift_reading
from mulligan.checks.dates.meaning.spans import OFFSETS, resolve_span
from mulligan.checks.dates.meaning.times import resolve_clock, with_clock, with_part
from mulligan.checks.dates.moment import Moment, make_day, make_instant, make_span
from mulligan.checks.dates.parts import (
    Amount,
    AnyPart,
    Clock,
    Dated,
    Edge,
    Lasting,
    Midnight,
    Month,
    Part,
    Period,
    Quarter,
    Shift,
    ThisTime,
    WeekdayFrom,
    Within,
    Year,
    YearOrTime,
    Zone,
)
from mulligan.checks.dates.reading import Reading
from mulligan.checks.dates.zones import convert_zone
from mulligan.checks.language.senses import Limit, Side, Unit

TIMED = (Clock, Midnight, ThisTime, Part, Zone)
Parts = tuple[AnyPart, ...]
_UNDATED = (*TIMED, Lasting)
_CYCLES = {Unit.WEEK: Amount(days=7), Unit.MONTH: Amount(months=1), Unit.YEAR: Amount(months=12)}
"""What comes back to the same day."""


def is_dated(found: Spoken) -> bool:
    """Whether the words say a day, and not only a time of it."""
    return any(not isinstance(part, _UNDATED) for part in found.parts)


def is_vague(found: Spoken) -> bool:
    """Whether the words leave open how much."""
    return any(isinstance(part, Shift | Within) and part.amount.vague for part in found.parts)


def find_anchor(found: Spoken) -> Phrase | None:
    """What a phrase is reckoned from: the tomorrow of "a week from tomorrow"."""
    if isinstance(found, Stretch):
        return None
    rest = tuple(part for part in found.parts if not _leans(part))
    return replace(found, parts=rest, limit=None) if 0 < len(rest) < len(found.parts) else None


def _leans(part: AnyPart) -> bool:
    """Whether a part is reckoned from what follows it."""
    return isinstance(part, WeekdayFrom) or (isinstance(part, Shift) and part.anchored)


def resolve_phrase(phrase: Phrase, at: Moment) -> list[Reading]:
    """Everything a phrase can mean, with the limit that it stands under."""
    readings = resolve_parts(phrase.parts, at)
    if phrase.limit is None:
        return readings
    match phrase.limit:
        case Limit.SINCE:
            today = make_day(at.today).end
            return [make_span(each.start, today) for each in readings if each.start <= at.now]
        case Limit.UNTIL:
            ends = [each.end for each in readings] or _find_ends(phrase.parts, at)
            return [make_span(at.now, end) for end in ends if end >= at.now] + readings
        case Limit.BEFORE | Limit.AFTER if not any(isinstance(p, Clock) for p in phrase.parts):
            return []
        case _:
            return readings


def _find_ends(parts: Parts, at: Moment) -> list[datetime]:
    """By the end of the month: how long that end lasts does not matter then."""
    match parts:
        case (Edge(side=Side.END), Period() | Month() | Year() | Quarter() as stretch):
            return [each.end for each in resolve_span(stretch, at)]
        case _:
            return []


def resolve_parts(parts: Parts, at: Moment) -> list[Reading]:
    """The days of the parts, with the time of day put on them."""
    open_ = next((part for part in parts if isinstance(part, YearOrTime)), None)
    if open_ is not None:
        rest = tuple(part for part in parts if part is not open_)
        time = Clock(*divmod(open_.figures, 100), whole_day=True)
        return [
            *resolve_parts((*rest, Year(open_.figures)), at),
            *resolve_parts((*rest, time), at),
        ]
    dated: list[Dated] = [part for part in parts if not isinstance(part, TIMED)]
    if len(dated) == len(parts):
        return resolve_dated(dated, at) if dated else []
    clock = next((part for part in parts if isinstance(part, Clock | Midnight)), None)
    part = next((part.name for part in parts if isinstance(part, Part)), None)
    zone = next((part for part in parts if isinstance(part, Zone)), None)
    lasting = next((part for part in dated if isinstance(part, Lasting)), None)
    if lasting is not None and clock is not None:
        rest = tuple(part for part in parts if part is not lasting)
        return extend_readings(resolve_parts(rest, at), lasting)
    moved = next((p for p in dated if isinstance(p, Shift) and p.anchored), None)
    if clock is not None and moved is not None and moved.amount.seconds:
        # Two hours before noon, two hours after 5pm tomorrow.
        told = resolve_parts(tuple(part for part in parts if part is not moved), at)
        return [each for reading in told if (each := shift_reading(reading, moved))]
    if any(isinstance(part, ThisTime) for part in parts):
        return _resolve_this_time(dated, at)
    match dated:
        case []:
            readings = resolve_clock(clock, at, part=part) if clock else []
        case [Shift(anchored=True)] if clock:
            readings = []
        case _:
            readings = resolve_dated(dated, at)
            if clock is not None:
                readings = with_clock(readings, clock, part=part)
            elif part is not None:
                readings = with_part(readings, part)
    return convert_zone(readings, at, minutes=zone.minutes) if zone else readings


def _resolve_this_time(dated: list[Dated], at: Moment) -> list[Reading]:
    """This time tomorrow, this time next week: the same day of that week as today."""
    match dated:
        case [Period(unit=unit, which=which)] if unit in _CYCLES:
            moved = add(at.now, _CYCLES[unit], sign=OFFSETS[which])
            return [make_instant(moved)] if moved else []
        case _:
            clock = Clock(at.now.hour, at.now.minute, at.now.second, whole_day=True)
            return with_clock(resolve_dated(dated, at), clock, part=None)
