from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from mulligan.evaluation.report import Report, list_advice, list_doubts, summary
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Standing
from tests.evaluation.results import report, result

FOUR = Report(
    results=(
        result("a"),
        result("b", iterations=2, rules=("text.too_long",)),
        result("c", iterations=3, rules=("text.too_long", "text.no_list"), bound=True),
        result("d"),
    ),
    name="four",
)


def test_the_figures_are_those_of_the_cases() -> None:
    assert FOUR.n == 4
    assert FOUR.reflection_rate == 0.5
    assert FOUR.total_reflections == 2  # first replies that were rejected, as the source counts
    assert FOUR.rewrites == 3
    assert FOUR.reflection_range == pytest.approx((0.15, 0.85), abs=0.005)
    assert FOUR.average_iterations == 1.75
    assert FOUR.iterations_when_reflected == 2.5
    assert FOUR.bound_rate == 0.25
    assert FOUR.check_rates == {"text.too_long": 0.5, "text.no_list": 0.25}
    assert FOUR.iteration_counts == {1: 2, 2: 1, 3: 1}
    assert FOUR.tokens == 700
    assert FOUR.latency == (0.015, 0.03)


def test_everything_goes_into_json() -> None:
    plain = json.loads(json.dumps(FOUR.as_plain()))

    assert plain["reflection_rate"] == 0.5
    assert plain["bound_reached"] == 1
    assert len(plain["cases"]) == 4
    assert plain["cases"][2]["standing"] == "rejected"


def test_a_person_reads_rates_beside_their_targets() -> None:
    lines = {label: (value, target) for label, value, target in summary(FOUR)}

    assert lines["Reflection rate"] == ("50.0% (15 to 85 % with 4 cases)", "20 to 40 %")
    assert lines["Average iterations"] == ("1.75", "1.5 to 2.5")
    assert dict.fromkeys(lines) == dict.fromkeys(label for label, *_ in summary(report(False)))


@pytest.mark.parametrize(
    ("reflected", "said"),
    [
        ((True,) * 61 + (False,) * 39, "above 60 %"),
        ((True,) * 60 + (False,) * 40, None),
        ((True,) * 10 + (False,) * 90, None),
        ((True,) * 9 + (False,) * 91, "below 10 %"),
    ],
)
def test_advice_is_given_only_where_the_rate_is_far_off(
    reflected: tuple[bool, ...], said: str | None
) -> None:
    given = list_advice(report(*reflected))

    assert len(given) == (said is not None)
    assert said is None or said in given[0]


@pytest.mark.parametrize(("bound", "given"), [(5, False), (6, True)])
def test_advice_names_what_is_left_where_the_bound_is_often_reached(
    bound: int, given: bool
) -> None:
    results = [result(str(n), iterations=3, rules=("text.x",), bound=n < bound) for n in range(30)]
    results += [result(f"good {n}") for n in range(70)]

    said = [each for each in list_advice(Report(results=tuple(results))) if "bound" in each]

    assert bool(said) is given
    assert not given or "mostly on text.x" in said[0]


def test_a_set_without_cases_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no cases"):
        Report(results=())


def test_what_is_not_known_makes_the_range_wider_and_is_said() -> None:
    lost = replace(result("x"), judged=False, silent=True)
    unseen = replace(result("y"), judged=False, standing=Standing.UNREVIEWED)
    known = Report(results=(result("a"), result("b"), result("c")))
    half = Report(results=(*known.results, lost, unseen))
    none = Report(results=(lost, unseen))

    assert (half.gaps.unknown, half.gaps.without_reply, half.gaps.unreviewed) == (2, 1, 1)
    assert half.reflection_range[1] > known.reflection_range[1]
    assert (half.gaps.tells, none.gaps.tells) == (True, False)
    assert [said.split(":")[0] for said in list_doubts(none)] == [
        "Cannot tell how often replies are rejected",
        "1 of 2 cases have no reply",
        "1 of 2 replies were sent unreviewed",
    ]
    assert (list(list_doubts(known)), list_advice(none)) == ([], [])
