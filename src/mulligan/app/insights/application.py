"""Finds an application by its name: only the process that has a tool's code can undo."""

from __future__ import annotations

from mulligan.app.loading import load_object
from mulligan.app.mulligan import Mulligan
from mulligan.core.errors import ConfigurationError


def load_application(name: str) -> Mulligan:
    """The `Mulligan` that `module:name` names, imported from the current folder or the path."""
    found = load_object(name, option="--app")
    if not isinstance(found, Mulligan):
        raise ConfigurationError(
            f"--app {name!r} is {type(found).__name__}, not a Mulligan. "
            "Name the object whose @m.tool declared the tools."
        )
    return found


def settle_now(application: Mulligan) -> int:
    """Let an application take up what waits for it, here and now."""
    return application.recover_sync()
