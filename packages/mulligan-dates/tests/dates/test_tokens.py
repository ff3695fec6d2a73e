from __future__ import annotations

from mulligan_dates.tokens import tokenize


def test_a_message_is_cut_into_words_numbers_and_signs_with_their_places() -> None:
    said = "On May 3rd, at 7"

    assert [said[each.start : each.end] for each in tokenize(said)] == [
        "On", "May", "3", "rd", ",", "at", "7",
    ]  # fmt: skip


def test_what_touches_the_token_before_it_is_glued_to_it() -> None:
    assert [each.text for each in tokenize("7pm, 8 pm") if each.glued] == ["pm", ","]


def test_words_lose_their_case_and_keep_that_they_had_one() -> None:
    may, us, soon = tokenize("May US soon")

    assert [each.text for each in (may, us, soon)] == ["may", "us", "soon"]
    assert [each.capital for each in (may, us, soon)] == [True, True, False]
    assert [each.shouted for each in (may, us, soon)] == [False, True, False]


def test_an_apostrophe_of_any_kind_stays_inside_its_word() -> None:
    assert [each.text for each in tokenize("Monday\u2019s o'clock")] == ["monday's", "o'clock"]


def test_a_number_too_long_for_a_date_has_no_value() -> None:
    short, long = tokenize("20251024 202510241")

    assert (short.number, short.digits) == (20251024, "20251024")
    assert (long.number, long.digits) == (None, "202510241")
