"""Does it help? Failures with a correction against those left alone, in all and by lesson."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mulligan.app.insights.lesson_list import LessonList, LessonSeen, Measured
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.paging import Paging, cut_page
from mulligan.core.failures.lesson import (
    Ending,
    Episode,
    EpisodeQuery,
    EpisodeSlot,
    Group,
    LessonQuery,
)
from mulligan.core.interfaces import Casebook
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.calibration import Calibration, Lift, compute_difference

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
    paging: Paging
    """Of the lessons that were offered for one of these failures."""
    lessons: tuple[LessonWorth, ...]
    """The one that was offered most often first."""
    failures: int
    """The newest ones, by which lessons and probabilities were weighed."""


@dataclass(slots=True)
class LessonCases:
    """Failures that one lesson was offered for, or would have been."""

    treated: int = 0
    treated_repaired: int = 0
    control: int = 0
    control_repaired: int = 0

    def add(self, episode: Episode) -> None:
        """Count one more."""
        repaired = episode.ending is Ending.REPAIRED
        if episode.group is Group.TREATED:
            self.treated += 1
            self.treated_repaired += repaired
        else:
            self.control += 1
            self.control_repaired += repaired

    def compare(self) -> dict[str, float | None]:
        """By how much more of them were repaired, where there are enough to say so."""
        if min(self.treated, self.control) < ENOUGH:
            return {"lift": None}
        lift, low, high = compute_difference(
            (self.treated_repaired, self.treated), (self.control_repaired, self.control)
        )
        return {"lift": lift, "low": low, "high": high}


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedFailures:
    """What the newest failures say: of all that was offered, and of each lesson."""

    measured: Measured
    failures: int
    cases: Mapping[str, LessonCases]
    """By lesson, the one that was offered most often first."""


def weigh_failures(
    lessons: LessonList, *, casebook: Casebook, asked: ViewFilter
) -> WeighedFailures:
    """What was offered for the newest failures, against what was left alone."""
    tool, tenant = asked.tool and asked.tool.rpartition("/")[2], asked.tenant
    query = EpisodeQuery(tool=tool, tenant=tenant, newest_first=True, limit=MOST_EPISODES)
    episodes = casebook.list_episodes(query)

    def fits(slot: EpisodeSlot) -> bool:
        return tool in (None, slot.tool) and tenant in (None, slot.tenant)

    return WeighedFailures(
        measured=lessons.measure(episodes, fits=fits),
        failures=len(episodes),
        cases=_count_cases(episodes),
    )


def build_worth(
    weighed: WeighedFailures, lessons: LessonList, *, asked: ViewFilter, page: int = 1
) -> WorthView:
    """The page: of the lessons only those are read that it shows."""
    lift = weighed.measured.lift
    paging, shown = cut_page(list(weighed.cases), number=page)
    known = {seen.lesson.id: seen for seen in _list_known(lessons, shown)}
    return WorthView(
        asked=asked,
        lift=lift,
        enough=lift is not None and min(lift.treated, lift.control) >= ENOUGH,
        calibration=weighed.measured.calibration,
        paging=paging,
        lessons=tuple(
            _build_row(known[each], weighed.cases[each]) for each in shown if each in known
        ),
        failures=weighed.failures,
    )


def _list_known(lessons: LessonList, ids: Sequence[str]) -> list[LessonSeen]:
    """These lessons, also those of them that are built in."""
    query = LessonQuery(ids=tuple(ids), limit=len(ids))
    return [*lessons.list_lessons(query), *lessons.list_built_in(query)] if ids else []


def _count_cases(episodes: Iterable[Episode]) -> dict[str, LessonCases]:
    cases: dict[str, LessonCases] = {}
    for each in episodes:
        if each.group is not None and each.offer is not None and each.offer.lesson:
            cases.setdefault(each.offer.lesson, LessonCases()).add(each)
    ordered = sorted(cases.items(), key=lambda each: (-each[1].treated - each[1].control, each[0]))
    return dict(ordered)


def _build_row(seen: LessonSeen, cases: LessonCases) -> LessonWorth:
    return LessonWorth(
        lesson=seen.lesson.id,
        tool=seen.lesson.tool,
        statement=seen.lesson.statement,
        state=seen.lesson.state.value,
        treated=cases.treated,
        treated_repaired=cases.treated_repaired,
        control=cases.control,
        control_repaired=cases.control_repaired,
        helped=seen.balance.helped,
        harmed=seen.balance.harmed,
        **cases.compare(),
    )
