"""The journal as turns write it: what an action is while it lasts, and each step it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from mulligan.codec.values import encode_value
from mulligan.core.action import Entry, Kept, Opening, State, UndoResult
from mulligan.core.call import Call, Execution, Outcome
from mulligan.core.errors import ConfigurationError, MulliganError
from mulligan.core.event import ActionMoved, ActionUndone
from mulligan.core.interfaces import Clock, Journal
from mulligan.core.record import Abilities, Record
from mulligan.core.turn import Turn
from mulligan.turns.journal.waiter import ON_LOOP, Waiter
from mulligan.turns.tools.declaration import Declaration


@dataclass(slots=True, kw_only=True)
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
    given_up_at: datetime | None = None
    """When it was first written that nobody knows what became of it: no try was sent later."""
    after: tuple[str, ...] = ()
    """Actions of its attempt that are undone before it: later ones, on what it left behind."""
    undone: UndoResult | None = None
    """What undoing it came to, where that was tried."""
    on_settled: Callable[[LiveAction], None] = lambda _: None
    """Told once a look has settled what became of it, so that the log says so too."""
    looked_up: bool = False
    """It gave no answer, and a look has found that it happened."""
    under_way: bool = False
    """Its call was made and has not come back, perhaps on a thread that outlives the turn."""

    @property
    def abilities(self) -> Abilities:
        """What its tool can do about it."""
        return self.declaration.abilities

    @property
    def what(self) -> str:
        """The call in a few words: as it was asked for, without a key that is ours."""
        ours = (self.declaration.key, self.opening.call)
        given = {k: v for k, v in self.record.arguments.items() if (k, v) != ours and v is not None}
        shown = ", ".join(f"{k}={_shorten(v)}" for k, v in given.items())
        return f"{self.opening.tool}({shown})"


@dataclass(slots=True, kw_only=True)
class Book:
    """Writes the steps of actions, and knows which of them this process is at work on."""

    journal: Journal
    clock: Clock
    scrub: Callable[[str], str]
    announce: Callable[[ActionMoved | ActionUndone], None]
    live: set[str] = field(default_factory=set)
    """Ids of the actions that somebody in this process will take further."""
    waiter: Waiter = ON_LOOP
    """How an entry on its way to the disk is waited for."""

    def with_waiter(self, waiter: Waiter) -> Book:
        """The same book for who waits otherwise."""
        return self if waiter is self.waiter else replace(self, waiter=waiter)

    async def intend(self, actions: Sequence[LiveAction], *, evidence: bytes) -> None:
        """On disk before the effect: that it will be tried, and what an undo will need."""
        keep = [
            kept
            for action in actions
            for kept in (
                Kept(
                    owner=action.id, name="arguments", value=encode_value(action.record.arguments)
                ),
                Kept(owner=action.id, name="before", value=encode_value(action.record.before)),
                Kept(owner=action.id, name="evidence", value=evidence),
            )
        ]
        self.live.update(action.id for action in actions)
        await self.move(actions, State.INTENT, keep=keep)

    async def mark_executed(self, actions: Sequence[LiveAction]) -> None:
        """It happened; what it returned is kept for an undo that may come from elsewhere."""
        keep = [Kept(owner=a.id, name="result", value=_encode_outcome(a.record)) for a in actions]
        await self.move(actions, State.EXECUTED, keep=keep)

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

        `why` may quote anything and is scrubbed; `facts` are our own words and numbers.
        """
        moved = list(actions)
        if not moved:
            return
        said = dict(facts or {}) | ({"why": self.scrub(why)} if why else {})
        entries = [self._build_entry(action, state, said) for action in moved]
        before = [(action.state, action.version) for action in moved]
        # Submitted at once: who is cancelled while waiting loses the answer, not the entry.
        future = self.journal.submit(entries, keep=keep)
        for action in moved:
            action.state, action.version = state, action.version + 1
        try:
            await self.waiter.wait(future)
        except MulliganError:
            for action, (was, version) in zip(moved, before, strict=True):
                action.state, action.version = was, version
            raise
        for action, entry in zip(moved, entries, strict=True):
            self.announce(ActionMoved(action=entry.action, state=state, at=entry.at))
            if state is State.UNDONE:
                self.announce(_build_undone_event(action))

    def release(self, actions: Iterable[LiveAction]) -> None:
        """Nobody here works on them any more, unless their call is still under way.

        What is open among them is for recovery.
        """
        self.live.difference_update(action.id for action in actions if not action.under_way)

    def _build_entry(self, action: LiveAction, state: State, said: Mapping[str, object]) -> Entry:
        own: dict[str, object] = {"tries": action.tries} if action.tries else {}
        at = self.clock()
        if state is State.UNKNOWN:
            action.given_up_at = action.given_up_at or at
            own["given_up_at"] = action.given_up_at.isoformat()
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


def _encode_outcome(record: Record) -> bytes:
    try:
        return encode_value({"result": record.result, "version": record.version})
    except ConfigurationError:
        # It has happened, and that is what must be written; what it returned is lost to a crash.
        return encode_value({"result": None, "version": record.version})


def _shorten(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"
