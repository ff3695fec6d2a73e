"""Whether a call's dates and times are what the person said."""

from mulligan.checks.dates.check import dates_as_said
from mulligan.checks.dates.facts import date_facts
from mulligan.checks.dates.hours import times_as_said

__all__ = [
    "date_facts",
    "dates_as_said",
    "times_as_said",
]
