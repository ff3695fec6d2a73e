"""What stands although somebody is against it: in order, in a person's hands, with both sides."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import ConflictError, Effect, Finding, Mulligan, Severity, State
from mulligan.cli.main import main
from mulligan.core.action import Action
from mulligan.core.effect import NoVerdict
from mulligan.core.points import Point
from mulligan.core.record import Record
from mulligan.loops.actions import Attempted
from mulligan.testing.fakes import FixedClock
from mulligan.testing.faults import Deed, Faults, Strike
from mulligan.testing.remote import FakeRemote, Fault, Item, RemoteError
from mulligan.turns.turn.context import OpenTurn

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
LATER = timedelta(minutes=10)
MONDAY = "2026-11-16"


@dataclass
class Family:
    """A calendar with one dinner, and a reviewer that says what it is told to say."""

    m: Mulligan
    remote: FakeRemote
    clock: FixedClock
    mood: list[str]
    seen: list[tuple[list[str], list[str]]]
    """The tools that each review was shown: of the attempt, and of earlier ones."""

    def __post_init__(self) -> None:
        remote = self.remote

        def put_back(record: Record) -> None:
            before: Any = record.before
            try:
                remote.update(before.id, before.data, if_version=record.version, by="undo")
            except RemoteError as error:
                if error.status == 412:
                    raise ConflictError(str(error)) from error
                raise

        async def move(event_id: str, day: str) -> Item:
            return remote.update(event_id, {"day": day, "api_key": "sk-123456789012345678901234"})

        def read(record: Record) -> Item | None:
            return remote.get(str(record.arguments["event_id"]))

        sure: dict[str, Any] = {
            "effect": Effect.REVERSIBLE, "before": read, "undo": put_back,
            "version": lambda record: record.result.version,
        }  # fmt: skip
        self.move = self.m.tool(**sure)(move)
        insisting = {"name": "move_if_reviewed", "on_no_verdict": NoVerdict.UNDO}
        self.move_if_reviewed = self.m.tool(**sure, **insisting)(move)

    async def act(self, tool: Any, *days: str) -> None:
        async def agent(turn: OpenTurn) -> str:
            for day in days:
                await tool("dinner", day)
            return "Moved."

        await self.m.act("Move dinner", agent)

    def open(self) -> list[Action]:
        return self.m.insights.open_list.actions()

    def day(self) -> object:
        item = self.remote.get("dinner")
        return item.data["day"] if item else None


@pytest.fixture
async def family(tmp_path: Path) -> AsyncIterator[Family]:
    mood = ["right"]
    seen: list[tuple[list[str], list[str]]] = []

    def check(attempted: Attempted) -> Iterator[Finding]:
        shown = (attempted.executions, attempted.earlier)
        now, earlier = ([each.call.tool for each in part] for part in shown)
        seen.append((now, earlier))
        if mood[0] == "down":
            raise ConnectionError("nobody is there")
        if mood[0] == "wrong" or (mood[0] == "first wrong" and not earlier):
            yield Finding(rule="day.wrong", severity=Severity.ERROR, issue="Not that day.")

    clock, remote = FixedClock(NOW), FakeRemote(tmp_path / "remote")
    remote.create({"day": MONDAY}, id="dinner", by="person")
    url = f"sqlite:///{tmp_path}/family.db"
    async with Mulligan(url, checks=[check], clock=clock, recover=False) as m:
        yield Family(m=m, remote=remote, clock=clock, mood=mood, seen=seen)


async def test_a_person_can_have_everything_taken_back_that_was_disputed(family: Family) -> None:
    family.mood[0] = "down"
    await family.act(family.move, "2026-11-17", "2026-11-18", "2026-11-19")
    family.mood[0] = "wrong"
    await family.m.recover()
    disputed = family.open()

    for action in disputed:
        family.m.insights.open_list.undo(action.id, by="Mum")
    await family.m.recover()

    assert [action.state for action in disputed] == [State.DISPUTED] * 3
    assert family.open() == []
    assert family.day() == MONDAY


async def test_an_undo_that_waits_for_another_waits_again_when_it_is_retried(
    family: Family,
) -> None:
    family.mood[0] = "wrong"
    family.remote.plan(*[Fault.FORBIDDEN] * 4, by="undo")
    await family.act(family.move, "2026-11-17", "2026-11-18")
    stuck = [action.state for action in family.open()]

    family.clock.move(LATER)
    await family.m.recover()
    family.clock.move(LATER)
    for _ in range(2):
        await family.m.recover()

    assert stuck == [State.UNDO_FAILED, State.UNDO_FAILED]
    assert family.open() == []
    assert family.day() == MONDAY


async def test_a_tool_that_insists_on_a_review_gets_one_or_an_undo_after_a_crash_too(
    family: Family,
) -> None:
    family.mood[0] = "down"
    strike = Strike(deed=Deed.CANCEL, point=Point.REVIEWED)
    with Faults(strike), pytest.raises(asyncio.CancelledError):
        await family.act(family.move_if_reviewed, "2026-11-17")

    await family.m.recover()

    assert family.open() == []
    assert family.day() == MONDAY


async def test_a_late_review_of_a_second_attempt_knows_what_the_first_one_saw(
    family: Family,
) -> None:
    family.mood[0] = "first wrong"
    strike = Strike(deed=Deed.CANCEL, point=Point.REVIEWED, hit=2)
    with Faults(strike), pytest.raises(asyncio.CancelledError):
        await family.act(family.move, "2026-11-17")

    await family.m.recover()

    assert family.seen[-1] == (["move"], ["move"])
    assert family.open() == []
    assert family.day() == "2026-11-17"


async def test_a_conflict_shows_what_we_wrote_and_what_stands(
    family: Family, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    family.mood[0] = "wrong"

    def edit() -> None:
        family.remote.update("dinner", {"day": "2026-12-24"}, by="person")

    with Faults(Strike(deed=Deed.EDIT, point=Point.DOOMED), edit=edit):
        await family.act(family.move, "2026-11-17")
    [action] = family.open()
    url = f"sqlite:///{tmp_path}/family.db"

    await asyncio.to_thread(main, ["show", action.id, "--store", url, "--json"])
    shown = json.loads(capsys.readouterr().out)
    await asyncio.to_thread(main, ["show", action.id, "--store", url])
    told = capsys.readouterr().out

    days = {name: content["data"]["day"] for name, content in shown["contents"].items()}
    assert days == {"before": MONDAY, "ours": "2026-11-17", "theirs": "2026-12-24"}
    assert (shown["detail"]["left_at"], shown["detail"]["now_at"]) == ("v2", "v3")
    assert "Theirs, which stands" in told
    assert "2026-12-24" in told
    assert "sk-123456789012345678901234" not in told + json.dumps(shown)


async def test_a_conflict_with_somebody_who_removed_it_says_that_nothing_is_there(
    family: Family, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    family.mood[0] = "wrong"

    def remove() -> None:
        family.remote.delete("dinner", by="person")

    with Faults(Strike(deed=Deed.EDIT, point=Point.DOOMED), edit=remove):
        await family.act(family.move, "2026-11-17")
    [action] = family.open()

    url = f"sqlite:///{tmp_path}/family.db"
    await asyncio.to_thread(main, ["show", action.id, "--store", url])

    assert action.state is State.CONFLICT
    assert "Theirs, which stands: nothing" in capsys.readouterr().out


async def test_what_nobody_contests_shows_no_contents(family: Family) -> None:
    family.mood[0] = "down"
    await family.act(family.move, "2026-11-17")
    [action] = family.open()

    assert family.m.insights.open_list.read_story(action.id).contents == {}
