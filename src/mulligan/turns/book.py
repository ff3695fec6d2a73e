"""The journal as turns write it: what an action is while it lasts, and each step it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mulligan.core.action import Entry, Kept, Opening, State
from mulligan.core.interfaces import Clock, Journal
from mulligan.core.record import Abilities, Record
from mulligan.turns.hands import Hands
from mulligan.turns.plain import pack


@dataclass(slots=True, kw_only=True)
class LiveAction:
    """An action while this process works on it."""

    id: str
    opening: Opening
    abilities: Abilities
    record: Record
    state: State | None = None
    version: int = 0
    """How many entries it has in the journal."""

    @property
    def what(self) -> str:
        """The call in a few words."""
        shown = ", ".join(f"{k}={_brief(v)}" for k, v in self.record.arguments.items())
        return f"{self.opening.tool}({shown})"


class Book:
    """Writes the steps of actions."""

    def __init__(self, journal: Journal, *, clock: Clock, scrub: Callable[[str], str]) -> None:
        self._journal = journal
        self._clock = clock
        self._scrub = scrub

    async def intend(self, action: LiveAction, *, hands: Hands) -> None:
        """On disk before the effect: that it will be tried, and what an undo will need."""
        kept = {"arguments": action.record.arguments, "before": action.record.before}
        keep = [Kept(owner=action.id, name=name, value=pack(v)) for name, v in kept.items()]
        await self.move([action], State.INTENT, hands=hands, keep=keep)

    async def executed(self, action: LiveAction, *, hands: Hands) -> None:
        """It happened; what it returned is kept for an undo that may come from elsewhere."""
        keep = [Kept(owner=action.id, name="result", value=pack(action.record.result))]
        version = action.record.version
        await self.move([action], State.EXECUTED, hands=hands, keep=keep, version=version)

    async def move(
        self,
        actions: Iterable[LiveAction],
        state: State,
        *,
        hands: Hands,
        keep: Sequence[Kept] = (),
        **detail: str | None,
    ) -> None:
        """One step for each of some actions, in one transaction."""
        moved = list(actions)
        if not moved:
            return
        now = self._clock()
        said = {name: self._scrub(text) for name, text in detail.items() if text}
        entries = [
            Entry(
                action=action.id,
                state=state,
                at=now,
                version=action.version + 1,
                detail=said,
                opening=action.opening if action.version == 0 else None,
            )
            for action in moved
        ]
        # Submitted at once: who is cancelled while waiting loses the answer, not the entry.
        future = self._journal.submit(entries, keep=keep)
        for action in moved:
            action.state, action.version = state, action.version + 1
        await hands.wait(future)


def _brief(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"
