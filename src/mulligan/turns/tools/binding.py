"""What a tool is bound to beside its code: the object of a method, what a closure has taken in."""

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

from mulligan.core.runtime.dataclass import dataclass
from mulligan.redaction.secrets.names import classify_name

MOST = 200
"""Values that are looked at; what is beyond tells no two tools from each other."""

_TELLING = (str, int, bytes, UUID, Enum, PurePath)
"""Values by which people and accounts are told from each other, and that a restart keeps."""
_SILENT = (bool, float, complex, type(None))

_ACCOUNTS = frozenset({
    "account", "bucket", "calendar", "customer", "database", "email", "login", "mailbox",
    "organization", "owner", "principal", "project", "team", "tenant", "user", "username",
    "workspace",
})  # fmt: skip
"""Words in the names of attributes by which a library's client says whose it is. All else that it
holds, such as ids of connections, may be another in every process and release."""
_LIBRARIES = frozenset({"site-packages", "dist-packages"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Binding:
    """Tools of one name are the same if they are bound to the same values and objects."""

    mark: str = ""
    """Of the plain values, the same in every process. Empty: it is bound to nothing."""
    objects: tuple[object, ...] = ()
    """What another process has no name for."""

    def is_like(self, other: Binding) -> bool:
        """Whether both are bound to the same: by value, and where that says nothing by identity."""
        return (
            self.mark == other.mark
            and len(self.objects) == len(other.objects)
            and all(a is b for a, b in zip(self.objects, other.objects, strict=True))
        )


UNBOUND = Binding()


def find_binding(
    tool: Callable[..., object], abilities: Iterable[Callable[..., object]]
) -> Binding:
    """What a tool and its own functions are bound to. Secrets are no part of it: they change."""
    search = _Search()
    search.look_at(tool, defaults=False)
    for each in abilities:
        search.look_at(each, defaults=True)
    if not search.bound:
        return UNBOUND
    said = "\n".join(search.parts)
    return Binding(
        mark=hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()[:16],
        objects=tuple(search.objects),
    )


F = TypeVar("F", bound=Callable[..., object])


def mark_unbound(function: F) -> F:
    """Mark a function as bound to nothing that tells two tools apart, whatever it holds.

    Such as a connection, which is another one in every process.
    """
    function.bound_to_nothing = True  # type: ignore[attr-defined]
    return function


def _is_unbound(function: object) -> bool:
    return getattr(function, "bound_to_nothing", False) is True


class _Search:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.objects: list[object] = []
        self.bound = False
        self._seen: set[int] = set()
        self._packages: set[str] = set()
        """Those that the tool and its functions are from."""

    def look_at(self, function: object, *, defaults: bool) -> None:
        """Go through what a function holds; `defaults`: also the plain ones, as of `user=user`."""
        if id(function) in self._seen or len(self._seen) > MOST or _is_unbound(function):
            return
        self._seen.add(id(function))
        if hasattr(function, "mulligan") and hasattr(function, "__wrapped__"):
            function = function.__wrapped__  # another tool of ours: what it wraps
        match function:
            case MethodType():
                self.bound = True
                self.look_at(function.__func__, defaults=defaults)
                self._take("self", function.__self__)
            case FunctionType():
                self.parts.append(function.__qualname__)  # a module may run under two names
                self._packages.add(_name_package(function))
                for name, value in _list_held(function, defaults=defaults):
                    self.bound = True
                    self._take(name, value)
            case functools.partial():
                self.bound = True
                self.look_at(function.func, defaults=defaults)
                for at, value in enumerate(function.args):
                    self._take(str(at), value)
                for name, value in function.keywords.items():
                    self._take(name, value)
            case BuiltinFunctionType() | type():
                self.parts.append(getattr(function, "__qualname__", ""))
            case _:
                self.bound = True
                self._take("self", function)

    def _take(self, name: str, value: object) -> None:
        if isinstance(value, FunctionType | MethodType | functools.partial):
            self.look_at(value, defaults=True)
        elif isinstance(value, type | ModuleType | BuiltinFunctionType):
            self.parts.append(f"{name}={getattr(value, '__name__', '')}")
        elif isinstance(value, _TELLING + _SILENT):
            self.parts += _describe(name, value)
        elif isinstance(value, tuple) and len(value) <= MOST:
            for at, each in enumerate(value):
                self._take(f"{name}.{at}", each)
        elif id(value) not in self._seen and len(self._seen) <= MOST:
            self._seen.add(id(value))
            self.objects.append(value)
            self.parts.append(f"{name}:{type(value).__qualname__}")
            for inner, held in self._list_attributes(value, deeper=True):
                self.parts += _describe(f"{name}.{inner}", held)

    def _list_attributes(self, value: object, *, deeper: bool) -> Iterator[tuple[str, object]]:
        """The plain attributes of an object of somebody's own, and of the objects that it holds.

        Of a library's, those that say whose it is; those of Python's own have none for us.
        """
        if _name_package(type(value)) in sys.stdlib_module_names:
            return
        try:
            held = {name: each for name, each in vars(value).items() if isinstance(name, str)}
        except Exception:  # noqa: BLE001 - a value of somebody's own may refuse anything
            return
        own = _name_package(type(value)) in self._packages or not _is_of_library(type(value))
        for name in sorted(held):
            if isinstance(held[name], _TELLING):
                if own or not _ACCOUNTS.isdisjoint(name.lower().split("_")):
                    yield name, held[name]
            elif deeper and not isinstance(held[name], type):
                for inner, each in self._list_attributes(held[name], deeper=False):
                    yield f"{name}.{inner}", each


def _describe(name: str, value: object) -> Iterator[str]:
    hidden = isinstance(value, bool) or classify_name(name.rpartition(".")[2])
    if isinstance(value, _TELLING) and not hidden:
        yield f"{name}={type(value).__qualname__}:{_spell(value)}"


def _spell(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - an integer of thousands of digits, or somebody's own code
        return hex(value) if isinstance(value, int) else str(getattr(value, "name", ""))


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


def _name_package(of: object) -> str:
    return str(getattr(of, "__module__", "") or "").partition(".")[0]


def _is_of_library(kind: type) -> bool:
    """Whether a class was installed, as a library is."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    return not _LIBRARIES.isdisjoint(PurePath(file).parts)
