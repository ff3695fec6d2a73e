"""What happens by default when it matters: decisions as pure functions over tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from mulligan.core.call import ErrorClass
from mulligan.core.effect import Effect, Repeat
from mulligan.core.finding import Source, Standing, Verdict


class Step(StrEnum):
    """What a loop does after a review."""

    ACCEPT = "accept"
    DEFER = "defer"
    """Nobody could say; go on visibly, and review later."""
    RETRY = "retry"
    DISPUTE = "dispute"
    """A judge alone speaks against it once more: it stands, in front of a person."""
    GIVE_UP = "give_up"


def decide(verdict: Verdict, *, attempt: int, attempts: int = 2) -> Step:
    """What follows from a verdict on the given attempt, when there are `attempts` in all."""
    match verdict.standing:
        case Standing.ACCEPTED:
            return Step.ACCEPT
        case Standing.UNREVIEWED:
            return Step.DEFER
        case Standing.REJECTED:
            if attempt < attempts:
                return Step.RETRY
            sources = {finding.source for finding in verdict.errors}
            return Step.DISPUTE if sources == {Source.JUDGE} else Step.GIVE_UP
        case unreachable:
            assert_never(unreachable)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of the retry matrix: what to do, how often, and what once that is used up."""

    move: Move
    most: int = 2
    then: Move = Move.STOP


_SAME = Cell(move=Move.SAME)
_SAME_ONCE = Cell(move=Move.SAME, most=1)
_SAME_THEN_ASK = Cell(move=Move.SAME, most=1, then=Move.ASK)
_FIX = Cell(move=Move.FIX, then=Move.SUGGEST)
_REFRESH = Cell(move=Move.REFRESH, most=1)
_REREAD = Cell(move=Move.REREAD)
_PROBE = Cell(move=Move.PROBE, then=Move.ASK)
_SUGGEST = Cell(move=Move.SUGGEST)
_STOP = Cell(move=Move.STOP)

_READ, _IDEMPOTENT, _KEYED, _ONCE = range(4)

MATRIX: Mapping[ErrorClass, tuple[Cell, Cell, Cell, Cell]] = {
    # error class:             READ, IDEMPOTENT, KEYED, ONCE
    ErrorClass.VALIDATION: (_FIX, _FIX, Cell(move=Move.FIX_NEW_KEY, then=Move.SUGGEST), _FIX),
    ErrorClass.AUTH: (_REFRESH, _REFRESH, _REFRESH, _REFRESH),
    ErrorClass.POLICY: (_STOP, _STOP, _STOP, _STOP),
    ErrorClass.MISSING: (_SUGGEST, _SUGGEST, _SUGGEST, _SUGGEST),
    ErrorClass.CONFLICT: (_REREAD, _REREAD, _REREAD, _REREAD),
    ErrorClass.RATE_LIMIT: (_SAME, _SAME, _SAME, _STOP),
    ErrorClass.NOT_SENT: (_SAME, _SAME, _SAME, _SAME_ONCE),
    ErrorClass.AMBIGUOUS: (_SAME, Cell(move=Move.SAME, then=Move.ASK), _PROBE, _PROBE),
    ErrorClass.BAD_RESULT: (_SAME_ONCE, _PROBE, _PROBE, _PROBE),
    ErrorClass.TOOL_EXCEPTION: (_SAME_ONCE, _SAME_THEN_ASK, _PROBE, _PROBE),
    ErrorClass.RULE: (_SUGGEST, _SUGGEST, _SUGGEST, _SUGGEST),
    ErrorClass.UNKNOWN: (_SUGGEST, _SUGGEST, _SUGGEST, _SUGGEST),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """What the matrix needs to know about a call that failed."""

    error_class: ErrorClass
    effect: Effect
    repeat: Repeat = Repeat.ONCE
    tries: int = 1
    """Tries made so far, the failed one included."""
    made: int = 0
    """How often this class's own move was made already for this call."""
    can_probe: bool = False
    key_alive: bool = False
    """The remote still remembers our key."""
    in_progress: bool = False
    """The conflict is with our own first call, still being worked on."""
    deletes: bool = False
    """The call was to make the missing thing go away."""
    not_processed: bool = False
    """The remote documents that a rate-limited call has had no effect."""


MOST_TRIES = 3
_MAKES_A_TRY = frozenset({Move.SAME, Move.FIX, Move.FIX_NEW_KEY, Move.REFRESH, Move.POLL})


def choose_move(failed: Failed, *, most_tries: int = MOST_TRIES) -> Move:
    """What may be done about a failed call, by the matrix of error class and repeat."""
    if failed.effect is Effect.UNDECLARED:
        return Move.STOP if failed.error_class is ErrorClass.POLICY else Move.SUGGEST
    cell = _find_special_cell(failed) or MATRIX[failed.error_class][_find_column(failed)]
    no_try_left = failed.tries >= most_tries and cell.move in _MAKES_A_TRY
    spent = failed.made >= cell.most or no_try_left
    if failed.effect is Effect.IRREVERSIBLE:
        return _choose_irreversible_move(cell, failed.error_class, spent=spent)
    move = cell.then if spent else cell.move
    probed_out = failed.made > cell.most or failed.tries > most_tries
    if move is Move.PROBE and (probed_out or not failed.can_probe):
        return Move.ASK
    return move


def _find_column(failed: Failed) -> int:
    if failed.effect is Effect.READ:
        return _READ
    match failed.repeat:
        case Repeat.IDEMPOTENT:
            return _IDEMPOTENT
        case Repeat.KEYED:
            return _KEYED
        case Repeat.ONCE:
            return _ONCE
        case unreachable:
            assert_never(unreachable)


def _find_special_cell(failed: Failed) -> Cell | None:
    """The cells whose answer depends on what the remote can do."""
    column = _find_column(failed)
    match failed.error_class:
        case ErrorClass.MISSING if column == _IDEMPOTENT and failed.deletes:
            return Cell(move=Move.ADOPT)
        case ErrorClass.CONFLICT if column == _KEYED and failed.in_progress:
            return Cell(move=Move.POLL, then=Move.ASK)
        case ErrorClass.RATE_LIMIT if column == _ONCE and failed.not_processed:
            return _SAME
        case ErrorClass.AMBIGUOUS | ErrorClass.TOOL_EXCEPTION if (
            column == _KEYED and failed.key_alive
        ):
            return Cell(move=Move.SAME, then=Move.PROBE)
        case _:
            return None


def _choose_irreversible_move(cell: Cell, error_class: ErrorClass, *, spent: bool) -> Move:
    """A fix goes back to hold; nothing else is made again but what was never sent."""
    if error_class is ErrorClass.RATE_LIMIT:
        return Move.STOP
    makes_a_try = cell.move in _MAKES_A_TRY or cell.move is Move.PROBE
    if cell.move in (Move.FIX, Move.FIX_NEW_KEY):
        return cell.then if spent else Move.HOLD
    if makes_a_try and error_class is not ErrorClass.NOT_SENT:
        return Move.ASK
    return cell.then if spent else cell.move
