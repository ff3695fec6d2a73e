"""Whatever people write: nothing is raised, and reading stays linear in its length."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mulligan_dates.english import ENGLISH
from mulligan_dates.grammar import read
from mulligan_dates.reader import find_expressions, find_meaning
from mulligan_dates.readings import Moment
from mulligan_dates.scan import Scan, scan
from mulligan_dates.tokens import Token
from tests.dates.said import BERLIN

NOW = Moment(now=datetime(2025, 10, 22, 10, 15), country="US")
WORDS = """
next last this the a in on at of from to until between and for after before week weeks month
days day year hours friday monday sunday tomorrow today tonight morning noon midnight march
may december first second third 31st 15 2025 2025-02-30 99 0 7pm 3:30 12.30 1/2 30/2 - , . '
half quarter past am pm twenty thousand hundred every end beginning weekend no actually
easter christmas few couple utc q3 ago later 20251399 00:00 24:00 été İ 📅 since tonight asap
section § 1.2.3 3/4 cup 2h sat +0200 10:00:00 minutes
"""

phrases = st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)
moments = st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31))


@pytest.mark.full
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.one_of(st.text(max_size=80), phrases), now=moments)
@example(text="the day before yesterday", now=datetime(1, 1, 1))
@example(text="within 30 minutes", now=datetime(2026, 10, 25, 2, 45))
@example(text="in 9999 years next week after next month", now=datetime(9999, 12, 31))
@example(text="next decade to the weekend after next", now=datetime(9999, 12, 31))
def test_no_text_and_no_time_makes_it_raise(text: str, now: datetime) -> None:
    at = Moment(now=now, zone=BERLIN)

    found = find_expressions(text, at)
    whole = find_meaning(text, at)

    for each in (*found, whole):
        assert text[each.start : each.end] == each.text
        assert all(reading.start <= reading.end for reading in each.readings)


class Counted(list[Token]):
    """Tokens that count how often they are looked at."""

    looks = 0

    def __getitem__(self, index):
        Counted.looks += 1
        return super().__getitem__(index)


def looks_at(message: str) -> int:
    """How many looks at a token reading a message takes."""
    plain = scan(message, ENGLISH)
    Counted.looks = 0
    counted = Scan(
        tokens=Counted(plain.tokens), words=plain.words, count=plain.count, national=plain.national
    )
    for _ in read(counted):
        pass
    return Counted.looks


@pytest.mark.full
@pytest.mark.parametrize(
    "piece",
    [
        "hello ",
        "next friday ",
        "2 days after ",
        "from 3 to ",
        "between monday and ",
        "1 month 2 days ",
        "the first of the ",
        "- ",
        "7:30 on the 3rd of may ",
        "twenty ",
        "for a quarter of an hour after the day before ",
        "3/4/",
        "3/4 cup ",
        "10.1.2.",
        "3.-",
        "sat. ",
        "10:00:00 -",
    ],
)
def test_work_grows_no_faster_than_the_text(piece: str) -> None:
    short, long = looks_at(piece * 100), looks_at(piece * 800)

    assert long <= 9 * short
