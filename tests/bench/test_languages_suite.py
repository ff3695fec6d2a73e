"""The suite on languages: its set is whole, and what it calls right is right."""

from __future__ import annotations

from argparse import Namespace

import pytest

from bench.said import read_lines
from bench.suites import languages


def test_every_phrase_has_an_id_of_its_own_and_a_part() -> None:
    for name in ("german_phrases", "german_requests"):
        lines = read_lines(name)
        assert len({each["id"] for each in lines}) == len(lines)
        assert {each["part"] for each in lines} == {"open", "apart"}


@pytest.mark.parametrize(
    ("said", "means", "outcome"),
    [
        ("tomorrow", ["2026-11-19"], "right"),
        ("tomorrow", ["2026-11-20"], "wrong"),
        ("tomorrow at 7 pm", ["2026-11-19T19:00"], "right"),
        ("from Nov 28 to Dec 3, 2026", ["2026-11-28/2026-12-03"], "right"),
        ("every Friday", [], "right"),
        ("tomorrow", [], "wrong"),
        ("qwertz", ["2026-11-19"], "silent"),
    ],
)
def test_an_answer_is_held_against_what_its_author_meant(
    said: str, means: list[str], outcome: str
) -> None:
    assert languages.judge({"said": said, "means": means}) == outcome


def test_the_suite_counts_phrases_and_requests() -> None:
    result = languages.run(Namespace(list=True))

    german = result["languages"]["german"]
    assert german["phrases"]["n"] == sum(german[part]["n"] for part in ("open", "apart"))
    assert result["n"] == german["phrases"]["n"] + german["requests_n"]
    assert languages.show(result)
