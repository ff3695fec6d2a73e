"""What a reply claims against what its context holds.

Specifics only: numbers, prices, percentages, dates, times, quotations, names, addresses. Whether a
sentence *follows* from a context takes a judge; see `verified`.
"""

from __future__ import annotations

from mulligan.checks.grounding.check import ClaimKind, grounded

__all__ = ["ClaimKind", "grounded"]
