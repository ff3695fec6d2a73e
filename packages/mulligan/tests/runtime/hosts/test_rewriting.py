from __future__ import annotations

import asyncio
from contextlib import suppress
from types import SimpleNamespace

import pytest

from mulligan.runtime.host_run import Rewriting
from mulligan.types.finding import Correction


async def check(text, rewrite):
    while text != "good":
        text = await rewrite(Correction(text=f"{text} is not good", findings=()))
    return SimpleNamespace(text=text)


async def test_each_text_is_answered_by_what_is_wrong_with_it_until_none_is():
    rewriting = Rewriting(check)

    told = [await rewriting.offer(text) for text in ("bad", "worse", "good")]

    assert [each.text for each in told] == ["bad is not good", "worse is not good", "good"]


async def test_what_the_check_raises_comes_to_who_brings_the_text():
    async def fail(text, rewrite):
        raise ValueError(text)

    with pytest.raises(ValueError, match="bad"):
        await Rewriting(fail).offer("bad")


async def test_stopped_it_leaves_no_task_behind():
    rewriting = Rewriting(check)
    await rewriting.offer("bad")

    await rewriting.stop()

    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_text_that_comes_too_late_is_answered_by_what_goes_out_instead():
    async def check_in_time(text, rewrite):
        with suppress(TimeoutError):  # it is too late on purpose
            await asyncio.wait_for(rewrite(Correction(text="not good", findings=())), 0.01)
        return SimpleNamespace(text=text)

    rewriting = Rewriting(check_in_time)
    await rewriting.offer("bad")
    await asyncio.sleep(0.05)

    came = await rewriting.offer("good, but late")

    assert came.text == "bad"
