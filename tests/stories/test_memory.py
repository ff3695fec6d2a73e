"""Two worlds, one mistake: what an agent that is told is worth against one that is not."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan import Effect, Memory, Mode, Mulligan
from mulligan.runtime import waiting
from mulligan.runtime.context import OpenTurn
from mulligan.stores.opening import open_store
from mulligan.types.lesson import Ending, EpisodeQuery, LessonQuery, LessonState
from mulligan.types.log import LogQuery

pytestmark = pytest.mark.promise(9)

ORDERS = {f"#W{1000 + n}": {"total": n} for n in range(10)}


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

    async def serve(self, n: int) -> object:
        """One request; the agent leaves the sign out, unless its prompt tells it better."""

        async def agent(turn: OpenTurn) -> str:
            warned = "#" in self.m.pitfalls("find_order")
            try:
                found = await self.find_order(f"#W{1000 + n}" if warned else f"W{1000 + n}")
            except ValueError:
                self.failures += 1
                found = await self.find_order(f"#W{1000 + n}")
            return f"It comes to {found['total']}."

        done = await self.m.act(f"What is order W{1000 + n}?", agent, agent="desk")
        self.m.flush()
        return done.reply


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


async def test_evidence_alone_takes_three_failures() -> None:
    desk = Desk(Mulligan("memory:", memory=Memory(control=0)))

    for number in range(10):
        await desk.serve(number)
        desk.m.insights.lesson_list.consolidate()

    assert desk.failures == 3


class Vault:
    """A tool that wants another one called first, which nothing but its error says."""

    def __init__(self, m: Mulligan) -> None:
        self.m, self.failures, self.open = m, 0, False

        @m.tool(effect=Effect.READ)
        async def check_key(number: int) -> str:
            self.open = True
            return f"key {number} is valid"

        @m.tool(effect=Effect.READ)
        async def read_box(number: int) -> str:
            if not self.open:
                raise ValueError(f"Box {number} is shut: a key has to be shown before")
            return f"box {number}"

        self.check_key, self.read_box = check_key, read_box

    def count_failed_rows(self) -> int:
        rows = self.m.insights.log(LogQuery(tool="read_box"))
        return sum(row.outcome == "failure" for row in rows)

    async def serve(self, number: int) -> object:
        """One request; the agent shows its key first only where its prompt says so."""
        self.open = False

        async def agent(turn: OpenTurn) -> str:
            if "call `check_key`" in self.m.pitfalls("read_box"):
                await self.check_key(number)
            try:
                return await self.read_box(number)
            except ValueError:
                self.failures += 1
                await self.check_key(number)
                return await self.read_box(number)

        done = await self.m.act(f"What is in box {number}?", agent, agent="porter")
        self.m.flush()
        return done.reply


async def test_what_has_to_be_called_first_is_told_before_the_call_and_fewer_fail() -> None:
    vault = Vault(Mulligan("memory:", memory=Memory(control=0)))

    for number in range(3):
        assert await vault.serve(number) == f"box {number}"
    vault.m.insights.lesson_list.consolidate()
    before = vault.failures, vault.count_failed_rows()
    for number in range(3, 20):
        assert await vault.serve(number) == f"box {number}"

    assert before[0] == 3
    assert (vault.failures, vault.count_failed_rows()) == before


async def test_what_helped_by_asking_for_something_else_is_put_to_the_person() -> None:
    m = Mulligan("memory:", memory=Memory(control=0))

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


async def test_a_correction_that_was_proven_is_made_by_itself_where_the_tool_allows_it() -> None:
    desk = Desk(Mulligan("memory:", memory=Memory(control=0)), mode=Mode.AUTO)
    for number in range(3):
        await desk.serve(number)
    desk.m.insights.lesson_list.consolidate()

    async def stubborn(turn: OpenTurn) -> object:
        return await desk.find_order("W1007")

    done = await desk.m.act("What is order W1007?", stubborn)

    assert done.reply == ORDERS["#W1007"]


async def test_a_revoked_lesson_is_gone_at_once_and_names_every_call_it_touched() -> None:
    desk = Desk(Mulligan("memory:", memory=Memory(control=0)))
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

    [episode] = store.casebook.list_episodes(EpisodeQuery())
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

    monkeypatch.setattr(store.casebook, broken, down)

    assert await desk.serve(3) == "It comes to 3."


def _approve_what_was_learned(m: Mulligan) -> None:
    known = m.insights.lesson_list
    known.consolidate()
    for seen in known.list_lessons(LessonQuery(tool="find_order")):
        known.approve(seen.lesson.id, by="anna")


async def test_pitfalls_are_told_to_the_tenant_that_learned_them_alone() -> None:
    m = Mulligan("memory:", memory=Memory(control=0), tenant="beta")

    @m.tool(effect=Effect.READ)
    async def find_order(order_id: str) -> dict[str, int]:
        if order_id not in ORDERS:
            raise ValueError(f"Order {order_id} not found")
        return ORDERS[order_id]

    async def agent(turn: OpenTurn) -> object:
        try:
            return await find_order(turn.message)
        except ValueError:
            return await find_order(f"#{turn.message}")

    for n in range(4):
        about = {"agent": "desk", "tenant": "acme", "principal": f"person {n}"}
        await m.act(f"W{1000 + n}", agent, **about)  # type: ignore[arg-type]
    m.flush()
    m.insights.lesson_list.consolidate()

    assert "#" in m.pitfalls("find_order", tenant="acme")
    assert "#" in m.pitfalls(agent="desk", tenant="acme")
    assert m.pitfalls("find_order") == m.pitfalls(agent="desk") == ""


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

    monkeypatch.setattr(store.casebook, "list_lessons", slow)
    monkeypatch.setattr(waiting, "TIMEOUT", 0.05)

    @m.tool(effect=Effect.READ)
    def find_order(order_id: str) -> None:
        raise ValueError("no such order")

    with pytest.raises(ValueError, match="no such order"), m.turn("Find it"):
        find_order("W1")

    assert asked.is_set()
    answered.set()
    m.close()
