"""Agents that do nothing, half, twice or something else, that raise, and that lie about it."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from bench.truth.world import EVENTS, RIGHT, WRONG, TruthWorld
from mulligan.runtime.context import OpenTurn
from mulligan_testing.remote import READS, Fault

MOVES = ("move", "move", "move_plain", "move_vague", "move_keyed", "move_event", "move_event")
MAKES = ("make", "make_plain", "add", "add", "watch", "send")
AGENT_FAULTS = (
    Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.ERROR_AFTER, Fault.BUSY, Fault.FORBIDDEN,
    Fault.RESET_AFTER,
)  # fmt: skip
UNDO_FAULTS = (Fault.FORBIDDEN, Fault.LOST_AFTER, Fault.LOST_BEFORE, Fault.BUSY)
REPLIES: tuple[object, ...] = ("Dinner is moved!", "Done.", "", {"moved": True}, None, '{"ok": 1}')


class AgentError(Exception):
    """What an agent raises of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStep:
    """One thing that an agent does."""

    tool: str
    arguments: dict[str, str]
    swallows: bool
    """It goes on after an error of the tool."""
    meddles: str = ""
    """The event that a person edits right after."""
    inside: bool = False
    """It is done in a turn of its own inside the agent's."""

    @property
    def mark(self) -> str:
        given = self.arguments
        return given.get("mark") or f"{given.get('event')}/{given.get('day')}"


@dataclass
class RandomAgent:
    """An agent with a script for each attempt, drawn from a seed."""

    world: TruthWorld
    chance: random.Random
    scripts: list[list[AgentStep]] = field(default_factory=list)
    raises: int = -1
    """The attempt at the end of which it raises."""
    reply: object = "Done."
    together: bool = False
    """It does all steps of an attempt at the same time."""
    called: Counter[str] = field(default_factory=Counter)
    """How often it asked for each mark."""
    by_attempt: list[set[str]] = field(default_factory=list)
    """The marks it asked for in each attempt."""

    def draw(self, number: int) -> None:
        """Draw what it does in both attempts."""
        chance = self.chance
        first = self._draw_script(f"m{number}a")
        second = self._draw_script(f"m{number}b")
        if chance.random() < 0.25:
            second = [*first, *second][: len(first) or 1]
        if chance.random() < 0.25:
            second = []
        self.scripts = [first, second]
        self.raises = chance.choice((-1, -1, -1, -1, -1, 0, 1))
        self.reply = chance.choice(REPLIES)
        self.together = chance.random() < 0.2
        self._plan_faults()

    async def __call__(self, turn: OpenTurn) -> object:
        attempt = len(turn.attempts) - 1
        self.by_attempt.append(set())
        steps = self.scripts[attempt] if attempt < len(self.scripts) else []
        if self.together:
            await asyncio.gather(*map(self._take, steps), return_exceptions=True)
        else:
            for step in steps:
                await self._take(step)
        if self.raises == attempt:
            raise AgentError("the model is gone")
        return self.reply

    async def _take(self, step: AgentStep) -> None:
        self.called[step.mark] += 1
        self.by_attempt[-1].add(step.mark)
        try:
            async with self.world.m.turn("A part of it") if step.inside else nullcontext():
                await self.world.tools[step.tool](**step.arguments)
        except Exception:
            if not step.swallows:
                raise
        finally:
            if step.meddles:
                data = {"day": "2026-12-24", "title": EVENTS[step.meddles], "mark": "person"}
                self.world.remote.update(step.meddles, data, by="person")

    def _draw_script(self, prefix: str) -> list[AgentStep]:
        chance = self.chance
        steps = [self._draw_step(f"{prefix}{n}x") for n in range(chance.choice((0, 1, 1, 1, 2, 3)))]
        if steps and chance.random() < 0.15:
            steps.append(steps[0])
        if chance.random() < 0.3:
            # As good agents do: look first, then do what was asked for.
            looked = AgentStep(tool="find", arguments={"event": "e1"}, swallows=True)
            asked = {"event": "e1", "day": RIGHT}
            moved = AgentStep(tool="move_event", arguments=asked, swallows=True)
            steps = chance.choice(([looked, moved], [looked, moved], [looked, *steps, moved]))
        return steps

    def _draw_step(self, mark: str) -> AgentStep:
        chance = self.chance
        day = chance.choice((RIGHT, RIGHT, WRONG))
        swallows, event = chance.random() < 0.7, chance.choice(tuple(EVENTS))
        if chance.random() < 0.15:
            return AgentStep(tool="find", arguments={"event": event}, swallows=swallows)
        if chance.random() < 0.55:
            tool = chance.choice(MOVES)
            given = {"event": event, "day": day} | ({} if tool == "move_event" else {"mark": mark})
            meddles = event if chance.random() < 0.08 else ""
            return AgentStep(tool=tool, arguments=given, swallows=swallows, meddles=meddles)
        given = {"event": f"n-{mark}", "day": day, "mark": mark}
        tool, inside = chance.choice(MAKES), chance.random() < 0.2
        return AgentStep(tool=tool, arguments=given, swallows=swallows, inside=inside)

    def _plan_faults(self) -> None:
        self._plan("agent", AGENT_FAULTS, share=0.12)
        self._plan("undo", UNDO_FAULTS, share=0.12)
        self._plan(READS, (Fault.LOST_BEFORE, Fault.FORBIDDEN), share=0.04)

    def _plan(self, by: str, faults: tuple[Fault, ...], *, share: float) -> None:
        chance = self.chance
        drawn: list[Any] = [
            chance.choice(faults) if chance.random() < share else Fault.NONE for _ in range(12)
        ]
        self.world.remote.plan(*drawn, by=by)
