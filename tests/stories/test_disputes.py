"""What stands although somebody is against it: in order, in a person's hands, with both sides."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import Finding, Review, Severity, State
from mulligan.cli.main import main
from mulligan.loops.actions import Attempted
from mulligan.process.fault_points import Point
from mulligan.runtime.context import OpenTurn
from mulligan.types.effect import NoVerdict
from mulligan_testing.fakes import FixedClock
from mulligan_testing.faults import Deed, Faults, Strike
from mulligan_testing.remote import FakeRemote, Fault, Item
from tests.world import Agent, World, Worlds, fill

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
LATER = timedelta(minutes=10)
MONDAY = "2026-11-16"


@dataclass
class Reviewer:
    """Says what it is told to say."""

    mood: str = "right"
    seen: list[tuple[list[str], list[str]]] = field(default_factory=list)
    """The tools that each review was shown: of the attempt, and of earlier ones."""

    def check(self, attempted: Attempted) -> Iterator[Finding]:
        shown = (attempted.executions, attempted.earlier)
        now, earlier = ([each.call.tool for each in part] for part in shown)
        self.seen.append((now, earlier))
        if self.mood == "down":
            raise ConnectionError("nobody is there")
        if self.mood == "wrong" or (self.mood == "first wrong" and len(self.seen) == 1):
            yield Finding(rule="day.wrong", severity=Severity.ERROR, issue="Not that day.")


@pytest.fixture
def reviewer() -> Reviewer:
    return Reviewer()


@pytest.fixture
async def world(worlds: Worlds, reviewer: Reviewer, tmp_path: Path) -> World:
    remote = fill(FakeRemote(tmp_path / "remote"), "dinner", day=MONDAY)
    url, clock = f"sqlite:///{tmp_path}/family.db", FixedClock(NOW)
    return await worlds(url, remote=remote, checks=[reviewer.check], clock=clock)


def moving(world: World, *days: str, **promises: object) -> Agent:
    """An agent that moves dinner to all the days, one after the other."""

    @world.m.tool(**world.calendar.changing, **promises)
    async def reschedule(event_id: str, day: str) -> Item:
        data = {"day": day, "api_key": "sk-123456789012345678901234"}
        return world.remote.update(event_id, data)

    async def agent(turn: OpenTurn) -> str:
        for day in days:
            await reschedule("dinner", day)
        return "Moved."

    return agent


async def test_a_person_can_have_everything_taken_back_that_was_disputed(
    world: World, reviewer: Reviewer
) -> None:
    reviewer.mood = "down"
    await world.act(moving(world, "2026-11-17", "2026-11-18", "2026-11-19"))
    reviewer.mood = "wrong"
    await world.m.recover()
    disputed = world.open()

    for action in disputed:
        world.m.insights.open_list.undo(action.id, by="Mum")
    await world.m.recover()

    assert [action.state for action in disputed] == [State.DISPUTED] * 3
    assert world.open() == []
    assert world.day("dinner") == MONDAY


async def test_an_undo_that_waits_for_another_waits_again_when_it_is_retried(
    world: World,
    reviewer: Reviewer,
) -> None:
    reviewer.mood = "wrong"
    world.remote.plan(*[Fault.FORBIDDEN] * 4, by="undo")
    await world.act(moving(world, "2026-11-17", "2026-11-18"))
    stuck = [action.state for action in world.open()]

    world.clock.move(LATER)
    await world.m.recover()
    world.clock.move(LATER)
    for _ in range(2):
        await world.m.recover()

    assert stuck == [State.UNDO_FAILED, State.UNDO_FAILED]
    assert world.open() == []
    assert world.day("dinner") == MONDAY


async def test_a_tool_that_insists_on_a_review_gets_one_or_an_undo_after_a_crash_too(
    world: World,
    reviewer: Reviewer,
) -> None:
    reviewer.mood = "down"
    strike = Strike(deed=Deed.CANCEL, point=Point.REVIEWED)
    with Faults(strike), pytest.raises(asyncio.CancelledError):
        await world.act(moving(world, "2026-11-17", review=Review(on_no_verdict=NoVerdict.UNDO)))

    await world.m.recover()

    assert world.open() == []
    assert world.day("dinner") == MONDAY


async def test_a_late_review_of_a_second_attempt_is_not_shown_what_was_undone(
    world: World,
    reviewer: Reviewer,
) -> None:
    reviewer.mood = "first wrong"
    strike = Strike(deed=Deed.CANCEL, point=Point.REVIEWED, hit=2)
    with Faults(strike), pytest.raises(asyncio.CancelledError):
        await world.act(moving(world, "2026-11-17"))

    await world.m.recover()

    assert reviewer.seen[-1] == (["reschedule"], [])
    assert world.open() == []
    assert world.day("dinner") == "2026-11-17"


@pytest.mark.parametrize("theirs", ["2026-12-24", None])
async def test_a_conflict_shows_what_we_wrote_and_what_stands(
    world: World, reviewer: Reviewer, tmp_path: Path, capsys: Any, theirs: str | None
) -> None:
    reviewer.mood = "wrong"

    def edit() -> None:
        if theirs is None:
            world.remote.delete("dinner", by="person")
        else:
            world.remote.update("dinner", {"day": theirs}, by="person")

    with Faults(Strike(deed=Deed.EDIT, point=Point.DOOMED), edit=edit):
        await world.act(moving(world, "2026-11-17"))
    [action] = world.open()
    url = f"sqlite:///{tmp_path}/family.db"

    await asyncio.to_thread(main, ["show", action.id, "--store", url, "--json"])
    shown = json.loads(capsys.readouterr().out)
    await asyncio.to_thread(main, ["show", action.id, "--store", url])
    told = capsys.readouterr().out

    assert action.state is State.CONFLICT
    assert re.search(
        rf"(?s)another edit, in place +│ {'.*' + theirs if theirs else 'nothing'}", told
    )
    days = {name: each and each["data"]["day"] for name, each in shown["contents"].items()}
    assert days == {"before": MONDAY, "ours": "2026-11-17", "theirs": theirs}
    assert shown["detail"]["left_at"] == "v2"
    assert "sk-123456789012345678901234" not in told + json.dumps(shown)


async def test_what_nobody_contests_shows_what_was_there_and_what_is_ours(
    world: World, reviewer: Reviewer
) -> None:
    reviewer.mood = "down"
    await world.act(moving(world, "2026-11-17"))
    [action] = world.open()

    contents = world.m.insights.open_list.read_story(action.id).contents
    days = {whose: each["data"]["day"] for whose, each in contents.items()}
    assert days == {"before": "2026-11-16", "ours": "2026-11-17"}
