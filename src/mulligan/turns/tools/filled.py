"""Parameters that we fill at every call, our key and its condition: whether that can be kept."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Collection, Mapping

from mulligan.codec.annotations import read_hints
from mulligan.turns.tools.signature import list_parameters


def find_misfit(
    tool: Callable[..., object], named: Mapping[str, str], *, taken: Collection[str | None]
) -> str:
    """Why a parameter cannot be ours to fill; empty if all can.

    `named`: what was declared, such as `key`, and the parameter. `taken`: those others fill.
    """
    parameters = {p.name: p for p in list_parameters(tool) or ()}
    has_rest = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    hints = read_hints(tool)
    seen: set[str] = set()
    for said, name in named.items():
        found = parameters.get(name)
        if name in seen or name in taken:
            return f"names {name!r} twice: {said}=… needs a parameter of its own"
        seen.add(name)
        if said == "key" and not _admits_text(hints.get(name)):
            return f"has a key that is no text: annotate {name!r} with str"
        if found is not None and (trouble := _describe_place(said, found, has_rest=has_rest)):
            return trouble
    return ""


def _describe_place(said: str, parameter: inspect.Parameter, *, has_rest: bool) -> str:
    name, kind = parameter.name, parameter.kind
    if kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return f"has a {said} without a name of its own: {name!r} takes any number of values"
    if kind is parameter.POSITIONAL_ONLY or (has_rest and kind is parameter.POSITIONAL_OR_KEYWORD):
        return f"takes {name!r} by its position, where a caller could pass it: put a * before it"
    if said != "key" and parameter.default is parameter.empty:
        return (
            f"has no default for {name!r}, and not every call is bound to a version, such as one "
            "that is only logged. Give it one"
        )
    return ""


def _admits_text(hint: object) -> bool:
    """Whether text may be passed, as far as an annotation says."""
    hint = getattr(hint, "__supertype__", hint)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return any(map(_admits_text, typing.get_args(hint)))
    if hint is type(None):
        return False
    return not isinstance(hint, type) or issubclass(str, hint) or issubclass(hint, str)
