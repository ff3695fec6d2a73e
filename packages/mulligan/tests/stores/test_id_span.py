"""Spans of ids: blocks follow one another, and a time has its place among them."""

from __future__ import annotations

from mulligan.stores.relational.log_search import (
    DIGITS,
    LAST_ID,
    IdSpan,
    find_first_id,
    find_start_us,
    shift_block,
    tells_time,
)
from mulligan.types.values import make_uuid7, to_us
from mulligan_testing.store_contract.contract import NOW

NOW_US = to_us(NOW, name="now")


def test_blocks_follow_one_another_in_the_order_of_ids() -> None:
    made = make_uuid7(NOW_US, 0)[:DIGITS]

    assert (
        shift_block(made, -1) < made < shift_block(made, 1) == shift_block(shift_block(made, 2), -1)
    )
    assert shift_block("fffffff", 1) == LAST_ID
    assert shift_block("0000000", -5) == "0000000"
    assert shift_block("call_9", 1) > "call_9"
    assert shift_block("call_9", -3) == "call_9"


def test_a_span_holds_its_first_id_and_not_the_one_it_ends_below() -> None:
    span = IdSpan("b", "d")

    assert [name for name in "abcd" if span.holds(name)] == ["b", "c"]


def test_a_time_is_before_the_ids_made_then_and_after_those_made_earlier() -> None:
    first = find_first_id(NOW_US)

    assert make_uuid7(NOW_US - 1, 2**62 - 1) < first <= make_uuid7(NOW_US, 0)
    assert find_first_id(-(2**62)) == ""
    assert find_first_id(2**62) == LAST_ID


def test_a_block_lasts_from_its_first_id_to_after_its_last() -> None:
    made = make_uuid7(NOW_US, 0)[:DIGITS]

    end_us = find_start_us(shift_block(made, 1))
    assert find_first_id(end_us - 1)[:DIGITS] == made
    assert find_first_id(find_start_us(made))[:DIGITS] == made
    assert find_first_id(find_start_us(made) - 1)[:DIGITS] == shift_block(made, -1)


def test_only_a_block_of_our_ids_tells_its_time() -> None:
    assert tells_time(make_uuid7(NOW_US, 0)[:DIGITS])
    assert not any(map(tells_time, ("", "0f3", "call_9x", "0192f3b4", "0192F3B")))
