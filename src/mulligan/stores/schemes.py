"""Which store a URL means: ours by a table, anybody else's by an entry point of their package.

A package registers a store in its own `pyproject.toml`, in the form that ours have in ours:

    [project.entry-points."mulligan.stores"]
    theirs = "their_store:open_store"

The name is the scheme of its URLs, the value a function that takes a URL and `Options`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

from mulligan.core.errors import ConfigurationError, UnknownStoreError
from mulligan.core.interfaces import Store
from mulligan.stores.options import Options
from mulligan.stores.url import strip_credentials

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "mulligan.stores"
"""The group of entry points."""

Opener = Callable[[str, Options], Store]
"""Opens the store of a URL; one that is malformed is refused with an `UnknownStoreError`."""

OURS = {
    "memory": "mulligan.stores.memory:open_store",
    "postgres": "mulligan.stores.postgres:open_store",
    "postgresql": "mulligan.stores.postgres:open_store",
    "sqlite": "mulligan.stores.sqlite:open_store",
}
"""What our own package registers, looked at first: reading metadata costs every start some time,
and nobody may take these names."""

_FORMS = (
    "memory:, sqlite:///file.db, sqlite:////absolute/path.db or postgresql://user@host/database"
)


def choose_opener(url: str) -> Opener:
    """What opens the store of a URL, or an error that says which schemes there are."""
    if "\0" in url:
        raise ConfigurationError(
            "The store's URL holds a null character, which no file and no server is named with: "
            "remove it."
        )
    scheme, separator, _ = url.partition(":")
    if not separator:
        raise make_refusal(url)
    if scheme in OURS:
        module, _, function = OURS[scheme].partition(":")
        return cast("Opener", getattr(import_module(module), function))
    return _load_opener(_choose_entry_point(scheme, url))


def make_refusal(url: str) -> UnknownStoreError:
    """Says what a store's URL can be, without a password that this one may hold."""
    others = sorted({found.name for found in _list_entry_points() if found.name not in OURS})
    registered = "".join(f", {name}:" for name in others)
    return UnknownStoreError(
        f"{strip_credentials(url)!r} is not the URL of a store: use {_FORMS}{registered}. A "
        f'package brings another scheme by an entry point of the group "{GROUP}": '
        "install the one that does, or see CONTRIBUTING.md."
    )


def _choose_entry_point(scheme: str, url: str) -> EntryPoint:
    found = {point.value: point for point in _list_entry_points() if point.name == scheme}
    if not found:
        raise make_refusal(url)
    if len(found) > 1:
        raise ConfigurationError(
            f"{len(found)} packages register stores for {scheme}: ({', '.join(sorted(found))}). "
            "Uninstall all but one."
        )
    [chosen] = found.values()
    return chosen


def _load_opener(point: EntryPoint) -> Opener:
    try:
        return cast("Opener", point.load())
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(
            f"The store for {point.name}: is registered as {point.value}, which cannot be loaded "
            f"({error}). Install its package again."
        ) from error


def _list_entry_points() -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return list(entry_points(group=GROUP))
