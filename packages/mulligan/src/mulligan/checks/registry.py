"""The checks of replies there are, by the name a file gives them: each registers itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TypeVar

from mulligan.types.reply import TextCheck

MakeCheck = Callable[..., TextCheck]

_Make = TypeVar("_Make", bound=MakeCheck)

MODULES = ("mulligan.checks.text", "mulligan.checks.grounding")
"""Where checks of replies live."""

_registered: dict[str, MakeCheck] = {}


def register_reply_check(make: _Make) -> _Make:
    """Let files ask for a check by the name of the function that makes it."""
    known = _registered.setdefault(make.__name__, make)
    if known.__module__ != make.__module__:
        raise ValueError(f"{known.__module__} has a check {make.__name__!r} already: rename one.")
    return make


def load_kinds() -> Mapping[str, MakeCheck]:
    """Every check that is registered, in the order of their names."""
    for module in MODULES:
        import_module(module)
    return dict(sorted(_registered.items()))
