"""Strays: which rows are off the time of their ids, and by how much."""

from __future__ import annotations

import random

import pytest

from mulligan.stores.relational.log_search import (
    ANY_US,
    DIGITS,
    MOMENT_CELL,
    MOMENT_DIGITS,
    NEAR_US,
    SLACK_US,
    Moment,
    Stray,
    mark_strays,
)
from mulligan.types.values import RANDOM_BITS, make_uuid7, to_us
from mulligan_testing.store_contract.contract import NOW

NOW_US = to_us(NOW, name="now")
SECOND_US = 1_000_000


class Written:
    """Stands in for a session: keeps what is written down."""

    def __init__(self) -> None:
        self.rows: list[Stray] = []

    def run_many(self, query: str, rows: list[Stray]) -> int:
        assert query == "add_strays"
        self.rows += rows
        return len(rows)


def make_moment(made_us: int, at_us: int) -> Moment:
    name = make_uuid7(made_us, random.getrandbits(RANDOM_BITS))
    return name[:MOMENT_DIGITS], at_us >> MOMENT_CELL


def find_strays(*moments: Moment) -> list[Stray]:
    written = Written()
    mark_strays(written, moments)  # type: ignore[arg-type]
    return written.rows


@pytest.mark.parametrize("off_us", [0, 1, -1, SECOND_US, -SECOND_US, 8 * SECOND_US, -8 * SECOND_US])
def test_a_row_of_about_the_time_of_its_id_is_no_stray(off_us) -> None:
    chance = random.Random(off_us)
    for _ in range(300):
        made_us = NOW_US + chance.randrange(NEAR_US)
        assert find_strays(make_moment(made_us, made_us + off_us)) == []


def test_a_row_that_is_further_off_than_the_slack_is_a_stray_of_at_least_that() -> None:
    chance = random.Random(1)
    for _ in range(2_000):
        made_us = NOW_US + chance.randrange(NEAR_US)
        off_us = chance.randrange(SLACK_US, NEAR_US)
        name = make_uuid7(made_us, 0)[:DIGITS]

        [behind] = find_strays(make_moment(made_us, made_us + off_us))
        [ahead] = find_strays(make_moment(made_us, made_us - off_us))

        assert (behind.block, ahead.block) == (name, name)
        assert off_us <= behind.behind_us <= off_us + SLACK_US
        assert off_us <= ahead.ahead_us <= off_us + SLACK_US
        assert behind.last_us >= made_us + off_us
        assert ahead.last_us >= made_us - off_us


def test_strays_of_one_block_are_one_that_covers_all() -> None:
    early = make_moment(NOW_US, NOW_US - 100 * SECOND_US)
    late = make_moment(NOW_US, NOW_US + 900 * SECOND_US)

    [both] = find_strays(early, make_moment(NOW_US, NOW_US), late)

    assert both.ahead_us >= 100 * SECOND_US
    assert both.behind_us >= 900 * SECOND_US
    assert both.last_us >= NOW_US + 900 * SECOND_US


def test_an_id_that_only_begins_as_ours_do_may_be_of_any_time() -> None:
    block = make_uuid7(NOW_US, 0)[:DIGITS]

    for begin in (block, block + "\ufffd1", block + "zz"):
        [stray] = find_strays((begin, NOW_US >> MOMENT_CELL))
        assert (stray.ahead_us, stray.behind_us) == (ANY_US, ANY_US)


def test_an_id_that_tells_no_time_is_a_stray() -> None:
    strays = find_strays(("call_9", 1), ("0f3", 1), ("", 1))

    assert [stray.block for stray in strays] == ["", "0f3", "call_9"]
