"""Which version of a task gets the next run, which keeps its place, and which is built on."""

from __future__ import annotations

import random
import statistics
from collections import Counter
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from mulligan.learning.task_selection import (
    AUDIT,
    LATEST,
    MOST_ON_TRIAL,
    MOST_VERSIONS,
    ON_TRIAL,
    Beliefs,
    ReflectorRecord,
    Standings,
    choose,
    describe_excess_cost,
    find_front,
    is_audited,
    make_room,
    plan_interval,
    settle,
    weigh,
)
from mulligan.types.finding import Standing
from mulligan.types.notes import NotesState, Pairs, Scorecard, TaskRun


def scored(version: int, good: float, n: int, *, squares: float | None = None) -> Scorecard:
    told = good if squares is None else squares
    return Scorecard(version=version, runs=n, scored=n, score=good, squares=told)


def cards(*seen: Scorecard) -> dict[int, Scorecard]:
    return {each.version: each for each in seen}


def draw(beliefs: Beliefs, version: int) -> list[float]:
    """Many guesses at one version's success, made together with those at every other's."""
    chance = random.Random(3)
    return [beliefs.draw(chance, boldness=1.0)[version] for _ in range(4_000)]


def test_a_new_version_is_taken_to_be_as_good_as_its_parent():
    seen = cards(scored(0, 20, 100), scored(1, 90, 100))

    beliefs = weigh(seen, {1: 0, 2: 1, 3: 0}, needed=[0, 1, 2, 3])

    assert beliefs.estimate(2) == pytest.approx(beliefs.estimate(1), abs=0.05)
    assert beliefs.estimate(3) == pytest.approx(beliefs.estimate(0), abs=0.05)
    assert statistics.stdev(draw(beliefs, 2)) > statistics.stdev(draw(beliefs, 1))


def test_proposals_that_helped_speak_for_the_next_one():
    helped = cards(*(scored(v, 50 + 8 * v, 100) for v in range(6)))
    hurt = cards(scored(0, 60, 100), *(scored(v, 45, 100) for v in range(1, 6)))
    line = {v: v - 1 for v in range(1, 7)}

    good = weigh(helped, line, needed=[6])
    bad = weigh(hurt, dict.fromkeys(range(1, 7), 0), needed=[6])

    assert good.judge_reflector().trust > 0.85
    assert good.estimate(6) > good.estimate(5)
    assert bad.judge_reflector().trust < 0.1
    assert bad.compare(6, 0) < 0.2


def test_of_thousands_of_versions_the_latest_are_weighed():
    seen = cards(*(scored(v, 5, 10) for v in range(3_000)))

    beliefs = weigh(seen, {v: v - 1 for v in range(1, 3_000)})

    assert len(beliefs.places) == MOST_VERSIONS
    assert 2_999 in beliefs.places


TRIAL, CHAMPION, PINNED, RETIRED = NotesState


def card(version: int, good: float, n: int, **changes: object) -> Scorecard:
    return Scorecard(version=version, runs=n, scored=n, score=good, squares=good, **changes)


def standings(*cards: Scorecard, parents: dict[int, int] | None = None) -> Standings:
    return Standings(cards={c.version: c for c in cards}, parents=parents or {})


def champion(version: int, since_good: float, since_n: int) -> Scorecard:
    before = 10
    return card(
        version,
        before + since_good,
        before + since_n,
        state=CHAMPION,
        since_scored=since_n,
        since_score=since_good,
        since_squares=since_good,
    )


def changed(seen: Standings) -> list[tuple[int, NotesState]]:
    return [(change.version, change.state) for change in settle(seen, most_cost=1.5)]


def shares(seen: Standings, draws: int = 400) -> Counter[int]:
    return Counter(choose(seen, chance=random.Random(number)) for number in range(draws))


@pytest.mark.parametrize("unit", ["tokens", "seconds"])
def test_a_version_that_costs_too_much_is_not_promoted_but_retired(unit):
    static = card(0, 60, 100, metered=100, tokens=20_000.0, seconds=500.0)
    dear = {"metered": 40, "tokens": 8_000.0, "seconds": 200.0}
    dear[unit] *= 1.6
    seen = standings(static, card(1, 38, 40, **dear))

    [change] = settle(seen, most_cost=1.5)

    assert (change.version, change.state) == (1, RETIRED)
    assert unit in change.reason
    assert [c.state for c in settle(seen, most_cost=2.0)] == [CHAMPION]


def test_a_champion_that_becomes_too_dear_loses_its_place():
    static = card(0, 60, 100, metered=100, tokens=10_000.0)
    dear = card(
        1, 50, 50, state=CHAMPION, since_scored=40, since_score=40.0, metered=50, tokens=10_000.0
    )

    [change] = settle(standings(static, dear), most_cost=1.5)

    assert (change.was, change.state) == (CHAMPION, TRIAL)
    assert "200.0 tokens a run" in change.reason


def test_small_differences_in_cost_are_no_reason():
    static = card(0, 6, 10, metered=10, tokens=100.0, seconds=0.001)
    other = card(1, 6, 10, metered=10, tokens=500.0, seconds=0.9)

    assert describe_excess_cost(standings(static, other), 1, most_cost=1.5) is None


def test_of_thousands_that_were_once_accepted_only_the_newest_are_tried():
    seen = standings(*(card(version, 5, 10) for version in range(1_000)))

    assert seen.playing == [0, *range(1_000 - MOST_ON_TRIAL, 1_000)]
    assert seen.on_trial == seen.playing[1:]


