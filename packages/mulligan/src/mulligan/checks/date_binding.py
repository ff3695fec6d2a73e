"""Which phrases about time a call is about, and whether its dates lie in what they can mean."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache, lru_cache, partial
from itertools import chain, islice, takewhile

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.checks.date_arguments import Dated
from mulligan.checks.quantities import write_out
from mulligan.checks.subject import Subject, read_records, recall
from mulligan.checks.tool_outputs import list_texts
from mulligan.types.call import Call, Execution
from mulligan.types.display import format_value
from mulligan_dates.context import Clause, ClauseKind
from mulligan_dates.lexicon import join_words
from mulligan_dates.readings import Expression, Grain, Moment, Reading, make_midnight
from mulligan_dates.text import split_letters

_STEM = 4
"""Letters that two words must share to be forms of one: waffle, waffles."""
_MOST_TEXT = 2_000
"""Characters of a call in which words are looked for."""


@lru_cache(maxsize=16)
def choose_expressions(
    expressions: tuple[Expression, ...],
    clauses: tuple[Clause, ...],
    *,
    words: frozenset[str],
    today: date,
) -> tuple[Expression, ...] | None:
    """The expressions that say when a call's action should be; `None` where that is uncertain.

    Each clause that the call can be about must say a day itself, and all of them must be
    understood. Any of them may be meant.
    """
    chosen = _choose_clauses(expressions, clauses, words=words, today=today)
    own = [_list_own(expressions, number) for number in chosen]
    if not own or not all(own):
        return None
    found = tuple(each for said in own for each in said)
    return found if all(each.known for each in found) else None


def choose_times(
    expressions: Sequence[Expression],
    clauses: Sequence[Clause],
    *,
    words: Collection[str],
    today: date,
) -> list[Expression]:
    """The times, or parts, of a day that a call can be about, if each clause has just one."""
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
    """The only expression that tells a time of day, if it is exact, or a part of the day."""
    if not all(each.known for each in found):
        return None
    timed = [each for each in found if not all(r.grain is Grain.DAY for r in each.readings)]
    if len(timed) != 1 or timed[0].superseded:
        return None
    grains = {reading.grain for reading in timed[0].readings}
    told = grains == {Grain.PART} or (grains == {Grain.MINUTE} and timed[0].exact)
    return timed[0] if told else None


def list_call_words(call: Call, records: Sequence[Mapping[str, object]]) -> frozenset[str]:
    """Words that distinguish a call: of its tool, its texts and its object."""
    held = [value for given in (call.arguments, *records) for value in given.values()]
    told = " ".join([call.tool, *list_texts(held)])
    return frozenset(split_letters(told[:_MOST_TEXT], shortest=3))


def _list_own(expressions: Sequence[Expression], clause: int) -> list[Expression]:
    """What a clause itself says about time, including what was not understood."""
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
    asked, told = _sort_clauses(expressions, clauses, today)
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


def _sort_clauses(
    expressions: Sequence[Expression], clauses: Sequence[Clause], today: date
) -> tuple[list[int], list[int]]:
    """The clauses that ask for something, and those about a day that is not past."""
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
    """Whether an expression is only about the past."""
    past = bool(said.readings) and all(each.last_day < today for each in said.readings)
    return past or (bool(said.readings) and not said.binding)


def _find_unique_words(
    numbers: Sequence[int], clauses: Sequence[Clause]
) -> dict[int, frozenset[str]]:
    """Of each clause, the words that no other one has."""
    every = {number: _find_terms(clauses[number]) for number in numbers}
    counts = Counter(word for words in every.values() for word in words)
    return {
        number: frozenset(word for word in words if counts[word] == 1)
        for number, words in every.items()
    }


def _find_terms(clause: Clause) -> frozenset[str]:
    return frozenset((*clause.objects, clause.verb)) - {""}


def _shares(some: Collection[str], others: Collection[str]) -> bool:
    return any(_is_form(word, other) for word in some for other in others)


def _is_form(word: str, other: str) -> bool:
    """Whether two words are the same, or one begins with the other."""
    if word == other:
        return True
    short, long = sorted((word.removesuffix("s"), other.removesuffix("s")), key=len)
    return len(short) >= _STEM and long.startswith(short)


_ID = re.compile(r"(?:^|[_.-])(?:id|uid|uuid|key|number|ID)$|[a-z](?:Id|ID)$")
_FEWEST_WORDS = 2
_LONGEST = 80
"""Characters of a name; what is longer is a text."""
_MOST_RECORDS = 2_000
_MOST = 200
"""Names that are looked for in a message."""


class NamedRecords(Struct, frozen=True):
    """What tools returned in a turn: what things are called, and which id is whose."""

    titles: frozenset[str] = frozenset()
    by_id: Mapping[str | int, list[Mapping[str, object]]] = field(default_factory=dict)


NOTHING_KNOWN = NamedRecords()


def read_known(subject: Subject) -> NamedRecords:
    """What results and facts say about objects, up to a limit."""
    executions = (*subject.earlier, *subject.executions)
    return recall(subject, "known", partial(_read_known, subject, executions))


def find_records_before(subject: Subject, execution: Execution) -> list[Mapping[str, object]]:
    """What other tools returned, before a call, of the objects that it names by their ids."""
    made = takewhile(lambda each: each is not execution, (*subject.earlier, *subject.executions))
    others = [each for each in made if each.call.tool != execution.call.tool]
    return find_known_records(execution.call, _read_known(subject, others))


def _read_known(subject: Subject, executions: Iterable[Execution]) -> NamedRecords:
    titles: set[str] = set()
    by_id: dict[str | int, list[Mapping[str, object]]] = defaultdict(list)
    records = chain.from_iterable(read_records(subject, each) for each in executions)
    for record in islice(records, _MOST_RECORDS):
        for key, value in record.items():
            if not isinstance(value, str | int):
                continue
            titled, ids = _read_field(key if isinstance(key, str) else format_value(key))
            if titled and isinstance(value, str):
                titles.add(" ".join(value.lower().split()))
            elif ids:
                by_id[value].append(record)
    for fact in subject.facts:
        if _compile_title().search(fact.kind) and isinstance(fact.value, str):
            titles.add(" ".join(fact.value.lower().split()))
    return NamedRecords(frozenset(titles), by_id)


@lru_cache(maxsize=1_024)
def _read_field(name: str) -> tuple[bool, bool]:
    """Whether a field of this name holds what a thing is called, and whether it holds an id."""
    return _compile_title().search(name) is not None, _ID.search(name) is not None


def find_names(message: str, known: NamedRecords) -> list[str]:
    """What things are called, in several words, where the message says it."""
    lowered = message.lower()
    found = {
        name
        for name in known.titles
        if len(name) <= _LONGEST and len(name.split()) >= _FEWEST_WORDS and name in lowered
    }
    return sorted(found, key=lambda name: (-len(name), name))[:_MOST]


def find_known_records(call: Call, known: NamedRecords) -> list[Mapping[str, object]]:
    """What was returned of the objects that a call names by their ids."""
    given = (value for value in call.arguments.values() if isinstance(value, str | int))
    return [record for value in given for record in known.by_id.get(value, ())]


def is_on_object(call: Call) -> bool:
    """Whether a call is given the id of something: it may be there to change that."""
    return any(_ID.search(name) and value for name, value in call.arguments.items())


@cache
def _compile_title() -> re.Pattern[str]:
    """Names of fields that hold the name of a thing."""
    return re.compile(rf"(?:^|[._ ])(?:{join_words('fields', 'called')})$", re.IGNORECASE)


_LONGEST_EVENT = timedelta(days=1)
"""Until when after its start an end still belongs to the same event."""
_LATELY = timedelta(days=60)
_FAR = timedelta(days=180)
_ENDS = ("start", "end")


def find_unsaid(given: Sequence[Dated], said: Sequence[Expression]) -> list[Dated]:
    """The dates of a call that no expression can mean."""
    readings = [reading for each in said for reading in _list_accepted(each)]
    meant = [each for each in given if any(_holds(reading, each) for reading in readings)]
    if not meant and _is_deadline(given, said):
        return []
    if not meant and any(_encloses(given, reading) for reading in readings):
        return []
    return [each for each in given if each not in meant and not _ends(each, meant, readings)]


def find_refused(given: Sequence[Dated], said: Sequence[Expression], *, today: date) -> list[Dated]:
    """The first date of a call, if it is on a day that was ruled out and not said otherwise.

    Not this Thursday: the one after it is another.
    """
    if not given or not all(each.known or each.refuses for each in said):
        return []
    first = min(given, key=lambda each: each.at)
    ruled_out = [_find_next(each.refuses, today) for each in said if each.refuses and each.dated]
    meant = [reading for each in said for reading in _list_accepted(each)]
    refused = any(_holds(each, first) for each in ruled_out if each)
    return [first] if refused and not any(_holds(each, first) for each in meant) else []


def _find_next(readings: Sequence[Reading], today: date) -> Reading | None:
    ahead = [each for each in readings if each.last_day >= today]
    return min(ahead, key=lambda each: each.start, default=None)


def find_bygone(given: Sequence[Dated], said: Sequence[Expression], *, today: date) -> list[Dated]:
    """The dates of a call that are over, where the words have a side that lies ahead.

    A plan for last Friday is wrong, unless the message speaks of the past.
    """
    ahead = [e for e in said if not e.looks_back and not all(r.is_past_side for r in e.readings)]
    past = [each for each in given if max(each.days) < today]
    return [
        each
        for each in past
        if (held := _find_holding(each, said))
        and all(h in ahead and not _is_recent(each, h, today) for h in held)
    ]


def _is_recent(dated: Dated, said: Expression, today: date) -> bool:
    """A date of some days ago that comes back only in a year may well be the one that was."""
    if any(each.is_past_side and each.last_day >= today for each in said.readings):
        # It began some days ago, and is not over.
        return True
    to_come = [each.start.date() for each in said.readings if not each.is_past_side]
    far = bool(to_come) and min(to_come) - today >= _FAR
    return far and today - max(dated.days) <= _LATELY


def _find_holding(dated: Dated, said: Sequence[Expression]) -> list[Expression]:
    """The expressions that can mean a date, if they can only by a side that is over."""
    held = [e for e in said if any(_holds(reading, dated) for reading in _list_accepted(e))]
    sides = [r.is_past_side for e in held for r in _list_accepted(e) if _holds(r, dated)]
    return held if all(sides) else []


def find_misfit(given: Sequence[Dated], said: Sequence[Expression]) -> list[Dated]:
    """Of a call that lasts for days, the end that does not match the range that was said."""
    if len(given) != len(_ENDS) or not said or not all(each.ranged for each in said):
        return []
    first, last = sorted(given, key=lambda each: each.at)
    if last.at - first.at <= _LONGEST_EVENT:
        return []
    readings = [reading for each in said for reading in each.readings]
    begun = [each for each in readings if each.start.date() in first.days]
    if any(last.days & {each.last_day, each.end.date()} for each in begun):
        return []
    return [last] if begun else [first]


def _list_accepted(said: Expression) -> tuple[Reading, ...]:
    """What an expression lets pass: its readings, and what it is counted from."""
    readings = (*said.readings, *said.mentions)
    if not said.open_start:
        return readings
    return tuple(replace(each, start=make_midnight(date.min)) for each in readings)


def _holds(reading: Reading, dated: Dated) -> bool:
    """Whether a date lies in a reading, or is the very moment it ends."""
    if dated.timed and dated.at == reading.end:
        return True
    days = [day for day in dated.days if reading.holds_day(day)]
    short = (
        reading.grain in (Grain.PART, Grain.SPAN) and reading.end - reading.start < _LONGEST_EVENT
    )
    if not short or reading.start.date() in days:
        return bool(days)
    # Friday night goes on into Saturday, but not into Saturday evening.
    return bool(days) and dated.timed and dated.at < reading.end


def _ends(dated: Dated, meant: Sequence[Dated], readings: Sequence[Reading]) -> bool:
    """Whether a date is the end of what another one rightly starts.

    An end may lie on the next day, and a stretch of days is often given with the day after it.
    """
    return any(
        timedelta() <= dated.at - start.at <= _LONGEST_EVENT
        or any(dated.at == each.end and _holds(each, start) for each in readings)
        for start in meant
    )


def _is_deadline(given: Sequence[Dated], said: Sequence[Expression]) -> bool:
    """Whether the only date is the day that a length ends with: due 14 days from today."""
    lengths = (
        each
        for each in said
        if not (each.ranged or each.open_start) and _DIGIT.search(write_out(each.text.casefold()))
    )
    ends = {r.end.date() for e in lengths for r in e.readings if r.grain is Grain.SPAN}
    return len(given) == 1 and not ends.isdisjoint(given[0].days)


_DIGIT = re.compile(r"\d")


def _encloses(given: Sequence[Dated], reading: Reading) -> bool:
    """Whether a call's dates span a reading: a search through a month for one day of it."""
    moments = [each.at for each in given]
    return len(moments) > 1 and min(moments) <= reading.start and reading.start <= max(moments)


_NEAR = timedelta(days=1)
_EXACT = (Grain.SECOND, Grain.MINUTE)


def find_untold(
    given: Sequence[Dated], said: Sequence[Expression], *, message: str, at: Moment
) -> list[Dated]:
    """The date of something new on a day that was not said.

    "At seven" is today or tomorrow; in a message about the past it may be yesterday.
    """
    if not given or not _tells_time_alone(said) or _has_other_figures(message, said):
        return []
    first = min(given, key=lambda each: each.at)
    early = at.today - _NEAR
    near = any(early <= day <= at.today + _NEAR for day in first.days)
    return [first] if first.timed and not near else []


def _tells_time_alone(said: Sequence[Expression]) -> bool:
    """Whether all that was said of time are exact times of day, and no day."""
    return bool(said) and all(
        each.known and not each.dated and all(reading.grain in _EXACT for reading in each.readings)
        for each in said
    )


def _has_other_figures(message: str, said: Sequence[Expression]) -> bool:
    """Whether a number stands beside the times: it may be a day in unknown words."""
    edges = [0, *(edge for each in said for edge in (each.start, each.end)), len(message)]
    between = zip(edges[::2], edges[1::2], strict=True)
    return any(sign.isdigit() for start, end in between for sign in message[start:end])
