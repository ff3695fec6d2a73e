"""What a message over HTTP repeats of itself in headers, from the revision without sessions on.

Whoever stands between a client and a server may go by the headers: so each end holds them against
the message, and refuses one that says two things.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.protocol.frames import META, Frame, read_fields, read_object, read_text

SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"
METHOD, NAME, PARAM = "mcp-method", "mcp-name", "mcp-param-"
VERSION_META = "io.modelcontextprotocol/protocolVersion"
FIRST_MODERN = "2026-07-28"
"""The first revision in which every request says all there is to know with itself."""
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
ANNOTATION = "x-mcp-header"
"""What a schema calls the header that repeats an argument."""
_PLAIN = frozenset({"string", "integer", "boolean"})
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_WRAPPED = re.compile(r"=\?base64\?(.*)\?=")
_DECIMAL = re.compile(r"(-?[0-9]+)(?:\.0+)?")
_MOST_DEEP = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedArgument:
    """An argument that stands in a header too."""

    path: tuple[str, ...]
    header: str
    is_number: bool

    def read(self, arguments: Mapping[str, object]) -> object:
        """Its value; `None` where it was not given."""
        found: object = arguments
        for name in self.path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found


def read_version(frame: Frame) -> str:
    """The revision that a message names; empty where it names none."""
    return read_text(read_fields(read_fields(frame.params).get(META, b"")).get(VERSION_META))


def is_modern(version: str) -> bool:
    """Whether a revision is one in which every request says all with itself."""
    return version >= FIRST_MODERN


def encode_header(value: str) -> str:
    """A text as a header: as it is, or wrapped where it would not come through."""
    plain = value.isascii() and value.isprintable() and value == value.strip()
    if plain and not _WRAPPED.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def decode_header(value: str) -> str | None:
    """The text of a header; `None` where it is wrapped in what nobody writes."""
    found = _WRAPPED.fullmatch(value)
    if found is None:
        return value
    try:
        inside = base64.b64decode(found[1], validate=True)
        text = inside.decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if base64.b64encode(inside).decode() == found[1] else None


def find_mismatch(frame: Frame, headers: Mapping[str, str]) -> str:
    """Where a request says one thing in its headers and another in its body; empty: nowhere."""
    if headers.get(VERSION) != read_version(frame):
        return f"The header {VERSION} is not what the message says."
    if headers.get(METHOD) != frame.method:
        return f"The header {METHOD} is not what the message says."
    name = read_text(read_fields(frame.params).get(NAMED_BY.get(frame.method, ""), b""))
    if name and decode_header(headers.get(NAME, "")) != name:
        return f"The header {NAME} is not what the message says."
    return ""


def find_argument_mismatch(
    schema: Mapping[str, Any], *, arguments: Mapping[str, object], headers: Mapping[str, str]
) -> str:
    """Where a header and the argument that it repeats differ; empty: nowhere."""
    for each in list_repeated(schema):
        written, value = headers.get(each.header), each.read(arguments)
        expected = _write(value)
        if expected is None and written is None:
            continue
        if expected is None or written is None:
            missing = "header" if written is None else "argument"
            return f"The {missing} of {each.header} is missing."
        said = decode_header(written)
        if said is None or not _is_equal(said, expected, is_number=each.is_number):
            return f"The header {each.header} is not what the message says."
    return ""


def write_headers(frame: Frame, *, schema: Mapping[str, Any]) -> dict[str, str]:
    """What a request repeats of itself; `schema` is that of the tool, where it calls one."""
    fields = read_fields(frame.params)
    headers = {VERSION: read_version(frame), METHOD: frame.method}
    name = read_text(fields.get(NAMED_BY.get(frame.method, ""), b""))
    if name:
        headers[NAME] = encode_header(name)
    repeated = list_repeated(schema)
    arguments = read_object(fields.get("arguments", b"")) if repeated else {}
    for each in repeated:
        value = _write(each.read(arguments))
        if value is not None:
            headers[each.header] = encode_header(value)
    return headers


def list_repeated(schema: Mapping[str, Any]) -> tuple[RepeatedArgument, ...]:
    """The arguments that a tool wants to see in headers; none where two want the same one."""
    found = tuple(_walk(schema, ()))
    names = {each.header for each in found}
    return found if len(names) == len(found) else ()


def _walk(schema: object, path: tuple[str, ...]) -> Iterator[RepeatedArgument]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping) or len(path) > _MOST_DEEP:
        return
    for name, inner in properties.items():
        if not isinstance(inner, Mapping):
            continue
        token, kind = inner.get(ANNOTATION), inner.get("type")
        if isinstance(token, str) and _TOKEN.fullmatch(token) and kind in _PLAIN:
            header = f"{PARAM}{token.lower()}"
            yield RepeatedArgument(path=(*path, name), header=header, is_number=kind == "integer")
        yield from _walk(inner, (*path, name))


def _write(value: object) -> str | None:
    """A plain value as text; `None` where there is none that a header could repeat."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        return None
    try:
        return str(value)
    except ValueError:  # a number of too many digits
        return None


def _is_equal(said: str, expected: str, *, is_number: bool) -> bool:
    if is_number:
        one, other = _DECIMAL.fullmatch(said), _DECIMAL.fullmatch(expected)
        if one is not None and other is not None:
            return one[1] == other[1]
    return said == expected
