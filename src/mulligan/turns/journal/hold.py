"""A call that waits for a person: it answers at once, and runs only when somebody said so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self

from mulligan.core.action import Hold, Kept, State
from mulligan.core.runtime.points import Point, reach
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.kept.call_values import keep_arguments
from mulligan.turns.journal.live_action import LiveAction, keep_said


class Held(str):
    """What the caller of a held call gets: a sentence for the agent, and the hold itself."""

    __slots__ = "hold"
    hold: Hold

    def __new__(cls, hold: Hold, *, tool: str) -> Self:
        """Say what the agent may tell the person."""
        held = super().__new__(
            cls,
            f"{tool} was not run yet: {hold.reason} It waits for a person to approve it "
            f"(hold {hold.action}, until {hold.expires_at:%H:%M} UTC). Do not call it again now; "
            "tell the person that it waits.",
        )
        held.hold = hold
        return held

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), str(self), self.hold)


def _restore(kind: type[Held], text: str, hold: Hold) -> Held:
    held = str.__new__(kind, text)
    held.hold = hold
    return held


async def hold_call(action: LiveAction, *, reason: str, book: Book, evidence: bytes) -> Held:
    """Put a call aside, with all that is needed to run it later."""
    hold = Hold(action=action.id, expires_at=book.clock() + book.hold_life, reason=reason)
    keep = [
        *keep_arguments(action, to_run=True),
        Kept(owner=action.id, name="evidence", value=evidence),
        *keep_said(action),
    ]
    facts = {"expires_at": hold.expires_at.isoformat()}
    await book.move([action], State.HELD, keep=keep, why=reason, facts=facts)
    await reach(Point.HELD)
    return Held(hold, tool=action.opening.tool)


_resumed: ContextVar[LiveAction | None] = ContextVar("mulligan_resumed", default=None)


@contextmanager
def resume(action: LiveAction | None) -> Iterator[None]:
    """A call in here that would be held is this one, which a person has approved."""
    token = _resumed.set(action)
    try:
        yield
    finally:
        _resumed.reset(token)


def find_resumed() -> str | None:
    """The id of the approved action that is about to be made."""
    action = _resumed.get()
    return None if action is None else action.id


def take_resumed(tool: str, *, server: str, arguments: Mapping[str, object]) -> LiveAction | None:
    """The approved action that a call is, once; `None` where it is another call."""
    action = _resumed.get()
    if action is None or (action.opening.tool, action.opening.server) != (tool, server):
        return None
    if dict(action.record.arguments) != dict(arguments):
        return None
    _resumed.set(None)
    return action
