"""How near two names or values are, and which of several is meant, if only one can be."""

from __future__ import annotations

from collections.abc import Iterable

from mulligan.core.runtime.late_pattern import compile_late

LONGEST = 80
"""Names beyond this length are compared for equality only."""

SHORTEST_SLIP = 5
"""Letters of a word in which one may be wrong: of fewer, too many words are made."""
SHORTEST_TYPO = 8
"""The same where nothing else says that two words are one: `contact` and `contract` are not."""
CONTRARY = frozenset({"except", "expect", "include", "exclude"})
"""Words that a slip would turn into their contrary."""

_CAMEL = compile_late(r"(?<=[a-z0-9])(?=[A-Z])")
_SPLIT = compile_late(r"[\W_]+")
_DIGITS = compile_late(r"\d")
_RUNS = compile_late(r"(.)\1+")


def tokenize(name: str) -> tuple[str, ...]:
    """The words of a name: `orderId`, `order_id` and `Order ID` are the same two."""
    return tuple(part for part in _SPLIT.split(_CAMEL.sub(" ", name).casefold()) if part)


def fold(text: str) -> str:
    """A text without case, spaces and punctuation."""
    return _SPLIT.sub("", text.casefold())


def pick_only(found: Iterable[str]) -> str | None:
    """The one there is, or `None` for none and for several."""
    distinct = list(dict.fromkeys(found))
    return distinct[0] if len(distinct) == 1 else None


def match_spelling(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is the same but for case, punctuation, a plural or one wrong letter."""
    names = list(candidates)
    return (
        pick_only(c for c in names if fold(c) == fold(name) and fold(name))
        or pick_only(
            c for c in names if _strip_plural(c) == _strip_plural(name) and _strip_plural(name)
        )
        or pick_only(c for c in names if is_slip(name, c))
    )


def is_slip(one: str, other: str) -> bool:
    """Whether a single slip of the pen lies between two texts: in one word that is long enough.

    A first letter is rarely mistyped and a digit never: `date_1` and `date_2` are two things, and
    so are `port` and `post`, `typical` and `atypical`.
    """
    mine, yours = tokenize(one), tokenize(other)
    if len(mine) != len(yours):
        return False
    apart = [pair for pair in zip(mine, yours, strict=True) if pair[0] != pair[1]]
    return len(apart) == 1 and _is_misspelt(*apart[0])


def _is_misspelt(a: str, b: str) -> bool:
    long_enough = min(len(a), len(b)) >= SHORTEST_SLIP - 1 and max(len(a), len(b)) >= SHORTEST_SLIP
    same_digits = _DIGITS.findall(a) == _DIGITS.findall(b)
    if not long_enough or not same_digits or a[0] != b[0] or {a, b} & CONTRARY:
        return False
    return measure_distance(a, b, most=1) <= 1


def find_typo(name: str, among: Iterable[str]) -> str | None:
    """The other name of a tool that this one is a typing error of, or the other way round.

    Stricter than a slip, as nothing says that the two are one: `send_mail` and `read_mail` are both
    ordinary, and so are `get_event` and `get_events`, `change_card` and `charge_card`.
    """
    return pick_only(each for each in among if each != name and _is_typo(name, each))


def _is_typo(one: str, other: str) -> bool:
    mine, yours = tokenize(one), tokenize(other)
    if fold(one) == fold(other) or len(mine) != len(yours):
        return fold(one) == fold(other)
    apart = [pair for pair in zip(mine, yours, strict=True) if pair[0] != pair[1]]
    return len(apart) == 1 and _is_mistyped(*apart[0])


def _is_mistyped(a: str, b: str) -> bool:
    """Two letters swapped, one doubled, or in a long word any one that is wrong."""
    if a[0] != b[0] or _DIGITS.findall(a) != _DIGITS.findall(b) or {a, b} & CONTRARY:
        return False
    if _RUNS.sub(r"\1", a) == _RUNS.sub(r"\1", b):
        return True
    long_enough = min(len(a), len(b)) >= SHORTEST_TYPO and _strip_plural(a) != _strip_plural(b)
    return (long_enough or sorted(a) == sorted(b)) and measure_distance(a, b, most=1) <= 1


def measure_distance(a: str, b: str, *, most: int) -> int:
    """Insertions, deletions, changes and swaps between two texts; anything above `most` is more."""
    if abs(len(a) - len(b)) > most or max(len(a), len(b)) > LONGEST:
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
    folded = fold(name)
    return folded[:-1] if len(folded) > 3 and folded.endswith("s") else folded
