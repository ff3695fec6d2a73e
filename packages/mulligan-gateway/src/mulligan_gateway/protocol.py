"""Messages of MCP between two peers: as bytes, as lines, as headers of HTTP, and within limits.

A message is read once, and handed on as it came but for its ids. From the revision without sessions
on, a message over HTTP repeats some of itself in headers. Whoever stands between a client and a
server may go by the headers: so each end holds them against the message, and refuses one that says
two things.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import msgspec
from msgspec import Raw as Raw
from msgspec import Struct

from mulligan.codec import decode_json, encode_json

MEBI = 1024 * 1024
MOST_TOOLS = 1_000
"""Names of tools that are taken from clients: names are kept for good."""


class Limits(Struct, frozen=True, kw_only=True):
    """What the gateway takes from a client or a server; every one can be set."""

    frame: int = 4 * MEBI
    """Bytes of one message of a client, of which there are many."""
    server_frame: int = 64 * MEBI
    """The same of a server: pictures and files are long."""
    depth: int = 128
    """How deep a message may be nested."""
    answer: float = 300.0
    """Seconds without an answer or a sign of progress after which a request is given up."""
    start: float = 60.0
    """Seconds that a server may take to start anew, up to its first answer. The first time it may
    have to be downloaded, and has the time of an answer."""
    greeting: float = 20.0
    """Seconds for which a client that comes waits for all servers, where one has answered."""
    stop: float = 2.0
    """Seconds for each step of stopping a server: input closed, asked to end, killed."""
    waiting: int = 10_000
    """Requests of one peer that are under way at once."""
    restarts: int = 5
    """Deaths in a row after which a server is left alone for a while."""
    backoff: float = 0.2
    """Seconds before the second start in a row; doubled for each that follows."""
    rest: float = 30.0
    """The longest pause between two starts, also of one that is left alone."""


class LaneFullError(Exception):
    """A principal has too many waiting requests."""


class Lanes:
    """A lane for each principal: a few of their requests are worked on, and the rest wait behind
    those, never before another principal's."""

    def __init__(self, *, wide: int, longest: float = 600.0, waiting: int = 1_000) -> None:
        self._longest = longest
        """Seconds after which a request makes room: what still goes on waits for a server."""
        self._most = waiting
        self._lanes = defaultdict[str, asyncio.Semaphore](partial(asyncio.Semaphore, wide))
        self._waiting = Counter[str]()

    @asynccontextmanager
    async def enter(self, principal: str) -> AsyncIterator[None]:
        """Wait for room; `LaneFullError` where too many wait already."""
        lane = self._lanes[principal]
        if self._waiting[principal] >= self._most:
            raise LaneFullError
        self._waiting[principal] += 1
        try:
            await lane.acquire()
        finally:
            self._waiting[principal] -= 1
        held = [lane]

        def make_room() -> None:
            while held:
                held.pop().release()

        loop = asyncio.get_running_loop()
        began = loop.time()
        limit = loop.call_later(self._longest, make_room)
        try:
            yield
        finally:
            limit.cancel()
            # A lane that is never empty rests for as long as it works: the time is not all theirs.
            rest = loop.time() - began if held and self._waiting[principal] else 0.0
            loop.call_later(rest, make_room)


async def join_parts(parts: AsyncIterator[bytes], *, most: int) -> bytes | None:
    """What comes in parts, as one; `None` where it is more than is taken."""
    found, length = [], 0
    async for part in parts:
        length += len(part)
        if length > most:
            return None
        found.append(part)
    return b"".join(found)


class LineCutter:
    """Cuts a stream into lines and keeps no more than one unfinished line."""

    def __init__(
        self,
        on_line: Callable[[bytes], None],
        *,
        longest: int,
        on_too_long: Callable[[Frame], object],
        blank: bool = False,
    ) -> None:
        self._on_line = on_line
        self._on_too_long = on_too_long
        self._longest = longest
        self._blank = blank
        """Empty lines mean something."""
        self._parts: list[bytes] = []
        self._length = 0
        self._outline: Outline | None = None
        """Of a line that is too long, and still coming."""

    def take(self, data: bytes) -> None:
        """Take what came."""
        first, *rest = data.split(b"\n")
        self._keep(first)
        for part in rest:
            self._end()
            self._keep(part)

    def finish(self) -> None:
        """The stream has ended: what is left is a line too."""
        if self._parts or self._outline is not None:
            self._end()

    def _keep(self, part: bytes) -> None:
        self._length += len(part)
        if self._outline is not None:
            self._outline.take(part)
        elif self._length > self._longest:
            self._outline = Outline()
            for each in (*self._parts, part):
                self._outline.take(each)
            self._parts = []
        elif part:
            self._parts.append(part)

    def _end(self) -> None:
        parts, outline = self._parts, self._outline
        line = parts[0] if len(parts) == 1 else b"".join(parts)
        self._parts, self._length, self._outline = [], 0, None
        if outline is not None:
            self._on_too_long(outline.read())
        elif self._blank or (line and not line.isspace()):
            self._on_line(line)


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


