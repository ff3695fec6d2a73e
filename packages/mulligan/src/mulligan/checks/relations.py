"""Whether a call acts on the right one of several objects that were seen.

An object is tied to the request by what tools returned of it: what it is part of, whose it is, and
which of its attributes the person named. Where the words do not decide, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from mulligan.checks.contrast import split_message
from mulligan.checks.provenance import Returned, SeenValues, fold_given, fold_value, with_seen
from mulligan.checks.quantities import write_out
from mulligan.checks.seen_objects import SeenObjects, Siblings, find_noun
from mulligan.checks.sets import find_named_sets
from mulligan.checks.subject import (
    Argument,
    Parameters,
    Subject,
    limit_to_parameters,
    list_arguments,
    list_effective_calls,
)
from mulligan.checks.tool_outputs import (
    Found,
    get_title_of,
    join_texts,
    list_texts,
)
from mulligan.checks.words import split_sentences
from mulligan.types.display import quote_value
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check
from mulligan_dates.languages import is_understood
from mulligan_dates.lexicon import (
    find_stems,
    has_picking_words,
    join_words,
    load_general_stems,
    load_words,
    names_any,
    says_any,
)
from mulligan_dates.text import is_number, split_letters, split_name, split_words, stem
from mulligan_dates.tokens import drop_quotes

SHORTEST = 3
"""Characters of an attribute that a word of the message can be meant as."""
_EMPTY = frozenset({"none", "other", "yes"})
"""Values that say nothing of a thing."""


def right_ones(parameters: Parameters) -> Check[Subject]:
    """Flag an object that was seen, and is another than the one that was asked for.

    - a part of another object than the same call names: an item of one order, given with another
    - one with nothing in it that the person named, where another one that was read has what they
      named: an error where a sentence that names it has the tool's verb, else a warning
    - another sort of thing than the one it replaces, whose name was not said
    - the id of another sort of thing: a product's, where an item's is asked for
    - in another state than the tool's name says: `close_open_ticket` of one that is resolved
    - somebody else's, where the person was looked up by what they said and the object was read
    - one that is not the cheapest, largest or earliest where that was asked for, and one that was
      read beside it is nearer to it and has all of it that the person named: a warning
    - one whose attribute was said otherwise, where exactly one value of it was said and another
      object that was read beside it has that one
    - one that has another number of something than was said, where one beside it has that number
    """

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        message: _Message | None = None
        acted: set[str] = set()
        for execution, seen in with_seen(subject):
            given = list(list_arguments(execution, parameters.get(execution.call.tool, ())))
            if not given or not any(answer.records for answer in seen.answers):
                continue
            message = message or _Message(subject.turn.message)
            acted = acted or fold_given(list_effective_calls(subject), parameters)
            known = SeenObjects(subject, seen)
            for argument in given:
                others = [each for each in given if each.name != argument.name]
                yield from _compare_parts(argument, others, known)
                yield from _compare_sort_of_id(argument, known)
                yield from _compare_state(argument, known)
                yield from _compare_owners(argument, known)
                yield from _compare_named_parts(argument, others, known, message, acted)
                yield from _compare_attributes(argument, others, known, message, acted)
                yield from _compare_figures(argument, known, message)
                yield from _compare_ranks(argument, others, known, message)
            for old, new in _list_swaps(given):
                yield from _compare_sorts(old, new, known, message)

    return check


def _compare_parts(
    part: Argument, others: Sequence[Argument], known: SeenObjects
) -> Iterator[Finding]:
    """Of each object, the parts stand under their own name: `item_id` in `items`."""
    if part.name.startswith("new"):
        return
    for whole in others:
        homes = known.find_homes(whole.name, part.name)
        own = homes.get(fold_value(whole.value))
        if not own or fold_value(part.value) in own:
            continue
        home = next((each for each, held in homes.items() if fold_value(part.value) in held), None)
        if home is not None:
            yield part.build_finding(
                "object.part_of_another",
                issue=f"which belongs to {quote_value(home)}, "
                f"and not to {whole.label}={quote_value(whole.value)}.",
                correction=f"Give {whole.label} and {part.label} of the same object.",
            )


def _list_swaps(given: Sequence[Argument]) -> Iterator[tuple[Argument, Argument]]:
    """What is replaced by what, place by place: `item_ids` by `new_item_ids`."""
    by_name: dict[str, list[Argument]] = {}
    for each in given:
        by_name.setdefault(each.name, []).append(each)
    for name, olds in by_name.items():
        news = by_name.get(f"new_{name}", [])
        if len(news) == len(olds):
            yield from zip(olds, news, strict=True)


def _compare_sorts(
    old: Argument, new: Argument, known: SeenObjects, message: _Message
) -> Iterator[Finding]:
    mine, theirs = known.find_titles(old), known.find_titles(new)
    words = [find_stems(" ".join(each)) for each in (mine, theirs)]
    if all(words) and words[0].isdisjoint(words[1]) and words[1].isdisjoint(message.stems):
        shown = [quote_value(min(each)) for each in (theirs, mine)]
        yield new.build_finding(
            "object.not_as_said",
            issue=f"which is {shown[0]}, for {shown[1]}; the person did not speak of {shown[0]}.",
            correction=f"Give one of {shown[1]}.",
        )


def _compare_sort_of_id(argument: Argument, known: SeenObjects) -> Iterator[Finding]:
    """Sure where both sorts of ids stand side by side in records, and no id is of both sorts."""
    noun, nouns = find_noun(argument.name), known.find_nouns(argument.value)
    if len(nouns) != 1 or not noun or noun in nouns:
        return
    (other,) = nouns
    if (
        other
        and _are_sorts(noun, other)
        and known.are_apart(noun, other)
        and not known.stands_alone(argument.value)
    ):
        yield argument.build_finding(
            "object.not_as_said",
            issue=f"which is the id of a {other}, and not of a {noun}.",
            correction=f"Give the id of the {noun}.",
        )


@lru_cache(maxsize=1_024)
def _are_sorts(noun: str, other: str) -> bool:
    """Whether two nouns are sorts of things: people are one, and a parent or an owner is none."""
    people, roles = (
        {*map(stem, load_words(*each))} for each in (("kinds", "person"), ("fields", "role"))
    )
    return roles.isdisjoint((noun, other)) and not people.issuperset((noun, other))


def _compare_state(argument: Argument, known: SeenObjects) -> Iterator[Finding]:
    """A tool says before its noun what state a thing is in: `cancel_pending_order`."""
    wanted = _find_named_state(argument.execution.call.tool, argument.name)
    own = known.find_state(argument) if wanted else ""
    if not own or wanted in split_letters(own) or not known.has_other_in_state(argument, wanted):
        return
    said = argument.value in known.seen.said
    yield argument.build_finding(
        "object.in_another_state",
        severity=Severity.WARNING if said else Severity.ERROR,
        issue=f"which is {quote_value(own)}; the tool is for what is {wanted}.",
        correction=f"Look for one that is {wanted}, or use another tool.",
    )


@lru_cache(maxsize=1_024)
def _find_named_state(tool: str, name: str) -> str:
    """The word before the noun of a parameter in a tool's name; empty for its verb."""
    words, noun = split_name(tool), find_noun(name)
    for before, word in pairwise(words[1:]):
        if noun and stem(word) == noun:
            return "" if before in load_words("words", "empty") else before
    return ""


