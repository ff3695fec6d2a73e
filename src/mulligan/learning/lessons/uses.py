"""Uses of lessons that nobody had to ask for: episodes that ended as a lesson says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mulligan.core.failures.lesson import Benefit, Ending, Episode, Lesson, Remedy, Use
from mulligan.learning.lessons.mine import build_remedy_key

Spot = tuple[str, str, str, str]
"""Tenant, tool, pattern and remedy: where a lesson and an episode agree."""


def find_uses(episodes: Sequence[Episode], lessons: Sequence[Lesson]) -> list[Use]:
    """What episodes say of lessons: agents' own fixes count as much as suggestions that were taken.

    Only a verified repair speaks for a lesson; one that was taken back, and a suggestion that did
    not help, speak against it.
    """
    by_id = {lesson.id: lesson for lesson in lessons}
    by_remedy = {_build_spot(lesson.tenant, lesson, lesson.remedy): lesson for lesson in lessons}
    return [
        use
        for episode in episodes
        for lesson in _find_touched(episode, by_id, by_remedy)
        for use in _build_use(episode, lesson)
    ]


def _find_touched(
    episode: Episode, by_id: Mapping[str, Lesson], by_remedy: Mapping[Spot, Lesson]
) -> list[Lesson]:
    """The lessons that say what was done, and the one that was followed."""
    spots = [_build_spot(episode.tenant, episode, remedy) for remedy in episode.remedies]
    found = [by_remedy[spot] for spot in spots if spot in by_remedy]
    followed = by_id.get(_find_followed(episode) or "")
    return list({each.id: each for each in (*found, *([followed] if followed else ()))}.values())


def _build_spot(tenant: str, at: Episode | Lesson, remedy: Remedy) -> Spot:
    return tenant, at.tool, at.fingerprint, build_remedy_key(remedy)


def _find_followed(episode: Episode) -> str | None:
    return episode.offer.lesson if episode.offer and episode.offer.taken else None


def _build_use(episode: Episode, lesson: Lesson) -> Iterator[Use]:
    offered = lesson.id == _find_followed(episode)
    benefit = _judge_benefit(episode, offered=offered)
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


def _judge_benefit(episode: Episode, *, offered: bool) -> Benefit | None:
    if episode.ending is Ending.UNDONE:
        return Benefit.HARMED
    if offered and episode.offer is not None and episode.offer.helped is False:
        return Benefit.HARMED
    repaired = episode.ending is Ending.REPAIRED and episode.verified
    return Benefit.HELPED if repaired else None
