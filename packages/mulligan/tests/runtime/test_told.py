from __future__ import annotations

import asyncio

from mulligan.runtime.context import carry, read_context, tell
from mulligan.runtime.lookup import Advised, Mended
from mulligan.types.lesson import Patch

MENDED = Mended(call="1", tool="look", changed=Patch(), by="schema")


def test_what_is_told_where_nobody_listens_is_lost():
    tell(MENDED)

    said: list[Advised | Mended] = []
    with carry(read_context()._replace(said=said)):
        pass

    assert said == []


async def test_each_task_hears_what_is_told_in_it():
    async def hear(*, speak: bool):
        said: list[Advised | Mended] = []
        with carry(read_context()._replace(said=said)):
            await asyncio.sleep(0)
            if speak:
                tell(MENDED)
            return said

    assert await asyncio.gather(hear(speak=True), hear(speak=False)) == [[MENDED], []]
