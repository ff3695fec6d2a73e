"""Scenarios on remotes that lag, lie and repeat, with people and agents who do as they please."""

from __future__ import annotations

from datetime import timedelta

from bench.crash.rough_tools import CALENDAR, NO_DAY
from bench.crash.scenario import (
    BULK,
    CREATE,
    FRIDAY,
    INVITE,
    LATE,
    ONLY_WRONG,
    PAY,
    REMOVE,
    Call,
    Scenario,
    World,
    build_move,
)
from bench.hosts.frameworks import FRAMEWORKS
from mulligan_testing.remote import AFTER_EFFECT, Fault

LAG = timedelta(milliseconds=30)
"""How far a replica is behind in real time; the tools declare a little more."""
AN_HOUR = timedelta(hours=1)

CREATE_ALL: Call = ("create_all", {"days": [FRIDAY, "2026-11-21", "2026-11-22"]})
CREATE_MARKED: Call = ("create_marked", {"day": FRIDAY})
CREATE_DICT: Call = ("create_dict", {"details": {"day": FRIDAY}})
BOOK: Call = ("book", {"day": FRIDAY})
PAY_AND_TELL: Call = ("pay_and_tell", {"whom": "Grandma"})
PUT: Call = ("put", {"event_id": "e9", "day": FRIDAY})
MOVE_DICT: Call = ("move_dict", {"event_id": "e1", "details": {"day": FRIDAY}})
RIGHT = (("right",),)
EITHER = (("right",), ("wrong",))
LATER_WRONG = (("right", "wrong"), ("down", "wrong"))


def _build_shared(tool: str) -> list[Call]:
    """Calls about two events of one calendar, which come by the same versions."""
    shared = {"day": FRIDAY, "calendar_id": CALENDAR}
    return [(tool, {"event_id": event_id, **shared}) for event_id in ("e2", "e1", "e2")]


LYING = tuple(
    Scenario(
        name=f"{what}, {fault.value}",
        calls=[call],
        on_calls=(fault,) * times,
        reviewers=EITHER,
        world=World(insists=what in ("create", "bulk create")),
    )
    for fault in AFTER_EFFECT
    for what, call, times in (
        ("create", CREATE, 1),
        ("update", build_move(), 1),
        ("marked", CREATE_MARKED, 1),
        ("bulk create", CREATE_ALL, 2),
    )
    if what == "create" or fault in (Fault.BUSY_AFTER, Fault.INVALID_AFTER, Fault.REDIRECTED)
)
"""The remote errs after the effect, in words that sound like a refusal."""

COMPOSITE = tuple(
    Scenario(
        name=f"{what}, second {fault.value}",
        calls=[call],
        reviewers=EITHER if what == "book" else RIGHT,
        answer="approved",
        world=World(on_seconds=(fault,) * 4),
    )
    for fault in (Fault.FORBIDDEN, Fault.REFUSED, Fault.BUSY)
    for what, call in (("book", BOOK), ("pay and tell", PAY_AND_TELL))
)
"""One call makes two requests, and the second is refused after the first took effect."""

READING = tuple(
    Scenario(
        name=f"{how}, {what}",
        calls=calls,
        reviewers=ONLY_WRONG,
        world=world,
        weaker="reads that never catch up" if isinstance(world.lag, int) and world.lag else "",
    )
    for how, world in (
        ("behind by a write", World(lag=1)),
        ("behind by a time", World(lag=LAG)),
        ("hidden as 404", World(hides=404)),
        ("hidden as 403", World(hides=403)),
    )
    for what, calls in (
        ("update", [build_move()]),
        ("create", [CREATE]),
        ("delete", [REMOVE]),
        ("two updates", [build_move(), build_move("e2")]),
    )
)
"""What a reader sees is not what is there."""

ARRIVING = (
    Scenario(
        name="doubled",
        calls=[CREATE, build_move()],
        reviewers=EITHER,
        on_calls=(Fault.DOUBLED,) * 2,
    ),
    Scenario(
        name="doubled late",
        calls=[CREATE, build_move()],
        reviewers=EITHER,
        on_calls=(Fault.DOUBLED_LATE,) * 2,
    ),
    Scenario(
        name="undo doubled late",
        calls=[build_move()],
        reviewers=ONLY_WRONG,
        on_undos=(Fault.DOUBLED_LATE,),
    ),
    Scenario(
        name="undo of a delete late",
        calls=[REMOVE],
        reviewers=ONLY_WRONG,
        on_undos=(Fault.LATE,),
        looked_for_first=True,
    ),
    Scenario(
        name="undo late, looked for first",
        calls=[build_move(), CREATE],
        reviewers=ONLY_WRONG,
        on_undos=(Fault.LATE,) * 2,
        looked_for_first=True,
    ),
    *(
        Scenario(
            name=f"counter-booking, {fault.value}",
            calls=[("transfer", {"day": FRIDAY})],
            reviewers=ONLY_WRONG,
            on_undos=(fault,),
            looked_for_first=True,
            world=World(person="looks on"),
        )
        for fault in (Fault.NONE, Fault.LATE, Fault.LOST_AFTER)
    ),
    *(
        Scenario(
            name=f"clock {'forward' if jump > timedelta() else 'back'}, {what}",
            calls=[call],
            on_calls=LATE,
            looked_for_first=True,
            reviewers=EITHER,
            world=World(jump=jump),
        )
        for jump in (AN_HOUR, -AN_HOUR)
        for what, call in (("late create", CREATE), ("late bulk", BULK))
    ),
)
"""What arrives twice, or late, or while clocks jump."""

