"""Parses an error's complaints about each argument: from pydantic, zod, ajv and prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache

from msgspec import Struct

from mulligan.learning.coerce import NAMES, STATED
from mulligan.learning.error_details import read_error
from mulligan.learning.parsing import read_json
from mulligan.learning.values import join_path
from mulligan_dates.text import list_words


class ComplaintKind(StrEnum):
    """What a complaint is about."""

    MISSING = "missing"
    UNEXPECTED = "unexpected"
    DOMAIN = "domain"
    MOST = "most"
    LEAST = "least"
    TYPE = "type"
    FORM = "form"
    UNIT = "unit"


class Complaint(Struct, frozen=True):
    """One complaint of an error about an argument."""

    about: ComplaintKind
    subject: str
    """The argument, by its name, by a path with dots, or by the value that was refused."""
    wanted: tuple[str, ...] = ()
    """The expected values, bound, type or format."""


ErrorEntry = Mapping[str, object]


def parse_zod(entry: ErrorEntry) -> Iterator[Complaint]:
    """From one issue, with its `path` and `code`."""
    where, code = entry.get("path"), entry.get("code")
    if not isinstance(where, list) or not isinstance(code, str):
        return
    field = ".".join(map(str, where))
    match code:
        case "invalid_type" if entry.get("received") in ("undefined", None):
            yield Complaint(ComplaintKind.MISSING, field)
        case "invalid_type":
            yield Complaint(ComplaintKind.TYPE, field, (str(entry.get("expected")),))
        case "too_big" | "too_small" if entry.get("type", entry.get("origin")) == "number":
            about, bound = (
                (ComplaintKind.MOST, "maximum")
                if code == "too_big"
                else (ComplaintKind.LEAST, "minimum")
            )
            yield Complaint(about, field, (str(entry.get(bound)),))
        case "invalid_enum_value" | "invalid_value":
            yield Complaint(
                ComplaintKind.DOMAIN, field, _read_list(entry.get("options", entry.get("values")))
            )
        case "unrecognized_keys":
            yield from (
                Complaint(ComplaintKind.UNEXPECTED, key) for key in _read_list(entry.get("keys"))
            )
        case _:
            return


def parse_ajv(entry: ErrorEntry) -> Iterator[Complaint]:
    """From one error, with its `keyword`, `params` and path."""
    keyword, held = entry.get("keyword"), entry.get("params")
    where = entry.get("instancePath", entry.get("dataPath", ""))
    if not isinstance(keyword, str) or not isinstance(held, dict) or not isinstance(where, str):
        return
    field = where.strip("./").replace("/", ".")
    match keyword:
        case "required":
            yield Complaint(ComplaintKind.MISSING, join_path(field, held.get("missingProperty")))
        case "additionalProperties":
            yield Complaint(
                ComplaintKind.UNEXPECTED, join_path(field, held.get("additionalProperty"))
            )
        case "type":
            yield Complaint(ComplaintKind.TYPE, field, (str(held.get("type")),))
        case "enum":
            yield Complaint(ComplaintKind.DOMAIN, field, _read_list(held.get("allowedValues")))
        case "maximum" | "minimum":
            about = ComplaintKind.MOST if keyword == "maximum" else ComplaintKind.LEAST
            yield Complaint(about, field, (str(held.get("limit")),))
        case _:
            return


def _read_list(values: object) -> tuple[str, ...]:
    return tuple(map(str, values)) if isinstance(values, list) else ()


PRINTED = re.compile(
    r"^(?P<field>[A-Za-z_][\w.]*+)\n\s++(?P<said>[^\n\[]++)\[type=(?P<type>\w++)", re.MULTILINE
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_QUOTED = re.compile(r"'([^']{1,80})'")

_BY_KIND = {
    ComplaintKind.MISSING: "missing missing_argument value_error.missing",
    ComplaintKind.UNEXPECTED: "extra_forbidden unexpected_keyword_argument",
    ComplaintKind.MOST: "less_than_equal",
    ComplaintKind.LEAST: "greater_than_equal",
    ComplaintKind.DOMAIN: "literal_error enum",
}
BY_TYPE = {name: kind for kind, names in _BY_KIND.items() for name in names.split()}
_BY_TYPE = {
    "object": "model_type model_attributes_type dict_type",
    "array": "list_type",
    "integer": "int_type int_parsing",
    "number": "float_type float_parsing",
    "string": "string_type",
    "boolean": "bool_type bool_parsing",
}
TYPES = {name: kind for kind, names in _BY_TYPE.items() for name in names.split()}
PLACES = frozenset({"body", "query", "path", "header", "cookie"})
"""What FastAPI puts before the name of a field."""


def parse_listed(entry: Mapping[str, object]) -> Iterator[Complaint]:
    """From one entry of the list, with its `loc`, `type` and `msg`."""
    where, kind, said = entry.get("loc"), entry.get("type"), entry.get("msg")
    if isinstance(where, list) and isinstance(kind, str) and where:
        steps = where[1:] if where[0] in PLACES and len(where) > 1 else where
        yield from _build_complaints(".".join(map(str, steps)), kind, str(said))


def _build_complaints(field: str, kind: str, said: str) -> Iterator[Complaint]:
    about = BY_TYPE.get(kind)
    if kind in TYPES:
        yield Complaint(ComplaintKind.TYPE, field, (TYPES[kind],))
    elif about in (ComplaintKind.MOST, ComplaintKind.LEAST):
        yield from (Complaint(about, field, (n,)) for n in _NUMBER.findall(said)[:1])
    elif about is ComplaintKind.DOMAIN:
        yield Complaint(about, field, tuple(_QUOTED.findall(said)))
    elif about is not None:
        yield Complaint(about, field)


NO_SUBJECTS = list_words(
    "input value it this that argument parameter field number string array object list invalid "
    "expected please you error and or"
)
"""Words that are not argument names."""

# A bare subject is read from its beginning alone: else "a.a.a…" is read again from every dot.
_SUBJECT = r"(?:['\"`]([^'\"`\n]{1,80})['\"`]|(?<![\w.\-])([A-Za-z_][\w.\-]*+|-?\d++(?:\.\d++)?+))"
_BOUND = r"(-?\d++(?:\.\d++)?)"
_THING = "(?:argument|parameter|field|property|key|option)"
_MUST_BE = "(?:must|should|has to|needs to) be"
_AT_MOST = "(?:<=|≤|at most|no more than|less than or equal to)"
_AT_LEAST = "(?:>=|≥|at least|no less than|greater than or equal to)"
_FORMS = rf"(?P<form>{STATED})"
_VALUES = r"[^\n]{0,60}?(?:allowed|valid|supported|possible) (?:values|options|choices)(?: are)?:? "
_LISTED = r"([^\n]{1,400})"
_COUNTED = "(?:(?:a|the) number of|(?:given |specified |expressed )?in)"
_ANY_QUOTED = re.compile(r"['\"`]([^'\"`]{1,80})['\"`]")
_CAME = re.compile(r"\b(?:not|but|got|received|given|found)\b:? (?:got |was )?(?=['\"`])")
"""Words before the received value, where it follows the expected ones."""


_SENTENCES = rf"""
    missing: {_SUBJECT} is a required {_THING}
    missing: missing (?:\d+ )?required (?:\S+ ){{0,2}}{_THING}s?:? {_SUBJECT}
    missing: {_THING} {_SUBJECT} is (?:required|missing)
    missing: missing {_THING}:? {_SUBJECT}
    unexpected: unexpected (?:keyword )?{_THING}:? {_SUBJECT}
    unexpected: (?:unknown|unrecognized) {_THING}:? {_SUBJECT}
    unexpected: invalid {_THING}:? {_SUBJECT}(?=[.!]?\s*\Z)
    unexpected: \({_SUBJECT} was unexpected\)
    most: {_SUBJECT}:? {_MUST_BE} {_AT_MOST} {_BOUND}
    least: {_SUBJECT}:? {_MUST_BE} {_AT_LEAST} {_BOUND}
    most: {_SUBJECT} (?:cannot|(?:must|may) not) (?:exceed|be more than) {_BOUND}
    most: {_SUBJECT} is greater than the maximum of {_BOUND}
    least: {_SUBJECT} is less than the minimum of {_BOUND}
    most: {_SUBJECT} {_MUST_BE} between {_BOUND} and {_BOUND}
    most: {_SUBJECT} exceeds (?:the )?(?:maximum|limit)(?: value)?(?: of)? {_BOUND}
    most: maximum (?:value )?(?:for|of) {_SUBJECT} is {_BOUND}
    least: minimum (?:value )?(?:for|of) {_SUBJECT} is {_BOUND}
    domain: {_SUBJECT}:?,? {_MUST_BE} (?:one of|either|in)\b:?{_LISTED}
    domain: {_SUBJECT} is not one of:?{_LISTED}
    domain: invalid (?:value )?(?:for )?{_SUBJECT}{_VALUES}{_LISTED}
    domain: {_SUBJECT} is (?:not (?:a )?valid|invalid){_VALUES}{_LISTED}
    form: {_SUBJECT} (?:does not match|{_MUST_BE} in|must match|is not in)[^\n]{{0,40}}?{_FORMS}
    form: ()()(?:date|day|time)[^\n]{{0,60}}?(?:format|form|expected)[^\n]{{0,20}}?{_FORMS}
    iso: invalid isoformat string: {_SUBJECT}
    unit: {_SUBJECT}:? {_MUST_BE} {_COUNTED} ({NAMES})\b
