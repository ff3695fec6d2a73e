"""Probabilities: from the table to what was counted, and whether they mean what they say."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest

from mulligan.learning.calibration import (
    compute_wilson,
    measure_calibration,
    measure_lift,
)
from mulligan.learning.lessons import build_suggestion
from mulligan.learning.recall import (
    Nearness,
    Outcomes,
    build_chance,
    count_outcomes,
    weigh_suggestion,
)
from mulligan.learning.suggest import BY_KIND, BY_SOURCE
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import (
    EpisodeSlot,
    Group,
    Kind,
    Origin,
)
from tests.learning.cases import lesson
from tests.learning.failures import failed

TODAY = date(2026, 11, 15)


def slot(**fields: object) -> EpisodeSlot:
    told = {
        "day": TODAY,
        "tenant": "",
        "principal": "",
        "tool": "t",
        "error_class": ErrorClass.VALIDATION,
        "source": Origin.SCHEMA,
        "kinds": "coerce",
        "group": Group.TREATED,
        "taken": True,
        "helped": True,
        "repaired": True,
    }
    return EpisodeSlot(**{**told, **fields})  # type: ignore[arg-type]


KINDS = (Kind.COERCE,)


def posterior(outcomes: Outcomes) -> tuple[float, int]:
    return outcomes.estimate_posterior(Origin.SCHEMA, KINDS, error_class=ErrorClass.VALIDATION)


def test_what_was_not_taken_says_nothing() -> None:
    assert posterior(count_outcomes({slot(taken=False): 99}, today=TODAY)) == posterior(Outcomes())


def test_old_outcomes_weigh_less() -> None:
    fresh, _ = posterior(count_outcomes({slot(helped=False): 10}, today=TODAY))
    old, n = posterior(
        count_outcomes({slot(helped=False, day=TODAY - timedelta(days=180)): 10}, today=TODAY)
    )

    assert fresh < old
    assert n == 2


def test_a_suggestion_carries_what_was_measured() -> None:
    made = build_suggestion(lesson(), failed({"order_id": "W1"}))
    assert made is not None
    outcomes = Outcomes()
    for _ in range(50):
        outcomes.add(
            Origin.MEMORY,
            "reformat",
            error_class=ErrorClass.MISSING,
            helped=False,
            weight=1.0,
        )

    found = weigh_suggestion(made, outcomes, error_class=ErrorClass.MISSING)

    assert found.probability < 0.2
    assert found.n == 50


def test_one_person_counts_for_so_much_however_often_it_happened_to_them() -> None:
    many = count_outcomes({slot(principal="eve", helped=False): 500}, today=TODAY)
    few = count_outcomes({slot(principal="eve", helped=False): 2}, today=TODAY)
    nobody = count_outcomes({slot(helped=False): 500}, today=TODAY)

    assert posterior(many) == posterior(few)
    assert posterior(nobody) < posterior(many)


def test_one_tool_that_fails_all_day_does_not_speak_for_those_nobody_has_seen() -> None:
    others = {slot(tool=f"tool {number}"): 10 for number in range(5)}
    loud = count_outcomes({**others, slot(tool="loud", helped=False): 5_000}, today=TODAY)
    quiet = count_outcomes({**others, slot(tool="loud", helped=False): 15}, today=TODAY)

    assert posterior(loud)[0] == pytest.approx(posterior(quiet)[0])
    assert posterior(loud)[0] > 0.6


def test_the_more_a_lesson_explains_the_more_is_expected_of_it() -> None:
    chance = build_chance(Outcomes(), {})

    def expect(seen: int, of: int) -> float:
        known = lesson(seen=seen, of=of)
        made = build_suggestion(known, failed({"order_id": "W1"}))
        assert made is not None
        return chance(known, Nearness.PATTERN, made)[0]

    explained = [expect(seen, seen) for seen in (1, 2, 3, 5, 8, 40)]
    doubted = [expect(8, of) for of in (8, 10, 16, 80)]

    assert explained == sorted(set(explained))
    assert doubted == sorted(set(doubted), reverse=True)
    assert explained[0] < 0.7 < 0.9 < explained[-1] < 1


def test_honest_forecasts_are_calibrated_and_overconfident_ones_are_not() -> None:
    chance = random.Random(3)
    said = [chance.random() for _ in range(5_000)]
    honest = measure_calibration([(each, chance.random() < each) for each in said])
    boastful = measure_calibration([(0.95, chance.random() < 0.5) for _ in said])

    assert honest.ece < 0.04
    assert honest.brier < honest.base_brier
    assert boastful.ece == pytest.approx(0.45, abs=0.05)
    assert boastful.brier > boastful.base_brier
    assert sum(each.n for each in honest.bins) == 5_000


def test_lift_is_treated_less_control_with_what_is_sure_of_it() -> None:
    counts = {
        slot(repaired=True): 80,
        slot(repaired=False): 20,
        slot(group=Group.CONTROL, taken=False, helped=False, repaired=True): 10,
        slot(group=Group.CONTROL, taken=False, helped=False, repaired=False): 10,
        slot(group=None): 1_000,
    }

    found = measure_lift(counts)

    assert found is not None
    assert found.lift == pytest.approx(0.3)
    assert 0.05 < found.low < 0.3 < found.high < 0.55
    assert (found.treated, found.control) == (100, 20)
    assert measure_lift({slot(): 5}) is None


def test_every_kind_and_every_source_has_a_prior() -> None:
    assert set(BY_KIND) == set(Kind)
    assert set(BY_SOURCE) == set(Origin)


def test_an_interval_holds_what_was_counted_narrows_with_it_and_is_never_certain() -> None:
    few, many = compute_wilson(7, 10), compute_wilson(700, 1_000)

    assert few == pytest.approx((0.397, 0.892), abs=0.001)
    assert few[0] < many[0] < 0.7 < many[1] < few[1]
    assert compute_wilson(10, 10)[0] < 1.0 == compute_wilson(10, 10)[1]
    assert compute_wilson(0, 0) == (0.0, 1.0)
