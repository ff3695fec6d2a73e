"""The suites on dates, on data that the tests write themselves. No test here asserts a timing."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from bench.answers import RIGHT, SILENT, WRONG, Answer, score
from tests.bench.running import read_result, run_bench, write_cases

SUNDAY = "2026-11-15T10:00:00"


def case(text: str, value: Any, *, kind: str = "date", **others: Any) -> dict[str, Any]:
    return {
        "id": text,
        "source": "ours/test",
        "sentence": f"Let us meet {text}.",
        "text": text,
        "ref": SUNDAY,
        "kind": kind,
        "value": value,
        "alternatives": [value],
        "ambiguous": False,
        "locale": "en-US",
        "holiday": False,
        **others,
    }


def answer(kind: str, start: str, end: str | None = None) -> Answer:
    return Answer(kind, datetime.fromisoformat(start), datetime.fromisoformat(end or start))


def test_dates_are_scored_in_groups_and_as_a_checker(tmp_path: Path) -> None:
    cases = [
        case("tomorrow", "2026-11-16"),
        case("in two days", "2026-11-18"),
        case("when it suits you", "2026-11-20"),
        case("next month", ["2026-12-01", "2027-01-01"], kind="range"),
        case("Christmas 2026", "2026-12-25", holiday=True),
    ]
    write_cases(tmp_path, "dates/cases", *cases)

    result = read_result("dates", "--data", str(tmp_path), "--alone", "--rounds", "1")

    assert result["core"] == {"n": 3, "right": 0.3333, "wrong": 0.3333, "silent": 0.3333}
    assert result["all"]["right"] == 0.6
    assert result["ranges"]["right"] == result["holidays"]["right"] == 1.0
    assert result["by_source"]["ours"]["n"] == 3
    assert result["wrong_ids"] == ["in two days"]
    assert result["checker"]["right_passed"] == 0.8
    assert result["checker"]["other_flagged"] > 0
    assert result["median_us"] > 0
    assert result["peers"] == result["peers_median_us"] == {}


def test_wrong_dates_count_catches_and_false_alarms(tmp_path: Path) -> None:
    run = {"query": "Cancel my call tomorrow", "phrase": "tomorrow", "now": "2026-11-15 (Sunday)"}
    runs = [
        {**run, "used": [["cancel", "2026-11-17"]], "acted": True, "wrong": True},
        {**run, "used": [["search", "2026-11-17"]], "acted": False, "wrong": True},
        {**run, "used": [["cancel", "2026-11-16"]], "acted": False, "wrong": False},
    ]
    rows = [
        {**each, "acted_on_wrong_date": each["acted"], "first_date_wrong": each["wrong"]}
        for each in runs
    ]
    write_cases(tmp_path, "workbench/relative_dates", *rows, half="heldout")

    result = read_result("wrong-dates", "--data", str(tmp_path), "--half", "heldout")

    counts = {"acted_on_wrong_date": 1, "caught": 1, "right_runs": 1, "false_alarms": 0}
    assert result.items() >= {"half": "heldout", "n": 3, **counts}.items()


@pytest.mark.parametrize("suite", ["dates", "wrong-dates"])
def test_data_that_is_missing_is_one_sentence(suite: str, tmp_path: Path) -> None:
    done = run_bench(suite, "--data", str(tmp_path), "--json")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "public.jsonl.gz is not there" in done.stderr


def test_peers_that_are_missing_are_one_sentence(tmp_path: Path) -> None:
    write_cases(tmp_path, "dates/cases", case("tomorrow", "2026-11-16"))
    nowhere = tmp_path / "peers"

    done = run_bench("dates", "--data", str(tmp_path), "--no-install", "--peers", str(nowhere))

    assert (done.returncode, done.stdout) == (2, "")
    assert str(nowhere) in done.stderr


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ([], SILENT),
        ([answer("day", "2026-11-16", "2026-11-17")], RIGHT),
        ([answer("moment", "2026-11-16T08:00")], RIGHT),
        ([answer("day", "2026-11-17", "2026-11-18")], WRONG),
        ([answer("day", f"2026-11-{n}", f"2026-11-{n + 1}") for n in (16, 17)], RIGHT),
        ([answer("day", f"2026-11-{n}", f"2026-11-{n + 1}") for n in (16, 17, 18)], SILENT),
        ([answer("stretch", "2026-11-16", "2026-11-23")], SILENT),
        ([answer("stretch", "2026-11-17", "2026-11-23")], WRONG),
    ],
)
def test_a_set_is_right_if_it_is_small_and_holds_the_value(
    answers: list[Answer], outcome: str
) -> None:
    assert score(case("tomorrow", "2026-11-16"), answers) == outcome


def test_phrases_gathered_later_are_counted_beside_the_others(tmp_path: Path) -> None:
    write_cases(tmp_path, "dates/cases", case("tomorrow", "2026-11-16"))
    later = [
        case("yesterday", "2026-11-14", source="chronic"),
        case("today", "2026-11-14", source="natty"),
    ]
    write_cases(tmp_path, "outside/dates", *later)

    done = run_bench("dates", "--data", str(tmp_path), "--alone", "--rounds", "1", "--json")

    outside = json.loads(done.stdout)["outside"]
    assert outside["all"]["right"] == 0.5
    assert outside["looked_at"]["right"] == 1.0
    assert outside["kept_apart"]["wrong"] == 1.0
    assert outside["wrong_ids"] == []


def test_sentences_are_tried_with_the_right_day_and_with_days_around_it(tmp_path: Path) -> None:
    said = {"ref": SUNDAY, "end": None, "locale": "en-US", "source": "ours"}
    rows = [
        {**said, "id": "a", "sentence": "Bake on Friday", "start": "2026-11-20", "all_day": True},
        {**said, "id": "b", "sentence": "Bake", "start": "2026-11-20T10:00", "all_day": False},
    ]
    write_cases(tmp_path, "outside/sentences", *rows)

    done = run_bench("sentences", "--data", str(tmp_path), "--json")

    result = json.loads(done.stdout)
    assert (result["right"], result["right_flagged_share"]) == (2, 0.0)
    assert (result["shifted"], result["shifted_flagged_share"]) == (12, 0.5)
    assert result["looked_at"]["right"] + result["kept_apart"]["right"] == 2
