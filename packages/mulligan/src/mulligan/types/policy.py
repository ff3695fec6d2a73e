"""What happens by default when it matters: decisions as pure functions over tables."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from msgspec import Struct

from mulligan.types.effect import Effect, Repeat
from mulligan.types.failure import MOST_TRIES, Cell, ErrorClass, ErrorTraits, Move
from mulligan.types.finding import Source, Standing, Verdict
from mulligan.types.limits import ATTEMPTS


class Step(StrEnum):
    """What a loop does after a review."""

    ACCEPT = "accept"
    DEFER = "defer"
    """No verdict: go on visibly, and review later."""
    RETRY = "retry"
    DISPUTE = "dispute"
    """Only a judge rejects it, and not for the first time: it is kept and needs attention."""
    GIVE_UP = "give_up"


def decide(
    verdict: Verdict, *, attempt: int, attempts: int = ATTEMPTS, may_undo: bool = True
) -> Step:
    """What follows from a verdict on the given attempt, when there are `attempts` in all.

    `may_undo`: false where nothing is to be undone on a judge's word alone.
    """
    match verdict.standing:
        case Standing.ACCEPTED | Standing.UNCHECKED:
            return Step.ACCEPT
        case Standing.UNREVIEWED:
            return Step.DEFER
        case Standing.REJECTED:
            alone = is_judged_alone(verdict)
            if attempt < attempts and (may_undo or not alone):
                return Step.RETRY
            return Step.DISPUTE if alone else Step.GIVE_UP
        case unreachable:
            assert_never(unreachable)


def is_judged_alone(verdict: Verdict) -> bool:
    """Whether only a judge rejects it."""
    return {finding.source for finding in verdict.errors} == {Source.JUDGE}


class Failed(Struct, frozen=True, kw_only=True):
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
    nothing_done: bool = False
    """It is proven that no try has changed anything."""
    by_words: bool = False
    """Only what a result says of itself gave the class."""


_MAKES_A_TRY = frozenset({Move.SAME, Move.FIX, Move.FIX_NEW_KEY, Move.REFRESH, Move.POLL})


def choose_move(failed: Failed) -> Move:
    """What may be done about a failed call, by the matrix of error class and repeat."""
    traits = failed.error_class.traits
    if failed.effect is Effect.UNDECLARED:
        return Move.STOP if traits.final else Move.SUGGEST
    if failed.by_words and failed.effect is not Effect.READ and not failed.nothing_done:
        # Whatever it says, it may say so after the effect.
        traits = ErrorClass.BAD_RESULT.traits
    cell = _find_cell(failed, traits)
    no_try_left = failed.tries >= MOST_TRIES and cell.move in _MAKES_A_TRY
    spent = failed.made >= cell.times or no_try_left
    if failed.effect is Effect.IRREVERSIBLE:
        return _choose_irreversible_move(cell, traits, spent=spent)
    move = cell.then if spent else cell.move
    probed_out = failed.made > cell.times or failed.tries > MOST_TRIES
    if move is Move.PROBE and (probed_out or not failed.can_probe):
        return Move.ASK
    return move


def _find_cell(failed: Failed, traits: ErrorTraits) -> Cell:
    # The columns of the table are called like the ways to repeat, situations like what is known.
    cell: Cell = getattr(traits, "read" if failed.effect is Effect.READ else failed.repeat)
    if cell.unless is not None:
        situation, instead = cell.unless
        if getattr(failed, situation):
            return instead
    return cell


def _choose_irreversible_move(cell: Cell, traits: ErrorTraits, *, spent: bool) -> Move:
    """A fix goes back to hold; nothing is ever made again automatically."""
    makes_a_try = cell.move in _MAKES_A_TRY or cell.move is Move.PROBE
    if cell.move in (Move.FIX, Move.FIX_NEW_KEY):
        return cell.then if spent else Move.HOLD
    if makes_a_try:
        return traits.irreversible
    return cell.then if spent else cell.move
