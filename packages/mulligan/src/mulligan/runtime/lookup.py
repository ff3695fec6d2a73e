"""What earlier failures say about this one, and how an agent is told."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import force_setattr, replace

from mulligan.redaction.redactor import hide_in_advice, hide_in_findings, hide_secrets
from mulligan.types.call import Execution
from mulligan.types.display import Quoted
from mulligan.types.failure import Advice, Decision
from mulligan.types.finding import Finding
from mulligan.types.interfaces import Clock, FailureStore, Suggest
from mulligan.types.lesson import (
    Alike,
    Balance,
    FailedCall,
    Group,
    Lesson,
    LessonQuery,
    LessonState,
    Origin,
    Patch,
    Pattern,
    Suggestion,
    count_known_people,
)

if TYPE_CHECKING:
    from mulligan.learning.recall import Outcomes


# Only a failure pays for it: what learning knows takes a while to load.

FRESH = 60.0
"""Seconds that what was counted of all suggestions stays good."""
LEAST_TOLD = 0.3
"""Below this probability, memory keeps it to itself."""
MOST_TENANTS = 1_000
MOST_ASKERS = 100
"""People of a tenant that one process remembers: more would need no more evidence."""
MOST_ALIKE = 30
"""Lessons of a tool about other patterns that are looked at, where none is about this one; and of
those that are about no tool."""
MOST_COMPARED = 100
"""Lessons that an error is compared with, so that a failure costs the same beside many."""


class Asking(Struct, frozen=True, kw_only=True):
    """Whose failure it is, and of which pattern."""

    failed: FailedCall
    pattern: Pattern
    tenant: str = ""
    principal: str = ""
    schema_hash: str = ""
    doubted: Collection[str] = ()
    """Lessons that have failed in this very turn."""


class Recalled(Struct, frozen=True, kw_only=True):
    """What memory has to say about one failure."""

    suggest: Suggest
    other: Callable[[FailedCall], Lesson | None]
    """The lesson that has helped by asking for something else, if one has."""
    weigh: Callable[[Suggestion], Suggestion]
    """A suggestion of any other source, with its measured probability."""
    past: Mapping[Decision, int] = field(default_factory=dict)
    """What turned out to be right for failures of this pattern."""
    group: Group = Group.TREATED
    """Which side of the comparison this failure is on, should there be something to say."""


class Recall:
    """Asks the failure store at every failure, so that a lesson that is revoked is gone at once."""

    def __init__(
        self, failure_store: FailureStore, *, clock: Clock, control: float, seeds: bool
    ) -> None:
        self._failures = failure_store
        self._clock = clock
        self._control = control
        self._seeds = seeds
        self._lock = threading.Lock()
        self._counted_at = 0.0
        self._askers: dict[str, set[str]] = {}
        self._outcomes: dict[str, tuple[Outcomes, int]] = {}
        """Of each tenant's own suggestions; and its people."""

    def look_up(self, asking: Asking) -> Recalled:
        """Everything that is known about a failure like this."""
        from mulligan.learning.recall import (
            build_chance,
            find_other_request,
            from_memory,
            weigh_suggestion,
        )

        failed, error_class = asking.failed, asking.pattern.error_class
        lessons = list(self._find_lessons(asking))
        balances = self._failures.read_balances([lesson.id for lesson in lessons])
        doubted = self._find_doubted(lessons, asking)
        outcomes, counted = self._measure_outcomes(asking.tenant)
        people = max(counted, self._count_askers(asking))
        usable = [
            each
            for each in lessons
            if each.id not in doubted
            and self._is_usable(
                each, balances.get(each.id, Balance()), asking=asking, people=people
            )
        ]
        chance = build_chance(outcomes, balances)
        pattern, named = asking.pattern.fingerprint, bool(asking.principal)
        group = self._assign_group(failed.call.id)
        told = usable if group is Group.TREATED else []
        suggest = from_memory(usable, chance=chance, pattern=pattern, named=named)
        return Recalled(
            # An agent that is told what is hardly ever right reads it, and tries it.
            suggest=lambda failed: (e for e in suggest(failed) if e.probability >= LEAST_TOLD),
            other=partial(find_other_request, lessons=told, pattern=pattern, named=named),
            weigh=lambda made: weigh_suggestion(
                made, outcomes, error_class=error_class, tool=failed.call.tool
            ),
            past=self._read_past(asking, people=people),
            group=group,
        )

    def _find_lessons(self, asking: Asking) -> Iterator[Lesson]:
        """Those about this pattern; else those of errors like this one."""
        tool, tenant = asking.failed.call.tool, asking.tenant
        own = LessonQuery(tenant=tenant, tool=tool, fingerprint=asking.pattern.fingerprint)
        found = [each for each in self._failures.list_lessons(own) if each.state.living]
        if not found:
            found = list(self._find_alike(asking))
        yield from found
        if self._seeds:
            from mulligan.learning.mining import load_seed_lessons

            yield from load_seed_lessons()

    def _find_alike(self, asking: Asking) -> Iterator[Lesson]:
        """The closest of the tool, then any of it; and the closest of those about no tool."""
        of_tool = LessonQuery(tenant=asking.tenant, tool=asking.failed.call.tool, limit=MOST_ALIKE)
        closest = replace(of_tool, text=asking.pattern.template, compared=MOST_COMPARED)
        found = {each.id: each for each in self._failures.list_lessons(closest)}
        if len(found) < MOST_ALIKE:
            found |= {each.id: each for each in self._failures.list_lessons(of_tool)}
        yield from list(found.values())[:MOST_ALIKE]
        yield from self._failures.list_lessons(replace(closest, tool=""))

    def _find_doubted(self, lessons: Sequence[Lesson], asking: Asking) -> Collection[str]:
        """Lessons that failed in this very turn, and those that have only harmed this person."""
        if not asking.principal:
            return asking.doubted
        known = [lesson.id for lesson in lessons]
        own = self._failures.read_balances(known, principal=asking.principal)
        return {*asking.doubted, *(name for name, b in own.items() if b.harmed > b.helped)}

    def _count_askers(self, asking: Asking) -> int:
        """How many of a tenant's people have asked here: what is counted may be a minute old."""
        with self._lock:
            if asking.tenant not in self._askers and len(self._askers) >= MOST_TENANTS:
                self._askers.pop(next(iter(self._askers)))
            known = self._askers.setdefault(asking.tenant, set())
            if asking.principal and len(known) < MOST_ASKERS:
                known.add(asking.principal)
            return len(known)

    def _read_past(self, asking: Asking, *, people: int) -> Mapping[Decision, int]:
        """How failures of this pattern ended; of other people's, only if most of them say so."""
        from mulligan.learning.lessons import RULES, has_enough_people

        found = self._failures.read_endings(
            asking.failed.call.tool,
            fingerprint=asking.pattern.fingerprint,
            tenant=asking.tenant,
        )
        if not (people or asking.principal):
            return found
        most = min(people, 2 * RULES.most_people - 1)
        return {
            decision: sources
            for decision, sources in found.items()
            if has_enough_people(Balance(principals=sources), people=people, met=most)
        }

    def _is_usable(self, lesson: Lesson, balance: Balance, *, asking: Asking, people: int) -> bool:
        """Whether a lesson may be offered to this agent, in its present state."""
        from mulligan.learning.lessons import EVIDENCE, has_enough_people, judge_life

        if not lesson.state.living:
            return False
        others = bool(asking.principal) or lesson.shared
        # A candidate has one source, and no one is told what another person's agent came up with.
        if others and lesson.state is LessonState.CANDIDATE:
            return False
        enough = has_enough_people(balance, people=people, met=lesson.met)
        if others and lesson.by == EVIDENCE and not enough:
            return False
        if lesson.tool == asking.failed.call.tool and lesson.schema_hash not in (
            "",
            asking.schema_hash,
        ):
            return False
        next_ = judge_life(lesson, balance, now=self._clock(), people=people if others else None)
        return next_ is None or next_.state.living

    def _assign_group(self, call: str) -> Group:
        """By the call's id: the same for every caller, and not forgeable."""
        drawn = zlib.crc32(call.encode()) / 2**32
        return Group.CONTROL if drawn < self._control else Group.TREATED

    def _measure_outcomes(self, tenant: str) -> tuple[Outcomes, int]:
        """The results of a tenant's suggestions, and how many people it is known to have."""
        from mulligan.learning.recall import HALF_LIFE, count_outcomes

        with self._lock:
            if time.monotonic() - self._counted_at > FRESH:
                self._outcomes.clear()
                self._counted_at = time.monotonic()
            if tenant not in self._outcomes:
                today = self._clock().date()
                counts = self._failures.count_episodes(since=today - 4 * HALF_LIFE)
                own = {slot: n for slot, n in counts.items() if slot.tenant == tenant}
                people = count_known_people(own).get(tenant, 0)
                self._outcomes[tenant] = count_outcomes(own, today=today), people
            return self._outcomes[tenant]


