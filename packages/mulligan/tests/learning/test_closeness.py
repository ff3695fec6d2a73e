"""Which names are the same in another spelling, and which only look like it."""

from __future__ import annotations

import pytest

from mulligan.learning.closeness import (
    is_turned,
    loses_words,
    match_name,
    match_part,
    match_spelling,
    measure_distance,
    stem_words,
)


@pytest.mark.parametrize(
    ("name", "candidates", "match"),
    [
        ("orderId", ["order_id", "id"], "order_id"),
        ("tag", ["tags"], "tags"),
        ("order_identifier", ["order_id"], "order_id"),
        ("msg", ["message", "title"], "message"),
        ("lng", ["longitude", "latitude"], "longitude"),
        ("to", ["recipients", "body"], "recipients"),
        ("date_of_birth", ["dob", "name"], "dob"),
        ("city", ["town"], None),
        ("id", ["payment_id", "amount"], None),
        ("no_ids_ever", ["nie"], None),
    ],
)
def test_the_same_name_in_another_spelling_is_the_same(name, candidates, match) -> None:
    assert match_name(name, candidates) == match


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ids_to_keep", "ids"),
        ("except_ids", "ids"),
        ("not_tags", "tags"),
        ("other_than_ids", "ids"),
        ("protected_items", "items"),
        ("parent_id", "id"),
        ("from_account", "account"),
        ("target_path", "path"),
        ("old_name", "name"),
        ("max_price", "price"),
        ("min_price", "max_price"),
    ],
)
def test_a_word_that_turns_a_name_makes_another_of_it_whichever_has_it(one, other) -> None:
    assert is_turned(one, other)
    assert is_turned(other, one)
    assert match_name(one, [other]) is match_name(other, [one]) is None
    assert match_part(one, [other]) is match_part(other, [one]) is None


@pytest.mark.parametrize(
    ("name", "candidates", "match"),
    [
        ("id", ["payment_id", "amount"], "payment_id"),
        ("id", ["payment_id", "user_id"], None),
        ("query", ["search_query"], "search_query"),
        ("city", ["town"], None),
    ],
)
def test_a_name_with_a_word_more_or_less_is_a_guess_if_one_alone_can_be(
    name, candidates, match
) -> None:
    assert match_part(name, candidates) == match


def test_a_guess_may_say_less_than_what_was_asked_for() -> None:
    assert loses_words("payment_id", "id")
    assert not loses_words("id", "payment_id")
    assert not loses_words("order_identifier", "order_id")


@pytest.mark.parametrize(
    ("name", "candidates", "match"),
    [
        ("ZIP", ["zip", "city"], "zip"),
        (" date", ["date", "time"], "date"),
        ("limti", ["limit", "time"], "limit"),
        ("color", ["colour"], "colour"),
        ("ordr_items", ["order_items"], "order_items"),
        ("item", ["items", "total"], "items"),
        ("data", ["date"], None),
        ("post", ["port", "cost"], None),
        ("typical", ["atypical"], None),
        ("line_10001", ["line_10002"], None),
        ("order_id_x", ["order_id"], None),
        ("expect_rows", ["except_rows"], None),
        ("ab", ["ac"], None),
        ("cats", ["bats", "rats"], None),
        ("", ["a"], None),
    ],
)
def test_spelling_finds_the_one_candidate_a_typo_away(name, candidates, match) -> None:
    assert match_spelling(name, candidates) == match


def test_a_swap_of_neighbours_is_one_step_and_too_far_is_only_too_far() -> None:
    assert measure_distance("abcd", "abdc", most=2) == 1
    assert measure_distance("abcd", "wxyz", most=2) == 3
    assert measure_distance("a" * 1_000_000, "b" * 1_000_000, most=2) == 3


def test_a_text_is_compared_by_the_starts_of_its_words() -> None:
    assert stem_words("The order was locked") & stem_words("locks_of_orders") == {"lock", "ord"}
