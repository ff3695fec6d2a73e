"""Every function of the package that reads a text, and texts that are hard to read."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import FunctionType, ModuleType
from typing import Any
from zoneinfo import ZoneInfo

from bench.growth.attacks import Attack
from bench.growth.patterns import list_modules
from mulligan.checks.date_binding import NamedRecords
from mulligan.checks.grounding import read_source
from mulligan.checks.markdown import choose_steps
from mulligan.checks.provenance import find_addresses
from mulligan.checks.quantities import find_digit_runs
from mulligan.learning.model_output import decode_arguments, read_calls
from mulligan.learning.soft_errors import find_silent_error
from mulligan.learning.suggest import parse_result
from mulligan.types.display import StandIns, is_long
from mulligan.types.errors import MulliganError
from mulligan_dates.english import ENGLISH
from mulligan_dates.lexicon import ends_in, names_any, says_any
from mulligan_dates.readings import Moment

READING = (
    "checks",
    "learning",
    "mulligan_dates",
    "redaction",
    "types.display",
    "mulligan_packs.calendar.text",
    "prompts.template",
)
"""Where text from outside is read."""
NOT_FROM_OUTSIDE = frozenset({
    # Words of ours, names of files, and settings of the application.
    "mulligan_dates.readings.choose_pins", "mulligan_dates.tables.build_set",
    "mulligan_dates.tables.build_words", "mulligan_dates.calendar.find_feast",
    "mulligan_dates.calendar.load_national_days",
    "mulligan_dates.calendar.load_national_names", "checks.file.preset",
    "checks.feedback.asks", "mulligan_dates.lexicon.read_file",
    "mulligan_dates.lexicon.load_lexicon", "mulligan_dates.lexicon.load_tables",
    "mulligan_dates.tables.find_any",
    "mulligan_dates.lexicon.join_words", "mulligan_dates.lexicon.list_in_order",
    "mulligan_dates.lexicon.load_words",
    "learning.lessons.describe_correction",
    "learning.closeness.find_typo",
    "learning.closeness.compile_phrases", "learning.closeness.join_alternatives",
    "learning.values.join_path", "mulligan_packs.calendar.text.create_text",
    "mulligan_dates.text.list_words",
    # A numeral that a pattern has found.
    "mulligan_dates.text.parse_numeral",
    # Names of tools; what their arguments say is read by `format_one_line`.
    "types.display.render_sentence",
    # Spans that a scrubber has found.
    "redaction.text.apply_edits",
})  # fmt: skip
AT = Moment(now=datetime(2026, 11, 15, 9), zone=ZoneInfo("Europe/Berlin"), country=None)  # noqa: DTZ001
SHORT = "Dinner is on Friday at 7, for 40 EUR."

FILLED: Mapping[str, Callable[[str], object]] = {
    "runs": find_digit_runs,
    "ids: StandIns": lambda _: StandIns(),
    "at: Moment": lambda _: AT,
    "at: datetime": lambda _: datetime(2026, 11, 15, 9, tzinfo=UTC),
    "at: int": len,
    "words": lambda _: ENGLISH,
    "now": lambda _: datetime(2026, 11, 15, 9, tzinfo=UTC),
    "timezone": lambda _: "Europe/Berlin",
    "zone": lambda _: None,
    "source": lambda _: read_source((SHORT,)),
    "sentence": lambda _: SHORT,
    "context": lambda text: (text,),
    "steps": choose_steps,
    "links": lambda _: [],
    "arguments": lambda _: {"day": "2026-11-20"},
    "quoted": lambda text: [text],
    "others": lambda text: [text],
    "candidates": lambda text: [text[:-1], "day"],
    "known: NamedRecords": lambda _: NamedRecords(frozenset({"game night"}), {}),
    "known: Sequence": lambda _: [],
    "known": lambda text: text,
    "known: set[str]": lambda _: set(),
    "told": lambda _: True,
    "name: str": lambda _: "password",
    "tools": lambda _: ["send_mail", "day"],
    "tool": lambda _: "send_mail",
    "names": lambda _: ["day", "to"],
    "of": lambda _: [],
    "spans": lambda _: [],
    "other": lambda text: text[:-1],
    "b": lambda text: text[:-1],
    "ours": lambda text: text[:-1],
    "end: str": lambda text: text,
    "end": len,
    "start": lambda _: 0,
    "most": lambda _: 60,
    "at_most": lambda _: 500,
    "longest": lambda _: 500,
    "masked": lambda text: text,
    "pattern: re.Pattern[str]": lambda _: re.compile(r"\\?[a-f]{1,4}"),
    "read": lambda _: str.upper,
    "pattern": lambda _: "^[A-Z]{3}$",
    "wanted": lambda _: "date",
    "form": lambda _: "%Y-%m-%d",
    "sign": lambda _: ",",
    "template": lambda text: text,
    "after": lambda text: text[:-1],
    "followed": lambda _: True,
    "unit": lambda _: "seconds",
    "changes": lambda _: {},
    "tokens": lambda _: 100,
    "locale": lambda _: None,
    "country": lambda _: None,
    "year": lambda _: 2026,
}
"""What else a function takes, by the parameter's name, or by its name and type."""

