"""What really happened, from the remote's own ledger, against what the journal says of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields

from bench.crash.reviewing import CONTENT, IN_PART, JUDGE, REJECTING
from bench.crash.rows import Row
from mulligan.types.action import SETTLED, State
from mulligan_testing.remote import Effected

HELD_FIRST = ("invite", "pay", "pay_and_tell")
"""Tools whose calls wait for a person."""
NEVER_UNREVIEWED = ("move_if_reviewed",)
"""Tools whose calls are undone where nobody can say."""

ON_THE_WAY = frozenset(
    {State.HELD, State.APPROVED, State.INTENT, State.UNKNOWN, State.EXECUTED, State.UNDOING}
)
STANDING = frozenset(
    {State.EXECUTED, State.PENDING_REVIEW, State.VERIFIED, State.UNCHECKED, State.DISPUTED}
)
NO_EFFECT = frozenset({State.NOT_EXECUTED, State.DENIED, State.EXPIRED})
NOT_HAPPENED = "did not happen"
"""What a person is told of a call that was approved, and that a probe has not found."""


@dataclass(slots=True, kw_only=True)
class Broken:
    """Promises that were not kept, each as a sentence; none is what we want."""

    unaccounted: list[str] = field(default_factory=list)
    undone_twice: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    lost_edits: list[str] = field(default_factory=list)
    untrue: list[str] = field(default_factory=list)
    """Effects that stand although they were reported as undone."""
    holds_alive: list[str] = field(default_factory=list)
    """Held calls of a rejected attempt that could still be approved."""
    somebody_elses: list[str] = field(default_factory=list)
    """Undos that changed an object which no call was about."""
    other: list[str] = field(default_factory=list)
    """Verdicts that were not kept to, effects without approval, tasks that nobody ended."""
    false_conflicts: list[str] = field(default_factory=list)
    """Conflicts with nobody: safe and reported, but a person is asked for nothing."""

    def any(self) -> bool:
        """Whether anything is broken."""
        return any(self.lists().values())

    def lists(self) -> dict[str, list[str]]:
        """By the names that figures are compared by."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


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


def trace(ledger: Sequence[Effected], broken: Broken) -> list[Fate]:
    """Follow every object through the ledger: who wrote over whom, and what was undone."""
    stacks: dict[str, list[tuple[Effected, Mapping[str, object] | None]]] = defaultdict(list)
    undone: set[int] = set()
    now: dict[str, Mapping[str, object] | None] = {}
    below: dict[int, Mapping[str, object] | None] = {}
    touched: set[str] = set()
    for line in ledger:
        # A counter-booking stands for itself, and undoes what it names.
        booked = line.data.get("of")
        name = line.id if booked is None else str(booked)
        stack, was = stacks[name], now.get(name)
        if line.by == "agent":
            touched.add(name)
        now[name] = None if line.op == "delete" or booked is not None else line.data
        if line.by != "undo":
            below[line.seq] = was
            stack.append((line, was))
        elif name not in touched:
            broken.somebody_elses.append(f"{name}: an undo of what no call was about")
        elif not any(each.by == "agent" for each, _ in stack):
            broken.undone_twice.append(f"{name}: an undo where nothing is left to undo")
        else:
            if stack[-1][0].by == "person":
                broken.lost_edits.append(f"{name}: an undo wrote over what a person wrote")
            while stack[-1][0].by == "person":
                stack.pop()
            taken, before = stack.pop()
            undone.add(taken.seq)
            _compare(line, now[name], before, broken)
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
    mark = str(line.data.get("mark"))
    if any(row.target == (mark, line.id) for row in rows):
        return mark, line.id
    if line.op == "create":
        return mark, ""
    if line.op == "delete":
        return next((row.target for row in rows if row.id == line.key), ("?", line.id))
    return mark, line.id


