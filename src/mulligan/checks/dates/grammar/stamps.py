"""The rule for time stamps as machines write them: 2019-03-04T10:00:00Z, 2019-03-04 10:00."""

from __future__ import annotations

from mulligan.checks.dates.grammar.clocks import clock_shows, offset_at
from mulligan.checks.dates.grammar.numeric import figures_at
from mulligan.checks.dates.grammar.scan import Found, Scan, half_at
from mulligan.checks.dates.parts import Clock, MonthDay, Zone

_YEAR_FIRST = (len("2019"), len("20190304"))
_MARK = "t"
_GREENWICH = "z"


def stamp_at(scan: Scan, i: int) -> Found | None:
    """A date that begins with its year, and a time on a clock of 24 hours."""
    if len(scan.tokens[i].digits) not in _YEAR_FIRST:
        return None
    match figures_at(scan, i):
        case ((MonthDay() as day,), end):
            clock = _clock(scan, end)
        case _:
            return None
    if clock is None:
        return None
    zone = _zone(scan, clock[1], marked=_marked(scan, end))
    return ((day, clock[0], Zone(zone[0])), zone[1]) if zone else ((day, clock[0]), clock[1])


def _marked(scan: Scan, i: int) -> bool:
    return scan.tokens[i].text == _MARK and scan.tokens[i].glued


def _clock(scan: Scan, i: int) -> tuple[Clock, int] | None:
    """10:00, 10:00:30.123; behind the mark also 1000 and 100030."""
    marked = _marked(scan, i)
    i += marked
    first = scan.tokens[i].digits
    if marked and len(first) in (4, 6):
        hour, minute, second, end = first[:2], first[2:4], first[4:], i + 1
    else:
        colon, minute, end = scan.tokens[i + 1].text, scan.tokens[i + 2].digits, i + 3
        hour, second = first, ""
        if colon != ":" or len(hour) != 2 or len(minute) != 2:
            return None
        if scan.tokens[end].text == ":" and len(scan.tokens[end + 1].digits) == 2:
            second, end = scan.tokens[end + 1].digits, end + 2
    if second and scan.tokens[end].text == "." and scan.tokens[end + 1].digits:
        end += 2
    halved = half_at(scan, end) is not None
    if halved or not clock_shows(int(hour), int(minute)) or not clock_shows(0, int(second or 0)):
        return None
    clock = Clock(int(hour), int(minute), int(second) if second else None, whole_day=True)
    return clock, scan.skip(end, scan.words.hours_after)


def _zone(scan: Scan, i: int, *, marked: bool) -> tuple[int, int] | None:
    """Z, +02:00; without the mark before the time, 10:00-12:00 is a range."""
    token = scan.tokens[i]
    if not token.glued:
        return None
    if token.text == _GREENWICH:
        return 0, i + 1
    return offset_at(scan, i) if marked or token.text == "+" else None
