"""The compiled form of the walk, where `mulligan-fast` is installed: the same output, faster.

The pure form says what is right. The compiled one does what is common, calls the pure one for the
rest, and is used only where it was made for this very version.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from itertools import product
from typing import Any, NamedTuple, Protocol

from mulligan.redaction.scrub import IN_RUN, KINDS, NAMED_ELSE
from mulligan.redaction.secrets import PROSE
from mulligan.redaction.values import Keys, Stubs, fit_key
from mulligan.redaction.walk import ChangeText, Walk
from mulligan.version import VERSION

MODULE = "mulligan_fast.core"

# What `may_apply` looks for in every text, and in one with digits.
_IN_ANY = ("--", "bearer", "basic", "identified")
_WITH_DIGITS = ("(", "-u", "-p", "pass", "token", "secret", "pwd")
_CLASS = re.compile(r"\[([^][]++)]")


class Compiled(Protocol):
    """What the compiled part does for one redactor."""

    def write(self, value: object, /) -> str | None:
        """As `Lean.write`."""

    def hash_short(self, text: str, /) -> str:
        """As `Stubs.hash_short`."""

    def scrub(self, pure: ChangeText, text: str, /) -> str:
        """As `scrub_value`; `pure` is it, for a text that may hold a secret."""

    redact: Callable[[Walk, object, int, bool], object]
    """As `Walk.redact_value`, of a dict, a list or a tuple."""


class RedactionForm(NamedTuple):
    """Which form of redaction runs, and why."""

    module: Any
    """What is compiled; `None`: the pure form runs."""
    reason: str


@cache
def find_form() -> RedactionForm:
    """Check once whether the compiled part is installed and built for this version."""
    try:
        module = import_module(MODULE)
    except ImportError:
        return RedactionForm(None, "pure Python; install mulligan[fast] for the compiled form")
    made_for = module.MADE_FOR
    if made_for != VERSION:
        reason = f"pure Python; mulligan-fast was made for {made_for}, and this is {VERSION}"
        return RedactionForm(None, reason)
    return RedactionForm(module, f"compiled (mulligan-fast {made_for})")


def describe_form(*, fast: bool) -> str:
    """Which form runs where `fast` is set or not, for a person."""
    return find_form().reason if fast else "pure Python; fast is off"


def build_compiled(key: bytes, *, stubs: Stubs, keys: Keys) -> Compiled | None:
    """The compiled form for a redactor; `None` where the pure one runs."""
    module = find_form().module
    if module is None:
        return None
    entry = Walk._add_entry  # noqa: SLF001 - the walk's own other half
    pure = (stubs.hash_short, Walk.redact_value, entry)
    built: Compiled = module.Compiled(
        key=fit_key(key), open=keys.open, ids=keys.ids, pure=pure, tables=_build_tables()
    )
    return built


@cache
def _build_tables() -> tuple[object, ...]:
    """What the compiled form looks for in a text, from where the pure one has it."""
    named = [text for text in expand_classes(NAMED_ELSE) if text.isascii()]
    return KINDS, IN_RUN, _IN_ANY, (*_WITH_DIGITS, *named), tuple(sorted(PROSE))


def expand_classes(pattern: str) -> list[str]:
    """Every text that a pattern of plain words and classes such as `[nñ]` matches."""
    words: list[str] = []
    for branch in pattern.split("|"):
        parts = _CLASS.split(branch)
        choices = [tuple(part) if place % 2 else (part,) for place, part in enumerate(parts)]
        words += map("".join, product(*choices))
    return words


class FastWalk(Walk):
    """A walk whose loops are compiled. Where strings of an enum are shown, the pure ones run."""

    __slots__ = ("_compiled", "pure_scrub")

    def __init__(self, compiled: Compiled, **bounds: Any) -> None:
        super().__init__(**bounds)
        self._compiled = compiled
        self.pure_scrub = self._scrub
        """What the loops call for a string that may hold a secret."""
        self._scrub = partial(compiled.scrub, self.pure_scrub)
        self._hash = compiled.hash_short
        self._short = self._scrub if self.full else self._hash

    def redact_value(self, value: Any, *, depth: int = 0, ids: bool = False) -> object:
        """What may be shown of a value."""
        kind = type(value)
        if (kind is dict or kind is list or kind is tuple) and not self.enum:
            return self._compiled.redact(self, value, depth, ids)
        return Walk.redact_value(self, value, depth=depth, ids=ids)
