"""The rule for time stamps as machines write them: 2019-03-04T10:00:00Z, 2019-03-04 10:00."""

from __future__ import annotations

from mulligan.checks.dates.grammar.clocks import is_clock_time, parse_offset
from mulligan.checks.dates.grammar.numeric import parse_numeric_date
from mulligan.checks.dates.grammar.scan import Found, Scan, parse_half
from mulligan.checks.dates.parts import Clock, MonthDay, Zone

_YEAR_FIRST = (len("2019"), len("20190304"))
_MARK = "t"
_GREENWICH = "z"


def parse_stamp(scan: Scan, i: int) -> Found | None:
    """A date that begins with its year, and a time on a clock of 24 hours."""
    if len(scan.tokens[i].digits) not in _YEAR_FIRST:
        return None
    match parse_numeric_date(scan, i):
        case ((MonthDay() as day,), end):
            clock = _parse_stamp_clock(scan, end)
        case _:
            return None
    if clock is None:
        return None
    zone = _parse_stamp_zone(scan, clock[1], marked=_is_marked(scan, end))
    return ((day, clock[0], Zone(zone[0])), zone[1]) if zone else ((day, clock[0]), clock[1])


def _is_marked(scan: Scan, i: int) -> bool:
    return scan.tokens[i].text == _MARK and scan.tokens[i].glued


def _parse_stamp_clock(scan: Scan, i: int) -> tuple[Clock, int] | None:
    """10:00, 10:00:30.123; behind the mark also 1000 and 100030."""
    marked = _is_marked(scan, i)
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
    halved = parse_half(scan, end) is not None
    if (
        halved
        or not is_clock_time(int(hour), int(minute))
        or not is_clock_time(0, int(second or 0))
    ):
        return None
    clock = Clock(int(hour), int(minute), int(second) if second else None, whole_day=True)
    return clock, scan.skip(end, scan.words.hours_after)


def _parse_stamp_zone(scan: Scan, i: int, *, marked: bool) -> tuple[int, int] | None:
    """Z, +02:00; without the mark before the time, 10:00-12:00 is a range."""
    token = scan.tokens[i]
    if not token.glued:
        return None
    if token.text == _GREENWICH:
        return 0, i + 1
    return parse_offset(scan, i) if marked or token.text == "+" else None
