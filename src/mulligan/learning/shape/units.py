"""Amounts that were written with their unit, in the unit that is asked for: `30 min` in seconds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

UNIT_KEY = "x-mulligan-unit"
"""Where a schema that was made stricter says what unit a number is in."""

_DURATIONS: dict[str, Fraction | int] = {
    "millisecond": Fraction(1, 1000), "ms": Fraction(1, 1000), "msec": Fraction(1, 1000),
    "second": 1, "sec": 1, "s": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600, "h": 3600,
    "day": 86_400, "d": 86_400, "week": 604_800,
}  # fmt: skip
_SIZES: dict[str, Fraction | int] = {
    "byte": 1, "b": 1, "kb": 1_000, "kilobyte": 1_000, "mb": 10**6, "megabyte": 10**6,
    "gb": 10**9, "gigabyte": 10**9, "kib": 1_024, "mib": 1_024**2, "gib": 1_024**3,
}  # fmt: skip
_LENGTHS: dict[str, Fraction | int] = {
    "millimetre": Fraction(1, 1000), "millimeter": Fraction(1, 1000), "mm": Fraction(1, 1000),
    "centimetre": Fraction(1, 100), "centimeter": Fraction(1, 100), "cm": Fraction(1, 100),
    "metre": 1, "meter": 1, "m": 1, "kilometre": 1_000, "kilometer": 1_000, "km": 1_000,
}  # fmt: skip
KINDS: tuple[Mapping[str, Fraction | int], ...] = (_DURATIONS, _SIZES, _LENGTHS)
"""Units that are one kind of thing, each by how many of the plain one it is."""

NAMES = "|".join(sorted({f"{name}s?" for kind in KINDS for name in kind if len(name) > 3}))
"""Units as a sentence spells them out."""

_AMOUNT = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?([A-Za-z]{1,12})")


def convert_unit(text: str, unit: str) -> int | float | None:
    """How many of a unit an amount is; `None` if it names none, or one of another kind."""
    found = _AMOUNT.fullmatch(text.strip()[:30])
    if found is None:
        return None
    wanted, given = _strip_plural(unit), _strip_plural(found[2])
    kind = next((each for each in KINDS if wanted in each and given in each), None)
    if kind is None:
        return None
    amount = Fraction(found[1]) * kind[given] / kind[wanted]
    return int(amount) if amount.denominator == 1 else float(amount)


def _strip_plural(unit: str) -> str:
    low = unit.casefold()
    known = any(low in kind for kind in KINDS)
    return low if known else low.removesuffix("s")
