"""Which adapter an agent needs: every module beside this one is asked."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from mulligan.adapters import writers
from mulligan.adapters.writers import pydantic_ai
from mulligan.core.adapter import Adapter, WriteText


def find_writer(source: object) -> WriteText:
    """A writer from an agent of a known framework, an async callable, or the name of a model."""
    for adapter in load_adapters():
        if adapter.is_agent(source):
            return adapter.build_writer(source)
    # It also takes functions and names of models, and says what else there is.
    return pydantic_ai.build_writer(source)


@cache
def load_adapters() -> tuple[Adapter, ...]:
    """Every adapter; that of pydantic-ai last, because it takes whatever has an async `run`."""
    found = [each.name for each in iter_modules(writers.__path__, f"{writers.__name__}.")]
    found = [name for name in found if name not in (__name__, pydantic_ai.__name__)]
    others = [cast("Adapter", import_module(name)) for name in sorted(found)]
    return (*others, cast("Adapter", pydantic_ai))
