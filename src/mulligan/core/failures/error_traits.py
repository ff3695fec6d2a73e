"""What is decided by an error class: the columns of the table whose rows `error_class` has."""

from __future__ import annotations

from enum import StrEnum

from mulligan.core.failures.advice import Advice, Decision
from mulligan.core.failures.move import Cell, Move
from mulligan.core.runtime.dataclass import dataclass


class Aftermath(StrEnum):
    """What an error says about the effect of its call."""

    NEVER_SENT = "never_sent"
    """There can be none: the call never left."""
    REFUSED = "refused"
    """There is none, if the remote itself says so."""
    NOT_SAID = "not_said"
    MAY_HAVE_LANDED = "may_have_landed"
    """The same again could do twice what was done once."""
    NO_ANSWER = "no_answer"
    """It may have landed, and nobody said that it failed: the outcome is not known."""


class ArgumentFault(StrEnum):
    """What of the arguments an error is about; the advice is then made from the call itself."""

    SHAPE = "shape"
    """They were refused before any effect."""
    VALUE = "value"
    """Nothing is there under what they name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorTraits:
    """One row of the table: how errors of a class are told, and what follows from them."""

    read: Cell
    """What is done about a failed call that changes nothing."""
    idempotent: Cell
    keyed: Cell
    once: Cell
    irreversible: Move = Move.ASK
    """What is done where a cell would make another try of a call that has no way back."""
    aftermath: Aftermath
    advice: Advice | ArgumentFault
    """What the agent is told, unless a suggestion is at hand."""
    another_call_may_help: bool = False
    """Another call may clear it out of the way."""
    another_value_may_help: bool = False
    """An argument may point at nothing, though the turn knows what was meant."""
    unprocessed_if_documented: bool = False
    """Where the remote documents it, such an answer is proof that the request had no effect."""
    told_by_type_alone: bool = False
    """An exception's type is all that gave it; the text may know better."""
    statuses: tuple[int, ...] = ()
    """HTTP statuses and JSON-RPC codes that mean it."""
    sqlstates: tuple[str, ...] = ()
    """What the SQLSTATE of a database begins with; the longest that fits counts."""
    exceptions: tuple[str, ...] = ()
    """Exceptions by name, since most are of libraries we do not import."""
    words: str = ""
    """Phrases that errors of it use in any trade, as regular expressions: each on a line of its
    own or with ` | ` between them."""

    @property
    def passes(self) -> bool:
        """It passes by itself, so that the same call may work."""
        return isinstance(self.advice, Advice) and self.advice.decision is Decision.RETRY

    @property
    def final(self) -> bool:
        """It is not permitted, however it is called: no correction can help."""
        return isinstance(self.advice, Advice) and self.advice.decision is Decision.STOP

    @property
    def may_have_landed(self) -> bool:
        """The same again could do twice what was done once."""
        return self.aftermath in (Aftermath.MAY_HAVE_LANDED, Aftermath.NO_ANSWER)

    @property
    def rereads(self) -> bool:
        """What is there now is read, for the agent to decide on."""
        cells = (self.read, self.idempotent, self.keyed, self.once)
        return any(cell.move is Move.REREAD for cell in cells)
