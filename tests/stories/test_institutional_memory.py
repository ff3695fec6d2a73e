"""Three mistakes, from the first failure to the prompt that prevents it, in figures.

The agents are as good as their prompt: each goes by what `m.pitfalls` says in so many words, and by
its habit where that says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from mulligan import Effect, Memory, Mulligan
from mulligan.insights.figures import Share
from mulligan.runtime.context import OpenTurn

DAY = timedelta(days=1)
RECORDS = {f"R{n}": f"record {n}" for n in range(20)}


class ParameterError(Exception):
    code = "PARAM_INVALID"


@pytest.fixture
def m():
    with Mulligan("memory:", memory=Memory(control=0), recover=False) as m:
        yield m


def count(m: Mulligan) -> Share:
    m.flush()
    return m.insights.figures(DAY).all_calls


def learn(m: Mulligan) -> None:
    m.flush()
    m.insights.lesson_list.consolidate()


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
    assert "It is not permitted, however it is called." in prompt
    assert (before.calls, before.failed, before.given_up) == (3, 3, 3)
    assert (after.calls, after.failed, after.given_up) == (8, 3, 3)
    assert m.pitfalls("read_payroll", agent="captain") == ""


async def test_thirty_refusals_are_a_warning_also_where_nobody_heeds_it(m) -> None:
    @m.tool(effect=Effect.READ)
    async def read_payroll(month: str) -> str:
        raise PermissionError("Permission denied: no access to the payroll")

    async def try_again(turn: OpenTurn) -> str:
        with pytest.raises(PermissionError):
            await read_payroll("2026-11")
        return "No."

    for _ in range(30):
        await serve(m, try_again, agent="intern")
    after, prompt = count(m), m.pitfalls("read_payroll")

    assert (after.failed, after.repaired, after.given_up) == (30, 0, 30)
    assert (after.repaired_share.figure, after.repaired_share.n) == (0.0, 30)
    assert "30 times since" in prompt
    assert "No remedy is known" in prompt


async def test_what_must_be_called_first_is_called_first_once_it_is_known(m) -> None:
    opened: set[str] = set()

    @m.tool(effect=Effect.READ)
    async def open_archive() -> str:
        opened.add("archive")
        return "open"

    @m.tool(effect=Effect.READ)
    async def read_record(record: str) -> str:
        if not opened:
            raise LookupError("The archive is closed")
        return RECORDS[record]

    def read(n: int) -> Callable[[OpenTurn], Awaitable[str]]:
        async def work(turn: OpenTurn) -> str:
            opened.clear()
            if "it wants `open_archive` called first" in m.pitfalls("read_record"):
                await open_archive()
            try:
                return await read_record(f"R{n}")
            except LookupError:  # the agent finds out by itself
                await open_archive()
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

    assert "- it wants `open_archive` called first (3 times since" in prompt
    assert '- on "the archive is closed": call `open_archive` first.' in prompt
    assert (recovered.figure, recovered.n) == (1.0, 3)
    assert before.failed == after.failed == 3
    assert after.calls - before.calls == 20
