"""Where to strike next: at the seams of the protocol that were struck least so far.

A seam lies between two points that follow one another. Most seams are come by in every run, and
mistakes sit at the others: drawn by chance alone, a blow hardly ever falls there.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

B = TypeVar("B")

BEGINNING = ""
Seam = tuple[str, str]
"""The point before, and the point where the blow falls."""


def seam_at(path: Sequence[str], hit: int) -> Seam:
    """The seam at the n-th point of a path, counted from 1; 0 is nowhere."""
    return (path[hit - 2] if hit > 1 else BEGINNING, path[hit - 1] if hit else BEGINNING)


class Seams:
    """How often each seam was struck, by each kind of blow."""

    def __init__(self, *, chance: random.Random) -> None:
        self._chance = chance
        self._struck: Counter[Hashable] = Counter()

    def choose(self, path: Sequence[str], deeds: Iterable[B], *, most: int) -> list[tuple[int, B]]:
        """Where to strike a run that came by these points: at the least struck seams first."""
        hits = [(hit, deed) for deed in deeds for hit in range(1, len(path) + 1)]
        self._chance.shuffle(hits)
        chosen: list[tuple[int, B]] = []
        while hits and len(chosen) < most:
            hit, deed = min(hits, key=lambda each: self._struck[seam_at(path, each[0]), each[1]])
            self.strike(seam_at(path, hit), deed)
            hits.remove((hit, deed))
            chosen.append((hit, deed))
        return chosen

    def fresh(self, path: Sequence[str], deeds: Iterable[B]) -> int:
        """How many seams of a path were never struck by one of the deeds."""
        seams = {seam_at(path, hit) for hit in range(1, len(path) + 1)}
        return sum(not self._struck[seam, deed] for deed in deeds for seam in seams)

    def strike(self, seam: Seam, kind: Hashable) -> None:
        """Count a blow."""
        self._struck[seam, kind] += 1

    def struck(self, seam: Seam, kind: Hashable) -> int:
        """How often a seam was struck by a kind of blow."""
        return self._struck[seam, kind]
