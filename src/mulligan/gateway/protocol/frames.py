"""Messages of JSON-RPC as bytes: read once, and handed on as they came but for their ids."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw as Raw

from mulligan.codec.json_text import decode_json, encode_json
from mulligan.gateway.protocol.limits import Limits

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, BAD_PARAMS = -32700, -32600, -32601, -32602
SERVER_ERROR = -32000
"""A server that is gone or silent: said by the gateway, not by the server."""

META = "_meta"
OURS = "mulligan/"
"""Names in a `_meta` that begin so are between the gateway and its client: no server hears or says
one."""

NOTHING = Raw(b"")
_NULL = b"null"
_OURS_WRITTEN = OURS.encode()
_OURS_ESCAPED = re.compile(
    b"".join(rb"(?:\\?%c|\\u00(?i:%02x))" % (each, each) for each in _OURS_WRITTEN)
)
"""The same where a writer of JSON has escaped some of it, as PHP does a slash."""


class Frame(msgspec.Struct, gc=False):
    """One message. What is not there is empty."""

    id: Raw = NOTHING
    method: str = ""
    params: Raw = NOTHING
    result: Raw = NOTHING
    error: Raw = NOTHING

    @property
    def key(self) -> bytes:
        """Its id as it was written; empty where it has none that could be answered."""
        written = bytes(self.id)
        return written if is_id(written) else b""


class UnreadableFrameError(ValueError):
    """A message that cannot be understood, with the id under which that can be said."""

    def __init__(self, said: str, *, code: int = INVALID_REQUEST, key: bytes = b"") -> None:
        super().__init__(said)
        self.code = code
        self.key = key


UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_decode = msgspec.json.Decoder(Frame).decode
_fields = msgspec.json.Decoder(dict[str, Raw]).decode
_elements = msgspec.json.Decoder(list[Raw]).decode


def is_id(written: bytes) -> bool:
    """Whether something may be the id of a request: a text, or a whole number."""
    return written[:1] == b'"' or written.removeprefix(b"-").isdigit()


def read_frame(line: bytes, limits: Limits) -> Frame:
    """A message as it was sent; `UnreadableFrameError` where it is none."""
    if len(line) > limits.frame:
        raise UnreadableFrameError(f"It has {len(line)} bytes; the most are {limits.frame}.")
    if line.count(b"[") + line.count(b"{") > limits.depth and is_deep(line, limits.depth):
        key = _find_key_shallow(line)
        raise UnreadableFrameError(f"It is nested deeper than {limits.depth}.", key=key)
    try:
        line.decode()
        frame = _decode(line)
    except UNREADABLE:
        frame = _read_leniently(line)
    if frame.method:
        if frame.id and not frame.key:
            raise UnreadableFrameError("Its id is no text and no whole number.")
        if frame.params and bytes(frame.params)[:1] not in (b"{", b"[", b"n"):
            raise UnreadableFrameError("Its params are no object.", key=frame.key)
    elif not frame.key or not (frame.result or frame.error):
        raise UnreadableFrameError("It has no method, and is no answer.", key=frame.key)
    return frame


def _read_leniently(line: bytes) -> Frame:
    """A message that the strict reader refuses: a half of a surrogate pair in a text is no error
    of who sends it on, and of one that is wrong the id is still worth an answer."""
    try:
        read = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise UnreadableFrameError("It is no JSON.", code=PARSE_ERROR) from None
    if not isinstance(read, dict):
        raise UnreadableFrameError("It is no object; several messages at once are not taken.")
    raw = {name: Raw(json.dumps(read[name]).encode()) for name in _PARTS if name in read}
    method = read.get("method", "")
    key = bytes(raw.get("id", NOTHING))
    if not isinstance(method, str):
        raise UnreadableFrameError("Its method is no text.", key=key if is_id(key) else b"")
    return Frame(method=method, **raw)


_PARTS = ("id", "params", "result", "error")


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def is_deep(line: bytes, most: int) -> bool:
    """Whether brackets outside of texts nest deeper than that."""
    depth, quoted, escaped = 0, False, False
    for byte in line:
        if quoted:
            if escaped:
                escaped = False
            elif byte == _BACKSLASH:
                escaped = True
            elif byte == _QUOTE:
                quoted = False
        elif byte == _QUOTE:
            quoted = True
        elif byte in _OPENING:
            depth += 1
            if depth > most:
                return True
        elif byte in _CLOSING:
            depth -= 1
    return False


_QUOTE, _BACKSLASH, _OPENING, _CLOSING = ord('"'), ord("\\"), b"[{", b"]}"


def _find_key_shallow(line: bytes) -> bytes:
    """The id of a message that is too deep to be read, if it can be read after all."""
    try:
        return _decode(line).key
    except UNREADABLE:
        return b""


def read_fields(raw: bytes | Raw) -> dict[str, Raw]:
    """An object by its fields, each as it was written; empty where it is none."""
    try:
        return _fields(raw) if raw else {}
    except UNREADABLE:
        read = _load_leniently(raw)
    if not isinstance(read, dict):
        return {}
    return {name: Raw(json.dumps(value).encode()) for name, value in read.items()}


def read_elements(raw: bytes | Raw) -> list[Raw]:
    """The elements of a list, each as it was written; none where it is no list."""
    try:
        return _elements(raw)
    except UNREADABLE:
        read = _load_leniently(raw)
    return [Raw(json.dumps(e).encode()) for e in read] if isinstance(read, list) else []


def _load_leniently(raw: bytes | Raw) -> object:
    """What the strict reader refuses and is JSON all the same; `None` where it is none."""
    try:
        return json.loads(bytes(raw))
    except (ValueError, RecursionError):
        return None


def read_text(raw: bytes | Raw | None) -> str:
    """A text; empty where it is none."""
    try:
        read = decode_json(bytes(raw)) if raw else ""
    except (ValueError, RecursionError):
        return ""
    return read if isinstance(read, str) else ""


def read_object(raw: bytes | Raw) -> dict[str, Any]:
    """An object as plain values; empty where it is none.

    A number of more digits than Python reads is text: it must not hide what stands beside it.
    """
    try:
        read = decode_json(bytes(raw))
    except ValueError:
        try:
            read = json.loads(bytes(raw), parse_int=_read_integer)
        except (ValueError, RecursionError):
            return {}
    except RecursionError:
        return {}
    return read if isinstance(read, dict) else {}


def _read_integer(digits: str) -> int | str:
    try:
        return int(digits)
    except ValueError:
        return digits


def write_fields(fields: dict[str, Any]) -> bytes:
    """An object of fields that are written already, or plain values."""
    return encode_json(fields)


def write_request(key: bytes, method: str, *, params: bytes | Raw = b"") -> bytes:
    """A request under an id; without one, a notification."""
    named = b'"id":%b,' % key if key else b""
    given = b',"params":%b' % bytes(params) if params else b""
    return b'{"jsonrpc":"2.0",%b"method":%b%b}' % (named, encode_json(method), given)


def write_result(key: bytes, result: bytes | Raw) -> bytes:
    """An answer under the id that its reader has given."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (key, bytes(result))


