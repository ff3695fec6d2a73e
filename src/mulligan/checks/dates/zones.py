"""Between the person's clock and the world's: zones, and the hours that clocks skip or repeat."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.moment import Moment
from mulligan.checks.dates.reading import Grain, Reading
from mulligan.checks.language.zones import on_clock_of


def list_instants(wall: datetime, zone: tzinfo) -> list[tuple[datetime, Convention | None]]:
    """When a clock shows that: once, twice where it goes back, and in a gap a little later."""
    first, second = (wall.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return [(first, None)]
    if _survives_round_trip(first, zone):
        return [(first, Convention.FOLD_FIRST), (second, Convention.FOLD_SECOND)]
    # Nobody's clock ever shows it; most take it for what it would have been without the jump.
    return [(first.astimezone(UTC).astimezone(zone), Convention.GAP_LATER)]


def convert_zone(readings: list[Reading], at: Moment, *, minutes: int) -> list[Reading]:
    """Moments told in a zone of the person's choice, on the person's own clock."""
    if at.zone is None:
        return []
    told = timezone(timedelta(minutes=minutes))
    moved = []
    for each in readings:
        if each.grain > Grain.MINUTE:
            continue
        wall = on_clock_of(at.zone, each.start.replace(tzinfo=told))
        if wall is not None:
            moved.append(replace(each, start=wall, end=wall))
    return moved


def _survives_round_trip(moment: datetime, zone: tzinfo) -> bool:
    return moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == moment.replace(
        tzinfo=None
    )
