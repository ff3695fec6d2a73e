"""Opens a store by its URL: ours by a table, a third party's by an entry point of its package.

A package registers a store in its own `pyproject.toml`, in the form that ours have in ours:

    [project.entry-points."mulligan.stores"]
    theirs = "their_store:open_store"

The name is the scheme of its URLs, the value a function that takes a URL and `Options`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pathlib import PurePath
from typing import Any, cast

from msgspec import Struct, field

from mulligan.extensions import find_extensions
from mulligan.process.event_loop import read_utc_now
from mulligan.stores.crypto import Seal
from mulligan.types.errors import ConfigurationError, UnknownStoreError
from mulligan.types.interfaces import LEASE, Clock, Store, TaskVersions
from mulligan.types.limits import Retention

HIDDEN = "<store>"
"""Shown for a URL that may hold a password."""

_FILE = re.compile(r"(?:sqlite:/{0,4})?(?:[\w./ ~-]*\w\.(?:db|sqlite3?))?", re.ASCII)
_WORD = re.compile(r"[A-Za-z][A-Za-z_./-]*[A-Za-z]|[A-Za-z]")
"""A name or a path of letters: no secret."""
_SCHEME = r"(?P<scheme>[a-z][a-z0-9+.-]*)://"
_HOST = r"(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?"
_SERVER = re.compile(
    # An `@` behind the host would mean that the password holds a character that ends it.
    rf"{_SCHEME}(?:[^/?#\s]*@)?(?P<hosts>(?:{_HOST}(?:,{_HOST})*)?)"
    r"(?P<database>/[\w.-]*)?(?:\?[^@#\s]*)?",
    re.ASCII,
)


def strip_credentials(url: str) -> str:
    """Scheme, host and database of a URL, or a file's name; `<store>` when it is not that plain."""
    if url == "memory:" or _FILE.fullmatch(url):
        return url
    parts = _SERVER.fullmatch(url)
    if parts is None:
        return HIDDEN
    return f"{parts['scheme']}://{parts['hosts']}{parts['database'] or ''}"


TIMEOUT = timedelta(seconds=5)


class Options(Struct, frozen=True, kw_only=True):
    """The options of `open_store`."""

    seal: Seal
    """Made first: a wrong or unusable key must leave no file behind."""
    migrate: bool = True
    retention: Retention = field(default_factory=Retention)
    tolerate_damage: bool = False
    """Open a damaged journal too, for inspection."""
    clock: Clock = read_utc_now
    timeout: timedelta = TIMEOUT
    """How long to wait for a lock that another process holds, or a server that does not answer."""
    lease: timedelta = LEASE
    """How long this process is waited for when it falls silent."""
    row_security: bool = False
    """Refuse a database that does not keep tenants apart by itself; with `migrate`, have it."""


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
and other packages cannot take these names."""

_FORMS = "memory:, sqlite:///file.db, sqlite:////absolute/path.db or postgresql://host/database"


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
    found = find_extensions(GROUP).get(scheme)
    if found is None:
        raise make_refusal(url)
    return found.load_function()


def make_refusal(url: str) -> UnknownStoreError:
    """Says what a store's URL can be, without a password that this one may hold."""
    registered = "".join(f", {name}:" for name in find_extensions(GROUP) if name not in OURS)
    # A path, or one with a slash too few, or no more than a name.
    word = _WORD.fullmatch(url)
    path = f"{url}.db" if word else re.sub(r"^sqlite:/{0,2}", "", url)
    near = f" Did you mean 'sqlite:///{path}'?" if _FILE.fullmatch(path) and path else ""
    plain = url if word else strip_credentials(url)
    shown = "What was named (not shown: it may hold a password)" if plain == HIDDEN else repr(plain)
    return UnknownStoreError(
        f"{shown} is not the URL of a store.{near} Use {_FORMS}{registered}. A "
        f'package brings another scheme by an entry point of the group "{GROUP}": '
        "install the one that does, or see CONTRIBUTING.md."
    )


def open_store(
    url: str,
    *,
    migrate: bool = True,
    vault_key: bytes | None = None,
    retention: Retention | None = None,
    tolerate_damage: bool = False,
    clock: Clock = read_utc_now,
    timeout: timedelta = TIMEOUT,
    lease: timedelta = LEASE,
    row_security: bool = False,
) -> Store:
    """Open `memory:`, `sqlite:///file.db`, `postgresql://…`, or what a package has registered.

    With `migrate` a store that is missing or older is made ready; without, it is refused.
    Otherwise it is opened as `Options` says.
    """
    # As SQLAlchemy names a driver: the server is the same.
    url = re.sub(r"^(postgres|postgresql|sqlite)\+\w+:", r"\1:", url)
    options = Options(
        migrate=migrate,
        seal=Seal(vault_key),
        retention=retention or Retention(),
        tolerate_damage=tolerate_damage,
        clock=clock,
        timeout=timeout,
        lease=lease,
        row_security=row_security,
    )
    if row_security and not url.startswith(("postgres:", "postgresql:")):
        raise ConfigurationError(
            "The setting row_security asks for roles, which only Postgres has: name a "
            "postgresql:// store, or leave the setting out."
        )
    return choose_opener(url)(url, options)


def refuse_no_store(given: object) -> None:
    """Refuse what is neither a URL nor a store, such as a path or a store's class."""
    if isinstance(given, PurePath):
        raise ConfigurationError(
            f"A store is named by its URL, not by a path: write 'sqlite:///{given}'."
        )
    if isinstance(given, type):
        raise ConfigurationError(
            f"The class {given.__name__} is no store. Pass an instance, or a URL."
        )
    if missing := [name for name in _PARTS if not hasattr(given, name)]:
        raise ConfigurationError(
            f"{type(given).__name__} is no store: it has no {', '.join(missing)}. Pass a URL such "
            "as 'sqlite:///agent.db'; for one of your own see mulligan_testing.store_contract."
        )


_PARTS = [name for name in vars(Store) if not name.startswith("_")]
_METHODS = [name for name in vars(TaskVersions) if not name.startswith("_")]


def with_task_versions(store: Store, task_versions: TaskVersions) -> Store:
    """The store, but for its task versions; what is missing in that one is said at once."""
    if isinstance(task_versions, type):
        raise ConfigurationError(
            f"task_versions is the class {task_versions.__name__}. Pass an instance: "
            f"{task_versions.__name__}(…)."
        )
    missing = [name for name in _METHODS if not callable(getattr(task_versions, name, None))]
    if missing:
        raise ConfigurationError(
            f"task_versions={type(task_versions).__name__} has no {', '.join(missing)}: it needs "
            f"{len(_METHODS)} methods, and TaskVersionContract of mulligan_testing tests them."
        )
    return cast("Store", _StoreWithTaskVersions(store, task_versions))


class _StoreWithTaskVersions:
    """Passes everything on but the task versions."""

    def __init__(self, store: Store, task_versions: TaskVersions) -> None:
        self._store = store
        self.task_versions = task_versions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