def _unaccounted(row: Row, found: Sequence[Fate]) -> Iterator[str]:
    said = f"{row.tool} {row.target} is {row.state}"
    if row.state in NO_EFFECT and found:
        yield f"{said}, and it took effect"
    if row.state is State.NEEDS_HUMAN and NOT_HAPPENED in row.why and found:
        yield f"{said} because it {NOT_HAPPENED}, and it took effect"
    if row.state is State.VERIFIED and not found:
        yield f"{said}, and it never took effect"
    if row.state is State.VERIFIED and any(fate.undone for fate in found):
        yield f"{said}, and it was undone"


def say_what_is_so(
    rows: Sequence[Row], fates: Sequence[Fate], told: Sequence[str], broken: Broken
) -> None:
    """What is called undone is gone, also what the agent was told of: its actions are `told`."""
    for row in rows:
        found = [fate for fate in fates if _effect_target(fate.line, rows) == row.target]
        twins = [twin for twin in rows if twin.target == row.target]
        # Of a call that the agent made twice, one may stand although the other was undone.
        if all(fate.gone for fate in found) or any(t.state is not row.state for t in twins):
            continue
        if row.state is State.UNDONE:
            broken.untrue.append(f"{row.tool} {row.target} is {row.state}, and it stands")
        elif row.id in told:
            broken.untrue.append(f"{row.tool} {row.target} stands, and the agent was told not")


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What was said and done around the application, for what it may have come to."""

    reviewers: Sequence[str]
    """What each process heard from its reviewer."""
    delivered: int
    """The attempt whose answer somebody has seen, 0 if nobody has seen any."""
    delivered_us: int | None = None
    """When they saw it, in microseconds by the clock on the wall, where that is known."""
    approved: bool
    edited: bool
    undo_can_fail: bool
    takes_back: bool = False
    """A person has everything undone that is disputed."""
    form: str = "act"
    """How its turn was made; see `Scenario.form`."""
    people: frozenset[str] = frozenset()
    """Objects that a person wrote to after the beginning."""
    damaged: bool = False
    """What was kept is not whole any more, so that what needs it stays open."""

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
        unsure = (r.target for r in rows if r.state in (State.NEEDS_HUMAN, State.UNKNOWN))
        covered = any(other[1] == row.target[1] for other in unsure if other[0] > row.target[0])
        broken.other.extend(_ended_wrongly(row, story, covered=covered))


def _held_wrongly(row: Row, story: Story) -> Iterator[str]:
    if State.INTENT in row.history and not story.approved:
        yield f"{row.tool} ran, and nobody approved it"
    if row.state is State.VERIFIED:
        yield f"{row.tool} is verified, and nobody has looked since a person approved it"


def _judged_wrongly(row: Row, story: Story) -> Iterator[str]:
    verified, again = row.state is State.VERIFIED, State.PENDING_REVIEW in row.history
    if row.tool == "move_slowly" and verified and not again:
        yield f"{row.tool} came back during the review, and is verified by it"
    rejected = bool(REJECTING & story.said)
    disputed, undone = State.DISPUTED in row.history, State.UNDOING in row.history
    if row.state is State.VERIFIED and not CONTENT & story.said:
        yield f"{row.tool} is verified, and the reviewers said {story.reviewers}"
    if row.state is State.VERIFIED and row.tool != "move" and story.said <= IN_PART:
        yield f"{row.tool} is verified, and only moves were reviewed"
    if disputed and not rejected:
        yield f"{row.tool} was disputed, and the reviewers said {story.reviewers}"
    if undone and not (story.takes_back and disputed):
        yield from _undone_wrongly(row, story, rejected=rejected)


def _undone_wrongly(row: Row, story: Story, *, rejected: bool) -> Iterator[str]:
    """What nobody may undo by himself, where no person asked for it."""
    unreviewed = row.tool in NEVER_UNREVIEWED and "down" in story.said
    if not rejected and not unreviewed:
        yield f"{row.tool} was undone, and the reviewers said {story.reviewers}"
    at, shown = row.find_time(State.UNDOING), story.delivered_us
    later = at is None or shown is None or at > shown
    if row.target[0].startswith(f"a{story.delivered}") and later:
        yield f"{row.tool} was undone after the answer was delivered"
    if row.target[0].startswith("a2") and story.judge_alone and not unreviewed:
        yield f"{row.tool} was undone in a second attempt, on a judge's word alone"


def _ended_wrongly(row: Row, story: Story, *, covered: bool) -> Iterator[str]:
    """Where an action may not stop while nothing stands in its way.

    Where it is `covered`, a later call on its object may or may not have happened.
    """
    speaks = not story.reviewers[-1].endswith("down") or row.tool in NEVER_UNREVIEWED
    if story.damaged:
        return
    if row.state in ON_THE_WAY or (speaks and row.state is State.PENDING_REVIEW):
        yield f"{row.tool} was left lying as {row.state}"
    if row.state is State.UNDO_FAILED and not (story.undo_can_fail or story.edited or covered):
        yield f"{row.tool} could not be undone, and nothing stood in the way"


def find_false_conflicts(
    rows: Sequence[Row], fates: Sequence[Fate], story: Story, broken: Broken
) -> None:
    """Conflicts about objects that no person ever touched."""
    for row in rows:
        made = {f.line.id for f in fates if _effect_target(f.line, rows) == row.target}
        meant = made | ({row.target[1]} - {""})
        if row.state is State.CONFLICT and not meant & story.people:
            broken.false_conflicts.append(f"{row.tool} {row.target} is in conflict, with nobody")


def find_live_holds(rows: Sequence[Row], broken: Broken) -> None:
    """Held calls that a person could approve, or did, after their attempt had been rejected."""
    rejected: dict[str, int] = {}
    for row in rows:
        at = row.find_time(State.UNDOING)
        if at is not None:
            rejected[row.attempt] = min(at, rejected.get(row.attempt, at))
    for row in rows:
        doomed = rejected.get(row.attempt)
        if row.tool not in HELD_FIRST or doomed is None:
            continue
        approved = row.find_time(State.APPROVED)
        if row.state is State.HELD or (approved is not None and approved > doomed):
            broken.holds_alive.append(f"{row.tool} of {row.attempt} lives, which was rejected")


def find_survivors(rows: Sequence[Row], story: Story, broken: Broken) -> None:
    """What an inner turn did and an outer one's rejection left standing."""
    if story.form != "nested":
        return
    undone = {row.attempt for row in rows if row.state is State.UNDONE}
    for row in rows:
        if row.attempt in undone and row.state in STANDING:
            broken.other.append(f"{row.tool} is {row.state}, and its outer turn was undone")


def list_causes(rows: Sequence[Row], story: Story) -> list[str]:
    """Why a person is needed, for each action that needs one: its state and the sentence that the
    open list has for it, less what is particular to one run."""
    waiting = [row for row in rows if row.state not in SETTLED | {State.PENDING_REVIEW}]
    edited = EDITED if story.edited else ""
    return [f"{row.state}{edited}: {_cut_cause(row.why)}" for row in waiting]


def _cut_cause(why: str) -> str:
    return _PARTICULAR.sub("", why.partition(". ")[0]).strip(" .:")


EDITED = ", after a person's edit"
_PARTICULAR = re.compile(r"(?<=: )it is .*| \(.*?\)|\b[a-z]+_[a-z_]+\b|\b[\da-f]{4,}\b")
"""Versions, tools' names, and errors in brackets."""


def is_listed(rows: Sequence[Row], open_ids: set[str], broken: Broken) -> None:
    """Everything that is not settled stands on the one list that people look at."""
    for row in rows:
        if (row.state not in SETTLED) != (row.id in open_ids):
            broken.unaccounted.append(f"{row.tool} is {row.state}, and the open list is wrong")