def test_a_good_reflector_is_asked_sooner_and_a_bad_one_later():
    seen = standings(card(0, 60, 100))
    good, bad = ReflectorRecord(mean=0.05), ReflectorRecord(mean=-0.05)

    unknown = plan_interval(seen, every=4)
    sooner = plan_interval(Standings(cards=seen.cards, record=good), every=4)
    later = plan_interval(Standings(cards=seen.cards, record=bad), every=4)

    assert unknown == pytest.approx(4)
    assert sooner < 1.5 < LATEST / 2 < later


def beside(ahead: float, n: int) -> Standings:
    """A champion that was run beside the static text since it became one."""
    pairs = (Pairs(against=0, n=n, ahead=ahead * n, squares=0.02 * n, score=0.6 * n),)
    crowned = replace(champion(1, 0.6 * n, n), pairs=pairs)
    return standings(card(0, 18 + 0.6 * n, 30 + n), crowned, card(2, 9, 10))


def test_a_new_champion_is_audited_where_runs_are_paired():
    new, old = beside(0.0, 5), beside(0.0, AUDIT)

    drawn = Counter(choose(new, chance=random.Random(n), paired=True) for n in range(50))

    assert (is_audited(new), drawn) == (True, Counter({1: 50}))
    assert not is_audited(old)
    assert not is_audited(standings(card(0, 18, 30)))


@pytest.mark.parametrize(
    ("ahead", "n", "falls"), [(-0.02, 40, True), (0.02, 40, False), (-0.02, 5, False)]
)
def test_pairs_that_tell_closely_take_a_place_at_even_odds(ahead: float, n: int, falls: bool):
    assert ((1, TRIAL) in changed(beside(ahead, n))) == falls


NOW = datetime(2026, 11, 16, tzinfo=UTC)


def ran(version: int, score: float | None, problem: str = "") -> TaskRun:
    return TaskRun(
        version=version, at=NOW, score=score, standing=Standing.ACCEPTED, problem=problem
    )


def test_who_is_best_at_one_kind_of_trouble_stays():
    """Version 1 is better overall, and version 2 alone is never late."""
    runs = [
        ran(1, 0.9),
        ran(1, 0.8, "late"),
        ran(2, 0.6),
        ran(2, 0.5, "vague"),
        ran(0, 0.1, "late"),
    ]

    front = find_front(runs)

    assert {each.version for each in front} == {1, 2}
    assert all(each.wins for each in front)


STATIC = card(0, 60, 100)
REIGNING = champion(1, since_good=36, since_n=40)
LUCKY = card(1, 1000 + 3, 1000 + 10, state=CHAMPION, since_scored=10, since_score=3.0)


@pytest.mark.parametrize(
    ("cards", "change"),
    [
        ([STATIC, card(1, 38, 40)], [(1, CHAMPION)]),
        ([STATIC, card(1, 28, 40)], []),
        ([STATIC, card(1, 5, 40)], [(1, RETIRED)]),
        # Nine runs are not enough for anything.
        ([card(0, 20, 100), card(1, 9, 9)], []),
        ([card(0, 20, 100), card(1, 10, 10)], [(1, CHAMPION)]),
        ([card(0, 95, 100), card(1, 0, 9)], []),
        # A rival has to beat the champion, and the better one of two.
        ([card(0, 40, 100), REIGNING, card(2, 34, 40)], []),
        ([card(0, 40, 100), REIGNING, card(2, 100, 100)], [(2, CHAMPION)]),
        ([card(0, 40, 100), card(1, 36, 40), card(2, 40, 40)], [(2, CHAMPION)]),
        # What made it champion does not keep it there; what says little takes no place.
        ([STATIC, LUCKY], [(1, TRIAL)]),
        ([STATIC, champion(1, since_good=9, since_n=10)], []),
        ([STATIC, champion(1, since_good=0, since_n=2)], []),
        ([STATIC, champion(1, since_good=12, since_n=20)], []),
    ],
)
def test_places_are_won_and_lost_on_evidence(cards, change):
    assert changed(standings(*cards)) == change


@pytest.mark.parametrize(
    ("cards", "least"),
    [
        ([STATIC, card(1, 80, 100), card(2, 40, 100)], {1: 390}),
        ([STATIC, card(1, 9, 10, state=RETIRED), card(2, 6, 10)], {0: 1, 2: 1}),
        ([card(0, 90, 100), card(1, 1, 100, state=PINNED), card(2, 50, 100)], {1: 400}),
        ([STATIC, card(1, 6, 10)], {0: 201, 1: 1}),
        ([STATIC, card(1, 85, 100)], {1: 381}),
        ([STATIC, *(card(v, 10, 60, state=RETIRED) for v in range(1, 5)), card(9, 6, 8)], {0: 400}),
        ([], {0: 400}),
    ],
    ids=["better", "retired", "pinned", "not proven", "proven", "trying cost too much", "no run"],
)
def test_runs_go_to_what_does_better_and_what_is_not_proven_shares_them(cards, least):
    chosen = shares(standings(*cards))

    assert all(chosen[version] >= count for version, count in least.items())
    assert 2 in least or chosen[2] == 0


def test_room_is_made_by_the_least_promising_and_never_by_the_champion():
    trial = [card(v, v, 10) for v in range(1, ON_TRIAL + 1)]
    others = [card(v, 4 if v == 2 else 5, 10) for v in range(2, ON_TRIAL + 2)]

    assert [(c.version, c.state) for c in make_room(standings(STATIC, *trial))] == [(1, RETIRED)]
    assert list(make_room(standings(STATIC, *trial[1:]))) == []
    gone = make_room(standings(STATIC, champion(1, 0, 2), *others))
    assert [change.version for change in gone] == [2]


def test_who_is_worse_at_everything_or_was_never_scored_is_not_on_the_front():
    front = find_front([ran(0, 0.5, "late"), ran(1, 0.9), ran(2, 0.4, "late")])

    assert [each.version for each in front] == [1]
    assert find_front([ran(0, None), ran(1, None)]) == []
