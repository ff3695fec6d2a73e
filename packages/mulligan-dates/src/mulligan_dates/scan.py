"""A message as the rules of the grammar see it: numbers are one token, some words are others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from mulligan_dates.parts import AnyPart
from mulligan_dates.tables import Half, Table, V, Words
from mulligan_dates.tokens import APOSTROPHE, END, LOOKAHEAD, Token, tokenize

_TENS = range(20, 100, 10)


def join_numerals(tokens: Sequence[Token], words: Words) -> list[Token]:
    """Twenty-fourth and 2nd become one ordinal each, two thousand and ten one number."""
    folded: list[Token] = []
    counting = _list_counting(words)
    i, count = 0, len(tokens)
    while i < count:
        token = tokens[i]
        if token.number is None and token.text not in counting:
            i += 1
        else:
            token, i = _fold_one(tokens, i, words)
        folded.append(token)
    return folded


@lru_cache(maxsize=8)
def _list_counting(words: Words) -> frozenset[str]:
    """The words that a number can begin with."""
    return frozenset({*words.cardinals, *words.ordinals, *words.one})


def _fold_one(tokens: Sequence[Token], i: int, words: Words) -> tuple[Token, int]:
    token = tokens[i]
    if token.number is not None:
        after = _peek(tokens, i + 1)
        if after.glued and after.text in words.ordinal_endings:
            return token._replace(ordinal=token.number, number=None, end=after.end), i + 2
        return token, i + 1
    hundred = token.text in words.one and _peek(tokens, i + 1).text in words.scales
    if hundred or token.text in words.cardinals:
        return _fold_spoken(tokens, i, words)
    if (ordinal := words.ordinals.get(token.text)) is not None:
        return token._replace(ordinal=ordinal), i + 1
    return token, i + 1


def _fold_spoken(tokens: Sequence[Token], i: int, words: Words) -> tuple[Token, int]:
    """A spelled-out number from its first word on: twenty, a hundred and one."""
    value, ordinal, j = 1, None, i + 1
    if tokens[i].text in words.cardinals:
        value, ordinal, j = _parse_below_hundred(tokens, i, words)
    while ordinal is None and (scale := words.scales.get(_peek(tokens, j).text)) is not None:
        value *= scale
        j += 1
        k = j + 1 if _peek(tokens, j).text in words.and_ else j
        if _peek(tokens, k).text in words.cardinals:
            more, ordinal, j = _parse_below_hundred(tokens, k, words)
            value += more
    first, last = tokens[i], tokens[j - 1]
    # Of several words, none is left that a table could take for another.
    text = first.text if j == i + 1 else str(value)
    return (
        first._replace(
            text=text,
            end=last.end,
            number=None if ordinal is not None else value,
            ordinal=ordinal,
        ),
        j,
    )


def _parse_below_hundred(
    tokens: Sequence[Token], i: int, words: Words
) -> tuple[int, int | None, int]:
    """A number up to 99, the same as an ordinal if it is one, and where it ends."""
    value = words.cardinals[tokens[i].text]
    if value not in _TENS:
        return value, None, i + 1
    j = i + 2 if _peek(tokens, i + 1).text == "-" else i + 1
    unit = _peek(tokens, j).text
    if 0 < words.cardinals.get(unit, 0) < 10:
        return value + words.cardinals[unit], None, j + 1
    if 0 < words.ordinals.get(unit, 0) < 10:
        return value, value + words.ordinals[unit], j + 1
    return value, None, i + 1


def _peek(tokens: Sequence[Token], i: int) -> Token:
    return tokens[i] if i < len(tokens) else END


def rewrite(tokens: Sequence[Token], words: Words) -> Sequence[Token]:
    """Freitagabend as Freitag and Abend: each with the place of what it was written as."""
    if not words.rewrites:
        return tokens
    padded = [*tokens, *[END] * LOOKAHEAD]
    found: list[Token] = []
    i = 0
    while i < len(tokens):
        told = words.rewrites.match(padded, i)
        if told is None:
            found.append(tokens[i])
            i += 1
            continue
        first, last = tokens[i], padded[told[1] - 1]
        found += [
            Token(text, first.start, last.end, first.glued and not n, capital=first.capital)
            for n, text in enumerate(told[0])
        ]
        i = told[1]
    return found


Found = tuple[tuple[AnyPart, ...], int]
"""What a rule found, and the index of the token after it."""

HIGHEST_DAY = 31
_MINUTES = 60
HIGHEST_MONTH = 12
NONE: Table[str] = Table({})
YEARS = range(1900, 2100)
"""Four figures that are a year before they are anything else."""


class Scan(Struct, frozen=True):
    """The tokens of one message, and the language they are read in."""

    tokens: Sequence[Token]
    """With room behind the last one, so that no rule has to look where the end is."""
    words: Words
    count: int
    national: Table[str]
    """The holidays of the person's country, by name."""

    def skip(self, i: int, table: Table[None]) -> int:
        """The index after a word of the table, if one stands at `i`."""
        found = table.match(self.tokens, i)
        return found[1] if found else i

    def skip_sign(self, i: int, signs: str) -> int:
        """The index after one of these signs, if one stands at `i`."""
        text = self.tokens[i].text
        return i + 1 if text and text in signs else i

    def is_after(self, i: int, table: Table[V]) -> bool:
        """Whether the token before `i` is a word of the table."""
        return i > 0 and self.tokens[i - 1].text in table

    def ends(self, i: int) -> bool:
        """Whether nothing but a closing sign comes from `i` on."""
        return i >= self.count or (i == self.count - 1 and not self.tokens[i].text[:1].isalnum())

    def is_whole(self, i: int, j: int) -> bool:
        """Whether `i` to `j` is all there is."""
        return i == 0 and self.ends(j)


