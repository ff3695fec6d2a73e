"""Parses an error of any format into its parts: the only parser of errors.

Services agree on the parts alone: a status, a machine-readable code, a reason, the path of the
faulty field, a message for people. MCP content, problem details, GraphQL, gRPC, the answers of
clouds, payment services and chats, and the output of a program all become the same struct.

An exit code is a line of its own at the start or the end of a program's output: `Return code: 1`.
The same words in a log are about other programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from mulligan.learning.parsing import GarbledError, Named, read_json, read_whole
from mulligan_dates.text import fold_name, list_words

END = 300
"""Characters at the end of a text in which a tool reports an exit code …"""
START = 100
"""… or at its start."""
NEAR = 2_000
"""Characters that decide whether it is a log."""
MOST_LINES = 8

_ENDED = re.compile(
    r"[\[(<*#=\s]{0,8}(?:(?:the )?(?:command|process|program|script|execution|job)\b[\w ]{0,40}? )?"
    r"(?:(?:exit|return)(?:ed)?[ _-]?(?:code|status|value)|"
    r"exited with(?: (?:code|status|exit code))?|returncode)"
    r"\s{0,3}[:=]?\s{0,3}(-?\d{1,10})(?:[ :,-]{1,3}\([\w ,.'-]{1,60}\))?[\])>*.=\s]{0,8}",
    re.IGNORECASE,
)
_STAMPED = re.compile(
    r"\s{0,8}(?:\[?\d{4}-\d\d-\d\d[T ]\d\d|\[?\d{1,2}:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:)"
)
_LEVELLED = re.compile(
    r"\s{0,8}(?:\[|##\[|level=)?"
    r"(?:trace|debug|info|notice|warn(?:ing)?|error|fatal|critical)\b[\]:| ]",
    re.IGNORECASE,
)


def find_exit(text: str) -> int | None:
    """The non-zero exit code that a tool reports; `None`: none, zero, or part of a log."""
    return read_exit(text) or None


def read_exit(text: str) -> int | None:
    """The exit code that a tool reports, zero too; `None`: none."""
    last = _find_last(text[-END:], slice(-MOST_LINES, None))
    if last is not None:
        return None if looks_like_log(text[-NEAR:]) else last
    first = _find_last(text[:START], slice(2))
    return None if first is None or looks_like_log(text) else first


def looks_like_log(text: str) -> bool:
    """Whether several lines begin as a log's do: with a time, or with a level."""
    lines = [line for line in text[:NEAR].splitlines() if line.strip()]
    stamped = sum(_STAMPED.match(line) is not None for line in lines)
    levelled = sum(_LEVELLED.match(line) is not None for line in lines)
    enough = stamped >= 2 or levelled >= 3
    return enough and 2 * max(stamped, levelled) >= len(lines)


def _find_last(text: str, lines: slice) -> int | None:
    low = text.lower()
    if "exit" not in low and "return" not in low:
        # Fast path: nearly every text returns here.
        return None
    looked = text.splitlines()[lines]
    found = [int(ended[1]) for line in looked if (ended := _ENDED.fullmatch(line[:200]))]
    return found[-1] if found else None


_ERROR = r"(?:error|err|fehler|erreur|errore|erro|fout)"
_FAMILIES = re.compile(
    rf"""
    (?P<errors>{_ERROR}s|(?:user|field)errors|{_ERROR}list) | (?:function)?(?P<error>{_ERROR}) |
    (?:function|api|service)?(?:{_ERROR}|fault|exception)s?(?:
        (?P<errorcode>(?:code|no|num|number)s?) | (?P<errortype>type|class|name|kind) |
        (?P<errorid>id|ref|reference|uid) | (?P<errormessage>(?:message(?:text)?|msg|text|info|
        string|desc|description|detail|summary|reason|title)s?)
    ) |
    (?P<message>(?:user|developer|display|long|short|response|result|return|ret|resp|status|sub|
        http)?(?:message|msg)|(?:status|http)(?:text|reason)|mensaje|meldung|nachricht|mensagem|messaggio
    ) | (?P<code>cod|codigo|(?:result|ret|resp|sub)code)
    """,
    re.VERBOSE,
)
"""The names that services give the same field, by the name it has here."""