OTHERS: Mapping[str, Callable[[str], object]] = {
    "mulligan_dates.lexicon.says_any": lambda text: says_any(text, "words", "picked"),
    "mulligan_dates.lexicon.names_any": lambda text: names_any(text, "words", "picked"),
    "mulligan_dates.lexicon.ends_in": lambda text: ends_in(text, "words", "picked"),
    "checks.provenance.find_addresses": lambda text: [*find_addresses(text, name="note")],
    "types.display.is_long": is_long,
    "learning.soft_errors.find_silent_error": find_silent_error,
    "learning.suggest.parse_result": parse_result,
    "learning.model_output.decode_arguments": decode_arguments,
    "learning.model_output.read_calls": lambda text: read_calls(text, tools=["f", "send_mail"]),
}
"""Readers of anything, which may be a text."""

_PARTS = (
    *("a", "A", "0", " ", "\n", "\t", ".", "-", "/", "'", '"', "`", "(", "[", "{", "<", "\\"),
    *(
        "a.",
        "a ",
        "A ",
        "0 ",
        "0,",
        "0.",
        "a-",
        "a/",
        "'a ",
        '"a ',
        "\u201ca",
        "a, ",
        "a: ",
        "a=a ",
    ),
    *("[1,", '{"a":', "f(a=", "/*,", "//a", "```\n", "| a ", "- a\n", "# a\n", "\\u0041", "%41"),
    *("a@a.de ", "http://a", "12:30 ", "friday ", "on friday at 3 ", "2026-11-20 ", "Error: "),
    *(
        "friday 2026-11-20 ",
        "moved to friday ",
        "Ann Lee ",
        "5 EUR ",
        "+49 30 1234567 ",
        "www.a.de ",
    ),
    *("missing required argument: a ", "$1 ", "\u00e9", "\u200b", "\U0001f600", "password=a "),
)
HARD = (
    *(
        Attack(head, part, tail)
        for head, tail in (("", ""), ("", "!"), ("a=None b=", "!"), ('{"a": "', '"'))
        for part in _PARTS
    ),
    *(Attack('- "', 'a\\"\n', ""), Attack("- '", "a''\n", "")),
)
"""What parsers trip over: every kind of part again and again, after what makes them begin."""


_FIRST = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parser:
    """A function that reads a text."""

    place: str
    read: Callable[[str], object]


def find_parsers() -> Iterator[Parser]:
    """Every public function that takes a text first, and the readers of anything."""
    for place, function in list_readers():
        needs = list(_list_needs(function))
        if all(_find_filling(each) for each in needs):
            yield Parser(place=place, read=_bind(function, needs))
    for place, read in OTHERS.items():
        yield Parser(place=place, read=read)


def list_uncalled() -> list[str]:
    """Readers that nobody has said how to call."""
    return [
        place
        for place, function in list_readers()
        if place not in OTHERS and not all(map(_find_filling, _list_needs(function)))
    ]


def list_readers() -> Iterator[tuple[str, FunctionType]]:
    """Functions of the rooms that read text, less what is only given words of ours."""
    for module in list_modules():
        under = module.__name__.removeprefix("mulligan.")
        if under.startswith(READING):
            for name, function in _list_functions(module):
                place = f"{under}.{name}"
                if place not in NOT_FROM_OUTSIDE and _takes_text(function):
                    yield place, function


def _list_functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    for name, value in vars(module).items():
        function = inspect.unwrap(value) if callable(value) else None
        if not isinstance(function, FunctionType) or name.startswith("_"):
            continue
        if function.__module__ == module.__name__ and not inspect.iscoroutinefunction(function):
            yield name, function


def _takes_text(function: FunctionType) -> bool:
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return first is not None and first.annotation == "str" and first.kind in _FIRST


def _list_needs(function: FunctionType) -> Iterator[inspect.Parameter]:
    _, *others = inspect.signature(function).parameters.values()
    kept = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return (each for each in others if each.default is each.empty and each.kind not in kept)


def _find_filling(needed: inspect.Parameter) -> Callable[[str], object] | None:
    exact = f"{needed.name}: {needed.annotation}"
    typed = next((FILLED[key] for key in FILLED if ":" in key and exact.startswith(key)), None)
    return typed or FILLED.get(needed.name)


def _bind(function: FunctionType, needs: list[inspect.Parameter]) -> Callable[[str], object]:
    def read(text: str) -> object:
        given: dict[str, Any] = {}
        for each in needs:
            filling = _find_filling(each)
            given[each.name] = filling(text) if filling else None
        positional = [given.pop(e.name) for e in needs if e.kind is not e.KEYWORD_ONLY]
        try:
            answer = function(text, *positional, **given)
            return list(answer) if isinstance(answer, Iterator) else answer
        except (ValueError, MulliganError):
            return None  # refused, as such a text may be

    return read
