from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Literal

import msgspec
import pytest

from mulligan import Effect, Mode, Mulligan, Outcome
from mulligan.runtime.context import find_current_turn
from mulligan.types.call import LogRow
from mulligan.types.events import CallLogged, CallRepaired, CallRetried, Happened
from mulligan.types.limits import Backoff
from mulligan.types.values import read_label

pytestmark = pytest.mark.promise(9)


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:", backoff=Backoff(first=timedelta())) as made:
        yield made


def test_a_wrapped_tool_keeps_its_name_docstring_and_signature(m: Mulligan) -> None:
    def find(query: str, *, limit: int = 10) -> list[str]:
        """Find events."""
        return [query] * limit

    wrapped = m.tool(find)

    assert wrapped.__name__ == "find"
    assert wrapped.__doc__ == "Find events."
    assert inspect.signature(wrapped) == inspect.signature(find)
    assert wrapped("a", limit=2) == ["a", "a"]


async def test_an_async_tool_stays_async(m: Mulligan) -> None:
    @m.tool(effect=Effect.READ)
    async def find(query: str) -> str:
        await asyncio.sleep(0)
        return query

    assert inspect.iscoroutinefunction(find)
    assert await find("x") == "x"


@pytest.mark.full
async def test_objects_with_an_async_call_and_partials_are_tools_too(m: Mulligan, rows) -> None:
    class Finder:
        async def __call__(self, query: str) -> str:
            return query

    async def add(a: int, b: int) -> int:
        return a + b

    finder = m.tool(name="finder")(Finder())
    plus_one = m.tool(name="plus_one")(functools.partial(add, 1))

    assert await finder("x") == "x"
    assert await plus_one(2) == 3
    assert [row.tool for row in rows()] == ["finder", "plus_one"]


def test_methods_are_logged_without_their_object(m: Mulligan, rows) -> None:
    class Calendar:
        @m.tool
        def find(self, limit: int) -> int:
            return limit

    Calendar().find(3)

    assert rows()[0].parameters == '{"limit":3}'


def test_a_row_says_who_called_what_for_and_what_came_of_it(m: Mulligan, rows) -> None:
    @m.tool(server="calendar", effect=Effect.READ)
    def find(query: str, limit: int) -> dict[str, int]:
        return {"found": 2}

    with m.turn("Where is dinner?", agent="planner", context="planning", tenant="elm") as turn:
        find("dinner with Anna", 5)

    (row,) = rows()
    assert (row.server, row.tool) == ("calendar", "find")
    assert (row.agent, row.context) == ("planner", "planning")
    assert (read_label(row.tenant), row.turn) == ("elm", turn.turn.id)
    assert (row.try_number, row.parent) == (1, None)
    assert row.outcome == Outcome.SUCCESS
    assert row.result == '{"found":2}'
    parameters = msgspec.json.decode(row.parameters)
    assert parameters["limit"] == 5
    assert "Anna" not in row.parameters
    assert parameters["query"].startswith("<str 16 #")


def test_values_of_a_literal_are_shown_as_they_are(m: Mulligan, rows) -> None:
    @m.tool
    def show(view: Literal["week", "month"], other: str) -> None: ...

    show("week", "week")

    parameters = msgspec.json.decode(rows()[0].parameters)
    assert parameters["view"] == "week"
    assert parameters["other"] != "week"


def test_the_row_shows_what_was_passed_not_what_the_tool_made_of_it(m: Mulligan, rows) -> None:
    @m.tool
    def empty(items: list[int]) -> None:
        items.clear()

    empty([1, 2, 3])

    assert rows()[0].parameters == '{"items":[1,2,3]}'


def test_a_failure_is_logged_and_the_callers_own_error_comes_through(m: Mulligan, rows) -> None:
    error = ValueError("no such day: tomorrow's secret dinner")

    @m.tool
    def find(day: str) -> None:
        raise error

    with pytest.raises(ValueError) as caught:
        find("tomorrow's secret dinner")

    (row,) = rows()
    assert caught.value is error
    assert row.outcome == Outcome.FAILURE
    assert row.error_type == "ValueError"
    assert row.error_class == "missing"
    assert row.error_message == "no such day: <day>"
    assert row.error_at is not None
    raised, *callers = row.error_at.split(" < ")
    assert raised.split(":")[0].endswith("test_wrapper.py")
    assert callers


async def test_a_read_is_made_again_and_all_tries_are_linked(m: Mulligan, rows) -> None:
    answers = iter([TimeoutError("slow"), TimeoutError("slow"), "found"])
    events: list[Happened] = []
    m.subscribe(events.append)

    @m.tool(effect=Effect.READ)
    async def find(limit: int) -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    found = await find(3)

    first, second, third = rows()
    assert found == "found"
    assert [row.outcome for row in (first, second, third)] == ["unknown", "unknown", "success"]
    assert [row.try_number for row in (first, second, third)] == [1, 2, 3]
    assert second.parent == third.parent == first.id
    assert [type(e) for e in events if not isinstance(e, CallLogged)] == [
        CallRetried, CallRetried, CallRepaired,
    ]  # fmt: skip


def test_a_sync_read_is_made_again_too(m: Mulligan, rows) -> None:
    answers = iter([ConnectionRefusedError(), 7])

    @m.tool(effect=Effect.READ)
    def find() -> int:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert find() == 7
    assert [row.outcome for row in rows()] == ["failure", "success"]


