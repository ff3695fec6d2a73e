"""An application with its agent and its person, in one process of a case."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.crash.clock import Clock
from bench.crash.pace import Pace
from bench.crash.scenario import Case
from bench.hosts.frameworks import FRAMEWORKS, Drive
from mulligan import Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan.types.action import State
from mulligan.types.values import to_us
from mulligan_testing.faults import PlannedError
from mulligan_testing.remote import FakeRemote

SOON = timedelta(seconds=5)
"""Sooner than a request can be late."""
AFTER_A_WHILE = timedelta(minutes=1)
LATER = timedelta(minutes=20)
"""Longer than any pause of recovery, than any call is held, and than any request is late."""

MOST_PASSES = 20
SHOWN_AGAIN = 3
"""After so many passes a reader without permission gets it."""
DONE = "Done."
"""How the agent's reply begins. Where the person reads another one, what it did was undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """What the agent has to do with."""

    m: Mulligan
    calls: dict[str, Any]
    case: Case
    remote: FakeRemote
    clock: Clock
    pace: Pace
    folder: Path
    reached: Callable[[str], Awaitable[None]]
    """Told that the person has the answer: a crash can come there too."""

    async def act(self) -> None:
        """Let the agent do its work, and note which attempt's answer was delivered, if any was."""
        try:
            delivered = await self._act()
        finally:
            await self.pace.end()
        if delivered:
            shown = to_us(self.clock(), name="The clock's time")
            (self.folder / "delivered").write_text(json.dumps([delivered, shown]))
        await self.reached("delivered")

    async def _act(self) -> int:
        if self.case.scenario.form == "open":
            async with self.m.turn("Plan the week", timezone="UTC") as turn:
                await self._agent(turn)
            return 1
        done = await self.m.act("Plan the week", self._agent, timezone="UTC")
        return len(done.attempts) if str(done.reply).startswith(DONE) else 0

    async def _agent(self, turn: OpenTurn) -> str:
        scenario, world = self.case.scenario, self.case.scenario.world
        framework = FRAMEWORKS.get(scenario.form)
        if turn.correction is not None:
            with (self.folder / "told").open("a") as told:
                print(json.dumps(list(turn.correction.restored)), file=told)
        if framework is not None:
            await self._drive(framework, f"a{turn.attempt.number}")
            return DONE
        for number, (tool, given) in enumerate(scenario.calls, start=1):
            mark = f"a{turn.attempt.number}c{number}"
            if number == 1 or scenario.form != "nested":
                await self._call(tool, given, mark)
            else:
                async with self.m.turn("Plan the rest", timezone="UTC"):
                    await self._call(tool, given, mark)
            if world.jump:
                self.clock.jump(world.jump)
        if world.hides:
            self.remote.hide(world.hides)
        return DONE

    async def _drive(self, framework: Drive, mark: str) -> None:
        """Let a framework make the calls in its own way, as its model asks for them."""
        calls = self.case.scenario.calls
        tools = [self.calls[name] for name in dict.fromkeys(name for name, _ in calls)]
        script = [
            (self.calls[tool].__name__, {**given, "mark": f"{mark}c{number}"})
            for number, (tool, given) in enumerate(calls, start=1)
        ]
        await framework(tools, script)

    async def _call(self, tool: str, given: Any, mark: str) -> None:
        scenario, world = self.case.scenario, self.case.scenario.world
        if scenario.form == "loose" and tool == "move_slowly":
            await self.pace.let_go(self.calls[tool](**given, mark=mark))
            return
        for _ in range(1 + world.insists):
            own = json.loads(json.dumps(given))
            try:
                result = await self.calls[tool](**own, mark=mark)
            except (PlannedError, asyncio.CancelledError):
                raise
            except Exception:
                continue
            if world.meddles:
                _meddle(result)
                _meddle(own.get("details"))
            return

    def answer(self) -> None:
        """What the person says to everything that waits for them."""
        scenario, answers = self.case.scenario, self.m.insights.open_list
        for action in answers.actions():
            if action.state is State.HELD and scenario.answer == "approved":
                answers.approve(action.id, by="a person")
            elif action.state is State.HELD and scenario.answer == "denied":
                answers.deny(action.id, by="a person")
            elif action.state is State.DISPUTED and scenario.takes_back:
                answers.undo(action.id, by="a person")

    async def look_after(self) -> None:
        """One pass of recovery, and then everything late arrives, looked for or not."""
        await self.m.recover()
        if self.case.scenario.looked_for_first:
            self.clock.go_on(SOON)
            await self.m.recover()
        self.remote.arrive()

    async def look_after_all(self) -> None:
        """Passes until nothing moves, with the person answering in between."""
        still = 0
        for number in range(MOST_PASSES):
            before = self.list_standing()
            if number or not self.case.scenario.answers_late:
                self.answer()
            if number == SHOWN_AGAIN and self.case.scenario.world.hides:
                self.remote.show()
            await self.look_after()
            moved = self.list_standing() != before or number <= SHOWN_AGAIN * bool(
                self.case.scenario.world.hides
            )
            still = 0 if moved else still + 1
            if still == 2:
                return
            self.clock.go_on(LATER if still else AFTER_A_WHILE)

    def list_standing(self) -> dict[str, int]:
        """The open list: which actions, and how many entries each has."""
        return {a.id: a.version for a in self.m._parts.store.journal.list_open_actions(limit=500)}


def _meddle(given: Any) -> None:
    """Change what was returned or handed over, so that it names somebody else's event."""
    if isinstance(given, dict):
        given |= {"id": "e3", "version": "v3", "day": "never", "data": {}}
