"""What an application remembers: how failures ended, and the lessons drawn from them.

Nothing here holds a value of a call. An episode keeps how the corrected call was *made* out of the
failing one, so that a lesson can be used where every value is another.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from mulligan.core.failures.advice import Decision
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.suggestion import Kind, Origin
from mulligan.core.runtime.dataclass import dataclass


class How(StrEnum):
    """How a value of the corrected call is made."""

    CONSTANT = "constant"
    """The same in every observation, and of a kind that names nobody: a flag, an enum, a bound."""
    PREFIX = "prefix"
    """Something is put in front, or taken away."""
    SUFFIX = "suffix"
    CASE = "case"
    PART = "part"
    """One part of a value that is split."""
    SCALE = "scale"
    """Another unit: the number times a factor."""
    LIST = "list"
    """A single value becomes a list."""
    SCALAR = "scalar"
    """A list of one becomes its value."""
    COERCE = "coerce"
    """The same in another JSON type."""
    FORMAT = "format"
    """The same date, time or number, written otherwise."""
    FROM_ARGUMENT = "from_argument"
    """As another argument of the failing call."""
    FROM_ERROR = "from_error"
    """As the error says."""
    FROM_TURN = "from_turn"
    """As an earlier call of the same turn, or the person, says."""
    OPEN = "open"
    """For the agent to say: the value could not be understood."""
    DROP = "drop"
    """The argument is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformation:
    """How one argument of the corrected call is made, in general."""

    argument: str
    how: How
    given: Mapping[str, object] = field(default_factory=dict)
    """What the rule needs, JSON only: `{"text": "#"}` of a prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prerequisite:
    """A call that made another succeed, and how its arguments are made."""

    tool: str
    arguments: tuple[Transformation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """What mended a failure, in general. An empty one: the same call succeeded later."""

    changes: tuple[Transformation, ...] = ()
    first: tuple[Prerequisite, ...] = ()


def hash_schema(schema: Mapping[str, object]) -> str:
    """Equal for equal schemas; empty where there is none."""
    if not schema:
        return ""
    written = json.dumps(schema, sort_keys=True, default=str)
    return hashlib.sha256(written.encode("utf-8", "replace")).hexdigest()[:16]


class Ending(StrEnum):
    """How a failure ended."""

    REPAIRED = "repaired"
    """A later call of the same tool succeeded, verified where its turn was reviewed."""
    UNDONE = "undone"
    """A later call succeeded, and was taken back or disputed."""
    FAILED = "failed"
    """It was tried again, and failed again to the end."""
    LEFT = "left"
    """Nobody tried again."""


class Group(StrEnum):
    """Which side of the comparison an eligible failure is on."""

    TREATED = "treated"
    CONTROL = "control"
    """Left alone, so that lift can be measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The best suggestion at a failure, as it was when nobody knew the end."""

    source: Origin
    kinds: tuple[Kind, ...]
    probability: float
    n: int
    lesson: str | None = None
    """Id of the lesson it came from."""
    taken: bool = False
    """The next call of the tool was made as suggested."""
    automatic: bool = False
    """By Mulligan itself."""
    helped: bool | None = None
    """Whether that call succeeded; `None` when it was not taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A failure and how it ended. It never changes."""

    id: str
    """The failing call's."""
    at: datetime
    tool: str
    server: str = ""
    schema_hash: str = ""
    """Of the tool's schema at that time."""
    fingerprint: str
    error_class: ErrorClass
    template: str = ""
    """The error's text with its values masked."""
    tenant: str = ""
    principal: str = ""
    agent: str = ""
    context: str = ""
    turn: str | None = None
    ending: Ending
    decision: Decision | None = None
    """What turned out to be the right thing to do; `None` where nobody can tell."""
    verified: bool = False
    """The turn's review accepted the repaired call; of a read: it succeeded."""
    remedies: tuple[Remedy, ...] = ()
    """Every general way in which the corrected call can be understood, the simplest first."""
    offer: Offer | None = None
    group: Group | None = None
    """`None`: there was nothing to offer."""
    later: bool = False
    """It was made as suggested after a call that had failed: with that one, it is one call."""
    calls: int = 0
    """Made until it was repaired."""
    took: timedelta = timedelta()
    """From the failure to its end."""


