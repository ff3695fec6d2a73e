"""Whether a request and what was done for it account for each other: then a turn is sure.

Every value of the calls must come from the request: said word for word, the one day or moment that
its words can mean, a number of it, or the only object among those seen that its words name. And
every word of the request must be in the calls, in what they acted on, or say nothing by itself.
Where the words leave a choice ("if", "or", "the latest", "all") there is no account.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from functools import cache, lru_cache, partial
from itertools import combinations, islice

from msgspec.structs import replace

from mulligan.checks.date_arguments import Dated, find_argument_dates
from mulligan.checks.dates import read_moment, read_said
from mulligan.checks.parameters import ToolVerb, find_verb
from mulligan.checks.requests import is_only_question, is_same_call
from mulligan.checks.subject import split_names
from mulligan.checks.tool_outputs import list_records, list_scalars, read_structure, read_whole
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Fact
from mulligan.types.turn import Turn
from mulligan_dates.languages import choose_requests
from mulligan_dates.lexicon import load_words
from mulligan_dates.readings import NO_PINS, Expression, Grain, Reading
from mulligan_dates.text import split_name, stem
from mulligan_dates.tokens import find_quotes

ACCOUNTED = "call.accounted"
"""The kind of fact: what was done is what was asked for, in every word and value."""

_LONGEST = 400
_LONGEST_BEFORE = 1_000
"""Characters that were said before the message, up to which they are read."""
_MOST_CALLS = 5
_MOST_RECORDS = 500
_WORD = re.compile(
    r"\d+(?:[.,]\d+)+|(?<![^\W_]['\u2019])[^\W_]+(?:['\u2019](?!s\b)[^\W\d_]{1,2}\b)?"
)
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")
_MAILBOX = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})*")
_WAKES, _SLEEPS = 7, 22
_MINUTES: Mapping[str, int] = {"minute": 1, "min": 1, "minut": 1, "hour": 60, "stund": 60, "hr": 60}
_EMPTY = (None, "")
Words = frozenset[int]
"""Words of the message, by their number."""
NONE: Words = frozenset()


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
    if not (whole and 0 < len(changing) <= _MOST_CALLS and len(turn.message) <= _LONGEST):
        return None
    request = _Request(turn)
    if request.leaves_a_choice():
        return None
    looked = [e for e in executions if e.call.id not in wanted and e.outcome is Outcome.SUCCESS]
    request.look_up([*read, turn.known], looked)
    done = [each.call for each in changing]
    if any(is_same_call(one, other) for one, other in combinations(done, 2)):
        return None
    if not all(map(request.accounts_for, done)) or request.has_left_over(done, looked):
        return None
    told = "The calls cover every word of the request, and every value in them was said or read."
    return Fact(
        kind=ACCOUNTED,
        subject=turn.message,
        value="yes",
        about=told,
        confirms=True,
        calls=tuple(each.call.id for each in changing),
        computed=True,
    )


class _Request:
    """What a person said, word by word, and which words the calls account for."""

    def __init__(self, turn: Turn) -> None:
        earlier = "\n".join(turn.history.said)
        if not 0 < len(earlier) <= _LONGEST_BEFORE:
            earlier = ""
        self.begins = len(earlier) + 1 if earlier else 0
        """Where the message itself begins: what was said before it may give values."""
        if earlier:
            turn = replace(turn, message=f"{earlier}\n{turn.message}")
        self.turn = turn
        self.words = _split(turn.message)
        self.text = _join(self.words)
        self.vocabulary = frozenset(self.words)
        self.stems = list(map(stem, self.words))
        self.starts = list(map(re.Match.start, _WORD.finditer(turn.message)))
        self.covered: set[int] = set()
        self.named: set[int] = set()
        """What has named the object of a call: of two calls, each has its own."""
        self.kinds: set[str] = set()
        """Words for the fields of what was acted on."""
        self.objects: list[tuple[Mapping[str, object], Words]] = []
        """Records that were seen, each with the words that name it."""
        self.addresses: set[str] = set()
        at = read_moment(turn)
        self.said = list(read_said(turn, at=at, pins=NO_PINS).expressions) if at else []
        if len(self.said) > 1:
            # The same said again, such as in answer to a question, is said once.
            self.said = list({(each.readings, each.binding): each for each in self.said}.values())
        self.days: list[Expression] = []
        """Which day things are to be on, and at what time of it."""
        self.clocks: list[Expression] = []
        self.today: date | None = at.today if at else None
        self.dated = dict(self._list_dated())
        """By day in writing, where it was said."""
        self.quoted = frozenset(map(_join, map(_split, find_quotes(turn.message))))

    def leaves_a_choice(self) -> bool:
        """Whether the words alone do not say what to do, or nothing can be told of its time."""
        if _load_choices().intersection(self.words) - self._list_quoted():
            return True
        message = self.turn.message[self.begins :]
        if "?" in message and is_only_question(message):
            return True
        for each in self.said:
            if each.binding and not each.quoted:
                if not each.known or not each.exact or each.open_start or each.source:
                    return True
                (self.days if each.dated else self.clocks).append(each)
        return len(self.days) > 1 or len(self.clocks) > 1

    def look_up(self, known: Iterable[object], looked: Iterable[Execution]) -> None:
        """Read what the words may name: records, and single answers to what was asked for."""
        for source in known:
            self._add_all(list_records(read_structure(source)))
        for execution in looked:
            texts, records = read_whole(read_structure(execution.result))
            self._add_all(records)
            for text in texts:
                if "@" in text:
                    self.addresses.update(map(str.casefold, _MAILBOX.findall(text)))
            if len(texts) == 1 and not records:
                self._add({**execution.call.arguments, "": texts[0]})

    def _add_all(self, records: Iterable[Mapping[str, object]]) -> None:
        for record in islice(records, max(0, _MOST_RECORDS - len(self.objects))):
            self._add(record)

    def _add(self, record: Mapping[str, object]) -> None:
        words: set[int] = set()
        titled = _is_title_of_value(record)
        for key, held in record.items():
            if isinstance(held, str) and held:
                words |= self._find_text(held) or self._find_owner(held) or self._find_day(held)
                words |= self._find_text(str(key)) if titled else NONE
        self.objects.append((record, frozenset(words)))

    def accounts_for(self, call: Call) -> bool:
        """Whether every argument of a call was said or read, and its object was named."""
        given = {n: v for n, v in call.arguments.items() if v not in (*_EMPTY, call.id)}
        dates = find_argument_dates(given, zone=self.turn.timezone)
        written = {dated.value for dated in dates}
        fields = self._find_fields(given) if self.objects else ()
        plans = bool(dates) and find_verb(call.tool) is ToolVerb.MAKE
        if not all(self._accounts_for_date(dated, plans=plans) for dated in dates):
            return False
        verbs = _stem_name(call.tool)
        names: set[int] = set()
        bare = Counter[bool]()
        for name, leaf in _list_given(given):
            if str(leaf) in written or str(leaf) in fields:
                continue
            found, is_name, tied = self._find_value(name, leaf)
            if not found:
                if self._is_only_one(name, leaf):
                    continue
                return False
            if tied and not names.isdisjoint(found):
                # What an object holds already is not what it is changed to.
                return False
            self.covered |= found
            if is_name:
                labels = _stem_name(name) - verbs
                if not tied and labels.isdisjoint(self.stems):
                    bare[self._is_proper(found)] += 1
                names |= found
        # With two bare names in one call, or two words, it is not said which role each has.
        fresh = (
            bool(names or given)
            and self.named.isdisjoint(names)
            and max(bare.values(), default=0) <= 1
        )
        self.named |= names
        return fresh and self._is_asked(call.tool)

    def has_left_over(self, done: Iterable[Call], looked: Iterable[Execution]) -> bool:
        """Whether there are words that nothing was done for."""
        stems = _stem_all(choose_requests(self.turn.message).fillers).union(map(stem, self.kinds))
        for call in done:
            stems = stems.union(_stem_tool(call.tool), *map(_stem_name, call.arguments))
        for each in self.said:
            self.covered |= self._number(each.start, each.end) if each.quoted else NONE
        for when in self.said if looked else ():
            days = {reading.start.date() for reading in when.readings}
            if not when.binding and any(not days.isdisjoint(e) for e in self._list_days(looked)):
                self.covered |= self._number(when.start, when.end)
        message = range(bisect_left(self.starts, self.begins), len(self.words))
        left = {self.stems[number] for number in {*message} - self.covered}
        left = left - _stem_plain() - stems
        read = {stem(word) for each in looked for word in _list_words(each.call)} if left else ()
        return any(each.isdigit() or each not in read for each in left)

    def _list_days(self, looked: Iterable[Execution]) -> Iterator[frozenset[date]]:
        """The days that were looked for."""
        zone = self.turn.timezone
        for each in looked:
            yield from (dated.days for dated in find_argument_dates(each.call.arguments, zone=zone))

    def _is_asked(self, tool: str) -> bool:
        """Whether the person used the tool's own verb, or one for what it does."""
        own = _stem_verbs(find_verb(tool))
        return not own.isdisjoint(self.stems) or stem(split_name(tool)[0]) in self.stems

    def _find_value(self, name: str, value: object) -> tuple[Words, bool, bool]:
        """The words that a value was said by, whether they name a thing, and through a record."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return NONE, False, False
        text = str(value)
        figure = not isinstance(value, str) or _FIGURE.fullmatch(text)
        if figure and (found := self._find_number(name, float(value))):
            return found, False, False
        if isinstance(value, str) and (found := self._find_text(text)):
            plain = _join(_split(text)) not in self.quoted and not _ADDRESS.fullmatch(text)
            return found, plain, False
        if text.casefold() in self.addresses and (found := self._find_only_owner(text)):
            return found, True, True
        return self._find_object(text), True, True

    def _find_fields(self, given: Mapping[str, object]) -> set[str]:
        """Fields of the object that a call names, which it is to change: said, or of that form."""
        values = [each for _, each in _list_given(given)]
        found: set[str] = set()
        for record, _ in self.objects:
            if not any(str(each) == str(held) for held in record.values() for each in values):
                continue
            for value in values:
                held = record.get(value) if isinstance(value, str) else None
                named = isinstance(value, str) and bool(self._find_text(value))
                if held is not None and (named or _has_address(held, values)):
                    found.add(str(value))
                    self.kinds |= {*split_name(str(value))}
        return found

    def _is_only_one(self, name: str, value: object) -> bool:
        """Whether nothing else was ever returned in a field of this name, and this was."""
        held = {str(record[name]) for record, _ in self.objects if record.get(name)}
        return held == {str(value)}

    def _find_number(self, name: str, value: float) -> Words:
        """The number that was said, the only one of it; minutes also as hours."""
        minutes = not {"minutes", "duration", "minuten", "dauer"}.isdisjoint(split_name(name))
        found: set[int] = set()
        for number, word in enumerate(self.words):
            if not _FIGURE.fullmatch(word) or self._is_in_date(number):
                continue
            behind = self.words[number + 1] if number + 1 < len(self.words) else ""
            unit = _MINUTES.get(stem(behind), 0)
            if float(word) * (unit if minutes and unit else 1) == value:
                found |= {number, number + 1} if minutes and unit else {number}
        return frozenset(found) if len(found) <= 2 else NONE

    def _find_text(self, text: str) -> Words:
        """Where a text stands in the message, word for word, and only there."""
        words = _split(text)
        if not words or words[0] not in self.vocabulary:
            return NONE
        wanted = _join(words)
        times = self.text.count(wanted)
        if not times or (times > 1 and wanted not in self.quoted):
            return NONE
        found: set[int] = set()
        at = self.text.find(wanted)
        while at >= 0:
            first = self.text.count(" ", 0, at)
            found.update(range(first, first + len(words)))
            at = self.text.find(wanted, at + 1)
        return frozenset(found)

    def _find_owner(self, address: str) -> Words:
        """Where a person is called by a part of their address."""
        if "@" not in address or not _ADDRESS.fullmatch(address):
            return NONE
        names = set(split_names(address))
        return frozenset(n for n, word in enumerate(self.words) if word in names)

    def _find_only_owner(self, address: str) -> Words:
        """The same, if it is nobody else's name."""
        found = self._find_owner(address)
        others = self.addresses - {address.casefold()}
        return NONE if any(not found.isdisjoint(self._find_owner(o)) for o in others) else found

    def _find_day(self, written: str) -> Words:
        """Where the day of a record was said."""
        return self.dated.get(written[:10], NONE)

    def _list_dated(self) -> Iterator[tuple[str, Words]]:
        for each in reversed(self.said):
            if each.dated and (meant := self._read_meaning(each)):
                yield str(meant.start.date()), self._number(each.start, each.end)

    def _find_object(self, value: str) -> Words:
        """The words that name the object of an id, better than any other that was seen."""
        folded = value.casefold()
        mine = [
            (words, record)
            for record, words in self.objects
            if any(str(held).casefold() == folded for held in record.values())
        ]
        own, object_ = max(mine, key=lambda each: len(each[0]), default=(NONE, {}))
        keys = {
            k for _, record in mine for k, held in record.items() if str(held).casefold() == folded
        }
        others = [
            words
            for record, words in self.objects
            if any(k in record and str(record[k]).casefold() != folded for k in keys)
        ]
        if not own or any(own <= each or len(each) > len(own) for each in others):
            return NONE
        self.kinds |= {part for key in object_ for part in split_name(str(key))}
        return own

    def _accounts_for_date(self, dated: Dated, *, plans: bool) -> bool:
        for when in self.days:
            meant = self._read_meaning(when, plans=plans)
            if meant is None or dated.days != {meant.start.date()}:
                return False
            timed = meant.grain in (Grain.SECOND, Grain.MINUTE)
            at: datetime | None = meant.start if timed else None
            if self.clocks and not timed:
                at = self._join(meant, self.clocks[0])
                if at is None:
                    return False
                self.covered |= self._number(self.clocks[0].start, self.clocks[0].end)
            if dated.timed != (at is not None) or (at is not None and dated.at != at):
                return False
            self.covered |= self._number(when.start, when.end)
            return True
        return False

    def _join(self, day: Reading, clock: Expression) -> datetime | None:
        times = {each.start.time() for each in clock.readings if each.grain <= Grain.MINUTE}
        if len(times) > 1:
            times = set(filter(_is_waking, times))
        return datetime.combine(day.start.date(), times.pop()) if len(times) == 1 else None

    def _read_meaning(self, when: Expression, *, plans: bool = False) -> Reading | None:
        """The only thing that the words can mean: one future day or moment."""
        if self.today is None:
            return None
        ahead = [each for each in when.readings if each.last_day >= self.today]
        ahead = ahead if len(when.readings) > 1 else list(when.readings)
        if len({each.start.date() for each in ahead}) == 1 < len(ahead):
            ahead = [each for each in ahead if _is_waking(each.start.time())]
        single = len(ahead) == 1 and ahead[0].grain in (Grain.SECOND, Grain.MINUTE, Grain.DAY)
        return ahead[0] if single and (plans or not when.looks_back) else None

    def _number(self, start: int, end: int) -> Words:
        return frozenset(range(bisect_left(self.starts, start), bisect_left(self.starts, end)))

    def _is_proper(self, words: Words) -> bool:
        """Whether they are written as a name."""
        return all(self.turn.message[self.starts[number]].isupper() for number in words)

    def _is_in_date(self, number: int) -> bool:
        at = self.starts[number]
        return any(each.start <= at < each.end for each in self.said if not each.quoted)

    def _list_quoted(self) -> set[str]:
        """Words that stand in quotation marks."""
        return {word for each in self.quoted for word in each.split()}


