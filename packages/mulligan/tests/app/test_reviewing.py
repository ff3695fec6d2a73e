from __future__ import annotations

import pytest

from mulligan.app.wiring import Asked, assemble
from mulligan.checks.facts import computed_facts
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError
from mulligan.types.turn import Turn
from mulligan_testing.fakes import ScriptedJudge


async def look_up(turn: Turn) -> tuple[()]:
    return ()


@pytest.mark.parametrize(
    ("judge", "gathered"), [(None, (look_up,)), (ScriptedJudge([]), (look_up, computed_facts))]
)
def test_only_a_judge_is_told_what_can_be_computed(judge: object, gathered: object) -> None:
    parts = assemble(Settings(store="memory:"), asked=Asked(facts=[look_up], judge=judge))

    assert parts.reviewers.gathers == gathered
    parts.store.close()


def test_what_is_no_function_gathers_no_facts() -> None:
    with pytest.raises(ConfigurationError, match="facts"):
        assemble(Settings(store="memory:"), asked=Asked(facts=["weather"]))  # type: ignore[list-item]