def _compare_named_parts(
    argument: Argument,
    others: Sequence[Argument],
    known: SeenObjects,
    message: _Message,
    acted: set[str],
) -> Iterator[Finding]:
    """What has parts is named by them: "cancel the order with the lamp", "the call with Ann"."""
    titles, whole = known.find_part_titles(argument), fold_value(argument.value)
    own = titles.get(whole)
    if not own or argument.value in known.seen.said or any(map(message.may_mean, own)):
        return
    if any(known.find_homes(argument.name, each.name).get(whole) for each in others):
        # The call says itself which parts it is about.
        return
    named = {
        held: sorted(filter(message.names, parts))
        for held, parts in titles.items()
        if held not in acted
    }
    better = {held: parts for held, parts in named.items() if parts}
    if better:
        shown = ", ".join(quote_value(each) for each in min(better.values())[:3])
        asked = not message.picks and any(
            message.asks_for(argument.execution.call.tool, part)
            for parts in better.values()
            for part in parts
        )
        yield argument.build_finding(
            "object.not_as_said",
            severity=Severity.ERROR if asked else Severity.WARNING,
            issue=f"which has nothing that the person named; another one that was read has "
            f"{shown}.",
            correction="Act on the one that the person described.",
        )


def _compare_owners(argument: Argument, known: SeenObjects) -> Iterator[Finding]:
    seen = known.seen
    for record in known.find_records(argument):
        for key, owner in record.items():
            if isinstance(owner, str) and _is_owner(str(key)) and owner != argument.value:
                yield from _compare_owner(argument, str(key), owner, seen)
                return


