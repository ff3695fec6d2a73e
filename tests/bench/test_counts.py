"""The guard against a slowdown: it counts work, so that it is the same on a busy machine."""

from __future__ import annotations

import json

import pytest

from bench.counts import first_use, paths
from bench.counts.baseline import (
    ACCEPT,
    FILE,
    accept,
    count_anew,
    describe_growth,
    name_python,
    read_baseline,
)
from bench.counts.counter import PACKAGES, count_lines
from bench.counts.first_use import count_first_use
from bench.imports import FIRST_USE
from bench.suites import counts as suite
from mulligan.redaction.redactor import Redactor

SLOW = """
def slow_down(redact):
    def redact_slowly(self, value):
        for _ in range(100):
            value = value
        return redact(self, value)
    return redact_slowly
"""


def plant_slowdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every result redacted in a roundabout way, by code of the package's own."""
    made: dict = {}
    exec(compile(SLOW, f"{PACKAGES[0]}/planted.py", "exec"), made)
    monkeypatch.setattr(Redactor, "redact_result", made["slow_down"](Redactor.redact_result))


def test_no_path_does_a_fifth_more_than_was_accepted() -> None:
    baseline = read_baseline()
    if not baseline:
        pytest.skip(f"nobody has counted on Python {name_python()}: {ACCEPT}")

    above = describe_growth(count_anew(), baseline)

    assert not above, f"{'; '.join(above)}. If that is meant: {ACCEPT}"


def test_a_slowdown_that_is_planted_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = paths.count_logged_call()
    again = paths.count_logged_call()
    plant_slowdown(monkeypatch)
    slow = paths.count_logged_call()

    assert before == again
    [said] = describe_growth(slow, before)
    assert said.startswith("logged_call_lines is ")
    assert "% above" in said


def test_who_is_told_of_more_is_told_how_to_accept_it() -> None:
    baseline = {"a_lines": 100, "b_lines": 100, "c_lines": 100}

    above = describe_growth({"a_lines": 121, "b_lines": 120}, baseline)

    assert above == ["c_lines is not counted any more", "a_lines is 121, 21% above 100"]
    assert suite.failed({"above": above}).endswith("If that is meant: " + ACCEPT)
    assert suite.failed({"above": []}) == ""


def test_what_is_accepted_is_the_next_baseline_and_others_keep_theirs(tmp_path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps({"2.7": {"a_lines": 3}}))

    accept({"a_lines": 7}, path)

    assert read_baseline(path) == {"a_lines": 7}
    assert json.loads(path.read_text())["2.7"] == {"a_lines": 3}


def test_a_first_use_that_loads_or_compiles_more_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = count_first_use()
    more = (
        "import mulligan_gateway.command, mulligan_demo.story\n"
        "for n in range(200): exec('n'), re.compile(f'a{n}')\n"
    )
    monkeypatch.setattr(first_use, "FIRST_USE", FIRST_USE + more)

    above = describe_growth(count_first_use(), before)

    assert [each.split(" ")[0] for each in above] == [
        "first_use_modules", "first_use_patterns", "first_use_sources",
    ]  # fmt: skip


def test_only_lines_of_the_package_are_counted() -> None:
    def strange() -> None:
        json.dumps([1, 2, 3])

    assert count_lines(strange) == 0


def test_a_baseline_is_kept_for_the_oldest_python() -> None:
    assert json.loads(FILE.read_text())["3.11"].keys() >= {
        "logged_call_lines", "reviewed_turn_lines", "date_phrase_lines", "reply_checks_lines",
        "journal_intent_statements", "journal_intent_commits", "first_use_modules",
        "first_use_sources", "first_use_patterns", "command_modules",
    }  # fmt: skip
