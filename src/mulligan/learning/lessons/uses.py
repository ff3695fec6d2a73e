"""Uses of lessons that nobody had to ask for: episodes that ended as a lesson says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mulligan.core.lesson import Benefit, Ending, Episode, Lesson, Remedy, Use
from mulligan.learning.lessons.mine import remedy_key

Spot = tuple[str, str, str, str]
"""Tenant, tool, pattern and remedy: where a lesson and an episode agree."""


def uses_in(episodes: Sequence[Episode], lessons: Sequence[Lesson]) -> list[Use]:
    """What episodes say of lessons: agents' own fixes count as much as suggestions that were taken.

    Only a verified repair speaks for a lesson; one that was taken back, and a suggestion that did
    not help, speak against it.
    """
    by_id = {lesson.id: lesson for lesson in lessons}
    by_remedy = {_spot(lesson.tenant, lesson, lesson.remedy): lesson for lesson in lessons}
    return [
        use
        for episode in episodes
        for lesson in _touched(episode, by_id, by_remedy)
        for use in _use(episode, lesson)
    ]


def _touched(
    episode: Episode, by_id: Mapping[str, Lesson], by_remedy: Mapping[Spot, Lesson]
) -> list[Lesson]:
    """The lessons that say what was done, and the one that was followed."""
    spots = [_spot(episode.tenant, episode, remedy) for remedy in episode.remedies]
    found = [by_remedy[spot] for spot in spots if spot in by_remedy]
    followed = by_id.get(_followed(episode) or "")
    return list({each.id: each for each in (*found, *([followed] if followed else ()))}.values())


def _spot(tenant: str, at: Episode | Lesson, remedy: Remedy) -> Spot:
    return tenant, at.tool, at.fingerprint, remedy_key(remedy)


def _followed(episode: Episode) -> str | None:
    return episode.offer.lesson if episode.offer and episode.offer.taken else None


def _use(episode: Episode, lesson: Lesson) -> Iterator[Use]:
    offered = lesson.id == _followed(episode)
    benefit = _benefit(episode, offered=offered)
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
            note="suggested" if offered else "made by the agent itself",
        )


def _benefit(episode: Episode, *, offered: bool) -> Benefit | None:
    if episode.ending is Ending.UNDONE:
        return Benefit.HARMED
    if offered and episode.offer is not None and episode.offer.helped is False:
        return Benefit.HARMED
    repaired = episode.ending is Ending.REPAIRED and episode.verified
    return Benefit.HELPED if repaired else None
