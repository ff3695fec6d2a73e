"""What a word, a name, a stem, a number, the same value and a leaf are, in one table each."""

from __future__ import annotations

import pytest

from mulligan_dates.text import (
    DEEPEST,
    fold,
    fold_name,
    is_blank,
    is_number,
    is_same,
    list_leaves,
    list_strings,
    list_words,
    normalize_spaces,
    parse_numeral,
    read_number,
    separate_words,
    shorten,
    split_letters,
    split_name,
    split_prose,
    split_words,
    stem,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HELLO", "hello"),
        ("Stra\u00dfe", "STRASSE"),
        ("\u201cso\u201d", '"so"'),
        ("don\u2019t", "don't"),
        ("re\u2011do", "re-do"),
        ("del\u200bve", "delve"),
        ("\ufb01ne", "fine"),
        ("\u0661\u066b\u0665", "1.5"),
    ],
)
def test_what_a_reader_takes_for_the_same_is_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_different_words_stay_different() -> None:
    assert fold("schon") != fold("sch\u00f6n")


@pytest.mark.parametrize("name", ["orderId2", "order_id_2", "Order ID 2", "order-id.2", "ORDERID2"])
def test_every_spelling_of_a_name_is_folded_to_one(name: str) -> None:
    assert fold_name(name) == "orderid2"


def test_gaps_of_any_width_are_one_space_and_nothing_is_no_gap() -> None:
    assert normalize_spaces(" a\u00a0\t b\u200bc\n") == "a bc"


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\ufeff", "\x1c\x85\u2028", "\u00ad \u2060"])
def test_what_a_reader_sees_nothing_of_is_blank(text: str) -> None:
    assert is_blank(text)
    assert normalize_spaces(text) == ""
    assert not is_blank(f"{text}a{text}")


@pytest.mark.parametrize(
    ("text", "most", "short"), [("four", 4, "four"), ("fives", 4, "fiv…"), ("", 1, "")]
)
def test_what_is_cut_ends_in_a_sign_of_it_and_fits(text: str, most: int, short: str) -> None:
    assert shorten(text, most=most) == short


@pytest.mark.parametrize(
    ("text", "words", "letters", "prose"),
    [
        (
            "Don't re-do it, at 10am!",
            ["don", "t", "re", "do", "it", "at", "10am"],
            ["don", "t", "re", "do", "it", "at", "am"],
            ["Don't", "re-do", "it", "at", "10am"],
        ),
        ("order_id", ["order", "id"], ["order", "id"], ["order_id"]),
        (
            "STRASSE \u2014 Stra\u00dfe",
            ["strasse", "strasse"],
            ["strasse"] * 2,
            ["STRASSE", "Stra\u00dfe"],
        ),
        ("3.11 !", ["3", "11"], [], ["3", "11"]),
        ("", [], [], []),
    ],
)
def test_a_word_is_read_in_three_ways(
    text: str, words: list[str], letters: list[str], prose: list[str]
) -> None:
    assert split_words(text) == words
    assert split_letters(text) == letters
    assert split_prose(text) == prose


def test_short_words_of_speech_can_be_left_out() -> None:
    assert split_letters("To be or not", shortest=3) == ["not"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("new_start_time", ("new", "start", "time")),
        ("Order ID", ("order", "id")),
        ("calendar.delete-event", ("calendar", "delete", "event")),
        ("HTTPUrl", ("http", "url")),
        ("HTTPGet2", ("http", "get", "2")),
        ("linear_getIssueById", ("linear", "get", "issue", "by", "id")),
        ("line2", ("line", "2")),
        ("gr\u00f6\u00dfeInMetern", ("gr\u00f6sse", "in", "metern")),
        ("id_", ("id",)),
        ("", ()),
    ],
)
def test_a_name_has_the_same_words_in_every_style(name: str, words: tuple[str, ...]) -> None:
    assert split_name(name) == words
    assert split_name(name + "_" * 100) == words


def test_words_that_only_a_capital_parts_are_parted_and_nothing_else_is_changed() -> None:
    assert separate_words("newStart_time") == "new Start_time"
    assert separate_words("HTTPUrl", by="_") == "HTTP_Url"


def test_a_list_of_words_is_what_stands_between_blanks() -> None:
    assert list_words(" a b\n a ") == {"a", "b"}


@pytest.mark.parametrize(
    "forms",
    [
        ("lock", "locks", "locked", "locking", "lock's"),
        ("plan", "plans", "planned", "planning", "planner", "planners"),
        ("create", "creates", "created", "creation", "creations"),
        ("entry", "entries"),
        ("message", "messages"),
        ("class", "classes"),
    ],
)
def test_the_forms_of_a_word_share_their_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ["access", "use", "red", "bus", "is", ""])
def test_what_would_leave_too_little_stays_whole(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3.0),
        ("1,200.50", 1200.5),
        (" +7 ", 7.0),
        ("5.", 5.0),
        (True, None),
        (None, None),
        (float("inf"), None),
        (10**400, None),
        ("", None),
        ("12e4", None),
        ("$5", None),
        ("1 200", None),
        ("9" * 41, None),
    ],
)
def test_a_number_is_read_of_numbers_and_of_plain_numerals(
    value: object, number: float | None
) -> None:
    assert read_number(value) == number


@pytest.mark.parametrize(
    ("value", "number"), [(1, True), (0.5, True), (True, False), ("1", False), (None, False)]
)
def test_a_truth_value_is_no_number(value: object, number: bool) -> None:
    assert is_number(value) is number


def test_a_numeral_is_whole_unless_it_has_a_point() -> None:
    assert [parse_numeral(each) for each in ("1,200", "-3", "2.0")] == [1200, -3, 2.0]
    assert isinstance(parse_numeral("2.0"), float)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        ("1", 1, False),
        ([1], [1], True),
        ([1], (1,), False),
        (None, None, True),
    ],
)
def test_two_values_are_the_same_to_a_tool(one: object, other: object, same: bool) -> None:
    assert is_same(one, other) is same
    assert is_same(other, one) is same


def test_every_leaf_has_the_path_that_leads_to_it_the_outermost_first() -> None:
    held = {"a": {"b": [1, 2]}, "c": 3}

    assert list(list_leaves(held)) == [(("c",), 3), (("a", "b", 0), 1), (("a", "b", 1), 2)]


def test_no_more_leaves_are_given_than_were_asked_for_however_deep_they_are() -> None:
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]

    assert len(list(list_leaves(list(range(1_000)), most=7))) == 7
    [(path, _)] = list_leaves(deep)
    assert len(path) == DEEPEST


def test_the_texts_of_a_value_are_those_it_holds_and_not_the_names_it_has_for_them() -> None:
    assert sorted(list_strings({"a": ["x", {"b": "y"}], "c": 3, "d": None})) == ["x", "y"]