def scan(message: str, words: Words, *, national: Table[str] = NONE) -> Scan:
    """Cut a message into tokens, with its numbers folded."""
    return scan_tokens(tokenize(message), words, national=national)


def scan_tokens(tokens: Sequence[Token], words: Words, *, national: Table[str] = NONE) -> Scan:
    """The same of a message that was cut already."""
    folded = join_numerals(rewrite(tokens, words), words)
    return Scan(
        tokens=[*folded, *[END] * LOOKAHEAD],
        words=words,
        count=len(folded),
        national=national,
    )


def read_day_number(token: Token) -> int | None:
    """The token as a day of the month: 3, 3rd, third."""
    value = token.ordinal if token.ordinal is not None else token.number
    if value is None or not 0 < value <= HIGHEST_DAY or len(token.digits) > 2:
        return None
    return value


def parse_year(scan: Scan, i: int, *, short: bool = False) -> tuple[int, int] | None:
    """A year in figures or words, and where it ends; `short` lets 96 be one too, as '96 is.

    Two figures stay as they were said: which century is meant depends on when it was said.
    """
    token, after = scan.tokens[i], scan.tokens[i + 1]
    if token.number is None:
        if token.text in ("'", APOSTROPHE) and len(after.digits) == 2 and after.glued:
            return after.number or 0, i + 2
        return None
    if token.digits:
        return _parse_year_figures(token, i, short=short)
    if token.number in YEARS or (token.number in range(1000, 2200) and token.number % 100):
        return token.number, i + 1
    return _parse_year_words(scan, i)


def _parse_year_figures(token: Token, i: int, *, short: bool) -> tuple[int, int] | None:
    number = token.number or 0
    if len(token.digits) == 4 and (number in YEARS or number // 100 > 23 or number % 100 > 59):
        return (number, i + 1) if 1000 <= number < 2200 else None
    if short and len(token.digits) == 2 and number > HIGHEST_DAY:
        return number, i + 1
    return None


def _parse_year_words(scan: Scan, i: int) -> tuple[int, int] | None:
    """Nineteen eighty six, twenty ten, nineteen zero one."""
    first, second, third = scan.tokens[i : i + 3]
    if first.number not in (18, 19, 20) or second.digits:
        return None
    century = first.number * 100
    if second.text in scan.words.oh and third.number is not None and 0 < third.number < 10:
        return century + third.number, i + 3
    if second.number is None or not 10 <= second.number < 100:
        return None
    return century + second.number, i + 2


def begins_time(scan: Scan, i: int) -> bool:
    """Whether the number at `i` is the hour of a time of day."""
    sign, after = scan.tokens[i + 1], scan.tokens[i + 2]
    minutes = sign.text == ":" and bool(after.digits)
    dotted = sign.text == "." and sign.glued and after.glued and len(after.digits) == 2
    marked = sign.glued and sign.text in scan.words.hour_mark
    told = minutes or dotted or marked or sign.text in scan.words.roughly
    return told or parse_half(scan, i + 1) is not None or _is_oclock(scan, i + 1)


def _is_oclock(scan: Scan, i: int) -> bool:
    return scan.words.oclock.match(scan.tokens, i) is not None


def parse_half(scan: Scan, i: int) -> tuple[Half, int] | None:
    """A.m. or p.m., and where it ends; 5 *a week* is not five in the morning."""
    found = scan.words.halves.match(scan.tokens, i)
    letter = found is not None and found[1] == i + 1 and scan.tokens[i].text in scan.words.one
    return None if letter and not scan.tokens[i].glued else found


def is_counted(scan: Scan, i: int) -> bool:
    """Whether the number at `i` counts something: 5 to 10 minutes."""
    return scan.words.units.match(scan.tokens, i + 1) is not None


def parse_minutes_after_word(scan: Scan, i: int) -> tuple[int, int] | None:
    """14 *Uhr 30*: the minutes behind the word for the hour, and where they end."""
    word = scan.words.hour_word.match(scan.tokens, i)
    if word is None or is_counted(scan, word[1]):
        return None
    minute = scan.tokens[word[1]].number
    told = minute is not None and 0 < minute < _MINUTES
    return (minute or 0, word[1] + 1) if told else None


def goes_on(scan: Scan, i: int) -> bool:
    """Whether what follows is no noun that the number before would belong to."""
    words, tokens = scan.words, scan.tokens
    text = tokens[i].text
    names = (words.months, words.weekdays, words.parts, words.days, words.nights, words.which)
    times = (words.noon, words.midnight, words.half_past)
    return (
        text in words.glue
        or text in words.harmless
        or text in words.through
        or text in words.between
        or text in words.range_openings
        or any(table.match(tokens, i) is not None for table in (*names, *times))
        or tokens[i].number is not None
    )
