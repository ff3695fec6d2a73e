"""The open form of a turn, for people who own their loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan, Standing, State
from mulligan.checks.dates import dates_as_said
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import find_current_turn
from mulligan.types.call import Record
from mulligan.types.finding import Finding, Severity
from mulligan_testing.remote import FakeRemote, Item
from tests.world import World, Worlds

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
SAID = "Dinner on Friday"
FRIDAY, SATURDAY = "2026-11-20", "2026-11-21"
Plan = Callable[[str, str], Item]


@pytest.fixture
async def world(worlds: Worlds, tmp_path: Path) -> World:
    return await worlds(checks=[dates_as_said()], remote=FakeRemote(tmp_path / "calendar"))


@pytest.fixture
def plan(world: World) -> Plan:
    @world.m.tool(**world.calendar.creating)
    def plan(event_id: str, day: str) -> Item:
        return world.remote.create({"day": day}, id=event_id)

    return plan


async def test_a_review_takes_back_what_was_wrong_and_says_why(world: World, plan: Plan) -> None:
    async with world.m.turn(SAID, now=NOW, timezone="UTC") as turn:
        plan("dinner", SATURDAY)
        first = await turn.review("Done.")
        after_first = world.days()
        plan("dinner", FRIDAY)
        second = await turn.review("Done.")

    assert first.standing is Standing.REJECTED
    assert first.correction is not None
    assert "Saturday" in first.correction.text
    assert after_first == {}
    assert second.standing is Standing.ACCEPTED
    assert second.correction is None
    assert world.days() == {"dinner": FRIDAY}
    assert world.states() == []


async def test_after_a_second_mistake_there_is_no_third_attempt(world: World, plan: Plan) -> None:
    async with world.m.turn(SAID, now=NOW, timezone="UTC") as turn:
        plan("dinner", SATURDAY)
        await turn.review()
        plan("dinner", SATURDAY)
        second = await turn.review()

    assert second.standing is Standing.REJECTED
    assert second.correction is None
    assert world.days() == {}


async def test_a_turn_that_nobody_reviewed_is_reviewed_later(world: World, plan: Plan) -> None:
    async with world.m.turn(SAID, now=NOW, timezone="UTC"):
        plan("dinner", FRIDAY)
    left = world.states()

    await world.m.recover()

    assert left == [State.PENDING_REVIEW]
    assert world.states() == []


async def test_wrong_work_that_was_delivered_is_disputed_and_not_undone_by_itself(
    world: World, plan: Plan
) -> None:
    with world.m.turn(SAID, now=NOW, timezone="UTC"):
        plan("dinner", SATURDAY)

    await world.m.recover()

    assert world.states() == [State.DISPUTED]
    assert world.days() == {"dinner": SATURDAY}


async def test_wrong_work_of_a_turn_that_failed_is_undone(world: World, plan: Plan) -> None:
    def host() -> None:
        with world.m.turn(SAID, now=NOW, timezone="UTC"):
            plan("dinner", SATURDAY)
            raise RuntimeError("the host broke")

    with pytest.raises(RuntimeError):
        host()

    await world.m.recover()

    assert world.states() == []
    assert world.days() == {}


async def test_outside_a_turn_a_tool_is_only_logged(world: World, plan: Plan) -> None:
    plan("dinner", SATURDAY)

    await world.m.recover()

    assert world.days() == {"dinner": SATURDAY}
    assert world.m.insights.tally().emitted == 1


async def test_what_nobody_declared_is_held_where_the_application_is_strict() -> None:
    made = []
    with Mulligan("memory:", strict=True, recover=False) as m:

        @m.tool
        async def share(what: str) -> None:
            made.append(what)

        async with m.turn("Share it", now=NOW):
            answer = await share("everything")
        [held] = m.insights.open_list.actions()
        m.insights.open_list.approve(held.id, by="Anna")
        await m.recover()
        await m.recover()

        assert "awaiting approval" in answer
        assert held.state is State.HELD
        assert made == ["everything"]
        assert m.insights.open_list.actions() == []


async def test_each_element_of_a_bulk_is_an_action_of_its_own(
    worlds: Worlds, tmp_path: Path
) -> None:
    def never_content(attempted: Attempted) -> list[Finding]:
        return [Finding(rule="x.y", severity=Severity.ERROR, issue="Wrong.")]

    world = await worlds(checks=[never_content], remote=FakeRemote(tmp_path / "calendar"))

    def read(record: Record) -> Item | None:
        return world.remote.get(record.arguments["events"]["name"])

    def remove(record: Record) -> None:
        if record.arguments["events"]["name"] == "stuck":
            raise PermissionError("not allowed")
        world.remote.delete(record.arguments["events"]["name"])

    @world.m.tool(effect=Effect.REVERSIBLE, read=read, undo=remove, each="events")
    async def plan_all(events: list[dict]) -> list[str]:
        for event in events:
            world.remote.create({"day": event["day"]}, id=event["name"])
        return [event["name"] for event in events]

    async with world.m.turn(SAID, now=NOW, timezone="UTC") as turn:
        await plan_all([{"name": name, "day": SATURDAY} for name in ("a", "stuck", "b")])
        review = await turn.review()

    assert review.standing is Standing.REJECTED
    assert review.correction is None
    assert world.days() == {"stuck": SATURDAY}
    assert world.states() == [State.UNDO_FAILED]


async def test_what_is_bound_to_a_turn_is_called_in_it_on_any_thread(worlds: Worlds) -> None:
    world = await worlds()

    def read_turn() -> object:
        turn = find_current_turn()
        return turn and turn.id

    async def wait_and_read() -> object:
        await asyncio.sleep(0)
        return read_turn()

    async with world.m.turn(SAID) as turn:
        bound, waited = turn.bind(read_turn), turn.bind(wait_and_read)

    with ThreadPoolExecutor(1) as pool:
        found = [pool.submit(work).result() for work in (bound, read_turn)]
    assert found == [turn.id, None]
    assert (await waited(), await wait_and_read()) == (turn.id, None)
    assert bound.__name__ == "read_turn"


async def test_a_turn_with_several_reviews_and_calls_that_fail_ends_well() -> None:
    with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.READ)
        async def look(name: str) -> str:
            raise ValueError("no such event")

        async with m.turn("Hello") as turn:
            for _ in range(2):
                with pytest.raises(ValueError, match="no such event"):
                    await look("1")
                await turn.review("Hm.")
