from __future__ import annotations

import random

import pytest

from mulligan import Mulligan
from mulligan.types.log import LogQuery
from mulligan_demo.history import STORIES, AgentShift
from mulligan_demo.office import Office, declare_tools


@pytest.mark.parametrize("story", STORIES, ids=lambda each: each.__name__)
@pytest.mark.parametrize("slips", [0.0, 1.0])
async def test_a_story_is_one_turn_of_calls(story, slips: float) -> None:
    chance = random.Random(3)
    async with Mulligan("memory:", recover=False) as m:
        office = Office(chance, trouble=0)
        shift = AgentShift(
            m=m, desk=declare_tools(m, office), office=office, chance=chance, slips=slips
        )

        await story(shift)
        m.flush()
        rows = m.insights.log(LogQuery())
        opened = m.insights.open_list.actions()

    assert rows or opened
    assert len({row.turn for row in rows}) <= 1
    assert all(row.agent for row in rows)
