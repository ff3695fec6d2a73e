"""What the agent does, what the reviewers say, and what else goes wrong: the campaign's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from bench.crash.reviewing import JUDGE
from mulligan.testing.remote import Fault

Call = tuple[str, Mapping[str, Any]]
"""A tool's name and its arguments."""

FRIDAY = "2026-11-20"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One thing that an agent is asked to do, and how the world answers."""

    name: str
    calls: Sequence[Call]
    reviewers: Sequence[Sequence[str]] = (("right",), ("wrong",), ("wrong", "right", "wrong"))
    """What the reviewer says in the first process, the second, and so on; the last one stays."""
    form: str = "act"
    """`act`, or `open` for a turn that its owner leaves without a review."""
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
    takes_back: bool = False
    """Whether a person has everything undone that was put before them as disputed."""
    waits: bool = True
    """Sync tools cannot wait for an event loop, so that none recovers in the middle of one."""
    versioned: bool = True
    """Bare tools promise less, and are counted apart."""
    bare_remote: bool = True
    """Where tools are bare, so is the remote, and ignores conditions."""


def _move(event_id: str = "e1", tool: str = "move") -> Call:
    return tool, {"event_id": event_id, "day": FRIDAY}


CREATE: Call = ("create", {"day": FRIDAY})
REMOVE: Call = ("remove", {"event_id": "e1"})
BULK: Call = ("move_all", {"events": ["e1", "e2", "e3"], "day": FRIDAY})
INVITE: Call = ("invite", {"whom": "Grandma"})
PAY: Call = ("pay", {"whom": "Grandma"})
ANNOUNCE: Call = ("announce", {"whom": "Grandma"})
FLIPS = (("right",), ("wrong",), ("first wrong",), ("wrong", "right", "wrong"), ("right", "wrong"))
OUTAGES = (("down",), ("down", "wrong"), ("down", "right"), ("down", "down", "wrong"))
ONLY_WRONG = (("wrong",), ("wrong", "right"))
DISPUTES = (
    ("judge wrong",),
    ("judge wrong", "judge right"),
    ("judge right", "judge wrong"),
    ("judge first wrong", "judge wrong"),
    ("judge down", "judge wrong"),
    ("judge first wrong, then down", "judge wrong"),
    ("judge wrong", "wrong"),
)
DENIED_BY_FACTS = (("judge against facts",), ("judge down", "judge against facts"))
LOST = (Fault.LOST_AFTER,)
LATE = (Fault.LATE,) * 3
"""As often as a call is tried."""
NOT_SENT = (Fault.REFUSED,) * 3
REFUSED = (Fault.FORBIDDEN,)

SCENARIOS: tuple[Scenario, ...] = (
    Scenario(name="update", calls=[_move()], reviewers=FLIPS + OUTAGES),
    Scenario(name="create", calls=[CREATE], reviewers=(*FLIPS, ("down", "wrong"))),
    Scenario(name="delete", calls=[REMOVE], reviewers=FLIPS),
    Scenario(name="two updates of one", calls=[_move(), _move()], reviewers=FLIPS),
    Scenario(name="three of everything", calls=[CREATE, _move(), REMOVE]),
    Scenario(name="bulk", calls=[BULK], reviewers=FLIPS),
    Scenario(name="bulk refused midway", calls=[BULK], on_calls=(Fault.NONE, Fault.FORBIDDEN)),
    Scenario(name="update and bulk", calls=[_move(), BULK], reviewers=ONLY_WRONG),
    Scenario(name="keyed", calls=[_move(tool="move_keyed")]),
    Scenario(name="keyed, answer lost", calls=[_move(tool="move_keyed")], on_calls=LOST),
    Scenario(
        name="lost, then refused", calls=[_move(tool="move_keyed")], on_calls=LOST + REFUSED * 2
    ),
    Scenario(
        name="lost, then not sent", calls=[_move(tool="move_keyed")], on_calls=LOST + NOT_SENT
    ),
    Scenario(name="sync tool", calls=[_move(tool="move_plainly")], reviewers=FLIPS, waits=False),
    Scenario(name="no probe", calls=[_move(tool="move_unprobed")]),
    Scenario(name="answer lost", calls=[_move()], on_calls=LOST),
    Scenario(name="never arrives", calls=[_move()], on_calls=(Fault.LOST_BEFORE,)),
    Scenario(name="late", calls=[_move()], on_calls=(Fault.LATE,), late_by=2),
    Scenario(name="late create", calls=[CREATE], on_calls=(Fault.LATE,)),
    Scenario(name="late update", calls=[_move()], on_calls=(Fault.LATE,)),
    Scenario(name="late, keyed", calls=[_move(tool="move_keyed")], on_calls=(Fault.LATE,)),
    Scenario(name="looked for, late", calls=[CREATE], on_calls=LATE, looked_for_first=True),
    Scenario(
        name="looked for, late, no probe",
        calls=[_move(tool="move_unprobed")],
        on_calls=LATE,
        looked_for_first=True,
    ),
    Scenario(
        name="looked for, late bulk",
        calls=[BULK],
        on_calls=(Fault.NONE, Fault.LATE),
        looked_for_first=True,
    ),
    Scenario(name="slowly looked for, late", calls=[CREATE, BULK], on_calls=LATE, slow_looks=True),
    Scenario(name="error after", calls=[CREATE], on_calls=(Fault.ERROR_AFTER,)),
    Scenario(name="undo refused", calls=[_move()], reviewers=ONLY_WRONG, on_undos=REFUSED * 9),
    Scenario(name="undo refused once", calls=[CREATE], reviewers=ONLY_WRONG, on_undos=REFUSED * 3),
    Scenario(
        name="undo's answer lost", calls=[_move(), REMOVE], reviewers=ONLY_WRONG, on_undos=LOST
    ),
    Scenario(name="undo late", calls=[_move()], reviewers=ONLY_WRONG, on_undos=(Fault.LATE,)),
    Scenario(name="reads fail", calls=[_move()], on_reads=(Fault.NONE,) + (Fault.LOST_BEFORE,) * 4),
    Scenario(name="left open", calls=[_move()], form="open", reviewers=(("right",), ("wrong",))),
    Scenario(name="hold approved", calls=[INVITE], answer="approved", reviewers=(("right",),)),
    Scenario(name="hold approved, keyed", calls=[PAY], answer="approved", reviewers=(("right",),)),
    Scenario(
        name="hold approved, late",
        calls=[PAY],
        answer="approved",
        reviewers=(("right",),),
        on_releases=LATE,
        looked_for_first=True,
        idle=timedelta(minutes=10),
    ),
    Scenario(name="hold denied", calls=[INVITE], answer="denied", reviewers=(("right",),)),
    Scenario(name="hold and update", calls=[_move(), INVITE], answer="approved"),
    Scenario(name="hold unanswered", calls=[INVITE], reviewers=(("right",), ("wrong",))),
    Scenario(name="late review of many", calls=[CREATE, _move(), _move(), BULK], reviewers=OUTAGES),
    Scenario(
        name="late review, undo's answer lost",
        calls=[_move(), REMOVE],
        reviewers=(("down", "wrong"),),
        on_undos=LOST,
    ),
    Scenario(
        name="no verdict, no effect",
        calls=[_move(tool="move_if_reviewed")],
        reviewers=(("down",), ("down", "right"), ("right", "down", "wrong")),
    ),
    Scenario(name="judged", calls=[_move()], reviewers=DISPUTES + DENIED_BY_FACTS),
    Scenario(name="judged many", calls=[CREATE, _move(), _move(), REMOVE], reviewers=DISPUTES[:3]),
    Scenario(
        name="disputed, then taken back",
        calls=[_move(), _move(), _move("e2")],
        reviewers=(*DISPUTES[:2], ("down", "wrong")),
        takes_back=True,
    ),
    Scenario(
        name="let through by the checks",
        calls=[_move(), ANNOUNCE],
        reviewers=(("right",), *DISPUTES[:3], DENIED_BY_FACTS[0]),
    ),
    Scenario(
        name="no condition", calls=[_move(tool="move_blindly")], versioned=False, bare_remote=False
    ),
    Scenario(name="bare update", calls=[_move(tool="move_bare")], versioned=False),
    Scenario(name="bare create", calls=[("create_bare", {"day": FRIDAY})], versioned=False),
    Scenario(
        name="bare, answer lost", calls=[_move(tool="move_bare")], versioned=False, on_calls=LOST
    ),
)


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


def cases() -> list[Case]:
    """Every scenario with each of its reviewers."""
    return [
        Case(scenario=scenario, reviewers=tuple(said))
        for scenario in SCENARIOS
        for said in scenario.reviewers
    ]
