"""An execution that changed the world: the states it goes through, and the entries of proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Flag, StrEnum, auto

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.types.effect import Effect, Repeat
from mulligan.types.errors import IllegalTransitionError, JournalError, StaleEntryError
from mulligan.types.values import hide_fields


class State(StrEnum):
    """Where an action stands in the journal."""

    HELD = "held"
    APPROVED = "approved"
    INTENT = "intent"
    EXECUTED = "executed"
    PENDING_REVIEW = "pending_review"
    UNKNOWN = "unknown"
    UNDOING = "undoing"
    DISPUTED = "disputed"
    CONFLICT = "conflict"
    UNDO_FAILED = "undo_failed"
    NEEDS_HUMAN = "needs_human"
    VERIFIED = "verified"
    UNCHECKED = "unchecked"
    """It was kept and not reviewed: there was no reviewer for it."""
    UNDONE = "undone"
    NOT_EXECUTED = "not_executed"
    DENIED = "denied"
    EXPIRED = "expired"
    CLOSED = "closed"


class By(Flag):
    """Who takes a step."""

    OWNER = auto()
    """The process that wrote the last entry, as long as it has its lease."""
    RECOVERY = auto()
    """A process that has read it in the journal, where the owner is gone or has let it go."""
    LATE = auto()
    """A process that was given up, once its call came back to it after all."""
    PERSON = auto()


class Request(StrEnum):
    """What is sent outside, once it is on disk that it will be."""

    CALL = "call"
    UNDO = "undo"


class Row(Struct, frozen=True, kw_only=True):
    """One state in the table of the journal."""

    to: Mapping[State, By] = field(default_factory=dict)
    """The states that follow, and by whom."""
    sends: Request | None = None
    """What is sent from here: the entry is on disk, synced, before that."""
    settled: bool = False
    """Nothing more is owed. Else it is open: it is on the open list, and a person may close it
    with a note."""


_OURS = By.OWNER | By.RECOVERY
_REVIEWED = {
    State.UNCHECKED: _OURS,
    State.PENDING_REVIEW: _OURS,
    State.DISPUTED: _OURS,
    State.UNDOING: _OURS | By.PERSON,
}
_SETTLED = Row(settled=True)
_SETTLED_AND_THERE = Row(settled=True, to={State.UNDOING: By.PERSON})

JOURNAL: Mapping[State | None, Row] = {
    None: Row(to={State.INTENT: By.OWNER, State.HELD: By.OWNER}),
    State.HELD: Row(
        to={
            State.APPROVED: By.PERSON,
            State.DENIED: _OURS | By.PERSON,
            State.EXPIRED: By.RECOVERY,
        }
    ),
    State.APPROVED: Row(
        to={
            State.INTENT: _OURS,
            State.HELD: By.RECOVERY,
            State.DENIED: By.PERSON,
            State.EXPIRED: By.RECOVERY,
        }
    ),
    State.INTENT: Row(
        sends=Request.CALL,
        to={
            State.EXECUTED: By.OWNER,
            State.NOT_EXECUTED: By.OWNER,
            State.UNKNOWN: _OURS | By.LATE,
            State.NEEDS_HUMAN: By.OWNER,
        },
    ),
    State.UNKNOWN: Row(
        to={
            State.EXECUTED: By.OWNER,
            State.NOT_EXECUTED: By.OWNER,
            State.UNKNOWN: By.RECOVERY | By.LATE,
            State.NEEDS_HUMAN: _OURS,
        }
    ),
    State.EXECUTED: Row(to={State.VERIFIED: _OURS, **_REVIEWED}),
    State.PENDING_REVIEW: Row(to={State.VERIFIED: By.OWNER, **_REVIEWED}),
    State.UNDOING: Row(
        sends=Request.UNDO,
        to={
            State.UNDONE: By.OWNER,
            State.CONFLICT: By.OWNER,
            State.UNDO_FAILED: _OURS,
            State.UNDOING: _OURS | By.PERSON,
        },
    ),
    State.UNDO_FAILED: Row(to={State.UNDOING: By.RECOVERY | By.PERSON}),
    State.DISPUTED: Row(to={State.UNDOING: By.PERSON}),
    State.CONFLICT: Row(to={State.UNDOING: By.PERSON}),
    State.NEEDS_HUMAN: Row(to={State.UNDOING: By.PERSON}),
    State.VERIFIED: _SETTLED_AND_THERE,
    State.UNCHECKED: _SETTLED_AND_THERE,
    State.NOT_EXECUTED: Row(settled=True, to={State.NEEDS_HUMAN: By.LATE}),
    State.UNDONE: _SETTLED,
    State.DENIED: _SETTLED,
    State.EXPIRED: _SETTLED,
    State.CLOSED: _SETTLED,
}
"""The rules of the journal, in one place: which state follows on which, and by whom, and what is on
disk before anything is sent. `None` is an action that has no entry yet."""


def find_takers(before: State | None, after: State) -> By:
    """Who may take a step; empty where the journal does not know it."""
    row = JOURNAL[before]
    if after is State.CLOSED:
        return By(0) if before is None or row.settled else By.PERSON
    return row.to.get(after, By(0))


def list_steps(by: By, to: State) -> frozenset[State]:
    """The states from which an action can reach a state."""
    return frozenset(each for each in State if by in find_takers(each, to))


SETTLED = frozenset(state for state in State if JOURNAL[state].settled)
"""Nothing more is owed. Every other state is open, and stands on the open list."""

SYNCED = frozenset(state for state in State if JOURNAL[state].sends)
"""On disk, synced, before the outside call that follows. Of the others a power cut may take the
last ones, and recovery finds out again; the death of the process takes none."""

RECOVERABLE = frozenset(
    state for state in State if any(By.RECOVERY in taker for taker in JOURNAL[state].to.values())
)
"""Recovery takes these further by itself, without a person."""

HOLDS = list_steps(By.RECOVERY, State.EXPIRED)
"""Not begun: a person, or a process with the code, takes it further."""

FOR_A_PERSON = frozenset(State) - SETTLED - RECOVERABLE | {State.HELD}
"""Nothing more is done about these until a person decides."""

NOTHING_THERE = HOLDS | {State.DENIED, State.EXPIRED, State.NOT_EXECUTED}
"""Nothing of it was done, or is not yet."""

UNCERTAIN = list_steps(By.RECOVERY, State.UNKNOWN)
"""The result of the call is not recorded, and recovery finds it out."""

UNANSWERED = UNCERTAIN | {State.NEEDS_HUMAN}
"""Something of it may be there: whether the call took effect is unknown."""

AWAITING_REVIEW = list_steps(By.RECOVERY, State.PENDING_REVIEW)
"""It took effect, and its review is still to come or to be written down."""

IN_PLACE = AWAITING_REVIEW | {State.VERIFIED, State.UNCHECKED, State.DISPUTED}
"""Something of it is there, and is not being undone."""

STILL_THERE = IN_PLACE | {State.CONFLICT, State.UNDO_FAILED, State.UNDOING}
"""Something of it is there."""

GONE = frozenset({State.UNDONE, State.NOT_EXECUTED, State.CLOSED})
"""Nothing of it is left, or a person has seen to what is."""

AT_WORK = SYNCED | {State.UNKNOWN, State.EXECUTED}
"""Who wrote it is about to write the next entry itself."""

DECIDED = frozenset({State.APPROVED, State.DENIED, State.UNDOING})
"""What a person decides that another process may be waiting for."""


MOST_TRIES = 5
"""Undos, or late reviews, of one action: after so many a person is asked."""


class UndoResult(StrEnum):
    """The verified result of an undo."""

    RESTORED = "restored"
    PARTIAL = "partial"
    CONFLICT = "conflict"
    """Someone else changed it since; their version stands."""
    FAILED = "failed"
    UNKNOWN = "unknown"


class Foreseen(Struct, frozen=True, kw_only=True):
    """What an undo would come to, as things are now."""

    state: State
    why: str = ""


STATE_AFTER = {
    UndoResult.RESTORED: State.UNDONE,
    UndoResult.CONFLICT: State.CONFLICT,
    UndoResult.PARTIAL: State.UNDO_FAILED,
    UndoResult.FAILED: State.UNDO_FAILED,
    UndoResult.UNKNOWN: State.UNDO_FAILED,
}
"""Only what was verified to be as before counts as undone."""


class Opening(Struct, frozen=True, kw_only=True):
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
    it: its result counts for both."""
    call: str | None = None
    parent: str | None = None
    """The action of the whole bulk, where this is one of its elements."""
    key: str | None = None
    """The idempotency key or client id the remote knows this call by, which is ours."""
    session: str = ""
    """The conversation of its turn, by the name that a host or the application gives it."""
    durable: bool = False
    """An engine keeps its turn, and goes on with it after a crash: until it has, or a day has gone
    by, no other process reviews it."""
    binding: str = ""
    """What its tool is bound to beside its code, as a mark that tells it from another one's; empty
    where that is nothing."""

    @property
    def whole(self) -> str | None:
        """The attempt that it is reviewed with and stands or falls with; `None`: no turn's."""
        return self.outer or (f"{self.turn}/{self.attempt}" if self.turn is not None else None)


