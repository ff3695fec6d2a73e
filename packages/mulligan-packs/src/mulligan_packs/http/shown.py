"""A resource as its server shows it: its version, its media type, and its very bytes."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import cast

from mulligan_packs.http.fields import is_alike
from mulligan_packs.http.written import parse_content
from mulligan_packs.typed_dict import TypedDict

ABSENT = "absent"
"""The version of what is not there."""


class Shown(TypedDict):
    """What a resource is, as its server shows it."""

    url: str
    at: str
    """Its version: the ETag, else a hash of its content."""
    kind: str
    """Its media type."""
    text: str
    base64: str
    """Its bytes instead, where they are no text in UTF-8."""
    given: list[str]
    """Fields that hold what the call was given for them, whatever they are called: no server has
    set them by itself."""


def is_shown(value: object) -> bool:
    """Whether something is what a resource was shown as, also as earlier versions kept it."""
    return isinstance(value, dict) and Shown.__annotations__.keys() - {"given"} <= value.keys()


def is_same_content(before: object, now: object) -> bool:
    """Whether two representations say the same, but for what the server sets by itself."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return before is now
    if ABSENT in (before["at"], now["at"]):
        return bool(before["at"] == now["at"])
    was, there = parse_shown(cast("Shown", before)), parse_shown(cast("Shown", now))
    given = frozenset(now.get("given", ()))
    return bool(before["at"] == now["at"] or is_alike(was, there, content=given))


def write_down(content: bytes) -> tuple[str, str]:
    """Bytes as text that gives the very same bytes again; else as base64."""
    try:
        return content.decode(), ""
    except UnicodeDecodeError:
        return "", b64encode(content).decode()


def read_back(shown: Shown) -> bytes:
    """The very bytes."""
    return b64decode(shown["base64"]) if shown["base64"] else shown["text"].encode()


def parse_shown(shown: Shown | None) -> object:
    """What a resource says; `None` where it is not there."""
    return None if shown is None or shown["at"] == ABSENT else parse_content(read_back(shown))
