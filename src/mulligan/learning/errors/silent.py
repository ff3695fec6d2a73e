"""Errors in disguise: results that came as successes, and whose structure says they are none.

Prose is not searched for the word "error": a page about errors is a good result. What counts is a
flag, a status, an object whose only content is an error, or a text that opens as errors do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from mulligan.learning.errors.strangers import ask
from mulligan.learning.values.vocabulary import compile_phrases, list_words
from mulligan.learning.written.literal import LONGEST, GarbledError, Named, read_pairs
from mulligan.learning.written.whole import read_json

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
MARKS = FLAGS | SUCCESS | STATUS | CODES | ERRORS
"""Fields that say whether it worked."""

DATA = list_words("data result results")
AROUND = DATA | list_words("""
    message msg detail details reason description hint title type name path timestamp time stack
    request_id requestid trace_id traceid traceback jsonrpc id instance help suggestion retryable
    documentation_url error_code error_type errorcode error_description
""")
"""What stands beside an error in an object that is nothing else."""

TELLING = (
    *("error", "errors", "message", "detail", "error_message", "reason", "title", "msg"),
    *("description", "exception", "fault", "structuredcontent", "content", "text"),
)
"""Where an error is put into words, the best place first."""

WRAPPERS = (
    "content",
    "structuredContent",
    "structured_content",
    "result",
    "text",
    "body",
    "output",
)
"""Where an envelope holds what it is an envelope of."""

FIELDS = ("isError", "is_error", "content", "structuredContent", "text", "type")
"""What a library's result object is asked for."""

_WRAPPING = frozenset(name.casefold() for name in WRAPPERS)
MOST_SHAPES = 256

ENVELOPE = frozenset({"content", "structuredContent", "isError", "_meta", "meta"})
"""The fields of an MCP result, around what it holds."""

MARKED = "The result is marked as an error."

_OPENS_AS_ERROR = compile_phrases(r"""
    \s*Traceback \(most recent call last\)
    \s*(?:fatal |internal |unexpected )?error\b[^.\n]{0,80}?:\s
    \s*(?:[A-Za-z_]\w*\.)*[A-Za-z]\w*(?:Error|Exception)\b\s*[:(]
""")
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
            plain = MARKS.isdisjoint(names) and _WRAPPING.isdisjoint(names)
            if len(self._plain) < MOST_SHAPES:
                self._plain[shape] = plain
        return plain


def find_silent_error(result: object) -> str | None:
    """What the result says went wrong, or `None` for a result that is one."""
    said = next(_find_errors(result, depth=0), None)
    return None if said is None else said[:500]


def find_breach(result: object, *, schema: Mapping[str, object], may_be_empty: bool) -> str | None:
    """How a result breaks what its tool declares to return; a schema that is none is refused.

    `may_be_empty`: `False` if an empty result is a failure of this tool.
    """
    answer = _unwrap_answer(result)
    if not may_be_empty and _is_empty(answer):
        return "The result is empty."
    return _describe_breach(answer, schema) if schema else None


def _find_errors(value: object, *, depth: int) -> Iterator[str]:
    if depth > DEEPEST:
        return
    match value:
        case str():
            yield from _search_text(value, depth=depth)
        case Mapping():
            yield from _search_mapping(value, depth=depth)
        case Named():
            yield from _search_mapping(value.keywords, depth=depth)
        case list() | tuple():
            for part in value[:MOST_PARTS] if _is_content(value) else ():
                yield from _find_errors(part, depth=depth + 1)
        case None | bool() | int() | float():
            return
        case _:
            yield from _search_object(value, depth=depth)


def _search_mapping(value: Mapping[str, object], *, depth: int) -> Iterator[str]:
    lowered = {str(key).casefold(): held for key, held in islice(value.items(), MOST_KEYS)}
    telling = not MARKS.isdisjoint(lowered)
    if telling and (_is_flagged(lowered) or _is_nothing_but_error(lowered)):
        yield _describe_error(value)
        return
    for name in WRAPPERS:
        if name in value and not _is_data(lowered):
            yield from _find_errors(value[name], depth=depth + 1)


def _is_flagged(held: Mapping[str, object]) -> bool:
    """A field that says outright whether it worked."""
    if any(held.get(name) is True for name in FLAGS):
        return True
    if any(held.get(name) is False for name in SUCCESS):
        return True
    return any(_says_failed(held.get(name)) for name in STATUS) and not _has_payload(held)


def _says_failed(status: object) -> bool:
    return isinstance(status, str) and status.strip().casefold() in BAD_STATUS


def _is_nothing_but_error(held: Mapping[str, object]) -> bool:
    """An error, perhaps with a code and a message, and nothing that anyone asked for."""
    named = any(_is_said(held.get(name)) for name in ERRORS)
    coded = any(_is_error_code(name, held.get(name)) for name in CODES)
    explained = any(isinstance(held.get(name), str) for name in ("message", "detail", "title"))
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


def _search_text(text: str, *, depth: int) -> Iterator[str]:
    start = text[:200].lstrip()
    if start[:1] in "{[" and len(text) <= LARGEST_JSON:
        yield from _find_errors(read_json(text)[1], depth=depth + 1)
    elif _PRINTED_OBJECT.match(start) and len(text) <= LONGEST:
        try:
            yield from _search_mapping(read_pairs(text), depth=depth + 1)
        except (GarbledError, RecursionError):
            return
    elif _OPENS_AS_ERROR.match(start):
        yield text.strip()


def _search_object(value: object, *, depth: int) -> Iterator[str]:
    """A result object of a library: only the fields that matter here are asked for."""
    fields = {name: held for name in FIELDS if (held := ask(value, name)) is not None}
    if fields:
        yield from _search_mapping(fields, depth=depth)


def _describe_error(value: object, *, depth: int = 0) -> str:
    """What a structure says of its error, in words."""
    inside = partial(_describe_error, depth=depth + 1)
    match value:
        case _ if depth > DEEPEST:
            return MARKED
        case str() if value.lstrip()[:1] == "{":
            strict, inner = read_json(value)
            return inside(inner) if strict else value
        case str():
            return value
        case Named():
            return inside(value.keywords)
        case list() | tuple():
            return inside(value[0]) if value else MARKED
        case Mapping():
            lowered = {str(k).casefold(): held for k, held in islice(value.items(), MOST_KEYS)}
            told = (lowered[name] for name in TELLING if lowered.get(name))
            return next((inside(each) for each in told if each is not True), MARKED)
        case _:
            return inside(ask(value, "text") or MARKED)


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
