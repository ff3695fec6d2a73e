"""A quantity as text states it, and when one stands for another."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

ROUGHLY = 0.1
"""How far "about" may be from the truth, as a share of it."""
FAR = 2.0
"""A bound this many times off says nothing: "under 500" of something that costs 20."""
SMALL = 12
"""Counts up to here are said in passing ("two ways"); only the same noun contradicts them."""
ALMOST = 1e-9


class Bound(StrEnum):
    """How a quantity is meant."""

    EXACT = "exact"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    ABOUT = "about"


_ONE_OR_OTHER = frozenset({Bound.AT_LEAST, Bound.AT_MOST})


class Quantity(NamedTuple):
    """A number with its unit, as it is written somewhere. A tuple: there are many of them."""

    values: tuple[float, ...]
    """What the numeral can mean, in the dimension's own unit: `1.500` is two numbers."""
    step: float
    """The worth of its last digit: what it was rounded to."""
    factor: float = 1.0
    """What its unit and its multiplier make of a bare number."""
    dimension: str = ""
    """`percent`, `length`, a currency; empty for a plain count."""
    nouns: frozenset[str] = frozenset()
    """Stems of the words behind it: what is counted."""
    bound: Bound = Bound.EXACT
    start: int = 0
    end: int = 0

    @property
    def passing(self) -> bool:
        """Whether it is a small plain count, as in "two ways to pay"."""
        return not self.dimension and max(self.values) <= SMALL


_PLACE = Quantity._fields.index("start")


class Known:
    """The quantities of a context, by value: most claims that stand are found at once."""

    def __init__(self, quantities: list[Quantity]) -> None:
        # Wherever it stands, so without its place: a long text says the same over and over.
        self._all = list({each[:_PLACE]: each for each in quantities}.values())
        self._by_value: dict[float, list[Quantity]] = {}
        for quantity in self._all:
            for value in quantity.values:
                self._by_value.setdefault(value, []).append(quantity)

    def support(self, claim: Quantity) -> bool:
        """Whether one of them lets the claim stand."""
        for value in claim.values:
            for each in self._by_value.get(value, ()):
                if _is_comparable(claim, each) and _stands(claim, each):
                    return True
        comparable = [each for each in self._all if _is_comparable(claim, each)]
        if any(_stands(claim, each) for each in comparable):
            return True
        if not claim.passing:
            return False
        rivals = [each for each in comparable if each.passing and claim.nouns & each.nouns]
        return max(claim.values) <= 1 or not rivals


def _is_comparable(claim: Quantity, known: Quantity) -> bool:
    """A measured claim needs its own dimension, or a bare number such as a table's cell."""
    if claim.dimension == known.dimension:
        return True
    if claim.dimension:
        return not known.dimension and not known.nouns
    return not claim.nouns


def _stands(claim: Quantity, known: Quantity) -> bool:
    for mine in claim.values:
        for theirs in known.values:
            if _supports_value(claim, known, mine=mine, theirs=theirs):
                return True
    return False


def _supports_value(claim: Quantity, known: Quantity, *, mine: float, theirs: float) -> bool:
    if abs(mine - theirs) <= claim.step / 2 + ALMOST * abs(mine):
        # "Up to 20" is not what "20 and more" says.
        return claim.bound is known.bound or {claim.bound, known.bound} != _ONE_OR_OTHER
    near = bool(claim.nouns & known.nouns) or _is_within_factor(mine, theirs)
    match claim.bound:
        case Bound.EXACT:
            return False
        case Bound.ABOUT:
            return abs(mine - theirs) <= ROUGHLY * abs(theirs)
        case Bound.AT_LEAST:
            return near and theirs > mine and known.bound is not Bound.AT_MOST
        case Bound.AT_MOST:
            return near and theirs < mine and known.bound is not Bound.AT_LEAST


def _is_within_factor(mine: float, theirs: float) -> bool:
    low, high = sorted((abs(mine), abs(theirs)))
    return high <= FAR * low
