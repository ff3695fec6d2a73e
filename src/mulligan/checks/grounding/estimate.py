"""How well a claim is supported, as far as that can be told without a model: not very far."""

from __future__ import annotations

from mulligan.checks.grounding.check import find_unsupported
from mulligan.checks.grounding.coverage import measure_coverage
from mulligan.checks.grounding.source import read_source

SUPPORTED = 0.2
"""From here on a claim is taken for supported."""
MISSING = 0.2
"""What a specific that the context does not hold takes off."""


def estimate_support(claim: str, *, context: tuple[str, ...]) -> float:
    """Shared wording, less something for a number, name or date that is nowhere. Up to 1."""
    missing = next(find_unsupported(claim, read_source(context)), None)
    return measure_coverage(claim, context=context) - (MISSING if missing else 0.0)
