"""Tools as servers have them and clients see them: lists, names, results, pins and our own.

One server: names are as it calls them itself. Several: `server_tool`, always, so that a name stays
the same when another server is added. Whose a name is follows from the servers' names alone: nobody
gains one by being first, and what two could mean is neither's.

A server may change what its instructions, tools, prompts and resources say at any time, and an
agent reads it as advice: pins are what it said when it was last approved, so that a change
is noticed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from mulligan.codec import decode_json, encode_json
from mulligan.types.errors import ConfigurationError
from mulligan.types.private_files import hold_lock
from mulligan.types.values import hide_fields
from mulligan_gateway.protocol import BAD_PARAMS, META, Raw, read_fields, read_text

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


class ListedItem(Struct, frozen=True, kw_only=True):
    """One thing of one server, as it was listed last."""

    server: str
    kind: str = TOOLS
    name: str
    """As its server calls it; of a resource its URI, of a template that."""
    digest: str = ""
    """Of everything that a model is told about it; empty where that cannot be read."""


@hide_fields("description", "schema", "hints")
class ListedTool(ListedItem, frozen=True, kw_only=True):
    """A tool, and what a call of it needs to know."""

    description: str = ""
    schema: dict[str, Any] = field(default_factory=dict)
    hints: dict[str, Any] = field(default_factory=dict)
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
        raise ValueError("It has a duplicate key.")
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


WHY = "mulligan_why"
PITFALLS = "mulligan_pitfalls"
SEARCH = "mulligan_search"
UNDO = "mulligan_undo"
STATUS = "mulligan_status"

_TOOL = {"type": "string", "description": "The name of a tool."}
_ACTION = {"type": "string", "description": "The id of an action."}


def _build(
    name: str,
    description: str,
    properties: dict[str, Any],
    *,
    required: tuple[str, ...] = (),
    reads: bool = True,
) -> Any:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {
        "name": name,
        "description": description,
        "inputSchema": schema | ({"required": list(required)} if required else {}),
        "annotations": {"readOnlyHint": reads, "openWorldHint": False},
    }


OWN_TOOLS = (
    _build(
        WHY,
        "Why your last call of a tool failed, and what usually works. Without a name: of your last "
        "failed call.",
        {"tool": _TOOL},
    ),
    _build(
        PITFALLS,
        "What is known to go wrong with a tool, before you call it. Without a name: with all.",
        {"tool": _TOOL},
    ),
    _build(
        SEARCH,
        "Search known errors of all tools and their fixes, by the words of an error message.",
        {"words": {"type": "string", "description": "Words, such as those of an error."}},
        required=("words",),
    ),
    _build(
        UNDO,
        "Undo something that you did here. Without an id: list what can be undone.",
        {"action": _ACTION},
        reads=False,
    ),
    _build(
        STATUS,
        "Status of what you did, of calls that await approval, and of servers that are not there. "
        "Without an id: all.",
        {"action": _ACTION},
    ),
)


SEPARATOR = "_"
_NAME = re.compile(r"[A-Za-z0-9_./-]{1,128}")
"""Names as MCP wants those of tools; in other alphabets they can look like each other's."""
_URI = re.compile(rf"[!-~]{{1,{MOST_NAME}}}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_EXPRESSION = re.compile(r"\{[^{}]*\}")
_ALIKE = str.maketrans("01i", "oll", "_-./")

Refusals = dict[tuple[str, str], str]
"""Why something is not offered, by its server and the name that it has there."""


class Names:
    """Names of the servers of one gateway, in both directions."""

    def __init__(self, servers: Sequence[str]) -> None:
        self.change(servers)

    def change(self, servers: Sequence[str]) -> None:
        """From now on, there are these."""
        self.servers = tuple(servers)
        self.only = servers[0] if len(servers) == 1 else None
        self._by_length = sorted(servers, key=len, reverse=True)

    def name_for_clients(self, server: str, name: str) -> str:
        """What clients call it."""
        return name if self.only is not None else f"{server}{SEPARATOR}{name}"

    def resolve(self, exposed: str) -> tuple[str, str] | None:
        """The server of a name, and what it is called there; `None`: of no server."""
        if self.only is not None:
            return self.only, exposed
        for server in self._by_length:
            if exposed.startswith(f"{server}{SEPARATOR}"):
                return server, exposed[len(server) + len(SEPARATOR) :]
        return None

    def list_overlaps(self) -> Iterator[tuple[str, str]]:
        """Servers, and others among whose names some of theirs would fall."""
        for server in self.servers:
            for other in self.servers:
                if other.startswith(f"{server}{SEPARATOR}"):
                    yield server, other

    def find_refusals(self, items: Iterable[ListedItem], *, own_tools: bool) -> Refusals:
        """What is not offered of the lists of one kind, of all servers."""
        refused: Refusals = {}
        alike: dict[str, list[ListedItem]] = {}
        for item in items:
            why = self._find_fault(item, own_tools=own_tools)
            if why:
                refused[item.server, item.name] = why
            elif item.kind in (TOOLS, PROMPTS):
                folded = fold_alike(self.name_for_clients(item.server, item.name))
                alike.setdefault(folded, []).append(item)
        for group in alike.values():
            if len(group) > 1:
                both = " and ".join(f"{item.name!r} of {item.server}" for item in group[:2])
                said = f"{both} could be taken for one another"
                refused |= {(item.server, item.name): said for item in group}
        return refused

    def _find_fault(self, item: ListedItem, *, own_tools: bool) -> str:
        exposed = self.name_for_clients(item.server, item.name)
        owner, _ = self.resolve(exposed) or ("", "")
        looks_ours = fold_alike(item.name).startswith(_RESERVED) or fold_alike(exposed) in _OWN
        if item.kind in (TOOLS, PROMPTS):
            if not _NAME.fullmatch(item.name):
                return "its name has more in it than ASCII letters, digits and _ - . /"
            if owner != item.server:
                return f"clients would call it {exposed!r}, which is for {owner} to name"
            if own_tools and item.kind == TOOLS and looks_ours:
                return "its name looks like one of the gateway's own"
        elif not _URI.fullmatch(item.name):
            return "its address has characters that no URI has"
        elif item.kind == TEMPLATES and self.only is None and not _SCHEME.match(item.name):
            return "it would fit the resources of every server"
        return "" if item.digest else "what is listed of it cannot be read, or says two things"


def fold_alike(name: str) -> str:
    """One for all ASCII names that a reader could take for one another."""
    return name.lower().translate(_ALIKE).replace("rn", "m").replace("vv", "w")


_RESERVED = fold_alike("mulligan")
_OWN = frozenset(fold_alike(tool["name"]) for tool in OWN_TOOLS)


def claims(item: ListedItem, uri: str) -> bool:
    """Whether a resource is the one at an address, or a template may be filled in to give it.

    An expression of a template is taken for any text, so nothing that fits is missed.
    """
    if item.kind != TEMPLATES or item.name == uri:
        return item.name == uri
    first, *rest = _split_template(item.name)
    if not rest:
        return False
    *between, last = rest
    at = len(first)
    if not uri.startswith(first) or not uri.endswith(last):
        return False
    for part in between:
        found = uri.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return at <= len(uri) - len(last)


@lru_cache(maxsize=10_000)
def _split_template(template: str) -> tuple[str, ...]:
    return tuple(_EXPRESSION.split(template))


def find_overlaps(
    resources: Sequence[ListedItem], templates: Sequence[ListedItem]
) -> dict[tuple[str, str], ListedItem]:
    """By every two servers: something of the first that the second could answer for as well."""
    owners: dict[str, set[str]] = {}
    for item in resources:
        owners.setdefault(item.name, set()).add(item.server)
    found: dict[tuple[str, str], ListedItem] = {}
    for item in (*resources, *templates):
        claimed = {each.server for each in templates if claims(each, item.name)}
        for other in sorted((claimed | owners.get(item.name, set())) - {item.server}):
            if (other, item.server) not in found:
                found.setdefault((item.server, other), item)
    return found


def describe_item(item: ListedItem) -> str:
    """What an operator reads of it: every character that hides is shown."""
    noun, name = NOUNS.get(item.kind, ""), ascii(item.name[:100])[1:-1]
    return f"the {noun} “{name}”" if noun else f"its {item.kind} text"


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
    if isinstance(value, dict):
        code = find_code(value)
    elif _REFUSED.match(said):
        code = BAD_PARAMS
    else:
        coded = _CODED.match(said)
        code = None if coded is None else int(coded[1])
    # The Python SDK puts its own words before those of the tool.
    return ToolFailedError(_WRAPPING.sub("", said, count=1), code=code, data=value)


def find_code(fields: Mapping[str, Any]) -> int | str | None:
    """What an error says for programs to tell it by."""
    inner = fields.get("error")
    for holder in (fields, inner if isinstance(inner, dict) else {}):
        for name in ("status", "statusCode", "status_code", "code"):
            value = holder.get(name)
            if isinstance(value, int | str) and not isinstance(value, bool):
                return value
    return None


def add_notes(raw: bytes | Raw, notes: Iterable[str]) -> bytes:
    """A result with what its reader is to know beside it; all else is as it came."""
    told = [{"type": "text", "text": note, META: {NOTE: True}} for note in notes if note]
    if not told:
        return bytes(raw)
    fields = read_fields(raw)
    content = bytes(fields.get("content", b"[]")).strip()
    inside = content[1:-1].strip() if content[:1] == b"[" else b""
    ours = encode_json(told)[1:-1]
    fields["content"] = Raw(b"[%b%b%b]" % (inside, b"," if inside else b"", ours))
    return encode_json(fields)


def build_result(
    value: object, *, modern: bool, failed: bool = False, notes: Iterable[str] = ()
) -> bytes:
    """A result of the gateway's own making; `modern`: marked as complete."""
    text = value if isinstance(value, str) else encode_json(value).decode()
    made: dict[str, object] = {"content": [{"type": "text", "text": text}]}
    if isinstance(value, dict):
        made["structuredContent"] = value
    if failed:
        made["isError"] = True
    if modern:
        made["resultType"] = "complete"
    return add_notes(encode_json(made), notes)


APPROVED, SEEN = "approved", "seen"
Digests = dict[str, dict[str, str]]
"""By name: the digest that was approved, and the last that was seen."""
Known = dict[str, dict[str, Digests]]
"""By server and kind. A kind that is there was once seen whole."""
Stamp = tuple[int, int, int] | None


class Pins:
    """The digests of what servers list, kept in a file of the operator's.

    Of one file there may be several gateways, one for each server of a client, and an operator who
    approves while they run: whoever writes adds to what the others have written, and whoever asks
    hears of it.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: Known = {}
        self._seen_at: Stamp = None
        self._read_anew()

    def note(self, server: str, kind: str, items: Sequence[ListedItem], *, adopt: bool) -> None:
        """A whole list was seen. The first of its kind is taken as it is.

        `adopt`: so is whatever comes to it later, and what has gone from it is forgotten.
        """
        self._read_anew()

        def note() -> None:
            noted = self._merge(server, kind, items, adopt=adopt)
            self._known.setdefault(server, {})[kind] = noted

        if self._merge(server, kind, items, adopt=adopt) != self._known.get(server, {}).get(kind):
            self._change(note)

    def list_unapproved(self, items: Iterable[ListedItem]) -> list[ListedItem]:
        """Those that are not what was approved, as they are now."""
        self._read_anew()
        return [i for i in items if not i.digest or self._find(i).get(APPROVED) != i.digest]

    def list_changed(self) -> list[ListedItem]:
        """Everything that is no longer what was approved, as it was seen last."""
        self._read_anew()
        return [
            ListedItem(server=server, kind=kind, name=name, digest=known[SEEN])
            for server, kinds in sorted(self._known.items())
            for kind, digests in sorted(kinds.items())
            for name, known in sorted(digests.items())
            if known.get(APPROVED) != known[SEEN]
        ]

    def approve(self) -> list[ListedItem]:
        """Take everything as it was seen last; what of it had changed."""
        changed = self.list_changed()

        def note() -> None:
            for item in changed:
                if known := self._find(item):  # else another gateway has seen it go
                    known[APPROVED] = known[SEEN]

        if changed:
            self._change(note)
        return changed

    def _find(self, item: ListedItem) -> dict[str, str]:
        return self._known.get(item.server, {}).get(item.kind, {}).get(item.name, {})

    def _merge(
        self, server: str, kind: str, items: Sequence[ListedItem], *, adopt: bool
    ) -> Digests:
        kinds = self._known.get(server, {})
        before = kinds.get(kind, {})
        after = {i.name: {**before.get(i.name, {}), SEEN: i.digest} for i in items if i.digest}
        if adopt or kind not in kinds:
            return {name: {APPROVED: known[SEEN]} | known for name, known in after.items()}
        return {name: known for name, known in before.items() if APPROVED in known} | after

    def _read_anew(self) -> None:
        """Read the file again if it was written since."""
        stamp = None if self._file is None else _find_stamp(self._file)
        if self._file is not None and stamp is not None and stamp != self._seen_at:
            self._known, self._seen_at = _load(self._file), stamp

    def _change(self, change: Callable[[], None]) -> None:
        """Change what is known, and the file where there is one: writers take turns there."""
        change()
        if self._file is None:
            return
        lock = self._file.with_name(f"{self._file.name}.lock")
        opened = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            with hold_lock(opened):
                self._read_anew()
                change()
                self._save(self._file)
        finally:
            os.close(opened)

    def _save(self, file: Path) -> None:
        text = json.dumps(self._known, indent=1, sort_keys=True)
        handle, beside = tempfile.mkstemp(dir=file.parent, prefix=file.name)
        with os.fdopen(handle, "w", encoding="utf-8") as written:
            written.write(text + "\n")
        Path(beside).replace(file)
        self._seen_at = _find_stamp(file)


def _find_stamp(file: Path) -> Stamp:
    """By what it is seen that a file is another one; `None` where there is none."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def _load(file: Path) -> Known:
    try:
        read: Any = json.loads(file.read_text(encoding="utf-8"))
        return {
            server: {
                kind: {
                    name: {SEEN: known[SEEN], **{k: str(v) for k, v in known.items()}}
                    for name, known in digests.items()
                }
                for kind, digests in kinds.items()
            }
            for server, kinds in read.items()
        }
    except (OSError, ValueError, RecursionError, KeyError, AttributeError, TypeError) as error:
        raise ConfigurationError(
            f"{file} says what servers listed, and cannot be read: {error!r}. Put it right, or "
            "delete it: then everything is taken as it is."
        ) from error
