"""Similarity of names and values, and the one candidate that is meant, if it is unique.

`orderId` is `order_id`. `ids_to_keep` is not `ids`: an extra word may reverse a name's meaning,
and no list of such words is complete. So only another spelling is the same name. A name with one
word more or less is a guess, and where that word is known to change the meaning it is no match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from mulligan_dates.text import fold_name, list_words, split_name, stem

_LONGEST_COMPARED = 80
"""Names beyond this length are compared for equality only."""

SHORTEST_SLIP = 5
"""Shortest word in which one letter may be wrong: shorter ones are too similar."""
SHORTEST_TYPO = 8
"""The same without other evidence that both words are one: `contact` is not `contract`."""
CONTRARY = frozenset({"except", "expect", "include", "exclude"})
"""Words that one typo turns into their opposite."""

_DIGITS = re.compile(r"\d")
_RUNS = re.compile(r"(.)\1+")


def pick_only(found: Iterable[str]) -> str | None:
    """The only item, or `None` for none and for several."""
    distinct = list(dict.fromkeys(found))
    return distinct[0] if len(distinct) == 1 else None


def match_spelling(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that differs only by case, punctuation, a plural or one wrong letter."""
    names = list(candidates)
    return (
        pick_only(c for c in names if fold_name(c) == fold_name(name) and fold_name(name))
        or pick_only(
            c for c in names if _strip_plural(c) == _strip_plural(name) and _strip_plural(name)
        )
        or pick_only(c for c in names if is_slip(name, c))
    )


def is_slip(one: str, other: str) -> bool:
    """Whether two texts differ by a single typo in one word that is long enough.

    A first letter is rarely mistyped, and a digit never: `date_1` and `date_2` are different, and
    so are `port` and `post`, `typical` and `atypical`.
    """
    a, b = _find_apart(one, other)
    short, long = sorted((len(a), len(b)))
    long_enough = short >= SHORTEST_SLIP - 1 and long >= SHORTEST_SLIP
    return long_enough and measure_distance(a, b, most=1) <= 1


def _find_apart(one: str, other: str) -> tuple[str, str]:
    """The pair of words in which two names differ, if one may be a typo; else empty."""
    mine, yours = split_name(one), split_name(other)
    apart = [(a, b) for a, b in zip(mine, yours, strict=False) if a != b]
    if len(mine) != len(yours) or len(apart) != 1:
        return "", ""
    a, b = apart[0]
    same = a[0] == b[0] and _DIGITS.findall(a) == _DIGITS.findall(b) and not {a, b} & CONTRARY
    return (a, b) if same else ("", "")


def find_typo(name: str, among: Iterable[str]) -> str | None:
    """The other tool name that is a typo of this one, or the other way round.

    Stricter than `slip`, without other evidence: `send_mail` and `read_mail` are both ordinary, and
    so are `get_event` and `get_events`, `change_card` and `charge_card`. So two letters are
    swapped, one is doubled, or in a long word any one letter is wrong.
    """

    def is_typo(other: str) -> bool:
        a, b = _find_apart(name, other)
        if not a or _RUNS.sub(r"\1", a) == _RUNS.sub(r"\1", b):
            return bool(a) or fold_name(name) == fold_name(other)
        long_enough = min(len(a), len(b)) >= SHORTEST_TYPO and _strip_plural(a) != _strip_plural(b)
        swapped = sorted(a) == sorted(b)
        return (long_enough or swapped) and measure_distance(a, b, most=1) <= 1

    return pick_only(each for each in among if each != name and is_typo(each))


def measure_distance(a: str, b: str, *, most: int) -> int:
    """Insertions, deletions, changes and swaps between two texts; anything above `most` is more."""
    if abs(len(a) - len(b)) > most or max(len(a), len(b)) > _LONGEST_COMPARED:
        return most + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        row = [i]
        for j, right in enumerate(b, start=1):
            cost = min(last[j] + 1, row[-1] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]


def _strip_plural(name: str) -> str:
    folded = fold_name(name)
    return folded[:-1] if len(folded) > 3 and folded.endswith("s") else folded


_BETWEEN = re.compile(r"(?<!\s)\s++\|\s++|\n\s*+")


def compile_phrases(text: str) -> re.Pattern[str]:
    """A pattern of phrases, each on a line of its own or with ` | ` between them; case is ignored.

    Inside a phrase it is a regular expression, in which `|` has no blanks around it.
    """
    return re.compile(join_alternatives(text), re.IGNORECASE)


