"""Whose work stands there: never a person's unless it is known not to be ours."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mulligan import ConflictError, Effect, Mulligan, Record, Remote, State, Undoing
from mulligan.runtime.context import OpenTurn
from mulligan.types.events import ActionMoved
from mulligan_testing.fakes import FixedClock
from tests.stories.effects.world import list_open, open_app

SOON = timedelta(milliseconds=20)
SOMEONE = "someone changed it"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime.now(UTC))


@pytest.fixture
def strict(clock: FixedClock) -> Iterator[Mulligan]:
    with open_app(rejects=True, clock=clock) as m:
        yield m


@pytest.fixture
def content(clock: FixedClock) -> Iterator[Mulligan]:
    with open_app(clock=clock) as m:
        yield m


class Event:
    """An event that is numbered anew by every write, and the tools of an agent."""

    def __init__(self, m: Mulligan) -> None:
        self.m = m
        self.state: dict[str, Any] = {"day": 1, "title": "a", "etag": 1}
        self.ids: list[str] = []
        m.subscribe(self._note)

    def write(self, **change: Any) -> dict[str, Any]:
        self.state |= change | {"etag": self.state["etag"] + 1}
        return dict(self.state)

    def read(self, record: Record) -> dict[str, Any]:
        return dict(self.state)

    def put_back(self, record: Record) -> None:
        before: Any = record.before
        self.write(day=before["day"], title=before["title"])

    def put_back_under_version(self, record: Record) -> None:
        if str(self.state["etag"]) != record.version:
            raise ConflictError("changed")
        self.put_back(record)

    def declare(self, **more: Any) -> Callable[..., Any]:
        """`move(day)`, taken back under its version."""
        declared: dict[str, Any] = {
            "before": self.read,
            "undo": self.put_back_under_version,
            "version": lambda record: record.result["etag"],
            "about": lambda record: "event",
        }
        said = {name: value for name, value in (declared | more).items() if value is not None}

        @self.m.tool(effect=Effect.REVERSIBLE, **said)
        async def move(day: int) -> dict[str, Any] | None:
            left = self.write(day=day)
            if day == LOST:
                raise TimeoutError("no answer")
            return None if day == SILENT else left

        return move

    def _note(self, event: object) -> None:
        if isinstance(event, ActionMoved) and event.action not in self.ids:
            self.ids.append(event.action)


LOST, SILENT = 3, 4


async def do_all(m: Mulligan, *deeds: Callable[[], Any]) -> str:
    """One turn; what its person reads in the end."""

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is not None:
            return turn.correction.text
        for deed in deeds:
            try:
                await deed()
            except (TimeoutError, ValueError):
                continue
        return "Done."

    return str((await m.act("See to it", agent)).reply)


@pytest.mark.parametrize("versioned", [True, False])
async def test_our_own_call_without_an_answer_is_not_taken_for_a_persons(
    strict: Mulligan, versioned: bool
) -> None:
    event = Event(strict)
    weak = {"version": None, "undo": event.put_back}
    move = event.declare(**({} if versioned else weak))

    reply = await do_all(strict, lambda: move(2), lambda: move(LOST))

    assert SOMEONE not in reply
    assert "gave no answer" in reply
    assert event.state["day"] == LOST


async def test_an_undo_that_tells_no_version_hides_no_other_work_of_ours(
    strict: Mulligan,
) -> None:
    event = Event(strict)
    move = event.declare()

    @strict.tool(
        effect=Effect.REVERSIBLE, before=event.read, undo=event.put_back, about=lambda r: "event"
    )
    async def rename(title: str) -> None:
        event.write(title=title)

    await do_all(strict, lambda: move(2), lambda: rename("b"))

    assert (event.state["day"], event.state["title"]) == (1, "a")
    assert list_open(strict) == []


@pytest.mark.parametrize("answers", [True, False])
async def test_another_turns_call_that_wrote_the_same_is_not_undone_with_ours(
    content: Mulligan, answers: bool
) -> None:
    event = Event(content)
    move = event.declare()
    content.check("move")(lambda call: "It was wrong.")

    @content.tool(
        effect=Effect.REVERSIBLE, before=event.read, undo=event.put_back_under_version,
        version=lambda record: record.result["etag"], about=lambda record: "event",
    )  # fmt: skip
    async def settle(day: int) -> dict[str, Any]:
        left = event.write(day=day)
        if not answers:
            raise TimeoutError("no answer")
        return left

    async def let_another() -> None:
        another = do_all(content, lambda: settle(2))
        await asyncio.get_running_loop().create_task(another, context=contextvars.Context())

    await do_all(content, lambda: move(2), lambda: move(5), let_another, lambda: move(5))

    assert event.state["day"] == 2
    assert [action.state for action in list_open(content)] == [State.UNDO_FAILED] + (
        [] if answers else [State.NEEDS_HUMAN]
    )


async def test_a_persons_edit_beside_such_an_undo_is_left_alone(strict: Mulligan) -> None:
    event = Event(strict)
    move = event.declare()

    def rename_back(record: Record) -> None:
        before: Any = record.before
        event.write(title=before["title"], day="a person's")

    @strict.tool(
        effect=Effect.REVERSIBLE, before=event.read, undo=rename_back, about=lambda r: "event",
        undoing=Undoing(same=lambda before, now: before["title"] == now["title"]),
    )  # fmt: skip
    async def rename(title: str) -> None:
        event.write(title=title)

    reply = await do_all(strict, lambda: move(2), lambda: rename("b"))

    assert event.state["day"] == "a person's"
    assert "may be our own later work" in reply


async def test_a_tool_that_told_no_version_is_said_to_have_told_none(strict: Mulligan) -> None:
    event = Event(strict)
    move = event.declare()

    reply = await do_all(strict, lambda: move(SILENT))

    assert SOMEONE not in reply
    assert "which version it left is not known" in reply


@pytest.mark.parametrize("within", [True, False])
async def test_what_a_call_of_ours_wrote_after_one_within_or_beside_it_is_not_called_somebodys(
    strict: Mulligan, clock: FixedClock, within: bool
) -> None:
    """It was asked for first, wrote last and told no version, and is being undone as well."""
    event, moved = Event(strict), asyncio.Event()
    move = event.declare()

    @strict.tool(
        effect=Effect.REVERSIBLE, before=event.read, undo=event.put_back_under_version,
        version=lambda record: None, about=lambda record: "event",
    )  # fmt: skip
    async def arrange(day: int) -> None:
        await (move(2) if within else moved.wait())
        event.write(day=day)

    async def move_beside() -> None:
        await asyncio.sleep(0)
        clock.move(SOON)
        await move(2)
        clock.move(SOON)
        moved.set()

    async def do_both() -> None:
        await asyncio.gather(arrange(6), move_beside())

    reply = await do_all(strict, (lambda: arrange(6)) if within else do_both)

    assert event.state["day"] == 6
    assert SOMEONE not in reply
    assert len(list_open(strict)) == 2
    assert all("Someone" not in str(each.detail["why"]) for each in list_open(strict))


async def test_without_an_object_our_own_undo_is_known_by_what_it_put_back(
    strict: Mulligan,
) -> None:
    event = Event(strict)
    move = event.declare(about=None)

    await do_all(strict, lambda: move(2), lambda: move(5))

    assert event.state["day"] == 1
    assert list_open(strict) == []


@pytest.mark.parametrize("versioned", [True, False])
async def test_what_a_person_has_undone_waits_for_our_own_later_call(
    content: Mulligan, clock: FixedClock, versioned: bool
) -> None:
    event, listed = Event(content), content.insights.open_list
    weak = {"version": None, "undo": event.put_back}
    move = event.declare(**({} if versioned else weak))
    await do_all(content, lambda: move(2))
    await do_all(content, lambda: move(5))
    content.flush()
    first, second = event.ids

    listed.undo(first, by="Mum")
    await content.recover()
    waiting = listed.find(first)
    stood = event.state["day"]
    listed.undo(second, by="Mum")
    await look_again(content, clock)

    assert stood == 5
    assert waiting.state is State.UNDO_FAILED
    assert "later call of ours" in str(waiting.detail["why"])
    assert event.state["day"] == 1
    assert list_open(content) == []


async def test_a_person_is_still_one_where_nothing_of_ours_is_in_doubt(strict: Mulligan) -> None:
    event = Event(strict)
    move = event.declare()

    async def edit() -> None:
        event.write(day="a person's")

    reply = await do_all(strict, lambda: move(2), edit)

    assert SOMEONE in reply
    assert event.state["day"] == "a person's"


async def test_a_look_that_fails_says_neither_that_it_stands_nor_that_an_undo_failed(
    strict: Mulligan,
) -> None:
    event, down = Event(strict), []

    def read(record: Record) -> dict[str, Any]:
        if down:
            raise OSError("the network is down")
        return event.read(record)

    move = event.declare(before=read)

    async def cut() -> None:
        down.append(True)

    reply = await do_all(strict, lambda: move(2), cut)

    assert "Still in effect" not in reply
    assert "nothing was sent" in reply


class Cell:
    """One value behind tools without versions; what is late lands when it is told to."""

    def __init__(self, m: Mulligan) -> None:
        self.value: Any = 1
        self.late: list[Callable[[], None]] = []
        ways: dict[str, Any] = {
            "effect": Effect.REVERSIBLE,
            "before": lambda record: self.value,
            "undo": self._put_back,
            "about": lambda record: "cell",
            "remote": Remote(lands_within=SOON),
        }

        @m.tool(**ways)
        async def put(value: int) -> int:
            if value > 9:
                raise ValueError("too big")
            self.value = value
            return value

        @m.tool(**ways, deletes=True)
        async def clear() -> None:
            self.late.append(lambda: setattr(self, "value", None))
            raise TimeoutError("no answer")

        self.put, self.clear = put, clear

    def _put_back(self, record: Record) -> None:
        self.value = record.before


async def look_again(m: Mulligan, clock: FixedClock) -> list[State]:
    for _ in range(3):
        await m.recover()
        clock.move(timedelta(seconds=2))
    return [action.state for action in list_open(m)]


@pytest.mark.parametrize(("app", "left"), [("content", 5), ("strict", 1)])
async def test_our_own_later_call_or_its_undo_is_no_sign_of_a_call_that_failed(
    request: pytest.FixtureRequest, clock: FixedClock, app: str, left: int
) -> None:
    m = request.getfixturevalue(app)
    cell = Cell(m)

    await do_all(m, lambda: cell.put(10), lambda: cell.put(5))

    assert await look_again(m, clock) == []
    assert cell.value == left


async def test_what_is_there_is_not_as_our_later_call_left_it_so_the_first_may_have_landed(
    content: Mulligan, clock: FixedClock
) -> None:
    cell = Cell(content)
    cell.value = None

    async def land() -> None:
        cell.late.pop()()

    await do_all(content, cell.clear, lambda: cell.put(5), land)

    assert cell.value is None
    assert await look_again(content, clock) != []


@pytest.mark.parametrize("effect", [Effect.REVERSIBLE, Effect.IRREVERSIBLE])
async def test_what_was_never_read_before_is_not_taken_for_nothing(
    content: Mulligan, clock: FixedClock, effect: Effect
) -> None:
    """Held, as its snapshot could not be read; approved, landed, and its answer lost."""
    files, busy = {"x": "tax papers"}, [True]

    def get(record: Record) -> str | None:
        if busy:
            raise OSError("busy")
        return files.get("x")

    @content.tool(
        effect=effect, before=get, undo=lambda record: files.update(x=str(record.before)),
        deletes=True, about=lambda record: "x", remote=Remote(lands_within=SOON),
    )  # fmt: skip
    async def delete() -> None:
        del files["x"]
        raise TimeoutError("no answer")

    await do_all(content, delete)
    [held] = list_open(content)
    busy.clear()
    content.insights.open_list.approve(held.id, by="Mum")
    left = await look_again(content, clock)

    assert files == {}
    assert left == [State.NEEDS_HUMAN]


async def test_a_field_called_version_is_what_the_call_changed_where_nothing_else_is(
    strict: Mulligan, clock: FixedClock
) -> None:
    shop = {"name": "shop", "version": 1}

    @strict.tool(
        effect=Effect.REVERSIBLE, before=lambda record: dict(shop),
        remote=Remote(lands_within=SOON),
        undo=lambda record: shop.update(record.before),  # type: ignore[call-overload]
        about=lambda record: "shop",
    )  # fmt: skip
    async def release() -> None:
        shop["version"] = 2
        raise TimeoutError("no answer")

    await do_all(strict, release)

    assert await look_again(strict, clock) == [State.NEEDS_HUMAN]


class Refused(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


@pytest.mark.parametrize("status", [403, 404])
@pytest.mark.parametrize("says_none", [True, False])
async def test_who_refuses_an_undo_may_hide_what_is_there_too(
    strict: Mulligan, clock: FixedClock, status: int, says_none: bool
) -> None:
    files: dict[str, dict[str, str]] = {}
    revoked: list[bool] = []

    def get(record: Record) -> dict[str, str] | None:
        if revoked and not says_none:
            raise Refused(404)
        return None if revoked else files.get("party")

    def remove(record: Record) -> None:
        revoked.append(True)
        raise Refused(status)

    @strict.tool(
        effect=Effect.REVERSIBLE, read=get, undo=remove, about=lambda record: "party",
        version=lambda record: record.result["etag"],
    )  # fmt: skip
    async def create() -> dict[str, str]:
        files["party"] = {"etag": "v1"}
        return files["party"]

    reply = await do_all(strict, create)

    assert "everything was undone" not in reply
    assert await look_again(strict, clock) == [State.UNDO_FAILED]
