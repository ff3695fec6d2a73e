"""Complaints in plain sentences, as programs and people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mulligan.learning.complaints.complaint import Complaint, ComplaintKind
from mulligan.learning.shape.moment_forms import STATED
from mulligan.learning.shape.units import NAMES
from mulligan.learning.values.vocabulary import list_words

NO_SUBJECTS = list_words(
    "input value it this that argument parameter field number string array object list invalid "
    "expected please you error and or"
)
"""Words that stand where the name of an argument could."""

# A bare subject is read from its beginning alone: else "a.a.a…" is read again from every dot.
_SUBJECT = r"(?:['\"`]([^'\"`\n]{1,80})['\"`]|(?<![\w.\-])([A-Za-z_][\w.\-]*+|-?\d++(?:\.\d++)?+))"
_NUMBER = r"(-?\d++(?:\.\d++)?)"
_THING = "(?:argument|parameter|field|property|key|option)"
_MUST_BE = "(?:must|should|has to|needs to) be"
_AT_MOST = "(?:<=|≤|at most|no more than|less than or equal to)"
_AT_LEAST = "(?:>=|≥|at least|no less than|greater than or equal to)"
_FORMS = rf"(?P<form>{STATED})"
_VALUES = "(?:values|options|choices)"
_QUOTED = re.compile(r"['\"`]([^'\"`]{1,80})['\"`]")
_CAME = re.compile(r"\b(?:not|but|got|received|given|found)\b:? (?:got |was )?(?=['\"`])")
"""Before the value that came, where it is said after those that are wanted."""


def _compile(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


FIELDS = (
    (ComplaintKind.MISSING, _compile(rf"{_SUBJECT} is a required {_THING}")),
    (
        ComplaintKind.MISSING,
        _compile(rf"missing (?:\d+ )?required (?:\S+ ){{0,2}}{_THING}s?:? {_SUBJECT}"),
    ),
    (ComplaintKind.MISSING, _compile(rf"{_THING} {_SUBJECT} is (?:required|missing)")),
    (ComplaintKind.MISSING, _compile(rf"missing {_THING}:? {_SUBJECT}")),
    (ComplaintKind.UNEXPECTED, _compile(rf"unexpected (?:keyword )?{_THING}:? {_SUBJECT}")),
    (
        ComplaintKind.UNEXPECTED,
        _compile(rf"(?:unknown|unrecognized|invalid) {_THING}:? {_SUBJECT}"),
    ),
    (ComplaintKind.UNEXPECTED, _compile(rf"\({_SUBJECT} was unexpected\)")),
)
BOUNDS = (
    (ComplaintKind.MOST, _compile(rf"{_SUBJECT}:? {_MUST_BE} {_AT_MOST} {_NUMBER}")),
    (ComplaintKind.LEAST, _compile(rf"{_SUBJECT}:? {_MUST_BE} {_AT_LEAST} {_NUMBER}")),
    (
        ComplaintKind.MOST,
        _compile(rf"{_SUBJECT} (?:cannot|(?:must|may) not) (?:exceed|be more than) {_NUMBER}"),
    ),
    (ComplaintKind.MOST, _compile(rf"{_SUBJECT} is greater than the maximum of {_NUMBER}")),
    (ComplaintKind.LEAST, _compile(rf"{_SUBJECT} is less than the minimum of {_NUMBER}")),
    (ComplaintKind.MOST, _compile(rf"{_SUBJECT} {_MUST_BE} between {_NUMBER} and {_NUMBER}")),
    (
        ComplaintKind.MOST,
        _compile(rf"{_SUBJECT} exceeds (?:the )?(?:maximum|limit)(?: value)?(?: of)? {_NUMBER}"),
    ),
    (
        ComplaintKind.MOST,
        _compile(rf"maximum (?:value )?(?:for|of) {_SUBJECT} is {_NUMBER}"),
    ),
    (
        ComplaintKind.LEAST,
        _compile(rf"minimum (?:value )?(?:for|of) {_SUBJECT} is {_NUMBER}"),
    ),
)
DOMAINS = (
    _compile(rf"{_SUBJECT}:?,? {_MUST_BE} (?:one of|either|in)\b:?([^\n]{{1,400}})"),
    _compile(rf"{_SUBJECT} is not one of:?([^\n]{{1,400}})"),
    _compile(
        rf"invalid (?:value )?(?:for )?{_SUBJECT}[^\n]{{0,60}}?"
        rf"(?:allowed|valid|supported|possible) {_VALUES}(?: are)?:? ([^\n]{{1,400}})"
    ),
    _compile(
        rf"{_SUBJECT} is (?:not (?:a )?valid|invalid)[^\n]{{0,60}}?"
        rf"(?:allowed|valid|supported|possible) {_VALUES}(?: are)?:? ([^\n]{{1,400}})"
    ),
)
FORMS = (
    _compile(
        rf"{_SUBJECT} (?:does not match|{_MUST_BE} in|must match|is not in)[^\n]{{0,40}}?{_FORMS}"
    ),
    _compile(rf"()()(?:date|day|time)[^\n]{{0,60}}?(?:format|form|expected)[^\n]{{0,20}}?{_FORMS}"),
)


UNITS = _compile(
    rf"{_SUBJECT}:? {_MUST_BE} (?:(?:a|the) number of|(?:given |specified |expressed )?in) "
    rf"({NAMES})\b"
)
ISO = _compile(rf"invalid isoformat string: {_SUBJECT}")
REST = re.compile(r"unconverted data remains: ([^\n]{1,40})")


def parse_sentences(text: str) -> Iterator[Complaint]:
    """Everything a text complains of in words that say which argument and what is wanted."""
    for about, words in FIELDS:
        yield from (Complaint(about, name) for name, _ in _match_sentence(words, text))
    for about, words in BOUNDS:
        for name, rest in _match_sentence(words, text):
            if len(rest) == 2:
                yield Complaint(ComplaintKind.LEAST, name, rest[:1])
            yield Complaint(about, name, rest[-1:])
    for words in DOMAINS:
        for name, rest in _match_sentence(words, text):
            values = _split_list(rest[0])
            if len(values) > 1:
                yield Complaint(ComplaintKind.DOMAIN, name, values)
    yield from _parse_forms(text)
    for name, rest in _match_sentence(UNITS, text):
        yield Complaint(ComplaintKind.UNIT, name, rest)


def _parse_forms(text: str) -> Iterator[Complaint]:
    """The form that is stated; else what Python says of a form that it could not read."""
    for words in FORMS:
        for name, rest in _match_sentence(words, text):
            yield Complaint(ComplaintKind.FORM, name, rest)
            return
    for name, _ in _match_sentence(ISO, text):
        form = "%Y-%m-%dT%H:%M:%S" if ":" in name else "%Y-%m-%d"
        yield Complaint(ComplaintKind.FORM, name, (form,))
    for found in REST.finditer(text):
        yield Complaint(ComplaintKind.REST, "", (found[1],))


def _match_sentence(words: re.Pattern[str], text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a sentence is about and what else it says, for each time it stands in a text."""
    for found in words.finditer(text):
        quoted, bare, *rest = found.groups()
        name = quoted or bare or ""
        if quoted or name.casefold() not in NO_SUBJECTS:
            yield name, tuple(part for part in rest if part is not None)


def _split_list(text: str) -> tuple[str, ...]:
    """The values of a list as it is written in a sentence."""
    text = _CAME.split(text, maxsplit=1)[0]
    words = _QUOTED.findall(text) or re.split(
        r"(?:(?<!\s)\s++)?+(?:,|\bor\b)\s*+", text.strip(" :[](){}.")
    )
    return tuple(word.strip(" .'\"[](){}") for word in words if word.strip(" .'\"[](){}"))
