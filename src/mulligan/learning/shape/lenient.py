"""What a model wrote, as calls of the tools it was offered: read, resolved, brought into shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mulligan.core.suggestion import Kind
from mulligan.learning.shape.conform import Conformed, conform
from mulligan.learning.shape.schema import Schema
from mulligan.learning.values.closeness import is_slip, pick_only
from mulligan.learning.values.locked import find_locked_changes
from mulligan.learning.written.calls import WrittenCall, read_calls


@dataclass(frozen=True, slots=True)
class Meant:
    """One call as it was meant."""

    tool: str
    """One of those offered; or the name as it was written, if it is none of them."""
    arguments: dict[str, object]
    kinds: tuple[Kind, ...] = ()
    """What was changed; nothing when the call was right as it stood."""
    fits: bool = True
    """Whether the arguments fit the tool's schema now."""


def read_meant(written: object, tools: Mapping[str, Schema]) -> list[Meant]:
    """The calls a model meant, from whatever it wrote; none when there is no call in it.

    The first group of calls that fit their tools is the answer: what follows is talk about it.
    """
    groups = [
        [_resolve_call(call, tools) for call in group]
        for group in read_calls(written, tools=tuple(tools))
    ]
    groups = [group for group in groups if any(call.tool in tools for call in group)]
    groups = [_drop_repeats(group) if isinstance(written, str) else group for group in groups]
    sound = (group for group in groups if all(call.fits for call in group))
    return next(sound, groups[0] if groups else [])


def _drop_repeats(group: list[Meant]) -> list[Meant]:
    """A text that repeats a call word for word means one; a list of calls is meant as it stands."""
    return list({repr(call): call for call in group}.values())


def _resolve_call(call: WrittenCall, tools: Mapping[str, Schema]) -> Meant:
    tool = match_tool(call.name, tuple(tools)) or _match_arguments(call, tools)
    if tool is None:
        return Meant(call.name, call.arguments, fits=False)
    schema = tools[tool]
    kinds = () if _normalize_name(tool) == _normalize_name(call.name) else (Kind.TOOL,)
    arguments = {**_name_values(call, schema), **call.arguments}
    fixed = conform(arguments, schema)
    if fixed is not None and _says_the_same(arguments, fixed):
        return Meant(tool, fixed.arguments, (*kinds, *fixed.kinds))
    return Meant(tool, arguments, kinds, fits=schema.fits(arguments))


def _says_the_same(arguments: Mapping[str, object], fixed: Conformed) -> bool:
    """A call that was not made yet is only read: nothing is cut down, guessed or sent elsewhere."""
    if {Kind.CLAMP, Kind.OTHER} & set(fixed.kinds):
        return False
    return not find_locked_changes(arguments, fixed.arguments)


def match_tool(name: str, tools: Sequence[str]) -> str | None:
    """The tool a name stands for: itself, or the only one a prefix or one letter away."""
    plain = _normalize_name(name)
    exact = pick_only(tool for tool in tools if _normalize_name(tool) == plain)
    if exact is not None:
        return exact
    longer = pick_only(
        tool for tool in tools if _normalize_name(tool).endswith(f"_{plain}") and plain
    )
    shorter = pick_only(tool for tool in tools if plain.endswith(f"_{_normalize_name(tool)}"))
    return longer or shorter or pick_only(tool for tool in tools if is_slip(name, tool))


def _match_arguments(call: WrittenCall, tools: Mapping[str, Schema]) -> str | None:
    """The only tool offered, if the arguments are its own."""
    if len(tools) != 1 or not call.arguments:
        return None
    tool, schema = next(iter(tools.items()))
    own = set(call.arguments) <= set(schema.properties)
    return tool if own and set(schema.required) <= set(call.arguments) else None


def _name_values(call: WrittenCall, schema: Schema) -> dict[str, object]:
    """Values without a name take those of the schema, in its order."""
    names = [name for name in schema.properties if name not in call.arguments]
    return dict(zip(names, call.values, strict=False)) if len(call.values) <= len(names) else {}


def _normalize_name(name: str) -> str:
    return name.strip().replace(".", "_").replace("/", "_").replace("-", "_").casefold()
