"""Results of tools as servers send them: their values, their failures, and what is said beside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.codec.json_text import decode_json, encode_json
from mulligan.gateway.protocol.frames import (
    BAD_PARAMS,
    Raw,
    read_fields,
    write_fields,
)

NOTE = "mulligan/note"
"""Marks a part of a result that is the gateway's and not the server's, in its `_meta`."""


_WRAPPING = re.compile(r"\AError executing tool \S+: ")
_REFUSED = re.compile(
    r"\A(?:Error executing tool (?P<tool>\S+): \d+ validation errors? for (?P=tool)Arguments\b"
    r"|(?:Error calling tool '\S+': )?\d+ validation errors? for call\[\w+\])"
)
"""What the Python SDK and FastMCP say where they have not even called a tool, for its arguments."""
_CODED = re.compile(r"\AMCP error (-32\d{3}): ")
"""How the TypeScript SDK puts an error of the protocol into a result."""


class ToolFailedError(Exception):
    """A server's own answer that a call has failed, with what it says for programs."""

    def __init__(self, said: str, *, code: int | str | None = None, data: object = None) -> None:
        super().__init__(said or "It failed, and did not say why.")
        self.code = code
        self.data = data


def read_value(result: Mapping[str, Any]) -> object:
    """What a tool returned, out of the wrapping that it came in."""
    structured = result.get("structuredContent")
    if structured is not None:
        whole = isinstance(structured, dict) and list(structured) == ["result"]
        return structured["result"] if whole else structured
    text = join_texts(result)
    if text[:1] in ("{", "["):
        try:
            return decode_json(text)
        except (ValueError, RecursionError):
            return text
    return text


def join_texts(result: Mapping[str, Any]) -> str:
    """The texts of a result, one under the other."""
    content = result.get("content")
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def read_failure(result: Mapping[str, Any]) -> ToolFailedError:
    """The failure that a result is, with the code that its fields name."""
    value, said = read_value(result), join_texts(result)
    code = find_code(value) if isinstance(value, dict) else _find_written_code(said)
    # The Python SDK puts its own words before those of the tool.
    return ToolFailedError(_WRAPPING.sub("", said, count=1), code=code, data=value)


def _find_written_code(said: str) -> int | None:
    """The code of the protocol that an SDK has put into words."""
    if _REFUSED.match(said):
        return BAD_PARAMS
    coded = _CODED.match(said)
    return int(coded[1]) if coded is not None else None


def find_code(fields: Mapping[str, Any]) -> int | str | None:
    """What an error says for programs to tell it by."""
    inner = fields.get("error")
    for holder in (fields, inner if isinstance(inner, dict) else {}):
        for name in ("status", "statusCode", "status_code", "code"):
            value = holder.get(name)
            if isinstance(value, int | str) and not isinstance(value, bool):
                return value
    return None


def build_note(text: str) -> dict[str, object]:
    """A part of a result that says whose it is."""
    return {"type": "text", "text": text, "_meta": {NOTE: True}}


def add_notes(raw: bytes | Raw, notes: Iterable[str]) -> bytes:
    """A result with what its reader is to know beside it; all else is as it came."""
    told = [build_note(note) for note in notes if note]
    if not told:
        return bytes(raw)
    fields: dict[str, Any] = dict(read_fields(raw))
    content = bytes(fields.get("content", b"[]")).strip()
    inside = content[1:-1].strip() if content[:1] == b"[" else b""
    ours = encode_json(told)[1:-1]
    fields["content"] = Raw(b"[%b%b%b]" % (inside, b"," if inside else b"", ours))
    return write_fields(fields)


def build_result(
    value: object, *, modern: bool, failed: bool = False, notes: Iterable[str] = ()
) -> bytes:
    """A result of the gateway's own making; `modern`: for who wants to hear that it is whole."""
    text = value if isinstance(value, str) else encode_json(value).decode()
    made: dict[str, object] = {"content": [{"type": "text", "text": text}]}
    if isinstance(value, dict):
        made["structuredContent"] = value
    if failed:
        made["isError"] = True
    if modern:
        made["resultType"] = "complete"
    return add_notes(encode_json(made), notes)
