from __future__ import annotations

import pytest

from mulligan import Effect
from mulligan.types.action import ActionQuery
from mulligan.types.errors import ConfigurationError
from tests.world import EVENT, World, Worlds, moves


def list_actions(world: World) -> list:
    return world.m.insights.store.journal.list_actions(ActionQuery())


async def test_what_is_there_now_is_read_by_the_tool_itself(worlds: Worlds) -> None:
    world = await worlds()
    await world.act(moves(world, "2026-11-20"))
    [action] = list_actions(world)

    world.remote.update(EVENT, {"day": "2026-11-27"})

    found = await world.m._build_onlooker().read_now(action)
    assert found.data["day"] == "2026-11-27"


async def test_what_is_gone_is_nothing_and_what_cannot_be_read_is_said(worlds: Worlds) -> None:
    world = await worlds()
    await world.act(moves(world, "2026-11-20"))
    [action] = list_actions(world)
    look = world.m._build_onlooker()

    world.remote.delete(EVENT)
    assert await look.read_now(action) is None

    world.calendar.remote = None
    with pytest.raises(ConfigurationError, match="could not be read"):
        await look.read_now(action)


async def test_later_calls_on_the_same_object_are_known_the_latest_first(worlds: Worlds) -> None:
    world = await worlds()
    for day in ("2026-11-20", "2026-11-21", "2026-11-22"):
        await world.act(moves(world, day))
    latest, middle, first = list_actions(world)
    look = world.m._build_onlooker()

    assert [each.id for each in look.list_later(first)] == [latest.id, middle.id]
    assert look.list_later(latest) == []


async def test_where_a_tool_names_no_object_nobody_knows_what_came_later(worlds: Worlds) -> None:
    world = await worlds()

    @world.m.tool(effect=Effect.REVERSIBLE, before=lambda _: 1, undo=lambda _: None)
    async def shout() -> None:
        pass

    async def agent(_: object) -> str:
        await shout()
        return "done"

    await world.act(agent)
    [action] = list_actions(world)

    with pytest.raises(ConfigurationError, match="the latest first"):
        world.m._build_onlooker().list_later(action)
