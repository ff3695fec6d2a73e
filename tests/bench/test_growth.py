"""No reader of text takes the square of its length: the short form of `python -m bench growth`."""

from __future__ import annotations

import pytest

from bench.growth.attacks import Attack
from bench.growth.parsers import list_readers, list_uncalled
from bench.growth.patterns import compile_site, list_modules, list_sites
from bench.growth.surfaces import SURFACES, measure_stall
from bench.growth.trial import Trial, try_parsers, try_patterns

pytestmark = pytest.mark.full

SHORT = Trial(most=2, largest=4_000)
SHORTEST = Trial(most=2, largest=2_000)
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


def test_no_regular_expression_grows_faster_than_its_text() -> None:
    tried = list(try_patterns(SHORT))

    assert len(tried) > 250
    assert [each.describe() for each in tried if each.too_fast] == []


def test_no_parser_grows_faster_than_its_text() -> None:
    tried = list(try_parsers(SHORTEST))

    assert len(tried) > 100
    assert [each.describe() for each in tried if each.too_fast] == []


def test_every_pattern_and_every_reader_of_text_of_ours_is_tried() -> None:
    unknown = []
    for module in list_modules():
        for site in list_sites(module):
            try:
                compile_site(site, module)
            except NameError as error:
                unknown.append(f"{site.place}: {error}; say in FILLED what stands for it")

    assert unknown == []
    assert list_uncalled() == []
    assert sum(1 for _ in list_readers()) > 100


@pytest.mark.parametrize("known", KNOWN)
async def test_no_text_of_100_kb_holds_up_the_event_loop(known: str) -> None:
    surface, attack = KNOWN[known]
    await measure_stall(SURFACES[surface], "short", runs=1)

    stall = await measure_stall(SURFACES[surface], attack.build(100_000), runs=3)

    assert stall < MOST_SECONDS
