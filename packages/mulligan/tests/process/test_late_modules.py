"""What few processes need is loaded beside the event loop. Counted, not timed."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from mulligan import Effect, Mulligan, Outcome
from mulligan.process.event_loop import LateModules
from mulligan.runtime.episodes import LATE
from mulligan.types.log import LogQuery

SEEN = """
import asyncio, sys, threading
from importlib.abc import MetaPathFinder
from mulligan import Effect, Mulligan

class Seen(MetaPathFinder):
    on_loop = []
    def find_spec(self, name, path, target=None):
        if threading.current_thread() is threading.main_thread() and name.startswith("mulligan"):
            self.on_loop.append(name)

async def run(main):
    sys.meta_path.insert(0, Seen())
    await main()
    sys.meta_path.pop(0)
    print(*Seen.on_loop)
    m.close()
"""
FIRST_CHANGE = """
m = Mulligan("memory:", replies="default")
days = {}

@m.tool(effect=Effect.READ)
async def look():
    return days.get("dinner")

@m.tool(effect=Effect.REVERSIBLE, read=lambda record: days.get("dinner"), undo=lambda record: None)
async def move(day):
    days["dinner"] = day

async def just_look(turn):
    return f"It is {await look()}."

async def change(turn):
    await move(day="2026-11-20")
    return "I moved it."

async def main():
    await m.act("When is dinner", just_look)
    Seen.on_loop.clear()
    await m.act("Move dinner to 2026-11-20", change)

asyncio.run(run(main))
"""
FIRST_FAILURE = """
m = Mulligan("memory:")

@m.tool
async def find(limit):
    if limit > 5:
        RAISED
    return {"rows": limit}

async def main():
    with m.turn("Find ten"):
        await find(limit=5)
        assert not [name for name in LATE if name in sys.modules]
        Seen.on_loop.clear()
        try:
            await find(limit=10)
        except ValueError:
            pass
        assert all(name in sys.modules for name in LATE)

LATE = NAMES
asyncio.run(run(main))
"""


@pytest.mark.full
@pytest.mark.parametrize(
    "program",
    [
        FIRST_CHANGE,
        FIRST_FAILURE.replace("RAISED", "raise ValueError('limit must be at most 5')"),
        FIRST_FAILURE.replace("RAISED", "return {'error': 'limit: at most 5'}"),
    ],
    ids=["change", "error", "returned error"],
)
def test_an_event_loop_loads_nothing_at_the_first_reviewed_change_or_failure(program: str) -> None:
    said = SEEN + program.replace("NAMES", repr(LATE.names))

    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr


async def test_who_waits_for_one_that_cannot_be_loaded_goes_on() -> None:
    late = LateModules("mulligan.no_such_module")

    await asyncio.wait_for(late.load_beside_loop(), 60)

    assert not late.loaded
    with pytest.raises(ModuleNotFoundError):
        late.load()


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
        found = m.insights.log(LogQuery())

    assert [row.outcome for row in found] == [Outcome.FAILURE]
