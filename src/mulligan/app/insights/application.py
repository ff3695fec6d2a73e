"""Finds an application by its name: only the process that has a tool's code can undo."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path

from mulligan.app.mulligan import Mulligan
from mulligan.core.errors import ConfigurationError


def load_application(name: str) -> Mulligan:
    """The `Mulligan` that `module:name` names, imported from the current folder or the path."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise ConfigurationError(
            f"--app {name!r} names no application. Write module:name, such as family.agent:m."
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: object = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"--app {name!r} cannot be loaded: {error}.") from error
    if not isinstance(found, Mulligan):
        raise ConfigurationError(
            f"--app {name!r} is {type(found).__name__}, not a Mulligan. "
            "Name the object whose @m.tool declared the tools."
        )
    return found


def settle_now(application: Mulligan) -> int:
    """Let an application take up what waits for it, here and now."""
    return asyncio.run(application.recover())
