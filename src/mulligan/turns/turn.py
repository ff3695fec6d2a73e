"""The turn that is going on, carried in a context variable so that tools need not be told."""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import NamedTuple, Self

from mulligan.core.finding import Correction
from mulligan.core.turn import Turn
from mulligan.redaction import Redactor
from mulligan.turns.attempt import LiveAttempt

_current: ContextVar[OpenTurn | None] = ContextVar("mulligan_turn", default=None)


class Labels(NamedTuple):
    """What a turn puts on the rows of its calls."""

    tenant: str
    agent: str
    context: str
    turn: str | None


class OpenTurn:
    """A turn while it lasts: `with` or `async with` makes it the current one."""

    __slots__ = ("_tokens", "attempt", "correction", "labels", "turn")

    def __init__(self, turn: Turn, *, redactor: Redactor) -> None:
        self.turn = turn
        self.attempt: LiveAttempt | None = None
        """What is being done, where the turn is acted on as a whole."""
        self.correction: Correction | None = None
        """What was wrong with the attempt before this one, and what is true now."""
        # Redacted once here, not at every call.
        self.labels = Labels(
            tenant=redactor.label(turn.tenant) if turn.tenant else "",
            agent=redactor.label(turn.agent) if turn.agent else "",
            context=redactor.text(turn.context) if turn.context else "",
            turn=turn.id,
        )
        self._tokens: list[Token[OpenTurn | None]] = []

    @property
    def id(self) -> str:
        """The turn's id, as on every row of the log."""
        return self.turn.id

    @property
    def message(self) -> str:
        """What the person said."""
        return self.turn.message

    def __enter__(self) -> Self:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(self, *error: object) -> None:
        try:
            _current.reset(self._tokens.pop())
        except ValueError:
            # Left in another context than it was entered in: there is nothing to go back to here.
            _current.set(None)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *error: object) -> None:
        self.__exit__(*error)


def current_turn() -> OpenTurn | None:
    """The turn that is going on here, if any."""
    return _current.get()
