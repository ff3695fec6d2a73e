"""The story of a turn on a remote that keeps its own ledger."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mulligan import Confidence, Effect, Mulligan, Review, Standing, State
from mulligan.checks.dates import dates_as_said
from mulligan.checks.requests import made_once
from mulligan.checks.text import avoids
from mulligan.runtime.context import OpenTurn
from mulligan.stores.opening import open_store
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError
from mulligan_testing.remote import FakeRemote, Fault, Item, RemoteError
from tests.world import World, Worlds, moves

pytestmark = pytest.mark.promise(1, 4, 6)
NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
SAID = "Move dinner to Friday"
FRIDAY, SATURDAY = "2026-11-20", "2026-11-21"


@pytest.fixture
async def world(worlds: Worlds, tmp_path: Path) -> World:
    url = f"sqlite:///{tmp_path}/family.db"
    about = {"now": NOW, "timezone": "Europe/Berlin"}
    return await worlds(url, checks=[dates_as_said()], about=about, recover=True)


def open_states(folder: Path) -> dict[str, State]:
    """What another process would find."""
    store = open_store(f"sqlite:///{folder}/family.db")
    try:
        return {a.opening.tool: a.state for a in store.journal.list_open_actions()}
    finally:
        store.close()


async def test_what_was_right_stands_and_is_verified(world: World, tmp_path: Path) -> None:
    done = await world.act(moves(world, FRIDAY))

    assert done.reply == "Moved."
    assert done.standing is Standing.ACCEPTED
    assert done.confidence is Confidence.MEDIUM
    assert world.day() == FRIDAY
    assert world.undos() == 0
    assert open_states(tmp_path) == {}


async def test_what_was_wrong_is_taken_back_and_done_again_right(
    world: World, tmp_path: Path
) -> None:
    agent = moves(world, SATURDAY, FRIDAY)

    done = await world.act(agent)

    first, second = agent.told
    assert first is None
    assert "Saturday" in second.text
    assert "Undone and verified:\n- move(event_id=e1" in second.text
    assert done.standing is Standing.ACCEPTED
    assert [a.number for a in done.attempts] == [1, 2]
    assert world.day() == FRIDAY
    assert world.undos() == 1
    assert open_states(tmp_path) == {}


async def test_a_second_mistake_is_taken_back_too_and_the_person_is_asked(world: World) -> None:
    done = await world.act(moves(world, SATURDAY, SATURDAY))

    assert done.standing is Standing.REJECTED
    assert done.confidence is Confidence.LOW
    assert "Nothing is in effect" in str(done.reply)
    assert world.day() == "2026-11-18"
    assert world.undos() == 2


async def test_the_whole_attempt_is_undone_in_reverse_also_twice_the_same_event(
    world: World, tmp_path: Path
) -> None:
    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            await world.create("e2", SATURDAY)
            await world.move("e2", "2026-11-22")
            await world.move("e1", SATURDAY)
            await world.move("e1", "2026-11-22")
        return "Done."

    done = await world.act(agent)

    assert done.standing is Standing.UNCHECKED
    assert world.day("e1") == "2026-11-18"
    assert world.day("e2") is None
    assert [line.id for line in world.remote.ledger() if line.by == "undo"] == [
        "e1", "e1", "e2", "e2",
    ]  # fmt: skip
    assert open_states(tmp_path) == {}


async def test_a_delete_that_returns_what_it_deleted_can_be_undone(world: World) -> None:
    expected: list[str | None] = []

    def bring_back(record: Record) -> None:
        expected.append(record.version)
        world.calendar.bring_back(record)

    declared = world.calendar.deleting | {"undo": bring_back}

    @world.m.tool(**declared, version=lambda record: record.result.version)
    async def cancel(event_id: str, day: str) -> Item:
        gone = world.remote.get(event_id)
        world.remote.delete(event_id)
        return gone

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            await cancel("e1", SATURDAY)
        return "Cancelled."

    was = world.day()
    done = await world.act(agent)

    assert done.open_actions == ()
    assert world.day() == was
    assert expected == [None], "nothing is there, and so no version"


async def test_a_persons_edit_in_between_survives_and_stays_on_the_open_list(
    world: World, tmp_path: Path
) -> None:
    async def agent(turn: OpenTurn) -> str:
        await world.move("e1", SATURDAY)
        world.remote.update("e1", {"day": "2026-12-24"}, by="person")
        return "Moved."

    done = await world.act(agent)

    assert world.day() == "2026-12-24"
    assert world.undos() == 0
    assert len(done.attempts) == 1
    assert "their version was left alone" in str(done.reply)
    assert open_states(tmp_path) == {"move": State.CONFLICT}
    assert len(done.open_actions) == 1


@pytest.mark.parametrize("fault", [Fault.FORBIDDEN, Fault.LOST_BEFORE, Fault.BUSY, Fault.REFUSED])
async def test_an_undo_that_fails_is_told_as_it_is_and_nothing_is_tried_again(
    world: World, fault: Fault, tmp_path: Path
) -> None:
    async def agent(turn: OpenTurn) -> str:
        await world.move("e1", SATURDAY)
        world.remote.plan(fault, fault)
        return "Moved."

    done = await world.act(agent)

    assert world.day() == SATURDAY
    assert "undoing it failed" in str(done.reply)
    assert open_states(tmp_path) == {"move": State.UNDO_FAILED}


async def test_an_undo_that_works_the_second_time_counts(world: World, tmp_path: Path) -> None:
    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            await world.move("e1", SATURDAY)
            world.remote.plan(Fault.BUSY)
        return "Moved."

    await world.act(agent)

    assert world.day() == "2026-11-18"
    assert open_states(tmp_path) == {}


@pytest.mark.full
@pytest.mark.parametrize(
    ("fault", "state"),
    [
        (Fault.LOST_AFTER, State.NEEDS_HUMAN),
        (Fault.LOST_BEFORE, State.UNKNOWN),
        (Fault.BUSY, State.UNKNOWN),
    ],
)
async def test_a_call_that_may_have_landed_is_never_forgotten_or_repeated(
    world: World, fault: Fault, state: State | None, tmp_path: Path
) -> None:
    world.remote.plan(fault)

    with pytest.raises((TimeoutError, RemoteError)):
        await world.act(moves(world, FRIDAY))

    assert open_states(tmp_path) == {"move": state}
    assert sum(line.by == "agent" for line in world.remote.ledger()) <= 1


async def test_an_agent_that_breaks_leaves_nothing_wrong_behind(
    world: World, tmp_path: Path
) -> None:
    async def agent(turn: OpenTurn) -> str:
        await world.move("e1", SATURDAY)
        raise RuntimeError("the model is gone")

    with pytest.raises(RuntimeError, match="the model is gone"):
        await world.act(agent)

    assert world.day() == "2026-11-18"
    assert open_states(tmp_path) == {}


@pytest.mark.full
async def test_cancelling_in_the_middle_leaves_the_action_on_the_open_list(
    world: World, tmp_path: Path
) -> None:
    reached = asyncio.Event()

    async def agent(turn: OpenTurn) -> str:
        await world.move("e1", FRIDAY)
        reached.set()
        await asyncio.Event().wait()
        return "never"

    task = asyncio.create_task(world.act(agent))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert open_states(tmp_path) == {"move": State.EXECUTED}


async def test_turns_at_once_share_nothing(world: World, tmp_path: Path) -> None:
    for n in range(10):
        world.remote.create({"day": "2026-11-18"}, id=f"n{n}", by="person")

    async def one(n: int) -> None:
        days = (SATURDAY, FRIDAY) if n % 2 else (FRIDAY,)
        await world.act(moves(world, *days, event=f"n{n}"))

    await asyncio.gather(*(one(n) for n in range(10)))

    assert [world.day(f"n{n}") for n in range(10)] == [FRIDAY] * 10
    assert world.undos() == 5
    assert open_states(tmp_path) == {}


async def test_a_check_that_breaks_means_not_reviewed_and_never_verified(tmp_path: Path) -> None:
    def broken(attempted: object) -> list[object]:
        raise RuntimeError("no")

    remote = FakeRemote(tmp_path / "ledger")
    url = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(url, checks=[broken]) as m:

        @m.tool(
            effect=Effect.REVERSIBLE,
            undo=lambda record: remote.delete("x"),
            read=lambda record: remote.get("x"),
        )
        def create() -> Item:
            return remote.create({}, id="x")

        async def agent(turn: OpenTurn) -> str:
            create()
            return "Made."

        done = await m.act("Make it", agent)

    store = open_store(url)
    states = [action.state for action in store.journal.list_open_actions()]
    store.close()
    assert done.reply == "Made.\n\nNot yet checked:\n- Create"
    assert (done.standing, done.confidence) == (Standing.UNREVIEWED, None)
    assert states == [State.PENDING_REVIEW]


def test_a_sync_program_acts_too(tmp_path: Path) -> None:
    remote = FakeRemote(tmp_path / "ledger")
    with Mulligan(f"sqlite:///{tmp_path}/family.db", checks=[dates_as_said()]) as m:

        @m.tool(
            effect=Effect.REVERSIBLE,
            undo=lambda record: remote.delete(record.result.id, by="undo"),
            read=lambda record: remote.get(record.result.id),
        )
        def create(day: str) -> Item:
            return remote.create({"day": day})

        def agent(turn: OpenTurn) -> str:
            create(SATURDAY if turn.correction is None else FRIDAY)
            return "Made."

        done = m.act_sync("Dinner on Friday, please", agent, now=NOW, timezone="Europe/Berlin")

    assert done.standing is Standing.ACCEPTED
    assert [item.data["day"] for item in remote.list_items().values()] == [FRIDAY]


async def test_where_nobody_looks_nothing_is_called_verified(worlds: Worlds) -> None:
    world = await worlds()

    done = await world.act(moves(world, FRIDAY))

    [action] = done.attempts[0].calls
    story = world.m.insights.open_list.read_story(action)
    assert (done.standing, done.confidence) == (Standing.UNCHECKED, None)
    assert story.action.state is State.UNCHECKED
    assert "verified" not in str([entry.detail for entry in story.entries])
    assert world.open() == []


async def test_a_check_about_other_tools_verifies_nothing(worlds: Worlds) -> None:
    world = await worlds(checks=[made_once("create")])

    async def agent(turn: OpenTurn) -> str:
        await world.create("e2", FRIDAY)
        await world.move("e1", FRIDAY)
        return "Done."

    done = await world.act(agent)

    states = {
        world.m.insights.open_list.find(call).opening.tool: (
            world.m.insights.open_list.find(call).state
        )
        for call in done.attempts[0].calls
    }
    assert done.standing is Standing.UNCHECKED
    assert states == {"create": State.VERIFIED, "move": State.UNCHECKED}


async def test_what_nobody_looked_at_can_be_undone_by_a_person(worlds: Worlds) -> None:
    world = await worlds()
    done = await world.act(moves(world, FRIDAY))

    world.m.insights.open_list.undo(done.attempts[0].calls[0], by="Mum")
    await world.m.recover()

    assert world.day() == "2026-11-18"


async def test_a_tool_that_insists_on_a_review_does_not_stand_without_one(worlds: Worlds) -> None:
    world = await worlds(promises=lambda _: {"review": Review(on_no_verdict="undo")})

    done = await world.act(moves(world, FRIDAY, FRIDAY))

    assert world.day() == "2026-11-18"
    assert "could not be reviewed" in str(done.reply)


async def test_a_second_attempt_that_does_nothing_is_not_accepted_by_silence(world: World) -> None:
    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            await world.move("e1", SATURDAY)
        return "Dinner is moved!"

    done = await world.act(agent)

    assert (done.standing, done.confidence) == (Standing.UNCHECKED, None)
    assert [finding.rule for finding in done.findings] == ["attempt.nothing_done"]
    assert str(done.reply).startswith("Dinner is moved!\n\nThe first attempt was wrong")
    assert world.day() == "2026-11-18"


async def test_a_reply_that_its_checks_reject_counts_in_the_standing(worlds: Worlds) -> None:
    rules = [avoids(words=["moved"])]
    world = await worlds(checks=[lambda _: []], replies=rules)

    done = await world.act(moves(world, FRIDAY))

    assert (done.standing, done.confidence) == (Standing.REJECTED, Confidence.LOW)
    assert done.replied.standing is Standing.REJECTED
    assert [finding.rule for finding in done.findings] == ["text.unwanted_word"]


async def test_where_nothing_was_done_the_standing_is_that_of_the_reply(worlds: Worlds) -> None:
    world = await worlds(checks=[made_once("create")], replies=[avoids(words=["no"])])

    async def agent(turn: OpenTurn) -> str:
        return "It is sunny."

    done = await world.act(agent, "How is the weather?")

    assert (done.standing, done.confidence) == (Standing.ACCEPTED, Confidence.MEDIUM)


async def test_a_call_whose_snapshot_cannot_be_taken_is_held(world: World, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        world.m.tool(effect=Effect.REVERSIBLE)(lambda: None)

    def unreadable(record: Record) -> object:
        raise TimeoutError("no answer")

    made = []

    @world.m.tool(effect=Effect.REVERSIBLE, before=unreadable, undo=unreadable)
    async def change() -> None:
        made.append(1)

    async def agent(turn: OpenTurn) -> None:
        await change()

    await world.act(agent)

    assert made == []
    assert open_states(tmp_path) == {"change": State.HELD}
