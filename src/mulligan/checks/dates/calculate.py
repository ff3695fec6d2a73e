"""The resolver as a plain function with plain data, for agents that want to ask first."""

from __future__ import annotations

from datetime import datetime, time, tzinfo
from typing import Any

from mulligan.checks.dates.conventions import NO_PINS, Pins
from mulligan.checks.dates.moment import Moment
from mulligan.checks.dates.reading import Grain, Reading
from mulligan.checks.dates.resolve import find_meaning
from mulligan.checks.dates.telling import describe_reading, rank_readings
from mulligan.checks.dates.zones import list_instants
from mulligan.checks.language.zones import find_zone, on_clock_of
from mulligan.core.storage.instants import require_aware

_KINDS = {
    Grain.SECOND: "moment",
    Grain.MINUTE: "moment",
    Grain.PART: "part of day",
    Grain.DAY: "day",
    Grain.SPAN: "span",
}


def calculate_datetime(
    phrase: str,
    now: datetime,
    *,
    timezone: str,
    country: str | None = None,
    pins: Pins = NO_PINS,
) -> dict[str, Any]:
    """Everything a phrase can mean, said at `now` in an IANA zone, as data that JSON can hold.

    `known` is false, with the reason in `why`, when the zone or the phrase is not understood.
    """
    require_aware(now, name="now")
    zone = find_zone(timezone)
    wall = on_clock_of(zone, now) if zone else None
    if zone is None or wall is None:
        return _build_unknown(phrase, f"{timezone!r} is not an IANA zone such as 'Europe/Vienna'.")
    at = Moment(now=wall, zone=zone, country=country)
    found = find_meaning(phrase, at, pins=pins)
    if not found.readings:
        return _build_unknown(
            phrase, "Not all of it is understood: ask the person which date is meant."
        )
    ranked = rank_readings(found.readings, today=at.today)
    readings = [told for each in ranked for told in _encode_reading(each, zone)]
    said = wall.replace(microsecond=0).isoformat(sep=" ")
    return {
        "phrase": phrase,
        "known": True,
        "now": f"{wall:%A} {said}",
        "vague": found.vague,
        "readings": readings,
    }


def _build_unknown(phrase: str, why: str) -> dict[str, Any]:
    return {"phrase": phrase, "known": False, "why": why, "readings": []}


def _encode_reading(reading: Reading, zone: tzinfo) -> list[dict[str, Any]]:
    """A reading as data; one that the clocks show twice is two."""
    plain = {
        "kind": _KINDS[reading.grain],
        "weekday": f"{reading.start:%A}",
        "told": describe_reading(reading),
    }
    rests_on = sorted(reading.rests_on)
    if reading.grain > Grain.MINUTE:
        whole = reading.start.time() == reading.end.time() == time()
        start, end = (
            (each.date() if whole else each).isoformat() for each in (reading.start, reading.end)
        )
        return [{**plain, "start": start, "end": end, "rests_on": rests_on}]
    return [
        {
            **plain,
            "start": moment.isoformat(),
            "end": moment.isoformat(),
            "rests_on": rests_on + ([convention] if convention else []),
        }
        for moment, convention in list_instants(reading.start, zone)
    ]