"""
"""Kinds of complaint and their phrasings."""


@cache
def _compile_sentences() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Compiled at the first failure: it is slow."""
    lines = (line.strip().partition(": ") for line in _SENTENCES.strip().splitlines())
    return tuple((about, re.compile(words, re.IGNORECASE)) for about, _, words in lines)


def parse_sentences(text: str) -> Iterator[Complaint]:
    """All complaints in a text that name the argument and the expectation."""
    formed = False
    for about, words in _compile_sentences():
        for name, rest in _match_sentence(words, text):
            match about:
                case "domain":
                    values = _split_list(rest[0])
                    if len(values) > 1:
                        yield Complaint(ComplaintKind.DOMAIN, name, values)
                case "form" | "iso":
                    # The form that is stated; else what Python says of one it could not read.
                    read = "%Y-%m-%dT%H:%M:%S" if ":" in name else "%Y-%m-%d"
                    if not formed:
                        yield Complaint(ComplaintKind.FORM, name, rest or (read,))
                    formed |= about == "form"
                case _:
                    if len(rest) == 2:
                        yield Complaint(ComplaintKind.LEAST, name, rest[:1])
                    yield Complaint(ComplaintKind(about), name, rest[-1:])


def _match_sentence(words: re.Pattern[str], text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The subject and details of each matching sentence in a text."""
    for found in words.finditer(text):
        quoted, bare, *rest = found.groups()
        name = quoted or bare or ""
        if quoted or name.casefold() not in NO_SUBJECTS:
            yield name, tuple(part for part in rest if part is not None)


def _split_list(text: str) -> tuple[str, ...]:
    """The values of a list as it is written in a sentence."""
    text = _CAME.split(text, maxsplit=1)[0]
    words = _ANY_QUOTED.findall(text) or re.split(
        r"(?:(?<!\s)\s++)?+(?:,|\bor\b)\s*+", text.strip(" :[](){}.")
    )
    return tuple(word.strip(" .'\"[](){}") for word in words if word.strip(" .'\"[](){}"))


LONGEST = 4_000
MOST = 20
_ABSENT = re.compile(
    r"(?:(?:this |the )?(?:field|value|parameter|argument) )?(?:is )?(?:required|missing)\.?",
    re.IGNORECASE,
)


def parse_complaints(error: str) -> list[Complaint]:
    """All actionable complaints of an error; empty when it has no details.

    A list of errors is parsed as such; only without one are sentences searched.
    """
    said = read_error(error)
    text = said.message[:LONGEST]
    # A list that the error itself is has lost its fields in what it says.
    listed = [*_parse_lists(text)] or [*_parse_lists(error[:LONGEST])]
    printed = (
        complaint
        for each in PRINTED.finditer(text)
        for complaint in _build_complaints(each["field"], each["type"], each["said"])
    )
    found = [*printed, *listed] or [*parse_sentences(text)]
    if not found and said.path:
        # The one field that the error names apart from its message.
        absent = [Complaint(ComplaintKind.MISSING, said.path)]
        bare = _ABSENT.fullmatch(text.strip())
        found = absent if bare else [*parse_sentences(f"'{said.path}' {text}")]
    return list(dict.fromkeys(found))[:MOST]


def _parse_lists(text: str) -> Iterator[Complaint]:
    start, end = text.find("["), text.rfind("]")
    entries = read_json(text[start : end + 1])[1] if 0 <= start < end else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            yield from (*parse_listed(entry), *parse_zod(entry), *parse_ajv(entry))
