from __future__ import annotations

import pytest

from mulligan import Mulligan
from mulligan.types.log import LogQuery
from mulligan_gateway import api as module
from mulligan_gateway.api import ReportedTurns
from mulligan_gateway.api_messages import (
    LogRequest,
    ProblemError,
    ProblemKind,
    ReportedCall,
    ReportedError,
)

WORKED = ReportedCall(tool="find", result="x")


@pytest.fixture
async def m():
    async with Mulligan("memory:") as opened:
        yield opened


async def report(turns: ReportedTurns, name: str, *calls: ReportedCall, principal: str = "ann"):
    said = LogRequest(turn=name, executions=list(calls))
    async with turns.enter(said, principal=principal) as run:
        await turns.log(run, calls)
        return run.id


async def test_calls_of_one_name_belong_together_and_those_of_others_do_not(m):
    turns = ReportedTurns(m._build_host({}))

    ids = [await report(turns, "a", WORKED) for _ in range(2)]
    bobs = await report(turns, "a", WORKED, principal="bob")
    await turns.close()

    assert ids[0] == ids[1] != bobs


async def test_what_an_error_says_for_programs_is_kept(m):
    turns = ReportedTurns(m._build_host({}))
    error = ReportedError(message="slow down", type="RateLimited", status=429)

    await report(turns, "", ReportedCall(tool="find", error=error))
    m.flush()
    (row,) = m.insights.log(LogQuery())

    assert (row.outcome, row.error_class) == ("failure", "rate_limit")


async def test_turns_that_nobody_ends_end_by_themselves(m, monkeypatch):
    monkeypatch.setattr(module, "MOST_TURNS", 2)
    turns = ReportedTurns(m._build_host({}))

    first = await report(turns, "1", WORKED)
    for name in ("2", "3"):
        await report(turns, name, WORKED)

    assert await report(turns, "1", WORKED) != first
    await turns.close()


async def test_a_turn_that_nobody_goes_on_with_is_over_after_a_while(m):
    clock = [0.0]
    turns = ReportedTurns(m._build_host({}), now=lambda: clock[0])
    first = await report(turns, "1", WORKED)
    clock[0] = module.IDLE + 1

    await report(turns, "2", WORKED)

    assert await report(turns, "1", WORKED) != first
    await turns.close()


async def test_names_of_tools_are_taken_only_up_to_a_bound(m, monkeypatch):
    monkeypatch.setattr(module, "MOST_TOOLS", 1)
    turns = ReportedTurns(m._build_host({}))
    await report(turns, "", WORKED)

    with pytest.raises(ProblemError) as refused:
        await report(turns, "", ReportedCall(tool="other"))

    assert refused.value.kind is ProblemKind.TOO_MANY
