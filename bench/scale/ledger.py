"""A remote that keeps its own record: one file, a line for each effect, safe for many processes."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

MADE, TAKEN_BACK = "made", "taken back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Appends, which the system makes whole, and reads."""

    path: Path

    def make(self, key: str) -> str:
        """The effect of a call, by the key that the call has."""
        self._append(MADE, key)
        return key

    def take_back(self, key: str) -> None:
        """The effect of an undo."""
        self._append(TAKEN_BACK, key)

    def is_standing(self, key: str) -> bool:
        """Whether the effect of a call is there."""
        made, back = self.count()
        return made[key] > back[key]

    def count(self) -> tuple[Counter[str], Counter[str]]:
        """How often each key was made, and undone."""
        made, back = Counter[str](), Counter[str]()
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                what, _, key = line.partition("\t")
                (made if what == MADE else back)[key] += 1
        return made, back

    def _append(self, what: str, key: str) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, f"{what}\t{key}\n".encode())
        finally:
            os.close(file)
