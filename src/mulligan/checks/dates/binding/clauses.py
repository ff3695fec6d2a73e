"""A message cut into clauses: what each asks for, and the words that name what it is about."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise

from mulligan.checks.dates.grammar.scan import Scan
from mulligan.checks.dates.grammar.stretches import Spoken
from mulligan.checks.language.quotations import locate_quotes
from mulligan.checks.language.tables import Table
from mulligan.core.runtime.dataclass import dataclass

_STOPS = frozenset(".?!;")
_MOST_COURTESIES = 4
_LEAD = 3
"""Words before which an expression still comes first: and on the 3rd."""
_SHORTEST_NAME = 3
"""Letters of a word that names something."""


class ClauseKind(StrEnum):
    """What a clause is there for."""

    REQUEST = "request"
    """Somebody is asked to do something."""
    QUESTION = "question"
    """Something is only to be looked at."""
    CONDITION = "condition"
    STATEMENT = "statement"
    """It tells how things are."""
    FRAGMENT = "fragment"
    """A thing and a time, with no verb that is known: sushi Friday."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """Tokens that belong to one verb."""

    start: int
    end: int
    """The token after it."""
    kind: ClauseKind
    verb: str = ""
    moving: bool = False
    """Whether a thing that has a date already gets another one."""
    objects: frozenset[str] = frozenset()
    """The words that name things in it."""

    def holds(self, i: int) -> bool:
        """Whether a token is of this clause."""
        return self.start <= i < self.end


def split_clauses(scan: Scan, found: Sequence[Spoken], *, message: str) -> list[Clause]:
    """The clauses of a message, in order. What an expression of time holds is never cut."""
    spoken = {i for each in found for i in range(each.start, each.end)}
    quoted = _find_quoted(scan, message)
    taken = spoken | quoted
    starts = sorted({0, *_find_boundaries(scan, found, taken, message=message)})
    ends = [*starts[1:], scan.count]
    clauses: list[Clause] = []
    main: Clause | None = None
    for start, end in zip(starts, ends, strict=True):
        clause = _read_clause(scan, start, end, taken=taken)
        objects = frozenset(_list_objects(scan, clause, message, spoken=spoken, quoted=quoted))
        clause = replace(clause, objects=objects)
        if clause.kind is ClauseKind.FRAGMENT and main is not None:
            clause = _take_verb(scan, clause, main)
        if clause.kind is not ClauseKind.CONDITION:
            main = clause
        clauses.append(clause)
    return clauses


def index_clauses(clauses: Sequence[Clause], found: Sequence[Spoken]) -> list[int]:
    """For each expression, which clause holds it."""
    starts = [each.start for each in clauses]
    return [bisect_right(starts, each.start) - 1 for each in found]


def _find_quoted(scan: Scan, message: str) -> set[int]:
    """The tokens in quotation marks: no verb of theirs asks for anything."""
    spans = locate_quotes(message)
    if not spans:
        return set()
    inside = {i for span in spans for i in span}
    return {i for i in range(scan.count) if scan.tokens[i].start in inside}


def _find_boundaries(
    scan: Scan, found: Sequence[Spoken], taken: set[int], *, message: str
) -> Iterator[int]:
    first = {each.start for each in found}
    tokens, words = scan.tokens, scan.words.clauses
    for i in range(1, scan.count):
        if i in taken and i not in first:
            continue
        stopped = tokens[i - 1].text in _STOPS and not tokens[i].glued and i - 1 not in taken
        opened = i not in taken and (
            _is_verb(scan, i, words.conditions)
            or (_follows_joint(scan, i, taken) and _opens_clause(scan, i, taken))
        )
        if stopped or opened or "\n" in message[tokens[i - 1].end : tokens[i].start]:
            yield i
    yield from _find_main_clauses(scan, taken, ends={each.end for each in found})
    yield from _find_fragments(scan, found, taken)


def _find_main_clauses(scan: Scan, taken: set[int], *, ends: set[int]) -> Iterator[int]:
    """If it rains, *Sunday*: the comma ends the condition; a verb behind a time does, too."""
    words, conditional = scan.words.clauses, False
    for i in range(scan.count):
        text = scan.tokens[i].text
        if _is_verb(scan, i, words.conditions) or _is_inverted(scan, i):
            conditional = True
        elif text in _STOPS:
            conditional = False
        elif i not in taken and (text == "," or text in words.consequences):
            if conditional:
                yield i + 1
            conditional = False
        elif conditional and i in ends - taken and _is_verb(scan, i, words.doing):
            yield i
            conditional = False


def _is_inverted(scan: Scan, i: int) -> bool:
    """*Should* it rain, at the beginning of a sentence."""
    begins = i == 0 or scan.tokens[i - 1].text in _STOPS
    return begins and scan.words.clauses.inversions.match(scan.tokens, i) is not None


def _follows_joint(scan: Scan, i: int, taken: set[int]) -> bool:
    return i - 1 not in taken and scan.tokens[i - 1].text in scan.words.clauses.joints


def _opens_clause(scan: Scan, i: int, taken: set[int]) -> bool:
    """Whether a verb, a subject or a condition comes first from here on."""
    words, tokens = scan.words.clauses, scan.tokens
    j = _skip_courtesies(scan, i)
    if j in taken:
        return False
    if j > i and tokens[j].text not in words.before_nouns:
        return True
    return any(
        table.match(tokens, j) is not None
        for table in (words.doing, words.asking, words.subjects, words.conditions)
    )


def _find_fragments(scan: Scan, found: Sequence[Spoken], taken: set[int]) -> Iterator[int]:
    """Sushi Friday, *waffles Saturday*; on Thursday the bank, *on Friday the lawyer*."""
    joints, either, tokens = scan.words.clauses.joints, scan.words.clauses.either, scan.tokens
    for before, after in pairwise(found):
        between = range(before.end, after.start)
        told = [tokens[i].text for i in between]
        if not told or any(text in _STOPS or text in either for text in told):
            continue
        if tokens[before.end].text in joints:
            first = before.end + 1
            if any(_names(scan, i) for i in range(first, after.start) if i not in taken):
                yield first
        elif _leads(scan, before) and any(tokens[i].text in joints for i in between):
            last = max(i for i in between if tokens[i].text in joints)
            if not any(_names(scan, i) for i in range(last + 1, after.start)):
                yield last + 1


def _leads(scan: Scan, found: Spoken) -> bool:
    """Whether an expression is the first thing in its sentence."""
    before = scan.tokens[max(0, found.start - _LEAD) : found.start]
    return all(
        each.text in scan.words.clauses.empty or len(each.text) < _SHORTEST_NAME for each in before
    )


def _read_clause(scan: Scan, start: int, end: int, *, taken: set[int]) -> Clause:
    words, tokens = scan.words.clauses, scan.tokens
    first = _skip_joints(scan, start)
    opening = _skip_courtesies(scan, first)
    places = [i for i in range(opening, end) if i not in taken]
    verb = next((i for i in places if _is_verb(scan, i, words.doing)), None)
    if opening in places and words.doing.match(tokens, opening):
        verb = opening
    moving = any(_is_verb(scan, i, words.moving) for i in places)
    if verb == opening and verb is not None:
        moving = moving or words.moving.match(tokens, verb) is not None
    told = tokens[verb].text if verb is not None else ""
    kind = _choose_kind(scan, range(first, end), opening=opening, verb=verb)
    return Clause(start=start, end=end, kind=kind, verb=told, moving=moving)


def _choose_kind(scan: Scan, places: range, *, opening: int, verb: int | None) -> ClauseKind:
    words, tokens = scan.words.clauses, scan.tokens
    if words.conditions.match(tokens, places.start) or _is_inverted(scan, places.start):
        return ClauseKind.CONDITION
    asked = opening > places.start
    if verb == opening:
        return ClauseKind.REQUEST
    if words.asking.match(tokens, opening):
        return ClauseKind.QUESTION
    if verb is not None and asked:
        return ClauseKind.REQUEST
    if words.subjects.match(tokens, opening) or _says(scan, words.telling, places):
        return ClauseKind.STATEMENT
    if verb is not None:
        return ClauseKind.REQUEST
    goes_on = places.start > 0 and tokens[places.start - 1].text not in _STOPS
    named = tokens[opening].text in words.before_nouns
    return ClauseKind.STATEMENT if named and not goes_on else ClauseKind.FRAGMENT


def _take_verb(scan: Scan, clause: Clause, before: Clause) -> Clause:
    """A fragment goes on with the verb of the clause before it, in the same sentence."""
    if scan.tokens[clause.start - 1].text in _STOPS - {";"}:
        return clause
    if before.kind not in (ClauseKind.REQUEST, ClauseKind.FRAGMENT):
        return clause
    return replace(clause, kind=before.kind, verb=before.verb, moving=before.moving)


def _is_verb(scan: Scan, i: int, table: Table[None]) -> bool:
    """Whether a word of the table stands where a verb can: *the call* is none."""
    return table.match(scan.tokens, i) is not None and not scan.is_after(
        i, scan.words.clauses.before_nouns
    )


def _skip_joints(scan: Scan, i: int) -> int:
    while i < scan.count and scan.tokens[i].text in scan.words.clauses.joints:
        i += 1
    return i


def _skip_courtesies(scan: Scan, i: int) -> int:
    for _ in range(_MOST_COURTESIES):
        i = scan.skip(i, scan.words.clauses.courtesies)
        i = scan.skip_sign(i, ",")
    return i


def _says(scan: Scan, table: Table[None], places: Iterable[int]) -> bool:
    return table.is_said(scan.tokens, places)


def _names(scan: Scan, i: int) -> bool:
    """Whether a word names something."""
    text = scan.tokens[i].text
    return (
        len(text) >= _SHORTEST_NAME and text[0].isalpha() and text not in scan.words.clauses.empty
    )


def _list_objects(
    scan: Scan, clause: Clause, message: str, *, spoken: set[int], quoted: set[int]
) -> Iterator[str]:
    """Words that name things; a verb names none. Names that hold words of time are read whole."""
    words, tokens = scan.words.clauses, scan.tokens
    start = clause.start
    if clause.kind is ClauseKind.FRAGMENT:
        # Then a taxi, and *lunch* on Friday: when the taxi shall come is not said.
        first = min((i for i in spoken if clause.holds(i)), default=clause.end)
        start = max(
            (i for i in range(start, first) if tokens[i].text in words.joints), default=start
        )
    for i in range(start, clause.end):
        if i in spoken and tokens[i].text not in scan.words.parts:
            continue
        if _names(scan, i) and (i in quoted or not _is_verb(scan, i, words.doing)):
            yield message[tokens[i].start : tokens[i].end].lower()
