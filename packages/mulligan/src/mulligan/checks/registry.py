"""The checks of replies there are, by the name a file gives them: each registers itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import wraps
from importlib import import_module
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from mulligan.types.errors import ConfigurationError
from mulligan.types.reply import TextCheck

MakeCheck = Callable[..., TextCheck]

_Make = TypeVar("_Make", bound=MakeCheck)

MODULES = ("mulligan.checks.content", "mulligan.checks.grounding", "mulligan.checks.text")
"""Where checks of replies live."""

_registered: dict[str, MakeCheck] = {}


def register_reply_check(make: _Make) -> _Make:
    """Let files ask for a check by the name of the function that makes it.

    What it is given is compared with its annotations, so that a mistake is refused where it stands.
    """

    @wraps(make)
    def make_validated(**given: Any) -> TextCheck:
        validate_settings(make, given, where=make.__name__)
        return make(**given)

    known = _registered.setdefault(make.__name__, made := cast("_Make", make_validated))
    if known.__module__ != make.__module__:
        raise ValueError(f"{known.__module__} has a check {make.__name__!r} already: rename one.")
    return made


Kind = TypeVar("Kind", bound=StrEnum)


def read_kinds(known: type[Kind], asked: Iterable[str], *, name: str) -> list[Kind]:
    """The kinds of those names, or a sentence about what there is."""
    named = list(asked)
    if unknown := [each for each in named if each not in tuple(known)]:
        raise ConfigurationError(
            f"{name} has no kind {unknown[0]!r}. There are: {', '.join(known)}."
        )
    return [known(each) for each in named]


_AS_WRITTEN: Mapping[object, str] = {
    bool: "true or false",
    int: "a whole number from 0 on",
    str: "a text in quotes",
    object: "the name of a model",
    Iterable: 'a list of texts such as ["one", "two"]',
}
"""How a file writes a setting of a type."""


def validate_settings(
    make: Callable[..., object], given: Mapping[str, object], *, where: str
) -> None:
    """Refuse a setting that is not of its annotated type, with a sentence about it."""
    types = get_type_hints(make)
    for setting, value in given.items():
        if setting in types and not _fits(value, types[setting]):
            wanted = _as_written(types[setting])
            raise ConfigurationError(f"{where} has {setting} = {value!r}; write {wanted}.")


def _fits(value: object, wanted: Any) -> bool:
    """Whether a value can be of a type."""
    if wanted is int:
        return type(value) is int and value >= 0
    if wanted in (bool, str):
        return type(value) is wanted
    if wanted is object:  # a judge, in any of its forms
        return not isinstance(value, int | float | bytes | list | tuple | dict | set)
    if get_origin(wanted) is Iterable:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            return False
        return iter(value) is value or all(isinstance(each, str) for each in value)
    if get_origin(wanted) is Mapping:
        held = get_args(wanted)[1]
        return isinstance(value, Mapping) and all(isinstance(each, held) for each in value.values())
    if kinds := get_args(wanted):
        return (value is None and NoneType in kinds) or any(
            _fits(value, kind) for kind in kinds if kind is not NoneType
        )
    return value in tuple(wanted) if issubclass(wanted, StrEnum) else isinstance(value, str)


def _as_written(wanted: Any) -> str:
    if isinstance(wanted, type) and issubclass(wanted, StrEnum):
        return f"one of: {', '.join(wanted)}"
    kinds = (wanted, get_origin(wanted), *map(get_origin, get_args(wanted)), *get_args(wanted))
    return next((_AS_WRITTEN[kind] for kind in kinds if kind in _AS_WRITTEN), "one of its names")


GROUP = "mulligan.reply_checks"
"""The entry points of packages that bring kinds: each names a function that makes a check."""


def load_kinds() -> Mapping[str, MakeCheck]:
    """Every check that is registered, in the order of their names."""
    for module in MODULES:
        import_module(module)
    return dict(sorted(_registered.items()))
