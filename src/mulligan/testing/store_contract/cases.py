"""Episodes, lessons and uses to put into a casebook under test."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from mulligan.core.failures.advice import Decision
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.lesson import (
    Benefit,
    Ending,
    Episode,
    Group,
    How,
    Lesson,
    LessonState,
    Offer,
    Prerequisite,
    Remedy,
    Transformation,
    Use,
)
from mulligan.core.failures.suggestion import Kind, Origin
from mulligan.testing.store_contract.contract import NOW

PREFIXED = Transformation(argument="id", how=How.PREFIX, given={"text": "#", "№": [1, 2.5, None]})
DROPPED = Transformation(argument="«limit»", how=How.DROP)
REMEDY = Remedy(
    changes=(PREFIXED, DROPPED),
    first=(Prerequisite(tool="find_order", arguments=(PREFIXED,)), Prerequisite(tool="log_in")),
)
OFFER = Offer(
    source=Origin.MEMORY,
    kinds=(Kind.REFORMAT, Kind.DROP),
    probability=0.875,
    n=12,
    lesson="l1",
    taken=True,
    automatic=True,
    helped=True,
)
TEXT = "Заказ «#7» \u2028 \x00 \ud800 😀"


def make_episode(number: int = 0, **changes: Any) -> Episode:
    """A failure that was repaired; `number` orders them."""
    episode = Episode(
        id=f"call-{number:06}",
        at=NOW + timedelta(seconds=number),
        tool="get_order",
        server="shop",
        schema_hash="s1",
        fingerprint="f1",
        error_class=ErrorClass.VALIDATION,
        template="order <id> is not valid",
        tenant="home",
        principal="anna",
        agent="planner",
        context="find the order",
        turn="t1",
        ending=Ending.REPAIRED,
        decision=Decision.REPAIR,
        verified=True,
        remedies=(REMEDY, Remedy()),
        offer=OFFER,
        group=Group.TREATED,
        calls=2,
        took=timedelta(seconds=3, microseconds=7),
    )
    return replace(episode, **changes)


def make_lesson(version: int = 1, **changes: Any) -> Lesson:
    """A version of a lesson."""
    lesson = Lesson(
        id="l1",
        version=version,
        tool="get_order",
        server="shop",
        schema_hash="s1",
        tenant="home",
        fingerprint="f1",
        error_class=ErrorClass.VALIDATION,
        when="order <id> is not valid",
        when_not="the order is closed",
        statement="The id of an order begins with a number sign.",
        mistake="the sign is left out",
        correction="put it in front",
        example=('{"id": "<id>"}', '{"id": "#<id>"}'),
        remedy=REMEDY,
        state=LessonState.ACTIVE,
        why="three verified uses",
        by="evidence",
        seen=5,
        agents=("planner", "clerk"),
        batch="b1",
        learned_at=NOW,
    )
    return replace(lesson, **changes)


def make_use(number: int = 0, **changes: Any) -> Use:
    """A call that a lesson helped."""
    use = Use(
        lesson="l1",
        version=1,
        call=f"call-{number:06}",
        at=NOW + timedelta(seconds=number),
        tenant="home",
        principal="anna",
        agent="planner",
        turn="t1",
        benefit=Benefit.HELPED,
        note="as suggested",
    )
    return replace(use, **changes)