@cache
def _load_choices() -> frozenset[str]:
    """Words that leave open what to do, or whether."""
    return load_words("words", "picked") | load_words("words", "choosing")


@cache
def _stem_verbs(verb: ToolVerb) -> frozenset[str]:
    return frozenset(map(stem, load_words("deeds", verb)))


@cache
def _stem_plain() -> frozenset[str]:
    """Words that say nothing by themselves."""
    lists = map(partial(load_words, "words"), ("general", "telling", "empty"))
    return _stem_verbs(ToolVerb.READ).union(*map(_stem_all, lists))


@lru_cache(maxsize=64)
def _stem_all(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


@lru_cache(maxsize=1_024)
def _stem_tool(tool: str) -> frozenset[str]:
    """What a tool is called, also by its initials, and the verbs for what it does."""
    parts = split_name(tool)
    initials = ("".join(each[:1] for each in parts[:n]) for n in (2, 3, 4))
    return _stem_verbs(find_verb(tool)).union(map(stem, parts), initials)


@lru_cache(maxsize=1_024)
def _stem_name(name: str) -> frozenset[str]:
    return frozenset(map(stem, split_name(name)))


def _list_given(given: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Every value of a call, with the name of its parameter; empty ones are left out."""
    for name, value in given.items():
        if isinstance(value, Mapping):
            yield from _list_given({str(key): held for key, held in value.items()})
        else:
            yield from ((name, leaf) for leaf in list_scalars(value) if leaf not in _EMPTY)


def _is_waking(at: time) -> bool:
    """Of two times on the clock, nobody means the one at night without a word of it."""
    return _WAKES <= at.hour < _SLEEPS


def _is_title_of_value(record: Mapping[str, object]) -> bool:
    """Whether a record says what one id is called: `{"dinner": "e1"}`."""
    return len(record) == 1


def _has_address(held: object, values: Iterable[object]) -> bool:
    """Whether a field holds an address, and one was given to put there."""
    return "@" in str(held) and any("@" in str(each) for each in values)


def _list_words(call: Call) -> Iterator[str]:
    """The words of a call that only read, with those of its name."""
    yield from split_name(call.tool)
    for name, leaf in _list_given(call.arguments):
        yield from split_name(name)
        yield from _split(str(leaf))


def _split(text: str) -> list[str]:
    found: list[str] = _WORD.findall(text.casefold().replace("\u2019", "'"))
    return found


def _join(words: Iterable[str]) -> str:
    """Words as they are looked up among others: with a blank on either side."""
    return f" {' '.join(words)} "
