"""A language says as much as it can: what it leaves out is not heard."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import astuple

from mulligan_dates.languages import LANGUAGES, choose_requests
from mulligan_dates.tables import NEVER, RequestPhrases, find_any

NAMED = {
    "comparison": {"words", "number"},
    "rank": {"first", "last"},
    "extreme": {"sort", "most", "what"},
    "either": {"ah", "am", "ap", "bh", "bm", "bp"},
    "same": {"what", "one", "two", "three"},
}
FRENCH = "Pouvez-vous annuler le rendez-vous avec Anne dans le bureau, pas pour nous ?"


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", NAMED)
def test_a_pattern_has_the_groups_that_its_check_reads(code: str, name: str) -> None:
    pattern = getattr(LANGUAGES[code].requests, name)

    assert pattern is NEVER or set(pattern.groupindex) == NAMED[name]


def test_what_a_language_leaves_out_is_never_found() -> None:
    silent = RequestPhrases()

    patterns = astuple(silent)

    assert not any(p.search("home twice if my") for p in patterns if isinstance(p, re.Pattern))


def test_a_message_in_a_language_that_nobody_described_is_not_listened_to() -> None:
    assert choose_requests(FRENCH).to_come is NEVER


@pytest.mark.parametrize("message", ["Payroll Henderson", "", "42", "Cancel lunch"])
def test_a_message_that_tells_no_language_is_heard_as_english(message: str) -> None:
    assert choose_requests(message) is LANGUAGES["en"].requests


def test_any_of_some_words_is_found_whole_and_in_either_case() -> None:
    pattern = find_any(r"twice | cop(?:y|ies)")

    assert [found.group() for found in pattern.finditer("Twice the copies, copyright")] == [
        "Twice",
        "copies",
    ]
