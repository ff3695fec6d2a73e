"""What really happened, from the remote's own ledger, against what the journal says of it."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.crash.reviewing import CONTENT, JUDGE, REJECTING
from mulligan.core.action import SETTLED, State
from mulligan.testing.remote import Effected

HELD_FIRST = ("invite", "pay")
"""Tools whose calls wait for a person."""
NEVER_UNREVIEWED = ("move_if_reviewed",)
"""Tools whose calls are undone where nobody can say."""

ON_THE_WAY = frozenset(
    {State.HELD, State.APPROVED, State.INTENT, State.UNKNOWN, State.EXECUTED, State.UNDOING}
)
NO_EFFECT = frozenset({State.NOT_EXECUTED, State.DENIED, State.EXPIRED})


@dataclass(slots=True, kw_only=True)
class Broken:
    """Promises that were not kept, each as a sentence; none is what we want."""

    unaccounted: list[str] = field(default_factory=list)
    undone_twice: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    lost_edits: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    """Verdicts that were not kept to, effects without approval, tasks that nobody ended."""

    def any(self) -> bool:
        """Whether anything is broken."""
        return any(self.lists().values())

    def lists(self) -> dict[str, list[str]]:
        """By the names that figures are compared by."""
        names = ("unaccounted", "undone_twice", "duplicates", "lost_edits", "other")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An action as its row in the journal has it, read without any of Mulligan's code."""

    id: str
    tool: str
    state: State
    target: tuple[str, str]
    """The mark of its call, and the object it is about where the call names one."""
    history: tuple[State, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What became of one effect of the agent."""

    line: Effected
    below: Mapping[str, object] | None
    """What was there before it; `None`: nothing."""
    undone: bool
    now: Mapping[str, object] | None
    """What is there at the end."""

    @property
    def gone(self) -> bool:
        """Whether nothing of it is left."""
        return self.undone or self.now == self.below


def read_rows(journal: Path) -> list[Row]:
    """Every action there ever was."""
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
        kept = dict(database.execute("select owner, value from kept where name = 'arguments'"))
        history: dict[str, list[State]] = defaultdict(list)
        for action, state in database.execute("select action, state from entry order by version"):
            history[action].append(State(state))
        found = database.execute("select id, state, opening from action").fetchall()
    return [
        Row(
            id=action,
            tool=json.loads(opening)["tool"],
            state=State(state),
            target=_target(json.loads(kept[action])),
            history=tuple(history[action]),
        )
        for action, state, opening in found
    ]


def _target(arguments: Mapping[str, object]) -> tuple[str, str]:
    return str(arguments["mark"]), str(arguments.get("event_id") or arguments.get("events") or "")


def trace(ledger: Sequence[Effected], broken: Broken) -> list[Fate]:
    """Follow every object through the ledger: who wrote over whom, and what was taken back."""
    stacks: dict[str, list[tuple[Effected, Mapping[str, object] | None]]] = defaultdict(list)
    undone: set[int] = set()
    last: dict[str, str] = {}
    now: dict[str, Mapping[str, object] | None] = {}
    below: dict[int, Mapping[str, object] | None] = {}
    for line in ledger:
        stack, was = stacks[line.id], now.get(line.id)
        now[line.id] = None if line.op == "delete" else line.data
        if line.by != "undo":
            below[line.seq] = was
            stack.append((line, was))
        elif last.get(line.id) == "person":
            broken.lost_edits.append(f"{line.id}: an undo wrote over what a person wrote")
        elif not stack or stack[-1][0].by == "person":
            broken.undone_twice.append(f"{line.id}: an undo where nothing is left to undo")
        else:
            taken, before = stack.pop()
            undone.add(taken.seq)
            _compare(line, now[line.id], before, broken)
        last[line.id] = line.by
    return [
        Fate(line=a, below=below[a.seq], undone=a.seq in undone, now=now[a.id])
        for a in ledger
        if a.by == "agent"
    ]


def _compare(
    line: Effected,
    now: Mapping[str, object] | None,
    before: Mapping[str, object] | None,
    broken: Broken,
) -> None:
    """An undo must bring back what was there, not what was there some time earlier."""
    if now == before:
        return
    if before is not None and "by" in before:
        broken.lost_edits.append(f"{line.id}: an undo went back to before a person's edit")
    else:
        broken.unaccounted.append(f"{line.id}: an undo left {now}, and {before} was there before")


def account(rows: Sequence[Row], fates: Sequence[Fate], broken: Broken) -> None:
    """Hold each effect against the action it belongs to, and each action against its effects."""
    by_target: dict[tuple[str, str], list[Fate]] = defaultdict(list)
    for fate in fates:
        by_target[_effect_target(fate.line, rows)].append(fate)
    for target, found in by_target.items():
        if len(found) > 1:
            broken.duplicates.append(f"{target}: {len(found)} effects of one call")
        if not any(row.target == target for row in rows):
            broken.unaccounted.append(f"{target}: an effect that no action is about")
    for row in rows:
        broken.unaccounted.extend(_unaccounted(row, by_target.get(row.target, [])))


def _effect_target(line: Effected, rows: Sequence[Row]) -> tuple[str, str]:
    """The call that an effect belongs to. A delete carries no mark, but a key."""
    if line.op == "create":
        return str(line.data.get("mark")), ""
    if line.op == "delete":
        return next((row.target for row in rows if row.id == line.key), ("?", line.id))
    return str(line.data.get("mark")), line.id


def _unaccounted(row: Row, found: Sequence[Fate]) -> Iterator[str]:
    said = f"{row.tool} {row.target} is {row.state}"
    if row.state in NO_EFFECT and found:
        yield f"{said}, and it took effect"
    if row.state is State.VERIFIED and not found:
        yield f"{said}, and it never took effect"
    if row.state is State.VERIFIED and any(fate.undone for fate in found):
        yield f"{said}, and it was undone"
    if row.state is State.UNDONE and not all(fate.gone for fate in found):
        yield f"{said}, and it stands"


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What was said and done around the application, for what it may have come to."""

    reviewers: Sequence[str]
    """What each process heard from its reviewer."""
    delivered: int
    """The attempt whose answer somebody has seen, 0 if nobody has seen any."""
    approved: bool
    edited: bool
    undo_can_fail: bool
    takes_back: bool = False
    """A person has everything undone that is disputed."""

    @property
    def said(self) -> set[str]:
        """What was said, whoever said it."""
        return {answer.removeprefix(JUDGE) for answer in self.reviewers}

    @property
    def judge_alone(self) -> bool:
        """Whether only a judge ever spoke against anything."""
        return not REJECTING & set(self.reviewers)


def keep_to_the_story(rows: Sequence[Row], story: Story, broken: Broken) -> None:
    """Nothing verified that nobody reviewed, undone that nobody rejected, run unapproved."""
    for row in rows:
        if row.tool in HELD_FIRST:
            broken.other.extend(_held_wrongly(row, story))
        else:
            broken.other.extend(_judged_wrongly(row, story))
        broken.other.extend(_ended_wrongly(row, story))


def _held_wrongly(row: Row, story: Story) -> Iterator[str]:
    if State.INTENT in row.history and not story.approved:
        yield f"{row.tool} ran, and nobody approved it"


def _judged_wrongly(row: Row, story: Story) -> Iterator[str]:
    rejected = bool(REJECTING & story.said)
    disputed, undone = State.DISPUTED in row.history, State.UNDOING in row.history
    if row.state is State.VERIFIED and not CONTENT & story.said:
        yield f"{row.tool} is verified, and the reviewers said {story.reviewers}"
    if disputed and not rejected:
        yield f"{row.tool} was disputed, and the reviewers said {story.reviewers}"
    if undone and not (story.takes_back and disputed):
        yield from _undone_wrongly(row, story, rejected=rejected)


def _undone_wrongly(row: Row, story: Story, *, rejected: bool) -> Iterator[str]:
    """What nobody may undo by himself, where no person asked for it."""
    unreviewed = row.tool in NEVER_UNREVIEWED and "down" in story.said
    if not rejected and not unreviewed:
        yield f"{row.tool} was undone, and the reviewers said {story.reviewers}"
    if row.target[0].startswith(f"a{story.delivered}"):
        yield f"{row.tool} was undone after the answer was delivered"
    if row.target[0].startswith("a2") and story.judge_alone and not unreviewed:
        yield f"{row.tool} was undone in a second attempt, on a judge's word alone"


def _ended_wrongly(row: Row, story: Story) -> Iterator[str]:
    """Where an action may not stop while nothing stands in its way."""
    speaks = not story.reviewers[-1].endswith("down") or row.tool in NEVER_UNREVIEWED
    if row.state in ON_THE_WAY or (speaks and row.state is State.PENDING_REVIEW):
        yield f"{row.tool} was left lying as {row.state}"
    if row.state is State.CONFLICT and not story.edited:
        yield f"{row.tool} is in conflict, and with nobody"
    if row.state is State.UNDO_FAILED and not (story.undo_can_fail or story.edited):
        yield f"{row.tool} could not be undone, and nothing stood in the way"


def is_listed(rows: Sequence[Row], open_ids: set[str], broken: Broken) -> None:
    """Everything that is not settled stands on the one list that people look at."""
    for row in rows:
        if (row.state not in SETTLED) != (row.id in open_ids):
            broken.unaccounted.append(f"{row.tool} is {row.state}, and the open list is wrong")