@lru_cache(maxsize=4096)
def fold_field(name: str) -> str:
    """One name for `error_code`, `errorCode`, `errno` and `ErrorNumber`."""
    if name.startswith("__"):
        return f"__{fold_name(name)}"  # `__type` is a name of its own.
    # Without a namespace, as in `hydra:title`.
    folded = fold_name(name.rpartition(":")[2] or name)
    family = _FAMILIES.fullmatch(folded)
    return folded if family is None else str(family.lastgroup)


def fold_object(value: Mapping[str, object]) -> dict[str, object]:
    """An object's fields by those names; of several with one name, the first that has content."""
    held: dict[str, object] = {}
    for key, each in islice(value.items(), MOST_KEYS):
        name = fold_field(str(key))
        if held.get(name) is None or (isinstance(held[name], str | list | dict) and not held[name]):
            held[name] = each
    return held


def fold_fields(text: str) -> tuple[str, ...]:
    """Names with blanks between them, each in that one spelling and in their order."""
    return tuple(fold_field(name) for name in text.split())


def ask(holder: object, name: str) -> object:
    """An attribute, or `None` if there is none or reading it fails."""
    try:
        return getattr(holder, name, None)
    except BaseException:  # noqa: BLE001 - the tool's own outcome must not be replaced by this one
        return None


def ask_text(error: BaseException) -> str:
    """An exception's text, or nothing if it cannot be rendered."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - as above
        return ""


LONGEST_ERROR = 20_000
LONGEST_LOOSE = 4_000
"""Characters of a text that is parsed like JSON although it is none: an error is short."""
DEEPEST = 6
MOST_ENTRIES = 5
MOST_KEYS = 200
MOST_MESSAGES = 3

MESSAGES = fold_fields("""
    message error_message title summary detail description error fault exception stderr text reason
    info diagnostics
""")
"""Fields with an error message."""
INSIDE = fold_fields("""
    error errors response body detail details data extensions content structured_content text result
    output error_message response_metadata inner_error cause issues issue field_violations source
    fault payload non_field_errors message messages model_state status meta header failure problems
""")
"""Fields in which an envelope holds the error, or more of it."""
_HOLDING = ("error", "errors", "exception")
STATUSES = fold_fields("status status_code http_status http_status_code http_code")
_CODES = fold_fields("code error_code")
_CODE_FIELDS = (
    "sqlstate",
    *_CODES,
    *fold_fields("__type status status_code error codes code_name"),
)
REASONS = fold_fields("reason decline_code error_type type class message_id domain")
PATHS = fold_fields("path param parameter field pointer loc instance_path property")
EXITS = fold_fields("exit_code return_code exit_status")
WAITS = fold_fields("retry_after retry_after_seconds")
NO_CODES = list_words("""
    error failed failure fail ok true false text object string list none null unknown_error
    application/problem+json about:blank
