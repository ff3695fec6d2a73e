"""Figures that were counted, with how far the true ones may be from them."""

from __future__ import annotations

from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.calibration import compute_wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure that was counted, and how far the true one may be from it."""

    figure: float | None
    """`None`: nothing was seen yet that could be counted."""
    low: float | None = None
    """The true one lies between `low` and `high` with a probability of about 95 %."""
    high: float | None = None
    n: int
    """What it rests on."""


def estimate_share(some: float, of: float) -> Estimate:
    """A share with its interval; none where there is nothing to have a share of."""
    if of <= 0:
        return Estimate(figure=None, n=0)
    low, high = compute_wilson(min(some, of), of)
    return Estimate(figure=min(1.0, some / of), low=low, high=high, n=round(of))