def join_alternatives(text: str) -> str:
    """The phrases as one group of a larger pattern."""
    return "(?:" + "|".join(part for part in _BETWEEN.split(text.strip()) if part) + ")"


NEGATING = list_words("""
    not no non never without except excepting exclude excludes excluded excluding exclusion ignore
    ignores ignored ignoring skip skips skipped skipping omit omits omitted keep keeps kept keeping
    retain retained preserve preserved protect protects protected spare spared save saved other
    others than but instead unless avoid block blocked ban banned deny denied disallow disallowed
    forbid forbidden allow allowed un dis anti opposite inverse invert inverted
""")
"""Words that turn a name or a value into its opposite."""
PLACING = list_words("""
    from to source target src dst dest destination origin parent child children ancestor descendant
    root peer old new previous prev next current original before after since until start end begin
    first last min max minimum maximum lower upper low high in out input output left right up down
    sender receiver cc bcc reply shipping billing home away
""")
"""Words that say which one of two is meant."""
STANDING = list_words("""
    deleted removed archived active inactive enabled disabled draft dry preview simulate simulated
    simulation test staging prod production backup temp tmp default only if when all any each every
    locked pinned pending failed hidden public private
""")
"""Words that name a state or a condition."""
TURNING = NEGATING | PLACING | STANDING
"""Words that change the meaning of a name."""

_SAME = """
    id identifier
    msg message
    qty quantity
    amt amount
    addr address
    desc description
    lang language
    num number
    loc location
    dir directory
    db database
    repo repository
    org organization organisation
    pwd password
    src source
    dst dest destination
    img image
    doc document
    ts timestamp
    tz timezone
    lat latitude
    lon lng longitude
    tel telephone phone
    mail email
    max maximum
    min minimum
    color colour
    config configuration
    param parameter
    args arguments
    info information
    env environment
    app application
    ref reference
    cmd command
    pkg package
    attr attribute
    prop property
    idx index
    len length
    ver version
    avg average
    prev previous
"""
SYNONYMS: Mapping[str, str] = {
    word: group.split()[0] for group in _SAME.strip().splitlines() for word in group.split()
}
"""Synonyms, by their canonical word."""
_ALONE = ({"to", "recipient"}, {"from", "sender"}, {"q", "query"})
"""Whole names that mean the same, but not as parts of longer names."""


def match_name(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is the same name in another spelling, if one alone can be."""
    names = list(candidates)
    return (
        match_spelling(name, names)
        or pick_only(each for each in names if _are_synonyms(name, each))
        or pick_only(each for each in names if _are_initials(split_name(name), split_name(each)))
    )


def match_part(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that means about the same in more or fewer words: `id` and `payment_id`.

    This is a guess. There is none where a word is known to change the meaning.
    """
    return pick_only(
        each
        for each in candidates
        if _is_part_of(split_name(name), split_name(each)) and not is_turned(name, each)
    )


def is_turned(one: str, other: str) -> bool:
    """Whether a word that only one of two names has changes the meaning."""
    if match_name(one, [other]) is not None:
        return False
    return bool((_read_words(one) ^ _read_words(other)) & TURNING)


def loses_words(name: str, other: str) -> bool:
    """Whether a name has a meaningful word that the other does not have."""
    return bool(_read_words(name) - _read_words(other))


def _read_words(name: str) -> frozenset[str]:
    return frozenset(SYNONYMS.get(word, word) for word in split_name(name))


def _are_synonyms(one: str, other: str) -> bool:
    mine, yours = ([SYNONYMS.get(word, word) for word in split_name(each)] for each in (one, other))
    if len(mine) == len(yours) == 1:
        alone = {word.removesuffix("s") for word in (*mine, *yours)}
        return mine == yours or any(alone <= group for group in _ALONE)
    return bool(mine) and mine == yours


def _is_part_of(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """The shorter name is the end or the start of the longer one."""
    short, long = sorted((one, other), key=len)
    if not short or len(short) == len(long):
        return False
    return long[-len(short) :] == short or long[: len(short)] == short


def _are_initials(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    short, long = sorted((one, other), key=len)
    spelled = len(short) == 1 and len(long) > 2 and not set(long) & NEGATING
    return spelled and short[0] == "".join(word[0] for word in long)


def stem_words(text: str) -> frozenset[str]:
    """The stems of a text's words."""
    return frozenset(stem(word) for word in split_name(text))
