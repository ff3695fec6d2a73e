"""Rules for times of day: 3:15pm, half past six, noon, at 7, 15h30."""

from __future__ import annotations

from mulligan.checks.dates.grammar.scan import YEARS, Found, Scan
from mulligan.checks.dates.language.tokens import Token
from mulligan.checks.dates.parts import Clock, Half, Midnight, Part, Puzzle, Zone

_HOURS = 24
_MINUTES = 60


def clock_at(scan: Scan, i: int) -> Found | None:
    """A time that shows itself to be one, wherever it stands."""
    words, tokens = scan.words, scan.tokens
    if noon := words.noon.at(tokens, i):
        return (Clock(12, half=Half.PM),), noon[1]
    if midnight := words.midnight.at(tokens, i):
        return (Midnight(),), midnight[1]
    found = _around_hour(scan, i) or _written(scan, i) or _spoken(scan, i)
    return found or _after_at(scan, i)


def bare_hour_at(scan: Scan, i: int) -> Found | None:
    """A number that is an hour only because of what stands around it."""
    words, tokens = scan.words, scan.tokens
    token = tokens[i]
    if token.number is None:
        return None
    j = i + 1
    told = scan.after(i, words.before_hour) or _day_follows(scan, j)
    if len(token.digits) == 4 and token.number not in YEARS:
        hours = words.hours_after.at(tokens, j)
        found = four_figures_at(scan, i) if told or hours else None
        return (found[0], hours[1]) if found and hours else found
    if not told or token.number > _HOURS:
        return None
    if token.number == 0 or words.units.at(tokens, j) or words.short_units.at(tokens, j):
        return None
    return (Clock(token.number),), j


def _day_follows(scan: Scan, i: int) -> bool:
    """Whether a day or a part of one comes next: 8 tonight, 9 this evening, 3 in the morning."""
    words, tokens = scan.words, scan.tokens
    which = words.which.at(tokens, i)
    return (
        words.parts.at(tokens, which[1] if which else _over_glue(scan, i)) is not None
        or words.nights.at(tokens, i) is not None
        or words.days.at(tokens, i) is not None
    )


