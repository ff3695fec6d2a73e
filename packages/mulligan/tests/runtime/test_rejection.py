"""A rejection is one entry: what it concerns is doomed, denied and disputed together, or not."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Finding, JudgeLimits, Mulligan, Review, Severity, State
from mulligan.loops.actions import Attempted
from mulligan.process.fault_points import Point
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.rollback import line_up
from mulligan.stores.opening import open_store
from mulligan.types.action import Entry, Opening
from mulligan.types.call import Record
from mulligan_testing.fakes import ScriptedJudge
from mulligan_testing.faults import Deed, Faults, PlannedError, Strike
from tests.stories.effects.world import act, list_open, open_app
from tests.world import DAY, Agent, World, Worlds

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
FRIDAY = "2026-11-20"


def reject_all(attempted: Attempted) -> list[Finding]:
    return [Finding(rule="day.wrong", severity=Severity.ERROR, issue="Not that day.")]


@pytest.fixture
async def world(worlds: Worlds, tmp_path: Path) -> World:
    about = {"now": NOW, "timezone": "UTC"}
    return await worlds(f"sqlite:///{tmp_path}/family.db", checks=[reject_all], about=about)


def moves_and_asks(world: World, sent: list[str]) -> Agent:
    """An agent that moves dinner, and wants to send a mail that a person has to approve."""

    @world.m.tool(effect=Effect.IRREVERSIBLE)
    async def invite(whom: str) -> None:
        sent.append(whom)

    async def agent(turn: OpenTurn) -> str:
        await world.move("e1", FRIDAY)
        if turn.correction is None:
            await invite("Grandma")
        return "Moved, and invited."

    return agent


@pytest.mark.parametrize("deed", [Deed.RAISE, Deed.CANCEL])
async def test_a_failure_right_after_a_rejection_leaves_no_hold_for_anybody_to_approve(
    world: World, deed: Deed
) -> None:
    sent: list[str] = []
    expected = PlannedError if deed is Deed.RAISE else BaseException
    with Faults(Strike(deed=deed, point=Point.DOOMED)), pytest.raises(expected):
        await world.act(moves_and_asks(world, sent))

    assert State.HELD not in world.states()
    await world.m.recover()
    assert world.states() == []
    assert world.day() == DAY
    assert sent == []


async def test_what_a_person_let_through_meanwhile_stands_and_the_rest_is_rejected(
    world: World, tmp_path: Path
) -> None:
    sent: list[str] = []

    def approve() -> None:
        with Mulligan(f"sqlite:///{tmp_path}/family.db", recover=False) as beside:
            held = [a for a in beside.insights.open_list.actions() if a.state is State.HELD]
            beside.insights.open_list.approve(held[0].id, by="a person")

    with Faults(Strike(deed=Deed.EDIT, point=Point.REVIEWED), edit=approve):
        await world.act(moves_and_asks(world, sent))

    assert State.APPROVED in world.states()
    assert world.day() == DAY


async def test_what_another_process_took_over_is_left_to_it_and_the_rest_is_taken_back(
    world: World, tmp_path: Path
) -> None:
    async def agent(turn: OpenTurn) -> str:
        await world.create("e2", FRIDAY)
        await world.move("e1", FRIDAY)
        return "Both."

    def take_over() -> None:
        store = open_store(f"sqlite:///{tmp_path}/family.db")
        moved = next(a for a in store.journal.list_open_actions() if a.opening.tool == "move")
        entry = Entry(action=moved.id, state=State.DISPUTED, at=NOW, version=moved.version + 1)
        store.journal.submit([entry]).result()
        store.close()

    with Faults(Strike(deed=Deed.EDIT, point=Point.REVIEWED), edit=take_over):
        done = await world.act(agent)

    assert world.days() == {"e1": FRIDAY}
    assert len(done.attempts) == 1
    assert world.states() == [State.DISPUTED]


def declare_register(
    m: Mulligan, held: dict[str, int], log: list[str], **declared: object
) -> tuple[Any, Any]:
    """`put` and `double`, without versions; the undo of `double` does not work."""

    def put_back(record: Record) -> None:
        log.append(f"undo {record.arguments['value']}")
        held["x"] = record.before

    def fail(record: Record) -> None:
        raise OSError("no undo today")

    def read(record: Record) -> int:
        return held["x"]

    @m.tool(effect=Effect.REVERSIBLE, before=read, undo=put_back, **declared)
    async def put(value: int) -> int:
        held["x"] = value
        return value

    @m.tool(effect=Effect.REVERSIBLE, before=read, undo=fail)
    async def double() -> int:
        held["x"] *= 2
        return held["x"]

    return put, double


@pytest.mark.parametrize("declared", [{}, {"about": lambda record: "x"}])
async def test_what_may_be_about_the_same_object_waits_for_a_later_call_that_stands(
    declared: dict[str, Any],
) -> None:
    held, log = {"x": 0}, list[str]()
    with open_app(rejects=True) as m:
        put, double = declare_register(m, held, log, **declared)

        async def put_and_double() -> None:
            await put(5)
            await double()

        done, _ = await act(m, put_and_double)

        assert (held["x"], log) == (10, [])
        assert [a.state for a in list_open(m)] == [State.UNDO_FAILED] * 2
        assert "Put (value: 5)" in str(done.reply)
        unknown = "do not declare which objects they are about"
        assert (unknown in str(done.reply)) is not bool(declared)


def test_many_elements_of_a_bulk_do_not_each_name_all_that_they_wait_for() -> None:
    later = [build_element(f"b{number:04}", "b") for number in range(500)]
    earlier = [build_element(f"a{number:04}", "a") for number in range(500)]

    first = build_element("0", "0")

    line_up([*later, *earlier, first])

    assert earlier[0].after == tuple(action.id for action in later)
    assert {action.after for action in earlier[1:]} == {(earlier[0].id,)}
    assert {action.after for action in later} == {()}
    assert first.after == tuple(action.id for action in earlier)


def build_element(name: str, call: str) -> LiveAction:
    return LiveAction(
        id=name,
        opening=Opening(tool="put", effect=Effect.REVERSIBLE, parent=call),
        declaration=Declaration(tool="put"),
        record=Record(arguments={"name": name}),
        opened_at=NOW,
    )


@pytest.mark.parametrize("late", [False, True])
async def test_a_silent_judge_has_no_more_undone_than_one_that_speaks(*, late: bool) -> None:
    undone: list[str] = []
    m = Mulligan(
        "memory:",
        judge=ScriptedJudge(lambda _: None),
        recover=False,
        judge_limits=JudgeLimits(undos=2),
    )

    @m.tool(
        effect=Effect.REVERSIBLE,
        undo=lambda record: undone.append(record.result),
        read=lambda record: None if record.result in undone else record.result,
        version=lambda _: "1",
        about=lambda record: record.result,
        review=Review(on_no_verdict="undo"),
    )
    async def create(title: str) -> str:
        return title

    async def agent(turn: OpenTurn) -> str:
        await create(turn.turn.message)
        return "done"

    async def break_off(message: str) -> None:
        async with m.turn(message):
            await create(message)
            raise PlannedError("Nobody sees a reply, and a later review comes.")

    for number in range(5):
        # The one that is broken off is what a later review finds.
        with suppress(PlannedError):
            await (break_off(f"{number}") if late else m.act(f"{number}", agent))
    await m.recover()

    assert len(undone) == 2
    states = [action.state for action in m.insights.open_list.actions()]
    assert states == [State.DISPUTED] * 3
    m.close()
