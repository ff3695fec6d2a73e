"""Whether the dates of a call lie in what expressions can mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from mulligan.checks.dates.arguments import Dated
from mulligan.checks.dates.moment import make_midnight
from mulligan.checks.dates.reading import Expression, Grain, Reading

_LONGEST = timedelta(days=1)
"""How long after its start an event's end is still the same event's."""
_LATELY = timedelta(days=60)
_FAR = timedelta(days=180)
_ENDS = ("start", "end")


def find_unsaid(given: Sequence[Dated], said: Sequence[Expression]) -> list[Dated]:
    """The dates of a call that no expression can mean."""
    readings = [reading for each in said for reading in _list_accepted(each)]
    meant = [each for each in given if any(_holds(reading, each) for reading in readings)]
    if not meant and any(_encloses(given, reading) for reading in readings):
        return []
    return [each for each in given if each not in meant and not _ends(each, meant, readings)]


def find_refused(given: Sequence[Dated], said: Sequence[Expression], *, today: date) -> list[Dated]:
    """The first date of a call, if it lies on a day that was ruled out, and nothing else says it.

    Not this Thursday: the one after it is another.
    """
    if not given or not all(each.known or each.refuses for each in said):
        return []
    first = min(given, key=lambda each: each.at)
    ruled_out = [_find_next(each.refuses, today) for each in said if each.refuses and each.dated]
    meant = [reading for each in said for reading in _list_accepted(each)]
    refused = any(_holds(each, first) for each in ruled_out if each)
    return [first] if refused and not any(_holds(each, first) for each in meant) else []


def _find_next(readings: Sequence[Reading], today: date) -> Reading | None:
    ahead = [each for each in readings if each.last_day >= today]
    return min(ahead, key=lambda each: each.start, default=None)


def find_bygone(given: Sequence[Dated], said: Sequence[Expression], *, today: date) -> list[Dated]:
    """The dates of a call that are over, where the words have a side that lies ahead.

    Nobody plans for last Friday; who speaks of the past may well mean it.
    """
    ahead = [e for e in said if not e.looks_back and not all(r.is_past_side for r in e.readings)]
    past = [each for each in given if max(each.days) < today]
    return [
        each
        for each in past
        if (held := _find_holding(each, said))
        and all(h in ahead and not _is_recent(each, h, today) for h in held)
    ]


def _is_recent(dated: Dated, said: Expression, today: date) -> bool:
    """A date of some days ago that comes back only in a year may well be the one that was."""
    if any(each.is_past_side and each.last_day >= today for each in said.readings):
        # It began some days ago, and is not over.
        return True
    to_come = [each.start.date() for each in said.readings if not each.is_past_side]
    far = bool(to_come) and min(to_come) - today >= _FAR
    return far and today - max(dated.days) <= _LATELY


def _find_holding(dated: Dated, said: Sequence[Expression]) -> list[Expression]:
    """The expressions that can mean a date, if they can only by a side that is over."""
    held = [e for e in said if any(_holds(reading, dated) for reading in _list_accepted(e))]
    sides = [r.is_past_side for e in held for r in _list_accepted(e) if _holds(r, dated)]
    return held if all(sides) else []


def find_misfit(given: Sequence[Dated], said: Sequence[Expression]) -> list[Dated]:
    """Of a call that goes on for days, the end that is none of a range that was told."""
    if len(given) != len(_ENDS) or not said or not all(each.ranged for each in said):
        return []
    first, last = sorted(given, key=lambda each: each.at)
    if last.at - first.at <= _LONGEST:
        return []
    readings = [reading for each in said for reading in each.readings]
    begun = [each for each in readings if each.start.date() in first.days]
    if any(last.days & {each.last_day, each.end.date()} for each in begun):
        return []
    return [last] if begun else [first]


def _list_accepted(said: Expression) -> tuple[Reading, ...]:
    """What an expression lets pass: its readings, and what it is reckoned from."""
    readings = (*said.readings, *said.mentions)
    if not said.open_start:
        return readings
    return tuple(replace(each, start=make_midnight(date.min)) for each in readings)


def _holds(reading: Reading, dated: Dated) -> bool:
    """Whether a date lies in a reading, or is the very moment it ends."""
    if dated.timed and dated.at == reading.end:
        return True
    days = [day for day in dated.days if reading.holds_day(day)]
    short = reading.grain in (Grain.PART, Grain.SPAN) and reading.end - reading.start < _LONGEST
    if not short or reading.start.date() in days:
        return bool(days)
    # Friday night goes on into Saturday, but not into Saturday evening.
    return bool(days) and dated.timed and dated.at < reading.end


def _ends(dated: Dated, meant: Sequence[Dated], readings: Sequence[Reading]) -> bool:
    """Whether a date is the end of what another one rightly starts.

    An end may lie on the next day, and a stretch of days is often given with the day after it.
    """
    return any(
        timedelta() <= dated.at - start.at <= _LONGEST
        or any(dated.at == each.end and _holds(each, start) for each in readings)
        for start in meant
    )


def _encloses(given: Sequence[Dated], reading: Reading) -> bool:
    """Whether a call's dates span a reading: somebody looks through a month for one day of it."""
    moments = [each.at for each in given]
    return len(moments) > 1 and min(moments) <= reading.start and reading.start <= max(moments)
