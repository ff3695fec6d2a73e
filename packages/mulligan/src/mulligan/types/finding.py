"""What reviewers say: facts, findings, and the verdict they add up to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import force_setattr

from mulligan.types.display import Quoted
from mulligan.types.errors import ConfigurationError
from mulligan.types.values import set_enums


class Severity(StrEnum):
    """How much a finding weighs."""

    ERROR = "error"
    """The outcome is wrong."""
    WARNING = "warning"
    """The outcome stands; the way to it was not good."""


SeverityName = Severity | Literal["warning", "error"]
"""As a program may write it."""


class Standing(StrEnum):
    """The result of a review."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNREVIEWED = "unreviewed"
    """A reviewer that was configured gave no answer. Never a pass."""
    UNCHECKED = "unchecked"
    """Not reviewed: no reviewer is there for a call that was made, or nothing was done at all. It
    stands, and is never called verified."""


class Confidence(StrEnum):
    """How sure we are of an outcome, as shown to the person."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Source(StrEnum):
    """Where a finding came from."""

    CHECK = "check"
    JUDGE = "judge"


class Fact(Struct, frozen=True, kw_only=True):
    """Computed ground truth about a turn. Outranks any model, in both directions."""

    kind: str
    """`date.weekday`, `id.exists`, `place.home`."""
    subject: str
    """What it is about: an argument's value, a phrase of the person's."""
    value: str
    about: str
    """The fact as a sentence, for a judge and for a person."""
    confirms: bool = False
    """It confirms the outcome: what was done is what was asked for."""
    calls: tuple[str, ...] = ()
    """Ids of the calls that it confirms. Empty: for the only one that changed something; of
    several, it is unknown which, and it confirms none."""
    computed: bool = False
    """Every word of its sentence is ours or the person's; else it is fenced like a result."""


class Finding(Struct, frozen=True, kw_only=True):
    """One thing a reviewer noticed, and what to do about it."""

    rule: str
    """Stable identifier, `area.problem`: `date.not_as_said`."""
    severity: Severity
    issue: str
    correction: str | None = None
    """Addressed to the agent, in the imperative. `None`: noticed, but the fix is unknown."""
    source: Source = Source.CHECK
    call: str | None = None
    """Id of the call it is about; `None`: about the attempt as a whole."""
    quote: str = ""
    """The words it is about, as they stand in the text."""
    opinion: Quoted | None = None
    """What a judge says of it, in its own words: a quote, and no instruction."""

    def __post_init__(self) -> None:
        set_enums(self, severity=Severity, source=Source)

    def __str__(self) -> str:
        """The rule and the issue."""
        return f"{self.rule}: {self.issue}"

    def describe(self) -> str:
        """The issue, and a judge's words on it as a quote."""
        return self.issue if self.opinion is None else f"{self.issue} {self.opinion}"


class Waiver(Struct, frozen=True, kw_only=True):
    """A person's word that findings of one rule count otherwise than they say, until a day, and
    why."""

    rule: str
    """`date.not_as_said`, as findings name it."""
    until: date
    """The last day on which it holds, in UTC."""
    reason: str
    tool: str = ""
    """Only for calls of this tool; empty: for every one."""
    agent: str = ""
    """Only for what this agent does; empty: for every one."""
    severity: Severity | None = None
    """`warning`: an error is one, which rejects nothing; `error`: a warning is one. `None`: nothing
    is reported. Of several waivers the mildest counts."""
    by: str = ""
    """Who said so on a page; empty: it stands in the settings or in code."""

    def __post_init__(self) -> None:
        if self.severity is not None:
            set_enums(self, severity=Severity)
        given: object = self.until
        if isinstance(given, str):
            with suppress(ValueError):  # what is no day is refused below
                given = date.fromisoformat(given)
                force_setattr(self, "until", given)
        if type(given) is not date:
            raise ConfigurationError(f"until={given!r} is no day; write it as 2026-12-31.")
        for name in ("rule", "reason"):
            if not str(getattr(self, name)).strip():
                raise ConfigurationError(f"A waiver has a {name}, and this one is empty.")

    def holds(self, at: datetime) -> bool:
        """Whether it counts at a time."""
        return at.astimezone(UTC).date() <= self.until

    def concerns(self, rule: str, *, tool: str | None, agent: str | None) -> bool:
        """Whether it is about findings of a rule, about a tool of an agent's."""
        return self.rule == rule and self.tool in ("", tool) and self.agent in ("", agent)

    def __str__(self) -> str:
        """What is waived."""
        tool, agent = self.tool and f" of {self.tool}", self.agent and f" by {self.agent}"
        return f"{self.rule}{tool}{agent}"


