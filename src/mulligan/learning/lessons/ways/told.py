"""Values that the error itself states: a number, something quoted, a list of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from mulligan.learning.errors.masks import QUOTED
from mulligan.learning.errors.messages import extract_message
from mulligan.learning.lessons.ways.place import ArgumentPlace, Given, Way, is_same
from mulligan.learning.shape.coerce import NOTHING

LONGEST = 4_000
MOST = 20

_NUMBER = re.compile(
    r"(?<![\w.#-])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.#-])-?\d+(?:\.\d+)?(?!\w)"
)
_LIST = re.compile(r":\s*+\[?((?:[\w'\"-]++\s*+,\s*+)+(?:and |or )?[\w'\"-]++)")
_WORD = re.compile(r"[^\s,;:'\"`()\[\]{}<>]+")


def parse_stated(error: str) -> Mapping[str, Sequence[object]]:
    """What an error states, by kind and in its order."""
    text = extract_message(error)[:LONGEST]
    quoted = [next(part for part in found if part is not None) for found in _list_quoted(text)]
    return {
        "number": [_parse_number(found.group()) for found in _NUMBER.finditer(text)][:MOST],
        "quoted": list(quoted)[:MOST],
        "list": [_split_names(found[1]) for found in _LIST.finditer(text)][:MOST],
        "word": [found.group().rstrip(".!?") for found in _WORD.finditer(text)][:100],
    }


def _list_quoted(text: str) -> Iterator[tuple[str | None, ...]]:
    yield from (found.groups() for found in QUOTED.finditer(text))


def _parse_number(text: str) -> int | float:
    plain = text.replace(",", "")
    return float(plain) if "." in plain else int(plain)


def _split_names(text: str) -> list[object]:
    words = (
        word.strip("'\" ")
        for word in re.split(r"(?:(?<!\s)\s++)?+,\s*+(?:and |or )?|(?<!\s)\s++(?:and|or)\s++", text)
    )
    return [word for word in words if word]


def _explain(value: object, place: ArgumentPlace) -> Iterator[Given]:
    for what, stated in parse_stated(place.failed.error).items():
        if what == "word" and not _speaks(value):
            continue
        for at, each in enumerate(stated):
            if is_same(each, value):
                yield {"what": what, "at": at}
                break


def _speaks(value: object) -> bool:
    """A single word of an error is a value only if words of prose do not look like it."""
    return isinstance(value, str) and any(sign.isdigit() or sign in "_#@/" for sign in value)


def _make(given: Given, place: ArgumentPlace) -> object:
    stated = parse_stated(place.failed.error).get(str(given.get("what")), [])
    at = given.get("at")
    return stated[at] if isinstance(at, int) and -len(stated) <= at < len(stated) else NOTHING


FROM_ERROR = Way(_explain, _make)