def _compare_owner(argument: Argument, key: str, owner: str, seen: SeenValues) -> Iterator[Finding]:
    owners = {str(each[key]) for each in seen.list_records() if isinstance(each.get(key), str)}
    if len(owners) < 2:
        return
    known = {each for each in owners if each in seen.said or _was_looked_up(each, seen)}
    if known and owner not in known:
        yield argument.build_finding(
            "object.of_somebody_else",
            issue=f"whose {key} is {quote_value(owner)}; the person is {quote_value(min(known))}.",
            correction="Act only on objects of the person who asks.",
        )


def _was_looked_up(value: str, seen: SeenValues) -> bool:
    """Whether a call that was given nothing but what the person said has returned it."""
    return any(
        fold_value(value) in answer.fields and _is_said(answer, seen) for answer in seen.answers
    )


def _is_said(answer: Returned, seen: SeenValues) -> bool:
    given = [text for value in answer.given.values() for text in list_texts(value)]
    return bool(given) and all(text in seen.said for text in given)


@lru_cache(maxsize=1_024)
def _is_owner(key: str) -> bool:
    words = split_name(key)
    ids, people = load_words("kinds", "id"), load_words("kinds", "person")
    return len(words) > 1 and words[-1] in ids and not people.isdisjoint(words)


class _Message:
    """What the person said, to look up where a word stands and what it is said of."""

    def __init__(self, text: str) -> None:
        self.understood = is_understood(text)
        self.stems = find_stems(text)
        self.picks = has_picking_words(text)
        self.wants_set = bool(find_named_sets(text))
        self._placed = set(map(stem, _compile_places().findall(text.casefold())))
        self.wanted, _ = split_message(drop_quotes(text).casefold())
        self._folded = text.casefold()
        self._ranks: list[_Asked] | None = None
        self._sentences = [each.casefold() for each in split_sentences(text)]

    def has(self, phrase: str) -> bool:
        """Whether a phrase was said, as words of its own."""
        told = len(phrase) >= SHORTEST and phrase in self._folded and phrase not in _EMPTY
        return told and bool(self.find(phrase))

    def wants(self, phrase: str) -> bool:
        """Whether a phrase was said, and not only of what is to stay or is ruled out."""
        return self.has(phrase) and not self.wanted.isdisjoint(split_words(phrase))

    def names(self, title: str) -> bool:
        """Whether a thing was called by the last word of its name."""
        words = split_name(title)[-1:]
        return not {stem(word) for word in words}.isdisjoint(self.stems - load_general_stems())

    def may_mean(self, title: str) -> bool:
        """Whether any word could be one of its name, or the end of one: watches, wristwatch."""
        words = {stem(word) for word in split_name(title)}
        return not words.isdisjoint(self.stems) or any(
            word.endswith(said) or said.endswith(word)
            for word in words
            for said in self.stems
            if len(said) > SHORTEST
        )

    def picks_by_place(self, argument: Argument) -> bool:
        """Whether a thing of this sort is picked by where it stands: "the third ad"."""
        sort = map(stem, (*split_name(argument.execution.call.tool), *split_name(argument.name)))
        return not self._placed.isdisjoint(sort)

    def asks_for(self, tool: str, title: str) -> bool:
        """Whether a sentence that names a thing has the verb of a tool."""
        wanted = {stem(word) for word in (*split_name(tool)[:1], *split_name(title)[-1:])}
        return len(wanted) > 1 and any(wanted <= find_stems(each) for each in self._sentences)

    def tells_apart(self, own: Found, other: Found) -> bool:
        """Whether a word of one thing's name was said that is none of another's."""
        words, others = (find_stems(get_title_of(each)) for each in (own, other))
        return not self.stems.isdisjoint(words - others)

    def knows_apart(self, own: Found, other: Found) -> bool:
        """Whether any word was said that one thing has in a field, and another has in none."""
        words, others = (find_stems(join_texts(each)) for each in (own, other))
        return not (self.stems - load_general_stems()).isdisjoint(words - others)

    @property
    def has_figures(self) -> bool:
        """Whether a number was said, also in words."""
        return bool(self._figures)

    @cached_property
    def _figures(self) -> list[tuple[float, str]]:
        """Each number that was said, with the word behind it."""
        written = write_out(self._folded)
        return [(float(each[1]), stem(each[2])) for each in _FIGURE.finditer(written)]

    def find_figures(self, field: str) -> frozenset[float]:
        """The numbers that stand before the name of a field."""
        noun = _find_counted(field)
        return frozenset(number for number, word in self._figures if noun and word == noun)

    def count(self, attributes: Mapping[str, str]) -> int:
        """How many attributes of an object were said."""
        return sum(map(self.has, attributes.values()))

    def find_ranks(self) -> list[_Asked]:
        """The sentences that ask for the cheapest, the largest and so on.

        One that compares in another way too ("a shorter one") rules some of them out.
        """
        if self._ranks is None:
            self._ranks = [
                _Asked(each, found.start(), rank)
                for rank, pattern in _compile_ranks()
                if pattern.search(self._folded)
                for each in self._sentences
                if not says_any(each, "words", "compared")
                for found in pattern.finditer(each)
            ]
        return self._ranks

    def find(self, phrase: str) -> list[tuple[str, int]]:
        """The sentences that have a phrase, and where."""
        whole = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)")
        return [
            (each, found.start())
            for each in self._sentences
            if phrase in each
            for found in whole.finditer(each)
        ]


