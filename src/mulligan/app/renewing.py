"""What was learned under older masks, found again under those of today.

A change of the masks gives every pattern another name, and a lesson is proven for its pattern
alone. What an error's text was masked to is kept with each lesson and each episode, so that it can
be masked again; the old lesson stays on record, retired, and says which one has taken its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from mulligan.core.errors import StaleLessonError
from mulligan.core.interfaces import Casebook
from mulligan.core.lesson import Episode, Lesson, LessonState
from mulligan.learning.errors.fingerprint import renew_fingerprint
from mulligan.learning.lessons.mine import LessonPool, hash_lesson


def renew_episodes(episodes: Iterable[Episode]) -> Iterator[Episode]:
    """Each under the name that its pattern has today."""
    for each in episodes:
        name = renew_fingerprint(each.fingerprint, tool=each.tool, template=each.template)
        yield each if name == each.fingerprint else replace(each, fingerprint=name)


def renew_lessons(casebook: Casebook, lessons: Iterable[Lesson], *, now: datetime) -> list[Lesson]:
    """Move each lesson of an older pattern to the one of today, with its state and its uses."""
    written = []
    for old in lessons:
        name = renew_fingerprint(old.fingerprint, tool=old.tool, template=old.when)
        if name == old.fingerprint or old.state is LessonState.RETIRED:
            continue
        pool = LessonPool(old.tenant, old.tool, old.server, old.schema_hash, name)
        new = replace(
            old,
            id=hash_lesson(pool, old.remedy),
            version=1,
            fingerprint=name,
            why=f"lesson {old.id}, whose pattern is masked anew; {old.why}"[:500],
            batch="",
            learned_at=now,
        )
        left = replace(
            old,
            version=old.version + 1,
            state=LessonState.RETIRED,
            why=f"its pattern is masked anew: it is lesson {new.id} now",
            batch="",
            learned_at=now,
        )
        try:
            # The new one first: a lesson that is there twice does no harm, one that is lost does.
            casebook.append([new])
        except StaleLessonError:
            pass  # Another of them has come to the same pattern, or another process was first.
        else:
            casebook.use([replace(use, lesson=new.id) for use in casebook.list_uses(old.id)])
            written.append(new)
        try:
            casebook.append([left])
        except StaleLessonError:
            continue
    return written
