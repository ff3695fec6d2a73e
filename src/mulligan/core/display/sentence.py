"""A call as a sentence that a person can read: as its tool describes it, or by its names."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping

from mulligan.core.display.escape import format_one_line, show_name
from mulligan.core.display.quoted import quote_value
from mulligan.core.record import Record
from mulligan.core.runtime.late_pattern import compile_late

Describe = str | Callable[[Record], str]
"""A text with the names of arguments in braces, or a function of the record."""

LONGEST = 300
_VALUE = 60
_MOST = 5
"""Of the elements of a list."""
_JOINTS = compile_late(r"[_\-.\s]+|(?<=[a-z])(?=[A-Z])")


def render_sentence(tool: str, record: Record, *, describe: Describe | None = None) -> str:
    """What a call does, on one line; a description that fails is as good as none."""
    if describe is not None:
        try:
            said = describe(record) if callable(describe) else _fill(describe, record.arguments)
        except Exception:  # noqa: BLE001 - a user's function or text; the names will do
            said = ""
        if isinstance(said, str) and said.strip():
            return format_one_line(said, most=LONGEST)
    return format_one_line(_name_call(tool, record.arguments), most=LONGEST)


def list_places(describe: str) -> list[str]:
    """The names of arguments that a description has room for."""
    parts = string.Formatter().parse(describe)
    return [re.split(r"[.\[]", name)[0] for _, name, _, _ in parts if name is not None]


def _fill(describe: str, arguments: Mapping[str, object]) -> str:
    shown = {name: _shorten(value) for name, value in arguments.items()}
    return describe.format_map(shown)


def _name_call(tool: str, arguments: Mapping[str, object]) -> str:
    """`move_event(event_id="e1")` as "Move event (event id: e1)"."""
    name = _split_name(tool)
    given = [
        f"{_split_name(each)}: {_shorten(value)}"
        for each, value in arguments.items()
        if value is not None and value != ""
    ]
    shown = f" ({', '.join(given)})" if given else ""
    return f"{name[:1].upper()}{name[1:]}{shown}"


def _split_name(name: str) -> str:
    return " ".join(part.lower() for part in _JOINTS.split(show_name(name)) if part)


def _shorten(value: object) -> str:
    parts = value if isinstance(value, list | tuple) else [value]
    text = ", ".join(quote_value(part, most=_VALUE) for part in parts[:_MOST])
    return f"{text}, …" if len(parts) > _MOST else text
