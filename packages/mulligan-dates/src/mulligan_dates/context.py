"""How the words around an expression change it: moved, corrected, ruled out, or only a name.

For that the message is cut into clauses: what each asks for, and the words that name what it is
about.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from mulligan_dates.calendar import list_centuries
from mulligan_dates.grammar import Phrase, Spoken, Stretch
from mulligan_dates.meaning import is_dated
from mulligan_dates.parts import (
    Clock,
    DayShift,
    Month,
    Now,
    Part,
    Puzzle,
    Shift,
    Weekday,
    WeekdayAway,
)
from mulligan_dates.period_rules import is_verb_last, match_day_length
from mulligan_dates.readings import Moment
from mulligan_dates.scan import Scan
from mulligan_dates.tables import Limit, Table
from mulligan_dates.tokens import locate_quotes

_STOPS = frozenset(".?!;")
_MOST_COURTESIES = 4
_LEAD = 3
"""Words before which an expression still comes first: and on the 3rd."""
_SHORTEST_NAME = 3
"""Letters of a word that names something."""


class ClauseKind(StrEnum):
    """What a clause is there for."""

    REQUEST = "request"
    """A request to do something."""
    QUESTION = "question"
    """Something is only to be looked at."""
    CONDITION = "condition"
    STATEMENT = "statement"
    """It tells how things are."""
    FRAGMENT = "fragment"
    """A thing and a time, with no verb that is known: sushi Friday."""


class Clause(Struct, frozen=True, kw_only=True):
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


_LONGEST_BOUND = 3
"""Words that say *less than*."""
_CLAUSE = 12
"""How many words back the verb of a sentence is looked for."""
_NEAR = 4
"""How many words back a *not* still belongs to an expression."""
_GAP = 6
"""How many words back a correction still belongs to what follows it."""
_SHORTEST_PAST = 5
"""Letters that a word needs to be a verb in the past: need, speed and embed are none."""
_LETTER = re.compile(r"\w")


def mask_names(message: str, names: Collection[str]) -> str:
    """The message with every such name made unreadable, character by character."""
    for name in names:
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        message = whole.sub(lambda found: _LETTER.sub("x", found.group()), message)
    return message


def is_greeting(found: Spoken) -> bool:
    """A part of a day alone says nothing: good morning."""
    return isinstance(found, Phrase) and all(isinstance(part, Part) for part in found.parts)


def is_listed(scan: Scan, start: int, *, end: int) -> bool:
    """Whether nothing but an *and* or a comma stands between two expressions."""
    words, between = scan.words, range(start, end)
    joints = [i for i in between if scan.tokens[i].text in words.or_ or scan.tokens[i].text == ","]
    return bool(joints) and all(i in joints or scan.tokens[i].text in words.glue for i in between)


def is_corrected(scan: Scan, start: int, *, end: int) -> bool:
    """Whether the words between two expressions correct the first one."""
    return _says(scan, scan.words.corrections, range(max(start, end - _GAP), end))


def is_ruled_out(scan: Scan, found: Spoken, *, since: int = 0) -> bool:
    """Not on Friday, any day but Friday."""
    return _says(scan, scan.words.negations, _find_near(scan, found, since)) or _is_refused_after(
        scan, found
    )


def is_refused(scan: Scan, found: Spoken, *, since: int = 0) -> bool:
    """Whether what is ruled out is the day itself for sure: not Friday, Friday doesn't work."""
    clauses, near = scan.words.clauses, _find_near(scan, found, since)
    if any(_says(scan, t, near) for t in (clauses.not_refusing, clauses.unsure_refusals)):
        return False
    return not _says(scan, clauses.moving, near)


def _find_near(scan: Scan, found: Spoken, since: int) -> range:
    """The tokens before an expression to which a *not* can still belong."""
    near = _find_clause(scan, found.start, _NEAR, since=since)
    # Not Monday, Tuesday or Friday is one list; I can't on Monday, do Friday is not.
    listed = scan.is_after(found.start, scan.words.or_) or scan.tokens[found.start - 1].text == ","
    commas = [i for i in near if scan.tokens[i].text == ","]
    return range(commas[-1] + 1, near.stop) if commas and not listed else near


def _is_refused_after(scan: Scan, found: Spoken) -> bool:
    """Thursday doesn't work, Saturday is not possible."""
    return scan.words.clauses.refused_after.match(scan.tokens, found.end) is not None


def is_cut_short(scan: Scan, found: Spoken) -> bool:
    """This week *or next*: a second one that leaves out what it is one of."""
    words, tokens = scan.words, scan.tokens
    joined = words.or_.match(tokens, found.end)
    which = words.which.match(tokens, joined[1]) if joined else None
    return which is not None and not tokens[which[1]].text.isalnum()


def is_exact(scan: Scan, found: Spoken) -> bool:
    """Whether no *around*, *before* or *after* stands in an expression or right before it."""
    places = range(max(0, found.start - 2), found.end + 1)
    # The day *after* tomorrow is one day, and no other.
    named = {
        j
        for i in places
        if (day := scan.words.days.match(scan.tokens, i))
        for j in range(i, day[1])
    }
    return not _says(scan, scan.words.inexact, (i for i in places if i not in named))


def find_bound(scan: Scan, found: Spoken) -> int:
    """Less than three months ago is nearer to now, more than that is further: -1, 1; else 0."""
    shifted = any(isinstance(part, Shift) and not part.anchored for part in found.parts)
    if not shifted:
        return 0
    for table, side in ((scan.words.less_than, -1), (scan.words.more_than, 1)):
        for i in range(max(0, found.start - _LONGEST_BOUND), found.start):
            matched = table.match(scan.tokens, i)
            if matched and matched[1] == found.start:
                return side
    return 0