MOST_OUTLINED = 4_096
"""Bytes of what stands in a message itself, and levels of what is nested in it."""
LONGEST_ID = 128
_TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\[\s\S])*+")*+')
_TO_QUOTE = re.compile(rb"(?:[^\"\\]++|\\[\s\S])*+")
_TEXT = re.compile(rb'"(?:[^"\\]++|\\[\s\S])*+"')
_OPENED_BY = {b"}": b"{", b"]": b"["}


class Outline:
    """A message that is too long or broken, as far as it says whose it is: less what is nested in
    it, and less long texts. It is read as it comes, and its id is found wherever it stands."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._open = bytearray()
        """The brackets that are not closed yet."""
        self._rest = b""
        """What is only understood with what comes next."""
        self._inside = False
        """The end of a long text is still to come."""
        self._over = False

    def take(self, data: bytes) -> None:
        """Take what came."""
        data, self._rest = self._rest + data, b""
        at = 0
        while at < len(data) and not self._over:
            at = self._skip_text(data, at) if self._inside else self._take_mark(data, at)

    def read(self) -> Frame:
        """What it says of itself, with empty texts for long ones; nothing where that is unclear."""
        kept = bytes(self._kept[:MOST_OUTLINED])
        for whole in (kept, kept + b"}", kept.rpartition(b",")[0] + b"}"):
            with suppress(*UNREADABLE):  # it has broken off
                return _decode(whole)
        return Frame()

    def _skip_text(self, data: bytes, at: int) -> int:
        found = _TO_QUOTE.match(data, at)
        end = at if found is None else found.end()
        self._inside = data[end : end + 1] != b'"'
        self._rest = data[end:] if self._inside else b""
        return len(data) if self._inside else end + 1

    def _take_mark(self, data: bytes, at: int) -> int:
        found = _TO_BRACKET.match(data, at)
        end = at if found is None else found.end()
        mark = data[end : end + 1]
        if self._open:
            self._keep(data[at:end])
        elif not mark and len(data) < LONGEST_ID:
            self._rest = data
        elif mark != b"{" or data[at:end].strip() not in (b"", _EVENT):
            self._over = True  # it is no object
        if mark == b'"' and len(data) - end < LONGEST_ID:
            self._rest = data[end:]
            return len(data)
        if mark == b'"':
            self._inside = True
            self._keep(b'""')
        elif mark in _OPENED_BY:
            self._over = self._open[-1:] != _OPENED_BY[mark] or len(self._open) == 1
            if self._over:
                self._keep(b"}")
            del self._open[-1:]
        elif mark:
            self._keep(b"0")
            if not self._open:
                self._kept += mark
            self._open += mark
            self._over = self._over or len(self._open) > MOST_OUTLINED
        return end + 1

    def _keep(self, part: bytes) -> None:
        if len(self._open) == 1:
            self._kept += _TEXT.sub(lambda t: t[0] if len(t[0]) <= LONGEST_ID else b'""', part)
            self._over = self._over or len(self._kept) > MOST_OUTLINED


_EVENT = b"data:"
"""What stands before a message in a stream of events."""


def read_outline(message: bytes) -> Frame:
    """What a message that cannot be read says of itself; nothing where that is unclear."""
    outline = Outline()
    outline.take(message)
    return outline.read()


def read_frame(line: bytes, limits: Limits) -> Frame:
    """A message as it was sent; `UnreadableFrameError` where it is none.

    That it is not too long is seen where it comes in.
    """
    if line.count(b"[") + line.count(b"{") > limits.depth and is_deep(line, limits.depth):
        key = b""
        with suppress(*UNREADABLE):  # then it gets no answer by its id
            key = _decode(line).key
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
    parts = ("id", "params", "result", "error")
    raw = {name: Raw(json.dumps(read[name]).encode()) for name in parts if name in read}
    method = read.get("method", "")
    key = bytes(raw.get("id", NOTHING))
    if not isinstance(method, str):
        raise UnreadableFrameError("Its method is no text.", key=key if is_id(key) else b"")
    return Frame(method=method, **raw)


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


_MARK = re.compile(rb'"(?:[^"\\]|\\[\s\S])*+"?|[][{}]')
_DEEPER = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


def is_deep(line: bytes, most: int) -> bool:
    """Whether brackets outside of texts nest deeper than that."""
    depth = 0
    for found in _MARK.finditer(line):
        depth += _DEEPER.get(found[0], 0)
        if depth > most:
            return True
    return False


def read_fields(raw: bytes | Raw) -> dict[str, Any]:
    """An object by its fields, each as it was written (`Raw`); empty where it is none."""
    read = _read_parts(_fields, raw) if raw else None
    return read if isinstance(read, dict) else {}


def read_elements(raw: bytes | Raw) -> list[Raw]:
    """The elements of a list, each as it was written; none where it is no list."""
    read = _read_parts(_elements, raw)
    return read if isinstance(read, list) else []


def _read_parts(decode: Callable[[bytes | Raw], object], raw: bytes | Raw) -> object:
    """The same of what the strict reader refuses and is JSON; `None` where it is none."""
    with suppress(*UNREADABLE):  # what it refuses may be JSON all the same
        return decode(raw)
    read = None
    with suppress(ValueError, RecursionError):  # it is none
        read = json.loads(bytes(raw))
    if isinstance(read, dict):
        return {name: Raw(json.dumps(value).encode()) for name, value in read.items()}
    return [Raw(json.dumps(e).encode()) for e in read] if isinstance(read, list) else None


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


def write_refusal(key: bytes, code: int, said: str) -> bytes:
    """An error of the gateway's own, under the id that its reader has given."""
    return write_error(key, build_error(code, said))


