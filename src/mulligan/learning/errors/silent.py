"""Errors in disguise: results that came as successes, and whose structure says they are none.

Prose is not searched for the word "error": a page about errors is a good result. What counts is a
flag, a status, an object whose only content is an error, a short text that opens as errors do, or
what a tool reports of the program it ran.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from mulligan.learning.errors.exits import find_exit, read_exit
from mulligan.learning.errors.fields import EXITS, ErrorFields, read_error, read_structure
from mulligan.learning.errors.openings import opens_as_error, says_failure
from mulligan.learning.errors.strangers import ask
from mulligan.learning.values.vocabulary import list_words
from mulligan.learning.written.literal import LONGEST, GarbledError, Named, read_pairs
from mulligan.learning.written.whole import read_json, read_whole

DEEPEST = 12
LARGEST_JSON = 1_000_000
MOST_KEYS = 200
MOST_PARTS = 20
"""Parts of a result that are looked into; an error stands near the front."""

FLAGS = list_words("iserror is_error haserror has_error")
SUCCESS = list_words("success ok succeeded")
STATUS = list_words("status state outcome result_status")
BAD_STATUS = list_words("error failed failure fail errored exception fatal")
CODES = list_words("status status_code statuscode http_status httpstatus code")
ERRORS = list_words("error errors exception fault error_message errormessage")
KINDS = list_words("object type")
SAID = list_words("message msg detail")
"""Where a message for people stands, and nothing else beside it."""
ENDS = frozenset(EXITS)
MARKS = FLAGS | SUCCESS | STATUS | CODES | ERRORS | ENDS
"""Fields that say whether it worked."""

DATA = list_words("data result results")
AROUND = DATA | list_words("""
    message msg detail details reason description hint title type name path timestamp time stack
    request_id requestid trace_id traceid traceback jsonrpc id instance help suggestion retryable
    documentation_url error_code error_type errorcode error_description object doc_url stdout stderr
    started_at completed_at finished_at created_at duration elapsed annotations
""")
"""What stands beside an error in an object that is nothing else."""

WRAPPERS = (
    "content",
    "structuredContent",
    "structured_content",
    "result",
    "text",
    "body",
    "output",
    "response",
)
"""Where an envelope holds what it is an envelope of."""

FIELDS = ("isError", "is_error", "content", "structuredContent", "text", "type")
"""What a library's result object is asked for."""

_WRAPPING = frozenset(name.casefold() for name in WRAPPERS)
MOST_SHAPES = 256

ENVELOPE = frozenset({"content", "structuredContent", "isError", "_meta", "meta"})
"""The fields of an MCP result, around what it holds."""

_NOBODYS = "mulligan_asks_who_answers_to_anything"
_OBJECT = 4
"""What an object counts for in depth: three within each other are looked into."""
MARKED = "The result is marked as an error."
MOST_SAID = 500

LONGEST_LOOSE = 4_000
"""Characters of what is no JSON and is read like it all the same."""

_CUT_PART = re.compile(r'\{"type":\s?"text",\s?"text":\s?"')
_STRUCTURE = re.compile(r"\s{0,200}(?:[{\[]|[A-Za-z_]\w{0,100}=)")
_PRINTED_OBJECT = re.compile(r"\s*[A-Za-z_]\w*=(?:None|True|False|\[|\{|'|\")")


class PlainShapes:
    """Remembers which fields results of a tool have, and whether any could speak of an error.

    Most results of a tool look alike, so that most are passed over at a glance.
    """

    def __init__(self) -> None:
        self._plain: dict[tuple[object, ...], bool] = {}

    def cover(self, result: object) -> bool:
        """Whether nothing in a result, by the names of its fields, can be an error in disguise."""
        if type(result) is not dict or len(result) > MOST_KEYS:
            return False
        shape = tuple(result)
        plain = self._plain.get(shape)
        if plain is None:
            names = {name.casefold() for name in shape if type(name) is str}
            few = len(names) == 1 or not KINDS.isdisjoint(names)
            told = few and not SAID.isdisjoint(names)
            plain = not told and MARKS.isdisjoint(names) and _WRAPPING.isdisjoint(names)
            if len(self._plain) < MOST_SHAPES:
                self._plain[shape] = plain
        return plain


def find_silent_error(result: object) -> str | None:
    """What the result says went wrong, with its codes, or `None` for a result that is one."""
    if type(result) is str and _is_plain(result):
        return None
    found = next(_find_errors(result, depth=0), None)
    if found is None:
        return None
    said = found.message
    said = (
        said if len(said) <= MOST_SAID else f"{said[: MOST_SAID // 2]} … {said[-MOST_SAID // 2 :]}"
    )
    return replace(found, message=said).render()


