"""Calls in a structure that was read from a model's text, or came as one from its host."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.written.literal import GarbledError, Named, list_expressions
from mulligan.learning.written.spelling import match_tool
from mulligan.learning.written.talk import denies
from mulligan.learning.written.whole import read_whole

NAME_KEYS = (
    *("name", "function", "tool", "tool_name", "function_name", "func", "api", "action"),
    "recipient_name",
)
ARGUMENT_KEYS = ("arguments", "parameters", "params", "args", "kwargs", "input", "action_input")
HOLDERS = re.compile(
    r"(?:tool|function)_calls?|functions|calls?|actions?|tools?|tool_uses|content|messages?|"
    r"choices|outputs?|parts|steps"
)
"""Keys that hold calls among others. Elsewhere calls are shown or remembered, and not made."""
REMARKS = re.compile(
    r"id|index|type|role|call_id|tool_call_id|tool_use_id|thoughts?|thinking|reasoning|rationale|"
    r"reason|explanation|comment|description|content|log|status|confidence"
)
"""What may stand beside a call's arguments and says nothing about what is asked for."""
MOST_DOUBTED = 60
"""Characters that are shown of what could not be read."""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """One call as it was written: nothing is resolved or checked yet."""

    name: str
    arguments: dict[str, object]
    values: tuple[object, ...] = ()
    """Arguments without a name, in order."""
    doubts: tuple[str, ...] = ()
    """What was written with it and cannot be taken for one of its values, a sentence each."""


def find_calls(value: object, tools: Sequence[str]) -> Iterator[WrittenCall]:
    """The calls in a structure: a list of them, `{name, arguments}`, `{tool: arguments}`."""
    match value:
        case list() | tuple():
            pair = _match_pair(value, tools)
            if pair:
                yield pair
            else:
                for item in value:
                    yield from find_calls(item, tools)
        case Named():
            yield from_named(value)
        case dict():
            yield from _from_mapping(value, tools)
        case _:
            return


def from_named(call: Named) -> WrittenCall:
    """A sole mapping without a name holds the arguments: `tool({"a": 1})`."""
    if len(call.values) == 1 and not call.keywords and isinstance(call.values[0], dict):
        return build_call(call.name, call.values[0])
    return build_call(call.name, call.keywords, values=tuple(call.values))


def build_call(
    name: str,
    arguments: dict[str, object],
    *,
    values: tuple[object, ...] = (),
    doubts: Sequence[str] = (),
) -> WrittenCall:
    """A call, with a doubt for everything in it that is an expression and no value."""
    unread = [*list_expressions(arguments), *list_expressions(values)]
    said = [f"{each[:MOST_DOUBTED]!r} is an expression, and not a value" for each in unread]
    return WrittenCall(name, arguments, values, (*doubts, *said))


def decode_arguments(value: object) -> dict[str, object] | None:
    """Arguments that may have come as text."""
    if isinstance(value, str):
        value = _from_text(value)
    return value if isinstance(value, dict) else None


def _from_text(text: str) -> object:
    try:
        return read_whole(text)
    except GarbledError:
        return None


def _match_pair(value: Sequence[object], tools: Sequence[str]) -> WrittenCall | None:
    """`["tool", {"a": 1}]`."""
    if len(value) != 2 or not isinstance(value[0], str) or not isinstance(value[1], dict):
        return None
    return build_call(value[0], value[1]) if match_tool(value[0], tools) else None


def _from_mapping(value: Mapping[str, object], tools: Sequence[str]) -> Iterator[WrittenCall]:
    inner = value.get("function")
    if isinstance(inner, dict):
        yield from _from_mapping(inner, tools)
        return
    name_key = next((k for k in NAME_KEYS if isinstance(value.get(k), str)), None)
    holder = next((k for k in ARGUMENT_KEYS if decode_arguments(value.get(k)) is not None), None)
    name = str(value[name_key]) if name_key else ""
    if name_key and (holder or match_tool(name, tools)):
        rest = {k: v for k, v in value.items() if k not in (name_key, holder)}
        arguments = (decode_arguments(value[holder]) or {}) if holder else rest
        if not _is_definition(arguments, rest):
            doubts = _list_beside(rest) if holder else []
            yield build_call(name, arguments, doubts=doubts)
        return
    for key, held in value.items():
        given = decode_arguments(held)
        if match_tool(key, tools) and given is not None:
            yield build_call(key, given)
        elif isinstance(held, list | dict) and _holds_calls(key, alone=len(value) == 1):
            yield from find_calls(held, tools)


def _holds_calls(key: str, *, alone: bool) -> bool:
    """Whether the calls under a key are made; `example` and `rejected` say that they are not."""
    return HOLDERS.fullmatch(key) is not None or (alone and not denies(key.replace("_", " ")))


def _is_definition(arguments: Mapping[str, object], beside: Mapping[str, object]) -> bool:
    """A tool as it was offered, and no call of it: its arguments are a schema."""
    schema = isinstance(arguments.get("properties"), dict) and "type" in arguments
    return schema or any(key in beside for key in ("input_schema", "inputSchema"))


def _list_beside(rest: Mapping[str, object]) -> list[str]:
    """What stands beside the arguments, and might have been meant to change the call."""
    return [
        f"{key}={held!r}"[:MOST_DOUBTED] + " stands beside its arguments"
        for key, held in rest.items()
        if not REMARKS.fullmatch(key) and held not in (None, "", [], {})
    ]