def write_answer(key: bytes, frame: Frame) -> bytes:
    """Another's answer under the id that its reader has given."""
    if frame.error:
        return write_error(key, frame.error)
    return write_result(key, frame.result)


def strip_ours(message: bytes) -> bytes:
    """A message without what is ours in any `_meta` of it, however that is spelt or doubled; one
    that has none of it is as it came."""
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

    def keep(number: str) -> Raw:
        return Raw(number.encode())

    try:
        # Numbers keep the form that they were written in.
        read = json.loads(message, object_pairs_hook=build, parse_int=keep, parse_float=keep)
        try:
            return encode_json(read) if found else message
        except TypeError:  # a half of a surrogate pair, which only `json` writes
            return json.dumps(json.loads(message, object_pairs_hook=build)).encode()
    except (ValueError, RecursionError):
        return message  # its next reader finds it unreadable too


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


def drop_misspelt(fields: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """An object without what some readers take for one of its own fields: `Tools` for `tools`."""
    folded = {name.casefold() for name in names}
    return {n: v for n, v in fields.items() if n in names or n.casefold() not in folded}


def as_line(frame: bytes) -> bytes:
    """A message as one line: breaks between its parts mean nothing, and none is inside a text."""
    if b"\n" in frame or b"\r" in frame:
        frame = frame.replace(b"\r", b" ").replace(b"\n", b" ")
    return frame + b"\n"


SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"
METHOD, NAME, PARAM = "mcp-method", "mcp-name", "mcp-param-"
VERSION_META = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
"""What every request and answer says of its sender from that revision on."""
FIRST_MODERN = "2026-07-28"
"""The first revision in which every request says all there is to know with itself."""
OLDER = "2025-11-25"
"""The last revision with a handshake."""
STATE, RESPONSES = "requestState", "inputResponses"
"""What comes back with a request that its server has asked its client something about."""
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
ANNOTATION = "x-mcp-header"
"""What a schema calls the header that repeats an argument."""
_PLAIN = frozenset({"string", "integer", "boolean"})
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_WRAPPED = re.compile(r"=\?base64\?(.*)\?=")
_DECIMAL = re.compile(r"(-?[0-9]+)(?:\.0+)?")
_MOST_DEEP = 32


class RepeatedArgument(Struct, frozen=True, kw_only=True):
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


def asks_for_input(result: Mapping[str, Any]) -> bool:
    """Whether a server asks its client something in the place of an answer."""
    return result.get("resultType") == "input_required"


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
    """The text of a header; `None` where its wrapping is malformed."""
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
        one, other = _DECIMAL.fullmatch(said or ""), _DECIMAL.fullmatch(expected)
        same = one is not None and other is not None and one[1] == other[1]
        if said != expected and not (each.is_number and same):
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
