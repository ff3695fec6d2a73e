"""A fifth of the writers lie: what they teach alters nobody else's call before it is proven.

Ten thousand calls of fifty people through mining, life cycle and suggestion as they are. The
liars' own turns say of every repair what they like; in honest turns the truth is known.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from mulligan.learning.decide import may_apply
from mulligan.learning.fingerprint import build_pattern
from mulligan.learning.lessons import judge_life
from mulligan.learning.mining import find_remedies, find_uses, mine
from mulligan.learning.recall import Outcomes, build_chance, from_memory
from mulligan.learning.suggest import suggest_corrections
from mulligan.types.effect import Mode
from mulligan.types.lesson import (
    Benefit,
    Ending,
    Episode,
    FailedCall,
    Lesson,
    LessonState,
    Suggestion,
    Use,
    compute_balance,
)
from tests.learning.cases import NOW
from tests.learning.failures import failed, obj

CALLS = 10_000
PEOPLE = 50
LIARS = 10
FAILING = 0.1
BATCH = 500
MENDED = "get_order"
HOPELESS = "get_invoice"
"""Nothing helps here, so that all that is ever learned about it is one lie, told in concert."""
SCHEMA = obj("order_id", order_id={"type": "string"})
LIES = (str.lower, lambda text: f"{text}/", lambda text: f"..{text}", lambda text: f"_{text}_")


@dataclass
class World:
    """People, their calls, and one memory that they share."""

    chance: random.Random
    known: int = PEOPLE
    """How many people the memory knows of."""
    episodes: list[Episode] = field(default_factory=list)
    lessons: dict[str, Lesson] = field(default_factory=dict)
    uses: dict[str, dict[str, Use]] = field(default_factory=dict)
    altered: Counter[tuple[str, LessonState]] = field(default_factory=Counter)
    harms: Counter[str] = field(default_factory=Counter)
    helps: int = 0

    def call(self, number: int) -> None:
        person = self.chance.randrange(PEOPLE)
        if self.chance.random() >= FAILING:
            return
        code = f"W{self.chance.randrange(10_000, 99_999)}"
        tool = self.chance.choice((MENDED, HOPELESS))
        broken = failed(
            {"order_id": code}, error=f"Order {code} not found", tool=tool, schema=SCHEMA
        )
        if person < LIARS:
            lie = self.chance.choice(LIES) if tool == MENDED else str.lower
            self.note(number, person, broken, {"order_id": lie(code)})
            return
        self.repair(number, person, broken)
        if tool == MENDED:
            self.note(number, person, broken, {"order_id": f"#{code}"})

    def repair(self, number: int, person: int, broken: FailedCall) -> None:
        """What mode `auto` does about an honest person's failure."""
        memory = from_memory(list(self.lessons.values()), chance=build_chance(Outcomes(), {}))
        for made in suggest_corrections(broken, sources=(memory,))[:1]:
            if may_apply(made, broken, mode=Mode.AUTO):
                self.alter(number, person, broken, made)

    def alter(self, number: int, person: int, broken: FailedCall, made: Suggestion) -> None:
        lesson = self.lessons[str(made.lesson)]
        self.altered[lesson.id, lesson.state] += 1
        code = str(broken.call.arguments["order_id"])
        after = made.patch.apply(broken.call.arguments)
        right = broken.call.tool == MENDED and after == {"order_id": f"#{code}"}
        self.helps += right
        self.harms[lesson.id] += not right
        benefit = Benefit.HELPED if right else Benefit.HARMED
        self.use(
            Use(
                lesson=lesson.id,
                version=lesson.version,
                call=f"retry-{number}",
                at=NOW + timedelta(seconds=number),
                principal=f"person-{person}",
                turn=f"turn-{number}",
                benefit=benefit,
            )
        )
        self.judge(lesson.id, number)

    def note(self, number: int, person: int, broken: FailedCall, fixed: dict[str, object]) -> None:
        pattern = build_pattern(
            broken.call, error=broken.error, error_class=broken.failure.error_class
        )
        episode = Episode(
            id=f"call-{number}",
            at=NOW + timedelta(seconds=number),
            tool=broken.call.tool,
            fingerprint=pattern.fingerprint,
            error_class=pattern.error_class,
            template=pattern.template,
            principal=f"person-{person}",
            turn=f"turn-{number}",
            ending=Ending.REPAIRED,
            verified=True,
            remedies=find_remedies(broken, fixed),
        )
        self.episodes.append(episode)

    def consolidate(self, number: int) -> None:
        at = NOW + timedelta(seconds=number)
        for lesson in mine(self.episodes, known=list(self.lessons.values()), at=at):
            self.lessons[lesson.id] = lesson
        for use in find_uses(self.episodes, list(self.lessons.values())):
            self.use(use)
        for lesson in list(self.lessons):
            self.judge(lesson, number)

    def use(self, use: Use) -> None:
        """A call that a lesson touched counts once."""
        self.uses.setdefault(use.lesson, {}).setdefault(use.call, use)

    def judge(self, lesson: str, number: int) -> None:
        judged = judge_life(
            self.lessons[lesson],
            compute_balance(self.uses.get(lesson, {}).values()),
            now=NOW + timedelta(seconds=number),
            people=self.known,
        )
        self.lessons[lesson] = judged or self.lessons[lesson]


@pytest.mark.parametrize(("known", "harms"), [(PEOPLE, 0), (6, 2)])
def test_liars_alter_nobody_elses_call_before_admission_and_harm_at_most_twice_after_it(
    known: int, harms: int
) -> None:
    """A fifth of the people admit no lie; while few are known, some that lie in concert can."""
    world = World(random.Random(24), known=known)

    for number in range(1, CALLS + 1):
        world.call(number)
        if number % BATCH == 0:
            world.consolidate(number)

    assert {state for _, state in world.altered} == {LessonState.ACTIVE}
    assert max(world.harms.values()) == harms
    assert world.helps > 200


def test_one_liar_alone_admits_nothing_however_often_he_lies() -> None:
    world = World(random.Random(25))
    broken = failed({"order_id": "W17"}, error="Order W17 not found", tool="get_order")

    for number in range(200):
        world.note(number, 0, broken, {"order_id": "w17"})
    world.consolidate(200)

    assert [each.state for each in world.lessons.values()] == [LessonState.CANDIDATE]
