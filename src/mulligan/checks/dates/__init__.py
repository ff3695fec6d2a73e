"""What people mean by a date, and whether a call's dates are what the person said."""

from mulligan.checks.dates.calculate import calculate_datetime
from mulligan.checks.dates.check import dates_as_said
from mulligan.checks.dates.conventions import Convention, choose_pins
from mulligan.checks.dates.facts import date_facts
from mulligan.checks.dates.hours import times_as_said

__all__ = [
    "Convention",
    "calculate_datetime",
    "choose_pins",
    "date_facts",
    "dates_as_said",
    "times_as_said",
]
