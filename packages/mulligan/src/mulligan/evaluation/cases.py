"""What an evaluation is run on: questions with their context, and what was said to them."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

from msgspec import Struct

from mulligan.codec import split_json_lines
from mulligan.types.errors import ConfigurationError

_TEXTS = ("context", "answer", "recorded")
_FIELDS = frozenset({"id", "question", *_TEXTS})
MOST_SAID = 5
"""Lines that a message names."""


class Case(Struct, frozen=True, kw_only=True):
    """One question of a golden set."""

    id: str
    question: str
    context: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    """What a right answer says, a sentence each; a scripted writer uses it."""
    recorded: tuple[str, ...] = ()
    """Replies that were really written, try by try; a replay uses them."""


def load_golden_cases() -> tuple[Case, ...]:
    """The set that ships with Mulligan: an invented boatyard's knowledge base."""
    text = files("mulligan.evaluation").joinpath("boatyard.toml").read_text("utf-8")
    told = tomllib.loads(text)
    return tuple(
        Case(
            id=each["id"],
            question=each["question"],
            context=tuple(told["passages"][name] for name in each["passages"]),
            answer=tuple(each["answer"]),
        )
        for each in told["questions"]
    )


def read_cases(path: Path) -> tuple[Case, ...]:
    """Cases from a JSON Lines file: `question`, and where there is any `context`, `recorded`.

    Every line is looked at before anything is run; what is wrong is said of all of them at once.
    """
    try:
        lines = split_json_lines(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read ({type(error).__name__}). Name a file of JSON lines."
        ) from error
    cases: list[Case] = []
    wrong: list[str] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            case = _parse_case(line, number=number, seen=seen)
        except ValueError as error:
            wrong.append(f"line {number}: {error}")
        else:
            seen[case.id] = number
            cases.append(case)
    if wrong:
        more = f"; and {len(wrong) - MOST_SAID} lines more" if len(wrong) > MOST_SAID else ""
        raise ConfigurationError(
            f"{path} is no set of cases yet: {'; '.join(wrong[:MOST_SAID])}{more}. "
            'Write {"question": "…", "context": ["…"], "recorded": ["…"]} on each line.'
        )
    return tuple(cases)


def _parse_case(line: str, *, number: int, seen: Mapping[str, int]) -> Case:
    told = _read_line(line)
    if not isinstance(told, dict):
        raise ValueError(f"it is a {type(told).__name__}, and no object")  # noqa: TRY004 - one kind
    for name in told.keys() - _FIELDS:
        if near := get_close_matches(str(name), _FIELDS, n=1, cutoff=0.8):
            raise ValueError(f"{name!r} is no field; did you mean {near[0]!r}?")
    question = told.get("question")
    if not isinstance(question, str) or not question.strip():
        raise ValueError("it has no question")
    given = told.get("id", number)
    if isinstance(given, list | dict | None):
        raise ValueError(f"its id is {given!r}, and no text")  # noqa: TRY004 - one kind
    if str(given) in seen:
        raise ValueError(f"its id {str(given)!r} is that of line {seen[str(given)]} too")
    texts = {name: _read_texts(told.get(name), name=name) for name in _TEXTS}
    return Case(id=str(given), question=question, **texts)


def _read_line(line: str) -> Any:
    repeated: list[str] = []

    def build_object(fields: list[tuple[str, object]]) -> dict[str, object]:
        counts = Counter(name for name, _ in fields)
        repeated.extend(name for name, count in counts.items() if count > 1)
        return dict(fields)

    try:
        told = json.loads(line, object_pairs_hook=build_object)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is no JSON") from error
    if repeated:
        raise ValueError(f"it says {repeated[0]!r} more than once")
    return told


def _read_texts(given: object, *, name: str) -> tuple[str, ...]:
    """A list of texts; one text is a list of one."""
    if given is None:
        return ()
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{name} is {given!r:.60}, and no text or list of texts")
    return tuple(texts)