def _compare_attributes(
    argument: Argument,
    others: Sequence[Argument],
    known: SeenObjects,
    message: _Message,
    acted: Collection[str],
) -> Iterator[Finding]:
    # What the person says of an old and a new one is said of the new one.
    replaced = any(each.name == f"new_{argument.name}" for each in others)
    if replaced or not message.understood or message.picks_by_place(argument):
        return
    for group, own in known.find_groups(argument):
        members = list(group.members.values())
        held = [known.read_attributes(each) for each in members]
        mine = known.read_attributes(own)
        for key, value in mine.items():
            said = {each[key] for each in held if key in each and message.wants(each[key])}
            if len(said) != 1:
                continue
            (named,) = said
            if value in named or named in value or _is_of(named, others, known):
                continue
            if not argument.name.startswith("new") and _is_aim(
                named, key, own, argument, group, known, message
            ):
                continue
            described = {at for at, its in enumerate(held) if its.get(key) == named}
            if any(at in described and each in acted for at, each in enumerate(group.members)):
                # The one that was described is acted on as well.
                continue
            rivals = (
                message.count(held[at])
                for at in described
                if not message.knows_apart(own, members[at])
            )
            sure = _weigh_all(named, group, known, message)
            if sure is not None and max(rivals, default=0) > message.count(mine):
                bulk = len([*list_arguments(argument.execution, [argument.name])]) > 1
                certain = sure and not message.wants_set and not bulk
                yield _report(argument, key, value, named, certain=certain)
                return


def _is_aim(
    named: str,
    key: str,
    own: Found,
    argument: Argument,
    group: Siblings,
    known: SeenObjects,
    message: _Message,
) -> bool:
    """Whether a word says what a thing is to become: it is given, or the thing was named itself."""
    given = {fold_value(text) for text in list_texts(dict(argument.execution.call.arguments))}
    if named in given or all(_AIM.search(text[:at]) for text, at in message.find(named)):
        return True
    return any(
        known.read_attributes(each).get(key) == named and message.tells_apart(own, each)
        for each in group.members.values()
    )


