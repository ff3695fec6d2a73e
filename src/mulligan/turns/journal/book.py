"""The journal as turns write it: what an action is while it lasts, and each step it takes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from mulligan.codec.values import encode_value
from mulligan.core.action import (
    HOLD_LIFE,
    HOLDS,
    Action,
    Entry,
    Kept,
    Opening,
    State,
    UndoResult,
)
from mulligan.core.call import Call, Execution, Outcome
from mulligan.core.errors import ConfigurationError, MulliganError, StaleEntryError
from mulligan.core.escape import show_name
from mulligan.core.event import ActionMoved, ActionUndone
from mulligan.core.interfaces import Clock, Journal, Vault
from mulligan.core.quoted import quote_value
from mulligan.core.record import Abilities, Record
from mulligan.core.sentence import render_sentence
from mulligan.core.turn import Turn
from mulligan.turns.journal.kept_findings import keep_findings
from mulligan.turns.journal.object_history import ObjectHistory
from mulligan.turns.journal.steady import Steady, SteadyClock, read_steady
from mulligan.turns.journal.waiter import ON_LOOP, Waiter
from mulligan.turns.tools.declaration import Declaration
from mulligan.undo.concerns import find_objects

_SHOWN = 60
"""Characters of a value, where a call is put into a few words."""
SHARED_LIFE = timedelta(days=90)
"""How long what belongs to no single action is kept: as long as the journal itself."""


@dataclass(slots=True, kw_only=True, eq=False)
class LiveAction:
    """An action while this process works on it."""

    id: str
    opening: Opening
    declaration: Declaration
    record: Record
    opened_at: datetime
    state: State | None = None
    version: int = 0
    """How many entries it has in the journal."""
    tries: int = 0
    """How often it was tried to find out what became of it, or to undo it."""
    given_up: Steady | None = None
    """When it was first written that nobody knows what became of it: no try was sent later."""
    after: tuple[str, ...] = ()
    """Ids of later actions that are undone before it: on the same object, or on what it made."""
    undo_begun: bool = False
    """An undo of it was sent, and nobody has written what came of that."""
    seen: bool = False
    """What it left was seen by an undo, so that its absence later is proof."""
    accepted: bool = False
    """The review of a turn inside another was content with it."""
    unchecked: bool = False
    """Nobody looked at it when its attempt was reviewed."""
    call_failed: bool = False
    """It happened, though its caller was told that the call failed."""
    refused: bool = False
    """Its caller was answered with an error, rather than with nothing: no try is on its way."""
    call_arguments: Mapping[str, object] = field(default_factory=dict)
    """Of the whole call: of a bulk, the list that it is one element of."""
    undone: UndoResult | None = None
    """What undoing it came to, where that was tried."""
    undone_why: str = ""
    """The same in a few words, where the result alone would say too much."""
    covered: bool = False
    """A later action on its object could not be undone, so that neither could it."""
    on_settled: Callable[[LiveAction], None] = lambda _: None
    """Told once a look has settled what became of it, so that the log says so too."""
    looked_up: bool = False
    """It gave no answer, and a look has found that it happened."""
    bound: str | None = None
    """The version that its call was made under, where its tool says so to the remote."""
    under_way: bool = False
    """Its call was made and has not come back, perhaps on a thread that outlives the turn."""

    @property
    def objects(self) -> frozenset[tuple[str, str]]:
        """What it concerns, by server and id; nothing where its tool does not say."""
        return find_objects(self.record, self.declaration)

    def find_new_objects(self, state: State) -> frozenset[tuple[str, str]]:
        """Those objects that are known of it only now that it reaches a state."""
        if state is State.INTENT:
            return self.objects
        if state is not State.EXECUTED:
            return frozenset()
        return self.objects - find_objects(replace(self.record, result=None), self.declaration)

    @property
    def abilities(self) -> Abilities:
        """What its tool can do about it."""
        return self.declaration.abilities

    @property
    def what(self) -> str:
        """The call in a few words, as it was asked for."""
        given = {k: v for k, v in self.record.arguments.items() if v is not None}
        shown = ", ".join(f"{show_name(k)}={quote_value(v, most=_SHOWN)}" for k, v in given.items())
        return f"{show_name(self.opening.tool)}({shown})"

    @property
    def said(self) -> str:
        """What it does, as a sentence for a person."""
        ours = (self.declaration.key, self.opening.call)
        given = {k: v for k, v in self.record.arguments.items() if (k, v) != ours}
        record = replace(self.record, arguments=given)
        return render_sentence(self.opening.tool, record, describe=self.declaration.describe)


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
    steady: SteadyClock = read_steady
    """Measures waits; nobody can set it."""
    first_seen: dict[str, Steady] = field(default_factory=dict)
    """When this process first saw of an action that it gave no answer."""
    opened: Openings = field(default_factory=Openings)
    """When the last action was opened."""
    stood_since: dict[str, tuple[int, Steady]] = field(default_factory=dict)
    """The last entry that this process saw of an action, and when it first did."""
    hold_life: timedelta = HOLD_LIFE
    """How long a held call waits for a person."""
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
        self, actions: Sequence[LiveAction], *, evidence: bytes, keep: Sequence[Kept] = ()
    ) -> None:
        """On disk before the effect: that it will be tried, and what an undo will need."""
        own = [kept for action in actions for kept in _keep_given(action)]
        own.append(self._keep_shared(actions, "evidence", evidence))
        own += [kept for action in actions for kept in keep_said(action)]
        self.live.update(action.id for action in actions)
        await self.move(actions, State.INTENT, keep=[*own, *keep])

    async def mark_executed(self, actions: Sequence[LiveAction]) -> None:
        """It happened; what it returned is kept for an undo that may come from elsewhere."""
        first, *others = [action.record.result for action in actions]
        shared = first is not None and others and all(each is first for each in others)
        keep = [
            Kept(owner=a.id, name="result", value=_encode_outcome(a.record, whole=not shared))
            for a in actions
        ]
        if shared:
            # One for all: of a bulk of thousands, each would else keep what all returned.
            keep.append(self._keep_shared(actions, "result", _encode_outcome(actions[0].record)))
        await self.move(actions, State.EXECUTED, keep=keep)

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
            self.announce(ActionMoved(action=entry.action, state=state, at=entry.at))
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

    def require_lease(self, actions: Sequence[LiveAction]) -> None:
        """Look once more before an outside call: who was silent for too long sends nothing."""
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

    async def reopen(self, actions: Iterable[LiveAction], *, why: str) -> None:
        """What came back although others had given it up is open again, before a person."""
        for action in actions:
            current = self.journal.find_action(action.id)
            if current is None or current.state is not State.NOT_EXECUTED:
                continue
            action.state, action.version = current.state, current.version
            await self.move([action], State.NEEDS_HUMAN, why=why)

    def has_passed(self, action: LiveAction, wait: timedelta) -> bool:
        """Whether so much time has passed since an action was given up, by a clock nobody sets.

        Another start of the machine tells nothing: then it counts from when this process saw it.
        """
        now, seconds = self.steady(), wait.total_seconds()
        stamps = (action.given_up, self.first_seen.setdefault(action.id, now))
        return any(
            stamp is not None and stamp.boot == now.boot and now.seconds - stamp.seconds >= seconds
            for stamp in stamps
        )

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
        said = dict(move.facts) | ({"why": self.scrub(move.why)} if move.why else {})
        return [self._build_entry(action, move.state, said) for action in move.actions]

    def _build_entry(self, action: LiveAction, state: State, said: Mapping[str, object]) -> Entry:
        own: dict[str, object] = {"tries": action.tries} if action.tries else {}
        at = self.clock()
        if action.version == 0:
            at = action.opened_at = self.opened.draw(at)
        if state is State.UNKNOWN:
            action.given_up = action.given_up or self.steady()
            own["given_up"] = list(action.given_up)
        if state in _TO_UNDO and action.undo_begun:
            own |= {"undo_begun": True, "seen": action.seen}
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


def read_order(action: Action | LiveAction) -> tuple[datetime, str]:
    """By which actions are in the order in which they took effect, as far as that is known."""
    return action.opened_at, action.id


def _keep_given(action: LiveAction) -> list[Kept]:
    """What an undo will need, from whichever process it comes."""
    record = action.record
    given = [Kept(owner=action.id, name="arguments", value=encode_value(record.arguments))]
    if record.image is None:
        return given
    return [*given, Kept(owner=action.id, name="before", value=encode_value(record.image.state))]


def keep_said(action: LiveAction) -> list[Kept]:
    """What its tool says of it, for surfaces that have not its code; by its names they can."""
    if action.declaration.describe is None:
        return []
    return [Kept(owner=action.id, name="said", value=encode_value(action.said))]


def as_execution(action: LiveAction, turn: Turn) -> Execution:
    """A call that happened, told from its action alone: nobody was there for its answer."""
    opening = action.opening
    return Execution(
        call=Call(
            id=opening.call or action.id,
            tool=opening.tool,
            server=opening.server,
            arguments=action.record.arguments,
            agent=turn.agent,
            context=turn.context,
            tenant=turn.tenant,
            turn=turn.id,
        ),
        outcome=Outcome.SUCCESS,
        at=action.opened_at,
        duration=timedelta(),
        result=action.record.result,
    )


_TO_UNDO = frozenset({State.UNDOING, State.UNDO_FAILED, State.CONFLICT, State.DISPUTED})
"""States from which an undo goes on, or a person may have one made: in the right order."""


def _build_undone_event(action: LiveAction) -> ActionUndone:
    opening = action.opening
    return ActionUndone(
        action=action.id,
        call=opening.call,
        tool=opening.tool,
        turn=opening.turn,
        attempt=opening.attempt,
    )


def _encode_outcome(record: Record, *, whole: bool = True) -> bytes:
    try:
        result = {"result": record.result} if whole else {}
        return encode_value({**result, "version": record.version})
    except ConfigurationError:
        # It has happened, and that is what must be written; what it returned is lost to a crash.
        return encode_value({"result": None, "version": record.version})
