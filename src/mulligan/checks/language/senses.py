"""What words about time come to, whatever the language: its tables map words to these."""

from __future__ import annotations

from enum import StrEnum


class Unit(StrEnum):
    """Stretches of time that people count in."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    FORTNIGHT = "fortnight"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


class Which(StrEnum):
    """Which of its kind: this week, next Friday, the weekend after next."""

    BEFORE_LAST = "before last"
    LAST = "last"
    PAST = "past"
    """The one just gone."""
    THIS = "this"
    COMING = "coming"
    """The one about to come."""
    NEXT = "next"
    AFTER_NEXT = "after next"


class Half(StrEnum):
    """Of a day."""

    AM = "am"
    PM = "pm"


class DayPart(StrEnum):
    """What people call the hours of a day."""

    MORNING = "morning"
    LUNCH = "lunch"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    NIGHT = "night"


class Side(StrEnum):
    """Of a stretch of time."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


class Limit(StrEnum):
    """What stands before an expression and makes it the edge of something."""

    SINCE = "since"
    UNTIL = "until"
    BEFORE = "before"
    AFTER = "after"
