"""Where a lesson stands, by what its uses came to."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan.learning.lessons import (
    RULES,
    approve,
    find_count_start,
    judge_life,
    quarantine,
    revoke,
)
from mulligan.types.lesson import Balance, Benefit, LessonState, Use, compute_balance
from tests.learning.cases import DAY, NOW, lesson

ACTIVE = lesson(state=LessonState.ACTIVE)


@pytest.mark.parametrize(
    ("balance", "people", "state"),
    [
        (Balance(helped=3, turns=2), None, LessonState.ACTIVE),
        (Balance(helped=6, turns=6, principals=1), None, None),
        (Balance(helped=3, turns=2, principals=3), 3, LessonState.ACTIVE),
        (Balance(helped=3, turns=2, principals=3), 8, LessonState.ACTIVE),
        (Balance(helped=3, turns=2, principals=3), 9, None),
        (Balance(helped=10, turns=10, principals=10), 30, None),
        (Balance(helped=20, turns=20, principals=20), 3_000, LessonState.ACTIVE),
        (Balance(helped=3, turns=3, principals=2), 3, None),
        (Balance(helped=3, turns=1, principals=3), None, None),
        (Balance(helped=2, turns=2, principals=2), None, None),
        (Balance(helped=9, turns=9, harmed=1), None, None),
        (Balance(helped=90, turns=60, harmed=1), None, LessonState.ACTIVE),
        (Balance(helped=3, turns=3, harmed=2), None, LessonState.QUARANTINED),
        (Balance(helped=500, turns=500, principals=5, harmed=2), 5, LessonState.QUARANTINED),
    ],
)
def test_a_candidate_is_judged_by_its_uses(
    balance: Balance, people: int | None, state: LessonState | None
) -> None:
    found = judge_life(lesson(), balance, now=NOW, people=people)

    assert (None if found is None else found.state) is state


@pytest.mark.parametrize(("met", "state"), [(7, LessonState.ACTIVE), (8, None)])
def test_most_of_those_who_met_a_failure_must_have_mended_it_so(
    met: int, state: LessonState | None
) -> None:
    balance = Balance(helped=4, turns=4, principals=4)

    found = judge_life(lesson(met=met), balance, now=NOW, people=8)

    assert (None if found is None else found.state) is state


def test_an_active_lesson_is_quarantined_after_two_harms() -> None:
    assert judge_life(ACTIVE, Balance(helped=5, turns=5, harmed=1), now=NOW) is None

    found = judge_life(ACTIVE, Balance(helped=5, turns=5, harmed=2), now=NOW)

    assert found is not None
    assert found.state is LessonState.QUARANTINED
    assert found.version == ACTIVE.version + 1
    assert found.why == "it harmed 2 times and helped 5 times"


def test_a_changed_schema_sends_a_lesson_back() -> None:
    found = judge_life(ACTIVE, Balance(helped=9, turns=9), now=NOW, schema_hash="s2")

    assert found is not None
    assert (found.state, found.schema_hash) == (LessonState.CANDIDATE, "s2")


def test_after_a_changed_schema_only_later_uses_count() -> None:
    back = judge_life(ACTIVE, Balance(), now=NOW + DAY, schema_hash="s2")
    assert back is not None
    uses = [use(n, NOW + timedelta(hours=n)) for n in range(10)]

    balance = compute_balance(uses, since=find_count_start([ACTIVE, back]))

    assert balance == Balance()
    assert judge_life(back, balance, now=NOW + DAY, schema_hash="s2") is None


def test_what_nothing_needs_for_long_is_retired() -> None:
    later = NOW + RULES.quiet + DAY

    found = judge_life(ACTIVE, Balance(helped=9, turns=9), now=later)
    needed = judge_life(ACTIVE, Balance(helped=9, turns=9), now=later, last_needed=later - DAY)

    assert found is not None
    assert found.state is LessonState.RETIRED
    assert needed is None


def test_a_person_can_approve_doubt_and_revoke() -> None:
    assert approve(lesson(), by="ann", at=NOW).state is LessonState.ACTIVE
    assert quarantine(ACTIVE, by="ann", at=NOW).state is LessonState.QUARANTINED
    gone = revoke(ACTIVE, by="ann", at=NOW, why="it is wrong")

    assert (gone.state, gone.by, gone.why) == (LessonState.RETIRED, "ann", "it is wrong")
    assert judge_life(gone, Balance(helped=9, turns=9), now=NOW) is None


def test_a_persons_word_starts_the_count_anew_but_later_harm_still_counts() -> None:
    doubted = quarantine(ACTIVE, by="evidence", at=NOW)
    again = approve(doubted, by="ann", at=NOW + DAY)
    since = find_count_start([ACTIVE, doubted, again])
    before = [use(n, NOW, Benefit.HARMED) for n in (1, 2)]
    after = [use(n, NOW + 2 * DAY, Benefit.HARMED) for n in (3, 4)]

    kept = judge_life(again, compute_balance(before, since=since), now=NOW + DAY)
    lost = judge_life(again, compute_balance(before + after, since=since), now=NOW + 2 * DAY)

    assert kept is None
    assert lost is not None
    assert lost.state is LessonState.QUARANTINED


def use(number: int, at: object, benefit: Benefit = Benefit.HELPED) -> Use:
    return Use(
        lesson="lesson-1",
        version=1,
        call=f"call-{number}",
        at=at,  # type: ignore[arg-type]
        turn=f"turn-{number}",
        principal=f"person-{number}",
        benefit=benefit,
    )
