"""What checks listen for in a request. What a language leaves out, its checks do not hear."""

from __future__ import annotations

import re

from mulligan.core.runtime.dataclass import dataclass

NEVER = re.compile(r"(?!)")
"""Found in no text."""
NOTHING: frozenset[str] = frozenset()


def find_any(words: str) -> re.Pattern[str]:
    """A pattern for any of these words, separated by `|`, each of them a pattern of its own."""
    told = "|".join(word.strip() for word in words.split("|"))
    return re.compile(rf"\b(?:{told})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RequestPhrases:
    """By what a person's words are told apart, a field or a few for each check."""

    several: re.Pattern[str] = NEVER
    """May want the same thing more than once: *twice*."""
    free: re.Pattern[str] = NEVER
    """Wants a time that is not taken: *when we are both free*."""
    ahead: re.Pattern[str] = NEVER
    """Looks ahead: *book*, *tomorrow*."""
    back: re.Pattern[str] = NEVER
    """May look back, so that nothing is sure: *yesterday*."""
    to_come: re.Pattern[str] = NEVER
    """Only fits what is still to come: *cancel*."""
    over: re.Pattern[str] = NEVER
    """Speaks of what is over: *past*."""
    mine: re.Pattern[str] = NEVER
    """Speaks of what is the person's own."""
    of_owner: str = ""
    """The pattern between an owner and what is theirs: Ann*'s most urgent* tasks."""

    compared: re.Pattern[str] = NEVER
    """Holds a number against a bound: *more than*."""
    comparison: re.Pattern[str] = NEVER
    """The same with its number, as `words` and `number`, where no unit follows."""
    above: frozenset[str] = NOTHING
    """Of `compared`, those that the number must be larger for."""
    condition: re.Pattern[str] = NEVER
    """*If*."""
    two_ways: re.Pattern[str] = NEVER
    """Goes on for the other case: *otherwise*."""

    rank: re.Pattern[str] = NEVER
    """The `first` or the `last` of a day, each a group."""
    narrowed: re.Pattern[str] = NEVER
    """Makes another list of a day's: *with Ann*."""
    home: re.Pattern[str] = NEVER
    """Where the person lives."""
    only_home: re.Pattern[str] = NEVER
    """The whole text of a place that is not resolved yet: the person's word, handed on."""
    home_business: re.Pattern[str] = NEVER
    """A name that goes on after the word for home."""

    changing: re.Pattern[str] = NEVER
    """What is there is to be added to, or changed: *append*."""
    lead: re.Pattern[str] = NEVER
    """What may stand before a sentence and says nothing: *hi, please*."""
    asks: re.Pattern[str] = NEVER
    """How a sentence begins that only wants to know: *which*."""
    goes_on: frozenset[str] = NOTHING
    """Behind these, a verb asks for something to be done: list them *and* mail it."""

    extreme: re.Pattern[str] = NEVER
    """A `sort` of thing that has the `most`, or fewest, of `what`."""
    either: re.Pattern[str] = NEVER
    """A time and another in case it is taken: `ah`, `am`, `ap` and `bh`, `bm`, `bp`."""
    same: re.Pattern[str] = NEVER
    """The same `what` as the thing named `one`, `two` or `three`."""
    fillers: frozenset[str] = NOTHING
    """Words that ask for nothing by themselves. A *not*, an *if* or a *from* is none of them."""
