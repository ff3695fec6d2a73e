"""A failing call and what is suggested for it; how failures ended, and the lessons drawn."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, field

from mulligan.types.call import Call, Failure
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import Decision, ErrorClass
from mulligan.types.values import hide_fields, set_enums

_SHOWN = 200
"""Characters of one changed argument, where a change is put into words."""

NO_SCHEMA: Mapping[str, object] = MappingProxyType({})


class Pattern(Struct, frozen=True, kw_only=True):
    """A group of failures with one fingerprint."""

    fingerprint: str
    tool: str
    error_class: ErrorClass
    template: str
    """The error's text with its values masked."""
    count: int = 0


def shorten_pattern(fingerprint: str) -> str:
    """What people and agents know a pattern by: the beginning of its fingerprint."""
    version, _, digest = fingerprint.partition(":")
    return f"{version}:{digest[:8]}" if digest else fingerprint[:8]


class Alike(Struct, frozen=True, kw_only=True):
    """The known pattern that a new one is most like: offered, never merged."""

    pattern: Pattern
    score: float
    """From 0 to 1."""

    def __str__(self) -> str:
        """What an agent or a person reads."""
        known = self.pattern
        times = "once" if known.count == 1 else f"{known.count} times"
        return (
            f"{known.template[:_SHOWN]!r} ({known.error_class}, seen {times} at {known.tool}, "
            f"{self.score:.0%} alike)"
        )


class ErrorRule(Struct, frozen=True, kw_only=True):
    """A user's own word on errors: which class they are, which pattern, or both. It wins."""

    says: str
    """A regular expression, searched in the error's type and text."""
    error_class: ErrorClass | None = None
    pattern: str = ""
    """Errors that match are one pattern of this name, whatever else they say."""
    tool: str = ""
    """Only for this tool; empty means every one."""
    nothing_done: bool = False
    """Your word that a call which failed so has changed nothing: only what was there before it, if
    that was read, is held against it. No class of errors alone says that, as a remote may answer
    with a refusal after the effect."""

    def __post_init__(self) -> None:
        if self.error_class is not None:
            set_enums(self, error_class=ErrorClass)
        try:
            re.compile(self.says)
        except (re.error, TypeError) as error:
            raise ConfigurationError(
                f"A rule for errors says {self.says!r}, which is no regular expression: {error}."
            ) from error
        if self.error_class is None and not self.pattern and self.nothing_done is not True:
            raise ConfigurationError(
                f"The rule for errors that say {self.says!r} changes nothing: name an "
                "error_class, a pattern, both, or nothing_done=True."
            )

    def applies(self, tool: str, said: str) -> bool:
        """Whether it speaks of this error of this tool."""
        return self.tool in ("", tool) and re.search(self.says, said) is not None


def read_error_rules(given: object) -> tuple[ErrorRule, ...]:
    """Rules for errors, each given as itself or as a mapping of its fields."""
    if isinstance(given, ErrorRule | Mapping | str) or not isinstance(given, Iterable):
        raise ConfigurationError(
            f"Rules for errors are a list, not {given!r}: "
            "[{'says': '(?i)sold out', 'error_class': 'rule', 'pattern': 'sold out'}]."
        )
    return tuple(each if isinstance(each, ErrorRule) else _read_error_rule(each) for each in given)


def _read_error_rule(given: object) -> ErrorRule:
    try:
        said = dict(given) if isinstance(given, Mapping) else {}
        if said.get("error_class") is not None:
            said["error_class"] = ErrorClass(said["error_class"])
        return ErrorRule(**said)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"{given!r} is no rule for errors: {error}. It has says, and error_class, pattern, "
            f"nothing_done or several; tool where it is for one alone. Classes: "
            f"{', '.join(ErrorClass)}."
        ) from error


class FirstCall(Struct, frozen=True, kw_only=True):
    """A call to make before another."""

    tool: str
    arguments: Mapping[str, object] | None = None
    """`None`: which ones is for the agent to say."""

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in (self.arguments or {}).items())
        return self.tool if self.arguments is None else f"{self.tool}({given})"[:_SHOWN]


