"""The one with the most or the fewest of something, counted in what was read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.lexicon import cut_ending, find_stems, split_words
from mulligan.checks.language.quotations import drop_quotes
from mulligan.checks.returned.seen_values import fold_value
from mulligan.checks.returned.structure import read_structure
from mulligan.checks.subject.concern import limit_to_tools
from mulligan.checks.subject.subject import Argument, Subject
from mulligan.checks.subject.values import list_texts
from mulligan.core.call import Execution, Outcome
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn

_SENTENCE = re.compile(r"[^.!?\n]+")
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"']{3,200}", re.IGNORECASE)
_LONGEST = 5_000
"""Characters of a text that the person pointed to."""
LEAST = 2
"""Of how many things the number must be known: of one alone, nothing follows."""


class Extreme(NamedTuple):
    """The one that was asked for: of which sort, by the number of what, and what to do with it."""

    sort: str
    what: str
    most: bool
    sentence: frozenset[str]


def extreme_as_said(tools: Mapping[str, object]) -> Check[Subject]:
    """Flag a call on another than the one with the most or fewest, where each was counted.

    A count is the length of a list that a tool named after what is counted returned for one thing,
    and for nothing else. The call must be asked for by its verb, in the same sentence.
    """

    @limit_to_tools(tools, when=_may_ask)
    def check(subject: Subject) -> Iterator[Finding]:
        asked = read_extreme("\n".join([subject.turn.message, *_list_pointed(subject)]))
        if asked is None:
            return
        counts: dict[str, int] = {}
        for execution in subject.earlier:
            _count(execution, asked, counts)
        for execution in subject.executions:
            if execution.call.tool in tools and execution.outcome is not Outcome.FAILURE:
                yield from _compare(execution, asked, counts)
            _count(execution, asked, counts)

    return check


def _may_ask(turn: Turn) -> bool:
    asked = choose_requests(turn.message).extreme.search(turn.message)
    return bool(asked or _LINK.search(turn.message))


def _list_pointed(subject: Subject) -> Iterator[str]:
    """The texts that the person pointed to by their links: what they ask for, the person does."""
    links = {fold_value(link.rstrip(".,;:!?)'\"")) for link in _LINK.findall(subject.turn.message)}
    for execution in (*subject.earlier, *subject.executions) if links else ():
        given = {fold_value(value) for value in list_texts(execution.call.arguments)}
        if given & links and isinstance(execution.result, str):
            yield execution.result[:_LONGEST]


def read_extreme(message: str) -> Extreme | None:
    """The only one that a message asks for by a number, if there is just one such sentence."""
    found = [
        Extreme(
            sort=cut_ending(asked["sort"].casefold()),
            what=cut_ending(asked["what"].casefold()),
            most=asked["most"] is not None,
            sentence=frozenset(find_stems(sentence)),
        )
        for sentence in _SENTENCE.findall(drop_quotes(message))
        for asked in choose_requests(message).extreme.finditer(sentence)
    ]
    return found[0] if len(set(found)) == 1 else None


def _count(execution: Execution, asked: Extreme, counts: dict[str, int]) -> None:
    """Remember how many a tool returned for one thing."""
    call = execution.call
    returned = read_structure(execution.result)
    counted = {cut_ending(word) for word in split_words(call.tool)}
    if execution.outcome is not Outcome.SUCCESS or asked.what not in counted:
        return
    if isinstance(returned, list | tuple) and len(call.arguments) == 1:
        ((name, value),) = call.arguments.items()
        if asked.sort in map(cut_ending, split_words(name)) and isinstance(value, str):
            counts[fold_value(value)] = len(returned)


def _compare(execution: Execution, asked: Extreme, counts: Mapping[str, int]) -> Iterator[Finding]:
    call = execution.call
    verb = cut_ending(next(iter(split_words(call.tool)), ""))
    if len(counts) < LEAST or verb not in asked.sentence:
        return
    best = max(counts.values()) if asked.most else min(counts.values())
    for name, value in call.arguments.items():
        number = counts.get(fold_value(value)) if isinstance(value, str) else None
        if asked.sort in map(cut_ending, split_words(name)) and number not in (None, best):
            yield Argument(execution, name, str(value)).build_finding(
                "object.not_the_extreme",
                issue=f"which has {number}; of {len(counts)} that were read, another has {best}.",
                correction=f"Take the one with {best}.",
            )
