"""What can be computed of a turn: told to any judge, and held against what was done.

Whether a request and what was done for it account for each other is a fact only if every date, id,
amount and name of the calls comes from what was said or read, and every word of the request is in
the calls; in any doubt there is none, and others have to look. What was done against the facts is
asked of every attempt, also where the application has no check for it. So it is narrower than
those checks: it looks only at calls that changed something, and is sure only of a call none of
whose dates can be meant.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from mulligan.checks.date_arguments import Dated, find_argument_dates
from mulligan.checks.dates import date_facts, dates_as_said, is_stamp, read_expressions, read_moment
from mulligan.checks.places import home_is_home, home_resolved
from mulligan.checks.subject import Parameters, Subject, may_change
from mulligan.checks.tool_outputs import list_records, list_scalars
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.display import SaidText, is_long
from mulligan.types.finding import Fact, Finding, Severity
from mulligan.types.turn import Turn
from mulligan_dates.languages import choose_requests
from mulligan_dates.lexicon import join_words
from mulligan_dates.readings import NO_PINS, Expression, Grain, Reading
from mulligan_dates.text import separate_words, split_name, split_words

_home = home_resolved()


async def computed_facts(turn: Turn, calls: Sequence[Call]) -> Iterable[Fact]:
    """The weekday of every date, what the person's words can mean, and where home is."""
    long = is_long(SaidText(turn.message), [call.arguments for call in calls])
    said = await asyncio.to_thread(date_facts, turn, calls) if long else date_facts(turn, calls)
    return [*said, *await _home(turn, calls)]


ACCOUNTED = "call.accounted"
"""The kind of fact: what was done is what was asked for, in every word and value."""

_LONGEST = 300
_MOST_CALLS = 5
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:\.\d+)?(?![\w,-]|\.\d)")
Span = tuple[int, int]


def find_account(
    turn: Turn,
    executions: Sequence[Execution],
    *,
    acted: Iterable[str],
    read: Iterable[object] = (),
) -> Fact | None:
    """The fact that the calls that changed something are what was asked for, if it is one.

    `read`: what calls of earlier attempts returned.
    """
    wanted = set(acted)
    changing = [execution for execution in executions if execution.call.id in wanted]
    whole = len(changing) == len(wanted) and all(e.outcome is Outcome.SUCCESS for e in changing)
    sane = 0 < len(changing) <= _MOST_CALLS and len(turn.message) <= _LONGEST
    if not (whole and sane) or "?" in turn.message:
        return None
    seen = [*read, turn.known, *(e.result for e in executions if e.call.id not in wanted)]
    request = _SpokenRequest(turn=turn, seen=seen)
    if not (request.understood and all(request.accounts_for(e.call) for e in changing)):
        return None
    if request.list_left_over(e.call.tool for e in changing):
        return None
    told = (
        "Every word of the request is in what was done, and every value of that was said or read."
    )
    return Fact(
        kind=ACCOUNTED,
        subject=turn.message,
        value="yes",
        about=told,
        confirms=True,
        calls=tuple(each.call.id for each in changing),
        computed=True,
    )