def suggest_with_memory(
    failed: FailedCall, recalled: Recalled
) -> tuple[tuple[Suggestion, ...], Suggestion | None, Group | None]:
    """What to tell, the best that was found, and whether this failure is in the comparison."""
    from mulligan.learning.suggest import SOURCES

    ranked = _rank(failed, recalled, sources=(*SOURCES, recalled.suggest))
    if not any(each.source is Origin.MEMORY for each in ranked):
        return ranked, next(iter(ranked), None), None
    if recalled.group is Group.TREATED:
        return ranked, ranked[0], Group.TREATED
    # What another source suggests too is told without memory as well: it is asked for anew.
    return _rank(failed, recalled, sources=SOURCES), ranked[0], Group.CONTROL


def _rank(
    failed: FailedCall, recalled: Recalled, *, sources: Sequence[Suggest]
) -> tuple[Suggestion, ...]:
    from mulligan.learning.suggest import suggest_corrections

    found = suggest_corrections(failed, sources=sources)
    weighed = [s if s.source is Origin.MEMORY else recalled.weigh(s) for s in found]
    return tuple(sorted(weighed, key=lambda each: -each.probability))


MOST_SHOWN = 500
"""Characters of what a conflict left, where advice is put into words."""
MOST_SAID = 200
"""Characters of what a call failed with that was not requested."""


