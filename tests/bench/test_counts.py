"""The guard against a slowdown: it counts work, so that it is the same on a busy machine."""

from __future__ import annotations

import json

import pytest

from bench.counts.baseline import (
    ACCEPT,
    FILE,
    count_anew,
    describe_growth,
    name_python,
    read_baseline,
)

pytestmark = pytest.mark.full


def test_no_path_does_a_fifth_more_than_was_accepted() -> None:
    baseline = read_baseline()
    if not baseline:
        pytest.skip(f"nobody has counted on Python {name_python()}: {ACCEPT}")

    above = describe_growth(count_anew(), baseline)

    assert not above, f"{'; '.join(above)}. If that is meant: {ACCEPT}"


def test_a_baseline_is_kept_for_the_oldest_python() -> None:
    assert json.loads(FILE.read_text())["3.11"].keys() >= {
        "logged_call_lines", "reviewed_turn_lines", "date_phrase_lines", "reply_checks_lines",
        "journal_intent_statements", "journal_intent_commits", "first_use_modules",
        "first_use_sources", "first_use_patterns", "command_modules",
    }  # fmt: skip
