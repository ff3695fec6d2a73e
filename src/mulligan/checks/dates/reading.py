"""What a time expression can mean: readings, each with the conventions it rests on."""

from __future__ import annotations

from dataclasses import field
from datetime import date, datetime, timedelta
from enum import IntEnum

from mulligan.checks.dates.conventions import Convention
from mulligan.core.runtime.dataclass import dataclass


class Grain(IntEnum):
    """How finely a reading is told, from a second to a stretch of time."""

    SECOND = 0
    MINUTE = 1
    PART = 2
    """A part of a day: a morning, an evening. Where it begins is anyone's guess."""
    DAY = 3
    SPAN = 4
    """A stretch with a first and a last moment: a week, a month, from three to five."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One thing an expression can mean, on the clock of the person who said it."""

    start: datetime
    """Naive: what the person's own clock and calendar show."""
    end: datetime
    """The first moment after it; the same as `start` for a moment."""
    grain: Grain
    rests_on: frozenset[Convention] = field(default_factory=frozenset)
    """Empty where nobody disagrees."""

    @property
    def last_day(self) -> date:
        """The last day it touches."""
        if self.end <= self.start:
            return self.start.date()
        return (self.end - timedelta(microseconds=1)).date()

    @property
    def is_past_side(self) -> bool:
        """Whether it is the one of two sides that is over."""
        return Convention.SIDE_PAST in self.rests_on

    def holds_day(self, day: date) -> bool:
        """Whether any of it falls on that day."""
        return self.start.date() <= day <= self.last_day


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """Words of a message that speak of time, and everything they can mean."""

    text: str
    start: int
    """Where in the message, as `message[start:end]`."""
    end: int
    readings: tuple[Reading, ...]
    """Empty: these words speak of time, and nobody here can say which."""
    mentions: tuple[Reading, ...] = ()
    """What it is reckoned from: the Friday of "a week after Friday"."""
    vague: bool = False
    """"A few days": the readings are a guess at what others would take it for."""
    dated: bool = True
    """Whether it says a day, and not only a time of one."""
    binding: bool = True
    """Whether it says when something shall be, and not only which thing is spoken of."""
    open_start: bool = False
    """Until Friday: what goes on until then may have begun at any time."""
    exact: bool = True
    """Whether nothing says that it is only about then, or an edge: around 7, before 7."""
    looks_back: bool = False
    """Whether its message may speak of what was, so that a side that is over can be meant."""
    superseded: bool = False
    """The person corrected it later in the same message."""
    source: bool = False
    """Where something was: "from Wednesday", of what is moved to another day."""
    refuses: tuple[Reading, ...] = ()
    """What the person ruled out: "not Thursday". It has no readings then."""
    ranged: bool = False
    """It tells both ends: from Monday to Friday."""
    leans: bool = False
    """Half an hour *later*: than now, or than what a call changes was."""
    quoted: bool = False
    """It stands in quotation marks: it is of a text, and says nothing to the agent."""
    clause: int = 0
    """Which clause of the message it is in."""

    @property
    def known(self) -> bool:
        """Whether it can be held against a date."""
        return bool(self.readings) and not self.vague
