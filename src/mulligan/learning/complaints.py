"""What an error complains of, field by field: missing, unexpected, beyond a bound, unlisted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from mulligan.learning.messages import message_of

LONGEST = 4_000
MOST = 20


class About(StrEnum):
    """What a complaint is about."""

    MISSING = "missing"
    UNEXPECTED = "unexpected"
    DOMAIN = "domain"
    MOST = "most"
    LEAST = "least"
    TYPE = "type"
    FORM = "form"


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing an error holds against an argument."""

    about: About
    field: str
    """A name, or a path with dots where the error gives one; empty when it names none."""
    values: tuple[str, ...] = ()
    """The domain, the bound, the type or the form that is wanted."""


NO_NAMES = frozenset({"input", "value", "it", "this", "that", "argument", "parameter", "field"})
"""Words that stand where a field's name could."""

_NAME = r"[\W_]?\b([A-Za-z_][\w.\-\[\]]*)\W?"
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_QUOTED = re.compile(r"['\"`]([^'\"`]{1,80})['\"`]")
_MUST_BE = "(?:must|should|has to|needs to) be"
_THING = "(?:argument|parameter|field|property|key|option)"
_PYDANTIC = re.compile(
    r"^(?P<field>[A-Za-z_][\w.]*)\n\s+(?P<said>[^\n\[]+)\[type=(?P<type>\w+)", re.MULTILINE
)

SENTENCES: tuple[tuple[About, re.Pattern[str]], ...] = tuple(
    (about, re.compile(words, re.IGNORECASE))
    for about, words in (
        (About.MISSING, rf"{_NAME} is a required {_THING}"),
        (About.MISSING, rf"missing (?:\d+ )?required (?:\S+ ){{0,2}}{_THING}s?:? {_NAME}"),
        (About.MISSING, rf"{_THING} {_NAME} is (?:required|missing)"),
        (About.MISSING, rf"missing {_THING}:? {_NAME}"),
        (About.UNEXPECTED, rf"unexpected (?:keyword )?{_THING}:? {_NAME}"),
        (About.UNEXPECTED, rf"(?:unknown|unrecognized|invalid) {_THING}:? {_NAME}"),
        (About.UNEXPECTED, rf"\({_NAME} was unexpected\)"),
    )
)
_AT_MOST = "(?:<=|≤|at most|no more than|less than or equal to)"
_AT_LEAST = "(?:>=|≥|at least|no less than|greater than or equal to)"
BOUNDS: tuple[tuple[About, re.Pattern[str]], ...] = tuple(
    (about, re.compile(words, re.IGNORECASE))
    for about, words in (
        (About.MOST, rf"{_NAME}:? {_MUST_BE} {_AT_MOST} {_NUMBER}"),
        (About.LEAST, rf"{_NAME}:? {_MUST_BE} {_AT_LEAST} {_NUMBER}"),
        (About.MOST, rf"{_NAME} (?:cannot|(?:must|may) not) (?:exceed|be more than) {_NUMBER}"),
        (About.MOST, rf"{_NAME} {_MUST_BE} between {_NUMBER} and {_NUMBER}"),
    )
)
_DOMAIN = re.compile(
    rf"{_NAME}:?,? {_MUST_BE} (?:one of|either|in)\b:?(?P<domain>[^\n]{{1,400}})", re.IGNORECASE
)
_FORM = re.compile(
    rf"{_NAME}[^\n]{{0,60}}?(?:format|form|match(?:es)? format)[^\n]{{0,12}}?"
    r"(?P<form>%Y-%m-%d|YYYY-MM-DD|MM/DD/YYYY|DD/MM/YYYY|YYYY/MM/DD)",
    re.IGNORECASE,
)


def complaints_in(error: str) -> list[Complaint]:
    """Everything an error names that can be acted on; nothing when it only says no."""
    text = message_of(error)[:LONGEST]
    found = dict.fromkeys([*_pydantic(text), *_sentences(text), *_bounds(text), *_domains(text)])
    return [each for each in found if each.field.casefold() not in NO_NAMES][:MOST]


def _pydantic(text: str) -> Iterator[Complaint]:
    for found in _PYDANTIC.finditer(text):
        field, said, kind = found["field"], found["said"].strip(), found["type"]
        number = re.search(_NUMBER, said)
        if kind == "missing" or kind == "missing_argument":
            yield Complaint(About.MISSING, field)
        elif kind in ("extra_forbidden", "unexpected_keyword_argument"):
            yield Complaint(About.UNEXPECTED, field)
        elif kind in ("less_than_equal", "greater_than_equal") and number:
            about = About.MOST if kind == "less_than_equal" else About.LEAST
            yield Complaint(about, field, (number[1],))
        elif kind in ("literal_error", "enum"):
            yield Complaint(About.DOMAIN, field, tuple(_QUOTED.findall(said)))
        elif kind in ("model_type", "model_attributes_type", "dict_type"):
            yield Complaint(About.TYPE, field, ("object",))
        elif kind in ("list_type", "int_type", "float_type", "string_type", "bool_type"):
            yield Complaint(About.TYPE, field, (kind.removesuffix("_type"),))


def _sentences(text: str) -> Iterator[Complaint]:
    for about, words in SENTENCES:
        for found in words.finditer(text):
            yield Complaint(about, found[1])


def _bounds(text: str) -> Iterator[Complaint]:
    for about, words in BOUNDS:
        for found in words.finditer(text):
            numbers = found.groups()[1:]
            if len(numbers) == 2:
                yield Complaint(About.LEAST, found[1], (numbers[0],))
                yield Complaint(About.MOST, found[1], (numbers[1],))
            else:
                yield Complaint(about, found[1], (numbers[0],))


def _domains(text: str) -> Iterator[Complaint]:
    for found in _DOMAIN.finditer(text):
        listed = found["domain"].strip(" :[](){}.")
        words = _QUOTED.findall(listed) or re.split(r"\s*(?:,|\bor\b)\s*", listed)
        values = tuple(word.strip(" .'\"") for word in words if word.strip(" .'\""))
        if len(values) > 1:
            yield Complaint(About.DOMAIN, found[1], values)
    for found in _FORM.finditer(text):
        yield Complaint(About.FORM, found[1], (found["form"],))
