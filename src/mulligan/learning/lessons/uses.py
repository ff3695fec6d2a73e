"""Uses of lessons that nobody had to ask for: episodes that ended as a lesson says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mulligan.core.casebook import Benefit, Ending, Episode, Lesson, Use
from mulligan.learning.lessons.mine import remedy_key


def uses_in(episodes: Sequence[Episode], lessons: Sequence[Lesson]) -> list[Use]:
    """What episodes say of lessons: agents' own fixes count as much as suggestions that were taken.

    Only a verified repair speaks for a lesson; one that was taken back, and a suggestion that did
    not help, speak against it.
    """
    return [use for episode in episodes for use in _uses(episode, lessons)]


def _uses(episode: Episode, lessons: Sequence[Lesson]) -> Iterator[Use]:
    explained = {remedy_key(remedy) for remedy in episode.remedies}
    offered = episode.offer.lesson if episode.offer and episode.offer.taken else None
    for lesson in lessons:
        if lesson.tenant not in ("", episode.tenant):
            continue
        mine = lesson.tool == episode.tool and lesson.fingerprint == episode.fingerprint
        agrees = mine and remedy_key(lesson.remedy) in explained
        benefit = _benefit(episode, agrees=agrees, offered=lesson.id == offered)
        if benefit is not None:
            yield Use(
                lesson=lesson.id,
                version=lesson.version,
                call=episode.id,
                at=episode.at,
                tenant=episode.tenant,
                principal=episode.principal,
                agent=episode.agent,
                turn=episode.turn,
                benefit=benefit,
                note="suggested" if lesson.id == offered else "made by the agent itself",
            )


def _benefit(episode: Episode, *, agrees: bool, offered: bool) -> Benefit | None:
    if episode.ending is Ending.UNDONE:
        return Benefit.HARMED if agrees or offered else None
    if offered and episode.offer is not None and episode.offer.helped is False:
        return Benefit.HARMED
    repaired = episode.ending is Ending.REPAIRED and episode.verified
    return Benefit.HELPED if repaired and (agrees or offered) else None
