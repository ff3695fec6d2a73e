"""One application that two processes run: a store and a remote in one folder, and its tools.

`python -m tests.stories.effects.family FOLDER STORY` is the process that does not come back.
"""

from __future__ import annotations

import asyncio
import os
import platform
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from mulligan import Effect, Mulligan, Remote
from mulligan.process.fault_points import Point, watch_points
from mulligan.types.call import Record
from tests.stories.effects.remote import StoryRemote, name_conflicts, read_data, read_version
from tests.stories.effects.world import AT_ONCE, act, open_app

ROOT = Path(__file__).parents[3]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Family:
    """A calendar, its tools, and a process that may end right after an undo has taken effect."""

    def __init__(
        self, folder: Path, *, after_undo: Callable[[], None] = lambda: None, **settings: Any
    ) -> None:
        store = settings.pop("store", f"sqlite:///{folder}/family.db")
        self.remote = StoryRemote(folder / "ledger")
        self.m: Mulligan = open_app(store, **settings)
        self._after_undo = after_undo
        tool = self.m.tool
        bare: dict[str, Any] = {"effect": Effect.REVERSIBLE, "before": self._read}
        self.remove = tool(**bare, undo=self._restore, deletes=True, version=read_version)(
            self._remove
        )
        self.rename = tool(**bare, undo=self._put_back)(self._rename)
        self.note = tool(self._note)
        self.move = tool(
            **bare,
            undo=self._put_back,
            version=read_version,
            probe=lambda record: self.remote.find(record.key),
            key="key",
            remote=Remote(lands_within=AT_ONCE),
        )(self._move)

        self.send = tool(
            **bare,
            undo=self._put_back,
            version=read_version,
            probe=lambda record: self.remote.find(record.key),
            key="key",
            remote=Remote(lands_within=timedelta(minutes=5)),
        )(self._send)

    async def _send(self, event_id: str, day: str, key: str = "") -> dict[str, Any]:
        """A move that is still on its way when its answer is given up."""
        print(key, flush=True)
        raise TimeoutError("no answer")

    async def _remove(self, event_id: str) -> None:
        self.remote.delete(event_id)

    async def _rename(self, event_id: str, title: str) -> str:
        self.remote.update(event_id, {"title": title})
        return "renamed"

    async def _note(self, text: str) -> str:
        """Nobody declares what it does."""
        self.remote.create({"note": text})
        return "noted"

    async def _move(self, event_id: str, day: str, key: str = "") -> dict[str, Any]:
        return self.remote.update(event_id, {"day": day}, key=key)

    def _read(self, record: Record) -> object:
        return self.remote.get(str(record.arguments["event_id"]))

    def _restore(self, record: Record) -> None:
        before: Any = record.before
        self.remote.create(read_data(before), name=before["id"], by="undo")
        self._after_undo()

    def _put_back(self, record: Record) -> None:
        before: Any = record.before
        with name_conflicts():
            event = str(record.arguments["event_id"])
            self.remote.update(event, read_data(before), if_version=record.version, by="undo")
        self._after_undo()


async def die_undoing_a_delete(folder: Path) -> None:
    family = Family(folder, rejects=True, after_undo=die)
    await act(family.m, lambda: family.remove("dinner"))


async def die_undoing_an_update(folder: Path) -> None:
    family = Family(folder, rejects=True, after_undo=die)
    await act(family.m, lambda: family.rename("dinner", "Party"))


async def die_waiting_for_an_answer(folder: Path) -> None:
    family = Family(folder)
    await act(family.m, lambda: family.send("dinner", "Saturday"))
    die()


async def die_after_two_moves(folder: Path) -> None:
    family = Family(folder)
    with family.m.turn("Move both"):
        await family.rename("dinner", "Party")
        await family.rename("lunch", "Picnic")
        die()


async def die_after_a_note(folder: Path) -> None:
    """An undeclared call came back after the last entry of its attempt, a moment ago."""
    family = Family(folder)
    async with family.m.turn("Move dinner"):
        await family.move("dinner", "Saturday")
        await family.note("Dinner is moved")
        await asyncio.sleep(0.3)
        die()


