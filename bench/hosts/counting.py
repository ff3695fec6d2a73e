"""What a run came to, counted from the remote's ledger and the journal's tables."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from mulligan_testing.remote import FakeRemote

DONE = frozenset({"verified", "executed", "pending_review", "disputed", "unchecked"})
"""States that say of an action that its effect stands."""
NOT_DONE = frozenset({"undone", "not_executed", "held", "approved", "denied", "expired"})
"""States that say that none does. All others say that somebody has to look."""

TAKEN_BACK = "Undone and verified:"
NOTHING_LEFT = "Nothing is in effect"
NOT_RUN = "was not run yet"


@dataclass
class Counted:
    """What one run came to."""

    effects: int = 0
    """Lines of the ledger that an agent's calls made."""
    duplicates: int = 0
    """Of them, more than one for a call on an object."""
    untrue: list[str] = field(default_factory=list)
    """Sentences and states that the remote contradicts."""
    unaccounted: int = 0
    """Effects of which the journal has no action."""
    open: int = 0
    """Actions that wait for somebody at the end."""


@dataclass(kw_only=True)
class StoryCounts:
    """What stories came to: nothing of it, where all is as it should be."""

    right_rejected: int = 0
    """Right calls that do not stand in the end, or that the agent was told are wrong."""
    wrong_passed: int = 0
    """Wrong calls that stand in the end, or that the agent was not told of."""
    double_rows: int = 0
    """Rows of the log and actions beyond one for each call, and names beyond one for a tool."""
    false_cases: int = 0
    """Actions that wait for somebody, and sentences that ask a person to decide."""
    notes: list[str] = field(default_factory=list)
    """What was counted, in words."""

    def __add__(self, other: StoryCounts) -> StoryCounts:
        names = [each.name for each in fields(self)]
        return StoryCounts(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def figures(self) -> dict[str, int]:
        """The counts alone."""
        return {each.name: getattr(self, each.name) for each in fields(self)[:-1]}


def count(remote: FakeRemote, store: Path, *, said: Iterable[str] = ()) -> Counted:
    """Hold what the journal says against what took effect."""
    made = [line for line in remote.ledger() if line.by == "agent" and line.data.get("title")]
    times = Counter((line.data["title"], _name_target(line.op, line.id)) for line in made)
    rows = _read_rows(store)
    counted = Counted(
        effects=len(made),
        duplicates=sum(n - 1 for n in times.values()),
        unaccounted=sum(title not in {title for title, _, _ in rows} for title, _ in times),
        untrue=list(said),
    )
    for title, target, state in rows:
        if (stands(remote, title, target) and state in NOT_DONE) or (
            state in DONE and not stands(remote, title, target)
        ):
            counted.untrue.append(f"{title} {target} is called {state}")
        counted.open += state not in DONE | NOT_DONE or state in ("held", "approved")
    return counted


def find_untrue(remote: FakeRemote, text: str, titles: Iterable[str]) -> list[str]:
    """What a text for the agent or the person says, and the remote contradicts as of now."""
    _, _, after = text.partition(TAKEN_BACK)
    section = after.partition("\n\n")[0]
    back = [title for title in titles if re.search(rf"title={title}\b", section)]
    named = list(titles) if NOTHING_LEFT in text or NOT_RUN in text else back
    return [f"{title} stands: {text[:80]!r}" for title in named if stands(remote, title, "")]


def stands(remote: FakeRemote, title: str, target: str) -> bool:
    """Whether what a call wrote is there now: on one object, or on any."""
    items = remote.list_items()
    looked = [items[target]] if target in items else [] if target else items.values()
    return any(item.data.get("title") == title for item in looked)


def _name_target(op: str, name: str) -> str:
    """What one effect is allowed of a call: each object, or one that it makes."""
    return "" if op == "create" else name


def _read_rows(store: Path) -> list[tuple[str, str, str]]:
    """Title, object and state of every action, without any of Mulligan's code."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
        kept = dict(database.execute("select owner, value from kept where name = 'arguments'"))
        found = database.execute("select id, state from action").fetchall()
    return [(*_find_target(json.loads(bytes(kept[action]))), state) for action, state in found]


def _find_target(arguments: Mapping[str, object]) -> tuple[str, str]:
    for name in ("name", "names", "seat"):
        if name in arguments:
            return str(arguments["title"]), str(arguments[name])
    return str(arguments["title"]), ""
