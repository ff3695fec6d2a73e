"""What is believed of all versions of a task at once."""

from __future__ import annotations

import random
import statistics

import pytest

from mulligan.learning.task_selection import (
    MOST_VERSIONS,
    NOBODY,
    Beliefs,
    ReflectorRecord,
    estimate_variances,
    weigh,
)
from mulligan.types.notes import Pairs, Scorecard


def card(version: int, good: float, n: int, *, squares: float | None = None) -> Scorecard:
    told = good if squares is None else squares
    return Scorecard(version=version, runs=n, scored=n, score=good, squares=told)


def cards(*seen: Scorecard) -> dict[int, Scorecard]:
    return {each.version: each for each in seen}


def draw(beliefs: Beliefs, version: int) -> list[float]:
    """Many guesses at one version's success, made together with those at every other's."""
    chance = random.Random(3)
    return [beliefs.draw(chance, boldness=1.0)[version] for _ in range(4_000)]


def test_before_any_run_nothing_speaks_for_anything():
    beliefs = weigh({}, {1: 0}, needed=[0, 1])

    assert beliefs.compare(1, 0) == pytest.approx(0.5)
    assert beliefs.judge_reflector() == NOBODY
    assert NOBODY.trust == 0.5


def test_a_new_version_is_taken_to_be_as_good_as_its_parent():
    seen = cards(card(0, 20, 100), card(1, 90, 100))

    beliefs = weigh(seen, {1: 0, 2: 1, 3: 0}, needed=[0, 1, 2, 3])

    assert beliefs.estimate(2) == pytest.approx(beliefs.estimate(1), abs=0.05)
    assert beliefs.estimate(3) == pytest.approx(beliefs.estimate(0), abs=0.05)
    assert statistics.stdev(draw(beliefs, 2)) > statistics.stdev(draw(beliefs, 1))


def test_with_enough_runs_the_belief_is_what_was_seen():
    beliefs = weigh(cards(card(0, 6_000, 10_000), card(1, 7_000, 10_000)), {1: 0})

    assert beliefs.estimate(0) == pytest.approx(0.6, abs=0.01)
    assert beliefs.estimate(1) == pytest.approx(0.7, abs=0.01)
    assert beliefs.compare(1, 0) > 0.999


def test_a_draw_spreads_as_the_belief_does():
    beliefs = weigh(cards(card(0, 60, 100), card(1, 14, 20)), {1: 0})

    drawn = draw(beliefs, 1)
    ahead = [new > static for new, static in zip(drawn, draw(beliefs, 0), strict=True)]

    assert statistics.fmean(drawn) == pytest.approx(beliefs.estimate(1), abs=0.005)
    assert statistics.fmean(ahead) == pytest.approx(beliefs.compare(1, 0), abs=0.03)


def test_proposals_that_helped_speak_for_the_next_one():
    helped = cards(*(card(v, 50 + 8 * v, 100) for v in range(6)))
    hurt = cards(card(0, 60, 100), *(card(v, 45, 100) for v in range(1, 6)))
    line = {v: v - 1 for v in range(1, 7)}

    good = weigh(helped, line, needed=[6])
    bad = weigh(hurt, dict.fromkeys(range(1, 7), 0), needed=[6])

    assert good.judge_reflector().trust > 0.85
    assert good.estimate(6) > good.estimate(5)
    assert bad.judge_reflector().trust < 0.1
    assert bad.compare(6, 0) < 0.2


def test_a_hostile_reflector_is_seen_for_what_it_is_soon():
    seen = cards(card(0, 60, 100), *(card(v, 3, 10) for v in range(1, 5)))

    record = weigh(seen, {}).judge_reflector()

    assert record.mean < -0.1


def test_graded_scores_say_more_than_a_yes_or_no():
    yes_or_no = cards(card(0, 30, 50), card(1, 35, 50))
    graded = cards(card(0, 30, 50, squares=18.5), card(1, 35, 50, squares=25.0))

    assert estimate_variances(graded)[0] < estimate_variances(yes_or_no)[0] / 3
    assert weigh(graded, {}).compare(1, 0) > weigh(yes_or_no, {}).compare(1, 0)


def test_pairs_say_more_than_the_same_runs_apart():
    apart = cards(card(0, 24, 40), card(1, 28, 40))
    pairs = (Pairs(against=0, n=40, ahead=4.0, squares=0.6, score=28.0),)
    paired = cards(
        card(0, 24, 40),
        Scorecard(version=1, runs=40, scored=40, score=28.0, squares=28.0, pairs=pairs),
    )

    assert weigh(paired, {}).compare(1, 0) > 0.99 > weigh(apart, {}).compare(1, 0)


def test_what_runs_cost_beside_the_static_text_is_summed_up_with_its_doubt():
    beliefs = weigh(cards(card(0, 800, 1_000), card(1, 500, 1_000)), {1: 0})

    lost, unsure = beliefs.sum_losses({0: 1_000, 1: 1_000})

    assert lost == pytest.approx(300, abs=25)
    assert 0 < unsure < 40


def test_of_thousands_of_versions_the_latest_are_weighed():
    seen = cards(*(card(v, 5, 10) for v in range(3_000)))

    beliefs = weigh(seen, {v: v - 1 for v in range(1, 3_000)})

    assert len(beliefs.places) == MOST_VERSIONS
    assert 2_999 in beliefs.places


@pytest.mark.parametrize("parents", [{1: 1}, {1: 2, 2: 1}, {1: None}, {2: -1}])
def test_a_parent_that_is_no_parent_does_no_harm(parents):
    beliefs = weigh(cards(card(1, 5, 10), card(2, 5, 10)), parents)

    assert 0 < beliefs.estimate(1) < 1


def test_a_known_reflector_is_trusted_from_its_first_proposal():
    known = ReflectorRecord(mean=0.05, spread=0.01)

    assert weigh({}, {1: 0}, needed=[1], record=known).compare(1, 0) > 0.7
