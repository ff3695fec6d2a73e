"""The first failure: what it needs is loaded beside the event loop. Counted, not timed."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from mulligan import Effect, Mulligan, Outcome
from mulligan.runtime.episodes import LATE
from mulligan.types.log import LogQuery

FAILING = """
import asyncio, sys, threading
from importlib.abc import MetaPathFinder
from mulligan import Mulligan

class Seen(MetaPathFinder):
    on_loop = []
    def find_spec(self, name, path, target=None):
        if threading.current_thread() is threading.main_thread() and name.startswith("mulligan"):
            self.on_loop.append(name)

m = Mulligan("memory:")

@m.tool
async def find(limit):
    if limit > 5:
        RAISED
    return {"rows": limit}

async def main():
    with m.turn("Find ten"):
        await find(limit=5)
        before = len([name for name in LATE if name in sys.modules])
        sys.meta_path.insert(0, Seen())
        try:
            await find(limit=10)
        except ValueError:
            pass
        sys.meta_path.pop(0)
        print(before, all(name in sys.modules for name in LATE), *Seen.on_loop)

LATE = NAMES
asyncio.run(main())
m.close()
"""


@pytest.mark.parametrize(
    "fails", ["raise ValueError('limit must be at most 5')", "return {'error': 'limit: at most 5'}"]
)
def test_an_event_loop_loads_nothing_at_the_first_failure(fails: str) -> None:
    said = FAILING.replace("RAISED", fails).replace("NAMES", repr(LATE.names))

    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, timeout=60)

    assert done.stdout.split() == ["0", "True"], done.stderr


async def test_a_call_that_is_stopped_while_they_are_loaded_is_logged(monkeypatch) -> None:
    async def load_slowly() -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(LATE, "loaded", False)
    monkeypatch.setattr(LATE, "load_beside_loop", load_slowly)
    async with Mulligan("memory:") as m:

        @m.tool(effect=Effect.READ)
        async def find() -> None:
            raise ValueError("No such day.")

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await find()
        m.flush()
        found = m._parts.store.log.list_rows(LogQuery())

    assert [row.outcome for row in found] == [Outcome.FAILURE]
