"""The journal as turns write it: each step that actions take, and what is kept with it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from functools import partial

from mulligan.core.action import (
    HOLD_LIFE,
    HOLDS,
    JOURNAL,
    Action,
    By,
    Entry,
    Kept,
    Request,
    State,
    check_step,
)
from mulligan.core.errors import IllegalTransitionError, MulliganError, StaleEntryError
from mulligan.core.happened.event import ActionMoved, ActionUndone
from mulligan.core.interfaces import Clock, Journal, Vault
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.retention import Retention
from mulligan.redaction.agent_text import hide_secrets
from mulligan.turns.journal.kept.call_values import keep_arguments, keep_before, keep_outcome
from mulligan.turns.journal.kept.findings import keep_findings
from mulligan.turns.journal.kept.reviews import ReviewedAttempt, keep_review
from mulligan.turns.journal.live_action import LiveAction, keep_said
from mulligan.turns.journal.object_history import ObjectHistory
from mulligan.turns.journal.steady import Steady, SteadyClock, read_steady
from mulligan.turns.journal.waiter import ON_LOOP, Waiter

_report = logging.getLogger("mulligan")

SHARED_LIFE = timedelta(days=90)
"""How long what belongs to no single action is kept: as long as the journal itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """One step that some actions take alike."""

    actions: Sequence[LiveAction]
    state: State
    why: str = ""
    """May quote anything, and is scrubbed."""
    facts: Mapping[str, object] = field(default_factory=dict)
    """Our own words and numbers."""


class Openings:
    """Opens one action after the other, also from threads and where the clock was set back.

    Each is opened when its pre-image was read and before its call is sent. So the first of several
    that were under way at once has seen what was there before all of them: undone in reverse, it
    has the last word. Ids are drawn before the pre-image is read, and tell nothing of that.
    """

    def __init__(self) -> None:
        self._latest: datetime | None = None
        self._drawing = threading.Lock()

    def draw(self, now: datetime) -> datetime:
        """A time above all that were drawn before."""
        with self._drawing:
            latest = self._latest
            if latest is not None and now <= latest:
                now = latest + timedelta(microseconds=1)
            self._latest = now
        return now


