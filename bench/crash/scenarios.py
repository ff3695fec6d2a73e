"""What the agent does, what the reviewers say, and what else goes wrong: the campaign's tables."""

from __future__ import annotations

from datetime import timedelta

from bench.crash.rough import ROUGH
from bench.crash.scenario import (
    BULK,
    CREATE,
    FLIPS,
    FRIDAY,
    INVITE,
    LATE,
    ONLY_WRONG,
    PAY,
    REMOVE,
    Call,
    Case,
    Scenario,
    build_move,
)
from mulligan_testing.remote import Fault

ANNOUNCE: Call = ("announce", {"whom": "Grandma"})
OUTAGES = (("down",), ("down", "wrong"), ("down", "right"), ("down", "down", "wrong"))
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
NOT_SENT = (Fault.REFUSED,) * 3
REFUSED = (Fault.FORBIDDEN,)

SCENARIOS: tuple[Scenario, ...] = (
    Scenario(name="update", calls=[build_move()], reviewers=FLIPS + OUTAGES),
    Scenario(name="create", calls=[CREATE], reviewers=(*FLIPS, ("down", "wrong"))),
    Scenario(name="delete", calls=[REMOVE], reviewers=FLIPS),
    Scenario(name="two updates of one", calls=[build_move(), build_move()], reviewers=FLIPS),
    Scenario(name="three of everything", calls=[CREATE, build_move(), REMOVE]),
    Scenario(name="bulk", calls=[BULK], reviewers=FLIPS),
    Scenario(name="bulk refused midway", calls=[BULK], on_calls=(Fault.NONE, Fault.FORBIDDEN)),
    Scenario(name="update and bulk", calls=[build_move(), BULK], reviewers=ONLY_WRONG),
    Scenario(name="keyed", calls=[build_move(tool="move_keyed")]),
    Scenario(name="keyed, answer lost", calls=[build_move(tool="move_keyed")], on_calls=LOST),
    Scenario(
        name="lost, then refused",
        calls=[build_move(tool="move_keyed")],
        on_calls=LOST + REFUSED * 2,
    ),
    Scenario(
        name="lost, then not sent", calls=[build_move(tool="move_keyed")], on_calls=LOST + NOT_SENT
    ),
    Scenario(
        name="sync tool", calls=[build_move(tool="move_plainly")], reviewers=FLIPS, waits=False
    ),
    Scenario(name="no probe", calls=[build_move(tool="move_unprobed")]),
    Scenario(name="answer lost", calls=[build_move()], on_calls=LOST),
    Scenario(name="never arrives", calls=[build_move()], on_calls=(Fault.LOST_BEFORE,)),
    Scenario(name="late", calls=[build_move()], on_calls=(Fault.LATE,), late_by=2),
    Scenario(name="late create", calls=[CREATE], on_calls=(Fault.LATE,)),
    Scenario(name="late update", calls=[build_move()], on_calls=(Fault.LATE,)),
    Scenario(name="late, keyed", calls=[build_move(tool="move_keyed")], on_calls=(Fault.LATE,)),
    Scenario(name="looked for, late", calls=[CREATE], on_calls=LATE, looked_for_first=True),
    Scenario(
        name="looked for, late, no probe",
        calls=[build_move(tool="move_unprobed")],
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
    Scenario(
        name="late beside another, rejected",
        calls=[CREATE, build_move("e2")],
        on_calls=LATE,
        reviewers=ONLY_WRONG,
        looked_for_first=True,
    ),
    Scenario(name="error after", calls=[CREATE], on_calls=(Fault.ERROR_AFTER,)),
    Scenario(name="undo refused", calls=[build_move()], reviewers=ONLY_WRONG, on_undos=REFUSED * 9),
    Scenario(name="undo refused once", calls=[CREATE], reviewers=ONLY_WRONG, on_undos=REFUSED * 3),
    Scenario(
        name="undo of the later refused once",
        calls=[build_move(), build_move()],
        reviewers=ONLY_WRONG,
        on_undos=REFUSED * 3,
    ),
    Scenario(
        name="undo's answer lost", calls=[build_move(), REMOVE], reviewers=ONLY_WRONG, on_undos=LOST
    ),
    Scenario(name="undo late", calls=[build_move()], reviewers=ONLY_WRONG, on_undos=(Fault.LATE,)),
    Scenario(
        name="reads fail", calls=[build_move()], on_reads=(Fault.NONE,) + (Fault.LOST_BEFORE,) * 4
    ),
    Scenario(
        name="undo lost, reads fail",
        calls=[build_move()],
        reviewers=ONLY_WRONG,
        on_undos=(Fault.LOST_BEFORE,) * 3,
        on_reads=(Fault.NONE,) * 2 + (Fault.LOST_BEFORE,) * 3,
    ),
    Scenario(
        name="left open", calls=[build_move()], form="open", reviewers=(("right",), ("wrong",))
    ),
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
    Scenario(name="hold and update", calls=[build_move(), INVITE], answer="approved"),
    Scenario(name="hold unanswered", calls=[INVITE], reviewers=(("right",), ("wrong",))),
    Scenario(
        name="late review of many",
        calls=[CREATE, build_move(), build_move(), BULK],
        reviewers=OUTAGES,
    ),
    Scenario(
        name="late review, undo's answer lost",
        calls=[build_move(), REMOVE],
        reviewers=(("down", "wrong"),),
        on_undos=LOST,
    ),
    Scenario(
        name="no verdict, no effect",
        calls=[build_move(tool="move_if_reviewed")],
        reviewers=(("down",), ("down", "right"), ("right", "down", "wrong")),
    ),
    Scenario(name="judged", calls=[build_move()], reviewers=DISPUTES + DENIED_BY_FACTS),
    Scenario(
        name="judged many",
        calls=[CREATE, build_move(), build_move(), REMOVE],
        reviewers=DISPUTES[:3],
    ),
    Scenario(
        name="disputed, then taken back",
        calls=[build_move(), build_move(), build_move("e2")],
        reviewers=(*DISPUTES[:2], ("down", "wrong")),
        takes_back=True,
    ),
    Scenario(
        name="let through by the checks",
        calls=[build_move(), ANNOUNCE],
        reviewers=(("right",), *DISPUTES[:3], DENIED_BY_FACTS[0]),
    ),
    Scenario(
        name="looked at in part",
        calls=[build_move(), CREATE],
        reviewers=(("only moves",), ("fact of moves",)),
    ),
    Scenario(name="no condition", calls=[build_move(tool="move_blindly")], weaker="no condition"),
    Scenario(
        name="bare update",
        calls=[build_move(tool="move_bare")],
        weaker="no versions",
        bare_remote=True,
    ),
    Scenario(
        name="two bare updates of one",
        calls=[build_move(tool="move_bare"), build_move(tool="move_bare")],
        reviewers=ONLY_WRONG,
        weaker="no versions",
        bare_remote=True,
    ),
    Scenario(
        name="bare create",
        calls=[("create_bare", {"day": FRIDAY})],
        weaker="no versions",
        bare_remote=True,
    ),
    Scenario(
        name="bare, answer lost",
        calls=[build_move(tool="move_bare")],
        weaker="no versions",
        bare_remote=True,
        on_calls=LOST,
    ),
)


def cases() -> list[Case]:
    """Every scenario with each of its reviewers."""
    return [
        Case(scenario=scenario, reviewers=tuple(said))
        for scenario in (*SCENARIOS, *ROUGH)
        for said in scenario.reviewers
    ]
