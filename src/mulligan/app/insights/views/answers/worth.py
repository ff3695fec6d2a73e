"""Does it help? Failures with a correction against those left alone, in all and by lesson."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mulligan.app.insights.lesson_list import LessonList, Measured
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.core.interfaces import Casebook
from mulligan.core.lesson import Ending, Episode, EpisodeQuery, EpisodeSlot, Group, LessonQuery
from mulligan.learning.lessons.calibration.calibrate import Calibration, Lift
from mulligan.learning.lessons.calibration.intervals import compute_difference

MOST_EPISODES = 5_000
"""The newest failures: enough to tell by, and no more however many there are."""
ENOUGH = 5
"""Failures on each side, below which nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonWorth:
    """What one lesson is worth."""

    lesson: str
    tool: str
    statement: str
    state: str
    treated: int
    treated_repaired: int
    control: int
    control_repaired: int
    lift: float | None
    """`None`: not enough data."""
    low: float | None = None
    high: float | None = None
    helped: int
    """Uses of it that were verified to help."""
    harmed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthView:
    """Whether learning helped."""

    asked: ViewFilter
    lift: Lift | None
    """`None`: one of the groups is empty."""
    enough: bool
    """Whether both groups are large enough to say anything."""
    calibration: Calibration
    lessons: tuple[LessonWorth, ...]
    failures: int
    """The newest ones, by which lessons and probabilities were weighed."""


def read_worth(lessons: LessonList, *, casebook: Casebook, asked: ViewFilter) -> WorthView:
    """What was offered for the newest failures, against what was left alone."""
    tool, tenant = asked.tool and asked.tool.rpartition("/")[2], asked.tenant
    query = EpisodeQuery(tool=tool, tenant=tenant, newest_first=True, limit=MOST_EPISODES)
    episodes = casebook.list_episodes(query)

    def fits(slot: EpisodeSlot) -> bool:
        return tool in (None, slot.tool) and tenant in (None, slot.tenant)

    measured: Measured = lessons.measure(episodes, fits=fits)
    lift = measured.lift
    groups = _group_by_lesson(episodes)
    known = lessons.list_lessons(LessonQuery(tool=tool, tenant=tenant))
    found = []
    for seen in known:
        treated = groups.get((seen.lesson.id, Group.TREATED), [])
        control = groups.get((seen.lesson.id, Group.CONTROL), [])
        found.append(
            LessonWorth(
                lesson=seen.lesson.id,
                tool=seen.lesson.tool,
                statement=seen.lesson.statement,
                state=seen.lesson.state.value,
                treated=len(treated),
                treated_repaired=_count_repaired(treated),
                control=len(control),
                control_repaired=_count_repaired(control),
                helped=seen.balance.helped,
                harmed=seen.balance.harmed,
                **_compare(treated, control),
            )
        )
    enough = lift is not None and min(lift.treated, lift.control) >= ENOUGH
    return WorthView(
        asked=asked,
        lift=lift,
        enough=enough,
        calibration=measured.calibration,
        lessons=tuple(sorted(found, key=lambda each: -(each.helped - each.harmed))),
        failures=len(episodes),
    )


def _group_by_lesson(episodes: Iterable[Episode]) -> dict[tuple[str, Group], list[Episode]]:
    groups: dict[tuple[str, Group], list[Episode]] = {}
    for each in episodes:
        if each.group is not None and each.offer is not None and each.offer.lesson:
            groups.setdefault((each.offer.lesson, each.group), []).append(each)
    return groups


def _compare(treated: list[Episode], control: list[Episode]) -> dict[str, float | None]:
    if min(len(treated), len(control)) < ENOUGH:
        return {"lift": None}
    lift, low, high = compute_difference(
        (_count_repaired(treated), len(treated)), (_count_repaired(control), len(control))
    )
    return {"lift": lift, "low": low, "high": high}


def _count_repaired(episodes: Iterable[Episode]) -> int:
    return sum(each.ending is Ending.REPAIRED for each in episodes)
