"""What our resolver answers to a phrase, as the suites compare it."""

from __future__ import annotations

from datetime import datetime

from bench.workers.phrases import Told, country_of
from mulligan_dates.reader import find_meaning
from mulligan_dates.readings import Grain, Moment, choose_pins

KINDS = {
    Grain.SECOND: "moment",
    Grain.MINUTE: "moment",
    Grain.PART: "day",
    Grain.DAY: "day",
    Grain.SPAN: "stretch",
}


def find_answers(text: str, at: datetime, locale: str = "") -> list[Told]:
    """Everything a phrase can mean."""
    moment = Moment(now=at, country=country_of(locale))
    found = find_meaning(text, moment, pins=choose_pins(locale), locale=locale or None)
    return [[KINDS[r.grain], r.start.isoformat(), r.end.isoformat()] for r in found.readings]
