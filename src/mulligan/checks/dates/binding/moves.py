"""What is moved: *from* where it was *to* where it shall be, and not a stretch between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from mulligan.checks.dates.binding.clauses import Clause, index_clauses
from mulligan.checks.dates.grammar.phrases import Phrase
from mulligan.checks.dates.grammar.scan import Scan
from mulligan.checks.dates.grammar.stretches import Spoken, Stretch
from mulligan.checks.dates.meaning.phrase import is_dated
from mulligan.checks.dates.parts import Clock
from mulligan.checks.language.senses import Limit

_STOPS = frozenset(".?!;")
_REACH = 24
"""How many words back the verb of a move is looked for."""


def split_moves(scan: Scan, found: Sequence[Spoken]) -> list[Spoken]:
    """Each range in a sentence that moves something as its two ends."""
    result: list[Spoken] = []
    for each in found:
        if not _is_after_verb(scan, each.start):
            result.append(each)
        elif isinstance(each, Stretch):
            result += [each.first, each.last] if _is_move(scan, each) else [each]
        else:
            result.append(_drop_until(scan, each))
    return result


def join_moves(
    found: Sequence[Spoken], original: Sequence[Spoken], *, clauses: Sequence[Clause]
) -> list[Spoken]:
    """The ranges again that stand in clauses which move nothing."""
    whole = {each.start: each for each in original}
    kept: list[Spoken] = []
    for each, number in zip(found, index_clauses(clauses, found), strict=True):
        if not kept or each.start >= kept[-1].end:
            before = whole.get(each.start, each)
            kept.append(each if clauses[number].moving else before)
    return kept


def find_sources(scan: Scan, found: Sequence[Spoken], *, clauses: Sequence[Clause]) -> set[int]:
    """The starts of those expressions that say where something was, and is moved away from."""
    inside: dict[tuple[int, bool], list[Spoken]] = defaultdict(list)
    for each, number in zip(found, index_clauses(clauses, found), strict=True):
        if clauses[number].moving:
            inside[number, is_dated(each)].append(each)
    sources: set[int] = set()
    for said in inside.values():
        target = next((each.start for each in said if is_target(scan, each)), None)
        if target is not None:
            sources |= {
                each.start
                for each in said
                if each.start < target or scan.is_after(each.start, scan.words.from_)
            }
    return sources


def is_unsure(scan: Scan, found: Spoken, *, clause: Clause) -> bool:
    """Move the *Thursday* sync, move my call on *the 20th*: where it is, or where it shall be."""
    if not clause.moving or not is_dated(found) or is_target(scan, found):
        return False
    start = found.start
    if scan.is_after(start, scan.words.on):
        return True
    return scan.is_after(start, scan.words.clauses.before_nouns) and not scan.is_after(
        start, scan.words.lasting
    )


def is_target(scan: Scan, found: Spoken) -> bool:
    """To Friday, to the 24th."""
    start = found.start
    if start > 0 and scan.tokens[start - 1].text in scan.words.the:
        start -= 1
    return scan.is_after(start, scan.words.clauses.targets)


def _is_move(scan: Scan, found: Stretch) -> bool:
    joined = scan.tokens[found.first.end].text in scan.words.clauses.targets
    if not joined or is_target(scan, found) or _is_planned_for(scan, found):
        return False
    # Move it from 3 to 4, move my 3pm to 4pm; 10pm to 6am alone is how long it goes on.
    named = scan.is_after(found.start, scan.words.clauses.before_nouns)
    opened = scan.is_after(found.start, scan.words.range_openings)
    return is_dated(found.first) or named or opened or not found.first.tells(Clock)


def _is_planned_for(scan: Scan, found: Stretch) -> bool:
    """Reschedule it *for* Monday to Friday; but not what is *scheduled for* Monday to Friday."""
    words, start = scan.words, found.start
    if not scan.is_after(start, words.lasting):
        return False
    return start < 2 or not scan.tokens[start - 2].text.endswith(words.past_endings)


def _drop_until(scan: Scan, found: Phrase) -> Phrase:
    """Postpone it *until* Friday: to that day, and not to any before it."""
    moved = found.limit is Limit.UNTIL and is_target(scan, found)
    return replace(found, limit=None) if moved else found


def _is_after_verb(scan: Scan, i: int) -> bool:
    """Whether a verb that moves things stands before, in the same sentence."""
    for j in range(i - 1, max(0, i - _REACH) - 1, -1):
        if scan.tokens[j].text in _STOPS:
            return False
        if scan.words.clauses.moving.match(scan.tokens, j):
            return True
    return False