_AIM = re.compile(r"\b(?:as|into)(?: \w+)? $")
"""Before a word for what something is to be made."""


def _compare_figures(
    argument: Argument, known: SeenObjects, message: _Message
) -> Iterator[Finding]:
    """How many of something it has: "a four-star hotel", "the one with 3 bedrooms".

    A number that the call is given is about the call, and a bound is met by many.
    """
    for group, own in known.find_groups(argument) if message.has_figures else ():
        given = set(list_texts(dict(argument.execution.call.arguments)))
        for key, value in own.items():
            said = message.find_figures(str(key)) if is_number(value) else frozenset()
            if len(said) != 1 or value in said or given.intersection(map("{:g}".format, said)):
                continue
            (named,) = said
            better = [each for each in group.members.values() if each.get(key) == named]
            if better and not any(message.tells_apart(own, each) for each in better):
                sure = not message.picks
                yield _report(argument, str(key), f"{value:g}", f"{named:g}", certain=sure)
                return


@lru_cache(maxsize=1_024)
def _find_counted(field: str) -> str:
    """What a field counts; empty for a bound, and for a length of time."""
    bounds = load_words("kinds", "paging") | load_words("ranks", "price_fields")
    noun = find_noun(field)
    timed = (load_words("periods", each) for each in ("day", "week", "month", "quarter", "year"))
    times = load_words("fields", "minutes").union(load_words("copied", "shifts"), *timed)
    return "" if bounds & set(split_name(field)) or noun in map(stem, times) else noun


def _compare_ranks(
    argument: Argument, others: Sequence[Argument], known: SeenObjects, message: _Message
) -> Iterator[Finding]:
    """The cheapest, the largest, the earliest: another one that was read beside it is that."""
    asked = message.find_ranks()
    if not asked or any(each.name == f"new_{argument.name}" for each in others):
        return
    if argument.value in known.seen.said:
        return
    titles = {each.title for each in known.groups if each.title}
    for group, own in known.find_groups(argument):
        meant = {each.rank for each in asked if each.is_of(group.title, titles)}
        if len(meant) != 1:
            continue
        (rank,) = meant
        if (rank.by != "price" or not group.title) and not all(
            _ends_there(each.sentence, each.at, argument) for each in asked
        ):
            # "The cheapest direct flight": what else it has to be, its fields may not say.
            continue
        value = rank.read(own)
        named = {each for each in known.read_attributes(own).values() if message.has(each)}
        for other in group.members.values() if value is not None else ():
            if rank.is_better(rank.read(other), value) and named.issubset(
                known.read_attributes(other).values()
            ):
                yield argument.build_finding(
                    "object.not_the_extreme",
                    severity=Severity.WARNING,
                    issue=f"whose {rank.by} is {value}, and of another one that was read it is "
                    f"{rank.read(other)}.",
                    correction=f"Look for the one with the {rank.end} {rank.by}.",
                )
                return


class _Rank(NamedTuple):
    """An end of an order that things stand in: the cheapest is the one with the lowest price."""

    by: str
    most: bool

    @property
    def end(self) -> str:
        """Which of both ends it is."""
        ends = {"time": ("earliest", "latest")}.get(self.by, ("lowest", "highest"))
        return ends[self.most]

    def read(self, record: Found) -> object:
        """Where a thing stands that can be had; `None` where that is not told, or told twice."""
        if any(not held for key, held in record.items() if names_any(str(key), "fields", "stock")):
            return None
        by_time = self.by == "time"
        found = [
            held
            for key, held in record.items()
            if names_any(str(key), "ranks", f"{self.by}_fields")
            and (isinstance(held, str) and _TIME.match(held) if by_time else is_number(held))
        ]
        return found[0] if len(found) == 1 else None

    def is_better(self, value: Any, than: Any) -> bool:
        """Whether one value is nearer to this end than another, where both were read."""
        return value is not None and (value > than if self.most else value < than)


