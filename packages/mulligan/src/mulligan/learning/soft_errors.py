"""Detects soft errors: results that were returned as successes but are errors.

Prose is not searched for the word "error": a page about errors is a good result, and so is an echo
of the caller's own text. What counts is an object's fields (`result_evidence`), a short text that
starts like an error, an error page instead of an answer, or a reported exit code.

Field names are examined once per shape of result; of each result only the few fields that could
hold an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from mulligan.learning.error_details import (
    ErrorFields,
    ask,
    find_exit,
    fold_field,
    fold_fields,
    fold_object,
    read_error,
    read_exit,
    read_structure,
)
from mulligan.learning.parsing import (
    LONGEST_TEXT,
    GarbledError,
    Named,
    read_json,
    read_pairs,
    read_whole,
)
from mulligan.learning.result_evidence import (
    CODED,
    COMPLAINED_OF,
    KINDS,
    MOST_ABOUT,
    SAID,
    STATES,
    TELLING,
    Echoes,
    ends_as_error,
    is_blank,
    is_error,
    is_metadata,
    is_nothing_but_error,
    is_only_message,
    may_complain,
    opens_as_error,
    read_page,
)
from mulligan_dates.text import list_words

WRAPPERS = fold_fields("content structuredContent result text body output response payload data")
"""Fields in which an envelope holds its content."""
QUIET = list_words(
    "open closed ok success active inactive done completed pending new running paid shipped"
)
"""Common states of records."""

OUTCOMES = fold_fields("status meta header")
"""Fields in which a small envelope says how it went."""
KIND = frozenset(fold_fields("resource_type jsonrpc"))
"""Fields that say what kind of envelope it is."""

_SEARCHED = (TELLING - STATES) | frozenset((*WRAPPERS, *fold_fields("issue problems")))
_KINDS = frozenset(KINDS)
_SAID = frozenset(SAID)


def _is_content(value: object) -> bool:
    """Whether a value is part of a record, and no code such as `not_found` or what holds one."""
    return bool(value) and type(value) is not dict and not (type(value) is str and "_" in value)


class Glance(Struct, frozen=True):
    """The fields of an object that must be checked before it is skipped."""

    states: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """Beside a message: if any of them holds something, the message is part of a record."""
    told: bool = False

    def passes(self, held: Mapping[str, object]) -> bool:
        """Whether an object of this shape cannot be an error, by what stands in these fields."""
        for name in self.states:
            state = held[name]
            if type(state) is not str or state not in QUIET:
                return False
        return not self.told or any(_is_content(held[name]) for name in self.others)


ALL = Glance()
"""Nothing to check: no object with these fields can be an error."""


@lru_cache(maxsize=1024)
def find_glance(shape: tuple[object, ...]) -> Glance | None:
    """The fields to check in objects of this shape; `None`: the whole object."""
    names = {name: fold_field(name) for name in shape if isinstance(name, str)}
    folded = set(names.values())
    if not _SEARCHED.isdisjoint(folded) or any(map(ends_as_error, folded)):
        return None
    told = not _SAID.isdisjoint(folded)
    if told and not _KINDS.isdisjoint(folded):
        return None
    passing = _SAID | STATES | {"title"}
    others = [n for n, fold in names.items() if fold not in passing and not is_metadata(fold)]
    few = told and len(names) <= MOST_ABOUT
    glance = Glance(
        states=tuple(name for name, fold in names.items() if fold in STATES),
        others=tuple(others) if few else (),
        told=few,
    )
    return ALL if glance == ALL else glance


DEEPEST = 12
LARGEST_JSON = 1_000_000
MOST_KEYS = 200
MOST_PARTS = 20
"""Parts of a result that are examined; an error is near the front."""
MOST_ENTRIES = 5
"""Most entries of a list of errors; more are requested content."""
MOST_FIELDS = 12
"""Most fields of an envelope; more make it a record."""

PROSE = frozenset(("result", "output", "response"))
"""Fields that hold the tool's own words; the others hold user content."""
AROUND = frozenset(fold_fields("type annotations meta _meta isError headers error status id"))
"""Metadata around a tool's words."""

PARTS = list_words("text image audio resource resource_link input_text output_text tool_result")
"""The types of MCP content and its like; other types are those of events and messages."""

FIELDS = (
    *("isError", "is_error", "content", "structuredContent", "text", "type"),
    *("status_code", "ok", "returncode", "stdout", "stderr"),
)
"""The attributes that are read from a library's result object."""

TELLS_OF_ERRORS = re.compile(
    r"(?:^|[_.\-/]|(?<=[a-z])(?=[A-Z]))(?:errors?|exceptions?|failures?|faults?|logs?|lint|validate"
    r"|validation|validator|diagnos\w{1,10}|incidents?|crash(?:es)?|alerts?)(?=$|[_.\-/A-Z0-9])",
    re.IGNORECASE,
)
"""Names of tools whose good results are about errors."""

