"""What phrases mean, said on Wednesday 2025-10-22 at 10:15 unless a test says otherwise."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from mulligan_dates import find, resolve
from mulligan_dates.reader import find_meaning
from mulligan_dates.readings import Grain, Moment, Pins, Reading, choose_pins

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


BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY_NOON = datetime(2026, 10, 28, 12, tzinfo=BERLIN)


def resolved(phrase: str, at: datetime = WEDNESDAY_NOON) -> list[str]:
    """What `resolve` answers where it was said, in its order: a day, a moment, or from and to."""
    return [show(each) for each in resolve(phrase, at=at, timezone=str(at.tzinfo))]


def found_in(message: str) -> dict[str, list[str]]:
    """What `find` answers in Berlin: the words it found, and what each can mean."""
    found = find(message, at=WEDNESDAY_NOON, timezone="Europe/Berlin")
    return {each.text: [show(reading) for reading in each.readings] for each in found}


def show(reading: Reading) -> str:
    start, end = (f"{each:%Y-%m-%d %H:%M}" for each in (reading.start, reading.end))
    if reading.grain is Grain.DAY:
        return start.removesuffix(" 00:00")
    return start if start == end else f"{start}/{end}"
