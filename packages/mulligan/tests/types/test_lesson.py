from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from mulligan.types.lesson import (
    Balance,
    Benefit,
    Ending,
    Kind,
    LessonState,
    Offer,
    Origin,
    Use,
    build_episode_slot,
    compute_balance,
    hash_schema,
    join_kinds,
)
from tests.learning.cases import episode

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)


def use(number: int, benefit: Benefit = Benefit.HELPED, **who: str) -> Use:
    at = NOW + timedelta(hours=number)
    return Use(lesson="l", version=1, call=f"c{number}", at=at, benefit=benefit, **who)


def test_turns_and_people_count_once_and_only_where_it_helped() -> None:
    uses = [
        use(1, turn="t1", principal="ann"),
        use(2, turn="t1", principal="bob"),
        use(3),
        use(4, Benefit.HARMED, turn="t2", principal="eve"),
        use(5, Benefit.HARMED, turn="t3", principal="eve"),
        use(0, turn="t1", principal="ann"),
    ]

    late = compute_balance(uses, since=NOW + timedelta(hours=3))

    assert compute_balance(uses) == Balance(helped=3, harmed=1, turns=1, principals=2, uses=6)
    assert late == Balance(helped=1, harmed=1, uses=3)


def test_a_schema_is_another_one_when_it_says_something_else() -> None:
    one = {"type": "object", "required": ["a"]}

    assert hash_schema(one) == hash_schema({"required": ["a"], "type": "object"})
    assert hash_schema(one) != hash_schema({"type": "object", "required": ["b"]})


def test_kinds_are_counted_under_one_name_in_any_order() -> None:
    assert join_kinds([Kind.RENAME, Kind.COERCE, Kind.RENAME]) == "coerce+rename"


def test_an_episode_counts_on_its_day_in_utc() -> None:
    late = datetime(2026, 11, 15, 23, tzinfo=timezone(timedelta(hours=-5)))

    assert build_episode_slot(episode(1, at=late)).day == date(2026, 11, 16)


@pytest.mark.parametrize(
    ("taken", "helped", "counted"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_an_offer_helped_only_if_it_was_taken(taken: bool, helped: bool, counted: bool) -> None:
    offer = Offer(
        source=Origin.SCHEMA, kinds=(Kind.COERCE,), probability=0.5, n=0, taken=taken, helped=helped
    )

    slot = build_episode_slot(episode(1, offer=offer, ending=Ending.REPAIRED))

    assert (slot.taken, slot.helped, slot.repaired) == (taken, counted, True)


def test_only_candidates_and_active_lessons_live() -> None:
    assert {each for each in LessonState if each.living} == {
        LessonState.CANDIDATE,
        LessonState.ACTIVE,
    }