_SINGLE = frozenset((str, int, float, bool, type(None)))
_NEW = Glance(told=True)
"""Stands for what was not looked at before."""
MOST_SHAPES = 256

_NOBODYS = "mulligan_asks_who_answers_to_anything"
_OBJECT = 4
"""What an object counts for in depth: three within each other are looked into."""
MARKED = "The result is marked as an error."
MOST_SAID = 500

LONGEST_LOOSE = 4_000
"""Characters of what is no JSON and is read like it all the same."""

_TELLING = ("error", "message", "success", "status")
"""A quick test before the tolerant parser, which is slow."""
_CUT_PART = re.compile(r'\{"type":\s?"text",\s?"text":\s?"')
_STRUCTURE = re.compile(r"\ufeff?\s{0,200}(?:[{\[<]|[A-Za-z_]\w{0,100}=)")
_PRINTED_OBJECT = re.compile(r"\s*[A-Za-z_]\w*=(?:None|True|False|\[|\{|'|\")")


Shapes = set[tuple[object, ...]]
"""The fields of objects, in their order."""
IsKnown = Callable[[object, Shapes], bool]
"""Whether a result has just the fields of one of these shapes."""


class PlainShapes:
    """Caches the shapes of a tool's results, and whether any field could hold an error.

    Most results of a tool have the same shape, so most are skipped quickly.
    """

    def __init__(self) -> None:
        self._glances: dict[tuple[object, ...], Glance | None] = {}
        self.harmless: Shapes = set()
        """Those of several fields, none of which need be looked at."""

    def cover(self, result: object) -> bool:
        """Whether nothing in a result, by the names of its fields, can be an error in disguise."""
        if type(result) is list:
            if not result or type(result[0]) in _SINGLE:
                return True
            result = result[0]
        if type(result) is not dict or len(result) > MOST_KEYS:
            return False
        shape = tuple(result)
        glance = self._glances.get(shape, _NEW)
        if glance is _NEW:
            glance = find_glance(shape)
            if len(self._glances) < MOST_SHAPES:
                self._glances[shape] = glance
                if glance is ALL and len(shape) > 1:
                    self.harmless.add(shape)
        if glance is not ALL and (glance is None or not glance.passes(result)):
            return False
        if may_complain(result):
            return False
        if len(shape) == 1:
            inner = result[shape[0]]
            return type(inner) is not dict or self.cover(inner)
        return True


def is_known(result: object, shapes: Shapes) -> bool:
    """Whether a result has just the fields of one of these shapes, in their order."""
    return type(result) is dict and len(result) <= MOST_KEYS and tuple(result) in shapes


class _Asked(Struct, frozen=True):
    """What is known of the call whose result is searched."""

    echoes: Echoes | None = None
    asked: bool = False
    """Its tool reports on errors: what looks like one is requested content."""

    def opens_as_error(self, text: str) -> bool:
        echo = self.echoes is not None and self.echoes.cover_text(text)
        return not (self.asked or echo) and opens_as_error(text)

    def fold(self, value: Mapping[str, object]) -> dict[str, object]:
        """An object's fields by their folded names, without echoes of the call's arguments."""
        named = fold_object(value)
        if self.echoes is None:
            return named
        return {name: each for name, each in named.items() if not self.echoes.cover(name, each)}


def find_silent_error(
    result: object, *, arguments: Mapping[str, object] | None = None, tool: str = ""
) -> str | None:
    """The error in a result, with its codes, or `None` for a good result.

    `arguments`, `tool`: of the call. An echo of its arguments is not an error.
    """
    if type(result) is str and _is_plain(result):
        return None
    asked = bool(tool) and _tells_of_errors(tool)
    found = next(_find_errors(result, _Asked(asked=asked), depth=0), None)
    if found is not None and arguments:
        # Only now: few results get here, and the arguments may be large.
        search = _Asked(echoes=Echoes(arguments), asked=asked)
        found = next(_find_errors(result, search, depth=0), None)
    if found is None:
        return None
    said = found.message
    said = (
        said if len(said) <= MOST_SAID else f"{said[: MOST_SAID // 2]} … {said[-MOST_SAID // 2 :]}"
    )
    return replace(found, message=said).render()


@lru_cache(maxsize=1024)
def _tells_of_errors(tool: str) -> bool:
    return TELLS_OF_ERRORS.search(tool[:200]) is not None


