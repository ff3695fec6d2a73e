"""What a check is about: the silence of one that had nothing to look at is not content."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any, Generic, TypeVar

from mulligan.checks.subject.subject import Parameters
from mulligan.core.call import Call
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
    """Have a check be about some calls only; one that says nothing is about every attempt."""
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


def is_about_attempts(check: Check[S]) -> bool:
    """Whether a check looks at an attempt as a whole, also at one without calls."""
    return getattr(check, "concerns", None) is None


def has_concern(check: Check[S], *, turn: Turn, call: Call) -> bool:
    """Whether a check looks at this call; where it cannot say, it does not."""
    concerns: Concern | None = getattr(check, "concerns", None)
    if concerns is None:
        return True
    try:
        return bool(concerns(turn, call))
    except Exception:  # noqa: BLE001 - a user's function may raise anything
        return False
