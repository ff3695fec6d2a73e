"""A day that nobody told: the person said a time of day, and no day at all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from mulligan.checks.dates.arguments import Dated
from mulligan.checks.dates.moment import Moment
from mulligan.checks.dates.reading import Expression, Grain

_NEAR = timedelta(days=1)
_EXACT = (Grain.SECOND, Grain.MINUTE)


def find_untold(
    given: Sequence[Dated], said: Sequence[Expression], *, message: str, at: Moment
) -> list[Dated]:
    """The date of something new that lies on a day which nobody said.

    At seven is today, or tomorrow; whoever looks back may mean yesterday.
    """
    if not given or not _tells_time_alone(said) or _has_other_figures(message, said):
        return []
    first = min(given, key=lambda each: each.at)
    early = at.today - _NEAR
    near = any(early <= day <= at.today + _NEAR for day in first.days)
    return [first] if first.timed and not near else []


def _tells_time_alone(said: Sequence[Expression]) -> bool:
    """Whether all that was said of time are exact times of day, and no day."""
    return bool(said) and all(
        each.known and not each.dated and all(reading.grain in _EXACT for reading in each.readings)
        for each in said
    )


def _has_other_figures(message: str, said: Sequence[Expression]) -> bool:
    """Whether a number stands beside the times: it may be a day, in words nobody here knows."""
    edges = [0, *(edge for each in said for edge in (each.start, each.end)), len(message)]
    between = zip(edges[::2], edges[1::2], strict=True)
    return any(sign.isdigit() for start, end in between for sign in message[start:end])
