"""Mulligan's resolver. The data says no zone, so none is known here either."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from bench.workers.phrases import Told, country_of, serve_phrases
from mulligan.checks.dates.conventions import choose_pins
from mulligan.checks.dates.moment import Moment
from mulligan.checks.dates.reading import Grain
from mulligan.checks.dates.resolve import find_meaning

KINDS = {
    Grain.SECOND: "moment",
    Grain.MINUTE: "moment",
    Grain.PART: "day",
    Grain.DAY: "day",
    Grain.SPAN: "stretch",
}


def resolve(text: str, ref: datetime, locale: str) -> Iterable[Told]:
    at = Moment(now=ref, country=country_of(locale))
    for each in find_meaning(text, at, pins=choose_pins(locale)).readings:
        yield [KINDS[each.grain], each.start.isoformat(), each.end.isoformat()]


serve_phrases(resolve, packages=["mulligan"])
