"""Which version gets the next run, and which keeps its place."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from msgspec.structs import replace

from mulligan.learning.task_selection import (
    AUDIT,
    BLIND_SHARE,
    LATEST,
    MOST_ON_TRIAL,
    ON_TRIAL,
    ReflectorRecord,
    Standings,
    choose,
    choose_best,
    describe_excess_cost,
    estimate_since,
    is_audited,
    is_unsure,
    make_room,
    plan_interval,
    settle,
)
from mulligan.types.notes import NotesState, Pairs, Scorecard

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


def test_the_same_chance_chooses_the_same_version():
    seen = standings(card(0, 60, 100), card(1, 7, 10))

    first = [choose(seen, chance=random.Random(f"7 {n}")) for n in range(50)]
    again = [choose(seen, chance=random.Random(f"7 {n}")) for n in range(50)]

    assert first == again
    assert len(set(first)) == 2


def test_before_any_run_there_is_the_static_text():
    assert choose(Standings(), chance=random.Random(1)) == 0


def test_a_better_version_gets_more_runs_and_a_worse_one_fewer():
    chosen = shares(standings(card(0, 60, 100), card(1, 80, 100), card(2, 40, 100)))

    assert chosen[1] > 390
    assert chosen[2] == 0


def test_retired_versions_get_no_run_and_version_0_always_may():
    chosen = shares(standings(card(0, 60, 100), card(1, 9, 10, state=RETIRED), card(2, 6, 10)))

    assert set(chosen) == {0, 2}


def test_a_pinned_version_gets_every_run():
    seen = standings(card(0, 90, 100), card(1, 1, 100, state=PINNED), card(2, 50, 100))

    assert set(shares(seen, draws=50)) == {1}


def test_a_proposal_builds_on_what_does_best():
    assert (
        choose_best(standings(card(0, 6, 10), card(1, 9, 10), card(2, 10, 10, state=RETIRED))) == 1
    )
    assert choose_best(Standings()) == 0


def test_a_version_is_promoted_once_it_is_better_with_95_percent():
    assert changed(standings(card(0, 60, 100), card(1, 38, 40))) == [(1, CHAMPION)]
    assert changed(standings(card(0, 60, 100), card(1, 28, 40))) == []


def test_nine_runs_are_not_enough_for_anything():
    assert changed(standings(card(0, 20, 100), card(1, 9, 9))) == []
    assert changed(standings(card(0, 20, 100), card(1, 10, 10))) == [(1, CHAMPION)]
    assert changed(standings(card(0, 95, 100), card(1, 0, 9))) == []


def test_a_version_that_is_worse_is_retired():
    assert changed(standings(card(0, 60, 100), card(1, 5, 40))) == [(1, RETIRED)]


def test_a_rival_has_to_beat_the_champion_and_not_only_version_0():
    reigning = champion(1, since_good=36, since_n=40)

    assert changed(standings(card(0, 40, 100), reigning, card(2, 34, 40))) == []
    assert changed(standings(card(0, 40, 100), reigning, card(2, 100, 100))) == [(2, CHAMPION)]


def test_of_two_that_would_do_the_better_one_is_promoted():
    seen = standings(card(0, 40, 100), card(1, 36, 40), card(2, 40, 40))

    assert changed(seen) == [(2, CHAMPION)]


def test_a_champion_that_falls_below_version_0_goes_back_on_trial():
    seen = standings(card(0, 60, 100), champion(1, since_good=3, since_n=10))

    [change] = settle(seen, most_cost=1.5)

    assert (change.version, change.was, change.state) == (1, CHAMPION, TRIAL)
    assert change.n == 10
    assert "better than version 0 with a probability of only" in change.reason


def test_what_made_it_champion_does_not_keep_it_there():
    lucky = card(1, 1000 + 3, 1000 + 10, state=CHAMPION, since_scored=10, since_score=3.0)

    assert changed(standings(card(0, 60, 100), lucky)) == [(1, TRIAL)]


def test_a_champion_that_holds_stays():
    assert changed(standings(card(0, 60, 100), champion(1, since_good=9, since_n=10))) == []
    assert changed(standings(card(0, 60, 100), champion(1, since_good=0, since_n=2))) == []


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


def test_room_is_made_by_the_least_promising():
    trial = [card(v, v, 10) for v in range(1, ON_TRIAL + 1)]

    gone = list(make_room(standings(card(0, 6, 10), *trial)))

    assert [(change.version, change.state) for change in gone] == [(1, RETIRED)]
    assert list(make_room(standings(card(0, 6, 10), *trial[1:]))) == []


def test_the_champion_does_not_have_to_make_room():
    trial = [card(v, 4 if v == 2 else 5, 10) for v in range(2, ON_TRIAL + 2)]

    gone = list(make_room(standings(card(0, 6, 10), champion(1, 0, 2), *trial)))

    assert [change.version for change in gone] == [2]


def test_of_thousands_that_were_once_accepted_only_the_newest_are_tried():
    seen = standings(*(card(version, 5, 10) for version in range(1_000)))

    assert seen.playing == [0, *range(1_000 - MOST_ON_TRIAL, 1_000)]
    assert seen.on_trial == seen.playing[1:]


def test_what_is_not_proven_shares_its_runs_with_the_static_text():
    unproven = shares(standings(card(0, 60, 100), card(1, 6, 10)))
    proven = shares(standings(card(0, 60, 100), card(1, 85, 100)))

    assert unproven[0] > 200
    assert proven[1] > 380


def test_once_trying_has_cost_too_much_only_what_is_static_runs():
    costly = [card(v, 10, 60, state=RETIRED) for v in range(1, 5)]
    seen = standings(card(0, 60, 100), *costly, card(9, 6, 8))

    assert set(shares(seen, draws=50)) == {0}


def test_without_any_score_notes_get_a_small_share_only():
    blind = Scorecard(version=0, runs=90), Scorecard(version=1, runs=10)

    chosen = shares(standings(*blind), draws=2_000)

    assert chosen[1] / 2_000 == pytest.approx(BLIND_SHARE, abs=0.03)


def test_a_good_reflector_is_asked_sooner_and_a_bad_one_later():
    seen = standings(card(0, 60, 100))
    good, bad = ReflectorRecord(mean=0.05), ReflectorRecord(mean=-0.05)

    unknown = plan_interval(seen, every=4)
    sooner = plan_interval(Standings(cards=seen.cards, record=good), every=4)
    later = plan_interval(Standings(cards=seen.cards, record=bad), every=4)

    assert unknown == pytest.approx(4)
    assert sooner < 1.5 < LATEST / 2 < later


def test_without_any_score_one_proposal_is_enough():
    blind = standings(Scorecard(version=0, runs=90), Scorecard(version=1, runs=10))

    assert plan_interval(blind, every=4) == float("inf")
    assert plan_interval(standings(Scorecard(version=0, runs=90)), every=4) == 4


def test_a_champion_keeps_its_place_where_the_evidence_is_for_it_or_says_nothing():
    even = standings(card(0, 60, 100), champion(1, since_good=12, since_n=20))
    better = standings(card(0, 60, 100), champion(1, since_good=16, since_n=20))

    assert changed(even) == changed(better) == []
    assert estimate_since(better, 1) > estimate_since(even, 1) > 0.4


def test_a_run_is_made_twice_only_while_that_can_tell_something():
    unsure = standings(card(0, 60, 100), card(1, 7, 10))
    sure = standings(card(0, 60, 100), card(1, 98, 100))

    assert is_unsure(unsure, 1)
    assert not is_unsure(sure, 1)


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
    ("ahead", "n", "falls"), [(-0.02, 30, True), (0.02, 30, False), (-0.02, 5, False)]
)
def test_enough_pairs_take_a_place_at_even_odds(ahead: float, n: int, falls: bool):
    assert ((1, TRIAL) in changed(beside(ahead, n))) == falls