""")
"""Meaningless values in the place of a code."""

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9]*+(?:[_.:-][A-Za-z0-9]++)*+")
_TELLS = re.compile(r"[_.:]|[a-z][A-Z]|^[A-Z]{4,}$")
_SQLSTATE = re.compile(r"\bSQLSTATE\W{0,3}([0-9A-Z]{5})\b|\(([0-9][0-9A-Z]{4})\):")
_STATUS = re.compile(
    r"(?i:status(?: ?code)?|http(?:/\d\.\d)?|code|error)\s*+[:=]?\s*+[\[(]?(-?\d{3,5})\b|"
    r"(?<![\w.$:])([45]\d\d)(?=\s++[A-Z][a-z])|\[([45]\d\d)\]"
)
_TAIL = re.compile(
    r" \((?:status (?P<status>-?\d++))?(?:(?:, )?code (?P<code>[\w.:/#-]++))?"
    r"(?:(?:, )?reason (?P<reason>[\w.:/#-]++))?(?:(?:, )?exit code (?P<exit>\d++))?"
    r"(?:(?:, )?at (?P<path>[\w.\[\]-]++))?\)\Z"
)
_TAG = re.compile(r"<[^<>]{0,200}>")


class ErrorFields(Struct, frozen=True, kw_only=True):
    """The parts of an error."""

    message: str
    status: int | None = None
    """An HTTP status, or a code of JSON-RPC."""
    code: str = ""
    """The machine-readable code: `channel_not_found`, `NOT_FOUND`, `42601`."""
    reason: str = ""
    path: str = ""
    """The path of the faulty field."""
    exit_code: int | None = None
    """The exit code of the program that the tool ran."""

    def render(self) -> str:
        """All parts on one line, which `read_error` parses again."""
        parts = (
            ("status", "" if self.status is None else str(self.status)),
            ("code", self.code),
            ("reason", self.reason),
            ("exit code", "" if self.exit_code is None else str(self.exit_code)),
            ("at", self.path),
        )
        told = [f"{name} {part}" for name, part in parts if part and part not in self.message]
        return f"{self.message} ({', '.join(told)})" if told else self.message


def read_error(error: str) -> ErrorFields:
    """The parts of an error's text; of prose, the prose and the codes in it."""
    return _read_text(error[:LONGEST_ERROR].strip())


# Every source of advice asks about the same failure.
@lru_cache(maxsize=64)
def _read_text(text: str) -> ErrorFields:
    held = _parse_structure(text)
    found = None if held is None else read_structure(held)
    if found is None:
        return _read_prose(text)
    return found if found.message else replace(found, message=text)


def read_structure(value: object, *, depth: int = 0) -> ErrorFields | None:
    """The error in a structure; `None` where there is none."""
    if depth > DEEPEST:
        return None
    match value:
        case str():
            text = value[:LONGEST_ERROR].strip()
            held = _parse_structure(text)
            inner = None if held is None else read_structure(held, depth=depth + 1)
            return _read_prose(text) if text and not (inner and inner.message) else inner
        case Mapping():
            return _read_mapping(value, depth=depth)
        case Named():
            return _read_mapping(value.keywords, depth=depth)
        case list() | tuple():
            return _read_entries(value, depth=depth)
        case None | bool() | int() | float():
            return None
        case _:
            said = ask(value, "text") or ask(value, "message")
            return read_structure(said, depth=depth + 1) if isinstance(said, str) else None


def read_wait(value: object) -> timedelta | None:
    """The wait time that an error in a result asks for; `None` where it states none."""
    inner = (each for name, each in _list_fields(value) if name in ("error", "parameters"))
    for holder in (value, *inner):
        for name, wait in _list_fields(holder):
            if name in WAITS and (type(wait) is int or type(wait) is float) and 0 <= wait < 86_400:
                return timedelta(seconds=wait)
    return None


def _list_fields(value: object) -> Iterator[tuple[str, object]]:
    held = islice(value.items(), MOST_KEYS) if isinstance(value, Mapping) else ()
    yield from ((fold_field(str(name)), each) for name, each in held)


def _parse_structure(text: str) -> object | None:
    """A text that is one structure and nothing else."""
    if text[:1] == '"' and text[-1:] == '"':
        return read_json(text)[1]
    if (text[:1], text[-1:]) not in (("{", "}"), ("[", "]")):
        return None
    strict, value = read_json(text)
    if not strict and len(text) <= LONGEST_LOOSE:
        try:
            value = read_whole(text)
        except (GarbledError, RecursionError):
            return None
    first = value[0] if isinstance(value, list) and value else value
    return value if isinstance(first, Mapping | Named) and not isinstance(value, Named) else None