OBJECTS = (
    *(
        Scenario(
            name=f"shared parent, {person}",
            calls=_build_shared("move_shared"),
            reviewers=EITHER,
            world=World(numbered=True, person=person),
        )
        for person in ("edits", "edits twice", "deletes")
    ),
    Scenario(
        name="shared parent, nothing said",
        calls=_build_shared("move_unsaid"),
        reviewers=EITHER,
        world=World(numbered=True, person="edits twice"),
        weaker="no about",
    ),
    Scenario(
        name="results changed",
        calls=[CREATE_DICT, MOVE_DICT],
        reviewers=EITHER,
        world=World(meddles=True, numbered=True),
    ),
    Scenario(
        name="results changed, moved twice",
        calls=[MOVE_DICT, MOVE_DICT],
        reviewers=EITHER,
        world=World(meddles=True),
    ),
    Scenario(name="nothing was there", calls=[PUT], reviewers=EITHER, world=World(absent=("e9",))),
    *(
        Scenario(
            name=f"{what}{whose}",
            calls=[build_move(tool=tool)],
            on_calls=(Fault.LOST_BEFORE,) * 3,
            reviewers=EITHER,
            world=world,
        )
        for what, tool in (("naive probe", "move_naive"), ("probe that compares", "move_compared"))
        for whose, world in (
            ("", World()),
            (", a person edits alike", World(person="edits alike")),
        )
    ),
    *(
        Scenario(
            name=f"our own later call, {what}",
            calls=[build_move(tool=first), build_move(tool=second)],
            on_calls=faults,
            late_by=2,
            reviewers=EITHER,
            world=World(person="looks on"),
        )
        for what, first, second, faults in (
            ("lost", "move", "move_unprobed", (Fault.NONE, Fault.LOST_AFTER)),
            ("over a lost one", "move_unprobed", "move", (Fault.LOST_BEFORE,)),
            ("over one that landed", "move_unprobed", "move", (Fault.LOST_AFTER,)),
            ("over a late one", "move_unprobed", "move", (Fault.LATE,)),
        )
    ),
    Scenario(
        name="undo refused by who hides",
        calls=[CREATE],
        on_undos=(Fault.FORBIDDEN,) * 2,
        reviewers=ONLY_WRONG,
        world=World(hides=404),
    ),
    Scenario(
        name="naive probe, landed",
        calls=[build_move(tool="move_naive")],
        on_calls=(Fault.LOST_AFTER,),
        reviewers=EITHER,
    ),
)
"""Which object is meant, and whose state it shows."""

PEOPLE = tuple(
    Scenario(name=f"{what}, a person {person}", calls=calls, reviewers=ONLY_WRONG, on_calls=faults,
             world=World(person=person))
    for person in ("deletes", "makes anew")
    for what, calls, faults in (
        ("update", [build_move()], ()),
        ("create", [CREATE], ()),
        ("delete", [REMOVE], ()),
        ("lost create", [CREATE], (Fault.LOST_AFTER,)),
        ("unprobed", [build_move(tool="move_unprobed")], (Fault.LOST_AFTER,)),
    )
)  # fmt: skip
"""People who delete, and who make anew."""

DAMAGE = tuple(
    Scenario(
        name=f"store {how}",
        calls=[build_move(), build_move()],
        reviewers=ONLY_WRONG,
        world=World(damage=how),
    )
    for how in ("flips", "mixes up")
)
"""What was kept for an undo is not what was kept."""

TURNS = (
    Scenario(name="nested", calls=[build_move(), CREATE], form="nested", reviewers=ONLY_WRONG),
    Scenario(
        name="loose",
        calls=[build_move(), build_move("e2", "move_slowly")],
        form="loose",
        reviewers=(("judge right",), ("judge wrong",)),
    ),
    Scenario(
        name="held, rejected late",
        calls=[build_move(), INVITE, PAY],
        answer="approved",
        answers_late=True,
        reviewers=(("right", "wrong"), ("wrong",), ("down", "wrong")),
    ),
    Scenario(
        name="left open, two", calls=[build_move(), CREATE], form="open", reviewers=LATER_WRONG
    ),
    Scenario(
        name="refund late",
        calls=[("refund", {"day": FRIDAY})],
        on_undos=(Fault.LATE,),
        reviewers=ONLY_WRONG,
        weaker="no versions",
        bare_remote=True,
        looked_for_first=True,
    ),
)
"""Turns within turns, calls that outlive them, and answers that come late."""

REFUSING = (
    *(
        Scenario(
            name=f"refused, then right, {how}",
            calls=[(tool, {"event_id": "e1", "day": NO_DAY}), build_move(tool=tool)],
            reviewers=EITHER,
            weaker=weaker,
            bare_remote=bool(weaker),
        )
        for how, tool, weaker in (
            ("with versions", "move_checked", ""),
            ("bare", "move_unsure", "no versions"),
        )
    ),
    Scenario(name="inner call, then no answer", calls=[("arrange", {"day": FRIDAY})],
             reviewers=EITHER),
    Scenario(name="lazy answer", calls=[("create_lazily", {"day": FRIDAY})], reviewers=EITHER),
    Scenario(name="another client", calls=[build_move(tool="move_connected")], reviewers=EITHER),
)  # fmt: skip
"""Tools as authors write them: they check first, call each other, answer lazily, hold a client."""

HOSTED = tuple(
    Scenario(
        name=f"through {framework}",
        calls=[build_move(), CREATE, INVITE],
        form=framework,
        reviewers=EITHER,
        on_calls=(Fault.NONE, Fault.LOST_AFTER),
    )
    for framework in FRAMEWORKS
)
"""Calls as frameworks make them: by schema, with every default said, in tasks of their own."""

ROUGH = (
    *LYING, *COMPOSITE, *READING, *ARRIVING, *OBJECTS, *PEOPLE, *DAMAGE, *TURNS, *REFUSING, *HOSTED,
)  # fmt: skip