class FailedRepair(Struct, frozen=True, kw_only=True):
    """A call that failed as it was asked for, and failed again as it was corrected."""

    tool: str
    changed: Patch
    """Against what the agent had asked for."""
    error: str
    """What the corrected call failed with."""
    by: str
    """Where the correction came from, and why."""

    def __str__(self) -> str:
        """What an agent reads."""
        said = Quoted(self.error, "the tool").as_line(most=MOST_SAID)
        return (
            f"You did not ask for this: Mulligan also called {self.tool} "
            f"{_format_changed(self.changed)}, which failed too: {said}"
        )


class Advised(Struct, frozen=True, kw_only=True):
    """A failed call and what would help: the exception carries it as `error.mulligan`."""

    execution: Execution
    failed: FailedCall
    """The same, with all that the advice was made from."""
    advice: Advice
    suggestions: tuple[Suggestion, ...]
    foreseen: tuple[Finding, ...] = ()
    """What spoke against the call before it was made."""
    like: Alike | None = None
    """The most similar known error, where its own kind is unknown."""
    pattern: str = ""
    """Fingerprint of the failure."""
    tried: tuple[FailedRepair, ...] = ()
    """Automatic corrections of the call that failed too."""

    def __post_init__(self) -> None:
        # Hosts and programs read these as they are; the corrections are for the caller.
        given = self.failed.call.arguments
        force_setattr(self, "advice", hide_in_advice(self.advice, given))
        force_setattr(self, "foreseen", hide_in_findings(self.foreseen, given))

    def __str__(self) -> str:
        """What an agent or a person reads."""
        lines = [f"What to do: {self.advice.decision}. {self.advice.why}"]
        if self.advice.ask:
            lines.append(f"Ask the person: {self.advice.ask}")
        # What is said of the call, beside what was hidden at first.
        said: list[str] = []
        if self.failed.failure.now is not None:
            now = Quoted(_format_value(self.failed.failure.now), "the tool")
            said.append(f"What is there now: {now.as_line(most=MOST_SHOWN)}")
        said += map(str, self.tried)
        said += [f"Try: {_format_suggestion(each)}" for each in self.suggestions]
        said += (
            [(f"This error is not known; the most similar one is {self.like}.")]
            if self.like
            else []
        )
        lines += [hide_secrets("\n".join(said), self.failed.call.arguments)] if said else []
        lines += [f"It could be foreseen: {each.issue} {each.correction}" for each in self.foreseen]
        return "\n".join(lines)


class RepairedCall(Struct, frozen=True, kw_only=True):
    """A call that failed as it was asked for, and worked with other arguments: `turn.repaired`."""

    call: str
    """Id of its first try."""
    tool: str
    changed: Patch
    """What was changed in all, against what the agent had asked for."""
    by: str
    """Where the correction came from, and why."""

    def __str__(self) -> str:
        """What an agent reads."""
        return hide_secrets(
            f"[Mulligan: {self.tool} failed as it was called. This is the result of calling it "
            f"{_format_changed(self.changed)} instead. Call it like that from now on.]",
            self.changed.changes,
        )


def _format_changed(changed: Patch) -> str:
    return f"with {changed}" if changed.changes else str(changed)


def _format_value(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - an object of the remote's library may refuse to be shown
        return f"a {type(value).__name__}"


def _format_suggestion(suggestion: Suggestion) -> str:
    sure = f"{suggestion.probability:.0%}, n={suggestion.n}"
    # Of a lesson that is a candidate, and of one that was proven on other failures than this.
    unproven = suggestion.source is Origin.MEMORY and not suggestion.proven
    source = f"{suggestion.source}, not proven yet" if unproven else suggestion.source
    return f"{suggestion.patch} ({source}, {sure}: {suggestion.evidence})"
