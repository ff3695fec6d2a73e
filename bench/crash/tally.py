"""What a campaign has seen so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from mulligan.process.fault_points import Point

MOST_EXAMPLES = 400


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a campaign has seen so far."""

    points: Counter[str] = field(default_factory=Counter)
    """Runs by deed."""
    killed: int = 0
    """Processes that really died."""
    reached: set[str] = field(default_factory=set)
    broken: Counter[str] = field(default_factory=Counter)
    weaker: dict[str, Counter[str]] = field(default_factory=dict)
    """The same for tools that promise less, by what they lack."""
    states: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    """Why actions need a person."""
    examples: list[str] = field(default_factory=list)

    def add(self, name: str, *, kind: str, weaker: str, said: dict[str, Any]) -> None:
        """Count one run of tools that lack something, or nothing."""
        self.points[kind] += 1
        self.reached.update(said["path"])
        self.states.update(said["states"])
        self.causes.update(said["causes"])
        for what, found in said["broken"].items():
            counts = self.weaker.setdefault(weaker, Counter()) if weaker else self.broken
            counts[what] += len(found)
            if found and not weaker and len(self.examples) < MOST_EXAMPLES:
                self.examples.append(f"{name}: {what}: {found[0]}; states {said['states']}")

    def trouble(self, name: str, what: str) -> None:
        """A process ended in a way that nobody planned: that is a broken promise too."""
        self.broken["other"] += 1
        self.examples.append(f"{name}: {what}")

    def join(self, other: dict[str, Any]) -> None:
        """Add what another worker has seen."""
        self.points.update(other["points"])
        self.killed += other["killed"]
        self.reached.update(other["reached"])
        self.broken.update(other["broken"])
        for weaker, counts in other["weaker"].items():
            self.weaker.setdefault(weaker, Counter()).update(counts)
        self.states.update(other["states"])
        self.causes.update(other["causes"])
        self.examples += other["examples"]

    def plain(self) -> dict[str, Any]:
        """For a pipe."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}

    @property
    def missed(self) -> list[str]:
        """Named points that nobody came by."""
        return [point.value for point in Point if point.value not in self.reached]


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, set) else value
