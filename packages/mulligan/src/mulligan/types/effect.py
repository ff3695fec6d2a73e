"""What a call can do to the world, what happens if it is made twice, and what is known of it."""

from __future__ import annotations

import contextlib
from enum import StrEnum
from typing import Literal


class Effect(StrEnum):
    """What a call can do to the world. Depends on the tool *and* the arguments."""

    READ = "read"
    """It changes nothing itself. What it does through other tools is theirs to declare: each of
    their calls is recorded, reviewed and undone on its own."""
    REVERSIBLE = "reversible"
    IRREVERSIBLE = "irreversible"
    UNDECLARED = "undeclared"
    """Not declared: it runs, is logged, and is never repeated, undone or called verified."""


EffectName = Effect | Literal["read", "reversible", "irreversible", "undeclared"]
"""As a declaration may write it: a type checker knows which words there are."""


class Repeat(StrEnum):
    """What happens if a call is made twice."""

    IDEMPOTENT = "idempotent"
    KEYED = "keyed"
    """The remote de-duplicates on our key."""
    ONCE = "once"


RepeatName = Repeat | Literal["idempotent", "keyed", "once"]


class Mode(StrEnum):
    """How far Mulligan goes, the least first: with a tool, and at most in an application."""

    OFF = "off"
    """Not even the log. Recovery still handles what was left open before."""
    OBSERVE = "observe"
    """Only the log; never holds, retries or undoes."""
    SHADOW = "shadow"
    """Calls are made as they are, and reviewed: what would have been done is only reported."""
    SUGGEST = "suggest"
    """Review, hold and undo as declared; safe repeats made; corrections offered to the agent."""
    AUTO = "auto"
    """Corrections of failing calls are applied too, under the rules of the policy."""

    @property
    def only_watches(self) -> bool:
        """Whether calls are made as they are, without hold, repeat or undo."""
        return self in {Mode.OFF, Mode.OBSERVE, Mode.SHADOW}

    @property
    def reviews(self) -> bool:
        """Whether calls are reviewed, be it only for a report."""
        return self not in {Mode.OFF, Mode.OBSERVE}

    def limit(self, most: Mode) -> Mode:
        """This mode, or `most` where that goes less far."""
        order = list(Mode)
        return min(self, most, key=order.index)


def read_limit(word: str) -> Mode:
    """How far a word lets tools go; that of a newer version, as far as calls are still held."""
    return Mode(word) if word in {*Mode} else Mode.SUGGEST


ModeName = Mode | Literal["off", "observe", "shadow", "suggest", "auto"]


class Outside(StrEnum):
    """What happens to a call with an effect that is made outside any turn."""

    TURN = "turn"
    """It is a turn of its own, without a message: recorded, checked, held if there is no undo."""
    RUN = "run"
    """It is made, and only logged."""
    REFUSE = "refuse"
    """It is an error, and not made."""


OUTSIDE = "turn.outside"
"""The rule under which calls outside any turn are counted."""


class Precheck(StrEnum):
    """When it is reported that a call is known to fail."""

    AFTER = "after"
    """With the error, once the call has failed: every other call pays nothing for it."""
    BEFORE = "before"
    """Before each call of a turn, as an event; the call is still made."""
    REFUSE = "refuse"
    """Before each call of a turn, and such a call is not made: the agent gets the reasons."""


class ProbeBy(StrEnum):
    """What a probe's answer can be told from."""

    CALL = "call"
    """It finds this very call, by its key or a mark of its own: what it finds is ours."""
    RECEIPT = "receipt"
    """It finds what this very call left in the same transaction, with the version that it wrote: an
    edit since is told by that."""
    STATE = "state"
    """It can only show what is there now: never taken for ours, as it may be a person's edit."""


ProbeName = ProbeBy | Literal["call", "receipt", "state"]


class NoVerdict(StrEnum):
    """What happens to a reversible effect when no reviewer could say."""

    PROCEED = "proceed"
    """Go on, visibly: the answer says that it is not yet checked."""
    UNDO = "undo"


class Release(StrEnum):
    """Who lets a held call run. Never a judge alone."""

    PERSON = "person"
    CHECKS = "checks"
    """The checks, if there are any and all of them are content."""


class EffectNote(StrEnum):
    """What is known of the effect of a call, where its error alone does not tell."""

    NOTHING_DONE = "nothing_done"
    """Nothing was changed before it was raised."""
    REFUSED = "refused"
    """The remote has answered that it did nothing, as it may also answer after the effect: of two
    requests that a proxy has made of one, the second is refused."""
    SOMETHING_DONE = "something_done"
    """Something may have been changed by then, whatever the error's class says of itself, and what
    changed it has answered: the error is the tool's own word."""
    DONE = "done"
    """The remote has answered that it is done, and nothing else was sent: the tool failed after."""
    UNHEARD = "unheard"
    """What was to change something gave no answer, whatever the error's class."""


_NOTED = "mulligan_effect"


def note_effect(error: BaseException, note: EffectNote | None) -> None:
    """Say of an error, of whatever class, what is known of its call's effect; `None`: nothing.

    It may be an object that was raised before, and has a note of then.
    """
    if note is None and read_effect_note(error) is None:
        return
    with contextlib.suppress(Exception):  # one that takes no notes says nothing
        setattr(error, _NOTED, note)


def read_effect_note(error: BaseException | None) -> EffectNote | None:
    """What was said of an error."""
    try:
        found = getattr(error, _NOTED, None)
    except Exception:  # noqa: BLE001 - a user's class may raise anything; it says nothing
        return None
    return found if isinstance(found, EffectNote) else None