def _read_mapping(value: Mapping[str, object], *, depth: int) -> ErrorFields | None:
    held = fold_object(value)
    found = ErrorFields(
        message=_join_messages(_list_messages(held)),
        status=next(_list_statuses(held), None),
        code=next(_list_codes(held), ""),
        reason=next(_list_reasons(held), ""),
        path=next(_list_paths(held), ""),
        exit_code=next(
            (code for name in EXITS if type(code := held.get(name)) is int and code), None
        ),
    )
    for name in (*INSIDE, *(name for name in held if name.endswith(_HOLDING))):
        inner = held.get(name)
        if name == "status" and not isinstance(inner, Mapping):
            continue
        if isinstance(inner, Mapping | list | tuple | str | Named) and inner:
            found = _merge_fields(found, read_structure(inner, depth=depth + 1))
    if found.message:
        return found
    said = _read_complaints(value)
    return _merge_fields(found, said) if said or found != ErrorFields(message="") else None


def _read_complaints(value: Mapping[str, object]) -> ErrorFields | None:
    """What is wrong with each field, by its name: `{"email": ["is taken"]}`."""
    told = [
        (str(name), said)
        for name, each in islice(value.items(), MOST_ENTRIES)
        for said in (each if isinstance(each, list) else [each])[:MOST_ENTRIES]
        if isinstance(said, str) and " " in said
    ]
    if not told:
        return None
    said = "; ".join(f"{name}: {text[:LONGEST_ERROR]}" for name, text in told)
    return ErrorFields(message=said, path=next(_list_paths({"path": told[0][0]}), ""))


def _read_entries(values: Sequence[object], *, depth: int) -> ErrorFields | None:
    """Several errors as one: the parts of the first, the messages of all."""
    read = (read_structure(each, depth=depth + 1) for each in values[:MOST_ENTRIES])
    entries = [each for each in read if each is not None]
    if len(entries) < 2:
        return entries[0] if entries else None
    first = entries[0]
    told = (f"{each.path}: {each.message}" if each.path else each.message for each in entries)
    said = "; ".join(dict.fromkeys(told))
    ends = next((each.exit_code for each in entries if each.exit_code is not None), None)
    return replace(first, message=said, exit_code=ends)


def _merge_fields(outer: ErrorFields, inner: ErrorFields | None) -> ErrorFields:
    """The parts of an envelope merged with those of its content."""
    if inner is None:
        return outer
    # Of codes, a word says more than a number.
    better = inner.code and (not outer.code or outer.code.isdigit())
    said = (outer.message, "" if outer.message and _is_code(inner.message) else inner.message)
    return ErrorFields(
        message=_join_messages(said),
        status=inner.status if outer.status is None else outer.status,
        code=inner.code if better else outer.code,
        reason=outer.reason or inner.reason,
        path=outer.path or inner.path,
        exit_code=inner.exit_code if outer.exit_code is None else outer.exit_code,
    )


def _join_messages(said: Sequence[str] | Iterator[str]) -> str:
    kept: list[str] = []
    for each in said:
        if each and not any(each.casefold() in other.casefold() for other in kept):
            kept = [other for other in kept if other.casefold() not in each.casefold()]
            kept.append(each)
    return ": ".join(kept[:MOST_MESSAGES])


def _list_messages(held: Mapping[str, object]) -> Iterator[str]:
    for name in MESSAGES:
        said = held.get(name)
        if not isinstance(said, str) or not said.strip() or _parse_structure(said.strip()):
            continue
        text = _read_prose(said.strip()[:LONGEST_ERROR]).message
        if name not in ("reason", "error") or not _is_code(text) or not _has_words(held):
            yield text


def _has_words(held: Mapping[str, object]) -> bool:
    """Whether there is a message for people beside the codes."""
    return any(isinstance(held.get(name), str) and held[name] for name in MESSAGES[:8])


def _list_statuses(held: Mapping[str, object]) -> Iterator[int]:
    for name in (*STATUSES, *_CODES, "error"):
        value = held.get(name)
        if isinstance(value, str) and re.fullmatch(r"-?\d{3,5}", value):
            value = int(value)
        if type(value) is int and (400 <= value < 600 or (name == "code" and value < -1)):
            yield value