_TIME = re.compile(r"\d{4}-\d\d-\d\d")
"""Times that are written so are in order as texts."""


class _Asked(NamedTuple):
    """A sentence that asks for an end of an order, and where."""

    sentence: str
    at: int
    rank: _Rank

    def is_of(self, title: str, titles: set[str]) -> bool:
        """Whether it is asked for among the things of that name."""
        return _find_nearest(self.sentence, self.at, titles) == title


def _ends_there(sentence: str, at: int, argument: Argument) -> bool:
    """Whether behind "cheapest" stands nothing more than what the tool or its parameter is called,
    in a sentence that is no question."""
    behind = split_letters(sentence[at:])
    if sentence.endswith("?") or not load_words("ranks", "narrowed").isdisjoint(behind):
        return False
    words = behind[1:2]
    plain = {*split_name(argument.execution.call.tool), *split_name(argument.name)}
    ends = load_words("words", "empty") | load_words("words", "general")
    return not words or words[0] in ends or stem(words[0]) in map(stem, plain)


def _is_of(value: str, others: Sequence[Argument], known: SeenObjects) -> bool:
    """Whether it describes another object of the call, such as the one that is replaced."""
    records = (record for each in others for record in known.find_records(each))
    return any(value in known.read_attributes(each).values() for each in records)


def _weigh_all(named: str, group: Siblings, known: SeenObjects, message: _Message) -> bool | None:
    titles = {each.title for each in known.groups if each.title}
    of_others = known.is_elsewhere(named, group)
    weights = [
        _weigh(sentence, at, group.title, titles, of_others=of_others)
        for sentence, at in message.find(named)
    ]
    return None if None in weights else any(weights)


def _report(argument: Argument, key: str, value: str, named: str, *, certain: bool) -> Finding:
    return argument.build_finding(
        "object.not_as_said",
        severity=Severity.ERROR if certain else Severity.WARNING,
        issue=f"whose {key} is {quote_value(value)}; the person said {quote_value(named)}.",
        correction=f"Give the one whose {key} is {quote_value(named)}.",
    )


def _weigh(sentence: str, at: int, title: str, titles: set[str], *, of_others: bool) -> bool | None:
    """How sure it is that a word is meant of this group; `None`: it is not, or not as a wish."""
    before = sentence[:at]
    if _REFUSED.search(before[-40:]):
        return None
    nearest = _find_nearest(sentence, at, titles)
    if (nearest or title) != title or (not nearest and of_others):
        return None
    return _OPEN.search(sentence) is None


@cache
def _compile_places() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('contrast', 'places')})\s([^\W\d_]+)")


@cache
def _compile_ranks() -> tuple[tuple[_Rank, re.Pattern[str]], ...]:
    return tuple(
        (_Rank(by, most), re.compile(rf"\b(?:{join_words('ranks', name)})\b"))
        for by in ("price", "size", "rating", "length", "time")
        for most, name in ((False, f"{by}_least"), (True, f"{by}_most"))
    )


_FIGURE = re.compile(r"(?<![\w.,])(\d{1,6}(?:\.\d+)?)[\s-]([^\W\d_]{3,})")

_REFUSED = re.compile(
    r"\b(?:not|no|never|isn't|aren't|wasn't|without|except|but|instead of|rather than|over|from"
    r"|than|currently|don't)"
    r"(?: \w+){0,2} $"
)
"""Before a word that is not wanted, or that is the one to be replaced."""
_OPEN = re.compile(r"\b(?:if|or|otherwise|unless|prefer\w*|ideally|possible|any|cheapest|same)\b")
"""Words that leave a choice, of which an attribute is only one side."""


def _find_nearest(sentence: str, at: int, titles: set[str]) -> str:
    """The thing that a word at this place is said of: the last named before it, else the next."""
    places = [
        (found.start(), title)
        for title in titles
        for word in split_name(title)[-1:]
        for found in re.finditer(rf"(?<!\w){re.escape(stem(word))}", sentence)
    ]
    before = [each for each in places if each[0] <= at]
    chosen = max(before, default=None) or min(places, default=None)
    return chosen[1] if chosen else ""
