"""What a person asks about an action that only who has its code can tell: nothing is changed."""

from __future__ import annotations

from mulligan.core.action import Action
from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.turns.calls.toolbox import Toolbox
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.live_action import LiveAction
from mulligan.turns.turn.context import leave_turns
from mulligan.undo.abilities import call_ability
from mulligan.undo.answers import describe_error, says_gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Onlooker:
    """Looks at actions with their tools' own functions."""

    book: Book
    toolbox: Toolbox

    async def read_now(self, action: Action) -> object:
        """What is there now, as its tool reads it; `None` for nothing."""
        known = self._take_up(action)
        reader = known.abilities.reader
        if reader is None:
            raise ConfigurationError(
                f"{action.opening.tool} declares no way to read what is there."
            )
        try:
            with leave_turns():
                return await call_ability(
                    reader, known.record, within=known.declaration.answers_within
                )
        except Exception as error:
            if says_gone(error):
                return None
            raise ConfigurationError(
                f"What is there now could not be read: {describe_error(error)}."
            ) from error

    def list_later(self, action: Action) -> list[Action]:
        """Our own calls on the same objects that came after it and stand, the latest first."""
        known = self._take_up(action)
        if not known.objects:
            raise ConfigurationError(
                f"{action.opening.tool} does not declare what its calls are about, so that nobody "
                "knows which of them came after this one on the same object. Undo them one by one, "
                "the latest first."
            )
        later = self.book.history.list_later(action.id, known.objects, since=action.opened_at)
        return [each.action for each in later if each.stands]

    def _take_up(self, action: Action) -> LiveAction:
        known = self.toolbox.take_up(action, self.book.vault)
        if known is None:
            raise ConfigurationError(self.toolbox.describe_missing(action))
        return known

    def describe_missing(self, action: Action) -> str:
        """Why nothing can be done about an action here; empty where it can."""
        known = self.toolbox.take_up(action, self.book.vault)
        return self.toolbox.describe_missing(action) if known is None else ""
