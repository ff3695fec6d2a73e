"""Tables as CSV, for spreadsheets: what looks like a formula there is text."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from mulligan.codec.json_text import encode_json
from mulligan.core.display.escape import escape, escape_json

_FORMULA = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}",
    "\N{FULLWIDTH HYPHEN-MINUS}", "\N{FULLWIDTH COMMERCIAL AT}")  # fmt: skip
"""What begins a formula, to some programs after white space too."""


def render_csv(rows: Sequence[Any]) -> str:
    """A line for each row, under the names of its fields; a share stands under its own."""
    flat = [_flatten(row) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _flatten(row: Any, *, under: str = "") -> dict[str, str]:
    cells: dict[str, str] = {}
    for each in fields(row):
        value, name = getattr(row, each.name), f"{under}{each.name}"
        if is_dataclass(value):
            cells |= _flatten(value, under=f"{name}.")
        else:
            cells[name] = _format_cell(value)
    return cells


def _format_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Mapping | tuple | list):
        return escape_json(encode_json(value).decode())
    text = escape(str(value))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) or text[:1] == "\t" else text
