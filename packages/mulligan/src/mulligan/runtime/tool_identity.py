"""Whom a tool acts for, where its author does not say: what the object of a method or a closure
holds under a name that says whose it is. All else that it holds may be another in every process.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TypeVar
from uuid import UUID

from msgspec import Struct
from msgspec.structs import asdict

from mulligan.redaction.names import classify_name

MOST = 200
"""Values that are looked at; what is beyond tells no two tools from each other."""

_ACCOUNTS = frozenset({
    "account", "bucket", "calendar", "customer", "database", "email", "login", "mailbox",
    "organization", "owner", "person", "principal", "project", "team", "tenant", "user",
    "username", "who", "workspace",
})  # fmt: skip
"""Words in the names of what says whose a tool is. A counter, a port or a connection's id does not,
and is another one after a restart."""


class Binding(Struct, frozen=True, kw_only=True, eq=False):
    """Tools of one name are the same if they act for the same account, with the same objects."""

    account: str = ""
    """The same in every process. Empty: nothing says whose it is."""
    texts: str = ""
    """Of the other texts that it holds: tells it from others of its account, while they stay."""
    objects: tuple[object, ...] = ()
    """What another process has no name for."""

    @property
    def mark(self) -> str:
        """What another process finds it by; empty where it acts for no account."""
        return f"{self.account}/{self.texts}" if self.account or self.texts else ""

    def is_like(self, other: Binding) -> bool:
        """Whether nothing that they hold tells them apart."""
        return (
            self.mark == other.mark
            and len(self.objects) == len(other.objects)
            and all(a is b for a, b in zip(self.objects, other.objects, strict=True))
        )


def find_binding(
    tool: Callable[..., object], callbacks: Iterable[Callable[..., object]]
) -> Binding:
    """What a tool and its own functions hold. Secrets are no part of it: they change."""
    search = _Search()
    search.look_at(tool, defaults=False)
    for each in callbacks:
        search.look_at(each, defaults=True)
    return Binding(
        account=_hash(search.accounts), texts=_hash(search.texts), objects=tuple(search.objects)
    )


def _hash(texts: list[str]) -> str:
    said = "\n".join(texts).encode(errors="surrogatepass")
    return hashlib.sha256(said).hexdigest()[:16] if said else ""


F = TypeVar("F", bound=Callable[..., object])


def mark_unbound(function: F) -> F:
    """Mark a function as bound to nothing that tells two tools apart, whatever it holds.

    Such as a connection, which is another one in every process.
    """
    function.bound_to_nothing = True  # type: ignore[attr-defined]
    return function


class _Search:
    def __init__(self) -> None:
        self.accounts: list[str] = []
        self.texts: list[str] = []
        self.objects: list[object] = []
        self._seen: set[int] = set()

    def look_at(self, function: object, *, defaults: bool) -> None:
        """Go through what a function holds; `defaults`: also the plain ones, as of `user=user`."""
        unbound = getattr(function, "bound_to_nothing", False) is True
        if unbound or id(function) in self._seen or len(self._seen) > MOST:
            return
        self._seen.add(id(function))
        if hasattr(function, "mulligan") and hasattr(function, "__wrapped__"):
            function = function.__wrapped__  # another tool of ours: what it wraps
        match function:
            case MethodType():
                self.look_at(function.__func__, defaults=defaults)
                self._take("self", function.__self__)
            case FunctionType():
                for name, value in _list_held(function, defaults=defaults):
                    self._take(name, value)
            case functools.partial():
                self.look_at(function.func, defaults=defaults)
                for name, value in _list_filled(function):
                    self._take(name, value)
            case BuiltinFunctionType() | type():
                pass
            case _:
                self._take("self", function)

    def _take(self, name: str, value: object) -> None:
        if isinstance(value, FunctionType | MethodType | functools.partial):
            self.look_at(value, defaults=True)
        elif isinstance(value, _TELLING):
            self._note(name, value)
        elif isinstance(value, tuple) and len(value) <= MOST:
            for each in value:
                self._take(name, each)
        elif isinstance(value, (type, ModuleType, BuiltinFunctionType, *_SILENT)):
            return
        elif id(value) not in self._seen and len(self._seen) <= MOST:
            self._seen.add(id(value))
            self.objects.append(value)
            for inner, held in _list_attributes(value, deeper=True):
                self._note(inner, held)

    def _note(self, name: str, value: object) -> None:
        if _says_whose(name):
            # An integer may be too long to be written in decimals.
            said = hex(value) if isinstance(value, int) else repr(value)
            self.accounts.append(f"{name}={type(value).__qualname__}:{said}")
        elif isinstance(value, str | PurePath) and not classify_name(name):
            self.texts.append(str(value))


_TELLING = (str, int, bytes, UUID, Enum, PurePath)
"""Values by which people and accounts are told from each other, and that a restart keeps."""
_SILENT = (bool, float, complex, type(None))


def _says_whose(name: str) -> bool:
    return not _ACCOUNTS.isdisjoint(name.lower().split("_")) and not classify_name(name)


def _list_attributes(value: object, *, deeper: bool) -> Iterator[tuple[str, object]]:
    """The plain attributes of an object, and of the objects that it holds.

    Those of Python's own have none for us.
    """
    if type(value).__module__.partition(".")[0] in sys.stdlib_module_names:
        return
    try:
        known = asdict(value) if isinstance(value, Struct) else vars(value)
        held = {name: each for name, each in known.items() if isinstance(name, str)}
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        return
    for name in sorted(held):
        if isinstance(held[name], _TELLING):
            yield name, held[name]
        elif deeper and not isinstance(held[name], type):
            yield from _list_attributes(held[name], deeper=False)


def _list_held(function: FunctionType, *, defaults: bool) -> Iterator[tuple[str, object]]:
    """What a function closes over, and the defaults that hold more than a plain value."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            # Not filled yet: the function is being made.
            continue
    given = [(p.name, p.default) for p in inspect.signature(function).parameters.values()]
    for name, value in given:
        plain = value is inspect.Parameter.empty or isinstance(value, _TELLING + _SILENT)
        if value is not inspect.Parameter.empty and (defaults or not plain):
            yield name, value


def _list_filled(function: functools.partial[object]) -> Iterator[tuple[str, object]]:
    """What a partial has filled, by the names of the parameters where those can be read."""
    try:
        names = list(inspect.signature(function.func).parameters)
    except (TypeError, ValueError):
        names = []
    names += ["who"] * (len(function.args) - len(names))  # without a name: it may be anybody
    yield from zip(names, function.args, strict=False)
    yield from function.keywords.items()
