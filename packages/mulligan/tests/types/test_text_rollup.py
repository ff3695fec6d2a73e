"""Counts of texts that are added up as rows are written."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from mulligan.types.log import (
    REPLY_CHECKED,
    REPLY_SETTLED,
    TextCounts,
    TextMeasure,
    add_texts,
    list_rated,
    read_facts,
    roll_up_texts,
    roll_up_thumbs,
)
from mulligan.types.reply import RATED
from mulligan_testing.store_contract.logs import clean_counts, count_anew, make_step, make_texts


@given(st.integers(min_value=0, max_value=2**32), st.lists(st.integers(1, 9), max_size=12))
def test_batches_come_to_what_all_rows_come_to(seed: int, sizes: list[int]) -> None:
    rows = make_texts(random.Random(seed), count=40)
    counts: TextCounts = {}

    done = 0
    for size in [*sizes, len(rows)]:
        new, known = rows[done : done + size], rows[: done + size]
        add_texts(counts, roll_up_texts(new))
        rated = list_rated(new)
        near = [row for row in known if row.id in rated or row.parent in rated]
        add_texts(counts, roll_up_thumbs(new, near))
        done += size

    assert clean_counts(counts) == clean_counts(count_anew(rows))


def test_only_the_first_try_says_whether_a_reply_had_to_be_written_again() -> None:
    rows = [
        make_step(n, REPLY_CHECKED, number=n, standing="rejected", rules=["a", "a", "b"])
        for n in (1, 2)
    ]

    counts = roll_up_texts(rows)

    said = {(slot.what, slot.name): n for slot, n in counts.items()}
    assert said == {
        (TextMeasure.REFLECTED, ""): 1,
        (TextMeasure.RULE, "a"): 1,
        (TextMeasure.RULE, "b"): 1,
    }


def test_calls_of_tools_are_no_texts_whatever_they_are_called() -> None:
    row = make_step(1, REPLY_SETTLED, iterations=1)._replace(server="theirs")

    assert roll_up_texts([row]) == {}


def test_a_thumb_for_something_else_says_nothing_of_a_rule() -> None:
    thumbs = [make_step(n, RATED, of="a draft", up=False) for n in range(20)]

    assert roll_up_thumbs(thumbs, thumbs) == {}


def test_what_cannot_be_read_says_nothing() -> None:
    row = make_step(1, REPLY_SETTLED)

    assert [read_facts(row._replace(parameters=odd)) for odd in ("", "[1]", "{")] == [{}, {}, {}]
