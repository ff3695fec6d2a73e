"""How likely a retry with a patch succeeds: counted outcomes, shrunk towards what is more general.

    the table of priors → the source → source, kinds and class, over all tools → the same at this
    tool → the lesson as seen → as used

Each level is a Beta posterior whose prior is the mean of the level above, worth a few outcomes.
Outcomes lose weight with age. A tool that fails all day counts for so much and no more where others
are judged by it: what is said about a tool nobody has seen must hold there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import date, timedelta
from typing import cast

from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.lesson import Balance, EpisodeSlot, Lesson, join_kinds
from mulligan.core.failures.suggestion import Kind, Origin, Suggestion
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.lessons.recall import Chance, Nearness
from mulligan.learning.repair.priors import estimate_prior

HALF_LIFE = timedelta(days=90)
"""After so long an outcome counts half."""

WORTH: Mapping[str, float] = {"source": 20.0, "kinds": 6.0, "tool": 6.0, "lesson": 3.0}
"""How many outcomes the level above is worth at each level."""

MOST_OF_TOOL = 15.0
"""What all outcomes of one tool count together where another tool is judged by them."""

DOUBT = 0.3
"""What a failure that was mended otherwise counts against a lesson: it might have helped, too."""
CONFIRMED = 1.5
"""Failures that one remedy explains count for so many to this power: that it explains one may be a
coincidence, that it explains five is none."""
UNCONFIRMED = 0.7
"""What is expected of a lesson that explains nothing yet, against those that are in use.

These three are fitted on failures of real models, each tool by the outcomes of all others."""

FARTHER: Mapping[Nearness, float] = {
    Nearness.PATTERN: 1.0,
    Nearness.TOOL: 0.7,
    Nearness.WORDS: 0.7,
    Nearness.CLASS: 0.3,
}
"""What a lesson learned on other failures is worth on this one."""

MOST_OF_ONE = 2.0
"""What all outcomes of one kind that happened to one named person count together."""

SUREST = 0.99
"""No correction is certain."""


@dataclass(slots=True)
class OutcomeShare:
    """How many outcomes of one kind helped, each by its weight."""

    helped: float = 0.0
    n: float = 0.0

    def add(self, *, helped: bool, weight: float) -> None:
        """Count an outcome by its weight."""
        self.n += weight
        self.helped += weight if helped else 0.0

    def shrink(self, towards: float, *, worth: float) -> float:
        """The mean of the Beta posterior."""
        return (towards * worth + self.helped) / (worth + self.n)


@dataclass(slots=True)
class Outcomes:
    """What came of suggestions that were taken, by tool, and counted at every level."""

    by_source: dict[Origin, dict[str, OutcomeShare]] = field(default_factory=dict)
    by_kinds: dict[tuple[Origin, str, ErrorClass], dict[str, OutcomeShare]] = field(
        default_factory=dict
    )

    def add(
        self,
        source: Origin,
        kinds: str,
        *,
        error_class: ErrorClass,
        helped: bool,
        weight: float,
        tool: str = "",
    ) -> None:
        """Count one outcome, or several by their weight."""
        made_so = self.by_kinds.setdefault((source, kinds, error_class), {})
        for level in (self.by_source.setdefault(source, {}), made_so):
            level.setdefault(tool, OutcomeShare()).add(helped=helped, weight=weight)

    def estimate_posterior(
        self, source: Origin, kinds: Sequence[Kind], *, error_class: ErrorClass, tool: str = ""
    ) -> tuple[float, int]:
        """The probability that a correction of this make helps at a tool, and how many say so."""
        made_so = self.by_kinds.get((source, join_kinds(kinds), error_class), {})
        found = estimate_prior(source, kinds)
        for name, level in (("source", self.by_source.get(source, {})), ("kinds", made_so)):
            found = _merge_tools(level).shrink(found, worth=WORTH[name])
        own = made_so.get(tool, OutcomeShare())
        n = round(sum(each.n for each in made_so.values()))
        return min(SUREST, own.shrink(found, worth=WORTH["tool"])), n


def _merge_tools(tools: Mapping[str, OutcomeShare]) -> OutcomeShare:
    """The outcomes of all tools, none of which speaks louder than so much."""
    pooled = OutcomeShare()
    for each in tools.values():
        voice = min(1.0, MOST_OF_TOOL / each.n) if each.n else 0.0
        pooled.n += voice * each.n
        pooled.helped += voice * each.helped
    return pooled


def count_outcomes(counts: Mapping[EpisodeSlot, int], *, today: date) -> Outcomes:
    """The outcomes a casebook has counted, older ones for less, and one person's for so much."""
    found = Outcomes()
    taken = [slot for slot in counts if slot.source is not None and slot.taken]
    spoken = Counter[tuple[str, object, str, object]]()
    for slot in taken:
        spoken[_find_voice(slot)] += counts[slot]
    for slot in taken:
        age = max(0, (today - slot.day).days)
        voice = 1.0 if not slot.principal else min(1.0, MOST_OF_ONE / spoken[_find_voice(slot)])
        found.add(
            cast("Origin", slot.source),
            slot.kinds,
            error_class=slot.error_class,
            tool=slot.tool,
            helped=slot.helped,
            weight=counts[slot] * voice * 0.5 ** (age / HALF_LIFE.days),
        )
    return found


def _find_voice(slot: EpisodeSlot) -> tuple[str, object, str, object]:
    return slot.principal, slot.source, slot.kinds, slot.error_class


def build_chance(outcomes: Outcomes, balances: Mapping[str, Balance]) -> Chance:
    """What a memory needs to weigh its lessons."""

    def estimate_chance(lesson: Lesson, nearness: Nearness, made: Suggestion) -> tuple[float, int]:
        general, _ = outcomes.estimate_posterior(
            made.source, made.kinds, error_class=lesson.error_class, tool=lesson.tool
        )
        balance = balances.get(lesson.id, Balance())
        # What was repaired otherwise might have been repaired so: it is doubt, and no harm done.
        explained = lesson.seen**CONFIRMED
        doubt = DOUBT * max(0, lesson.of - lesson.seen)
        seen = OutcomeShare(helped=explained, n=explained + doubt).shrink(
            general * UNCONFIRMED, worth=WORTH["lesson"]
        )
        used = OutcomeShare(helped=balance.helped, n=balance.helped + balance.harmed)
        mean = used.shrink(seen * FARTHER[nearness], worth=WORTH["lesson"])
        return min(SUREST, mean), max(lesson.of, round(used.n))

    return estimate_chance


def weigh_suggestion(
    suggestion: Suggestion, outcomes: Outcomes, *, error_class: ErrorClass, tool: str = ""
) -> Suggestion:
    """A suggestion of any other source with its measured probability instead of the table's."""
    probability, n = outcomes.estimate_posterior(
        suggestion.source, suggestion.kinds, error_class=error_class, tool=tool
    )
    return replace(suggestion, probability=round(probability, 3), n=n)
