"""Fields that no correction may change: recipients, places, amounts, numbers in the request.

A correction may reformat such a value, move it to the name in the schema, or set it to a value that
the person stated literally. Anything else would be another call.

A number that is protected by mistake costs a suggestion. A missed one changes the request, so every
reading of a numeral counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from mulligan.learning.closeness import match_name, match_part
from mulligan_dates.text import Path, list_leaves, list_words, read_number, split_name

WHO = list_words("""
    recipient recipients cc bcc sender receiver account iban bic owner user customer client
    member principal role permission attendee attendees invitee invitees guest guests participant
    participants email mail phone contact assignee author tenant org organization organisation
    workspace team group passenger passengers payee payer beneficiary
""")
WHERE = list_words("""
    calendar path file filename folder directory dir host hostname server url uri endpoint domain
    address bucket repository repo branch database db table channel room device destination target
    source origin
""")
HOW_MUCH = list_words("""
    amount price sum total cost payment payments card balance currency fee budget salary quantity
    credit debit wallet
""")
WHICH_QUESTION = list_words("""
    query sql statement filter search expression command cmd script code prompt shell body
    password secret token apikey credential credentials
""")
COMMANDS = list_words("query sql statement expression command cmd script prompt shell")
SECRETS = list_words("password secret token apikey credential credentials")
LOCKED = WHO | WHERE | HOW_MUCH | WHICH_QUESTION
"""Words that lock a field when its name, or that of an enclosing field, has one of them."""

ALONE = list_words("to from where by")
"""Words that lock a field only as its whole name: `to` is a person, `to_date` is a date."""

CASED = WHERE | WHICH_QUESTION
"""Case-sensitive fields."""

_SYNTAX = re.compile(r"[\s\"'`{}\[\]():,;=]+")

SHORTEST_SAID = 2
MOST_SAID = 50_000
"""Characters of the person's words that are searched."""


def is_locked(path: Path) -> bool:
    """Whether a field is one that no correction may change."""
    names = (set(split_name(step)) for step in path if isinstance(step, str))
    return any(words & LOCKED or (words and words <= ALONE) for words in names)


def is_command(name: str) -> bool:
    """Whether an argument is executed or searched for, so that every word counts."""
    words = set(split_name(name))
    return bool(words & COMMANDS) or (bool(words) and words <= WHICH_QUESTION - SECRETS)


def is_secret(name: str) -> bool:
    """Whether an argument is a credential, and no part of the request."""
    return bool(set(split_name(name)) & SECRETS)


def find_locked_changes(
    before: Mapping[str, object], after: Mapping[str, object], *, said: Sequence[str] = ()
) -> list[Path]:
    """The locked fields that a correction would change; empty: it is allowed."""
    if repr(list(before.values())) == repr([after]):
        before = after  # All the arguments were inside an unknown wrapper.
    same = {name for name in before if name in after and _is_unpacked(before[name], after[name])}
    old = {path: value for path, value in list_leaves(before) if path and path[0] not in same}
    new = {path: value for path, value in list_leaves(after) if path and path[0] not in same}
    renamed = dict(_find_renamed(before, after))

    def origin(path: Path) -> Path:
        moved = (n for n in range(len(path), 0, -1) if path[:n] in renamed)
        length = next(moved, 0)
        return (*renamed[path[:length]], *path[length:]) if length else path

    changed = [
        path
        for path, value in new.items()
        if is_locked(path)
        and not stands_in(said, value)
        and not (origin(path) in old and says_same(old[origin(path)], value, key=str(path[-1])))
    ]
    kept = set(map(origin, new))
    lost = [path for path, value in old.items() if path not in kept and value is not None]
    return changed + [path for path in lost if is_locked(path)]


def _is_unpacked(before: object, after: object) -> bool:
    """Whether a structure given as text, or as pieces of text, has the same words."""
    if isinstance(after, list) and len(after) == 1 and repr(after[0]) == repr(before):
        return True
    pieces = before if isinstance(before, list) else [before]
    written = all(isinstance(piece, str) and piece.strip() for piece in pieces)
    opens = written and bool(pieces) and str(pieces[0]).lstrip()[0] in "{["
    return opens and isinstance(after, list | dict) and _drop_syntax(before) == _drop_syntax(after)


def says_same(one: object, other: object, *, key: str = "") -> bool:
    """Whether two values differ only in form: type, case, quotes, surrounding syntax.

    Signs inside a value count: `a.b@c` is not `ab@c`. So does the case of a place or query.
    """
    if isinstance(one, bool) or isinstance(other, bool):
        return str(one).casefold() == str(other).casefold()
    numbers = [read_number(each) for each in (one, other)]
    if None not in numbers:
        return numbers[0] == numbers[1]
    left, right = _drop_syntax(one), _drop_syntax(other)
    if not CASED & set(split_name(key)):
        left, right = ([word.casefold() for word in words] for words in (left, right))
    without_key = left[1:] if left[:1] == [key] or left[:1] == [key.casefold()] else left
    return bool(right) and right in (left, without_key)