def _find_errors(value: object, search: _Asked, *, depth: int) -> Iterator[ErrorFields]:
    if depth > DEEPEST:
        return
    match value:
        case str():
            if not _is_plain(value):
                yield from _search_text(value, search, depth=depth)
        case dict() | Mapping():
            yield from _search_mapping(value, search, depth=depth)
        case Named():
            yield from _search_mapping(value.keywords, search, depth=depth)
        case list() | tuple():
            yield from _search_list(value, search, depth=depth)
        case bytes():
            text = value[:LARGEST_JSON].decode("utf-8", "replace")
            yield from _find_errors(text, search, depth=depth + 1)
        case None | bool() | int() | float():
            return
        case BaseException():
            return  # Passed on as a value: its text may be untrusted data.
        case _:
            yield from _search_object(value, search, depth=depth)


def _search_list(values: Sequence[object], search: _Asked, *, depth: int) -> Iterator[ErrorFields]:
    """Content in parts, an answer with its status, or a list of nothing but errors.

    Any other list is one of records, and was asked for.
    """
    if not values or isinstance(values[0], str | int | float | None):
        return
    if _is_content_parts(values):
        yield from _search_parts(values, search, depth=depth)
        return
    status = values[1] if isinstance(values, tuple) and len(values) in (2, 3) else 0
    if type(status) is int and 400 <= status < 600 and isinstance(values[0], Mapping):
        # A body and the status it is sent with, as web frameworks have them.
        yield _read_fields({"status": status, "body": values[0]})
    elif len(values) <= MOST_ENTRIES and not search.asked:
        entries = [search.fold(each) for each in values if isinstance(each, Mapping)]
        coded = len(values) == 1 or all(
            CODED in each or not COMPLAINED_OF.isdisjoint(each) for each in entries
        )
        if len(entries) == len(values) and coded and all(map(is_nothing_but_error, entries)):
            yield _read_fields(values)


def _search_parts(parts: Sequence[object], search: _Asked, *, depth: int) -> Iterator[ErrorFields]:
    """Each part on its own, unless the last one reports an exit code, which then decides.

    Some tools flag standard error output as an error, which it often is not. Where each part is a
    structure they are the results of a batch, and a failed one is part of it.
    """
    if len(parts) == 1:
        yield from _find_errors(parts[0], search, depth=depth + 1)
        return
    parts = parts[:MOST_PARTS]
    texts = [_read_part(part) for part in parts]
    ended = read_exit(texts[-1]) if isinstance(texts[-1], str) else None
    if ended:
        yield ErrorFields(
            message="\n".join(str(t) for t in texts if t)[:LONGEST_TEXT], exit_code=ended
        )
    if ended is not None:
        return
    each = [next(_find_errors(part, search, depth=depth + 1), None) for part in parts]
    found = [one for one in each if one is not None]
    batch = all(isinstance(t, str) and t.lstrip()[:1] == "{" for t in texts)
    yield from () if batch else found[:1]


def _read_part(part: object) -> object:
    return part.get("text") if isinstance(part, Mapping) else ask(part, "text")


def _search_mapping(
    value: Mapping[str, object], search: _Asked, *, depth: int
) -> Iterator[ErrorFields]:
    few = 1 < len(value) <= MOST_KEYS
    if few and find_glance(tuple(value)) is ALL and not may_complain(value):
        return
    held = search.fold(value)
    # Beside what the caller gave, a message is part of what was looked up.
    alone = not search.asked and (search.echoes is None or len(held) == len(fold_object(value)))
    told = alone and is_only_message(held)
    if told or is_error(held, asked=search.asked):
        yield _read_fields(value)
        return
    told_by = [name for name, inner in held.items() if name not in KIND and not is_blank(inner)]
    if len(told_by) == 1:
        inner = held[told_by[0]]
        if isinstance(inner, Mapping):
            yield from _search_mapping(inner, search, depth=depth + 1) if depth < DEEPEST else ()
            return
        if isinstance(inner, list):
            yield from _search_list(inner, search, depth=depth + 1)
            return
    if len(held) > MOST_FIELDS:
        return
    outcomes = (name for name in OUTCOMES if isinstance(held.get(name), Mapping))
    for name in (*WRAPPERS, *(outcomes if len(told_by) <= 2 else ())):
        if name in held and _may_hold_error(name, held):
            yield from _find_errors(held[name], search, depth=depth + 1)


def _may_hold_error(name: str, held: Mapping[str, object]) -> bool:
    """Whether a field may hold the tool's own report of its outcome.

    A structure counts anywhere. Prose counts only where it is the tool's whole answer: beside other
    fields it is the text of a mail, a page or a note.
    """
    inner = held[name]
    if not isinstance(inner, str | bytes):
        return True
    if inner.lstrip()[:1] in ("{", "[", b"{", b"["):
        return True
    if name == "text" and held.get("type") in PARTS:
        return True
    bare = all(other == name or other in AROUND or is_blank(held[other]) for other in held)
    return bare and name in PROSE