class Entry(Struct, frozen=True, kw_only=True):
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
    """Whether a person asked for it by name, so that any process with the code acts at once."""
    return entry.state in DECIDED and bool(entry.detail.get("by"))


class Action(Struct, frozen=True, kw_only=True):
    """An action in its present state."""

    id: str
    opening: Opening
    state: State
    version: int
    opened_at: datetime
    changed_at: datetime
    writer: str = ""
    """Who wrote its last entry, and works on it as long as it is open. Once it is gone, any process
    may."""
    detail: Mapping[str, object] = field(default_factory=dict)

    @property
    def settled(self) -> bool:
        """Whether nothing more is owed."""
        return self.state in SETTLED


def needs_person(action: Action) -> bool:
    """Whether nothing more is done about it until a person decides."""
    tries = action.detail.get("tries")
    given_up = isinstance(tries, int) and tries > MOST_TRIES
    stuck = given_up or action.detail.get("for_a_person") is True
    return action.state in FOR_A_PERSON or (action.state is State.UNDO_FAILED and stuck)


class ActionQuery(Struct, frozen=True, kw_only=True):
    """Which actions are wanted, settled or not. `None` and empty mean any."""

    id_prefix: str = ""
    tenant: str | None = None
    tool: str | None = None
    agent: str | None = None
    turn: str | None = None
    session: str | None = None
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
            (self.session, opening.session),
            (self.parent, opening.parent),
        )
        return (
            action.id.startswith(self.id_prefix)
            and all(wanted is None or wanted == found for wanted, found in same)
            and (not self.states or action.state in self.states)
            and (self.since is None or action.opened_at >= self.since)
            and (self.until is None or action.opened_at < self.until)
        )


