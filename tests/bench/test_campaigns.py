"""The other campaigns in their short form."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench.gateway.chaos import play as play_chaos
from bench.redaction.wrappings import PLACES
from bench.suites import gateway_fuzz, injection, poisoning, redaction
from tests.bench.running import read_result

pytestmark = pytest.mark.full

PROMISES = ("lost", "untrue", "doubled", "stale_writes_accepted", "forgotten")


def measure(suite: ModuleType, *given: str) -> dict[str, Any]:
    parser = argparse.ArgumentParser()
    suite.add_arguments(parser)
    return suite.run(parser.parse_args(given))


async def test_mutated_frames_are_answered_where_they_have_an_id_and_nothing_dies() -> None:
    found = await gateway_fuzz.play(5_000, seed=7)

    assert gateway_fuzz.failed(found) == ""
    assert found["owed"] > 500


async def test_a_server_that_comes_to_harm_makes_no_write_twice_and_nobody_waits(
    tmp_path: Path,
) -> None:
    found = await play_chaos(6, tmp_path, seed=3)

    assert (found["duplicates"], found["hung"], found["zombies"]) == (0, 0, 0)
    assert found["written"] > 0


def test_a_postgres_server_that_is_killed_under_two_workers_costs_no_effect() -> None:
    result = read_result("restarts", "--restarts", "1", "--workers", "2", "--actions", "40")

    assert {name: result[name] for name in PROMISES} == dict.fromkeys(PROMISES, 0)
    assert result["restarts"] == 1
    assert result["actions"] >= 40


def test_orders_at_every_place_reach_nobody_outside_a_quote_and_turn_nothing_a_fact_denies() -> (
    None
):
    result = measure(injection, "--injections", "110", "--undos", "3")

    assert injection.failed(result) == ""
    assert (result["outside"], result["verified"]) == (0, 0)
    assert 0 < result["undone"] <= 3
    assert min(result["by_place"].values()) == 10
    assert min(result["right"], result["wrong"], result["read"]) > 25


def test_liars_in_tenants_of_every_shape_harm_nobody_elses_turn() -> None:
    few = ("--turns", "100", "--tenants", "4", "--people", "5", "--seed", "1")

    result = measure(poisoning, *few)

    assert poisoning.failed(result) == ""
    assert (result["cross_tenant"], result["words"]) == (0, 0)
    assert result["hostile_turns"] > 5
    assert result["helped"] > 5


def test_no_secret_comes_through_in_any_encoding_and_ordinary_values_stay_readable() -> None:
    result = redaction.run(argparse.Namespace(part="all", seed=1, quick=True, alone=True))

    assert result["kinds"] >= 100
    assert result["encodings"] >= 10
    assert len(PLACES) >= 40
    assert result["secrets"] >= 5_000
    assert result["leaks_by_kind"] == {}
    assert result["ordinary"] >= 500
    assert result["ordinary_hidden_share"] <= redaction.MOST_HIDDEN, result["ordinary_examples"]
