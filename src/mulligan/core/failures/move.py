"""What may be done about a failed call, and how often: the cells of the retry matrix."""

from __future__ import annotations

from enum import StrEnum

from mulligan.core.runtime.dataclass import dataclass

MOST_TRIES = 3
"""How often one call is made in all, the first time included, whatever its failures were."""


class Move(StrEnum):
    """What may be done about a failed call."""

    SAME = "same"
    """Make the identical call again, with the same key."""
    FIX = "fix"
    """Make it with corrected arguments, validated and classified again."""
    FIX_NEW_KEY = "fix_new_key"
    REFRESH = "refresh"
    """Refresh the credentials, then the identical call."""
    REREAD = "reread"
    """Read what is there now, and let the agent decide on it."""
    POLL = "poll"
    """The first call is still being worked on: ask again with the same key."""
    PROBE = "probe"
    """Find out whether it landed. Absent: the same again. Present: adopt it."""
    ADOPT = "adopt"
    """It is as if it had succeeded."""
    HOLD = "hold"
    """The corrected call is irreversible: it waits for a person."""
    SUGGEST = "suggest"
    """Tell the agent what would help; change nothing."""
    ASK = "ask"
    """Only a person can say."""
    STOP = "stop"


class Situation(StrEnum):
    """What may be known of a call beyond its error, which makes another move the right one."""

    KEY_ALIVE = "key_alive"
    """The remote still remembers our key."""
    IN_PROGRESS = "in_progress"
    """The conflict is with our own first call, still being worked on."""
    DELETES = "deletes"
    """The call was to make the missing thing go away."""
    NOTHING_DONE = "nothing_done"
    """It is proven that the call has changed nothing so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of the retry matrix: what to do, how often, and what once that is used up."""

    move: Move
    times: int = MOST_TRIES - 1
    """How often this move is made for errors of one class, where that is to be less than the
    tries of all moves together, which `MOST_TRIES` bounds."""
    then: Move = Move.STOP
    unless: tuple[Situation, Cell] | None = None
    """What may be known of the call, and the cell that counts instead where it is."""

    def __post_init__(self) -> None:
        if not 1 <= self.times < MOST_TRIES:
            raise ValueError(
                f"{self.move} {self.times} times: a call is made {MOST_TRIES} times in all, so "
                f"that a move is made 1 to {MOST_TRIES - 1} times."
            )