def follows_another(scan: Scan, found: Spoken) -> bool:
    """The following Monday, the next day, the Sunday after: counted from what was named before."""
    words, tokens = scan.words, scan.tokens
    beside = words.beside.match(tokens, found.end)
    left_out = beside is not None and not tokens[beside[1]].text.isalnum()
    return left_out or _says(scan, words.following, range(found.start, found.end))


def leans_on_another(scan: Scan, found: Spoken) -> bool:
    """Two days later, after two days: counted from now only if nothing else was named."""
    counted = any(
        isinstance(part, WeekdayAway) or (isinstance(part, Shift) and not part.anchored)
        for part in found.parts
    )
    return counted and _says(scan, scan.words.leaning, range(found.start, found.end))


def is_beside_another(scan: Scan, found: Spoken) -> bool:
    """The next morning, the night before: of a day that is named elsewhere."""
    if is_dated(found) or not any(isinstance(part, Part) for part in found.parts):
        return False
    return scan.is_after(found.start, scan.words.neighbours) or _says(
        scan, scan.words.beside, range(found.start + 1, found.end + 1)
    )


def is_length(scan: Scan, found: Spoken) -> bool:
    """A three-night stay: not from three until the night."""
    return not is_dated(found) and match_day_length(scan, found.start) == found.end


def is_moving(scan: Scan, found: Spoken) -> bool:
    """Move the dinner two days later: than when it was."""
    return _says(scan, scan.words.moving, _find_clause(scan, found.start, _CLAUSE))


def find_loose_lengths(scan: Scan, found: Sequence[Spoken]) -> list[Phrase]:
    """Lengths of days outside any expression: their start and end are unknown."""
    taken = {i for each in found for i in range(each.start, each.end)}
    lengths: list[Phrase] = []
    i = 0
    while i < scan.count:
        end = None if i in taken else match_day_length(scan, i)
        if end is not None and taken.isdisjoint(range(i, end)):
            lengths.append(Phrase((Puzzle(),), i, end))
            i = end
        else:
            i += 1
    return lengths


def lies_ahead(scan: Scan, found: Spoken, *, since: int = 0) -> bool:
    """Cancel my meetings on Friday: what is done to things to come makes it the coming Friday."""
    words = scan.words
    bare = any(isinstance(part, Weekday) and part.which is None for part in found.parts)
    if not bare or scan.is_after(found.start, words.from_):
        return False
    clause = _find_clause(scan, found.start, _CLAUSE, since=since)
    return _says(scan, words.ahead, clause) and not _says(scan, words.behind, clause)


def looks_back(scan: Scan, *, apart: Collection[int] = ()) -> bool:
    """Whether a message may speak of what was: log my run on Friday, I worked on Friday.

    Not by the words `apart`: "if I already have something" tells nothing of what is asked for.
    """
    words = scan.words
    places = [i for i in range(scan.count) if i not in apart and not is_verb_last(scan, i)]
    if any(_says(scan, table, places) for table in (words.behind, words.looking_back)):
        return True
    endings = words.past_endings
    told = (scan.tokens[i].text for i in places)
    return any(text.endswith(endings) and len(text) > _SHORTEST_PAST for text in told)


def is_name(scan: Scan, found: Spoken, *, at: Moment, since: int = 0) -> bool:
    """Whether an expression only says which thing is meant, and not when something shall be.

    The mail from Friday, yesterday's notes, the December report, what was due on Monday, a date of
    years ago; and *now*, which in a request means soon.
    """
    if isinstance(found, Stretch):
        return False
    match found.parts:
        case (Now(),):
            return True
        case (Month(year=None, which=None),):
            return not scan.is_after(found.start, scan.words.before_month)
    if any(_is_long_ago(getattr(part, "year", None), at) for part in found.parts):
        return True
    clause = _find_clause(scan, found.start, _CLAUSE, since=since)
    told_of_past = _says(scan, scan.words.past_verbs, clause) and not _is_told_alone(scan, found)
    return told_of_past or _is_of(scan, found) or _is_moved(scan, found)


def _is_long_ago(year: int | None, at: Moment) -> bool:
    return year is not None and list_centuries(year, at.today)[0] < at.today.year - 1


def _is_told_alone(scan: Scan, found: Phrase) -> bool:
    """Homework *was on* Jan 2, and nothing else is said: that is when it was."""
    before = found.start - 1 if scan.is_after(found.start, scan.words.glue) else found.start
    return scan.is_after(before, scan.words.was) and scan.ends(found.end)


def _is_of(scan: Scan, found: Phrase) -> bool:
    """The mail *from* Friday; but a deadline *of* Friday says when."""
    due = found.start > 1 and scan.is_after(found.start - 1, scan.words.clauses.dues)
    return scan.is_after(found.start, scan.words.from_) and not due


def _is_moved(scan: Scan, found: Phrase) -> bool:
    """Move *Friday's* dinner: that is where it was."""
    words = scan.words
    if not scan.tokens[found.end - 1].text.endswith(words.possessives):
        return False
    past = any(isinstance(part, DayShift) and part.days < 0 for part in found.parts)
    return past or is_moving(scan, found)


def _find_clause(scan: Scan, end: int, reach: int, *, since: int = 0) -> range:
    """The tokens before `end` that are still of its sentence, and near."""
    start = max(since, end - reach)
    for i in range(end - 1, start - 1, -1):
        if scan.tokens[i].text in _STOPS:
            return range(i + 1, end)
    return range(start, end)
