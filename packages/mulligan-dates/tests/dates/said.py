"""What phrases mean, said on Wednesday 2025-10-22 at 10:15 unless a test says otherwise."""

from __future__ import annotations

from datetime import datetime

from mulligan_dates.reader import find_meaning
from mulligan_dates.readings import Grain, Moment, Pins, choose_pins

NOW = datetime(2025, 10, 22, 10, 15)
AMERICAN = choose_pins("en-US")


def moment(now: datetime = NOW) -> Moment:
    return Moment(now=now)


def days(phrase: str, now: datetime = NOW, pins: Pins = AMERICAN) -> list[str]:
    """The days a phrase can mean, each as it starts."""
    found = find_meaning(phrase, moment(now), pins=pins)
    return sorted({str(each.start.date()) for each in found.readings})


def moments(phrase: str, now: datetime = NOW, pins: Pins = AMERICAN) -> list[str]:
    found = find_meaning(phrase, moment(now), pins=pins)
    exact = (Grain.SECOND, Grain.MINUTE)
    return sorted(each.start.isoformat(" ") for each in found.readings if each.grain in exact)
