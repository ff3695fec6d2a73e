"""What servers list: what a call of a tool needs to know, and a digest of all that models read."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from mulligan.codec.json_text import decode_json
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.protocol.frames import Raw, read_fields, read_text

TOOLS, PROMPTS = "tools", "prompts"
RESOURCES, TEMPLATES = "resources", "resourceTemplates"
INSTRUCTIONS = "instructions"
NOUNS: Mapping[str, str] = {
    TOOLS: "tool",
    PROMPTS: "prompt",
    RESOURCES: "resource",
    TEMPLATES: "resource template",
}
_KEYS: Mapping[str, str] = {RESOURCES: "uri", TEMPLATES: "uriTemplate"}
MOST_NAME = 2_048
_TIME = re.compile(r"[\d:.TZ+-]{10,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedItem:
    """One thing of one server, as it was listed last."""

    server: str
    kind: str = TOOLS
    name: str
    """As its server calls it; of a resource its URI, of a template that."""
    digest: str = ""
    """Of everything that a model is told about it; empty where that cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool(ListedItem):
    """A tool, and what a call of it needs to know."""

    description: str = field(default="", repr=False)
    schema: dict[str, Any] = field(default_factory=dict, repr=False)
    hints: dict[str, Any] = field(default_factory=dict, repr=False)
    """What it says of itself: that it only reads, or destroys."""


def read_item(kind: str, server: str, raw: bytes | Raw) -> ListedItem:
    """An element of a list; without a digest where it cannot be read."""
    name = read_text(read_fields(raw).get(_KEYS.get(kind, "name")))[: MOST_NAME + 1]
    try:
        digest = _hash(_drop_counts(_parse(raw)))
        plain = decode_json(bytes(raw))
    except (ValueError, AttributeError, RecursionError):
        return ListedItem(server=server, kind=kind, name=name)
    if kind != TOOLS:
        return ListedItem(server=server, kind=kind, name=name, digest=digest)
    schema, hints = plain.get("inputSchema"), plain.get("annotations")
    return ListedTool(
        server=server,
        name=name,
        digest=digest,
        description=str(plain.get("description") or ""),
        schema=schema if isinstance(schema, dict) else {},
        hints=hints if isinstance(hints, dict) else {},
    )


def read_greeting(server: str, raw: bytes | Raw) -> ListedItem:
    """The instructions with which a server greets; without a digest where it says two things."""
    try:
        digest = _hash(_parse(raw).get(INSTRUCTIONS))
    except (ValueError, AttributeError, RecursionError):
        digest = ""
    return ListedItem(server=server, kind=INSTRUCTIONS, name=INSTRUCTIONS, digest=digest)


class _Number(str):
    """A number as it is written: none is too long to be compared, and 1 is not 1.0."""

    __slots__ = ()
    __repr__ = str.__str__


def _parse(raw: bytes | Raw) -> Any:
    """JSON that has one reading: of a key that stands twice, clients take the one or the other."""
    return json.loads(
        bytes(raw).decode(),
        object_pairs_hook=_order,
        parse_int=_Number,
        parse_float=_Number,
    )


def _order(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("A key stands in it twice.")
    return {name: found[name] for name in sorted(found)}


def _drop_counts(fields: dict[str, Any]) -> dict[str, Any]:
    """Without the size and the time of a resource, which change with it and are no words."""
    if isinstance(fields.get("size"), _Number):
        fields.pop("size")
    notes = fields.get("annotations")
    if isinstance(notes, dict) and _TIME.fullmatch(str(notes.get("lastModified"))):
        notes.pop("lastModified")
    return fields


def _hash(value: object) -> str:
    # One spelling for each value, whatever version of Python or Unicode there is.
    return hashlib.sha256(ascii(value).encode()).hexdigest()
