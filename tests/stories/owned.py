"""An application whose judge belongs to somebody else, and all that it could reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic_ai.models.function import FunctionModel

from mulligan import Effect, Mulligan, State
from mulligan.judge import ModelJudge
from mulligan.loops.actions import Attempted
from mulligan.prompts.template import render
from mulligan.redaction.scrub import number_ids
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.hold import Held
from mulligan.runtime.turn import Done
from mulligan.types.call import Record
from mulligan.types.events import JudgeAsked
from mulligan.types.interfaces import Check, Judge
from mulligan.types.limits import Breaker, JudgeLimits
from mulligan_testing.remote import FakeRemote, Item
from tests.world import Calendar, World

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
ZONE = "Europe/Berlin"
HOME = "12 Elm Street, Springfield"
OURS, NEW, OTHERS, PERSONS = "e1", "e2", "e3", "e4"
"""Events: the one this turn changes, the one it makes, another turn's, and one nobody touches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What came of one turn, and what is there to prove it."""

    done: Done
    states: frozenset[State | None]
    """Where this turn's own reversible actions stand."""
    theirs: State | None
    """Where the other turn's action stands, before that one is reviewed."""
    held: frozenset[State | None]
    """Where the calls stand that wanted to mail."""
    strangers: tuple[str, ...]
    """Effects outside the attempt's own reversible actions, from the remote's ledger."""
    undone: tuple[str, ...]
    """Events that were taken back, from the ledger."""


@dataclass(kw_only=True)
class Owned:
    """One application for many turns, each on a calendar of its own."""

    world: World
    folder: Path
    turns: int = 0
    title: str = "Dinner"
    """What the tool returns as text: anybody may have written it."""
    targets: dict[str, str] = field(default_factory=dict)
    """Ids that a hostile judge may want to name."""

    def __post_init__(self) -> None:
        self.m, calendar = self.world.m, self.world.calendar

        def version(record: Record) -> str:
            found = record.result
            return found.version if isinstance(found, Item) else found["version"]

        @self.m.tool(**{**calendar.changing, "version": version})
        async def reschedule(event_id: str, day: str, where: str = "") -> dict[str, str]:
            moved = calendar.remote.update(event_id, {"day": day, "where": where})
            return {"title": self.title, "version": moved.version}

        @self.m.tool(effect=Effect.IRREVERSIBLE)
        async def mail(to: str) -> Item:
            return calendar.remote.create({"to": to}, id="mail")

        self.move, self.create, self.mail = reschedule, self.world.create, mail

    def begin_anew(self) -> None:
        self.turns += 1
        self.world.calendar.remote = remote = FakeRemote(self.folder / f"{self.turns}.ledger")
        for event in (OURS, OTHERS, PERSONS):
            remote.create({"day": "2026-11-16", "where": ""}, id=event, by="person")

    async def act(self, said: str, *, day: str, mails: bool = False) -> Came:
        """One turn while another is open: it moves, makes, and wants to mail."""
        self.begin_anew()
        turns: list[OpenTurn] = []
        with self.m.turn("Another request, by somebody else") as other:
            await self.move(OTHERS, "2026-11-17")
            [theirs] = other.attempt.actions

            async def agent(turn: OpenTurn) -> str:
                turns[:] = [turn]
                await self.move(OURS, day, HOME)
                if mails:
                    await self.create(NEW, day)
                    held = await self.mail("Grandma")
                    assert isinstance(held, Held)
                    self.targets |= {"hold": held.hold.action}
                self.targets |= {"action": theirs.id, "turn": other.id, "object": PERSONS}
                return "Moved."

            done = await self.m.act(
                said, agent, now=NOW, timezone=ZONE, known={"home": HOME}, own=True
            )
            left = theirs.state
        actions = list(turns[0].list_actions())
        own = (a.state for a in actions if a.opening.effect is Effect.REVERSIBLE)
        held = (a.state for a in actions if a.opening.effect is Effect.IRREVERSIBLE)
        return Came(
            done=done,
            states=frozenset(own),
            theirs=left,
            held=frozenset(held),
            strangers=tuple(self._strangers()),
            undone=tuple(line.id for line in self.world.remote.ledger() if line.by == "undo"),
        )

    def _strangers(self) -> Iterator[str]:
        """Whatever took effect that the agent did not do itself and no undo of its own did."""
        left: dict[str, str | None] = {}
        for line in self.world.remote.ledger():
            own = line.id in (OURS, NEW)
            if line.by == "agent" and (own or line.id == OTHERS):
                left[line.id] = line.after
            elif line.by == "undo" and own and left.pop(line.id, None) == line.before:
                continue
            elif line.by != "person":
                yield f"{line.by} {line.op} {line.id}"


@contextmanager
def owned_by(
    judge: Judge, folder: Path, *, checks: tuple[Check[Attempted], ...] = ()
) -> Iterator[Owned]:
    """The application, with a judge that is the attacker's."""
    with Mulligan("memory:", judge=judge, checks=checks, recover=False) as m:
        world = World(m=m, calendar=Calendar(FakeRemote(folder / "0.ledger")))
        yield Owned(world=world, folder=folder)


def judge_that(model: FunctionModel, told: list[JudgeAsked]) -> ModelJudge:
    """The real judge over a model: patient, and asked again however often it failed."""
    return ModelJudge(
        model,
        render=render,
        scrub=number_ids,
        tell=told.append,
        limits=JudgeLimits(timeout=timedelta(minutes=5)),
        make_breaker=lambda: Breaker(failures=10**9),
    )
