from __future__ import annotations

from datetime import UTC, datetime

from mulligan.runtime.hold import Held
from mulligan.types.action import Hold

NOW = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)


def test_what_an_agent_gets_is_a_sentence_and_the_hold() -> None:
    hold = Hold(action="a1", expires_at=NOW, reason="It cannot be undone.")

    held = Held(hold, tool="mail")

    assert held.startswith("mail was not run yet: It cannot be undone.")
    assert "(hold a1, until 09:30 UTC). Do not call it again now; tell" in held
    assert held.hold is hold
