"""One call of a tool in a process that is killed, recovered, and judged from outside."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, field
from inspect import isawaitable
from pathlib import Path
from typing import Any, Protocol

from bench.crash.clock import Clock
from bench.crash.processes import in_child
from bench.packs.acting import accept, act_once, recover, reject
from mulligan import Mulligan
from mulligan.process.fault_points import Point, watch_points
from mulligan.types.action import SETTLED, State

THEIRS = "theirs"
"""What a person writes: wherever it stood, it must still stand somewhere in the end."""
STANDS = (State.VERIFIED, State.UNCHECKED)
"""What the journal says of an effect that is there, and is to be."""

Seen = Mapping[str, Any]
"""What there is, by its names, as anybody would find it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is done, under which reviewer, and what else happens to it."""

    kind: str
    wrong: bool
    """The reviewer calls it wrong."""
    edited: bool = False
    """A person edits after the first kill."""
    lost: bool = False
    """The answer to the call is lost, after its effect."""
    version: str | None = None
    """The column that tells versions apart, where there is one."""


def list_cases(kinds: Iterator[str] | tuple[str, ...], **more: Any) -> list[Case]:
    """Each kind of call: wrong or right, edited or not, and with its answer lost."""
    ends = [(False, False), (True, False), (False, True)]
    return [
        Case(kind=kind, wrong=wrong, edited=edited, lost=lost, **more)
        for kind in kinds
        for wrong in (True, False)
        for edited, lost in ends
    ]


@dataclass(slots=True, kw_only=True)
class Tally:
    """What was seen."""

    kills: int = 0
    runs: int = 0
    lost: int = 0
    """Effects that nobody has on record, or that are on record and are not there."""
    duplicates: int = 0
    overwritten: int = 0
    """Edits of a person that are gone."""
    left: int = 0
    """Wrong effects that stand, and that nobody is told of."""
    for_a_person: int = 0
    """Cases on the open list where nobody but us was there."""
    conflicts: int = 0
    """The same where a person has edited: theirs to decide."""
    examples: list[str] = field(default_factory=list)


class Blow:
    """Counts what a process does, and kills it at one of them."""

    def __init__(self, at: int) -> None:
        self.count, self._at = 0, at

    def strike(self, *_: object) -> None:
        """One more; the last, if it is the one."""
        self.count += 1
        if self.count == self._at:
            os.kill(os.getpid(), signal.SIGKILL)

    async def reach(self, _: Point) -> None:
        """A point of the protocol."""
        self.strike()


class World(Protocol):
    """What the tools of a pack change, and how it looks from outside."""

    promises: tuple[str, ...]
    """Of `Tally`, what must be none."""

    def list_cases(self) -> list[Case]:
        """All that may be done to it."""

    def fill(self) -> None:
        """Have it be as in the beginning, without a trace of earlier runs."""

    def look(self) -> Seen:
        """What is there."""

    def edit(self) -> None:
        """A person changes whatever the calls are about."""

    def build_call(self, m: Mulligan, case: Case, blow: Blow) -> Callable[[], Any]:
        """What an agent calls. The blow strikes wherever the tool does something."""

    def has_effect(self, case: Case, seen: Seen) -> bool:
        """Whether the call has been made, once."""

    def has_doubled(self, seen: Seen) -> bool:
        """Whether a call has been made more than once."""


def build_url(folder: Path) -> str:
    """The journal of a life."""
    return f"sqlite:///{folder}/journal.db"


def create_journal(folder: Path) -> None:
    """An empty journal, to be copied: making its tables takes longer than a call."""
    folder.mkdir()
    in_child(lambda: Mulligan(build_url(folder), recover=False).close())


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """One call of one tool, and the processes that live through it."""

    folder: Path
    world: World
    case: Case

    def act(self, hit: int) -> object:
        """Let the agent call the tool once. How many things it could have died at."""
        return self._live(hit, self._act)

    def recover(self, hit: int) -> object:
        """Look after what was left."""
        return self._live(hit, self._recover)

    def _live(self, hit: int, work: Callable[[Mulligan, Callable[[], Any]], Any]) -> object:
        os.chdir(self.folder)  # no settings of anybody's are read there
        blow = Blow(hit)
        m = Mulligan(
            build_url(self.folder),
            checks=[reject] if self.case.wrong else [accept],
            clock=Clock(self.folder / "clock"),
            recover=False,
        )
        call = self.world.build_call(m, self.case, blow)
        watch_points(blow.reach)
        try:
            asyncio.run(work(m, call))
        finally:
            watch_points(None)
            m.close()
        return blow.count

    async def _act(self, m: Mulligan, call: Callable[[], Any]) -> None:
        async def work() -> None:
            with suppress(Exception) if self.case.lost else nullcontext():
                answer = call()
                if isawaitable(answer):
                    await answer

        await act_once(m, work)

    async def _recover(self, m: Mulligan, _call: Callable[[], Any]) -> None:
        await recover(m, Clock(self.folder / "clock"))

    def list_states(self) -> list[State]:
        """What the journal says of every action, as the file itself has it."""
        with closing(sqlite3.connect(self.folder / "journal.db")) as journal:
            return [State(state) for (state,) in journal.execute("SELECT state FROM action")]

    def run(self, hits: tuple[int, int], tally: Tally) -> int:
        """One life with up to two deaths. Of a call that was not killed, how long it was."""
        before = self.world.look()
        first = in_child(lambda: self.act(hits[0]))
        edited = self.case.edited and first.killed
        if edited:
            self.world.edit()
        between = self.world.look()
        second = in_child(lambda: self.recover(hits[1]))
        if second.killed:
            in_child(lambda: self.recover(0))
        tally.kills += first.killed + second.killed
        tally.runs += 1
        self._judge([before, between, self.world.look()], edited=edited, tally=tally)
        return int(first.said or 0)

    def _judge(self, seen: list[Seen], *, edited: bool, tally: Tally) -> None:
        case, states, [before, between, now] = self.case, self.list_states(), seen
        wrong = Counter[str]()
        left = [state for state in states if state not in SETTLED]
        wrong["duplicates"] = self.world.has_doubled(now)
        wrong["overwritten"] = THEIRS in repr(between) and THEIRS not in repr(now)
        if edited:
            tally.conflicts += bool(left)
        else:
            wrong["for_a_person"] = len(left)
            wrong["left"] = case.wrong and now != before and not left
            stands = any(state in STANDS for state in states)
            right = self.world.has_effect(case, now) if stands else now == before
            wrong["lost"] = not left and not right
        for name, count in wrong.items():
            setattr(tally, name, getattr(tally, name) + int(count))
            if count:
                tally.examples.append(f"{name}: {case} {between} {now} {[*map(str, states)]}")
