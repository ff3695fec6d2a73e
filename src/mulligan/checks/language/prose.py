"""What is listened for in texts that models write: a judge's findings, the notes of a task."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mulligan.checks.language.requests import NEVER, NOTHING
from mulligan.core.runtime.dataclass import dataclass

_SHORT = 3
"""Letters by which months are told apart."""


def build_dates(
    months: Sequence[str] = (), *, ordinal: str = "", before: str = "", of: str = ""
) -> re.Pattern[str]:
    """A pattern for dates in figures, and with these months in words.

    The others are patterns too: what may stand behind a day's number, before it, and behind both.
    """
    name = "|".join(f"{each[:_SHORT]}(?:{each[_SHORT:]})?" for each in months) or "(?!)"
    return re.compile(
        r"\b(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
        r"(?P<time>[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
        rf"|\b(?P<name1>{name})\.? (?P<day1>\d{{1,2}})(?:{ordinal})?\b(?:,? (?P<year1>\d{{4}})\b)?"
        rf"|\b(?:{before})?(?P<day2>\d{{1,2}})(?:{ordinal})?\.? (?:{of})?(?P<name2>{name})\b\.?"
        r"(?:,? (?P<year2>\d{4})\b)?"
        r"|\b(?P<left>\d{1,2})(?P<dot>[./])(?P<right>\d{1,2})(?P=dot)(?P<year3>\d{4})\b",
        re.IGNORECASE,
    )


def build_weekdays(days: Sequence[tuple[str, str]]) -> re.Pattern[str]:
    """A pattern for weekdays: in full however written, and short ones with their capital."""
    return re.compile(
        "|".join(
            rf"\b(?P<w{number}>(?i:{full})|{short})\b" for number, (full, short) in enumerate(days)
        )
    )


IN_FIGURES = build_dates()
"""What is a date in every language."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProsePhrases:
    """By what claims in a text are told, a field or a few for each kind."""

    months: tuple[str, ...] = ()
    """January to December."""
    dates: re.Pattern[str] = IN_FIGURES
    weekdays: re.Pattern[str] = NEVER
    tying: frozenset[str] = NOTHING
    """Between a date and a weekday, these leave the one said of the other; any other parts them."""
    denying: frozenset[str] = NOTHING
    placing: frozenset[str] = NOTHING
    """What an agent did with a date; a weekday after it is the one that was used."""
    leading: frozenset[str] = NOTHING
    """What may stand between the two: moved it *to the* Friday."""
    wanting: frozenset[str] = NOTHING
    """In a clause with one of these, a weekday is the one that was wanted."""
    clause_end: re.Pattern[str] = NEVER

    no_such_id: re.Pattern[str] = NEVER
    """Says of an id that there is none."""
    use: str = ""
    """The pattern before a value that is proposed: *use the id*; empty where nothing tells."""

    overrides: re.Pattern[str] = NEVER
    """Sets itself above the task."""
    hands_out: re.Pattern[str] = NEVER
    """Asks for secrets."""
    poses: re.Pattern[str] = NEVER
    """Poses as something other than a note."""

    def find_month(self, name: str) -> int:
        """The number of a month that `dates` has found."""
        short = name[:_SHORT].lower()
        return next(n for n, full in enumerate(self.months, 1) if full.startswith(short))
