"""Which expressions a call can be about, by the clauses they stand in and the words they share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date

from mulligan.checks.dates.binding.clauses import Clause, ClauseKind
from mulligan.checks.dates.reading import Expression, Grain
from mulligan.checks.subject.values import list_texts
from mulligan.core.call import Call

_WORD = re.compile(r"[^\W\d_]{3,}")
_STEM = 4
"""Letters that two words must share to be forms of one: waffle, waffles."""
_MOST_TEXT = 2_000
"""Characters of a call in which words are looked for."""


def choose_expressions(
    expressions: Sequence[Expression],
    clauses: Sequence[Clause],
    *,
    words: Collection[str],
    today: date,
) -> list[Expression] | None:
    """The expressions that say when what a call does shall be; `None` where that is not sure.

    Each clause that the call can be about must say a day itself, and all of them must be
    understood. Any of them may be meant.
    """
    chosen = _choose_clauses(expressions, clauses, words=words, today=today)
    own = [_list_own(expressions, number) for number in chosen]
    if not own or not all(own):
        return None
    found = [each for said in own for each in said]
    return found if all(each.known for each in found) else None


def choose_times(
    expressions: Sequence[Expression],
    clauses: Sequence[Clause],
    *,
    words: Collection[str],
    today: date,
) -> list[Expression]:
    """The exact times of day that a call can be about; none unless each clause has just one."""
    if (only := _find_exact_time(expressions)) is not None:
        return [only]
    chosen = _choose_clauses(expressions, clauses, words=words, today=today)
    found = []
    for number in chosen:
        standing = [e for e in expressions if e.clause == number and not (e.source or e.quoted)]
        told = _find_exact_time([e for e in standing if not (e.superseded or e.refuses)])
        if told is None:
            return []
        found.append(told)
    return found


def _find_exact_time(found: Sequence[Expression]) -> Expression | None:
    """The only expression that tells a time of day, if it is exact."""
    if not all(each.known for each in found):
        return None
    timed = [each for each in found if not all(r.grain is Grain.DAY for r in each.readings)]
    if len(timed) != 1 or not timed[0].exact:
        return None
    moments = all(reading.grain is Grain.MINUTE for reading in timed[0].readings)
    return timed[0] if moments and not timed[0].superseded else None


def list_call_words(call: Call, records: Sequence[Mapping[str, object]]) -> frozenset[str]:
    """Words by which a call can be told from others: of its tool, its texts and its object."""
    held = [value for given in (call.arguments, *records) for value in given.values()]
    told = " ".join([call.tool, *(text for value in held for text in list_texts(value))])
    return frozenset(_WORD.findall(told[:_MOST_TEXT].lower().replace("_", " ")))


def _list_own(expressions: Sequence[Expression], clause: int) -> list[Expression]:
    """What a clause itself says of when; what is understood by nobody here is of it, too."""
    inside = [each for each in expressions if each.clause == clause and each.dated]
    standing = [e for e in inside if not (e.superseded or e.refuses or e.quoted)]
    open_ = [each for each in standing if not each.known]
    when = [each for each in standing if each.known and each.binding and not each.source]
    return open_ + when


def _choose_clauses(
    expressions: Sequence[Expression],
    clauses: Sequence[Clause],
    *,
    words: Collection[str],
    today: date,
) -> list[int]:
    """The clauses that a call can be about."""
    asked, told = _list_numbers(expressions, clauses, today)
    base = asked or told
    unique = _find_unique_words([*asked, *told], clauses)
    matched = [number for number in [*asked, *told] if _shares(unique[number], words)]
    rivals = {clauses[number].moving for number in matched if number in base}
    kept = [
        number
        for number in base
        if number in matched or not clauses[number].objects or clauses[number].moving not in rivals
    ]
    return [*kept, *(number for number in matched if number not in base)]


def _list_numbers(
    expressions: Sequence[Expression], clauses: Sequence[Clause], today: date
) -> tuple[list[int], list[int]]:
    """The clauses that ask for something; and those that tell of a day which is not over."""
    refused = {each.clause for each in expressions if each.refuses}
    spoken = {each.clause for each in expressions if each.dated and not each.refuses}
    ahead = {each.clause for each in expressions if each.dated and not _is_over(each, today)}
    asked = [
        number
        for number, each in enumerate(clauses)
        if (each.kind is ClauseKind.REQUEST and (number in spoken or number not in refused))
        or (each.kind is ClauseKind.FRAGMENT and number in spoken)
    ]
    told = [
        number
        for number, each in enumerate(clauses)
        if each.kind is ClauseKind.STATEMENT and number in ahead & spoken
    ]
    return asked, told


def _is_over(said: Expression, today: date) -> bool:
    """Whether an expression speaks only of what was."""
    past = bool(said.readings) and all(each.last_day < today for each in said.readings)
    return past or (bool(said.readings) and not said.binding)


def _find_unique_words(
    numbers: Sequence[int], clauses: Sequence[Clause]
) -> dict[int, frozenset[str]]:
    """Of each clause, the words that no other one has."""
    every = {number: frozenset(_list_words(clauses[number])) for number in numbers}
    counts = Counter(word for words in every.values() for word in words)
    return {
        number: frozenset(word for word in words if counts[word] == 1)
        for number, words in every.items()
    }


def _list_words(clause: Clause) -> Iterator[str]:
    yield from clause.objects
    if clause.verb:
        yield clause.verb


def _shares(some: Collection[str], others: Collection[str]) -> bool:
    return any(_is_form(word, other) for word in some for other in others)


def _is_form(word: str, other: str) -> bool:
    """Whether two words are the same, or one begins with the other."""
    if word == other:
        return True
    short, long = sorted((word.removesuffix("s"), other.removesuffix("s")), key=len)
    return len(short) >= _STEM and long.startswith(short)
