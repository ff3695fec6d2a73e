"""Ready tools for one kind of remote each: effects, undo, probes, facts and checks."""

from importlib import import_module
from typing import Any

from mulligan.extensions import describe_known, find_extensions
from mulligan.types.errors import ConfigurationError

GROUP = "mulligan.packs"
"""The entry points of packages that bring packs: each names a module."""

OURS = ("calendar", "files", "http", "mail", "services", "sql")


def load_pack(name: str) -> Any:
    """The module of a pack by its name, ours or one that another package brings."""
    if name in OURS:
        return import_module(f"mulligan_packs.{name}")
    extension = find_extensions(GROUP).get(name)
    if extension is None:
        raise ConfigurationError(f"There is no pack {name!r}. {describe_known(GROUP, OURS)}")
    return extension.load()