def four_figures_at(scan: Scan, i: int) -> Found | None:
    """1925, where it is no year; 2004 may well be one."""
    token = scan.tokens[i]
    number = token.number or 0
    if number in YEARS and (number >= 2000 or scan.after(i, scan.words.of_year)):
        return (Puzzle(),), i + 1
    if len(token.digits) != 4 or not _fits(number // 100, number % 100):
        return None
    return (Clock(number // 100, number % 100, whole_day=True),), i + 1


def dotted_at(scan: Scan, i: int) -> Found | None:
    """21.00, where it is no date."""
    first, sign, second = (scan.tokens[i + n] for n in range(3))
    dotted = sign.text == "." and sign.glued and second.glued
    if not dotted or len(second.digits) != 2 or first.number is None:
        return None
    if not _fits(first.number, second.number or 0):
        return None
    clock, end = _half(scan, _told(first, second.number or 0), i + 3)
    return (clock,), scan.skip(end, scan.words.hours_after)


def part_at(scan: Scan, i: int) -> Found | None:
    """Morning, evening."""
    found = scan.words.parts.at(scan.tokens, i)
    return ((Part(found[0]),), found[1]) if found else None


def zone_at(scan: Scan, i: int) -> Found | None:
    """A zone by its letters: CET, GMT+2 is left alone."""
    found = scan.words.zones.at(scan.tokens, i)
    return ((Zone(found[0]),), found[1]) if found else None


def _around_hour(scan: Scan, i: int) -> Found | None:
    """Half past six, quarter to 9, twenty after 3pm, half three."""
    words, tokens = scan.words, scan.tokens
    if named := words.half_past.at(tokens, i):
        return _moved(scan, named[1], named[0])
    if half := words.half.at(tokens, i):
        hour = tokens[half[1]]
        if hour.number is not None and 0 < hour.number <= 12 and not _counted(scan, half[1]):
            return _moved(scan, half[1], half[0])
    minutes = tokens[i].number
    if minutes is None or not 0 < minutes < _MINUTES or scan.after(i, words.range_openings):
        return None
    j = scan.skip(i + 1, words.minutes)
    if j == i + 1 and minutes % 5:
        return None
    if past := words.past.at(tokens, j):
        return _moved(scan, past[1], minutes)
    to = words.to.at(tokens, j)
    if to is None:
        return None
    found = _moved(scan, to[1], -minutes)
    if found and j == i + 1 and tokens[i].digits and minutes <= 12:
        # 5 to 7: from five on, or five minutes before seven.
        return (Puzzle(),), found[1]
    return found


def _moved(scan: Scan, i: int, minutes: int) -> Found | None:
    """The hour at `i`, moved by some minutes."""
    words, tokens = scan.words, scan.tokens
    if noon := words.noon.at(tokens, i):
        return (_move(Clock(12, half=Half.PM), minutes),), noon[1]
    hour = tokens[i].number
    if hour is None or not 0 < hour < _HOURS or tokens[i + 1].text == ":" or _counted(scan, i):
        return None
    j = scan.skip(i + 1, words.hour_mark)
    clock, end = _half(scan, Clock(hour, whole_day=j > i + 1), j)
    return (_move(clock, minutes),), end


def _counted(scan: Scan, i: int) -> bool:
    """Whether the number at `i` counts something: 5 to 10 minutes."""
    return scan.words.units.at(scan.tokens, i + 1) is not None


def _move(clock: Clock, minutes: int) -> Clock:
    total = (clock.hour * _MINUTES + minutes) % (_HOURS * _MINUTES)
    hour, minute = divmod(total, _MINUTES)
    if clock.half is not None and clock.hour == 12 and minutes < 0:
        # A quarter to noon is in the other half of the day.
        other = Half.AM if clock.half is Half.PM else Half.PM
        return Clock(hour, minute, half=other)
    return Clock(hour or 12, minute, half=clock.half, whole_day=clock.whole_day)


def _written(scan: Scan, i: int) -> Found | None:
    """3:15, 15:30:20, 8.30pm, 15h30, 3pm, 330pm, 7 o'clock."""
    words, tokens = scan.words, scan.tokens
    first, sign, second = tokens[i], tokens[i + 1], tokens[i + 2]
    if not first.digits or first.number is None:
        return None
    if sign.text == ":" and sign.glued and len(second.digits) == 2:
        return _with_minutes(scan, i)
    counted = words.forth.at(tokens, i + 2) or words.back.at(tokens, i + 2)
    if words.hour_mark.at(tokens, i + 1) and first.number < _HOURS and sign.glued and not counted:
        minute = second.number if second.glued and len(second.digits) == 2 else None
        return (Clock(first.number, minute or 0, whole_day=True),), i + 2 + (minute is not None)
    if sign.text == "." and (words.halves.at(tokens, i + 3) or scan.after(i, words.before_hour)):
        return dotted_at(scan, i)
    return _by_half(scan, i)


def _with_minutes(scan: Scan, i: int) -> Found | None:
    tokens = scan.tokens
    hour, minute = tokens[i], tokens[i + 2]
    if not _fits(hour.number or 0, minute.number or 0) or len(hour.digits) > 2:
        return None
    j, second = i + 3, None
    if tokens[j].text == ":" and len(tokens[j + 1].digits) == 2:
        second, j = tokens[j + 1].number, j + 2
        if second is not None and second >= _MINUTES:
            return None
    clock, end = _half(scan, _told(hour, minute.number or 0, second), j)
    return (clock,), scan.skip(end, scan.words.hours_after)


def _by_half(scan: Scan, i: int) -> Found | None:
    """3pm, 330 p.m., 7 o'clock, 3ish pm."""
    words, tokens = scan.words, scan.tokens
    token = tokens[i]
    number = token.number or 0
    j = scan.skip(scan.skip(i + 1, words.oclock), words.roughly)
    clock = Clock(number)
    if len(token.digits) in (3, 4):
        if not _fits(number // 100, number % 100):
            return None
        clock = Clock(number // 100, number % 100)
    told, end = _half(scan, clock, j)
    if told.half is None and j == i + 1:
        return None
    fits = 0 < clock.hour <= _HOURS or token.digits[:1] == "0"
    return ((told,), scan.skip(end, words.roughly)) if fits else None


def _spoken(scan: Scan, i: int) -> Found | None:
    """One thirty p.m., seven o'clock, three p.m.; at three twenty."""
    words, tokens = scan.words, scan.tokens
    hour, minute = tokens[i], tokens[i + 1]
    if hour.number is None or hour.digits or not 0 < hour.number <= 12:
        return None
    j = scan.skip_sign(i + 1, "-")
    minute = tokens[j]
    if minute.number is not None and not minute.digits and 10 <= minute.number < _MINUTES:
        clock, end = _half(scan, Clock(hour.number, minute.number), scan.skip(j + 1, words.minutes))
        told = clock.half is not None or scan.after(i, words.before_hour) or j > i + 1
        told = told or scan.whole(i, end)
        inside = i > 0 and tokens[i - 1].ordinal is not None
        return ((clock,), end) if told or inside else None
    clock, end = _half(scan, Clock(hour.number), scan.skip(i + 1, words.oclock))
    return ((clock,), end) if clock.half or end > i + 1 else None


def _after_at(scan: Scan, i: int) -> Found | None:
    """At 3 15: an hour and minutes with nothing between."""
    hour, minute = scan.tokens[i], scan.tokens[i + 1]
    if not (hour.digits and len(minute.digits) == 2 and scan.after(i, scan.words.before_hour)):
        return None
    if not _fits(hour.number or 0, minute.number or 0) or not hour.number:
        return None
    if scan.words.units.at(scan.tokens, i + 2) or scan.tokens[i + 2].text in (":", "/", "."):
        return None
    clock, end = _half(scan, Clock(hour.number, minute.number or 0), i + 2)
    return (clock,), end


def _half(scan: Scan, clock: Clock, i: int) -> tuple[Clock, int]:
    """The clock with a.m. or p.m. if that follows."""
    found = scan.words.halves.at(scan.tokens, i)
    if found is None:
        return clock, i
    return Clock(clock.hour, clock.minute, clock.second, half=found[0]), found[1]


def _told(hour: Token, minute: int, second: int | None = None) -> Clock:
    """08:00 is told as on a railway clock, 8:00 may be in the evening; 12:30 is past noon."""
    number = hour.number or 0
    exact = hour.digits.startswith("0") or number == 12
    return Clock(number, minute, second, whole_day=exact)


def _fits(hour: int, minute: int) -> bool:
    return 0 <= hour < _HOURS and 0 <= minute < _MINUTES


def _over_glue(scan: Scan, i: int) -> int:
    for _ in range(3):
        after = scan.skip(i, scan.words.glue)
        if after == i:
            break
        i = after
    return i
