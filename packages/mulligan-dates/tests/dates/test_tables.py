from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from mulligan_dates.english import ENGLISH
from mulligan_dates.reader import find_meaning
from mulligan_dates.readings import Moment
from mulligan_dates.tables import Which, build_table, build_words
from mulligan_dates.tokens import END, tokenize


def test_the_longest_entry_wins() -> None:
    table = build_table({1: "day", 2: "day after", 3: "day after tomorrow"})

    assert table.match([*tokenize("day after tomorrow"), END], 0) == (3, 3)
    assert table.match([*tokenize("day after all"), END, END], 0) == (2, 2)
    assert table.match([*tokenize("night"), END], 0) is None


def test_only_words_of_their_own_are_in_a_table() -> None:
    table = build_words("at | in the")

    assert "at" in table
    assert "in" not in table
    assert table.opens("in")


def test_what_is_said_is_said_in_whole_and_at_one_of_the_places() -> None:
    table, tokens = build_words("at | in the"), [*tokenize("so it is in the end"), END]

    assert table.is_said(tokens, range(6))
    assert not table.is_said(tokens, range(3))
    assert not build_words("in a").is_said(tokens, range(6))


def test_another_language_is_other_tables_under_the_same_rules() -> None:
    german = replace(
        ENGLISH,
        name="German",
        days=build_table({0: "heute", 1: "morgen", 2: "\u00fcbermorgen"}),
        weekdays=build_table({4: "freitag | freitags"}),
        which=build_table({Which.THIS: "diesen", Which.NEXT: "n\u00e4chsten"}),
        before_hour=build_words("um"),
        glue=build_words("um | am | ,"),
    )
    wednesday = Moment(now=datetime(2025, 10, 22, 10, 15))

    tomorrow = find_meaning("morgen um 15:30", wednesday, words=german)
    friday = find_meaning("am n\u00e4chsten Freitag", wednesday, words=german)

    assert [str(each.start) for each in tomorrow.readings] == ["2025-10-23 15:30:00"]
    assert [str(each.start.date()) for each in friday.readings] == ["2025-10-24", "2025-10-31"]
