"""Exceptions by which a tool steers its framework: known by name, without importing any."""

from __future__ import annotations

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