async def die_between_two_moves(folder: Path) -> None:
    """What was shown went with the second call, which was put on record and never made."""

    async def die_there(point: Point) -> None:
        if point is Point.INTENDED:
            die()

    family = Family(folder)
    async with family.m.turn("Move both"):
        await family.move("dinner", "Saturday")
        await family.note("Dinner is moved")
        watch_points(die_there)
        await family.move("lunch", "Saturday")


def wait_for_a_busy_store() -> None:
    """Until the other process holds the store, so that our own next entry has to wait."""
    print("ready", flush=True)
    sys.stdin.readline()


async def die_after_the_reply(folder: Path) -> None:
    family = Family(folder)
    async with family.m.turn("Move dinner"):
        await family.move("dinner", "Saturday")
        wait_for_a_busy_store()
    print("Dinner is on Saturday.", flush=True)
    die()


async def die_after_a_plain_with(folder: Path) -> None:
    family = Family(folder)
    with family.m.turn("Move dinner"):
        await family.move("dinner", "Saturday")
        wait_for_a_busy_store()
    print("Dinner is on Saturday.", flush=True)
    die()


async def pause_before_the_call(folder: Path) -> None:
    """Another host, which is stopped when its intent is on disk and its call is not made."""
    platform.node = lambda: "another-host"

    async def stop(point: Point) -> None:
        if point is Point.INTENDED:
            watch_points(None)
            os.kill(os.getpid(), signal.SIGSTOP)

    lease = timedelta(seconds=float(os.environ["FAMILY_LEASE"]))
    store = {"store": os.environ["FAMILY_STORE"]} if "FAMILY_STORE" in os.environ else {}
    family = Family(folder, lease=lease, **store)
    watch_points(stop)
    await act(family.m, lambda: family.move("dinner", "Saturday"))
    family.m.close()


async def pause_between_two_tries(folder: Path) -> None:
    """Another host, whose first try gave no answer; it is stopped before it makes the second."""
    platform.node = lambda: "another-host"
    family = Family(folder, lease=timedelta(seconds=float(os.environ["FAMILY_LEASE"])))
    tries: list[str] = []

    @family.m.tool(
        effect=Effect.REVERSIBLE, before=family._read, undo=family._put_back, repeat="idempotent"
    )
    async def set_day(event_id: str, day: str) -> dict[str, Any]:
        tries.append(day)
        if len(tries) == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
            raise TimeoutError("no answer")
        return family.remote.update(event_id, {"day": day})

    await act(family.m, lambda: set_day("dinner", "Saturday"))
    family.m.close()


STORIES = (
    die_undoing_a_delete,
    die_undoing_an_update,
    die_after_the_reply,
    die_after_a_plain_with,
    die_waiting_for_an_answer,
    die_after_two_moves,
    die_after_a_note,
    die_between_two_moves,
    pause_before_the_call,
    pause_between_two_tries,
)


def start(story: Callable[..., Any], folder: Path, **environment: str) -> subprocess.Popen[str]:
    """The same application in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.stories.effects.family", str(folder), story.__name__],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_until_killed(story: Callable[..., Any], folder: Path) -> str:
    """What the process printed before it was killed."""
    with start(story, folder) as process:
        printed, complaints = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, complaints
    return printed


def run_on_a_busy_store(story: Callable[..., Any], folder: Path) -> str:
    """What the process printed, though somebody else was writing when its turn ended."""
    with start(story, folder) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        other = sqlite3.connect(folder / "family.db", isolation_level=None)
        other.execute("begin immediate")
        process.stdin.write("go on\n")
        process.stdin.flush()
        with suppress(subprocess.TimeoutExpired):  # it waits for us, as it should
            process.wait(timeout=0.3)
        other.execute("rollback")
        other.close()
        printed, complaints = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, complaints
    return printed


def main() -> None:
    folder, name = Path(sys.argv[1]), sys.argv[2]
    story = {each.__name__: each for each in STORIES}[name]
    asyncio.run(story(folder))


if __name__ == "__main__":
    main()
