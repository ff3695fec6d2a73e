from __future__ import annotations

import itertools

import pytest
from msgspec.structs import replace

from mulligan.evaluation.report import ChangeSafety, Report, compare, compute_difference
from mulligan.types.errors import ConfigurationError
from tests.evaluation.results import report


def test_the_same_runs_are_safe_where_there_are_enough_cases() -> None:
    same = report(*[True, False] * 50)

    compared = compare(same, same)

    assert (compared.change, compared.verdict) == (0.0, ChangeSafety.SAFE)
    assert compared.low < 0 < compared.high
    assert compared.sentence.startswith("safe to deploy: reflection rate +0.0 points")
    assert compared.sentence.endswith("limit 10")


def test_a_large_rise_is_not_safe() -> None:
    compared = compare(report(*[False] * 40), report(*[True] * 20, *[False] * 20))

    assert compared.verdict is ChangeSafety.UNSAFE
    assert "not safe to deploy: reflection rate +50.0 points" in compared.sentence


def test_a_small_rise_on_few_cases_is_not_sure_and_says_what_would_help() -> None:
    compared = compare(report(*[False] * 20), report(True, *[False] * 19))

    assert compared.verdict is ChangeSafety.UNSURE
    assert "run more than 20 cases" in compared.sentence


def test_fewer_reflections_are_safe() -> None:
    compared = compare(report(*[True] * 40), report(*[False] * 40))

    assert compared.verdict is ChangeSafety.SAFE
    assert compared.change == -1.0


@pytest.mark.parametrize(
    ("limit", "verdict"), [(0.10, ChangeSafety.UNSURE), (0.30, ChangeSafety.SAFE)]
)
def test_the_limit_is_a_setting(limit: float, verdict: ChangeSafety) -> None:
    before, after = report(*[False] * 30), report(True, True, *[False] * 28)

    assert compare(before, after, limit=limit).verdict is verdict


def test_the_interval_is_that_of_agresti_and_min() -> None:
    change, low, high = compute_difference(both=53, only_first=16, only_second=8, neither=9)

    assert change == pytest.approx(-8 / 86)
    assert low == pytest.approx(-8 / 88 - 1.96 * (25 - 64 / 88) ** 0.5 / 88, abs=1e-4)
    assert high == pytest.approx(-8 / 88 + 1.96 * (25 - 64 / 88) ** 0.5 / 88, abs=1e-4)


def test_runs_over_different_cases_cannot_be_compared() -> None:
    with pytest.raises(ConfigurationError, match="different cases"):
        compare(report(True), report(True, False))


def leave_unknown(known: Report, count: int) -> Report:
    """The same run, with nothing known of its first cases."""
    lost = (replace(each, reflected=False, judged=False) for each in known.results[:count])
    return replace(known, results=(*lost, *known.results[count:]))


@pytest.mark.parametrize("count", [30, 100])
def test_what_is_not_known_of_is_never_safe(count: int) -> None:
    same = report(*[True, False] * 50)

    for before, after in itertools.permutations((same, leave_unknown(same, count))):
        compared = compare(before, after)

        assert (compared.verdict, compared.unknown) == (ChangeSafety.UNKNOWN, count)
        assert compared.low < -0.1 < 0.1 < compared.high
        assert compared.sentence.startswith("cannot tell: ")
        assert f"of 100 cases, {count} had no first reply, or nobody" in compared.sentence


def test_a_change_that_is_safe_whatever_the_few_unknown_cases_were_is_safe() -> None:
    same = report(*[True, False] * 150)

    assert compare(same, leave_unknown(same, 2)).verdict is ChangeSafety.SAFE


def test_a_large_rise_is_not_safe_whatever_is_not_known() -> None:
    compared = compare(report(*[False] * 40), leave_unknown(report(*[True] * 40), 20))

    assert compared.verdict is ChangeSafety.UNSAFE
