"""An execution that changed the world: the states it goes through, and the entries of proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime, timedelta
from enum import StrEnum

from mulligan.core.effect import Effect, Repeat
from mulligan.core.errors import IllegalTransitionError, JournalError, StaleEntryError
from mulligan.core.runtime.dataclass import dataclass


class State(StrEnum):
    """Where an action stands in the journal."""

    HELD = "held"
    APPROVED = "approved"
    INTENT = "intent"
    """On disk, synced, before the outside call."""
    EXECUTED = "executed"
    PENDING_REVIEW = "pending_review"
    UNKNOWN = "unknown"
    UNDOING = "undoing"
    """On disk, synced, before the outside call that undoes."""
    DISPUTED = "disputed"
    CONFLICT = "conflict"
    UNDO_FAILED = "undo_failed"
    NEEDS_HUMAN = "needs_human"
    VERIFIED = "verified"
    UNCHECKED = "unchecked"
    """It stands, and nobody looked at it: there was no reviewer for it."""
    UNDONE = "undone"
    NOT_EXECUTED = "not_executed"
    DENIED = "denied"
    EXPIRED = "expired"
    CLOSED = "closed"


SETTLED = frozenset(
    {
        State.VERIFIED,
        State.UNCHECKED,
        State.UNDONE,
        State.NOT_EXECUTED,
        State.DENIED,
        State.EXPIRED,
        State.CLOSED,
    }
)
"""Nothing more is owed. Every other state is open, and stands on the open list."""

HOLDS = frozenset({State.HELD, State.APPROVED})
"""Not begun: a person, or who has the code, takes it further."""

NOTHING_THERE = HOLDS | {State.DENIED, State.EXPIRED, State.NOT_EXECUTED}
"""Nothing of it was done, or is not yet."""

UNANSWERED = frozenset({State.INTENT, State.UNKNOWN, State.NEEDS_HUMAN})
"""Something of it may be there: nobody knows whether the call took effect."""

ACCEPTED = frozenset(
    {State.EXECUTED, State.PENDING_REVIEW, State.VERIFIED, State.UNCHECKED, State.DISPUTED}
)
"""Something of it is there, and is not being undone."""

STANDING = ACCEPTED | {State.CONFLICT, State.UNDO_FAILED, State.UNDOING}
"""Something of it is there."""

UNREVIEWED = frozenset({State.EXECUTED, State.PENDING_REVIEW})
"""It took effect, and its review is still to come or to be written down."""

SYNCED = frozenset({State.INTENT, State.UNDOING})
"""On disk, synced, before the outside call that follows. Of the others a power cut may take the
last ones, and recovery finds out again; the death of the process takes none."""

DECIDED = frozenset({State.APPROVED, State.DENIED, State.UNDOING})
"""What a person decides that another process may be waiting for."""

FIRST_STATES = frozenset({State.INTENT, State.HELD})

TRANSITIONS: Mapping[State, frozenset[State]] = {
    State.HELD: frozenset({State.APPROVED, State.DENIED, State.EXPIRED}),
    State.APPROVED: frozenset({State.INTENT, State.DENIED, State.EXPIRED}),
    State.INTENT: frozenset({State.EXECUTED, State.NOT_EXECUTED, State.UNKNOWN, State.NEEDS_HUMAN}),
    State.UNKNOWN: frozenset(
        {State.EXECUTED, State.NOT_EXECUTED, State.NEEDS_HUMAN, State.UNKNOWN}
    ),
    State.EXECUTED: frozenset(
        {
            State.VERIFIED,
            State.UNCHECKED,
            State.UNDOING,
            State.PENDING_REVIEW,
            State.DISPUTED,
            State.NEEDS_HUMAN,
        }
    ),
    State.PENDING_REVIEW: frozenset(
        {State.VERIFIED, State.UNCHECKED, State.UNDOING, State.DISPUTED, State.PENDING_REVIEW}
    ),
    State.DISPUTED: frozenset({State.VERIFIED, State.UNDOING}),
    State.UNDOING: frozenset({State.UNDONE, State.CONFLICT, State.UNDO_FAILED, State.UNDOING}),
    State.CONFLICT: frozenset({State.UNDOING}),
    State.UNDO_FAILED: frozenset({State.UNDOING, State.UNDONE}),
    State.NEEDS_HUMAN: frozenset({State.EXECUTED, State.NOT_EXECUTED, State.UNDOING}),
    State.VERIFIED: frozenset({State.UNDOING}),
    State.UNCHECKED: frozenset({State.UNDOING}),
    # It came back after all, from a process that had been given up.
    State.NOT_EXECUTED: frozenset({State.NEEDS_HUMAN}),
}
"""Where each state leads. A person may also close any open action with a note, and have one that
stands undone while its pre-image lives."""


class UndoResult(StrEnum):
    """What an undo came to, as read back."""

    RESTORED = "restored"
    PARTIAL = "partial"
    CONFLICT = "conflict"
    """Someone else changed it since; their version stands."""
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What is known about an action when its first entry is written; it never changes."""

    tool: str
    server: str = ""
    effect: Effect
    repeat: Repeat = Repeat.ONCE
    agent: str = ""
    tenant: str = ""
    turn: str | None = None
    attempt: int = 1
    outer: str | None = None
    """The attempt of the outermost turn, where this one was opened inside another and belongs to
    it: what that came to counts for both."""
    call: str | None = None
    parent: str | None = None
    """The action of the whole bulk, where this is one of its elements."""
    key: str | None = None
    """The idempotency key or client id the remote knows this call by, which is ours."""
    durable: bool = False
    """An engine keeps its turn, and goes on with it after a crash: until it has, or a day has gone
    by, nobody else reviews it."""
    binding: str = ""
    """What its tool is bound to beside its code, as a mark that tells it from another one's; empty
    where that is nothing."""

    @property
    def whole(self) -> str | None:
        """The attempt that it is reviewed with and stands or falls with; `None`: no turn's."""
        return self.outer or (f"{self.turn}/{self.attempt}" if self.turn is not None else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the journal: an action reached a state."""

    action: str
    state: State
    at: datetime
    version: int
    """1 for an action's first entry, then one more each time: the fence against late writers."""
    detail: Mapping[str, object] = field(default_factory=dict)
    """Redacted, JSON-able: what a person needs to understand the step."""
    opening: Opening | None = None
    """Only on the first entry of an action."""


def is_decision(entry: Entry) -> bool:
    """Whether somebody said so by name, for whichever process has the code to act on at once."""
    return entry.state in DECIDED and bool(entry.detail.get("by"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """An action as it stands now."""

    id: str
    opening: Opening
    state: State
    version: int
    opened_at: datetime
    changed_at: datetime
    writer: str = ""
    """Who wrote its last entry, and works on it as long as it is open. Gone, anybody may."""
    detail: Mapping[str, object] = field(default_factory=dict)

    @property
    def settled(self) -> bool:
        """Whether nothing more is owed."""
        return self.state in SETTLED


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionQuery:
    """Which actions are wanted, settled or not. `None` and empty mean any."""

    id_prefix: str = ""
    tenant: str | None = None
    tool: str | None = None
    agent: str | None = None
    turn: str | None = None
    parent: str | None = None
    """Only elements of this bulk."""
    states: frozenset[State] = frozenset()
    since: datetime | None = None
    """Asked for at this time or later."""
    until: datetime | None = None
    """Asked for before this time."""
    limit: int = 100

    def fits(self, action: Action) -> bool:
        """Whether an action is wanted."""
        opening = action.opening
        same = (
            (self.tenant, opening.tenant),
            (self.tool, opening.tool),
            (self.agent, opening.agent),
            (self.turn, opening.turn),
            (self.parent, opening.parent),
        )
        return (
            action.id.startswith(self.id_prefix)
            and all(wanted is None or wanted == found for wanted, found in same)
            and (not self.states or action.state in self.states)
            and (self.since is None or action.opened_at >= self.since)
            and (self.until is None or action.opened_at < self.until)
        )


HOLD_LIFE = timedelta(minutes=15)
"""How long a call waits for an answer, and an approved one for a process that can run it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """An irreversible call that waits for a person before it runs."""

    action: str
    expires_at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A raw value in the vault: a pre-image, or what a late review will need."""

    owner: str
    """Id of the action or turn it belongs to."""
    name: str
    """`arguments`, `before`, `result`, `evidence`, `restored`, `theirs`, `findings 3`."""
    value: bytes = field(repr=False)
    expires_at: datetime | None = None
    """`None`: kept until the action is settled and the retention after it has run."""


def leads_to(before: State | None, after: State) -> bool:
    """Whether the journal accepts `after` as the next state of an action in `before`."""
    if before is None:
        return after in FIRST_STATES
    if after is State.CLOSED:
        return before not in SETTLED
    return after in TRANSITIONS.get(before, frozenset())


def check_entry(entry: Entry, *, state: State | None, version: int) -> None:
    """Raise unless `entry` may follow on an action that stands at `state` and `version`."""
    if entry.version != version + 1:
        raise StaleEntryError(
            f"Action {entry.action} is at version {version}, but the entry {entry.state} is "
            f"version {entry.version} and not {version + 1}: read the action again before acting."
        )
    if not leads_to(state, entry.state):
        where = f"is {state}" if state else "has no entry yet"
        raise IllegalTransitionError(
            f"Action {entry.action} {where} and cannot become {entry.state}: "
            "read it again, or close it with a note."
        )
    if (entry.opening is None) is (state is None):
        raise JournalError(
            f"Entry {entry.version} of action {entry.action} must "
            f"{'carry' if state is None else 'not carry'} an opening: "
            "the first entry has one, and no other."
        )


def has_expired(detail: Mapping[str, object], *, changed_at: datetime, now: datetime) -> bool:
    """Whether nobody will answer a hold any more, or run what was approved."""
    return now >= find_expiry(detail, changed_at=changed_at)


def find_expiry(detail: Mapping[str, object], *, changed_at: datetime) -> datetime:
    """When a hold ends, by the clock of who wrote it."""
    try:
        return datetime.fromisoformat(str(detail.get("expires_at")))
    except ValueError:
        return changed_at + HOLD_LIFE
