"""Functions that a tool is declared with: whether they take what they will be told."""

from __future__ import annotations

import inspect

from mulligan.core.errors import ConfigurationError

_TOLD = {"in_progress": ("error",), "same": ("state", "other"), "with_note": ("result", "note")}
"""What they are called with, where that is not the record of a call."""


def require_function(function: object, *, name: str, of: str) -> None:
    """Refuse what could not be called on the day that it is needed. `of`: the tool."""
    told = _TOLD.get(name, ("record",))
    wanted = f"a function of {len(told)} argument{'s' * (len(told) > 1)} ({', '.join(told)})"
    if not callable(function):
        raise ConfigurationError(f"{name}={function!r} of {of} is no function. Pass {wanted}.")
    try:
        signature = inspect.signature(function)
    except ValueError:
        return  # a built-in that does not say what it takes
    try:
        signature.bind(*told)
    except TypeError:
        raise ConfigurationError(
            f"{name} of {of} takes {signature}, so that it could not be called. Pass {wanted}."
        ) from None
