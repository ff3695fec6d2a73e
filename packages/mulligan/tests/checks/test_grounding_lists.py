from __future__ import annotations

import re

from mulligan.checks.quantities import (
    build_alternation,
    load_currencies,
    load_empty_words,
    load_units,
)


def test_units_say_what_they_measure_and_how_much() -> None:
    units = load_units()

    assert units["km"][0] == units["m"][0]
    assert units["km"][1] == 1_000 * units["m"][1]


def test_currencies_are_codes_and_empty_words_words() -> None:
    assert {"EUR", "USD"} <= {each.upper() for each in load_currencies()}
    assert "the" in load_empty_words()


def test_the_longest_of_several_is_tried_first_and_signs_are_only_signs() -> None:
    pattern = re.compile(build_alternation(["may", "mayor", "c++"]))

    assert pattern.match("mayor")[0] == "mayor"
    assert pattern.match("ccc") is None
