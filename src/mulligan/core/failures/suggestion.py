"""A failing call, what is known about it, and what is suggested."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType

from mulligan.core.call import Call, Failure
from mulligan.core.effect import Effect
from mulligan.core.errors import ConfigurationError
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.runtime.enums import set_enums

_SHOWN = 200
"""Characters of one changed argument, where a change is put into words."""

NO_SCHEMAS: Mapping[str, Mapping[str, object]] = MappingProxyType({})
NO_SCHEMA: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRule:
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
    that was read, is held against it. No class of errors says that by itself, as a remote may
    answer with a refusal after the effect."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstCall:
    """A call to make before another."""

    tool: str
    arguments: Mapping[str, object] | None = None
    """`None`: which ones is for the agent to say."""

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in (self.arguments or {}).items())
        return self.tool if self.arguments is None else f"{self.tool}({given})"[:_SHOWN]


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A call made earlier in this turn, and what it gave."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict, repr=False)
    result: object = field(default=None, repr=False)
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A call and what its turn knows when it is made."""

    call: Call
    schema: Mapping[str, object] = field(default_factory=lambda: NO_SCHEMA, repr=False)
    """The tool's JSON Schema; empty when nobody declared one."""
    effect: Effect = Effect.UNDECLARED
    """What it can do to the world, as its tool declares."""
    tools: tuple[str, ...] = ()
    """Names of the tools that can be called; empty when nobody said."""
    reads: tuple[str, ...] = ()
    """Those of them that change nothing."""
    schemas: Mapping[str, Mapping[str, object]] = field(
        default_factory=lambda: NO_SCHEMAS, repr=False
    )
    """Their schemas by name, as far as they are known."""
    said: tuple[str, ...] = field(default=(), repr=False)
    """The person's own words."""
    earlier: tuple[Earlier, ...] = field(default=(), repr=False)
    """What this turn did before, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCall(Planned):
    """A call that failed, and all that a suggestion may be made from."""

    failure: Failure
    error: str = ""
    """What the tool said of it."""
