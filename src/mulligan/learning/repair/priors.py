"""How likely a correction helps before anything was measured: by its source and by what it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mulligan.core.failures.suggestion import Kind, Origin

BY_KIND: Mapping[Kind, float] = {
    Kind.RENAME: 0.85,
    Kind.COERCE: 0.85,
    Kind.REFORMAT: 0.8,
    Kind.ENUM: 0.8,
    Kind.TOOL: 0.8,
    Kind.DEFAULT: 0.7,
    Kind.DROP: 0.7,
    Kind.CLAMP: 0.6,
    Kind.MENTIONED: 0.5,
    Kind.FOUND: 0.5,
    Kind.FIRST: 0.4,
    Kind.OTHER: 0.3,
}
BY_SOURCE: Mapping[Origin, float] = {
    Origin.SCHEMA: 1.0,
    Origin.TURN: 1.0,
    Origin.MEMORY: 0.9,
    Origin.JUDGE: 0.6,
}
"""What a source is worth against the schema. Guesses, to be replaced by counts: hence `n` is 0."""


def estimate_prior(source: Origin, kinds: Sequence[Kind]) -> float:
    """The weakest of the changes decides, and each further kind takes a little more away."""
    weakest = min((BY_KIND[kind] for kind in kinds), default=BY_KIND[Kind.OTHER])
    further = 0.95 ** max(0, len(set(kinds)) - 1)
    return round(weakest * further * BY_SOURCE[source], 3)
