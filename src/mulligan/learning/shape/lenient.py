"""What a model wrote, as calls of the tools it was offered: read, resolved, brought into shape."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from mulligan.core.failures.suggestion import Kind
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.shape.coerce import may_be_two
from mulligan.learning.shape.conform import Conformed, conform
from mulligan.learning.shape.sameness import says_same_in_shape
from mulligan.learning.shape.schema import Schema
from mulligan.learning.values.closeness import is_slip, pick_only
from mulligan.learning.values.locked import find_locked_changes
from mulligan.learning.written.calls import read_calls
from mulligan.learning.written.literal import Formula
from mulligan.learning.written.spelling import is_like, match_name, match_tool, normalize_spelling
from mulligan.learning.written.structures import ARGUMENT_KEYS, WrittenCall

_NAMESPACE = re.compile(r"[./]")
MOST_SHOWN = 60
"""Characters of a value in a sentence about it."""


@dataclass(frozen=True, slots=True)
class Meant:
    """One call as it was meant."""

    tool: str
    """One of those offered; or the name as it was written, if it is none of them."""
    arguments: dict[str, object]
    kinds: tuple[Kind, ...] = ()
    """What was changed; nothing when the call was right as it stood."""
    fits: bool = True
    """Whether this is a call of the tool, surely read, whose arguments fit its schema."""
    problems: tuple[str, ...] = ()
    """Why it does not fit, a sentence each."""


def read_meant(written: object, tools: Mapping[str, Schema]) -> list[Meant]:
    """The calls a model made, in order, from whatever it wrote; none when there is no call in it.

    What is no call of a tool, or not surely one, is among them and does not fit.
    """
    names = tuple(tools)
    calls = [_resolve_call(call, tools) for call in read_calls(written, tools=names)]
    if not any(call.tool in tools or suggest_tool(call.tool, names) for call in calls):
        calls = [call for call in calls if is_like(call.tool, names)]
    return _drop_repeats(calls) if isinstance(written, str) else calls


def suggest_tool(name: str, tools: Sequence[str]) -> str | None:
    """The tool that may have been meant: itself, one letter away, or without its namespace."""
    last = pick_only(tool for tool in tools if match_name(name, [_NAMESPACE.split(tool)[-1]]))
    return match_tool(name, tools) or last or pick_only(t for t in tools if is_slip(name, t))


def _drop_repeats(calls: list[Meant]) -> list[Meant]:
    """A text that repeats a call word for word means one; a list of calls is meant as it stands."""
    return list({repr(call): call for call in calls}.values())


def _resolve_call(call: WrittenCall, tools: Mapping[str, Schema]) -> Meant:
    tool = match_tool(call.name, tuple(tools))
    if tool is None:
        near = suggest_tool(call.name, tuple(tools))
        said = f"{call.name!r} is no tool" + (f"; {near!r} is another name" if near else "")
        return Meant(call.name, _show_plain(call.arguments), fits=False, problems=(said,))
    schema = tools[tool]
    names = list(schema.properties)
    given = _unwrap_named(call.arguments, names)
    named = _rename_spelled(given, names)
    arguments = {**dict(zip(names, call.values, strict=False)), **named}
    if problems := (*_list_unplaced(call, named, schema), *call.doubts):
        return Meant(tool, _show_plain(arguments), fits=False, problems=problems)
    changed = {
        Kind.TOOL: normalize_spelling(tool) != normalize_spelling(call.name),
        Kind.REFORMAT: given is not call.arguments,
        Kind.RENAME: list(named) != list(given),
    }
    return _shape_call(tool, arguments, schema, kinds=[kind for kind in changed if changed[kind]])


def _unwrap_named(arguments: dict[str, object], names: Sequence[str]) -> dict[str, object]:
    """Without the sole name around all arguments that stands for arguments: `{"params": {…}}`."""
    if len(arguments) != 1:
        return arguments
    [(name, inner)] = arguments.items()
    wraps = name in ARGUMENT_KEYS and name not in names
    return inner if wraps and isinstance(inner, dict) else arguments


def _rename_spelled(given: Mapping[str, object], names: Sequence[str]) -> dict[str, object]:
    """Under the schema's names where they are spelled another way; two never become one."""
    renamed = {match_name(name, names) or name: held for name, held in given.items()}
    return renamed if len(renamed) == len(given) else dict(given)


def _list_unplaced(call: WrittenCall, named: Mapping[str, object], schema: Schema) -> Iterator[str]:
    """What was given and has no place of its own in the schema."""
    names = list(schema.properties)
    for name in names[: len(call.values)]:
        if name in named:
            yield f"{name} is given twice, once without its name"
    for value in call.values[len(names) :]:
        yield f"{_shorten(value)} has no argument to go to"
    for name in named:
        if schema.closed and name not in names:
            yield f"{name}={_shorten(named[name])} is no argument of it"


def _shape_call(
    tool: str, arguments: dict[str, object], schema: Schema, *, kinds: list[Kind]
) -> Meant:
    fixed = conform(arguments, schema)
    if fixed is not None and _says_the_same(arguments, fixed):
        return Meant(tool, fixed.arguments, tuple(dict.fromkeys((*kinds, *fixed.kinds))))
    problems = tuple(_list_problems(arguments, schema))
    return Meant(tool, arguments, tuple(kinds), fits=not problems, problems=problems)


def _says_the_same(arguments: Mapping[str, object], fixed: Conformed) -> bool:
    """A call that was not made yet is only read: nothing is cut down, guessed or sent elsewhere."""
    if {Kind.CLAMP, Kind.OTHER} & set(fixed.kinds):
        return False
    locked = find_locked_changes(arguments, fixed.arguments)
    return not locked and says_same_in_shape(arguments, fixed.arguments)


def _list_problems(arguments: Mapping[str, object], schema: Schema) -> Iterator[str]:
    for problem in schema.list_problems(arguments):
        at = ".".join(map(str, problem.path))
        yield f"{at}: {problem.message}" if at else problem.message
        value = arguments.get(at)
        if problem.rule == "type" and isinstance(value, str) and may_be_two(value):
            yield f"{at}: {value!r} can be read as two numbers"


def _show_plain(arguments: Mapping[str, object]) -> dict[str, object]:
    """Expressions as the text they were written in."""
    return {
        name: str(held) if isinstance(held, Formula) else held for name, held in arguments.items()
    }


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"
