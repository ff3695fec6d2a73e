"""Which calls a check has looked at: the silence of one that had nothing to look at is no content.

A check says so itself (`concerns`), as all shipped ones do. Of one that does not, it is seen: it is
shown calls that tell when a value of theirs is read.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, Generic, Self, TypeVar

from mulligan.checks.subject.subject import Parameters
from mulligan.core.call import Call, Execution
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn

S = TypeVar("S")

Concern = Callable[[Turn, Call], bool]
"""Whether a check has something to look at in a call of a turn."""


class ConcernedCheck(Generic[S]):
    """A check that says which calls it is about, so that others are not taken for looked at."""

    def __init__(self, check: Check[S], concerns: Concern) -> None:
        self._check = check
        self.concerns = concerns
        functools.update_wrapper(self, check)

    def __call__(self, subject: S) -> Any:
        """What the check finds."""
        return self._check(subject)


def limit_to_calls(concerns: Concern) -> Callable[[Check[S]], Check[S]]:
    """Have a check say which calls it looks at; what others read of a call is noted instead."""
    return lambda check: ConcernedCheck(check, concerns)


def limit_to_tools(
    tools: Collection[str], *, when: Callable[[Turn], object] = lambda _: True
) -> Callable[[Check[S]], Check[S]]:
    """Have a check be about calls of these tools, in turns that say what it is about."""
    return limit_to_calls(lambda turn, call: call.tool in tools and bool(when(turn)))


def limit_to_parameters(
    parameters: Parameters, *, when: Callable[[Turn], object] = lambda _: True
) -> Callable[[Check[S]], Check[S]]:
    """Have a check be about calls that were given one of these parameters."""

    def is_given(turn: Turn, call: Call) -> bool:
        given = (call.arguments.get(name) for name in parameters.get(call.tool, ()))
        return any(value not in (None, "") for value in given) and bool(when(turn))

    return limit_to_calls(is_given)


def with_concern_of(check: Check[S], other: Check[S]) -> Check[S]:
    """A check that is about the same calls as the one it was made from."""
    concerns = getattr(other, "concerns", None)
    return check if concerns is None else ConcernedCheck(check, concerns)


def has_concern(check: Check[S], *, turn: Turn, call: Call) -> bool:
    """Whether a check says that it looks at this call; where it cannot say, it does not."""
    concerns: Concern | None = getattr(check, "concerns", None)
    try:
        return concerns is not None and bool(concerns(turn, call))
    except Exception:  # noqa: BLE001 - a user's function may raise anything
        return False


def watch_checks(checks: Sequence[Check[S]], read: set[str]) -> list[Check[S]]:
    """The checks, where those that do not say what they look at have `read` told the id of each
    call that they read a value of."""
    return [check if hasattr(check, "concerns") else _watch(check, read) for check in checks]


def _watch(check: Check[S], read: set[str]) -> Check[S]:
    def look(subject: Any) -> Any:
        shown = tuple(_watch_execution(each, read) for each in subject.executions)
        return check(replace(subject, executions=shown))

    # Its findings and its faults go by the name of the check.
    functools.update_wrapper(look, check)
    look.__name__ = getattr(check, "__name__", type(check).__name__)
    look.__qualname__ = getattr(check, "__qualname__", look.__name__)
    return look


def peek_result(execution: Execution) -> object:
    """What a call returned, for who hands it on and does not know whether it will be read."""
    found: object = object.__getattribute__(execution, "result")
    return found


def _watch_execution(execution: Execution, read: set[str]) -> Execution:
    call = execution.call
    note = functools.partial(read.add, call.id)
    given = {each.name: getattr(execution, each.name) for each in fields(execution)}
    given["call"] = replace(call, arguments=_WatchedArguments(call.arguments).watch(note))
    watched = _WatchedExecution(**given)
    object.__setattr__(watched, "_note", note)
    return watched


class _WatchedExecution(Execution):
    """An execution that tells when its result is read."""

    _note: Callable[[], None] = staticmethod(lambda: None)
    """What is made of it by `replace` tells nobody."""

    def __getattribute__(self, name: str) -> Any:
        if name == "result":
            self._note()
        return super().__getattribute__(name)


class _WatchedArguments(dict[str, object]):
    """What a call was given, which tells when a value of it is read.

    A name that is asked for and not there is no look, and neither is a list of the names.
    """

    _note: Callable[[], None] = staticmethod(lambda: None)
    """What is made of it, as by `dataclasses.asdict`, tells nobody."""

    def watch(self, note: Callable[[], None]) -> Self:
        """Tell this."""
        self._note = note
        return self

    def __reduce__(self) -> tuple[object, ...]:
        # Copied or pickled, it is a dict as any other.
        return dict, (dict(self),)

    def __getitem__(self, name: str) -> object:
        value = super().__getitem__(name)
        self._note()
        return value

    def get(self, name: str, default: Any = None) -> Any:
        if name in self:
            self._note()
        return super().get(name, default)

    def items(self) -> Any:
        self._note_all()
        return super().items()

    def values(self) -> Any:
        self._note_all()
        return super().values()

    def copy(self) -> dict[str, object]:
        return dict(self)

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __iter__(self) -> Iterator[str]:
        # Said here, so that `dict(arguments)` and `**arguments` read value by value.
        return super().__iter__()

    def __eq__(self, other: object) -> bool:
        self._note_all()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        self._note_all()
        return super().__repr__()

    def _note_all(self) -> None:
        if self:
            self._note()
