"""The seed corpus: curated lessons about tools of any kind, for a memory that is still empty."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any

from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.lesson import How, Lesson, LessonState, Remedy, Transformation
from mulligan.learning.lessons.general import SUBJECT
from mulligan.learning.lessons.life import SEED
from mulligan.learning.lessons.mine import LessonPool, hash_lesson
from mulligan.learning.lessons.telling.phrase import describe_correction, describe_example

FILE = "seed.toml"
SEEDED_AT = datetime(2026, 11, 1, tzinfo=UTC)


@cache
def load_seed_lessons() -> tuple[Lesson, ...]:
    """Every curated lesson. They belong to no tool and to no tenant."""
    text = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return tuple(_decode_lesson(each) for each in tomllib.loads(text)["lesson"])


def _decode_lesson(held: dict[str, Any]) -> Lesson:
    made = Transformation(argument=SUBJECT, how=How(held["how"]), given=held.get("given", {}))
    remedy = Remedy(changes=(made,))
    correction = describe_correction("", remedy)
    return Lesson(
        id=f"seed-{hash_lesson(LessonPool('', '', '', '', held['when']), remedy)[:8]}",
        version=1,
        tool="",
        error_class=ErrorClass(held["error_class"]),
        when=held["when"],
        statement=f"Where {held['mistake']}, {correction}.",
        mistake=held["mistake"],
        correction=correction,
        example=describe_example(remedy),
        remedy=remedy,
        state=LessonState.ACTIVE,
        why="curated",
        by=SEED,
        learned_at=SEEDED_AT,
    )
