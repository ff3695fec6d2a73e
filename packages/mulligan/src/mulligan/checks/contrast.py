"""Which of several things that stand in one list was meant, by what tells them apart.

A word of the message speaks for those in whose fields it stands, and against them where it is ruled
out: "not the one in sales", "the black one stays". It takes no knowledge of what the fields mean.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import islice, takewhile
from typing import NamedTuple

from mulligan.checks.provenance import Returned, SeenValues, fold_value, with_seen
from mulligan.checks.seen_objects import names_id
from mulligan.checks.sets import find_named_sets
from mulligan.checks.subject import (
    Argument,
    Parameters,
    Subject,
    limit_to_parameters,
    list_arguments,
    list_effective_calls,
    recall,
)
from mulligan.checks.tool_outputs import (
    Found,
    get_id_of,
    get_title_of,
    join_texts,
    list_texts,
    walk,
)
from mulligan.types.display import quote_value
from mulligan.types.finding import Finding
from mulligan.types.interfaces import Check
from mulligan_dates.languages import is_understood
from mulligan_dates.lexicon import (
    join_words,
    list_weekdays,
    load_general_stems,
    load_words,
)
from mulligan_dates.text import split_letters, split_name, split_words, stem
from mulligan_dates.tokens import drop_quotes

MOST_ROWS = 200
MOST_VALUES = 2_000
LONGEST_TEXT = 200
"""Characters of a field up to which its words describe a thing."""
LONGEST_GIVEN = 4
"""Words of an argument up to which it accounts for those of the message."""
FEWEST_ALIKE = 2
"""Values of one row in a call beside which one of another row is odd."""
_START = 3
"""Letters that all forms of a word begin with."""
_NONE: frozenset[str] = frozenset()
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d|\d\d?:\d\d")


def contrasted(parameters: Parameters) -> Check[Subject]:
    """Flag one of several things that were read side by side, where the words are for another.

    - it has a word that was ruled out, or none that another one beside it lacks, while a word of
      the message stands in that other one alone, which no call acted on
    - one value is of another row than all the others of the call

    Silent where a set, an end of an order or any one is asked for.
    """

    @limit_to_parameters(parameters, when=lambda turn: is_understood(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        said: _Said | None = None
        for execution, seen in with_seen(subject):
            given = list(list_arguments(execution, parameters.get(execution.call.tool, ())))
            for table in _list_tables(subject, seen, given):
                if any(fold_value(each.value) in table.owners for each in given):
                    said = said or _read_said(subject, parameters)
                    match = _Match(table, said)
                    for argument in given:
                        yield from _compare(argument, match, said)
                    yield from _find_odd(given, match, said)

    return check


class _Table(NamedTuple):
    """Rows of one shape that an answer had side by side."""

    rows: Sequence[Found]
    owners: Mapping[str, int]
    """By value that only one row has, which one."""
    texts: Sequence[str]
    """By row, its fields without case."""


class _Said(NamedTuple):
    """The words of a message, by what they say."""

    text: str
    wanted: frozenset[str]
    earlier: frozenset[str]
    """Of the conversation before it: they may have chosen, and speak for nothing else."""
    ruled_out: frozenset[str]
    picks: bool
    """Something is picked otherwise than by its words."""
    touched: frozenset[str]
    """Every value that a call was given."""
    given: Mapping[str, frozenset[str]]
    """By short value of a call, its words: they may be all that the message says them for."""

    def find_accounted(self, table: _Table) -> frozenset[str]:
        """Words of the message that calls were given otherwise than for a thing of this list."""
        kept = (words for value, words in self.given.items() if value not in table.owners)
        return frozenset[str]().union(*kept)


def _read_said(subject: Subject, tools: Collection[str]) -> _Said:
    message = subject.turn.message
    wanted, ruled_out = split_message(drop_quotes(message).casefold())
    calls = [e for e in (*subject.earlier, *list_effective_calls(subject)) if e.call.tool in tools]
    texts = [text for each in calls for text in list_texts(dict(each.call.arguments))]
    words = {fold_value(text): frozenset(split_words(text)) for text in texts}
    return _Said(
        text=message.casefold(),
        wanted=wanted,
        earlier=frozenset(_list_telling(" ".join(subject.turn.history.said))),
        ruled_out=ruled_out - wanted,
        picks=bool(find_named_sets(message))
        or not _load_picking().isdisjoint(split_letters(message)),
        touched=frozenset(map(fold_value, texts)),
        given={value: each for value, each in words.items() if len(each) <= LONGEST_GIVEN},
    )


@lru_cache(maxsize=64)
def split_message(message: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words that are wanted, and those that are ruled out."""
    wanted: list[str] = []
    ruled_out: list[str] = []
    for clause in _compile_turns().split(message):
        if _compile_likening().match(clause):
            continue
        if stays := _compile_stays().fullmatch(clause):
            ruled_out += _list_telling(stays["what"])
        elif found := _compile_ruled_out().search(clause):
            ruled_out += _list_telling(found["what"])
            wanted += _list_telling(clause.replace(found[0], " "))
        else:
            wanted += _list_telling(_compile_denied().sub(" ", clause))
    return frozenset(wanted), frozenset(ruled_out)


