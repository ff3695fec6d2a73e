"""What episodes say of lessons."""

from __future__ import annotations

from msgspec.structs import replace

from mulligan.learning.mining import find_uses, mine
from mulligan.types.lesson import Benefit, Ending, How, Kind, Offer, Origin
from tests.learning.cases import HASHED, NOW, changing, episode, made

LOWER = changing(made("order_id", How.CASE, case="lower"))
(LESSON,) = mine([episode(1, HASHED)], at=NOW)
OFFER = Offer(
    source=Origin.MEMORY, kinds=(Kind.REFORMAT,), probability=0.9, n=3, lesson=LESSON.id, taken=True
)


def test_an_agents_own_fix_counts_as_a_use() -> None:
    (use,) = find_uses([episode(5, HASHED)], [LESSON])

    assert (use.lesson, use.call, use.benefit) == (LESSON.id, "call-5", Benefit.HELPED)
    assert (use.principal, use.turn) == ("ann-5", "turn-5")


def test_what_nobody_verified_speaks_for_nothing() -> None:
    assert find_uses([episode(5, HASHED, verified=False)], [LESSON]) == []
    assert find_uses([episode(5, HASHED, ending=Ending.LEFT)], [LESSON]) == []


def test_what_was_taken_back_speaks_against_a_lesson() -> None:
    (use,) = find_uses([episode(5, HASHED, ending=Ending.UNDONE)], [LESSON])

    assert use.benefit is Benefit.HARMED


def test_a_suggestion_that_did_not_help_harmed_although_the_agent_went_on() -> None:
    taken = episode(5, LOWER, offer=replace(OFFER, helped=False))

    (use,) = find_uses([taken], [LESSON])

    assert (use.benefit, use.note) == (Benefit.HARMED, "suggested")


def test_another_tenant_tool_pattern_or_remedy_is_another_matter() -> None:
    others = [
        episode(1, HASHED, tenant="b"),
        episode(2, HASHED, tool="get_item"),
        episode(3, HASHED, fingerprint="1:g"),
        episode(4, LOWER),
    ]

    assert find_uses(others, [LESSON]) == []