def _is_content_parts(parts: Sequence[object]) -> bool:
    """A list of content parts, as MCP has them; a list of records is data."""
    first = parts[0]
    if isinstance(first, Mapping):
        kinds = {str(part.get("type")) for part in parts[:MOST_PARTS] if isinstance(part, Mapping)}
        return len(first) <= 6 and PARTS.issuperset(kinds)
    return isinstance(first, Named) or ask(first, "type") is not None


def _is_plain(text: str) -> bool:
    """A quick test for text that is neither a structure nor an error, as nearly all are."""
    if _STRUCTURE.match(text):
        return False
    return not opens_as_error(text) and find_exit(text) is None


def _search_text(text: str, search: _Asked, *, depth: int) -> Iterator[ErrorFields]:
    text = text.removeprefix("\ufeff")
    start = text[:200].lstrip()
    if start[:1] in "{[" and len(text) <= LARGEST_JSON:
        strict, value = read_json(text)
        if strict:
            yield from _find_errors(value, search, depth=depth + 1)
        else:
            yield from _search_loose(text, search, depth)
    elif start[:1] == "<":
        page = None if search.asked else read_page(text)
        yield from () if page is None else (page,)
    elif _PRINTED_OBJECT.match(start) and len(text) <= LONGEST_TEXT:
        try:
            yield from _search_mapping(read_pairs(text), search, depth=depth + 1)
        except (GarbledError, RecursionError):
            return
    elif read_exit(text) != 0 and (search.opens_as_error(text) or find_exit(text) is not None):
        yield read_error(text)


def _search_loose(text: str, search: _Asked, depth: int) -> Iterator[ErrorFields]:
    """What Python printed, and a part of content that was cut off."""
    if cut := _CUT_PART.match(text):
        said = text[cut.end() :].replace("\\n", "\n")
        if search.opens_as_error(said):
            yield read_error(said)
    elif len(text) <= LONGEST_LOOSE and any(word in text.casefold() for word in _TELLING):
        try:
            value = read_whole(text)
        except (GarbledError, RecursionError):
            return
        if isinstance(value, Mapping | list):
            yield from _find_errors(value, search, depth=depth + 1)
    elif text[:1] == "[" and search.opens_as_error(text):
        # `[Errno 2] No such file or directory`
        yield read_error(text)


def _search_object(value: object, search: _Asked, *, depth: int) -> Iterator[ErrorFields]:
    """A result object of a library: only the relevant attributes are read.

    An object that has every attribute, such as a mock or a remote stub, proves nothing. Nested
    objects are followed only a few levels, as each may create the next one.
    """
    if ask(value, _NOBODYS) is not None:
        return
    own = ask(type(value), "__dataclass_fields__") or ask(type(value), "model_fields")
    names = list(own)[:MOST_KEYS] if isinstance(own, Mapping) else FIELDS
    fields = {name: held for name in names if (held := ask(value, name)) is not None}
    if fields:
        yield from _search_mapping(fields, search, depth=depth + _OBJECT)


def _read_fields(value: object) -> ErrorFields:
    found = read_structure(value)
    if found is None or not found.message:
        return replace(found or ErrorFields(message=""), message=MARKED)
    return found


ENVELOPE = frozenset({"content", "structuredContent", "isError", "_meta", "meta"})
"""The fields of an MCP result, around what it holds."""


def find_breach(result: object, *, schema: Mapping[str, object], may_be_empty: bool) -> str | None:
    """How a result breaks its tool's declared schema; an invalid schema is refused.

    `may_be_empty`: `False` if an empty result is a failure of this tool.
    """
    answer = _unwrap_answer(result)
    said = answer.strip() if isinstance(answer, str) else answer
    empty = said is None or (isinstance(said, str | Mapping | list | tuple) and not said)
    if empty and not may_be_empty:
        return "The result is empty."
    if not schema:
        return None
    # Imported here: the validator is a separate library, and few results have a schema.
    from mulligan.learning.schema import read_schema

    if isinstance(answer, str) and answer[:1] in ("{", "["):
        answer = read_json(answer)[1]
    checked = read_schema(schema)
    if not isinstance(answer, Mapping):
        return None if checked.accepts(answer) else "The result breaks its schema."
    problems = (
        each for each in checked.list_problems(answer) if each.rule not in ("unknown", "json")
    )
    first = next(problems, None)
    return f"The result breaks its schema: {first.message}" if first else None


def _unwrap_answer(result: object) -> object:
    """What a result holds: of an MCP envelope its structure, else its only text."""
    if not isinstance(result, Mapping) or not ENVELOPE.issuperset(result):
        return result
    structured, content = result.get("structuredContent"), result.get("content")
    if structured is not None or not isinstance(content, list):
        return result if structured is None else structured
    alone = content[0] if len(content) == 1 else None
    return alone["text"] if isinstance(alone, Mapping) and "text" in alone else content
