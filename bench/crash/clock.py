"""A time that passes only when somebody says so: a loaded machine changes no result."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

BEGINNING = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


class Clock:
    """The clocks of every process of a case, also of one that stood still: that on the wall, which
    anybody may set, and the steady one.

    Where they are kept in a file, they are the same for all of them.
    """

    def __init__(self, kept: Path | None = None) -> None:
        self._kept = kept
        self._now, self._passed = BEGINNING, 0.0

    def __call__(self) -> datetime:
        """Now, by the wall."""
        return self._read()[0]

    def read_steady(self) -> tuple[str, float]:
        """How long the machine has run, which nobody can set."""
        return "the only start", self._read()[1]

    def go_on(self, by: timedelta) -> None:
        """Let time pass."""
        now, passed = self._read()
        self._write(now + by, passed + by.total_seconds())

    def jump(self, by: timedelta) -> None:
        """Set the clock forward or back: what it shows changes, and no time has passed."""
        now, passed = self._read()
        self._write(now + by, passed)

    def _read(self) -> tuple[datetime, float]:
        if self._kept is not None and self._kept.exists():
            now, passed = json.loads(self._kept.read_text())
            return datetime.fromisoformat(now), float(passed)
        return self._now, self._passed

    def _write(self, now: datetime, passed: float) -> None:
        self._now, self._passed = now, passed
        if self._kept is not None:
            # Replaced as a whole: a heart that beats in another thread may be reading.
            written = self._kept.with_suffix(f".{os.getpid()}")
            written.write_text(json.dumps([now.isoformat(), passed]))
            written.replace(self._kept)
