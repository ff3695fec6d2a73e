"""Whether two names of arguments mean the same thing: spelling is form, a word more is scope.

`orderId` is `order_id`. `ids_to_keep` is not `ids`: what a name has beside another may turn it
into its contrary, and nobody has a list of all such words. So only a name in another spelling is
the same; one with a word more or less is a guess; and where that word is known to turn it, nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mulligan.learning.values.closeness import match_spelling, pick_only, tokenize
from mulligan.learning.values.vocabulary import list_words

NEGATING = list_words("""
    not no non never without except excepting exclude excludes excluded excluding exclusion ignore
    ignores ignored ignoring skip skips skipped skipping omit omits omitted keep keeps kept keeping
    retain retained preserve preserved protect protects protected spare spared save saved other
    others than but instead unless avoid block blocked ban banned deny denied disallow disallowed
    forbid forbidden allow allowed un dis anti opposite inverse invert inverted
""")
"""Words that turn what a name or a value says into its contrary."""
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
"""Words that say in which state something is, or on which condition."""
TURNING = NEGATING | PLACING | STANDING
"""Words by which a name means another thing than the same name without them."""

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
"""Words that mean the same, by the one that stands for them."""
_ALONE = ({"to", "recipient"}, {"from", "sender"}, {"q", "query"})
"""Whole names that mean the same, though a part of a longer one they would not."""


def match_name(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is the same name in another spelling, if one alone can be."""
    names = list(candidates)
    return (
        match_spelling(name, names)
        or pick_only(each for each in names if _are_synonyms(name, each))
        or pick_only(each for each in names if _are_initials(tokenize(name), tokenize(each)))
    )


def match_part(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that says about the same in more or fewer words: `id` and `payment_id`.

    It is a guess. Where a word is known to make another thing of the name there is none.
    """
    return pick_only(
        each
        for each in candidates
        if _is_part_of(tokenize(name), tokenize(each)) and not is_turned(name, each)
    )


def is_turned(one: str, other: str) -> bool:
    """Whether a word that only one of two names has makes another thing of it."""
    if match_name(one, [other]) is not None:
        return False
    return bool((_read_words(one) ^ _read_words(other)) & TURNING)


def loses_words(name: str, other: str) -> bool:
    """Whether a name says something that the other does not."""
    return bool(_read_words(name) - _read_words(other))


def _read_words(name: str) -> frozenset[str]:
    return frozenset(_shorten(word) for word in tokenize(name))


def _shorten(word: str) -> str:
    return SYNONYMS.get(word, word)


def _are_synonyms(one: str, other: str) -> bool:
    mine, yours = ([_shorten(word) for word in tokenize(each)] for each in (one, other))
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