@cache
def _compile_turns() -> re.Pattern[str]:
    return re.compile(rf"[.,;:!?\n]|\b(?:{join_words('contrast', 'turns')})\b")


@cache
def _compile_denied() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('contrast', 'denied')})\s\w+")


@cache
def _compile_likening() -> re.Pattern[str]:
    return re.compile(rf"\s?(?:{join_words('contrast', 'likens')})\b")


@cache
def _compile_stays() -> re.Pattern[str]:
    stays, on = join_words("contrast", "stays"), join_words("contrast", "unchanged")
    return re.compile(rf"(?P<what>[^\n]{{1,80}}?)\b(?:{stays})\b(?:\s(?:{on}))?\s{{0,9}}")


@cache
def _compile_ruled_out() -> re.Pattern[str]:
    nots, excepts = join_words("contrast", "not"), join_words("contrast", "except")
    article = join_words("contrast", "article")
    return re.compile(
        rf"\b(?:(?:{nots})\s(?:{article})|(?:{excepts})(?:\s(?:{article}))?)\s"
        r"(?P<what>[\w'\u2019]+(?:\s[\w'\u2019]+){0,3})"
    )


def _list_telling(text: str) -> Iterator[str]:
    empty = load_words("words", "empty")
    for word in split_words(text):
        if word not in empty and (len(word) > 2 or not (word.isalpha() or word.isdecimal())):
            yield word


@cache
def _load_picking() -> frozenset[str]:
    """Words that pick by a place in an order, or with which any one will do."""
    picked = load_words("words", "picked") - load_words("contrast", "narrows")
    ranks = ("price", "size", "rating", "length", "time")
    ends = (load_words("ranks", f"{by}_{end}") for by in ranks for end in ("least", "most"))
    return (picked - load_words("sets", "all")).union(*ends)


def _list_tables(subject: Subject, seen: SeenValues, given: Sequence[Argument]) -> Iterator[_Table]:
    """The tables of answers that hold what is given, and one of what was read one by one."""
    values = {fold_value(each.value) for each in given}
    held = [each for each in seen.answers if not each.fields.isdisjoint(values)]
    for answer in held:
        yield from recall(subject, ("tables", id(answer)), partial(_read_tables, answer))
    single = [each.structure for each in seen.answers if isinstance(each.structure, dict)]
    for answer in held:
        own = answer.structure
        if isinstance(own, dict) and not values.isdisjoint(map(_fold_shown, own.values())):
            rows = [own, *(each for each in single if each is not own and _are_alike((own, each)))]
            yield _build_table(rows)
            return


def _read_tables(answer: Returned) -> list[_Table]:
    holders = (each for each in walk(answer.structure) if isinstance(each, dict | list))
    lists = (
        each.values() if isinstance(each, dict) else each for each in islice(holders, MOST_VALUES)
    )
    tables = ([each for each in held if isinstance(each, dict)] for held in lists)
    return [_build_table(e) for e in tables if 1 < len(e) <= MOST_ROWS and _are_alike(e)]


def _build_table(rows: Sequence[Found]) -> _Table:
    return _Table(rows, _find_owners(rows), [_read_text(each) for each in rows])


def _read_text(row: Found) -> str:
    inner = (each for each in row.values() if isinstance(each, dict))
    shown = (_show(held) for part in (row, *inner) for held in part.values())
    told = (each for each in shown if len(each) <= LONGEST_TEXT and not _MOMENT.match(each))
    return " ".join(told).casefold()


def _are_alike(rows: Sequence[Found]) -> bool:
    """Whether rows have at least half of their fields in common: an answer's parts have not."""
    shared = set(rows[0]).intersection(*rows[1:])
    return 2 * len(shared) >= max(map(len, rows))


def _find_owners(rows: Sequence[Found]) -> dict[str, int]:
    owners: dict[str, int] = {}
    several = set()
    for at, row in enumerate(rows):
        for held in row.values():
            if (value := _fold_shown(held)) and owners.setdefault(value, at) != at:
                several.add(value)
    return {value: at for value, at in owners.items() if value not in several}


def _show(held: object) -> str:
    """A single value as a call would be given it; empty for the rest."""
    plain = isinstance(held, str | int | float) and not isinstance(held, bool)
    return str(held) if plain else ""


def _fold_shown(held: object) -> str:
    return _show(held).strip().casefold()


class _Match:
    """The words of a message that stand in each row of a table."""

    def __init__(self, table: _Table, said: _Said) -> None:
        self.table = table
        self.wanted, self.ruled_out, self.earlier = (
            _find_hits(words, table) for words in (said.wanted, said.ruled_out, said.earlier)
        )
        self.spent = said.find_accounted(table)
        self.touched = {table.owners[value] for value in said.touched if value in table.owners}