def _list_codes(held: Mapping[str, object]) -> Iterator[str]:
    for name in _CODE_FIELDS:
        value = held.get(name)
        if isinstance(value, str):
            text = value.rsplit("#", 1)[-1]
            if _is_code(text) or (name in ("code", "sqlstate") and _CODE.fullmatch(text[:60])):
                yield text
    for number in (held.get(name) for name in _CODES):
        if type(number) is int and (0 < number < 400 or number >= 600):
            yield str(number)


def _list_reasons(held: Mapping[str, object]) -> Iterator[str]:
    for name in REASONS:
        value = held.get(name)
        text = value.rstrip("/").rsplit("/", 1)[-1] if isinstance(value, str) else ""
        if _is_code(text):
            yield text


def _list_paths(held: Mapping[str, object]) -> Iterator[str]:
    for name in PATHS:
        value = held.get(name)
        if isinstance(value, str) and re.fullmatch(r"[\w./\[\]-]{1,200}", value):
            yield value.strip("/").replace("/", ".")
        elif isinstance(value, list) and value and len(value) <= 10:
            yield ".".join(map(str, value))[:200]


def _is_code(text: str) -> bool:
    """Whether a text is machine-readable: one word that belongs to no language."""
    named = len(text) <= 60 and text.casefold() not in NO_CODES and _CODE.fullmatch(text)
    return bool(named and _TELLS.search(text))


def _read_prose(text: str) -> ErrorFields:
    tail = _TAIL.search(text[-500:])
    if tail and any(tail.groups()):
        ended = tail["exit"]
        return ErrorFields(
            message=text[: len(text) - len(tail[0])],
            status=int(tail["status"]) if tail["status"] else None,
            code=tail["code"] or "",
            reason=tail["reason"] or "",
            path=tail["path"] or "",
            exit_code=int(ended) if ended else None,
        )
    if text[:14].casefold().startswith(("<html", "<!doctype html")):
        text = " ".join(_TAG.sub(" ", text).split())
    found = (int(n[1] or n[2] or n[3]) for n in _STATUS.finditer(text[:LONGEST_LOOSE]))
    sql = _SQLSTATE.search(text[:LONGEST_LOOSE])
    code = (sql[1] or sql[2]) if sql else text if _is_code(text) else ""
    return ErrorFields(
        message=text,
        status=next((n for n in found if 400 <= n < 600 or -33_000 < n <= -32_000), None),
        code=code,
        exit_code=find_exit(text),
    )


BODIES = ("body", "json_body", "response", "error", "error_details", "details")
"""Attributes in which libraries keep the response."""
_CODE_ATTRIBUTES = ("sqlstate", "pgcode", "error_code", "code")
_LONGEST_MESSAGE = 4_000


def read_exception(error: BaseException) -> ErrorFields:
    """The parts of an exception that its library has kept; its message is its own text."""
    held = (ask(error, name) for name in BODIES)
    kept = next((each for each in held if isinstance(each, Mapping | list) and each), None)
    said = (read_structure(kept) if kept is not None else None) or ErrorFields(message="")
    ended = ask(error, "returncode")
    return replace(
        said,
        message=ask_text(error)[:_LONGEST_MESSAGE],
        code=_read_code(error) or said.code,
        exit_code=ended if type(ended) is int and ended else said.exit_code,
    )


def _read_code(error: BaseException) -> str:
    # gRPC's `code` is a method; those of other libraries may do anything.
    grpc = any(kind.__module__.partition(".")[0] == "grpc" for kind in type(error).__mro__)
    for name in _CODE_ATTRIBUTES:
        code = ask(error, name)
        if callable(code) and grpc:
            try:
                code = ask(code(), "name")
            except Exception:  # noqa: BLE001 - as with any stranger
                code = None
        if isinstance(code, str) and code:
            return code
    return ""


def extract_message(error: str) -> str:
    """What an error says, without an envelope around it."""
    return read_error(error).message