def find_breach(result: object, *, schema: Mapping[str, object], may_be_empty: bool) -> str | None:
    """How a result breaks what its tool declares to return; a schema that is none is refused.

    `may_be_empty`: `False` if an empty result is a failure of this tool.
    """
    answer = _unwrap_answer(result)
    if not may_be_empty and _is_empty(answer):
        return "The result is empty."
    return _describe_breach(answer, schema) if schema else None


def _find_errors(value: object, *, depth: int) -> Iterator[ErrorFields]:
    if depth > DEEPEST:
        return
    match value:
        case str():
            if not _is_plain(value):
                yield from _search_text(value, depth=depth)
        case Mapping():
            yield from _search_mapping(value, depth=depth)
        case Named():
            yield from _search_mapping(value.keywords, depth=depth)
        case list() | tuple():
            if _is_content(value):
                yield from _search_parts(value, depth=depth)
        case None | bool() | int() | float():
            return
        case _:
            yield from _search_object(value, depth=depth)


def _search_parts(parts: Sequence[object], *, depth: int) -> Iterator[ErrorFields]:
    """Each part for itself, unless the last says how a program ended: then that decides.

    What programs write to standard error is flagged as an error by some, and is often none.
    """
    parts = parts[:MOST_PARTS]
    said = _read_part(parts[-1]) if len(parts) > 1 else None
    ended = read_exit(said) if isinstance(said, str) else None
    if ended:
        texts = (str(text) for part in parts if (text := _read_part(part)))
        yield ErrorFields(message="\n".join(texts)[:LONGEST], exit_code=ended)
    for part in parts if ended is None else ():
        yield from _find_errors(part, depth=depth + 1)


def _read_part(part: object) -> object:
    return part.get("text") if isinstance(part, Mapping) else ask(part, "text")


def _search_mapping(value: Mapping[str, object], *, depth: int) -> Iterator[ErrorFields]:
    lowered = {str(key).casefold(): held for key, held in islice(value.items(), MOST_KEYS)}
    telling = not MARKS.isdisjoint(lowered) or _is_kind_of_error(lowered)
    if (telling and _says_error(lowered)) or _is_only_message(lowered):
        yield _read_fields(value)
        return
    for name in WRAPPERS:
        if name in value and not _is_data(lowered):
            yield from _find_errors(value[name], depth=depth + 1)


def _says_error(held: Mapping[str, object]) -> bool:
    if _is_flagged(held) or _is_nothing_but_error(held):
        return True
    return not ENDS.isdisjoint(held) and _has_ended_badly(held)


def _is_flagged(held: Mapping[str, object]) -> bool:
    """A field that says outright whether it worked."""
    if any(held.get(name) is True for name in FLAGS):
        return True
    if any(held.get(name) is False for name in SUCCESS):
        return True
    if held.get("error") is True and (_is_part(held) or not _has_payload(held)):
        return True
    failed = any(_says_failed(held.get(name)) for name in STATUS) or _is_kind_of_error(held)
    return failed and not _has_payload(held)


def _is_kind_of_error(held: Mapping[str, object]) -> bool:
    """An object that is called an error by its type."""
    kind, other = held.get("object"), held.get("type")
    return (type(kind) is str and kind == "error") or (type(other) is str and other == "error")


def _is_part(held: Mapping[str, object]) -> bool:
    """A part of MCP content, which some servers flag by itself."""
    return isinstance(held.get("type"), str) and isinstance(held.get("text"), str)


def _is_only_message(held: Mapping[str, object]) -> bool:
    """Nothing but a message, and one that says that it did not work."""
    if len(held) > 3 or SAID.isdisjoint(held):
        return False
    told = [name for name, value in held.items() if value not in (None, "", [], {})]
    said = held[told[0]] if len(told) == 1 and told[0] in SAID else None
    return isinstance(said, str) and says_failure(said)


def _has_ended_badly(held: Mapping[str, object]) -> bool:
    """A program's exit code. `grep` and `diff` end with 1 to say no, and complain of nothing."""
    ended = next((code for name in ENDS if type(code := held.get(name)) is int and code), 0)
    silent = any(name in held and not held[name] for name in ("stderr", "error"))
    return ended > 1 or ended < 0 or (ended == 1 and not silent)


def _says_failed(status: object) -> bool:
    return isinstance(status, str) and status.strip().casefold() in BAD_STATUS


def _is_nothing_but_error(held: Mapping[str, object]) -> bool:
    """An error, perhaps with a code and a message, and nothing that anyone asked for."""
    named = any(_is_said(held.get(name)) for name in ERRORS)
    coded = any(_is_error_code(name, held.get(name)) for name in CODES)
    explained = any(
        isinstance(held.get(name), str) for name in ("message", "msg", "detail", "title")
    )
    return (named or (coded and explained)) and not _has_payload(held)