def _find_hits(said: Collection[str], table: _Table) -> Mapping[int, set[str]]:
    """By row, the words in it; one that stands in no row may be a form of one that does."""
    found: defaultdict[int, set[str]] = defaultdict(set)
    for word in said:
        near = [(at, text) for at, text in enumerate(table.texts) if word[:_START] in text]
        rows = [at for at, text in near if word in text and word in _split_row(text)]
        forms = (at for at, text in near if any(_are_forms(word, e) for e in _split_row(text)))
        for at in rows or forms:
            found[at].add(word)
    return found


@lru_cache(maxsize=MOST_ROWS)
def _split_row(text: str) -> frozenset[str]:
    return frozenset(split_words(text))


def _compare(argument: Argument, match: _Match, said: _Said) -> Iterator[Finding]:
    table = match.table
    own = table.owners.get(fold_value(argument.value))
    if own is None or argument.value.casefold() in said.text or not _names(argument, table, own):
        return
    if _is_said(own, table, said):
        return
    mine, bad = match.wanted.get(own, _NONE), match.ruled_out.get(own, _NONE)
    several = len(match.touched) > 1
    # What rules one out may name another one better.
    meant = bool(match.wanted) and not any(bad < each for each in match.ruled_out.values())
    # A day may be when, and no name: "move the post about pumpkins to Saturday".
    sort = load_general_stems() | {*map(stem, (*_list_sort(argument), *list_weekdays()))}
    for at, row in enumerate(table.rows):
        theirs, worse = match.wanted.get(at, _NONE), match.ruled_out.get(at, _NONE)
        if at == own or mine - theirs:
            continue
        ruled = bad - worse if meant else set[str]()
        better = {word for word in theirs - mine - match.spent if stem(word) not in sort}
        if several or said.picks or match.earlier.get(own) or at in match.touched or worse - bad:
            better = set()
        if ruled or better:
            words = sorted(ruled or better)
            yield _report(argument, table.rows[own], row, words=words, ruled=bool(ruled))
            return


def _is_said(at: int, table: _Table, said: _Said) -> bool:
    """Whether a value of several words that only this row has stands in the message as it is."""
    own = (value for value, row in table.owners.items() if row == at and value in said.text)
    return any(len(split_words(value)) > 1 for value in own)


def _names(argument: Argument, table: _Table, at: int) -> bool:
    """Whether a value that only one row has names that row, and is no figure or time of it."""
    value, row = fold_value(argument.value), table.rows[at]
    field = next(key for key, held in row.items() if _fold_shown(held) == value)
    if "@" in value or names_id(field):
        return True
    alike = split_name(str(field))[-1:] == split_name(argument.name)[-1:]
    return alike and isinstance(row[field], str) and not _MOMENT.search(value)


def _list_sort(argument: Argument) -> Iterator[str]:
    """Words for the sort of thing, and for what is done to it: they tell none of it apart."""
    call = argument.execution.call
    yield from split_name(call.tool)
    for name in call.arguments:
        yield from split_name(name)


@lru_cache(maxsize=20_000)
def _are_forms(one: str, other: str) -> bool:
    if one[:_START] != other[:_START]:
        return False
    if stem(one) == stem(other):
        return True
    pairs = zip(one, other, strict=False)
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    short, long = sorted((len(one), len(other)))
    return (shared == short >= 4 and long - short <= 2) or (shared >= 6 and long - shared <= 3)


def _report(
    argument: Argument, own: Found, other: Found, *, words: Sequence[str], ruled: bool
) -> Finding:
    shown = [quote_value(get_title_of(e) or join_texts(e)) for e in (own, other)]
    told = ", ".join(f'"{word}"' for word in words[:3])
    why = f"the person ruled out {told}" if ruled else f"{told} is said of {shown[1]}"
    right = None if ruled else get_id_of(other, name=argument.name)
    give = f"Give {argument.label}={quote_value(right)}." if right else ""
    return argument.build_finding(
        "object.not_as_said",
        issue=f"which is {shown[0]}; {why}.",
        correction=give or "Act on the one that the person described.",
    )


def _find_odd(given: Sequence[Argument], match: _Match, said: _Said) -> Iterator[Finding]:
    """A value of one row, where all else that the call has of this list is of another."""
    of_rows: dict[int, list[Argument]] = {}
    execution = given[0].execution
    for argument in list_arguments(execution, execution.call.arguments):
        at = match.table.owners.get(fold_value(argument.value))
        if (
            at is not None
            and len(argument.value) > 1
            and argument.value.casefold() not in said.text
        ):
            of_rows.setdefault(at, []).append(argument)
    if len(of_rows) != 2:
        return
    few, most = sorted(of_rows, key=lambda at: len(of_rows[at]))
    (odd, *rest), alike = of_rows[few], of_rows[most]
    if rest or len(alike) < FEWEST_ALIKE or odd not in given:
        return
    if not match.wanted.get(few, _NONE) - match.wanted.get(most, _NONE):
        names = ", ".join(each.label for each in alike[:3])
        yield odd.build_finding(
            "object.mixed",
            issue=f"which is of another one than {names}.",
            correction=f"Give {odd.label} of the same one.",
        )
