"""What an evaluation is run on: questions with their context, and what was said to them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from mulligan.codec.json_text import decode_json
from mulligan.core.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
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
    text = files("mulligan.evaluation.golden").joinpath("boatyard.toml").read_text("utf-8")
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
    """Cases from a JSON Lines file: `question`, and where there is any `context`, `recorded`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read ({type(error).__name__}). Name a file of JSON lines."
        ) from error
    return tuple(
        _parse_case(line, number=number, path=path)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )


def _parse_case(line: str, *, number: int, path: Path) -> Case:
    try:
        told = decode_json(line)
        texts = {
            name: tuple(str(text) for text in told.get(name, ()))
            for name in ("context", "answer", "recorded")
        }
        return Case(id=str(told.get("id", number)), question=str(told["question"]), **texts)
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"Line {number} of {path} is no case ({type(error).__name__}). "
            'Write {"question": "…", "context": ["…"], "recorded": ["…"]}.'
        ) from error
