from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import pytest

from bench.data import add_data_arguments, read_cases
from bench.missing import MissingError
from bench.payloads import call_arguments, mixed_payloads
from bench.rounds import interleave, ratio
from tests.bench.running import write_cases


def data_options(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_data_arguments(parser)
    return parser.parse_args(arguments)


def test_each_round_asks_every_contender_once_and_forgets_the_warm_up() -> None:
    asked: list[tuple[str, int]] = []

    def contender(name: str):
        def ask(number: int) -> dict[str, object]:
            asked.append((name, number))
            return {"number": number}

        return ask

    answers = interleave(
        {"a": contender("a"), "b": contender("b")},
        rounds=3,
        chance=random.Random(7),
        step=lambda: None,
    )

    assert sorted(asked) == [(name, number) for name in "ab" for number in range(-1, 3)]
    assert [answer["number"] for answer in answers["a"]] == [0, 1, 2]
    assert len(answers["b"]) == 3


def test_a_ratio_is_that_of_the_medians_with_the_spread_of_the_rounds() -> None:
    whole, spread = ratio([1.0, 2.0, 9.0], [2.0, 4.0, 6.0])

    assert whole == 0.5
    assert spread == {"q1": 0.5, "median": 0.5, "q3": 1.0}


def test_the_same_seed_gives_every_contender_the_same_payloads_and_another_block_others() -> None:
    first = call_arguments(50, seed=1)

    assert call_arguments(50, seed=1) == first
    assert call_arguments(50, seed=2) != first
    assert len({json.dumps(each) for each in first}) == 50


@pytest.mark.parametrize("size", [200, 2_000, 100_000])
def test_mixed_payloads_have_about_the_size_that_was_asked_for(size: int) -> None:
    payloads = mixed_payloads(8, size=size, seed=3)

    average = sum(len(json.dumps(each)) for each in payloads) / len(payloads)
    assert 0.75 * size < average < 1.25 * size


def test_cases_are_read_from_the_chosen_half_up_to_the_limit(tmp_path: Path) -> None:
    write_cases(tmp_path, "calls", *({"case": number} for number in range(5)), half="heldout")

    cases = read_cases(
        data_options("--data", str(tmp_path), "--half", "heldout", "--limit", "2"), "calls"
    )

    assert cases == [{"case": 0}, {"case": 1}]


def test_data_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"calls\.public\.jsonl\.gz is not there"):
        read_cases(data_options("--data", str(tmp_path)), "calls")
