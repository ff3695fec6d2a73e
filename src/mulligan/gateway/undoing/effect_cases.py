"""Arguments that make a call graver or lighter than its tool mostly is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from mulligan.core.effect import Effect
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.undoing.tables import WrittenTable, take_enum

LONGEST = 20_000
"""Characters of an argument that a pattern is searched in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectCase:
    """What a call must be given for another effect; all of it."""

    effect: Effect
    equal: Mapping[str, object] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    """Arguments that are there, also empty: an empty list may clear what was there."""
    missing: tuple[str, ...] = ()
    """Arguments that are not there, or null."""
    matches: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """Arguments that are texts in which this is found."""

    def fits(self, arguments: Mapping[str, object]) -> bool:
        """Whether a call is such a one."""
        return (
            all(_is_equal(arguments.get(name), value) for name, value in self.equal.items())
            and all(arguments.get(name) is not None for name in self.given)
            and all(arguments.get(name) is None for name in self.missing)
            and all(_is_found(each, arguments.get(name)) for name, each in self.matches.items())
        )


def read_cases(table: WrittenTable) -> tuple[EffectCase, ...]:
    """The cases of a tool, in their order."""
    return tuple(_read_case(each) for each in table.take_list("cases"))


def _read_case(table: WrittenTable) -> EffectCase:
    effect = take_enum(table, "effect", read=Effect, known=list(Effect))
    matches = table.take("matches", dict, default={})
    try:
        patterns = {name: re.compile(each) for name, each in matches.items()}
    except (re.error, TypeError) as error:
        raise table.fail(f"matches has no regular expression: {error}.") from error
    case = EffectCase(
        effect=effect,
        equal=table.take("equal", dict, default={}),
        given=table.take_texts("given"),
        missing=table.take_texts("missing"),
        matches=patterns,
    )
    table.finish()
    if not (case.equal or case.given or case.missing or case.matches):
        raise table.fail("it fits every call. Say when: equal, given, missing or matches.")
    return case


def _is_equal(one: object, other: object) -> bool:
    # For Python a boolean is a number.
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _is_found(pattern: re.Pattern[str], value: object) -> bool:
    if isinstance(value, str) and len(value) > LONGEST:
        # Nobody knows how long an operator's pattern takes; a call that raises here is held.
        raise ValueError(f"The text is longer than {LONGEST} characters.")
    return isinstance(value, str) and pattern.search(value) is not None
