"""One thing that an agent is asked to do, and the world in which it does so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from bench.crash.reviewing import JUDGE
from mulligan_testing.remote import Fault

Call = tuple[str, Mapping[str, Any]]
"""A tool's name and its arguments."""

FRIDAY = "2026-11-20"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A remote, and people, as they really are."""

    lag: int | timedelta = 0
    """How far readers are behind, in writes or in time."""
    hides: int = 0
    """The status that readers get once the agent has called, for want of permission."""
    numbered: bool = False
    """Versions are numbers, and two objects share them."""
    on_seconds: Sequence[Fault] = ()
    """Of the second request of calls that make two."""
    person: str = "edits"
    """What a person does: `edits`, `edits twice`, `edits alike` (what the agent was asked to do),
    `deletes`, `makes anew`, or only `looks on`."""
    absent: Sequence[str] = ()
    """Objects that are not there, and that a person may make."""
    jump: timedelta = timedelta()
    """How far the clock on the wall jumps after each call."""
    insists: bool = False
    """The agent makes a call that failed once more."""
    meddles: bool = False
    """The agent changes what it was given, and what it gave."""
    damage: str = ""
    """What becomes of the store once a process has ended: a bit `flips`, or it `mixes up` rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One thing that an agent is asked to do, and how the world answers."""

    name: str
    calls: Sequence[Call]
    reviewers: Sequence[Sequence[str]] = (("right",), ("wrong",), ("wrong", "right", "wrong"))
    """What the reviewer says in the first process, the second, and so on; the last one stays."""
    form: str = "act"
    """`act`; `open` for a turn that its owner leaves without a review; `nested` where the agent
    makes its later calls in a turn of their own; `loose` where it does not wait for them; else the
    framework through which it makes them."""
    on_calls: Sequence[Fault] = ()
    on_undos: Sequence[Fault] = ()
    on_reads: Sequence[Fault] = ()
    on_releases: Sequence[Fault] = ()
    """Of calls that a later process makes, once a person has let them run."""
    late_by: int | None = None
    """Requests that a late one lets pass; `None`: it arrives after its process has ended."""
    looked_for_first: bool = False
    """A late request arrives only after the next process has looked for it."""
    slow_looks: bool = False
    """A look's answer takes an hour, in which everything late arrives: the machine slept."""
    idle: timedelta = timedelta()
    """How long nobody comes back after the first process has ended."""
    answer: str = ""
    """What a person says to what is held: `approved`, `denied`, or nothing."""
    answers_late: bool = False
    """The person answers only after the first pass of recovery."""
    takes_back: bool = False
    """Whether a person has everything undone that was put before them as disputed."""
    waits: bool = True
    """Sync tools cannot wait for an event loop, so that none recovers in the middle of one."""
    weaker: str = ""
    """What its tools lack, which therefore promise less and are counted apart."""
    bare_remote: bool = False
    """The remote has no versions and ignores conditions."""
    world: World = World()
    """How its remote and its people are worse than one would like."""

    @property
    def promised(self) -> bool:
        """Whether every promise holds for its tools."""
        return not self.weaker

    @property
    def hunted(self) -> bool:
        """Whether planted mistakes are looked for in it: also where readers never catch up, as what
        a mistake adds shows there all the same."""
        return self.promised or bool(self.world.lag)

    @property
    def undo_can_fail(self) -> bool:
        """Whether something else than a person may stand in the way of an undo."""
        world = self.world
        faults = self.on_undos or self.on_reads
        return bool(faults or world.lag or world.hides or world.jump or world.damage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A scenario with one set of reviewers."""

    scenario: Scenario
    reviewers: tuple[str, ...] = field(default=("right",))

    def reviewer(self, process: int) -> str:
        """What the reviewer says in the n-th process, counted from 0."""
        return self.reviewers[min(process, len(self.reviewers) - 1)]

    @property
    def judged(self) -> bool:
        """Whether its application has a judge."""
        return any(said.startswith(JUDGE) for said in self.reviewers)

    @property
    def name(self) -> str:
        """How a report calls it."""
        return f"{self.scenario.name} ({', then '.join(self.reviewers)})"


def build_move(event_id: str = "e1", tool: str = "move") -> Call:
    """A call that moves an event."""
    return tool, {"event_id": event_id, "day": FRIDAY}


LATE = (Fault.LATE,) * 3
"""As often as a call is tried."""
FLIPS = (("right",), ("wrong",), ("first wrong",), ("wrong", "right", "wrong"), ("right", "wrong"))
ONLY_WRONG = (("wrong",), ("wrong", "right"))
CREATE: Call = ("create", {"day": FRIDAY})
REMOVE: Call = ("remove", {"event_id": "e1"})
BULK: Call = ("move_all", {"events": ["e1", "e2", "e3"], "day": FRIDAY})
INVITE: Call = ("invite", {"whom": "Grandma"})
PAY: Call = ("pay", {"whom": "Grandma"})
