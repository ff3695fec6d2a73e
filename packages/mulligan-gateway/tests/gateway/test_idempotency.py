from __future__ import annotations

import asyncio
from contextlib import closing
from datetime import timedelta

import pytest

from mulligan.stores.opening import open_store
from mulligan_gateway.api import LIFE, RepeatedWrites
from mulligan_gateway.api_messages import ProblemError, ProblemKind
from mulligan_testing.fakes import FixedClock


@pytest.fixture
def vault():
    # The clock of the writes: what they keep for a day would be over by any later one.
    with closing(open_store("memory:", clock=FixedClock())) as store:
        yield store.vault


class Work:
    def __init__(self) -> None:
        self.done = 0
        self.goes_on = asyncio.Event()
        self.goes_on.set()

    async def run(self) -> bytes:
        await self.goes_on.wait()
        self.done += 1
        return b"answer %d" % self.done


async def ask(writes: RepeatedWrites, work: Work, *, key: str = "k", body: bytes = b"{}"):
    return await writes.answer_once(key, whose="ann", body=body, work=work.run)


async def test_without_a_key_every_request_is_done(vault):
    writes, work = RepeatedWrites(vault, clock=FixedClock()), Work()

    answers = [await ask(writes, work, key="") for _ in range(2)]

    assert answers == [(b"answer 1", False), (b"answer 2", False)]


async def test_the_same_at_the_same_time_is_told_to_wait(vault):
    writes, work = RepeatedWrites(vault, clock=FixedClock()), Work()
    work.goes_on.clear()
    first = asyncio.create_task(ask(writes, work))
    await asyncio.sleep(0)

    with pytest.raises(ProblemError) as refused:
        await ask(writes, work)
    work.goes_on.set()

    assert refused.value.kind is ProblemKind.IN_PROGRESS
    assert await first == (b"answer 1", False)
    assert await ask(writes, work) == (b"answer 1", True)


async def test_what_failed_is_done_when_it_is_asked_for_again(vault):
    writes, work = RepeatedWrites(vault, clock=FixedClock()), Work()

    async def fail() -> bytes:
        raise ProblemError(ProblemKind.UNAVAILABLE)

    with pytest.raises(ProblemError):
        await writes.answer_once("k", whose="ann", body=b"{}", work=fail)

    assert await ask(writes, work) == (b"answer 1", False)


def test_a_key_is_remembered_for_a_day():
    assert timedelta(hours=24) == LIFE
