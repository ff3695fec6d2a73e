"""The short form of `python -m bench redaction`: no secret comes through, little else is hidden."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from bench.redaction.wrappings import ENCODINGS, PLACES, is_leaked
from bench.suites import redaction
from tests.bench.running import read_result, write_cases

SECRET = "sk-live0123456789abcdefghij"


@pytest.fixture(scope="module")
def result() -> redaction.Result:
    options = argparse.Namespace(part="all", seed=1, quick=True, alone=True)
    return redaction.run(options)


def test_no_secret_comes_through_in_any_encoding(result: redaction.Result) -> None:
    assert result["kinds"] >= 100
    assert result["encodings"] >= 10
    assert len(PLACES) >= 40
    assert result["secrets"] >= 5_000
    assert result["leaks_by_kind"] == {}


def test_ordinary_values_stay_readable(result: redaction.Result) -> None:
    assert result["ordinary"] >= 500
    assert result["ordinary_kinds"] >= 30
    assert result["ordinary_hidden_share"] <= redaction.MOST_HIDDEN, result["ordinary_examples"]


@pytest.mark.parametrize("encoding", list(ENCODINGS))
def test_the_search_sees_through_every_encoding(encoding: str) -> None:
    wrapped = ENCODINGS[encoding](SECRET)

    assert is_leaked(f"x {wrapped} y", SECRET, wrapped)
    assert is_leaked(f"x {wrapped[: len(wrapped) * 3 // 4]}", SECRET, wrapped)
    assert not is_leaked("x <key> y", SECRET, wrapped)


def test_what_is_not_as_it_must_be_is_said() -> None:
    bad = {"leaks": 2, "secrets": 9, "ordinary_hidden_share": 0.2}

    assert (
        redaction.failed(bad) == "2 of 9 secrets came through; 20.0% of ordinary values are hidden"
    )


def test_secrets_counts_what_is_readable_and_what_is_changed(tmp_path: Path) -> None:
    run = "62D6iKM9GSlJxK5nrMf9XwrE"
    write_cases(
        tmp_path,
        "third/secrets",
        {"kind": "a", "text": f"key {run}", "secret": run, "form": "secret"},
        {"kind": "b", "text": "key abcd", "secret": "abcd", "form": "secret"},
        {"kind": "c", "text": "at example.org", "secret": "example.org", "form": "domain"},
        {"kind": "d", "text": "nothing"},
    )
    write_cases(
        tmp_path,
        "third/api_answers",
        {"provider": "x", "status": "200", "body": {"id": run, "note": run, "list": ["plain"]}},
        {"provider": "y", "status": "404", "body": {"note": run}},
    )

    result = read_result("secrets", "--data", str(tmp_path))

    assert (result["secrets"], result["readable"], result["readable_share"]) == (2, 1, 0.5)
    assert result["unfiltered"] == 3
    assert (result["ordinary"], result["ordinary_changed_share"]) == (3, 0.3333)
    assert (result["ids"], result["ids_changed_share"]) == (2, 0.5)
    assert result["alone_changed_share"] == 0.6667