def _is_said(error: object) -> bool:
    return error is True or (isinstance(error, str | Mapping | list) and bool(error))


def _is_error_code(name: str, code: object) -> bool:
    if isinstance(code, str) and code.isdigit():
        code = int(code)
    plain = isinstance(code, int) and not isinstance(code, bool)
    return plain and isinstance(code, int) and (400 <= code < 600 or (name == "code" and code < -1))


def _has_payload(held: Mapping[str, object]) -> bool:
    for name, value in held.items():
        if name in MARKS or value in (None, "", [], {}):
            continue
        if name not in AROUND or name in DATA:
            return True
    return False


def _is_data(held: Mapping[str, object]) -> bool:
    """Whether this is a record of the tool's own and not an envelope around a result."""
    return len(held) > 12


def _is_content(parts: Sequence[object]) -> bool:
    """A list of content parts, as MCP has them; a list of records is data."""
    first = parts[0] if parts else None
    if isinstance(first, Mapping):
        return "type" in first and len(first) <= 6
    return isinstance(first, Named) or ask(first, "type") is not None


def _is_plain(text: str) -> bool:
    """Neither a structure nor an error, as nearly every text is; seen at a glance."""
    if _STRUCTURE.match(text):
        return False
    return not opens_as_error(text) and find_exit(text) is None


def _search_text(text: str, *, depth: int) -> Iterator[ErrorFields]:
    start = text[:200].lstrip()
    if start[:1] in "{[" and len(text) <= LARGEST_JSON:
        strict, value = read_json(text)
        yield from _find_errors(value, depth=depth + 1) if strict else _search_loose(text, depth)
    elif _PRINTED_OBJECT.match(start) and len(text) <= LONGEST:
        try:
            yield from _search_mapping(read_pairs(text), depth=depth + 1)
        except (GarbledError, RecursionError):
            return
    elif opens_as_error(text) or find_exit(text) is not None:
        yield read_error(text)


def _search_loose(text: str, depth: int) -> Iterator[ErrorFields]:
    """What Python printed, and a part of content that was cut off."""
    if cut := _CUT_PART.match(text):
        if opens_as_error(text[cut.end() :].replace("\\n", "\n")):
            yield read_error(text[cut.end() :].replace("\\n", "\n"))
    elif len(text) <= LONGEST_LOOSE and _may_tell(text.casefold()):
        try:
            value = read_whole(text)
        except (GarbledError, RecursionError):
            return
        if isinstance(value, Mapping | list):
            yield from _find_errors(value, depth=depth + 1)


def _may_tell(low: str) -> bool:
    """A glance at what would have to be read loosely, which takes a while."""
    return "error" in low or "message" in low or "success" in low or "status" in low


def _search_object(value: object, *, depth: int) -> Iterator[ErrorFields]:
    """A result object of a library: only the fields that matter here are asked for.

    One that has whatever it is asked for, as a stand-in or a remote stub, says nothing; and an
    object that holds objects is not followed far, as each may make the next one up.
    """
    if ask(value, _NOBODYS) is not None:
        return
    fields = {name: held for name in FIELDS if (held := ask(value, name)) is not None}
    if fields:
        yield from _search_mapping(fields, depth=depth + _OBJECT)


def _read_fields(value: object) -> ErrorFields:
    found = read_structure(value)
    if found is None or not found.message:
        return replace(found or ErrorFields(message=""), message=MARKED)
    return found


def _unwrap_answer(result: object) -> object:
    """What a result holds: of an MCP envelope its structure, else its only text."""
    if not isinstance(result, Mapping) or not ENVELOPE.issuperset(result):
        return result
    structured, content = result.get("structuredContent"), result.get("content")
    if structured is not None or not isinstance(content, list):
        return result if structured is None else structured
    alone = content[0] if len(content) == 1 else None
    return alone["text"] if isinstance(alone, Mapping) and "text" in alone else content


def _is_empty(answer: object) -> bool:
    if isinstance(answer, str):
        return not answer.strip()
    return answer is None or (isinstance(answer, Mapping | list | tuple) and not answer)


def _describe_breach(answer: object, schema: Mapping[str, object]) -> str | None:
    """How a structured result breaks what its tool declares to return."""
    # Here and not above: the validator is a library of its own, and few results have a schema.
    from mulligan.learning.shape.schema import read_schema

    if isinstance(answer, str) and answer[:1] in ("{", "["):
        answer = read_json(answer)[1]
    checked = read_schema(schema)
    if isinstance(answer, Mapping):
        problems = [
            each for each in checked.list_problems(answer) if each.rule not in ("unknown", "json")
        ]
        return f"The result breaks its schema: {problems[0].message}" if problems else None
    return None if checked.accepts(answer) else "The result breaks its schema."