def write_error(key: bytes, error: bytes | Raw) -> bytes:
    """An error as it came, under the id that its reader has given."""
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (key or _NULL, bytes(error))


def build_error(code: int, message: str) -> bytes:
    """An error of the gateway's own."""
    return encode_json({"code": code, "message": message})


def write_answer(key: bytes, frame: Frame) -> bytes:
    """Another's answer under the id that its reader has given."""
    if frame.error:
        return write_error(key, frame.error)
    return write_result(key, frame.result)


def strip_ours(message: bytes) -> bytes:
    """A message without what is ours in any `_meta` of it, however that is spelt or doubled; one
    that has nothing of it is as it came."""
    escaped = b"\\u00" in message or b"\\/" in message
    if _OURS_WRITTEN not in message and not (escaped and _OURS_ESCAPED.search(message)):
        return message
    found = False

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        for name, value in pairs:
            if name == META and isinstance(value, dict):
                for ours in [each for each in value if each.startswith(OURS)]:
                    found = True
                    del value[ours]
        return dict(pairs)

    try:
        # Numbers keep the form that they were written in.
        read = json.loads(
            message, object_pairs_hook=build, parse_int=_keep_number, parse_float=_keep_number
        )
        try:
            return encode_json(read) if found else message
        except TypeError:  # a half of a surrogate pair, which only `json` writes
            return json.dumps(json.loads(message, object_pairs_hook=build)).encode()
    except (ValueError, RecursionError):
        return message  # who reads it next finds it unreadable too


def is_ambiguous(raw: bytes | Raw) -> bool:
    """Whether two readers may take different requests from it: an object has a name twice, or one
    of the request's own names, or of its arguments', in another case, which some readers take."""
    doubled = False

    def build(pairs: list[tuple[str, Any]]) -> None:
        nonlocal doubled
        doubled = doubled or len(dict(pairs)) < len(pairs)

    try:
        json.loads(bytes(raw) or _NULL, object_pairs_hook=build, parse_int=len, parse_float=len)
    except (ValueError, RecursionError):
        return True
    params = read_fields(raw)
    given = read_fields(params.get("arguments", b"{}"))
    same = len({name.casefold() for name in given}) < len(given)
    return doubled or same or drop_misspelt(params, _OF_REQUESTS) != params


_OF_REQUESTS = (
    "name", "arguments", "uri", "cursor", "ref", "argument", "inputResponses", "requestState",
    "task", META,
)  # fmt: skip


def drop_misspelt(fields: dict[str, Raw], names: Sequence[str]) -> dict[str, Raw]:
    """An object without what some readers take for one of its own fields: `Tools` for `tools`."""
    folded = {name.casefold() for name in names}
    return {n: v for n, v in fields.items() if n in names or n.casefold() not in folded}


def _keep_number(written: str) -> Raw:
    return Raw(written.encode())


def as_line(frame: bytes) -> bytes:
    """A message as one line: breaks between its parts mean nothing, and none is inside a text."""
    if b"\n" in frame or b"\r" in frame:
        frame = frame.replace(b"\r", b" ").replace(b"\n", b" ")
    return frame + b"\n"