def read_waivers(given: object) -> tuple[Waiver, ...]:
    """Waivers, each given as itself or as a mapping of its fields."""
    if isinstance(given, Waiver | Mapping | str) or not isinstance(given, Iterable):
        raise ConfigurationError(f"Waivers are a list, not {given!r}: {_WAIVER}.")
    return tuple(each if isinstance(each, Waiver) else _read_waiver(each) for each in given)


_WAIVER = "[{'rule': 'date.not_as_said', 'until': '2026-12-31', 'reason': 'The parser is mended'}]"


def _read_waiver(given: object) -> Waiver:
    try:
        return Waiver(**(dict(given) if isinstance(given, Mapping) else {}))
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{given!r} is no waiver: {error}. Write {_WAIVER}.") from error


class FindingSeen(NamedTuple):
    """A finding for statistics: what it was and where, and nothing of what it said."""

    rule: str
    severity: Severity
    tool: str
    """Empty: it is about the attempt as a whole."""
    server: str = ""


class FindingRow(NamedTuple):
    """A finding as the log keeps it, a column each."""

    id: str
    """The same for the same finding of the same attempt, so that adding it is idempotent."""
    at_us: int
    tenant: str
    agent: str
    server: str
    tool: str
    rule: str
    severity: str


class FindingCount(Struct, frozen=True, kw_only=True):
    """How often a rule spoke up about a tool of an agent's."""

    rule: str
    severity: Severity
    server: str
    tool: str
    agent: str
    count: int


class Verdict(Struct, frozen=True, kw_only=True):
    """The findings of one review, their standing, and how sure it is."""

    findings: tuple[Finding, ...] = ()
    standing: Standing
    confidence: Confidence | None
    """`None` exactly when it was not reviewed: `UNREVIEWED`, `UNCHECKED`."""
    by: tuple[str, ...] = ()
    """Who has looked: `checks`, `facts`, `judge`."""
    unchecked: tuple[str, ...] = ()
    """Ids of the calls that changed something and were not reviewed."""
    looked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The reviewers of each reviewed call, by its id."""
    facts: tuple[Fact, ...] = ()
    """What was computed or read about the attempt, and so was known to the reviewers."""
    muted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Rules whose findings a waiver muted, by the id of the call: who found them counts as no
    reviewer of it."""

    def __post_init__(self) -> None:
        set_enums(self, standing=Standing)
        if self.confidence is not None:
            set_enums(self, confidence=Confidence)

    @property
    def shown_confidence(self) -> Confidence | None:
        """How sure to call an outcome: one that was rejected to the end is not sure at all."""
        return Confidence.LOW if self.standing is Standing.REJECTED else self.confidence

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that make it a rejection."""
        return tuple(f for f in self.findings if f.severity is Severity.ERROR)


ABOUT_ACTIONS = "What you did was checked, and it was not what was asked for:"
ABOUT_REPLY = "Your reply was checked and cannot go out as it is."


def is_feedback(text: str) -> bool:
    """Whether a text is a correction. Frameworks keep it among what the person said, and most have
    no place to mark it in."""
    return text.startswith((ABOUT_ACTIONS, ABOUT_REPLY))


class Correction(Struct, frozen=True, kw_only=True):
    """What the agent is told before it tries again; rendered from what really happened."""

    text: str
    findings: tuple[Finding, ...] = ()
    restored: tuple[str, ...] = ()
    """Ids of the actions that were undone and verified."""
    standing_actions: tuple[str, ...] = ()
    """Ids of the actions that still stand, and must not be repeated."""
    changes: Mapping[str, object] = field(default_factory=dict)
    """Arguments to change, where the correction is of one call."""

    def __str__(self) -> str:
        """What the agent is told."""
        return self.text


def reach_verdict(
    findings: Sequence[Finding],
    *,
    answered: bool = True,
    looked: bool = True,
    confirmed: bool = False,
    attempt: int = 1,
) -> Verdict:
    """Add up findings by the rule of the house.

    `answered` is false when a configured reviewer gave no answer, `looked` when none was there for
    what was done; `confirmed` is true when a fact or a judge spoke *for* the outcome. An error
    outweighs a missing answer, and a missing answer outweighs no review.
    """
    found = tuple(findings)
    if any(f.severity is Severity.ERROR for f in found):
        sure = Confidence.LOW if attempt > 1 else Confidence.MEDIUM
        return Verdict(findings=found, standing=Standing.REJECTED, confidence=sure)
    if not answered:
        return Verdict(findings=found, standing=Standing.UNREVIEWED, confidence=None)
    if not looked:
        return Verdict(findings=found, standing=Standing.UNCHECKED, confidence=None)
    sure = Confidence.HIGH if confirmed and not found else Confidence.MEDIUM
    return Verdict(findings=found, standing=Standing.ACCEPTED, confidence=sure)