def stands_in(said: Sequence[str], value: object) -> bool:
    """Whether a value stands in the person's own words."""
    text = str(value).strip().casefold()
    if (
        isinstance(value, bool)
        or value is None
        or (len(text) < SHORTEST_SAID and not text.isdigit())
    ):
        return False
    words = "\n".join(said)[:MOST_SAID].casefold()
    return (
        text in words and re.search(rf"(?<![\w.]){re.escape(text)}(?![\w]|\.\w)", words) is not None
    )


def _find_renamed(
    before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[tuple[Path, Path]]:
    """Moved values: the new path, and the old one."""
    gone = [name for name in before if name not in after]
    for name in (each for each in after if each not in before):
        old = match_name(name, gone) or match_part(name, gone)
        if old is not None and says_same(before[old], after[name]):
            yield (name,), (old,)
    for name in (each for each in before if each in after):
        yield from _find_renamed_inside(before[name], after[name], (name,))


def _find_renamed_inside(before: object, after: object, at: Path) -> Iterator[tuple[Path, Path]]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for new, old in _find_renamed(before, after):
            yield (*at, *new), (*at, *old)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _find_renamed_inside(one, other, (*at, index))


def _drop_syntax(value: object) -> list[str]:
    """A value without JSON or Python syntax around it."""
    return [word for word in _SYNTAX.split(str(value)) if word]


_ONES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "dozen": 12}
_OTHERS = """
    null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn
    zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze
    cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince
    zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici
"""
"""From nought upwards in German, French, Spanish and Italian."""
_ENGLISH: Mapping[str, int] = {
    **{word: number for number, word in enumerate(_ONES.split())},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), start=2)},
}
_FOREIGN: Mapping[str, int] = {
    word: number for row in _OTHERS.strip().splitlines() for number, word in enumerate(row.split())
}
_NUMERAL = re.compile(r"(?<![\w.,])[-+]?\d[\d.,'\u2019\u00a0\u202f]*(?: \d{3}(?!\d))*")
_SCALED = re.compile(r" ?(k|thousand|m|million|hundred|dozen)\b", re.IGNORECASE)
_GROUPS = re.compile(r"[,.'\u2019\u00a0\u202f ](?=\d{3}(?:\D|$))")
_BEFORE_SCALE = {"k": 1_000, "m": 1_000_000, **_SCALES}


def is_said_number(value: object, said: Sequence[str]) -> bool:
    """Whether a value is a number that stands in the person's own words."""
    number = read_number(value)
    return number is not None and bool(said) and abs(number) in _list_said(tuple(said))


def keeps_said_numbers(
    before: Mapping[str, object], after: Mapping[str, object], *, said: Sequence[str]
) -> bool:
    """Whether every number of a call that the person said is still in the corrected one."""
    if not said:
        return True
    asked = [value for _, value in list_leaves(before) if is_said_number(value, said)]
    new = [value for _, value in list_leaves(after, most=2_000)]
    made = {read_number(value) for value in new}
    # A sign before a number may not change it: `#77`.
    made |= {read_number(value.strip("#\"'` ")) for value in new if isinstance(value, str)}
    return all(read_number(value) in made for value in asked)


@lru_cache(maxsize=64)
def _list_said(said: tuple[str, ...]) -> frozenset[float]:
    text = "\n".join(said)[:MOST_SAID].casefold()
    return frozenset((*_list_numerals(text), *_list_number_words(text)))


def _list_numerals(text: str) -> Iterator[float]:
    """Every reading of every numeral: `1.200` is 1.2 and 1,200."""
    for found in _NUMERAL.finditer(text):
        written = found.group().strip("-+").rstrip(".,'\u2019 ")
        scaled = _SCALED.match(text, found.start() + len(found.group().rstrip(" ")))
        by = _BEFORE_SCALE[scaled.group(1).casefold()] if scaled else 1
        for reading in {_GROUPS.sub("", written), written, written.replace(",", ".")}:
            try:
                number = float(reading)
            except ValueError:
                continue
            yield from (number, number * by)
        yield from (float(part) for part in re.findall(r"\d+", written) if len(part) < 40)


def _list_number_words(text: str) -> Iterator[float]:
    """Number words, each alone and with its neighbours: `one hundred and twenty`."""
    run: list[str] = []
    for word in [*re.findall(r"[^\W\d_]+|[^\w\s-]", text), "."]:
        if word in _ENGLISH or word in _SCALES:
            run.append(word)
        elif word not in ("and", "a") or not run:
            yield from _add_up(run)
            run = []
        if word in _FOREIGN:
            yield float(_FOREIGN[word])


def _add_up(run: Sequence[str]) -> Iterator[float]:
    yield from (float(_ENGLISH.get(word, _SCALES.get(word, 0))) for word in run)
    total = current = 0
    for word in run:
        if word not in _SCALES:
            current += _ENGLISH[word]
        elif word in ("thousand", "million"):
            total, current = total + max(current, 1) * _SCALES[word], 0
        else:
            current = max(current, 1) * _SCALES[word]
    if run:
        yield float(total + current)
