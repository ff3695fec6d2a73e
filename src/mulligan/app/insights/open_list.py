"""Actions that need somebody: the list, one of them whole, and closing it with a note."""

from __future__ import annotations

from dataclasses import dataclass

from mulligan.core.action import Action, Entry, State
from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Clock, Journal

MOST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionStory:
    """An action and everything that happened to it."""

    action: Action
    entries: tuple[Entry, ...]


class OpenList:
    """What the journal owes an answer for."""

    def __init__(self, journal: Journal, *, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock

    def actions(self, *, tenant: str | None = None, limit: int = MOST) -> list[Action]:
        """Open actions, oldest first."""
        return self._journal.open_actions(tenant=tenant, limit=limit)

    def story(self, id_or_prefix: str) -> ActionStory:
        """One action with its history, settled or not."""
        action = self._find(id_or_prefix)
        return ActionStory(action=action, entries=tuple(self._journal.history(action.id)))

    def settle(self, id_or_prefix: str, *, note: str) -> Action:
        """Close an open action: a person has seen to it, and says how."""
        action = self._find(id_or_prefix)
        if action.settled:
            raise ConfigurationError(f"{action.id} is {action.state} already: nothing is owed.")
        if not note.strip():
            raise ConfigurationError("A note is needed: say what was done about it.")
        entry = Entry(
            action=action.id,
            state=State.CLOSED,
            at=self._clock(),
            version=action.version + 1,
            detail={"note": note.strip()},
        )
        self._journal.submit([entry]).result()
        return self._find(action.id)

    def _find(self, id_or_prefix: str) -> Action:
        wanted = id_or_prefix.replace("-", "").lower()
        action = self._journal.action(wanted)
        if action is not None:
            return action
        near = [a for a in self.actions() if wanted and a.id.startswith(wanted)]
        if len(near) == 1:
            return near[0]
        found = f"{len(near)} open actions start so" if near else "there is no such action"
        raise ConfigurationError(f"{id_or_prefix!r}: {found}. `mulligan open --json` has the ids.")