class LessonState(StrEnum):
    """Where a lesson stands in its life."""

    CANDIDATE = "candidate"
    """Seen, not yet proven: told as such, and never applied by itself."""
    ACTIVE = "active"
    QUARANTINED = "quarantined"
    """It did harm, or a person doubts it."""
    RETIRED = "retired"
    """Revoked, or nothing has needed it for long."""

    @property
    def living(self) -> bool:
        """Whether evidence may still move it, and a failure may still be told of it."""
        return self in (LessonState.CANDIDATE, LessonState.ACTIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One version of what was learned about a tool. It never changes; the latest version counts."""

    id: str
    version: int
    tool: str
    server: str = ""
    schema_hash: str = ""
    """Of the schema it was learned on; empty fits any."""
    tenant: str = ""
    fingerprint: str = ""
    """Of the failures it mends."""
    error_class: ErrorClass
    when: str
    """The error it is for, its values masked."""
    when_not: str = ""
    statement: str
    """What was learned, in one sentence."""
    mistake: str = ""
    """What agents do wrong, in a few words."""
    correction: str = ""
    """What to do instead, in a few words."""
    example: tuple[str, str] = ("", "")
    """Failing and corrected arguments, every value masked."""
    remedy: Remedy
    state: LessonState = LessonState.CANDIDATE
    why: str = ""
    """Why it stands there, for people."""
    by: str = ""
    """Who put it there: `evidence`, `seed`, `import`, or a person."""
    seen: int = 0
    """Episodes it explains; here and below, who is named counts once."""
    of: int = 0
    """Repaired episodes of its pattern, explained or not."""
    met: int = 0
    """All episodes of its pattern, repaired or not."""
    agents: tuple[str, ...] = ()
    """Whom the failure happened to."""
    shared: bool = False
    """People who are named taught it, or nobody knows who: others are told its form alone."""
    batch: str = ""
    """The consolidation that wrote this version."""
    learned_at: datetime


class Benefit(StrEnum):
    """What the use of a lesson brought."""

    HELPED = "helped"
    HARMED = "harmed"
    """The call failed again, was taken back, or a person rejected it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A call that a lesson touched. It never changes."""

    lesson: str
    version: int
    call: str
    at: datetime
    tenant: str = ""
    principal: str = ""
    agent: str = ""
    turn: str | None = None
    benefit: Benefit
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """What the verified uses of one lesson came to, all its versions together.

    Who is named counts once: nobody can vouch for a lesson, or against it, for others as well.
    """

    helped: int = 0
    """People whom it helped, and uses of which nobody is named."""
    harmed: int = 0
    """The same, of those it harmed."""
    turns: int = 0
    """Different turns in which it helped."""
    principals: int = 0
    """Different people for whom it helped."""
    uses: int = 0
    """Calls that it touched."""


Balances = dict[str, Balance]
"""By lesson."""


def count_sources(principals: Iterable[str]) -> int:
    """How many speak: everybody who is named once, and each time that nobody is."""
    counted = Counter(principals)
    nobody = counted.pop("", 0)
    return len(counted) + nobody


def compute_balance(uses: Iterable[Use], *, since: datetime | None = None) -> Balance:
    """What uses came to, those of before `since` left out."""
    counted = [use for use in uses if since is None or use.at >= since]
    helped = [use for use in counted if use.benefit is Benefit.HELPED]
    return Balance(
        helped=count_sources(use.principal for use in helped),
        harmed=count_sources(use.principal for use in counted if use.benefit is Benefit.HARMED),
        turns=len({use.turn for use in helped if use.turn is not None}),
        principals=len({use.principal for use in helped if use.principal}),
        uses=len(counted),
    )


class EpisodeSlot(NamedTuple):
    """What episodes are counted by."""

    day: date
    tenant: str
    principal: str
    tool: str
    error_class: ErrorClass
    source: Origin | None
    """Of the offer; `None` where nothing was offered."""
    kinds: str
    """Of the offer, as `join_kinds` writes them."""
    group: Group | None
    taken: bool
    helped: bool
    """The offer was taken, and the call succeeded."""
    repaired: bool
    later: bool = False
    """Not of a call of its own: it was made as suggested after one that had failed."""


def join_kinds(kinds: Iterable[Kind]) -> str:
    """Kinds as they are counted: each once, sorted, joined by `+`."""
    return "+".join(sorted(set(kinds)))


def build_episode_slot(episode: Episode) -> EpisodeSlot:
    """Where an episode counts: on its day in UTC."""
    offer = episode.offer
    return EpisodeSlot(
        day=episode.at.astimezone(UTC).date(),
        tenant=episode.tenant,
        principal=episode.principal,
        tool=episode.tool,
        error_class=episode.error_class,
        source=offer.source if offer else None,
        kinds=join_kinds(offer.kinds) if offer else "",
        group=episode.group,
        taken=bool(offer and offer.taken),
        helped=bool(offer and offer.taken and offer.helped),
        repaired=episode.ending is Ending.REPAIRED,
        later=episode.later,
    )


def count_known_people(slots: Iterable[EpisodeSlot]) -> dict[str, int]:
    """How many different people are named in each tenant's failures."""
    named = {(slot.tenant, slot.principal) for slot in slots if slot.principal}
    return dict(Counter(tenant for tenant, _ in named))


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeQuery:
    """Which episodes are wanted. `None` means any; an empty tenant is one of its own."""

    tenant: str | None = None
    tool: str | None = None
    fingerprint: str | None = None
    ending: Ending | None = None
    after: str = ""
    """Only those with an id above this one, oldest first."""
    newest_first: bool = False
    limit: int = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonQuery:
    """Which lessons are wanted. `None` means any; an empty tenant is one of its own."""

    ids: tuple[str, ...] = ()
    """Only these; empty: any."""
    tenant: str | None = None
    tool: str | None = None
    fingerprint: str | None = None
    state: LessonState | None = None
    agent: str | None = None
    """Only those whose failure happened to this agent."""
    since: datetime | None = None
    """Only those whose latest version was learned then or later."""
    text: str = ""
    """Only those that share words with it, the closest first."""
    limit: int = 1_000
