"""Calls that time out, thousands of them: how often a thing is done twice, or needs a person."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.crash.application import LATER
from bench.crash.clock import Clock
from bench.crash.phases import NO_WAITING
from mulligan import Effect, Mulligan, Repeat
from mulligan.runtime.declaration import Remote
from mulligan.settings import Settings
from mulligan.types.action import State
from mulligan.types.call import Record
from mulligan.types.effect import ProbeBy
from mulligan.types.events import ActionMoved, Happened
from mulligan_testing.remote import FakeRemote, Fault, Item

ABILITIES = ("probe", "key", "both", "none")
WAYS = (Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.LATE, Fault.DOUBLED)
LANDS_WITHIN = timedelta(seconds=30)
IN_ONE_FILE = 40
"""Calls on one remote: it reads its ledger anew at every request."""

PASSES = 8


@dataclass(slots=True, kw_only=True)
class Ambiguity:
    """What came of calls that gave no clear answer."""

    calls: int = 0
    duplicates: int = 0
    """Calls with more than one effect that the network did not double by itself."""
    doubled: int = 0
    """Calls that a repeating network made twice, where no key could stop it."""
    untrue: int = 0
    """Actions whose state is not what the ledger says."""
    of: Counter[str] = field(default_factory=Counter)
    """Calls by what their tool declares."""
    persons: Counter[str] = field(default_factory=Counter)
    """Those among them that needed a person."""

    def plain(self) -> dict[str, Any]:
        """The figures by name."""
        by = {name: {"n": self.of[name], "persons": self.persons[name]} for name in ABILITIES}
        return {
            "n": self.calls, "duplicates": self.duplicates, "untrue": self.untrue,
            "doubled_by_the_network": self.doubled, "needed_a_person": by,
        }  # fmt: skip


def run(folder: Path, *, calls: int, seed: int) -> dict[str, Any]:
    """Make so many ambiguous calls, look after them, and hold them against the ledger."""
    chance, found = random.Random(seed), Ambiguity()
    for number in range(0, calls, IN_ONE_FILE):
        lab = _Lab(folder / f"remote{number}", chance=chance, found=found)
        asyncio.run(lab.run(min(IN_ONE_FILE, calls - number)))
    return found.plain()


class _Lab:
    """One application on one remote, for a few calls."""

    def __init__(self, path: Path, *, chance: random.Random, found: Ambiguity) -> None:
        self._remote = FakeRemote(path, late_by=None)
        self._chance = chance
        self._found = found
        self._states: dict[str, State] = {}

    async def run(self, calls: int) -> None:
        clock = Clock()
        made: dict[str, tuple[str, Fault]] = {}
        async with Mulligan(
            "memory:", settings=Settings(), clock=clock, recover=False, backoff=NO_WAITING
        ) as m:
            m.subscribe(self._note)
            tools = self._tools(m)
            for number in range(calls):
                ability, way = self._chance.choice(ABILITIES), self._chance.choice(WAYS)
                mark = f"{number}"
                made[mark] = ability, way
                await self._call(m, tools[ability], mark=mark, way=way)
            for number in range(PASSES):
                if number == 1:
                    # Later than a first look, and within what the tools declare.
                    self._remote.arrive()
                    clock.go_on(LANDS_WITHIN)
                await m.recover()
                clock.go_on(LATER)
            m.flush()
            marks = {action: _mark(m, action) for action in self._states}
        self._count(made, marks)

    async def _call(
        self, m: Mulligan, tool: Callable[..., Awaitable[Any]], *, mark: str, way: Fault
    ) -> None:
        again = [way if self._chance.random() < 0.3 else Fault.NONE for _ in range(2)]
        self._remote.plan(way, *again, by="agent")

        async def agent(turn: object) -> str:  # noqa: ARG001
            try:
                await tool(mark=mark)
            except (TimeoutError, ConnectionError):
                return "It gave no answer."
            return "Done."

        await m.act("Add it", agent)

    def _tools(self, m: Mulligan) -> Mapping[str, Callable[..., Awaitable[Any]]]:
        remote = self._remote
        plain: dict[str, Any] = {
            "effect": Effect.REVERSIBLE,
            "undo": lambda record: remote.delete(record.result.id, by="undo"),
            "read": lambda record: remote.get(record.result.id),
            "remote": Remote(lands_within=LANDS_WITHIN),
        }

        def landed(record: Record) -> Item | None:
            mark = record.arguments["mark"]
            return next((i for i in remote.list_items().values() if i.data["mark"] == mark), None)

        async def unkeyed(mark: str) -> Item:
            return remote.create({"mark": mark})

        async def keyed(mark: str, key: str | None = None) -> Item:
            return remote.create({"mark": mark}, key=key)

        by_key: dict[str, Any] = {"repeat": Repeat.KEYED, "key": "key"}
        return {
            "none": m.tool(name="none", **plain)(unkeyed),
            "probe": m.tool(name="probe", probe=landed, probe_by=ProbeBy.CALL, **plain)(unkeyed),
            "key": m.tool(name="key", **by_key, **plain)(keyed),
            "both": m.tool(name="both", probe=landed, **by_key, **plain)(keyed),
        }

    def _note(self, event: Happened) -> None:
        if isinstance(event, ActionMoved):
            self._states[event.action] = event.state

    def _count(self, made: Mapping[str, tuple[str, Fault]], marks: Mapping[str, str]) -> None:
        effects = Counter(str(line.data["mark"]) for line in self._remote.ledger())
        for action, state in self._states.items():
            mark = marks[action]
            ability, way = made[mark]
            self._found.calls += 1
            self._found.of[ability] += 1
            if way is Fault.DOUBLED and effects[mark] == 2 and ability in ("probe", "none"):
                self._found.doubled += 1
            elif effects[mark] > 1:
                self._found.duplicates += 1
            if state in (State.VERIFIED, State.UNCHECKED, State.NOT_EXECUTED):
                self._found.untrue += (state is not State.NOT_EXECUTED) != (effects[mark] > 0)
            else:
                self._found.persons[ability] += 1


def _mark(m: Mulligan, action: str) -> str:
    kept = m._parts.store.vault.get(action, "arguments")
    return str(json.loads(kept or b"{}")["mark"])