@dataclass(slots=True, kw_only=True)
class Book:
    """Writes the steps of actions, and knows which of them this process is at work on."""

    journal: Journal
    vault: Vault
    clock: Clock
    scrub: Callable[[str], str]
    announce: Callable[[ActionMoved | ActionUndone], None]
    live: set[str] = field(default_factory=set)
    """Ids of the actions that somebody in this process will take further."""
    recovered: set[str] = field(default_factory=set)
    """Ids of those that a pass of recovery has before it now: it takes up nothing that is live."""
    steady: SteadyClock = read_steady
    """Measures waits; nobody can set it."""
    first_seen: dict[str, Steady] = field(default_factory=dict)
    """When this process first saw of an action that it gave no answer."""
    opened: Openings = field(default_factory=Openings)
    """When the last action was opened."""
    stood_since: dict[str, tuple[int, Steady]] = field(default_factory=dict)
    """The last entry that this process saw of an action, and when it first did."""
    untold: dict[str, tuple[LiveAction, str]] = field(default_factory=dict)
    """What came back when others had given this process up, and why that is told."""
    hold_life: timedelta = HOLD_LIFE
    """How long a held call waits for a person."""
    kept_life: timedelta = Retention().kept
    """How long it is kept what a review quotes."""
    waiter: Waiter = ON_LOOP
    """How an entry on its way to the disk is waited for."""
    history: ObjectHistory = field(init=False)
    """Our own calls on each object."""

    def __post_init__(self) -> None:
        self.history = ObjectHistory(vault=self.vault, journal=self.journal)

    def with_waiter(self, waiter: Waiter) -> Book:
        """The same book for who waits otherwise."""
        if waiter is self.waiter:
            return self
        same = replace(self, waiter=waiter)
        same.history = self.history
        return same

    async def intend(
        self,
        actions: Sequence[LiveAction],
        *,
        evidence: bytes,
        keep: Sequence[Kept] = (),
        why: str = "",
    ) -> None:
        """On disk before the effect: that it will be tried, and what an undo will need."""
        own = [
            kept for action in actions for kept in (*keep_arguments(action), *keep_before(action))
        ]
        own.append(self._keep_shared(actions, "evidence", evidence))
        own += [kept for action in actions for kept in keep_said(action)]
        self.live.update(action.id for action in actions)
        await self.move(actions, State.INTENT, keep=[*own, *keep], why=why)

    async def mark_executed(
        self, actions: Sequence[LiveAction], *, facts: Mapping[str, object] | None = None
    ) -> None:
        """It happened; what it returned is kept for an undo that may come from elsewhere."""
        first, *others = [action.record.result for action in actions]
        shared = first is not None and others and all(each is first for each in others)
        keep = [
            kept
            for a in actions
            for kept in keep_outcome(
                a, Kept(owner=a.id, name="result", value=b""), whole=not shared
            )
        ]
        if shared:
            # One for all: of a bulk of thousands, each would else keep what all returned.
            keep += keep_outcome(actions[0], self._keep_shared(actions, "result", b""))
        await self.move(actions, State.EXECUTED, keep=keep, facts=facts)

    def _keep_shared(self, actions: Sequence[LiveAction], name: str, value: bytes) -> Kept:
        """What all actions of a call have in common; of a bulk, kept once and for its time."""
        parent = actions[0].opening.parent
        if parent is None:
            return Kept(owner=actions[0].id, name=name, value=value)
        until = self.clock() + SHARED_LIFE
        return Kept(owner=parent, name=name, value=value, expires_at=until)

    async def move(
        self,
        actions: Iterable[LiveAction],
        state: State,
        *,
        why: str = "",
        keep: Sequence[Kept] = (),
        facts: Mapping[str, object] | None = None,
    ) -> None:
        """One step for each of some actions, in one transaction.

        `why` may quote anything and is scrubbed, and of a `Rejection` only its rules are written
        here; `facts` are our own words and numbers.
        """
        step = StateChange(actions=list(actions), state=state, why=why, facts=facts or {})
        await self.move_together([step], keep=keep)

    async def move_together(
        self, moves: Sequence[StateChange], *, keep: Sequence[Kept] = ()
    ) -> None:
        """Several kinds of steps in one transaction: all of them are on disk, or none.

        What is kept beside them is kept also where nobody takes a step.
        """
        moved = [(action, move.state) for move in moves for action in move.actions]
        if not moved and not keep:
            return
        for action, state in moved:
            check_step(action.id, action.state, state, by=action.by)
        entries = [entry for move in moves for entry in self._build_entries(move)]
        before = [(action.state, action.version) for action, _ in moved]
        keep = [*keep, *(kept for move in moves for kept in self._keep_findings(move))]
        keep += await self._take_places(moves)
        # Submitted at once: who is cancelled while waiting loses the answer, not the entry.
        future = self.journal.submit(entries, keep=keep)
        for action, state in moved:
            action.state, action.version = state, action.version + 1
        try:
            await self.waiter.wait(future)
        except MulliganError:
            for (action, _), (was, version) in zip(moved, before, strict=True):
                action.state, action.version = was, version
            raise
        for (action, state), entry in zip(moved, entries, strict=True):
            action.by = By.OWNER
            self.announce(_build_moved_event(action, state, at=entry.at))
            if state is State.UNDONE:
                self.announce(_build_undone_event(action))

    async def _take_places(self, moves: Sequence[StateChange]) -> list[Kept]:
        """The places of calls on their objects: before they are made, if those are known by then.

        What has happened is written without waiting for anything.
        """
        until = self.clock() + SHARED_LIFE
        keep: list[Kept] = []
        for move in moves:
            calls = [(each.id, each.find_new_objects(move.state)) for each in move.actions]
            taken = self.history.take_places([c for c in calls if c[1]], until=until)
            if move.state is State.INTENT and any(objects for _, objects in calls):
                keep += await self.waiter.aside(partial(list, taken))
            else:
                keep += taken
        return keep

    def _keep_findings(self, move: StateChange) -> Sequence[Kept]:
        steps = [(action.id, action.opening, action.version + 1) for action in move.actions]
        return keep_findings(move.why, steps, scrub=self.scrub, until=self.clock() + SHARED_LIFE)

    def record_review(self, reviewed: ReviewedAttempt) -> None:
        """Keep what a review came to, for the page of its turn. Nobody waits for it, or fails."""
        if not reviewed.has_something_to_say():
            return
        now = self.clock()
        try:
            kept = keep_review(reviewed, at=now, until=now + self.kept_life, scrub=self.scrub)
            self.journal.submit([], keep=[kept])
        except Exception as error:  # noqa: BLE001 - a page may lack it, a turn may not fail for it
            _report.warning("What a review came to could not be kept (%s).", type(error).__name__)

    def require_lease(self, actions: Sequence[LiveAction], *, to: Request) -> None:
        """Look once more before an outside call: what is not on record is not sent, and who was
        silent for too long sends nothing."""
        for action in actions:
            if JOURNAL[action.state].sends is not to:
                raise IllegalTransitionError(
                    f"Action {action.id} is {action.state}: no {to} is sent from there."
                )
        self.require_held(actions)

    def require_held(self, actions: Sequence[LiveAction]) -> None:
        """Refuse to go on where others may have taken over what this process was doing."""
        if not all(self.journal.holds_lease(action.id) for action in actions):
            raise StaleEntryError(
                "This process was silent for longer than its lease, so that others may have taken "
                "over what it was doing. Nothing was sent."
            )

    async def read_answers(self, actions: Iterable[LiveAction]) -> None:
        """Take over what others have made of holds: a person answers when it suits them."""
        for action in [each for each in actions if each.state in HOLDS]:
            current = await asyncio.to_thread(self.journal.find_action, action.id)
            if current is not None:
                action.state, action.version = current.state, current.version

    def has_passed(self, action: str, since: Steady | None, wait: timedelta) -> bool:
        """Whether so much time has passed since an action was given up, by a clock nobody sets.

        Another start of the machine tells nothing: then it counts from when this process saw it.
        """
        now = self.steady()
        seen = self.first_seen.setdefault(action, now)
        # Who was given up may have sent it after that, and has told: it counts from there.
        stamp = since if since is not None and since.boot == now.boot else seen
        return stamp.boot == now.boot and now.seconds - stamp.seconds >= wait.total_seconds()

    def has_stood(self, action: Action, wait: timedelta) -> bool:
        """Whether an action's last entry is so old: by the wall clock, which may have been set
        back since, or by how long this process has seen it stand."""
        now, (version, since) = self.steady(), self.stood_since.get(action.id, (0, self.steady()))
        if version != action.version or since.boot != now.boot:
            since = now
            self.stood_since[action.id] = (action.version, now)
        seen = timedelta(seconds=now.seconds - since.seconds)
        return max(seen, self.clock() - action.changed_at) >= wait

    def let_go(self, actions: Iterable[LiveAction]) -> None:
        """Nobody here works on them any more, unless their call is still under way.

        What is open among them is for recovery.
        """
        self.live.difference_update(action.id for action in actions if not action.under_way)

    def _build_entries(self, move: StateChange) -> list[Entry]:
        said = dict(move.facts)
        if move.why:
            given = (action.record.arguments for action in move.actions)
            said["why"] = self.scrub(hide_secrets(move.why, *given))
        return [self._build_entry(action, move.state, said) for action in move.actions]

    def _build_entry(self, action: LiveAction, state: State, said: Mapping[str, object]) -> Entry:
        own: dict[str, object] = {"tries": action.tries} if action.tries else {}
        at = self.clock()
        if action.version == 0:
            at = action.opened_at = self.opened.draw(at)
        if state is State.UNKNOWN:
            action.given_up = action.given_up or self.steady()
            own["given_up"] = list(action.given_up)
        if action.unheard_since is not None:
            own["unheard_since"] = list(action.unheard_since)
        if state in _TO_UNDO and action.undo_begun:
            own |= {"undo_begun": True, "seen": action.seen}
        if state in _TO_UNDO and action.claimed:
            own |= {"claimed": True, "claimed_at": action.claimed_at}
        if state in _TO_UNDO and action.after:
            own["after"] = list(action.after)
        return Entry(
            action=action.id,
            state=state,
            at=at,
            version=action.version + 1,
            detail={**said, **own},
            opening=action.opening if action.version == 0 else None,
        )


_TO_UNDO = frozenset({State.UNDOING, State.UNDO_FAILED, State.CONFLICT, State.DISPUTED})
"""States from which an undo goes on, or a person may have one made: in the right order."""


def _build_moved_event(action: LiveAction, state: State, *, at: datetime) -> ActionMoved:
    opening = action.opening
    return ActionMoved(
        action=action.id,
        state=state,
        at=at,
        tool=opening.tool,
        agent=opening.agent,
        tenant=opening.tenant,
        turn=opening.turn,
    )


def _build_undone_event(action: LiveAction) -> ActionUndone:
    opening = action.opening
    return ActionUndone(
        action=action.id,
        call=opening.call,
        tool=opening.tool,
        turn=opening.turn,
        attempt=opening.attempt,
    )