class Patch(Struct, frozen=True, kw_only=True):
    """A structured change of a call's arguments, or calls to make first."""

    changes: Mapping[str, object] = field(default_factory=dict)
    """New values by argument; a nested change stands under its outermost argument."""
    drops: tuple[str, ...] = ()
    first: tuple[FirstCall, ...] = ()
    """Calls to make before this one, in order."""
    tool: str | None = None
    """The tool that was meant, where the name was wrong."""

    def apply(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """The corrected arguments; what is neither changed nor dropped stays as it was."""
        kept = {name: value for name, value in arguments.items() if name not in self.drops}
        return {**kept, **self.changes}

    def __str__(self) -> str:
        """The change in a few words, for an agent and for a person."""
        parts = [f"call {each} first" for each in self.first]
        parts += [f"call it as {self.tool}"] if self.tool else []
        parts += [f"{name}={value!r}"[:_SHOWN] for name, value in self.changes.items()]
        return ", ".join([*parts, *(f"without {name}" for name in self.drops)])


class Origin(StrEnum):
    """Where a suggestion came from, the most trusted first."""

    SCHEMA = "schema"
    """The tool's schema and the error's own words."""
    TURN = "turn"
    """Values of this very turn."""
    MEMORY = "memory"
    JUDGE = "judge"


class Kind(StrEnum):
    """What a correction does to a value. All but the last four keep what it says."""

    COERCE = "coerce"
    RENAME = "rename"
    CLAMP = "clamp"
    ENUM = "enum"
    DEFAULT = "default"
    DROP = "drop"
    """Left out: an argument that asked for nothing, or for what the tool does anyway."""
    REFORMAT = "reformat"
    TOOL = "tool"
    """The name of the tool, off by a prefix."""
    MENTIONED = "mentioned"
    """A value the person said."""
    FOUND = "found"
    """A value an earlier result of this turn holds."""
    FIRST = "first"
    """A call to make before this one."""
    OTHER = "other"


class Suggestion(Struct, frozen=True, kw_only=True):
    """A patch, and the measured probability that a retry with it succeeds."""

    patch: Patch
    source: Origin
    kinds: tuple[Kind, ...]
    probability: float
    n: int
    """How many outcomes the probability rests on; 0 while it is a prior."""
    evidence: str
    automatic: bool = False
    """It changes the shape of the call and nothing of its meaning, so mode `auto` may apply it."""
    lesson: str | None = None
    """Id of the lesson it came from."""
    proven: bool = True
    """`False`: its lesson is still a candidate, so that only the agent may take it up."""


@hide_fields("arguments", "result")
class Earlier(Struct, frozen=True, kw_only=True):
    """A call made earlier in this turn, and what it gave."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    result: object = None
    failed: bool = False

    def repeats(self, tool: str, arguments: Mapping[str, object]) -> bool:
        """Whether it is this very call."""
        return self.tool == tool and dict(self.arguments) == dict(arguments)


@hide_fields("schema", "said", "earlier")
class Planned(Struct, frozen=True, kw_only=True):
    """A call and what its turn knows when it is made."""

    call: Call
    schema: Mapping[str, object] = NO_SCHEMA
    """The tool's JSON Schema; empty when none is declared."""
    effect: Effect = Effect.UNDECLARED
    """What it can do to the world, as its tool declares."""
    tools: tuple[str, ...] = ()
    """Names of the tools that can be called; empty when not given."""
    reads: tuple[str, ...] = ()
    """Those of them that change nothing."""
    said: tuple[str, ...] = ()
    """The person's own words."""
    earlier: tuple[Earlier, ...] = ()
    """What this turn did before, oldest first."""


class FailedCall(Planned, frozen=True, kw_only=True):
    """A call that failed, and all that a suggestion may be made from."""

    failure: Failure
    error: str = ""
    """What the tool said of it."""


class How(StrEnum):
    """How a value of the corrected call is made."""

    CONSTANT = "constant"
    """The same in every observation, and of a kind that names no person: a flag, an enum, a
    bound."""
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


class Transformation(Struct, frozen=True, kw_only=True):
    """How one argument of the corrected call is made, in general."""

    argument: str
    how: How
    given: Mapping[str, object] = field(default_factory=dict)
    """What the rule needs, JSON only: `{"text": "#"}` of a prefix."""


class Prerequisite(Struct, frozen=True, kw_only=True):
    """A call that made another succeed, and how its arguments are made."""

    tool: str
    arguments: tuple[Transformation, ...] = ()


class Remedy(Struct, frozen=True, kw_only=True):
    """What repaired a failure, in general. An empty one: the same call succeeded later."""

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
    """A later call succeeded, and was undone or disputed."""
    FAILED = "failed"
    """It was tried again, and failed again to the end."""
    LEFT = "left"
    """It was not tried again."""


class Group(StrEnum):
    """Which side of the comparison an eligible failure is on."""

    TREATED = "treated"
    CONTROL = "control"
    """Left alone, so that lift can be measured."""


class Offer(Struct, frozen=True, kw_only=True):
    """The best suggestion at a failure, as it was before the end was known."""

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


class Episode(Struct, frozen=True, kw_only=True):
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
    """What turned out to be the right thing to do; `None` where that is unknown."""
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
    """Seen, not yet proven: told as such, and never applied automatically."""
    ACTIVE = "active"
    QUARANTINED = "quarantined"
    """It did harm, or a person doubts it."""
    RETIRED = "retired"
    """Revoked, or nothing has needed it for long."""

    @property
    def living(self) -> bool:
        """Whether evidence may still move it, and a failure may still be told of it."""
        return self in (LessonState.CANDIDATE, LessonState.ACTIVE)


class Lesson(Struct, frozen=True, kw_only=True):
    """One version of what was learned about a tool. It never changes; the latest version counts."""

    id: str
    version: int
    tool: str
    server: str = ""
    schema_hash: str = ""
    """Of the schema it was learned on; empty fits any."""
    tenant: str = ""
    fingerprint: str = ""
    """Of the failures it repairs."""
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
    """Why it has that state, for people."""
    by: str = ""
    """Who put it there: `evidence`, `seed`, `import`, or a person."""
    seen: int = 0
    """Episodes it explains; here and below, each named person counts once."""
    of: int = 0
    """Repaired episodes of its pattern, explained or not."""
    met: int = 0
    """All episodes of its pattern, repaired or not."""
    agents: tuple[str, ...] = ()
    """Whom the failure happened to."""
    shared: bool = False
    """People who are named taught it, or it is unknown who: others are told its form alone."""
    batch: str = ""
    """The consolidation that wrote this version."""
    learned_at: datetime


class Benefit(StrEnum):
    """What the use of a lesson brought."""

    HELPED = "helped"
    HARMED = "harmed"
    """The call failed again, was undone, or a person rejected it."""


class Use(Struct, frozen=True, kw_only=True):
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


class Balance(Struct, frozen=True, kw_only=True):
    """The results of one lesson's verified uses, all its versions together.

    Each named person counts once: no one can vouch for a lesson, or against it, for others.
    """

    helped: int = 0
    """People whom it helped, and uses without a name."""
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
    """How many voices: each named person once, and each use without a name."""
    counted = Counter(principals)
    nobody = counted.pop("", 0)
    return len(counted) + nobody


def compute_balance(uses: Iterable[Use], *, since: datetime | None = None) -> Balance:
    """The results of uses since `since`."""
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


class EpisodeQuery(Struct, frozen=True, kw_only=True):
    """Which episodes are wanted. `None` means any; an empty tenant is one of its own."""

    tenant: str | None = None
    tool: str | None = None
    fingerprint: str | None = None
    ending: Ending | None = None
    after: str = ""
    """Only those with an id above this one, oldest first."""
    newest_first: bool = False
    limit: int = 1_000


class LessonQuery(Struct, frozen=True, kw_only=True):
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
    compared: int | None = None
    """Where more lessons fit, how many `text` is compared with, beside those that share a rare word
    with it: one that fewer lessons have. `None`: all."""
    limit: int = 1_000
