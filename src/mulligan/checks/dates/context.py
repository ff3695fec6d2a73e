"""What the words around an expression make of it: taken back, ruled out, or only a name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from mulligan.checks.dates.grammar.amounts import match_day_length
from mulligan.checks.dates.grammar.phrases import Phrase
from mulligan.checks.dates.grammar.scan import Scan
from mulligan.checks.dates.grammar.shifts import is_verb_last
from mulligan.checks.dates.grammar.stretches import Spoken, Stretch
from mulligan.checks.dates.meaning.phrase import is_dated
from mulligan.checks.dates.moment import Moment
from mulligan.checks.dates.parts import (
    DayShift,
    Month,
    Now,
    Part,
    Puzzle,
    Shift,
    Weekday,
    WeekdayAway,
)
from mulligan.checks.language.tables import Table

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
_STOPS = frozenset(".?!;")
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
    """Whether the words between two expressions take the first one back."""
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
    """The following Monday, the next day, the Sunday after: reckoned from what was named before."""
    words, tokens = scan.words, scan.tokens
    beside = words.beside.match(tokens, found.end)
    left_out = beside is not None and not tokens[beside[1]].text.isalnum()
    return left_out or _says(scan, words.following, range(found.start, found.end))


def leans_on_another(scan: Scan, found: Spoken) -> bool:
    """Two days later, after two days: than now only if nothing else is there to reckon from."""
    counted = any(
        isinstance(part, Shift | WeekdayAway) and not _is_anchored(part) for part in found.parts
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
    """Lengths of days that no expression holds: where they begin and end, nobody here can say."""
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
    if any(
        (getattr(part, "year", None) or at.today.year) < at.today.year - 1 for part in found.parts
    ):
        return True
    clause = _find_clause(scan, found.start, _CLAUSE, since=since)
    told_of_past = _says(scan, scan.words.past_verbs, clause) and not _is_told_alone(scan, found)
    return told_of_past or _is_of(scan, found) or _is_moved(scan, found)


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


def _is_anchored(part: Shift | WeekdayAway) -> bool:
    return isinstance(part, Shift) and part.anchored


def _find_clause(scan: Scan, end: int, reach: int, *, since: int = 0) -> range:
    """The tokens before `end` that are still of its sentence, and near."""
    start = max(since, end - reach)
    for i in range(end - 1, start - 1, -1):
        if scan.tokens[i].text in _STOPS:
            return range(i + 1, end)
    return range(start, end)


def _says(scan: Scan, table: Table[None], places: Iterable[int]) -> bool:
    return table.is_said(scan.tokens, places)
