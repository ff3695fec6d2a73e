"""Planted mistakes in the protocol: a campaign that does not notice each of them proves nothing."""

from __future__ import annotations

from bench.crash.mutants import believing, calling, outliving, recovering, undoing
from bench.crash.mutants.planting import MUTANTS, Mutant

__all__ = [
    "MUTANTS",
    "Mutant",
    "believing",
    "calling",
    "outliving",
    "recovering",
    "undoing",
]