PAGE = 5_000
"""Actions that are read at once, where all are wanted."""
_NEXT = timedelta(microseconds=1)


def read_all(
    search: Callable[[ActionQuery], Sequence[Action]],
    query: ActionQuery,
    *,
    page: int | None = None,
) -> Iterator[Action]:
    """All actions that fit, the newest first; those of one instant, such as a bulk's, as well."""
    page = page or PAGE
    query = replace(query, limit=page)
    seen: set[str] = set()
    while found := search(query):
        yield from (action for action in found if action.id not in seen)
        if len(found) < query.limit:
            return
        oldest = min(action.opened_at for action in found)
        # Asked again about the instant at which the page ended, and about more if it is all of one.
        seen = {action.id for action in found if action.opened_at == oldest}
        more = query.limit * 2 if len(seen) == len(found) else page
        query = replace(query, until=oldest + _NEXT, limit=more)


HOLD_LIFE = timedelta(minutes=15)
"""How long a call waits for an answer, and an approved one for a process that can run it."""


class Hold(Struct, frozen=True, kw_only=True):
    """An irreversible call that is held until it is approved."""

    action: str
    expires_at: datetime
    reason: str


@hide_fields("value")
class Kept(Struct, frozen=True, kw_only=True):
    """A raw value in the vault: a snapshot, or what a late review will need."""

    owner: str
    """Id of the action or turn it belongs to."""
    name: str
    """`arguments`, `before`, `result`, `evidence`, `restored`, `theirs`, `findings 3`."""
    value: bytes
    expires_at: datetime | None = None
    """`None`: kept until the action is settled and the retention after it has run."""


def leads_to(before: State | None, after: State, *, by: By | None = None) -> bool:
    """Whether the journal accepts `after` as the next state of an action in `before`: at all, or as
    one actor's step."""
    takers = find_takers(before, after)
    return bool(takers) if by is None else by in takers


def find_late_step(state: State) -> State | None:
    """What a call that came back late makes of its action; `None`: that is known already."""
    steps = JOURNAL[state].to.items()
    return next((after for after, takers in steps if By.LATE in takers), None)


def check_step(action: str, before: State | None, after: State, *, by: By | None = None) -> None:
    """Raise unless an action may go from one state to the other: at all, or by that actor."""
    if not leads_to(before, after, by=by):
        where = f"is {before}" if before else "has no entry yet"
        whose = f" by its {by.name.lower()}" if by and by.name and leads_to(before, after) else ""
        raise IllegalTransitionError(
            f"Action {action} {where} and cannot become {after}{whose}: "
            "read it again, or close it with a note."
        )


def check_entry(entry: Entry, *, state: State | None, version: int) -> None:
    """Raise unless `entry` may follow on an action that stands at `state` and `version`."""
    if entry.version != version + 1:
        raise StaleEntryError(
            f"Action {entry.action} is at version {version}, but the entry {entry.state} is "
            f"version {entry.version} and not {version + 1}: read the action again before acting."
        )
    check_step(entry.action, state, entry.state)
    if (entry.opening is None) is (state is None):
        raise JournalError(
            f"Entry {entry.version} of action {entry.action} must "
            f"{'carry' if state is None else 'not carry'} an opening: "
            "the first entry has one, and no other."
        )


def has_expired(detail: Mapping[str, object], *, changed_at: datetime, now: datetime) -> bool:
    """Whether a hold is too old to be answered, or an approved call to be run."""
    return now >= find_expiry(detail, changed_at=changed_at)


def find_expiry(detail: Mapping[str, object], *, changed_at: datetime) -> datetime:
    """When a hold ends, by its writer's clock."""
    try:
        return datetime.fromisoformat(str(detail.get("expires_at")))
    except ValueError:
        return changed_at + HOLD_LIFE
