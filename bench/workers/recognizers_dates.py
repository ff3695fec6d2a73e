"""recognizers-text: every value of its first result, ranges too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from recognizers_date_time import recognize_datetime
from recognizers_text import Culture

from bench.workers.phrases import Told, moment, serve_phrases


def resolve(text: str, ref: datetime, locale: str) -> Iterable[Told]:  # noqa: ARG001
    for found in recognize_datetime(text, Culture.English, reference=ref)[:1]:
        for value in (found.resolution or {}).get("values", ()):
            yield from _told(value, ref)


def _told(value: Mapping[str, str], ref: datetime) -> Iterable[Told]:
    match value:
        case {"start": start, "end": end}:
            yield ["stretch", *(_moment(each, ref).isoformat() for each in (start, end))]
        case {"type": "date", "value": day}:
            begins = _moment(day, ref)
            yield ["day", begins.isoformat(), (begins + timedelta(days=1)).isoformat()]
        case {"type": "datetime" | "time", "value": at}:
            yield moment(_moment(at, ref))


def _moment(told: str, ref: datetime) -> datetime:
    """A value as it is written; a time without a day is today's."""
    return datetime.fromisoformat(told if "-" in told else f"{ref.date()} {told}")


serve_phrases(resolve, packages=["recognizers-text-suite"])