async def test_a_sync_tool_inside_an_event_loop_never_sleeps_on_it(
    m: Mulligan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slept(seconds: float) -> None:
        raise AssertionError("the event loop was held up")

    monkeypatch.setattr(time, "sleep", slept)
    answers = iter([ConnectionRefusedError(), 7])

    @m.tool(effect=Effect.READ)
    def find() -> int:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert find() == 7


@pytest.mark.parametrize("declared", [{}, {"effect": Effect.READ, "mode": Mode.OBSERVE}])
def test_undeclared_and_merely_observed_tools_run_once(m: Mulligan, declared: dict) -> None:
    made = []

    @m.tool(**declared)
    def send() -> None:
        made.append(1)
        raise TimeoutError

    with pytest.raises(TimeoutError):
        send()

    assert made == [1]


async def test_a_cancelled_call_is_logged_and_stays_cancelled(m: Mulligan, rows) -> None:
    started = asyncio.Event()
    forever = asyncio.Event()

    @m.tool(effect=Effect.READ)
    async def find() -> None:
        started.set()
        await forever.wait()

    task = asyncio.create_task(find())
    await started.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert [row.outcome for row in rows()] == ["cancelled"]


async def test_concurrent_turns_never_share_their_labels(m: Mulligan, rows) -> None:
    @m.tool
    async def find(number: int) -> None:
        await asyncio.sleep(0)

    async def one(number: int) -> None:
        async with m.turn(agent=f"agent-{number}", context=f"context {number}"):
            await find(number)
            await asyncio.gather(find(number), find(number))

    await asyncio.gather(*(one(n) for n in range(20)))

    seen = rows()
    assert len(seen) == 60
    for row in seen:
        number = msgspec.json.decode(row.parameters)["number"]
        assert (row.agent, row.context) == (f"agent-{number}", f"context {number}")


@pytest.mark.parametrize("broken", ["redact_parameters", "redact_result", "redact_error"])
def test_a_log_that_is_broken_does_not_reach_the_tool(
    m: Mulligan, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fails(*args: object, **kwargs: object) -> str:
        raise RuntimeError("the redactor is gone")

    monkeypatch.setattr(m._parts.runtime.redactor, broken, fails)

    @m.tool(effect=Effect.READ)
    def find(fail: bool) -> int:
        if fail:
            raise ValueError("mine")
        return 1

    assert find(False) == 1
    with pytest.raises(ValueError, match="mine"):
        find(True)


def test_a_success_closes_the_breaker_so_that_later_failures_are_helped(m: Mulligan, rows) -> None:
    answers = [*[ConnectionRefusedError()] * 5, 7, ConnectionRefusedError(), 8]

    @m.tool(effect=Effect.READ)
    def find() -> int:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    for _ in range(2):
        with pytest.raises(ConnectionRefusedError):
            find()

    assert find() == 7
    assert find() == 8


class HostileError(Exception):
    """Its attributes raise when they are asked for."""

    @property
    def response(self) -> object:
        raise RuntimeError("closed")

    @property
    def retry_after(self) -> object:
        raise KeyboardInterrupt


def test_an_error_that_bites_comes_through_unchanged_and_unquoted(
    m: Mulligan, rows, caplog
) -> None:
    @m.tool
    def login(password: str) -> None:
        raise HostileError(f"no login with {password}")

    with pytest.raises(HostileError):
        login("hunter2-and-more")

    assert rows()[0].error_type == "HostileError"
    assert "hunter2" not in f"{rows()} {caplog.text}"


def test_what_a_tool_takes_out_of_its_arguments_is_still_masked_in_its_error(
    m: Mulligan, rows
) -> None:
    @m.tool
    def login(creds: dict[str, str]) -> None:
        raise ValueError(f"bad {creds.pop('note')}")

    with pytest.raises(ValueError):
        login({"note": "correct horse battery"})

    assert "horse" not in str(rows()[0].error_message)


def test_a_call_whose_arguments_the_tool_has_changed_is_not_made_again(m: Mulligan) -> None:
    seen = []

    @m.tool(effect=Effect.READ)
    def find(items: list[int]) -> None:
        seen.append(list(items))
        items.pop()
        raise TimeoutError

    with pytest.raises(TimeoutError):
        find([1, 2, 3])

    assert seen == [[1, 2, 3]]


def test_each_try_has_its_own_error_and_none_claims_another_as_its_cause(m: Mulligan, rows) -> None:
    @m.tool(effect=Effect.READ)
    def find() -> None:
        raise TimeoutError("down")

    with pytest.raises(TimeoutError) as caught:
        find()

    assert caught.value.__context__ is None
    assert {row.error_message for row in rows()} == {"down"}


def test_a_turn_may_be_left_in_another_context_than_it_was_entered_in(m: Mulligan) -> None:
    turn = m.turn(agent="planner")
    contextvars.copy_context().run(turn.__enter__)

    turn.__exit__(None, None, None)

    assert find_current_turn() is None


def test_sampled_successes_carry_the_weight_of_those_left_out() -> None:
    seen: list[LogRow] = []
    with Mulligan("memory:", sample=0.25) as m:
        m.subscribe(lambda event: seen.append(event.row) if isinstance(event, CallLogged) else None)

        @m.tool
        def find(fail: bool) -> None:
            if fail:
                raise ValueError("no")

        for n in range(2000):
            if n % 100 == 0:
                with pytest.raises(ValueError):
                    find(True)
            else:
                find(False)
        m.flush()

    successes = [row for row in seen if row.outcome == Outcome.SUCCESS]
    failures = [row for row in seen if row.outcome == Outcome.FAILURE]
    assert len(failures) == 20
    assert {row.weight for row in failures} == {1.0}
    assert 300 < len(successes) < 700
    assert 1980 - 100 < sum(row.weight for row in successes) <= 1980
