"""What a resolver answers to a phrase about time, and whether that is right, wrong or silent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

RIGHT, WRONG, SILENT = "right", "wrong", "silent"
Case = Mapping[str, Any]

MOMENT, DAY, STRETCH = "moment", "day", "stretch"
_NOON = 12
PERIOD, NEGATIVE = "period", "negative"
"""Groups of the latest phrases: the value is the first day; no time is spoken of at all."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One member of an answered set."""

    kind: str
    """`moment`, `day` (or a part of one), `stretch`."""
    start: datetime
    end: datetime
    """The first moment after it."""

    @classmethod
    def read(cls, told: Sequence[str]) -> Answer:
        """From the line of a worker."""
        kind, start, end = told
        return cls(kind, datetime.fromisoformat(start), datetime.fromisoformat(end))

    @property
    def last_day(self) -> date:
        """The last day it touches."""
        before = timedelta(microseconds=1) if self.end > self.start else timedelta()
        return (self.end - before).date()

    def holds(self, moment: datetime) -> bool:
        """Whether it is coarser than a moment, and the moment lies on one of its days."""
        return self.start.date() <= moment.date() <= self.last_day


def is_core(case: Case) -> bool:
    """Whether a case belongs to the core: no holiday, no range."""
    return not case["holiday"] and case["kind"] in ("date", "datetime")


def score(case: Case, answers: Iterable[Answer]) -> str:
    """Right: the set holds a right value at the granularity of the case, and is small.

    An answer that is coarser than what is asked, and holds it, is silence and not a mistake: the
    whole of March is no answer to which day, and not wrong either. Where the value stands for a
    period, its first day is asked, and where no time is spoken of, silence.
    """
    found = set(answers)
    if case.get("group") == NEGATIVE:
        return WRONG if found else RIGHT
    values = [case["value"], *case["alternatives"]]
    if case["kind"] == "range":
        return _score_range(case, found, values)
    exact = case["kind"] == "datetime"
    wanted = {datetime.fromisoformat(value) for value in values}
    members = {_member(answer, exact=exact) for answer in found}
    if not found or len(members) > _most(case):
        return SILENT
    firsts = {each.start.date() for each in found if each.kind == STRETCH and _is_period(case)}
    if (members | firsts) & {moment if exact else moment.date() for moment in wanted}:
        return RIGHT
    coarse = [each for each in found if each.kind == STRETCH or (exact and each.kind == DAY)]
    return SILENT if any(each.holds(m) for each in coarse for m in wanted) else WRONG


def _is_period(case: Case) -> bool:
    return bool(case.get("group") == PERIOD)


def _score_range(case: Case, found: set[Answer], values: Sequence[Any]) -> str:
    stretches = {each for each in found if each.kind == STRETCH}
    if not stretches or len(stretches) > _most(case):
        return SILENT
    pairs = [[datetime.fromisoformat(end) for end in value] for value in values]
    dates_only = len(values[0][0]) == len("2019-03-04")
    right = any(
        _same(each, start, end, dates_only=dates_only) for each in stretches for start, end in pairs
    )
    return RIGHT if right else WRONG


def _same(answer: Answer, start: datetime, end: datetime, *, dates_only: bool) -> bool:
    """Whether a stretch is the labelled one; authors close it at its last unit or after it."""
    if dates_only or (start.hour == end.hour == _NOON and start.minute == end.minute == 0):
        ends = {answer.last_day, answer.end.date()}
        return answer.start.date() == start.date() and end.date() in ends
    grains = (timedelta(), timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1))
    ends_at = {answer.end + grain for grain in grains}
    return answer.start == start and end in ends_at


def _member(answer: Answer, *, exact: bool) -> object:
    """An answer as far as the case looks at it."""
    if answer.kind == STRETCH or (exact and answer.kind == DAY):
        return answer
    return answer.start if exact else answer.start.date()


def _most(case: Case) -> int:
    return max(2, len(case["alternatives"]))
