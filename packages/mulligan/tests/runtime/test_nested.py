"""Tools that call tools, and answers that are not gone through yet: a try that had effects is not
a try that failed."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from mulligan import ConflictError, Effect, Mode, Mulligan, NothingDone, Repeat
from mulligan.runtime import call
from mulligan.runtime.episodes import LATE
from mulligan.types.action import ActionQuery, State
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError, OutsideTurnError, RunningLoopError
from mulligan.types.limits import Backoff

pytestmark = pytest.mark.promise(2)

IDEMPOTENT = {
    "effect": Effect.REVERSIBLE, "repeat": Repeat.IDEMPOTENT,
    "read": lambda _: None, "undo": lambda _: None,
}  # fmt: skip


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:", backoff=Backoff(first=timedelta())) as made:
        yield made


@pytest.fixture
def sent() -> list[str]:
    return []


def make_reversible(m: Mulligan, sent: list[str]) -> Any:
    def undo(record: Record) -> None:
        sent[:] = record.before

    return m.tool(effect=Effect.REVERSIBLE, read=lambda record: list(sent), undo=undo)


@pytest.fixture
def book(m: Mulligan, sent: list[str]) -> Callable[[str], str]:
    @make_reversible(m, sent)
    def book(what: str) -> str:
        sent.append(what)
        return f"booked {what}"

    return book


def list_states(m: Mulligan, tool: str) -> list[State]:
    found = m.insights.store.journal.list_actions(ActionQuery(limit=100))
    return [each.state for each in found if each.opening.tool == tool]


def test_a_read_that_books_something_and_then_fails_is_not_made_again(m, book, sent) -> None:
    @m.tool(effect=Effect.READ)
    def plan(what: str) -> str:
        book(what)
        raise ConnectionError("the line broke")

    with m.turn(message="Plan a trip"), pytest.raises(ConnectionError):
        plan("trip")

    assert sent == ["trip"]


async def test_neither_is_one_that_waits_for_a_second_level_in_a_thread(m, book, sent) -> None:
    @m.tool(effect=Effect.READ)
    async def choose(what: str) -> str:
        return await asyncio.to_thread(book, what)

    @m.tool(effect=Effect.READ)
    async def plan(what: str) -> str:
        await choose(what)
        raise TimeoutError

    async with m.turn(message="Plan a trip"):
        with pytest.raises(TimeoutError):
            await plan("trip")

    assert sent == ["trip"]


def test_a_later_try_that_books_something_is_the_last(m, book, sent) -> None:
    tries = []

    @m.tool(effect=Effect.READ)
    def plan(what: str) -> str:
        tries.append(what)
        if len(tries) == 2:
            book(what)
        raise ConnectionError("the line broke")

    with m.turn(message="Plan a trip"), pytest.raises(ConnectionError):
        plan("trip")

    assert (len(tries), sent) == (2, ["trip"])


def test_what_books_something_is_not_corrected_by_itself(m, book, sent) -> None:
    @m.tool(effect=Effect.READ, mode=Mode.AUTO)
    def plan(what: str, days: int) -> str:
        book(what)
        if not isinstance(days, int):
            raise TypeError("days must be a number")
        return what

    with m.turn(message="Plan a trip of 3 days"), pytest.raises(TypeError):
        plan("trip", "3")

    assert sent == ["trip"]


def test_one_whose_inner_calls_did_nothing_is_made_again(m, sent) -> None:
    @make_reversible(m, sent)
    def book(what: str) -> str:
        if not sent:
            sent.append("refused")
            raise NothingDone("the desk opens at nine")
        sent.append(what)
        return what

    @m.tool(effect=Effect.READ)
    def plan(what: str) -> str:
        try:
            return book(what)
        except NothingDone:
            raise ConnectionError("try again") from None

    with m.turn(message="Plan a trip"):
        planned = plan("trip")

    assert (planned, sent) == ("trip", ["refused", "trip"])


def test_one_beside_another_that_books_something_is_made_again(m, book, sent) -> None:
    tries = []

    @m.tool(effect=Effect.READ)
    def find(what: str) -> str:
        tries.append(what)
        if len(tries) == 1:
            raise ConnectionError("the line broke")
        return what

    with m.turn(message="Plan a trip"):
        book("trip")
        found = find("hotel")

    assert (found, len(tries), sent) == ("hotel", 2, ["trip"])


def test_the_word_of_a_tool_that_nothing_was_done_does_not_cover_what_it_called(
    m, book, sent
) -> None:
    @make_reversible(m, sent)
    def plan(what: str) -> str:
        book(what)
        raise NothingDone("no plan was made")

    with m.turn(message="Plan a trip"), pytest.raises(NothingDone):
        plan("trip")

    assert list_states(m, "plan") != [State.NOT_EXECUTED]


LAZY: dict[str, Callable[[list[str]], Any]] = {
    "map": lambda sent: map(sent.append, ["later"]),
    "filter": lambda sent: filter(sent.append, ["later"]),
    "generator": lambda sent: (sent.append(each) for each in ["later"]),
    "zip": lambda sent: zip(map(sent.append, ["later"]), strict=True),
    "starmap": lambda sent: itertools.starmap(sent.append, [("later",)]),
    "chain": lambda sent: itertools.chain(map(sent.append, ["later"])),
}


@pytest.mark.parametrize("kind", LAZY)
def test_an_answer_that_is_not_gone_through_yet_is_gone_through_within_the_call(
    m, sent, kind
) -> None:
    @make_reversible(m, sent)
    def pay(to: str) -> object:
        sent.append(to)
        return LAZY[kind](sent)

    with m.turn(message="Pay Ann"):
        answer = pay("Ann")
        during = list(sent)

    assert during == ["Ann", "later"]
    assert isinstance(answer, list)
    assert list_states(m, "pay") != [State.NOT_EXECUTED]


async def test_so_is_an_asynchronous_one(m, sent) -> None:
    async def rest() -> Any:
        sent.append("later")
        yield 1

    @make_reversible(m, sent)
    async def pay(to: str) -> object:
        sent.append(to)
        return rest()

    async with m.turn(message="Pay Ann"):
        answer = await pay("Ann")

    assert (answer, sent) == ([1], ["Ann", "later"])


def test_a_function_that_acts_and_answers_with_something_to_await_may_have_acted(m, sent) -> None:
    async def confirm() -> None: ...

    @make_reversible(m, sent)
    def pay(to: str) -> object:
        sent.append(to)
        return confirm()

    with m.turn(message="Pay Ann"), pytest.raises(ConfigurationError, match="async def"):
        pay("Ann")

    assert list_states(m, "pay") != [State.NOT_EXECUTED]


@pytest.mark.parametrize("error", [OutsideTurnError, RunningLoopError])
def test_what_we_refuse_inside_a_tool_proves_nothing_of_that_tool(m, sent, error) -> None:
    @make_reversible(m, sent)
    def pay(to: str) -> object:
        sent.append(to)
        raise error("nothing was done")

    with m.turn(message="Pay Ann"), pytest.raises(error):
        pay("Ann")

    assert list_states(m, "pay") != [State.NOT_EXECUTED]


@pytest.mark.full
def test_an_answer_without_an_end_is_not_waited_for(m, sent, monkeypatch) -> None:
    monkeypatch.setattr(call, "MOST_GONE_THROUGH", 10)

    @make_reversible(m, sent)
    def pay(to: str) -> object:
        return (number for number in itertools.count())

    with m.turn(message="Pay Ann"), pytest.raises(ConfigurationError, match="Return a list"):
        pay("Ann")


@pytest.mark.parametrize("outer", [{"effect": Effect.READ}, IDEMPOTENT])
async def test_a_call_that_is_still_under_way_when_its_maker_fails_counts(m, sent, outer) -> None:
    has_failed, booked = asyncio.Event(), asyncio.Event()

    @make_reversible(m, sent)
    async def order(what: str) -> str:
        await has_failed.wait()
        sent.append(what)
        booked.set()
        return what

    async def fetch_price() -> None:
        raise TimeoutError("no answer")

    @m.tool(**outer)
    async def plan(what: str) -> None:
        await asyncio.gather(order(what), fetch_price())

    async def agent(turn: Any) -> None:
        with pytest.raises(TimeoutError):
            await plan("dinner")
        has_failed.set()
        await booked.wait()

    await m.act("Plan dinner", agent)

    assert sent == ["dinner"]


@pytest.mark.parametrize("outer", [{"effect": Effect.READ}, IDEMPOTENT])
@pytest.mark.parametrize("fails", [1, 3])
@pytest.mark.parametrize("way", ["task", "later", "thread"])
async def test_what_had_not_begun_when_its_maker_failed_is_done_once_at_the_most(
    m, book, sent, outer, fails: int, way: str
) -> None:
    begun, tries = list[asyncio.Future[Any]](), itertools.count(1)
    has_failed = asyncio.Event()
    LATE.load()  # else the first failure is noted on a thread, and the task begins meanwhile

    async def order(what: str) -> None:
        if way != "task":
            await has_failed.wait()
        await asyncio.to_thread(book, what) if way == "thread" else book(what)

    @m.tool(**outer)
    async def plan(what: str) -> None:
        begun.append(asyncio.create_task(order(what)))
        if next(tries) <= fails:
            raise TimeoutError("no answer")
        has_failed.set()
        await begun[-1]

    async def agent(turn: Any) -> None:
        with suppress(TimeoutError):  # as it may, in the last try
            await plan("dinner")
        has_failed.set()
        await asyncio.gather(*begun, return_exceptions=True)

    await m.act("Plan dinner", agent)

    assert sent == (["dinner"] if fails == 1 else [])
    assert all(isinstance(each.exception(), NothingDone) for each in begun[:fails])


async def test_what_a_tool_leaves_to_a_task_and_does_not_wait_for_is_done(m, book, sent) -> None:
    begun = list[asyncio.Future[Any]]()

    async def order(what: str) -> None:
        await asyncio.sleep(0.01)
        book(what)

    @m.tool(effect=Effect.READ)
    async def plan(what: str) -> None:
        begun.append(asyncio.create_task(order(what)))

    async def agent(turn: Any) -> None:
        await plan("dinner")
        await asyncio.gather(*begun)

    await m.act("Plan dinner", agent)

    assert sent == ["dinner"]


@pytest.mark.parametrize("outer", [{"effect": Effect.READ}, IDEMPOTENT])
def test_calls_in_threads_that_are_bound_to_the_turn_count_for_their_maker(
    m, book, sent, outer
) -> None:
    def agent(turn: Any) -> None:
        @m.tool(**outer)
        def plan() -> None:
            with ThreadPoolExecutor() as pool:
                list(pool.map(turn.bind(book), ["milk", "tea"]))
            raise TimeoutError("no answer")

        with pytest.raises(TimeoutError):
            plan()

    m.act_sync("Plan dinner", agent)

    assert sorted(sent) == ["milk", "tea"]


class Shelf:
    """Objects with versions, and tools that write to them, each in its own way."""

    def __init__(self, m: Mulligan) -> None:
        self.count, self.items = itertools.count(2), {"a": {"id": "a", "value": 0, "v": 1}}
        self.person: Callable[[], object] = lambda: None
        declared: Any = {
            "effect": Effect.REVERSIBLE, "before": self.read, "read": self.read, "undo": self.undo,
            "version": lambda r: r.result["v"], "about": lambda r: r.arguments["id"],
        }  # fmt: skip
        self.tool = m.tool(**declared)
        self.inner = self.tool(self.write)

    def write(self, id: str, value: int) -> dict[str, Any]:  # noqa: A002
        self.items[id] = {"id": id, "value": value, "v": next(self.count)}
        return dict(self.items[id])

    def read(self, record: Record) -> object:
        found = self.items.get(str(record.arguments["id"]))
        return found and dict(found)

    def undo(self, record: Record) -> None:
        before: Any = record.before
        name = str(record.arguments["id"])
        if str(self.items[name]["v"]) != record.version:
            raise ConflictError("changed since")
        if before is None:
            del self.items[name]
        else:
            self.write(name, before["value"])


def _return_inner(shelf: Shelf, name: str, value: int) -> object:
    shelf.write(name, value)
    shelf.person()
    return shelf.inner(name, 5)


def _return_last_inner(shelf: Shelf, name: str, value: int) -> object:
    shelf.write(name, value)
    shelf.person()
    shelf.inner(name, 5)
    return shelf.inner(name, 4)


def _write_after(shelf: Shelf, name: str, value: int) -> object:
    shelf.write(name, value)
    shelf.person()
    shelf.inner(name, 5)
    return shelf.write(name, 4)


OUTER: dict[str, Callable[[Shelf, str, int], object]] = {
    "only calls it": lambda shelf, name, _: shelf.inner(name, 5),
    "writes, then calls it": _return_inner,
    "writes, then calls it twice": _return_last_inner,
    "writes, calls it, writes": _write_after,
}


@pytest.fixture
def shelf(m: Mulligan) -> Shelf:
    return Shelf(m)


def make_outer(shelf: Shelf, way: str) -> Callable[..., object]:
    def outer(id: str, value: int) -> object:  # noqa: A002
        return OUTER[way](shelf, id, value)

    return shelf.tool(outer)


@pytest.mark.parametrize("name", ["a", "new"])
@pytest.mark.parametrize("way", OUTER)
def test_a_tool_that_tells_the_version_of_a_call_within_it_is_undone_with_it(
    m, shelf, way: str, name: str
) -> None:
    outer = make_outer(shelf, way)

    done = reject_all(m, lambda: outer(name, 6))

    assert {each: item["value"] for each, item in shelf.items.items()} == {"a": 0}
    assert set(list_states(m, "write") + list_states(m, "outer")) == {State.UNDONE}
    assert done.open_actions == ()


@pytest.mark.full
@pytest.mark.parametrize("name", ["a", "new"])
@pytest.mark.parametrize("way", OUTER)
def test_what_somebody_wrote_after_a_tool_and_the_call_within_it_stays(
    m, shelf, way: str, name: str
) -> None:
    outer = make_outer(shelf, way)

    def work() -> None:
        outer(name, 6)
        shelf.write(name, 99)

    reject_all(m, work)

    assert shelf.items[name]["value"] == 99
    assert State.UNDONE not in list_states(m, "write") + list_states(m, "outer")


@pytest.mark.full
@pytest.mark.parametrize("name", ["a", "new"])
@pytest.mark.parametrize("way", ["writes, then calls it", "writes, then calls it twice"])
def test_what_somebody_wrote_before_the_call_within_a_tool_is_back_with_its_undo_and_stays(
    m, shelf, way: str, name: str
) -> None:
    outer = make_outer(shelf, way)
    shelf.person = lambda: shelf.write(name, 99)

    reject_all(m, lambda: outer(name, 6))

    assert shelf.items[name]["value"] == 99
    assert set(list_states(m, "write")) == {State.UNDONE}
    assert list_states(m, "outer") == [State.UNDO_FAILED]


@pytest.mark.parametrize("name", ["a", "new"])
def test_what_somebody_wrote_before_the_call_within_a_tool_that_wrote_last_is_told_of(
    m, shelf, name: str
) -> None:
    outer = make_outer(shelf, "writes, calls it, writes")
    shelf.person = lambda: shelf.write(name, 99)

    done = reject_all(m, lambda: outer(name, 6))

    assert len(done.open_actions) == 1
    assert State.UNDONE not in list_states(m, "write")


def test_a_call_that_only_leaves_the_same_version_as_an_earlier_one_is_not_within_it(
    m, shelf
) -> None:
    """By their content, as files have it: a person has written between the two."""

    def outer(id: str, value: int) -> dict[str, Any]:  # noqa: A002
        shelf.items[id] = {"id": id, "value": value, "v": value}
        return dict(shelf.items[id])

    shelf.write = outer  # type: ignore[method-assign]
    put = shelf.tool(outer)

    def work() -> None:
        put("a", 7)
        outer("a", 99)
        put("a", 7)

    reject_all(m, work)

    assert shelf.items["a"]["value"] == 99
    assert sorted(list_states(m, "outer")) == [State.CONFLICT, State.UNDONE]


def reject_all(m: Mulligan, work: Callable[[], object]) -> Any:
    """Have all that is done called wrong, in the only attempt."""

    @m.check("write", "outer")
    def check(call: Any) -> str:
        return "Not wanted."

    def agent(turn: Any) -> str:
        if turn.attempt.number == 1:
            work()
        return "Done."

    return m.act_sync("Do it", agent)


async def test_an_attempt_names_a_call_by_what_the_open_list_knows_it_by(m) -> None:
    tries = itertools.count(1)

    @m.tool(**IDEMPOTENT)
    async def order(what: str) -> None:
        if next(tries) == 1:
            raise TimeoutError("no answer")

    async def agent(turn: Any) -> None:
        await order("milk")

    done = await m.act("Order milk", agent)

    [call] = done.attempts[0].calls
    assert next(tries) == 3
    assert m.insights.open_list.find(call).opening.tool == "order"
