"""Probabilities: from the table to what was counted, and whether they mean what they say."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest

from mulligan.core.error_class import ErrorClass
from mulligan.core.lesson import Balance, EpisodeSlot, Group, Offer, build_episode_slot
from mulligan.core.suggestion import Kind, Origin
from mulligan.learning.lessons.apply import build_suggestion
from mulligan.learning.lessons.calibration.calibrate import measure_calibration, measure_lift
from mulligan.learning.lessons.calibration.picture import render_reliability
from mulligan.learning.lessons.probability import (
    Outcomes,
    build_chance,
    count_outcomes,
    weigh_suggestion,
)
from mulligan.learning.lessons.recall import Nearness
from mulligan.learning.repair.priors import estimate_prior
from tests.learning.failures import failed
from tests.learning.lessons.cases import episode, lesson

TODAY = date(2026, 11, 15)
KINDS = (Kind.COERCE,)


def slot(**fields: object) -> EpisodeSlot:
    told = {
        "day": TODAY,
        "tenant": "",
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


def posterior(outcomes: Outcomes) -> tuple[float, int]:
    return outcomes.estimate_posterior(Origin.SCHEMA, KINDS, error_class=ErrorClass.VALIDATION)


def test_without_outcomes_the_table_is_all_there_is() -> None:
    assert posterior(Outcomes()) == (estimate_prior(Origin.SCHEMA, KINDS), 0)


def test_outcomes_move_the_probability_and_are_counted() -> None:
    low, n = posterior(count_outcomes({slot(helped=False): 40}, today=TODAY))
    high, _ = posterior(count_outcomes({slot(): 40}, today=TODAY))

    assert low < 0.2 < 0.9 < high < 1
    assert n == 40


def test_a_kind_that_is_named_twice_is_found_where_it_was_counted() -> None:
    twice = (Kind.COERCE, Kind.COERCE)
    offer = Offer(source=Origin.SCHEMA, kinds=twice, probability=0.5, n=0, taken=True, helped=True)
    taken = episode(1, offer=offer, error_class=ErrorClass.VALIDATION)

    outcomes = count_outcomes({build_episode_slot(taken): 40}, today=TODAY)

    assert (
        outcomes.estimate_posterior(Origin.SCHEMA, twice, error_class=ErrorClass.VALIDATION)[1]
        == 40
    )


def test_what_was_not_taken_says_nothing() -> None:
    assert posterior(count_outcomes({slot(taken=False): 99}, today=TODAY)) == posterior(Outcomes())


def test_old_outcomes_weigh_less() -> None:
    fresh, _ = posterior(count_outcomes({slot(helped=False): 10}, today=TODAY))
    old, n = posterior(
        count_outcomes({slot(helped=False, day=TODAY - timedelta(days=180)): 10}, today=TODAY)
    )

    assert fresh < old
    assert n == 2


def test_other_kinds_of_a_source_are_moved_a_little() -> None:
    outcomes = count_outcomes({slot(helped=False): 100}, today=TODAY)

    found, n = outcomes.estimate_posterior(
        Origin.SCHEMA, (Kind.RENAME,), error_class=ErrorClass.VALIDATION
    )

    assert found < estimate_prior(Origin.SCHEMA, (Kind.RENAME,))
    assert n == 0


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


def test_a_lesson_is_believed_by_its_own_uses_and_less_from_afar() -> None:
    made = build_suggestion(lesson(seen=8, of=8), failed({"order_id": "W1"}))
    assert made is not None
    harmful = {"lesson-1": Balance(harmed=16)}

    near = build_chance(Outcomes(), {})(lesson(seen=8, of=8), Nearness.PATTERN, made)
    far = build_chance(Outcomes(), {})(lesson(seen=8, of=8), Nearness.WORDS, made)
    bad = build_chance(Outcomes(), harmful)(lesson(seen=8, of=8), Nearness.PATTERN, made)

    assert near[0] > 0.9 > far[0]
    assert bad[0] < 0.6
    assert (near[1], bad[1]) == (8, 16)


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


def test_nothing_forecast_is_nothing_measured() -> None:
    empty = measure_calibration([])

    assert (empty.n, empty.ece, empty.bins) == (0, 0.0, ())
    assert "n=0" in render_reliability(empty)


def test_the_picture_has_a_mark_for_every_bin() -> None:
    found = measure_calibration([(0.2, False), (0.8, True)] * 50, bins=2)

    drawn = render_reliability(found)

    assert drawn.count("<circle") == 2
    assert "ECE 0.200" in drawn


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
