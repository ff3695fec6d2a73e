"""A run never waits for its reflection for long, and need not wait at all."""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta

import pytest
from msgspec.structs import replace

from mulligan import Mulligan
from mulligan.stores.opening import open_store
from mulligan.types.errors import ConfigurationError
from mulligan.types.task import Reflect
from tests.loops.test_reflecting import KEPT, TASK, learning, reflected, write


@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_strategy_that_takes_too_long_is_left_behind(stubborn):
    never = asyncio.Event()

    async def thinks(experience):
        try:
            await never.wait()
        except asyncio.CancelledError:
            if stubborn:
                await never.wait()
            raise

    using, events = learning()
    settings = Reflect(gate="accept", strategy=thinks, timeout=timedelta(milliseconds=1))

    done = await reflected(settings, using)
    never.set()

    assert done.output == "the report"
    assert events[-1].reason == "no answer came within 0.001 s"
    assert [notes.version for notes in using.archive.list_versions(TASK.identity)] == [0]


async def test_a_plain_function_that_waits_holds_up_nobody_else():
    others_go_on = threading.Event()

    def waits(experience):
        assert others_go_on.wait(timeout=60)
        return KEPT

    async def somebody_else():
        others_go_on.set()

    using, _ = learning()

    async with asyncio.TaskGroup() as group:
        group.create_task(reflected(Reflect(gate="accept", strategy=waits), using))
        group.create_task(somebody_else())

    assert using.archive.list_versions(TASK.identity)[0].refinement == KEPT


async def test_a_plain_function_that_runs_out_of_something_is_a_failure_like_any_other():
    using, events = learning()

    await reflected(Reflect(gate="accept", strategy=lambda _: next(iter(()))), using)

    assert "RuntimeError" in events[-1].reason


async def test_in_the_background_the_output_comes_first_and_the_notes_later():
    go_on = asyncio.Event()

    async def thinks(experience):
        await go_on.wait()
        return KEPT

    using, _ = learning()
    done = await reflected(Reflect(gate="accept", strategy=thinks, background=True), using)
    before = [notes.version for notes in using.archive.list_versions(TASK.identity)]

    go_on.set()
    await using.afterwards.finish()

    assert done.output == "the report"
    assert before == [0]
    assert using.archive.list_versions(TASK.identity)[0].refinement == KEPT


async def test_whoever_leaves_an_application_waits_for_what_is_still_being_thought():
    async def thinks(experience):
        await asyncio.sleep(0)
        return KEPT

    store = open_store("memory:")
    settings = Reflect(gate="accept", strategy=thinks, background=True)

    async with Mulligan(store) as m:
        await m.run_task(replace(TASK, reflect=settings), write)

    assert store.archive.list_versions(TASK.identity)[0].refinement == KEPT


def test_patience_of_nothing_is_refused():
    with pytest.raises(ConfigurationError, match="leaves no time"):
        Reflect(timeout=timedelta())
