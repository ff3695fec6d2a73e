"""Looks into objects without running a line of their code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MemberDescriptorType
from typing import Any

class_dict: Callable[[type], Mapping[str, Any]] = type.__dict__["__dict__"].__get__
class_order: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__

_MARKS = (
    "__dataclass_fields__",
    "__pydantic_fields__",
    "__pydantic_core_schema__",
    "__fields__",
    "__attrs_attrs__",
    "__struct_fields__",
)
"""What classes carry whose attributes are their data: dataclasses, pydantic, attrs, msgspec."""


def is_record(kind: type) -> bool:
    """Whether the attributes of such objects are their data."""
    return any(mark in class_dict(cls) for cls in class_order(kind)[:-1] for mark in _MARKS)


def read_attributes(value: object) -> dict[str, object]:
    """The plain attributes and slots of an object; properties are left alone."""
    found: dict[str, object] = {}
    for cls in reversed(class_order(type(value))[:-1]):
        for name, member in tuple(class_dict(cls).items()):
            if type(member) is MemberDescriptorType:
                try:
                    found[name] = member.__get__(value)
                except AttributeError:
                    continue
    own = _read_dict(value)
    if own is not None:
        found.update(own)
    return found


def _read_dict(value: object) -> dict[str, object] | None:
    # Found on the class first, so that a `__dict__` the class defines itself is not called.
    for cls in class_order(type(value))[:-1]:
        member = class_dict(cls).get("__dict__")
        if member is not None:
            own = member.__get__(value) if type(member) is _DICT_SLOT else None
            return own if type(own) is dict else None
    return None


class _DictHolder:
    pass


_DICT_SLOT = type(_DictHolder.__dict__["__dict__"])


def read_tuple_names(kind: type) -> tuple[str, ...] | None:
    """The field names of a named tuple's class."""
    for cls in class_order(kind):
        names = class_dict(cls).get("_fields")
        if type(names) is tuple and all(type(name) is str for name in names):
            return names
    return None


def read_enum_value(value: object) -> object:
    """The value behind an Enum member, without asking the member."""
    own = _read_dict(value)
    return None if own is None else own.get("_value_")
