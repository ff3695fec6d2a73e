"""What few processes need is loaded beside the event loop. Counted, not timed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from mulligan.process.event_loop import LateModules

FIRST = """
import asyncio, sys, threading
from importlib.abc import MetaPathFinder
from mulligan import Effect, Mulligan

class Seen(MetaPathFinder):
    on_loop = []
    def find_spec(self, name, path, target=None):
        if threading.current_thread() is threading.main_thread() and name.startswith("mulligan"):
            self.on_loop.append(name)

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
    print(*Seen.on_loop)

sys.meta_path.insert(0, Seen())
asyncio.run(main())
sys.meta_path.pop(0)
m.close()
"""


def test_an_event_loop_loads_nothing_at_the_first_change_that_is_reviewed() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr


async def test_they_are_loaded_on_a_thread_of_their_own(monkeypatch) -> None:
    at = []
    late = LateModules("mulligan.process.event_loop")
    monkeypatch.setattr(LateModules, "load", lambda self: at.append(threading.current_thread()))

    await late.load_beside_loop()

    assert at != [threading.current_thread()]


async def test_who_waits_for_one_that_cannot_be_loaded_goes_on() -> None:
    late = LateModules("mulligan.no_such_module")

    await asyncio.wait_for(late.load_beside_loop(), 10)

    assert not late.loaded
    with pytest.raises(ModuleNotFoundError):
        late.load()
