"""What a tool returned or raised, looked at: a result, an error that came as one, or a word to its
framework.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import Struct

from mulligan.codec import to_plain
from mulligan.learning.classify import classify_by_rule, classify_text, rules_out_effect
from mulligan.learning.soft_errors import (
    IsKnown,
    PlainShapes,
    find_breach,
    find_silent_error,
    is_known,
)
from mulligan.runtime.declaration import Failures
from mulligan.types.display import is_tangled
from mulligan.types.errors import SilentError
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import ErrorRule

_NEVER_AN_ERROR = frozenset({bool, int, float, type(None)})
_JSON = (str, int, float, dict, list, type(None))


class Trouble(Struct, frozen=True, kw_only=True):
    """What is wrong with a result."""

    said: str
    error_class: ErrorClass
    by_words: bool = False
    """Only what the result says gave the class, and no rule of the user's."""


class Results:
    """Looks at every result of one tool, at a glance where its shape is known to be harmless."""

    def __init__(
        self,
        tool: str,
        *,
        failures: Failures,
        rules: Sequence[ErrorRule] = (),
        is_known: IsKnown = is_known,
    ) -> None:
        self._is_known = is_known
        self._tool = tool
        self._returns = cast("Mapping[str, object]", failures.returns)
        self._may_be_empty = failures.may_be_empty
        self._rules = rules
        self._shapes = PlainShapes()
        self._held = bool(self._returns) or not self._may_be_empty
        """Its author has said what a result of it must be."""

    def pass_over(self, result: object) -> bool:
        """Whether a glance says that a result is no error, as of most: they look like earlier ones.

        False says nothing yet: then it is worth looking for trouble in it.
        """
        if self._held:
            return False
        try:
            return (
                self._is_known(result, self._shapes.harmless)
                or type(result) in _NEVER_AN_ERROR
                or self._shapes.cover(result)
            )
        except Exception:  # noqa: BLE001 - a result may be anything
            return False

    def is_suspect(self, result: object) -> bool:
        """Whether there may be trouble in it: what it says is not read yet."""
        try:
            return self._held or (not is_tangled(result) and find_silent_error(result) is not None)
        except Exception:  # noqa: BLE001 - a result may be anything
            return True

    def find_trouble(self, result: object, *, arguments: Mapping[str, object]) -> Trouble | None:
        """What is wrong with a result; `None`: nothing.

        `arguments`: of the call, as what a result only repeats of them is no error of its own.
        """
        if self.pass_over(result):
            return None
        if not self._held:
            if type(result) is not str and is_tangled(result):
                return None
            return self._find_silent(result, arguments)
        in_json = result if isinstance(result, _JSON) else to_plain(result)
        silent = self._find_silent(in_json, arguments)
        if silent is not None:
            return silent
        broken = find_breach(in_json, schema=self._returns, may_be_empty=self._may_be_empty)
        if broken is None:
            return None
        return Trouble(said=broken, error_class=self._match_rules(broken) or ErrorClass.BAD_RESULT)

    def _find_silent(self, result: object, arguments: Mapping[str, object]) -> Trouble | None:
        """An error that came as a result, with the class that it would have had if raised."""
        said = find_silent_error(result, arguments=arguments, tool=self._tool)
        if said is None:
            return None
        ruled = self._match_rules(said)
        if ruled is not None:
            return Trouble(said=said, error_class=ruled)
        told = classify_text(said)
        known = ErrorClass.BAD_RESULT if told is ErrorClass.UNKNOWN else told
        return Trouble(said=said, error_class=known, by_words=True)

    def rules_out_effect(self, said: str) -> bool:
        """Whether the user's own word is that what is wrong with it has changed nothing."""
        name, told = self._tool, f"{SilentError.__name__}: {said}"
        return rules_out_effect(self._rules, tool=name, said=told)

    def _match_rules(self, said: str) -> ErrorClass | None:
        return classify_by_rule(
            self._rules, tool=self._tool, said=f"{SilentError.__name__}: {said}"
        )


_DEFERS = frozenset(
    {
        ("pydantic_ai", "CallDeferred"),
        ("pydantic_ai", "ApprovalRequired"),
        ("langgraph", "GraphInterrupt"),  # and with it NodeInterrupt
        ("strands", "InterruptException"),
        ("mulligan", "InputAsked"),  # of FastMCP, where it is a result
        ("mulligan", "InputRequested"),  # the same through the gateway
        ("mulligan", "ConfirmationRequested"),  # google-adk has none of its own
    }
)
"""The call is put off: the framework makes it again, or never, so that nothing was done by it."""

_STEERS = _DEFERS | {("langgraph", "GraphBubbleUp")}  # and with it ParentCommand
"""The framework goes on elsewhere; what the call did before may stand."""


_ASKS_AGAIN = frozenset({("pydantic_ai", "ModelRetry")})
"""A tool's own word to its model: call me again. So nothing was done that would be done twice."""


def asks_again(error: BaseException) -> bool:
    """Whether a tool wants to be called again, perhaps with other arguments: it did nothing yet."""
    return _is_one_of(error, _ASKS_AGAIN)


def is_deferral(error: BaseException) -> bool:
    """Whether a call was put off, so that nothing was done by it."""
    return _is_one_of(error, _DEFERS)


def is_steering(error: BaseException) -> bool:
    """Whether an exception is meant for the framework, and no failure of the call.

    One that asks the model for other arguments is a failure, which its fix is learned from.
    """
    return _is_one_of(error, _STEERS)


def _is_one_of(error: BaseException, names: frozenset[tuple[str, str]]) -> bool:
    return any(
        (kind.__module__.partition(".")[0], kind.__name__) in names
        for kind in type(error).__mro__[:-3]
    )