@dataclass(slots=True, kw_only=True)
class _SpokenRequest:
    """What a person said, and which of it calls have accounted for."""

    turn: Turn
    seen: Sequence[object]
    understood: bool = True
    _when: Expression | None = None
    _today: date | None = None
    _numbers: list[re.Match[str]] = field(default_factory=list)
    _covered: set[Span] = field(default_factory=set)
    _named: set[Span] = field(default_factory=set)
    """What has named the object of a call: of two calls, each has its own."""

    def __post_init__(self) -> None:
        at = read_moment(self.turn)
        said = read_expressions(self.turn, at=at, pins=NO_PINS) if at else []
        # With two times said, which is meant for which call is anybody's guess.
        self.understood = len(said) <= 1 and all(
            e.known and e.binding and e.exact and not e.open_start for e in said
        )
        self._when = said[0] if said else None
        self._today = at.today if at else None
        found = _NUMBER.finditer(self.turn.message)
        self._numbers = [each for each in found if not self._is_in_date(each)]

    def accounts_for(self, call: Call) -> bool:
        """Whether all that a call was given was said or read, and its object was named."""
        given = {n: value for n, value in call.arguments.items() if value != call.id}
        dates = list(find_argument_dates(given, zone=self.turn.timezone))
        if not all(self._accounts_for_date(dated) for dated in dates):
            return False
        written = {dated.value for dated in dates}
        names: set[Span] = set()
        for leaf in _list_given(given):
            if str(leaf) in written:
                continue
            found = self._find_value(leaf)
            if found is None:
                return False
            if isinstance(leaf, str):
                names |= found
            self._covered |= found
        # One name: of two, who is to do what with whom cannot be told from the words alone.
        fresh = len(names) == 1 and self._named.isdisjoint(names)
        self._named |= names
        return fresh and self._is_asked_by_name(call.tool)

    def list_left_over(self, tools: Iterable[str]) -> list[str]:
        """The words that nothing was done for."""
        fillers = choose_requests(self.turn.message).fillers
        known = {*fillers, *(part for tool in tools for part in split_words(separate_words(tool)))}
        spans = {*self._covered}
        words = _WORD.finditer(self.turn.message)
        return [
            word[0]
            for word in words
            if word[0].casefold() not in known
            and not any(start <= word.start() and word.end() <= end for start, end in spans)
        ]

    def _is_asked_by_name(self, tool: str) -> bool:
        """Whether the person used the verb that the tool is called by."""
        said = split_words(self.turn.message)
        return next(iter(split_name(tool)), "") in said

    def _accounts_for_date(self, dated: Dated) -> bool:
        when = self._when
        meant = self._read_meaning() if when else None
        if when is None or meant is None or dated.days != {meant.start.date()}:
            return False
        timed = meant.grain in (Grain.SECOND, Grain.MINUTE)
        if dated.timed != timed or (timed and dated.at != meant.start):
            return False
        self._covered.add((when.start, when.end))
        return True

    def _read_meaning(self) -> Reading | None:
        """The only thing that the words can mean: one day, one moment, that lies ahead."""
        today, when = self._today, self._when
        if when is None or today is None:
            return None
        ahead = [each for each in when.readings if each.last_day >= today]
        single = len(ahead) == 1 and ahead[0].grain in (Grain.SECOND, Grain.MINUTE, Grain.DAY)
        return ahead[0] if single and not when.looks_back else None

    def _find_value(self, value: object) -> set[Span] | None:
        """The words that a value was said by; `None` if it was neither said nor read."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        if not isinstance(value, str):
            said = [each.span() for each in self._numbers if float(each[0]) == value]
            return set(said) if len(self._numbers) == len(said) == 1 else None
        return self._find_text(value) or self._find_object(value)

    def _find_text(self, text: str) -> set[Span] | None:
        """Where a text stands in the message, word for word, and only there."""
        if not _WORD.search(text):
            return None
        found = _locate_words(" ".join(text.split()), self.turn.message)
        return set(found) if len(found) == 1 else None

    def _find_object(self, name: str) -> set[Span] | None:
        """Where the object of an id is named: one that was read, the only one of that name."""
        named: dict[str, set[Span]] = {}
        for record in (each for seen in self.seen for each in list_records(seen)):
            for key, spans in self._list_names(record):
                named.setdefault(key, set()).update(spans)
        own = named.pop(name, set())
        others = set().union(*named.values()) if named else set()
        return own if len(own) == 1 and own.isdisjoint(others) else None

    def _list_names(self, record: Mapping[str, object]) -> Iterator[tuple[str, set[Span]]]:
        """The ids in a record, each with where the message names it."""
        texts = {key: value for key, value in record.items() if isinstance(value, str) and value}
        for key, value in texts.items():
            others = (text for other, text in texts.items() if other != key)
            for said in (*others, str(key)):
                if not _NUMBER.fullmatch(said) and (spans := self._find_text(said)):
                    yield value, spans

    def _is_in_date(self, found: re.Match[str]) -> bool:
        when = self._when
        return when is not None and when.start <= found.start() < when.end


def _list_given(given: Mapping[str, object]) -> Iterator[object]:
    """Every value of a call, without the names of its parameters; nothing is nothing."""
    for value in given.values():
        if isinstance(value, Mapping):
            yield from _list_given(value)
        else:
            yield from (leaf for leaf in list_scalars(value) if leaf is not None and leaf != "")


def _locate_words(wanted: str, message: str) -> list[Span]:
    """Every place where these words stand in a message, in whatever case."""
    if not (wanted.isascii() and message.isascii()):
        # Letters of other alphabets have more forms than two.
        places = re.finditer(rf"(?<!\w){re.escape(wanted)}(?!\w)", message, re.IGNORECASE)
        return [each.span() for each in places]
    wanted, message = wanted.lower(), message.lower()
    found: list[Span] = []
    start = message.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        before, after = message[start - 1 : start], message[end : end + 1]
        whole = not (_is_in_word(before) or _is_in_word(after))
        if whole:
            found.append((start, end))
        start = message.find(wanted, end if whole else start + 1)
    return found


def _is_in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


_UNSAID = "date.not_as_said"
_CERTAIN = frozenset({_UNSAID, "date.in_the_past", "date.impossible"})
_check_dates = dates_as_said()


class _Changes(Struct, frozen=True, kw_only=True):
    """The part of an attempt that changed something or may have."""

    turn: Turn
    executions: tuple[Execution, ...]
    earlier: tuple[Execution, ...]
    facts: tuple[Fact, ...]


def find_denials(subject: Subject) -> Iterator[Finding]:
    """Flag what the calendar, the person's own words or their known home speak against.

    A date beside another that was meant may be there for a reason of its own: it is a warning.
    """
    made = tuple(each for each in subject.executions if may_change(subject, each))
    changes = _Changes(
        turn=subject.turn,
        executions=made,
        # What was looked up says what things are called, and which id is whose.
        earlier=(*subject.earlier, *(each for each in subject.executions if each not in made)),
        facts=subject.facts,
    )
    if changes.executions:
        yield from _deny_dates(changes)
        yield from home_is_home(_find_places(changes))(changes)


def _deny_dates(changes: _Changes) -> Iterator[Finding]:
    found = [each for each in _check_dates(changes) if each.rule in _CERTAIN]
    for finding in found:
        unsaid = sum(each.rule == _UNSAID and each.call == finding.call for each in found)
        beside = finding.rule == _UNSAID and unsaid < _count_dates(changes, finding.call)
        yield replace(finding, severity=Severity.WARNING) if beside else finding


def _count_dates(changes: _Changes, call: str | None) -> int:
    """How many dates of a call are more than the time at which it was made."""
    at = read_moment(changes.turn)
    given = (
        dated
        for each in changes.executions
        if each.call.id == call
        for dated in find_argument_dates(each.call.arguments, zone=changes.turn.timezone)
    )
    return sum(at is None or not is_stamp(dated, at) for dated in given)


def _find_places(changes: _Changes) -> Parameters:
    """By tool, the parameters that hold a place, by their names."""
    return {
        each.call.tool: [name for name in each.call.arguments if _compile_place().search(name)]
        for each in changes.executions
    }


@cache
def _compile_place() -> re.Pattern[str]:
    """How a parameter is called that holds a place."""
    return re.compile(rf"(?:^|_)(?:{join_words('fields', 'place')})$", re.IGNORECASE)
