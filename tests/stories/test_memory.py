"""From the first failure to the prompt that prevents it: what an agent that is told is worth."""

from __future__ import annotations

import re
import threading
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Memory, Mode, Mulligan
from mulligan.insights.figures import Share
from mulligan.runtime import waiting
from mulligan.runtime.context import OpenTurn
from mulligan.stores.opening import open_store
from mulligan.types.lesson import Ending, EpisodeQuery, LessonQuery, LessonState

pytestmark = pytest.mark.promise(9)

DAY = timedelta(days=1)
ORDERS = {f"#W{1000 + n}": {"total": n} for n in range(10)}


@pytest.fixture
def m():
    with Mulligan("memory:", memory=Memory(control=0, seeds=False), recover=False) as m:
        yield m


def learn(m: Mulligan) -> None:
    m.flush()
    m.insights.lesson_list.consolidate()


class Desk:
    """A tool with a habit that its schema does not tell, and an agent that falls for it."""

    def __init__(self, m: Mulligan, *, mode: Mode = Mode.SUGGEST) -> None:
        self.m = m
        self.failures = 0

        @m.tool(effect=Effect.READ, mode=mode)
        async def find_order(order_id: str) -> dict[str, int]:
            if order_id not in ORDERS:
                raise ValueError(f"Order {order_id} not found; write it as on the bill")
            return ORDERS[order_id]

        self.find_order = find_order

    async def serve(self, n: int, agent: str = "desk") -> object:
        """One request; the agent leaves the sign out, unless its prompt tells it better."""

        async def work(turn: OpenTurn) -> str:
            warned = "#" in self.m.pitfalls("find_order")
            try:
                found = await self.find_order(f"#W{1000 + n}" if warned else f"W{1000 + n}")
            except ValueError:
                self.failures += 1
                found = await self.find_order(f"#W{1000 + n}")
            return f"It comes to {found['total']}."

        done = await self.m.act(f"What is order W{1000 + n}?", work, agent=agent)
        self.m.flush()
        return done.reply


@pytest.mark.full
async def test_without_memory_an_agent_fails_the_same_way_ten_times_and_with_it_twice() -> None:
    forgetful = Desk(Mulligan("memory:", memory=Memory(on=False)))
    learning = Desk(Mulligan("memory:", memory=Memory(control=0)))

    for number in range(10):
        assert await forgetful.serve(number) == f"It comes to {number}."
        assert await learning.serve(number) == f"It comes to {number}."
        if number == 1:
            _approve_what_was_learned(learning.m)

    assert forgetful.failures == 10
    assert learning.failures == 2


async def test_evidence_alone_takes_three_failures(m) -> None:
    desk = Desk(m)

    for number in range(10):
        await desk.serve(number)
        desk.m.insights.lesson_list.consolidate()

    assert desk.failures == 3


async def test_what_helped_by_asking_for_something_else_is_put_to_the_person(m) -> None:
    @m.tool(effect=Effect.READ, mode=Mode.AUTO)
    async def find_events(query: str, day: str = "") -> list[str]:
        if day:
            raise LookupError("No events found. Try a different query.")
        return [query]

    async def wider(turn: OpenTurn) -> object:
        try:
            return await find_events("lunch", day="2026-11-20")
        except LookupError as error:
            return str(error.mulligan) + repr(await find_events("lunch"))  # type: ignore[attr-defined]

    said = []
    for _ in range(4):
        done = await m.act("When is lunch on the 20th?", wider)
        said.append(str(done.reply))
        m.flush()
        m.insights.lesson_list.consolidate()

    assert "May I leave `day` out?" not in said[0]
    assert "What to do: ask." in said[-1]
    assert "Ask the person: May I leave `day` out?" in said[-1]
    assert "Try:" not in said[-1]


async def test_a_correction_that_was_proven_is_made_by_itself_where_the_tool_allows_it(m) -> None:
    desk = Desk(m, mode=Mode.AUTO)
    for number in range(3):
        await desk.serve(number)
    desk.m.insights.lesson_list.consolidate()

    async def stubborn(turn: OpenTurn) -> object:
        return await desk.find_order("W1007")

    done = await desk.m.act("What is order W1007?", stubborn)

    assert done.reply == ORDERS["#W1007"]


async def test_a_revoked_lesson_is_gone_at_once_and_names_every_call_it_touched(m) -> None:
    desk = Desk(m)
    for number in range(4):
        await desk.serve(number)
        desk.m.insights.lesson_list.consolidate()
    known = desk.m.insights.lesson_list
    [learned] = known.list_lessons(LessonQuery(tool="find_order"))

    gone = known.revoke(learned.lesson.id, by="anna", note="Wrong shop.")

    assert len(gone.uses) >= 3
    assert gone.lesson.state is LessonState.RETIRED
    assert "#" not in desk.m.pitfalls("find_order")
    await desk.serve(8)
    assert desk.failures == 4


