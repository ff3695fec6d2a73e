"""When and where something was said: what every reading starts from."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, tzinfo

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.reading import Grain, Reading
from mulligan.core.runtime.dataclass import dataclass

_DAY = timedelta(days=1)
_MIDNIGHT = time()


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Now, as the person's own clock shows it."""

    now: datetime
    """Naive."""
    zone: tzinfo | None = None
    """`None`: not known, and then what is told in another zone has no meaning."""
    country: str | None = None
    """Whose holidays are meant, as two letters."""

    @property
    def today(self) -> date:
        """The person's date."""
        return self.now.date()


def make_day(day: date, *rests_on: Convention) -> Reading:
    """A day from midnight to midnight."""
    start = make_midnight(day)
    return Reading(start=start, end=start + _DAY, grain=Grain.DAY, rests_on=frozenset(rests_on))


def make_span(
    start: date | datetime, end: date | datetime, *rests_on: Convention, grain: Grain = Grain.SPAN
) -> Reading:
    """A stretch of time up to but without its end."""
    return Reading(
        start=make_midnight(start),
        end=make_midnight(end),
        grain=grain,
        rests_on=frozenset(rests_on),
    )


def make_instant(at: datetime, *rests_on: Convention) -> Reading:
    """One moment."""
    return Reading(start=at, end=at, grain=Grain.SECOND, rests_on=frozenset(rests_on))


def limit_reading(reading: Reading, at: Moment, *, side: int) -> Reading:
    """All that is nearer to now than a reading, if `side` is -1; if it is 1, all beyond it."""
    past = reading.start <= at.now
    if side > 0:
        far = make_midnight(date.min if past else date.max)
        start, end = (far, reading.end) if past else (reading.start, far)
    else:
        start, end = (reading.start, at.now) if past else (at.now, reading.end)
    return Reading(start=start, end=end, grain=Grain.SPAN, rests_on=reading.rests_on)


def make_midnight(day: date | datetime) -> datetime:
    """The moment a day begins; a moment stays what it is."""
    return day if isinstance(day, datetime) else datetime.combine(day, _MIDNIGHT)
