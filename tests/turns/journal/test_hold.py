from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mulligan.core.action import HOLD_LIFE, Hold
from mulligan.turns.journal.hold import Held, has_expired

NOW = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)


def test_what_an_agent_gets_is_a_sentence_and_the_hold() -> None:
    hold = Hold(action="a1", expires_at=NOW, reason="It cannot be undone.")

    held = Held(hold, tool="mail")

    assert held.startswith("mail was not run yet: It cannot be undone.")
    assert "(hold a1, until 09:30 UTC). Do not call it again now; tell" in held
    assert held.hold is hold


@pytest.mark.parametrize(
    ("detail", "after", "over"),
    [
        ({"expires_at": NOW.isoformat()}, timedelta(), True),
        ({"expires_at": NOW.isoformat()}, timedelta(seconds=-1), False),
        ({}, HOLD_LIFE, True),
        ({}, HOLD_LIFE - timedelta(seconds=1), False),
        ({"expires_at": "soon"}, HOLD_LIFE, True),
    ],
)
def test_a_hold_ends_when_it_says_or_else_after_its_life(
    detail: dict[str, object], after: timedelta, over: bool
) -> None:
    assert has_expired(detail, changed_at=NOW, now=NOW + after) is over
