"""What a parameter holds, told from its type, format, description and name, or from a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from mulligan.checks.language.lexicon import join_words, load_words, split_words
from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.late_pattern import compile_late


class ParameterKind(StrEnum):
    """What a parameter holds."""

    ID = "id"
    """Names one object, as the system that has it does."""
    PERSON = "person"
    """Names somebody, in words."""
    ADDRESS = "address"
    """Where something goes: a mailbox, an account, a telephone."""
    DATE = "date"
    START = "start"
    END = "end"
    AMOUNT = "amount"
    PLACE = "place"
    TEXT = "text"
    LINK = "link"
    FLAG = "flag"
    """Yes or no, or one of a few words."""
    OTHER = "other"
    """Nothing can be said of it, and no check looks at it."""


class Chosen(NamedTuple):
    """The kind of a parameter, and what it was told from."""

    kind: ParameterKind
    why: str


Schema = Mapping[str, object]

_FORMATS = {
    "date": ParameterKind.DATE,
    "date-time": ParameterKind.DATE,
    "email": ParameterKind.ADDRESS,
    "idn-email": ParameterKind.ADDRESS,
    "iri": ParameterKind.LINK,
    "phone": ParameterKind.ADDRESS,
    "uri": ParameterKind.LINK,
    "uri-reference": ParameterKind.LINK,
    "url": ParameterKind.LINK,
    "uuid": ParameterKind.ID,
}
_NUMBERS = {"number", "integer"}

_ANY_CASE = re.IGNORECASE
_SAID_OF = {
    ParameterKind.ADDRESS: "address",
    ParameterKind.LINK: "link",
    ParameterKind.ID: "id",
    ParameterKind.DATE: "date",
}
"""What a description says of a parameter whose name tells nothing, by its list of words."""

_LOOKS: tuple[tuple[ParameterKind, re.Pattern[str]], ...] = (
    (ParameterKind.LINK, compile_late(r"(?:https?://|www\.)\S+", _ANY_CASE)),
    (ParameterKind.ADDRESS, compile_late(r"(?<![^@\s<>])[^@\s<>]++@[^@\s<>]+\.[^@\s<>]+")),
    (ParameterKind.ADDRESS, compile_late(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")),
    (ParameterKind.DATE, compile_late(r"(?:19|20)\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?")),
    (ParameterKind.ID, compile_late(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", _ANY_CASE)),
)
"""What a value looks like, whole."""


def find_kind(name: str, schema: Schema | None = None) -> Chosen:
    """What a parameter of this name and schema holds."""
    forms = list(_list_forms(schema or {}))
    for form in forms:
        if (found := _FORMATS.get(str(form.get("format")))) is not None:
            return Chosen(_place_in_time(found, name), f"its format is {form['format']}")
    types = {str(form.get("type")) for form in forms} - {"null", "array", "None"}
    if types == {"boolean"} or any("enum" in form or "const" in form for form in forms):
        return Chosen(ParameterKind.FLAG, "it is one of a few values")
    if types & {"object"}:
        return Chosen(ParameterKind.OTHER, "it is a structure")
    said = str((schema or {}).get("description") or "")
    parts = split_words(name)
    if (found := _read_name(parts, said=said, types=types)) is not None:
        return Chosen(found, f"it is called {name}")
    for kind, words in _SAID_OF.items():
        if not types & _NUMBERS and (named := _compile_said(words).search(said)):
            return Chosen(_place_in_time(kind, name), f"its description says {named.group()!r}")
    return Chosen(ParameterKind.OTHER, "nothing tells what it is")


def parse_kinds(given: object, *, of: str) -> Mapping[str, ParameterKind]:
    """What an author says that parameters hold, by their names."""
    if not isinstance(given, Mapping):
        raise ConfigurationError(
            f"kinds={given!r} of {of} is no mapping: kinds={{'reference': 'id'}} says that "
            "reference holds an id."
        )
    return {str(name): _parse_kind(kind, of=f"{of}.{name}") for name, kind in given.items()}


def _parse_kind(given: object, *, of: str) -> ParameterKind:
    try:
        return ParameterKind(given)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(each.value for each in ParameterKind)
        raise ConfigurationError(f"{of} holds no {given!r}. There are: {known}.") from None


def find_kind_of_value(value: object) -> Chosen | None:
    """What a value is by its looks, where its parameter told nothing."""
    text = str(value).strip() if isinstance(value, str) else ""
    for kind, pattern in _LOOKS:
        if text and pattern.fullmatch(text):
            return Chosen(kind, "its value looks like one")
    return None


def _read_name(words: list[str], *, said: str, types: set[str]) -> ParameterKind | None:
    """The kind that a name tells, of which the last word says the most."""
    if not words:
        return None
    last, named = words[-1], set(words)
    if last in _load("id"):
        return ParameterKind.ID
    if types and types <= _NUMBERS:
        return ParameterKind.AMOUNT if named & _load("amount") else None
    if named & _load("address") or last in _load("account"):
        return ParameterKind.ADDRESS
    if named & _load("receives") or (len(words) == 1 and words[0] in _load("receives_alone")):
        return (
            ParameterKind.ADDRESS if _compile_said("address").search(said) else ParameterKind.PERSON
        )
    if named & _load("link"):
        return ParameterKind.LINK
    if named & _load("date") or last in _load("bound"):
        return _place_in_time(ParameterKind.DATE, "_".join(words))
    return _read_last(last, named)


def _read_last(last: str, named: set[str]) -> ParameterKind | None:
    if last in _load("amount"):
        return ParameterKind.AMOUNT
    if last in _load("place"):
        return ParameterKind.PLACE
    if last in _load("person") or (last == "name" and named & {*_load("person"), "first"}):
        return ParameterKind.PERSON
    return ParameterKind.TEXT if last in _load("text") or last.endswith("name") else None


def _load(name: str) -> frozenset[str]:
    return load_words("kinds", name)


@cache
def _compile_said(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('described', name)})\b", re.IGNORECASE)


def _place_in_time(kind: ParameterKind, name: str) -> ParameterKind:
    """Which end of a stretch of time a date is, by its name."""
    if kind is not ParameterKind.DATE:
        return kind
    named = set(split_words(name))
    if named & _load("start"):
        return ParameterKind.START
    return ParameterKind.END if named & _load("end") else kind


def _list_forms(schema: Schema) -> Iterator[Schema]:
    """A schema and the ones it is one of: `string or null`, a list's elements."""
    yield schema
    for key in ("anyOf", "oneOf", "allOf"):
        for each in _as_list(schema.get(key)):
            if isinstance(each, Mapping):
                yield from _list_forms(each)
    if isinstance(items := schema.get("items"), Mapping):
        yield from _list_forms(items)


def _as_list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []
