"""No reader of text takes the square of its length: the short form of `python -m bench growth`."""

from __future__ import annotations

import re

import pytest

from bench.growth.attacks import Attack, build_attacks
from bench.growth.measure import BOUND, measure_growth
from bench.growth.parsers import HARD, find_parsers
from bench.growth.surfaces import SURFACES, measure_stall
from bench.growth.trial import Trial, try_parsers, try_patterns

SHORT = Trial(most=4, largest=4_000)
SHORTEST = Trial(most=4, largest=2_000)
MOST_SECONDS = 0.25
"""Of processor time in which a loop comes to nothing else; the long form holds 50 ms."""

KNOWN = {
    "a string result": ("result", Attack("a=None b=", "0", "!")),
    "a result of many parts": ("result", Attack("a=None b=[", "1,", "")),
    "an error of dots": ("error", Attack("", "a.", "")),
    "an error of apostrophes": ("error", Attack("", "'a ", "")),
    "a message of dates": ("message", Attack("", "on friday at 3 ", "")),
    "a message of quotes": ("message", Attack("", "\u201c", "")),
    "an argument of addresses": ("argument", Attack("", "a@a.de ", "")),
    "an error of commands": ("error", Attack("", "curl \\  ", "")),
    "a reply of capitals": ("reply", Attack("", "A", "")),
}
"""Texts that have held up an event loop for seconds."""


def find_steepest(pattern: str) -> float:
    look = re.compile(pattern).search
    attacks = build_attacks(re.compile(pattern), most=12)
    return max(measure_growth(look, each, largest=2_000, runs=3).ratio for each in attacks)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\w+@",
        r"^(?:a|aa)+$",
        r"a\s*:?\s*b",
        r"\d+-\d+-\d+",
        r"\([^)]*\)",
        r"[A-Z]{2,}[A-Za-z0-9]*\b",
    ],
)
def test_a_pattern_that_is_not_linear_would_be_seen(pattern: str) -> None:
    assert find_steepest(pattern) > BOUND


@pytest.mark.parametrize("pattern", [r"(?<!\w)\w++@", r"a\s*+:?\s*+b", r"\([^()]*+\)"])
def test_one_that_is_passes(pattern: str) -> None:
    assert find_steepest(pattern) <= BOUND


def test_no_regular_expression_grows_faster_than_its_text() -> None:
    tried = list(try_patterns(SHORT))

    assert len(tried) > 250
    assert [each.describe() for each in tried if each.too_fast] == []


def test_no_parser_grows_faster_than_its_text() -> None:
    tried = list(try_parsers(SHORTEST))

    assert len(tried) > 100
    assert [each.describe() for each in tried if each.too_fast] == []


def test_parsers_really_read_what_they_are_given() -> None:
    by_place = {each.place: each.read for each in find_parsers()}

    assert by_place["learning.parsing.read_whole"]('{"a": 1}') == {"a": 1}
    assert by_place["mulligan_dates.reader.find_expressions"]("on friday") != []
    assert {each.head for each in HARD} >= {"", "a=None b="}


@pytest.mark.parametrize("known", KNOWN)
async def test_no_text_of_100_kb_holds_up_the_event_loop(known: str) -> None:
    surface, attack = KNOWN[known]
    await measure_stall(SURFACES[surface], "short", runs=1)

    stall = await measure_stall(SURFACES[surface], attack.build(100_000), runs=3)

    assert stall < MOST_SECONDS
