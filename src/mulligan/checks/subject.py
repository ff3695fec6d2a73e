"""What a check of actions looks at, and how it finds its way around in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import NamedTuple, Protocol

from mulligan.core.call import Execution, Outcome
from mulligan.core.finding import Fact
from mulligan.core.turn import Turn

Parameters = Mapping[str, Collection[str]]
"""By tool: the names of its parameters that hold one kind of thing, such as ids."""

DEPTH = 40
"""Nobody reads results that are nested deeper, and a cycle ends here."""


class Subject(Protocol):
    """One attempt, or what is known of it so far."""

    @property
    def turn(self) -> Turn:
        """The request."""

    @property
    def executions(self) -> tuple[Execution, ...]:
        """The calls, in order; one that has not run yet is `UNKNOWN` and has no result."""

    @property
    def earlier(self) -> tuple[Execution, ...]:
        """The calls of earlier attempts at the same turn: what they returned was seen too."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What was computed or read about the turn."""


class Argument(NamedTuple):
    """One value that a call was given."""

    execution: Execution
    name: str
    value: str

    @property
    def told(self) -> str:
        """The argument as a finding names it."""
        return f"{self.execution.call.tool} was given {self.name}={self.value!r}"


def effective(subject: Subject) -> Iterator[Execution]:
    """The calls that changed something or may: one that failed did nothing to take back."""
    return (e for e in subject.executions if e.outcome is not Outcome.FAILURE)


def arguments(execution: Execution, names: Collection[str]) -> Iterator[Argument]:
    """The values of the named parameters, each element of a list on its own."""
    for name in names:
        given = execution.call.arguments.get(name)
        for value in given if isinstance(given, list | tuple | set | frozenset) else (given,):
            if value not in (None, ""):
                yield Argument(execution, name, str(value))


def chosen(subject: Subject, parameters: Parameters) -> Iterator[Argument]:
    """The values of these parameters in every call that may have changed something."""
    for execution in effective(subject):
        yield from arguments(execution, parameters.get(execution.call.tool, ()))


class Heard:
    """Everything said or returned so far, to look a value up in."""

    def __init__(self, *sources: object) -> None:
        self._texts: list[str] = []
        for source in sources:
            self.add(source)

    def add(self, source: object) -> None:
        """Hear one more thing, however deeply it is nested."""
        self._texts.extend(text.casefold() for text in texts(source))

    def __contains__(self, value: str) -> bool:
        wanted = value.casefold()
        whole = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
        return any(wanted in text and whole.search(text) for text in self._texts)


def with_heard(subject: Subject) -> Iterator[tuple[Execution, Heard]]:
    """Each call that may have changed something, with what was heard before it was made."""
    turn = subject.turn
    heard = Heard(turn.message, turn.known, [fact.value for fact in subject.facts])
    for execution in subject.earlier:
        heard.add(execution.result)
    for execution in subject.executions:
        if execution.outcome is not Outcome.FAILURE:
            yield execution, heard
        heard.add(execution.result)


def texts(value: object) -> Iterator[str]:
    """Every text and number in a value, as text."""
    return (str(leaf) for leaf in leaves(value) if leaf is not None and not isinstance(leaf, bool))


def numbers(value: object) -> Iterator[float]:
    """Every number in a value that is a number there, not text that looks like one."""
    for leaf in leaves(value):
        if isinstance(leaf, int | float) and not isinstance(leaf, bool) and isfinite(leaf):
            yield float(leaf)


def leaves(value: object, *, depth: int = DEPTH) -> Iterator[object]:
    """Every single thing in a value, however deeply it is nested."""
    inner = parts(value)
    if inner is None:
        yield value
    elif depth:
        for part in inner:
            yield from leaves(part, depth=depth - 1)


def records(value: object, *, depth: int = DEPTH) -> Iterator[Mapping[str, object]]:
    """Every record in a value: a mapping, or an object seen as one, at any depth."""
    if record := as_record(value):
        yield record
    for part in (parts(value) or ()) if depth else ():
        yield from records(part, depth=depth - 1)


def parts(value: object) -> Collection[object] | None:
    """What a value consists of; `None` when it is one thing."""
    if isinstance(value, list | tuple | set | frozenset):
        return value
    if record := as_record(value):
        return [*record.keys(), *record.values()]
    return () if isinstance(value, Mapping) else None


def as_record(value: object) -> Mapping[str, object]:
    """A mapping, a dataclass or a plain object by the names of its fields; empty for the rest."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, type):
        return {}
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    inside = getattr(value, "__dict__", {})
    return {name: part for name, part in inside.items() if not name.startswith("_")}
