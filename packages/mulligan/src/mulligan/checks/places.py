"""Places: home means the home address, not a shop that has the word in its name.

A place that is still to be resolved is left alone: only what it was resolved to can be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mulligan.checks.subject import (
    Argument,
    Parameters,
    Subject,
    limit_to_parameters,
    select_arguments,
)
from mulligan.checks.tool_outputs import list_texts
from mulligan.types.call import Call
from mulligan.types.finding import Fact, Finding, Severity
from mulligan.types.interfaces import Check, Gather
from mulligan.types.turn import Turn
from mulligan_dates.languages import choose_requests, list_requests

HOME = "place.home"
"""The kind of fact: what the person means by home."""

_STREET = re.compile(r"\b\d+[a-z]?\s+[^\W\d_]{2,}|\b[^\W\d_]{4,}\s+\d+\b", re.IGNORECASE)
"""A house number beside a name, as addresses have it."""
_HOUSE_NUMBER = re.compile(r"\d{1,4}")
"""Longer ones are mostly postal codes, which a whole quarter shares."""
_WORD = re.compile(r"\d+|[^\W\d_]{3,}")


def home_resolved() -> Gather:
    """Say where home is, as the application put it into `Turn.known["home"]`."""

    async def gather(turn: Turn, _calls: Sequence[Call]) -> Iterable[Fact]:
        home = _read_home(turn)
        about = f"When the person says home, they mean {home}."
        return [Fact(kind=HOME, subject="home", value=home, about=about)] if home else []

    return gather


def home_is_home(parameters: Parameters, *, lookups: Parameters | None = None) -> Check[Subject]:
    """Flag a place that is clearly elsewhere, where the person said home.

    `parameters` hold a place; `lookups` hold what is looked up, and the result is the place.
    Sure of a business of that name, and of a look-up that led to another address; another address
    alone is a warning, because the person may have named two places. If home is unknown, only a
    business of that name is flagged.
    """

    @limit_to_parameters(
        {**parameters, **(lookups or {})}, when=lambda turn: says_home(turn.message)
    )
    def check(subject: Subject) -> Iterator[Finding]:
        home = _read_home(subject.turn)
        phrases = choose_requests(subject.turn.message)
        for argument in select_arguments(subject, parameters):
            taken = _is_elsewhere(argument.value, home=home, message=subject.turn.message)
            if taken:
                sure = _find_business(argument.value)
                yield _build_finding(argument, home, Severity.ERROR if sure else Severity.WARNING)
        for argument in select_arguments(subject, lookups or {}):
            if phrases.only_home.fullmatch(argument.value.strip()) and _leads_away(argument, home):
                yield _build_finding(argument, home, Severity.ERROR)

    return check


def says_home(text: str) -> bool:
    """Whether a text mentions the person's home."""
    return choose_requests(text).home.search(text) is not None


def _find_business(text: str) -> str | None:
    """A name that goes on after the word for home, in any language: businesses keep theirs."""
    found = (each.home_business.search(text) for each in list_requests())
    return next((each.group() for each in found if each), None)


def _read_home(turn: Turn) -> str:
    home = turn.known.get("home")
    return home if isinstance(home, str) else ""


def _leads_away(argument: Argument, home: str) -> bool:
    """Whether looking home up brought places, and none of them is home."""
    found = list(list_texts(argument.execution.result))
    return any(_is_elsewhere(text, home=home) for text in found) and not any(
        _is_home(text, home) for text in found
    )


def _is_elsewhere(text: str, *, home: str, message: str = "") -> bool:
    """Whether a text is a place that cannot be home, nor a business the person asked for."""
    if _is_home(text, home):
        return False
    if business := _find_business(text):
        return business.casefold() not in message.casefold()
    if not home:
        return False
    return bool(_STREET.search(text)) and not _is_near_home(text, home)


def _is_home(text: str, home: str) -> bool:
    """Whether a text has the house number of the home address, and a word that goes with it."""
    words = _list_address_words(text)
    return any(
        number in words and not words.isdisjoint(part - {number})
        for part in map(_list_address_words, home.split(","))
        for number in part
        if _HOUSE_NUMBER.fullmatch(number)
    )


def _is_near_home(text: str, home: str) -> bool:
    """Whether a text shares so much with the home address that it may be another way to say it."""
    shared = _list_address_words(text) & _list_address_words(home)
    return len(shared) > 1 or any(each.isdigit() for each in shared)


def _list_address_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _build_finding(argument: Argument, home: str, severity: Severity) -> Finding:
    where = home or "a home address"
    ask = "Ask where home is, or leave the place as the person said it."
    return argument.build_finding(
        "place.not_home",
        severity=severity,
        issue=f"and that is not {where}; the person said home.",
        correction=f"Use the home address: {home}." if home else ask,
    )
