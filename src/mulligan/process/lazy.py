"""Compiled when first used, so that an import does not wait: dataclasses and patterns.

The standard library writes six methods of a dataclass as source and compiles them where a class is
defined: half a second for all words of this package, of which a process uses a few dozen. Here
`__init__` is written when the first object is made, and the other methods are ordinary functions.
What it makes is a dataclass to everybody: `fields`, `replace`, `asdict`, `match` and `pickle` take
it as one.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from functools import cached_property
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, AnyStr, cast
from weakref import WeakSet


def compile_late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, for patterns of modules that every import of the package brings in.

    Compiling them took a tenth of a first use, which searches with few of them. Not for redaction:
    it is on the way of every call, also of one from a signal handler that interrupts the first.
    """
    return cast("re.Pattern[AnyStr]", LatePattern(pattern, flags))


def compile_rest() -> None:
    """Compile all that nobody has used yet, on a thread that nobody waits for."""
    for each in list(_uncompiled):
        _ = each.compiled


class LatePattern:
    """Has whatever a compiled pattern has, from the first time that it is asked for it."""

    def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
        self._written = pattern, flags
        _uncompiled.add(self)

    @cached_property
    def compiled(self) -> re.Pattern[Any]:
        """The pattern itself."""
        pattern, flags = self._written
        _uncompiled.discard(self)
        return re.compile(pattern, flags)

    def __getattr__(self, name: str) -> Any:
        # Asked for once: what is found is kept as the object's own, so that a search costs no more.
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.compiled, name)
        setattr(self, name, found)
        return found


_uncompiled = WeakSet[LatePattern]()


Methods = dict[str, Any]


def _make_decorator(cls: type | None = None, /, **options: bool) -> Any:
    """As `dataclasses.dataclass`, with its options or without."""
    return _build(cls, **options) if cls is not None else lambda found: _build(found, **options)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _make_decorator


def _build(cls: type, *, frozen: bool = False, eq: bool = True, **options: bool) -> Any:
    own = dict(vars(cls))
    # Without a docstring the standard library asks for a signature, and so for `__init__`.
    cls.__doc__ = cls.__doc__ or cls.__name__
    # The standard library insists that who comes of a frozen class is one; others are frozen below.
    inherits = any(map(dataclasses.is_dataclass, cls.__bases__))
    build = dataclasses.dataclass(
        init=False, repr=False, eq=False, frozen=frozen and inherits, **options
    )
    built: Any = build(cls)
    shaped: Any = built.__dataclass_params__
    shaped.init, shaped.repr, shaped.eq, shaped.frozen = True, True, eq, frozen
    methods: Methods = {"__init__": _UnwrittenInit(built), "__repr__": _show}
    if eq:
        methods |= _compare(built, frozen=frozen)
    if frozen:
        methods |= _refuse_changes(built, slots=options.get("slots", False))
    for name, method in methods.items():
        # `__eq__` in a class's own body sets `__hash__` to None there: that nobody wrote.
        if own.get(name) is None:
            setattr(built, name, method)
    return built


class _UnwrittenInit:
    """Stands for an `__init__` until an object is made, or somebody asks how."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __get__(self, instance: object, kind: type | None = None) -> Any:
        # Two threads may be here at once: they write the same.
        written = self._owner.__init__ = _write_init(self._owner)
        return written.__get__(instance, kind)


class _Factory:
    """The default in a signature where a function makes it."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _write_init(cls: Any) -> Any:
    listed = fields(cls)
    known: dict[str, Any] = {"__name__": cls.__module__, "__set": object.__setattr__}
    known["__factory"] = _FACTORY
    for each in listed:
        known[f"__default_{each.name}"] = each.default
        known[f"__make_{each.name}"] = each.default_factory
    by_place = [_write_parameter(each) for each in listed if each.init and not each.kw_only]
    by_name = [_write_parameter(each) for each in listed if each.init and each.kw_only]
    head = ", ".join(["self", *by_place, *(["*", *by_name] if by_name else [])])
    frozen = cls.__dataclass_params__.frozen
    body = [
        f"__set(self, {each.name!r}, {value})" if frozen else f"self.{each.name} = {value}"
        for each in listed
        if (value := _write_value(each))
    ]
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    source = f"def __init__({head}):\n " + "\n ".join(body or ["pass"])
    exec(source, known)  # noqa: S102 - of names of fields alone, as the standard library does
    written = known["__init__"]
    written.__qualname__ = f"{cls.__qualname__}.__init__"
    written.__annotations__ = {each.name: each.type for each in listed if each.init}
    written.__annotations__["return"] = None
    return written


def _write_parameter(each: Field[Any]) -> str:
    if each.default is not MISSING:
        return f"{each.name}=__default_{each.name}"
    if each.default_factory is not MISSING:
        return f"{each.name}=__factory"
    return each.name


def _write_value(each: Field[Any]) -> str:
    """What a field is set to; nothing where an object begins without it."""
    if each.default_factory is not MISSING:
        made = f"__make_{each.name}()"
        return f"{made} if {each.name} is __factory else {each.name}" if each.init else made
    if each.init:
        return each.name
    return "" if each.default is MISSING else f"__default_{each.name}"


@recursive_repr()
def _show(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _compare(cls: Any, *, frozen: bool) -> Methods:
    # Beside the class, one field alone is read as part of a tuple too, where NaN equals itself.
    read = attrgetter("__class__", *(each.name for each in fields(cls) if each.compare))

    def equals(self: object, other: object) -> bool:
        return read(self) == read(other) if self.__class__ is other.__class__ else NotImplemented

    def make_hash(self: object) -> int:
        return hash(read(self))

    return {"__eq__": equals, "__hash__": make_hash if frozen else None}


def _refuse_changes(cls: Any, *, slots: bool) -> Methods:
    names = frozenset(cls.__dataclass_fields__)

    def refuse_setting(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def refuse_deleting(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    methods: Methods = {"__setattr__": refuse_setting, "__delattr__": refuse_deleting}
    return (
        methods | {"__getstate__": _give_state, "__setstate__": _take_state} if slots else methods
    )


def _give_state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _take_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
