"""The suite `poisoning` in a short form: nobody is harmed, and what was learned still helps."""

from __future__ import annotations

import argparse

import pytest

from bench.suites import poisoning


def measure(*given: str) -> poisoning.Result:
    parser = argparse.ArgumentParser()
    poisoning.add_arguments(parser)
    return poisoning.run(parser.parse_args(given))


def test_liars_in_tenants_of_every_shape_harm_nobody_elses_turn() -> None:
    result = measure("--turns", "160", "--tenants", "4", "--people", "5", "--seed", "1")

    assert poisoning.failed(result) == ""
    assert (result["cross_tenant"], result["words"]) == (0, 0)
    assert result["hostile_turns"] > 10
    assert result["helped"] > 10


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"cross_tenant": 1}, "1 cross_tenant"),
        ({"words": 2}, "2 words"),
        ({"harmed": 2, "turned": 1}, "2 harmed, 1 turned, and 2 are the most"),
        ({"helped": 0}, "nobody was helped, so that nothing is shown"),
        ({"harmed": 2}, ""),
    ],
)
def test_a_harm_beyond_the_bound_is_no_proof(found: dict[str, int], said: str) -> None:
    clean = {"cross_tenant": 0, "words": 0, "harmed": 0, "turned": 0, "helped": 9}

    assert poisoning.failed({**clean, **found}) == said