async def test_nothing_that_was_called_with_is_kept() -> None:
    store = open_store("memory:")
    desk = Desk(Mulligan(store, memory=Memory(control=0)))

    await desk.serve(5)

    [episode] = store.failures.list_episodes(EpisodeQuery())
    assert episode.ending is Ending.REPAIRED
    # As a number of its own: hashes and microseconds hold any four digits now and then.
    assert re.search(r"(?<![0-9a-f])1005(?![0-9a-f])", repr(episode)) is None


@pytest.mark.parametrize("broken", ["record", "count_episodes", "read_endings"])
async def test_a_memory_that_is_down_costs_nobody_an_answer(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store("memory:")
    desk = Desk(Mulligan(store))

    def down(*args: object, **kwargs: object) -> Callable[[], None]:
        raise RuntimeError("no store")

    monkeypatch.setattr(store.failures, broken, down)

    assert await desk.serve(3) == "It comes to 3."


def _approve_what_was_learned(m: Mulligan) -> None:
    known = m.insights.lesson_list
    known.consolidate()
    for seen in known.list_lessons(LessonQuery(tool="find_order")):
        known.approve(seen.lesson.id, by="anna")


def test_an_agent_gets_its_prompt_also_while_the_store_is_down(tmp_path: Path) -> None:
    m = Mulligan(f"sqlite:///{tmp_path}/desk.db", recover=False)
    m.close()

    told = m.pitfalls("find_order"), m.pitfalls(agent="desk")

    assert told == ("", "")


def test_a_slow_memory_holds_up_a_sync_tool_no_longer_than_an_async_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = open_store("memory:")
    m = Mulligan(store)
    asked, answered = threading.Event(), threading.Event()

    def slow(*args: object, **kwargs: object) -> list[object]:
        asked.set()
        answered.wait(30)
        return []

    monkeypatch.setattr(store.failures, "list_lessons", slow)
    monkeypatch.setattr(waiting, "TIMEOUT", 0.05)

    @m.tool(effect=Effect.READ)
    def find_order(order_id: str) -> None:
        raise ValueError("no such order")

    with pytest.raises(ValueError, match="no such order"), m.turn("Find it"):
        find_order("W1")

    assert asked.is_set()
    answered.set()
    m.close()


RECORDS = {f"R{n}": f"record {n}" for n in range(20)}


class ParameterError(Exception):
    code = "PARAM_INVALID"


def count(m: Mulligan) -> Share:
    m.flush()
    return m.insights.figures(DAY).all_calls


async def serve(m: Mulligan, work: Callable[[OpenTurn], Awaitable[Any]], *, agent: str) -> object:
    done = await m.act("Go on", work, agent=agent, context="researching papers")
    return done.reply


async def test_a_bound_that_no_schema_tells_is_in_the_prompt_after_three_failures(m) -> None:
    @m.tool(effect=Effect.READ, server="rag-server")
    async def rag_query(query: str, topK: int) -> list[str]:
        if topK > 10:
            raise ParameterError("Invalid parameter: topK must be <= 10")
        return [query] * topK

    async def research(turn: OpenTurn) -> int:
        stated = re.search(r"`topK` must be at most (\d+)", m.pitfalls("rag_query"))
        try:
            return len(await rag_query("RAG", int(stated[1]) if stated else 50))
        except ParameterError as error:
            best = error.mulligan.suggestions[0]  # type: ignore[attr-defined]
            return len(await rag_query(**best.patch.apply({"query": "RAG", "topK": 50})))

    agents = ("librarian", "oracle", "explorer")
    for agent in agents:
        assert await serve(m, research, agent=agent) == 10
    learn(m)
    before, prompt = count(m), m.pitfalls("rag_query")
    for agent in agents * 3:
        assert await serve(m, research, agent=agent) == 10
    after = count(m)

    [pitfall, remedy] = [line for line in prompt.splitlines() if line.startswith("- ")]
    assert re.fullmatch(
        r"- `topK` must be at most 10 \(3 times since \d{4}-\d\d-\d\d, explorer, librarian and "
        r"oracle; pattern \d+:[0-9a-f]{8}\)",
        pitfall,
    )
    assert remedy.endswith(": `topK` must be at most 10.")
    assert (before.calls, before.failed, before.repaired, before.given_up) == (3, 3, 3, 0)
    assert (after.calls - before.calls, after.failed - before.failed) == (9, 0)
    assert after.succeeded.figure == 1.0


async def test_who_may_not_is_told_so_and_asks_instead(m) -> None:
    @m.tool(effect=Effect.READ)
    async def read_payroll(month: str, who: str) -> str:
        if who != "captain":
            raise PermissionError(f"Permission denied: {who} has no access to the payroll")
        return month

    def work_as(agent: str) -> Callable[[OpenTurn], Awaitable[str]]:
        async def work(turn: OpenTurn) -> str:
            if f"{agent} may not" in m.pitfalls("read_payroll", agent=agent):
                return "May I have access to the payroll?"
            try:
                return await read_payroll("2026-11", who=agent)
            except PermissionError:
                return "I could not read it."

        return work

    said = [await serve(m, work_as("intern"), agent="intern") for _ in range(3)]
    before = count(m)
    said += [await serve(m, work_as("intern"), agent="intern") for _ in range(27)]
    allowed = [await serve(m, work_as("captain"), agent="captain") for _ in range(5)]
    after, prompt = count(m), m.pitfalls(agent="intern")

    assert said[:3] == ["I could not read it."] * 3
    assert set(said[3:]) == {"May I have access to the payroll?"}
    assert allowed == ["2026-11"] * 5
    assert 'intern may not: it is refused with "permission denied: ' in prompt
    assert "It is not permitted with any arguments." in prompt
    assert (before.calls, before.failed, before.given_up) == (3, 3, 3)
    assert (after.calls, after.failed, after.given_up) == (8, 3, 3)
    assert m.pitfalls("read_payroll", agent="captain") == ""


async def test_what_must_be_called_first_is_called_first_once_it_is_known(m) -> None:
    opened: set[str] = set()

    @m.tool(effect=Effect.READ)
    async def open_task_versions() -> str:
        opened.add("task_versions")
        return "open"

    @m.tool(effect=Effect.READ)
    async def read_record(record: str) -> str:
        if not opened:
            raise LookupError("The task versions is closed")
        return RECORDS[record]

    def read(n: int) -> Callable[[OpenTurn], Awaitable[str]]:
        async def work(turn: OpenTurn) -> str:
            opened.clear()
            if "it wants `open_task_versions` called first" in m.pitfalls("read_record"):
                await open_task_versions()
            try:
                return await read_record(f"R{n}")
            except LookupError:  # the agent finds out by itself
                await open_task_versions()
                return await read_record(f"R{n}")

        return work

    for n in range(3):
        assert await serve(m, read(n), agent="clerk") == f"record {n}"
    learn(m)
    before, prompt = count(m), m.pitfalls("read_record")
    recovered = m.insights.figures(DAY).recovered
    for n in range(3, 13):
        assert await serve(m, read(n), agent="clerk") == f"record {n}"
    after = count(m)

    assert "- it wants `open_task_versions` called first (3 times since" in prompt
    assert '- on "the task versions is closed": call `open_task_versions` first.' in prompt
    assert (recovered.figure, recovered.n) == (1.0, 3)
    assert before.failed == after.failed == 3
    assert after.calls - before.calls == 20


class RefusedError(Exception):
    status_code = 422


async def test_an_agent_is_told_what_helps_against_its_failures_whoever_found_out(m) -> None:
    desk = Desk(m)
    for number in range(6):
        await desk.serve(number, agent="ann")
    learn(m)
    with m.turn("find W1007", agent="bob"), pytest.raises(ValueError, match="not found") as caught:
        await desk.find_order("W1007")
    m.flush()

    assert "order_id='#W1007'" in str(caught.value.mulligan)  # type: ignore[attr-defined]
    assert "`order_id` must be given with '#' in front" in m.pitfalls("find_order", agent="bob")
    assert m.pitfalls("find_order", agent="eve") == ""


async def test_a_lesson_of_another_schema_is_a_candidate_at_once(tmp_path: Path) -> None:
    url, memory = f"sqlite:///{tmp_path}/lessons.db", Memory(control=0, seeds=False)
    with Mulligan(url, memory=memory, recover=False) as m:
        desk = Desk(m)
        for number in range(6):
            await desk.serve(number)
        learn(m)
        assert "must be given with '#'" in m.pitfalls("find_order")

    with Mulligan(url, memory=memory, recover=False) as m:

        @m.tool(effect=Effect.READ)
        async def find_order(order_id: int) -> None:
            raise ValueError(f"Order {order_id} not found; write it as on the bill")

        with m.turn("find 77"), pytest.raises(ValueError, match="not found"):
            await find_order(77)
        m.flush()

        [seen] = m.insights.lesson_list.list_lessons(LessonQuery())
        assert seen.lesson.state is LessonState.CANDIDATE
        assert seen.lesson.why == "the tool's schema has changed"
        assert "must be given with '#'" not in m.pitfalls("find_order")


def test_what_a_turn_got_over_is_counted_by_call(m) -> None:
    @m.tool(effect="read", mode="auto")
    def search(limit: int) -> str:
        if not isinstance(limit, int):
            raise RefusedError("limit: Input should be a valid integer")
        raise LookupError("no such index")

    for _ in range(5):
        with m.turn("search"), pytest.raises(RefusedError):
            search(limit="5")
    m.flush()
    figures = m.insights.figures(DAY)

    assert figures.all_calls.failed == 5
    assert figures.all_calls.tries >= 10
    assert figures.recovered.n == 5
    assert figures.recovered.figure == 0


async def test_what_the_schema_knows_too_is_repaired_without_memory() -> None:
    """Calls of the comparison's other half lose what memory knows, and nothing else."""
    with Mulligan("memory:", memory=Memory(control=0.999999), recover=False) as m:

        @m.tool(effect=Effect.READ, mode=Mode.AUTO)
        async def find_card(number: str) -> str:
            if not isinstance(number, str):
                raise TypeError("number must be a string")
            return number

        async def work(turn: OpenTurn) -> str:
            return await find_card(number=4321)  # type: ignore[arg-type]

        for _ in range(4):
            done = await m.act("Find that card.", work)
            learn(m)
            assert done.reply.startswith("4321")
