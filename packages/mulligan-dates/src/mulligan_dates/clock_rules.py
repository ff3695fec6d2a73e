"""Rules for times of day: 3:15pm, half past six, noon, at 7, 15h30."""

from __future__ import annotations

from mulligan_dates.parts import Clock, Midnight, Part, Puzzle, ThisTime, Zone
from mulligan_dates.scan import (
    HIGHEST_MONTH,
    YEARS,
    Found,
    Scan,
    goes_on,
    is_counted,
    parse_half,
    parse_minutes_after_word,
    read_day_number,
)
from mulligan_dates.tables import Half
from mulligan_dates.tokens import Token

_HOURS = 24
_MINUTES = 60
_FURTHEST = 14
"""Hours between Greenwich and the zone that is first to see a day."""


def parse_clock(scan: Scan, i: int) -> Found | None:
    """A time that shows itself to be one, in any position."""
    words, tokens = scan.words, scan.tokens
    if noon := words.noon.match(tokens, i):
        return (Clock(12, half=Half.PM),), noon[1]
    if midnight := words.midnight.match(tokens, i):
        return (Midnight(),), midnight[1]
    found = _parse_around_hour(scan, i) or _parse_written(scan, i) or _parse_spoken(scan, i)
    return found or _parse_spaced_clock(scan, i)


def parse_bare_hour(scan: Scan, i: int) -> Found | None:
    """A number that is an hour only because of what stands around it."""
    words, tokens = scan.words, scan.tokens
    token = tokens[i]
    if token.number is None:
        return None
    j = i + 1
    told = scan.is_after(i, words.before_hour) or _precedes_day(scan, j)
    hours = words.hours_after.match(tokens, j)
    if len(token.digits) == 4 and (hours or token.number not in YEARS):
        told = told or _opens(scan, i, j)
        found = parse_four_figures(scan, i) if told or hours else None
        return (found[0], hours[1]) if found and hours else found
    if len(token.digits) == 3 and scan.is_after(i, words.at) and _precedes_day(scan, j):
        hour, minute = divmod(token.number, 100)
        return ((Clock(hour, minute),), j) if is_clock_time(hour, minute) else None
    if not told or token.number > _HOURS or _is_piece(scan, j):
        return None
    if tokens[j].text[:1].isalpha() and not scan.is_after(i, words.at) and not goes_on(scan, j):
        # About 5 people, after 5 beers.
        return None
    if token.number == 0 or words.units.match(tokens, j) or words.short_units.match(tokens, j):
        return None
    return (Clock(token.number),), j


def _is_piece(scan: Scan, i: int) -> bool:
    """Whether the figures before `i` go on: about 12*:1*, 3*.5* km."""
    sign, after = scan.tokens[i], scan.tokens[i + 1]
    return sign.text in (":", ".", ",", "/") and sign.glued and after.glued and bool(after.digits)


def _precedes_day(scan: Scan, i: int) -> bool:
    """Whether a day or a part of one comes next: 8 tonight, 9 this evening, 3 in the morning."""
    words, tokens = scan.words, scan.tokens
    which = words.which.match(tokens, i)
    return (
        words.parts.match(tokens, which[1] if which else _skip_glue(scan, i)) is not None
        or words.nights.match(tokens, i) is not None
        or words.days.match(tokens, i) is not None
    )


def _opens(scan: Scan, i: int, j: int) -> bool:
    """Whether figures from `i` to `j` come first of all, and a day after them: 1730 on Friday."""
    return (i == 0 or scan.tokens[i].digits.startswith("0")) and _precedes_any_day(scan, j)


def _precedes_any_day(scan: Scan, i: int) -> bool:
    """Whether a day comes next in whatever way it is told: on Friday, Oct 24, 24 October."""
    if _precedes_day(scan, i):
        return True
    words, tokens = scan.words, scan.tokens
    j = _skip_glue(scan, i)
    which = words.which.match(tokens, j)
    if words.days.match(tokens, j) or words.weekdays.match(tokens, which[1] if which else j):
        return True
    if tokens[j].ordinal is not None and tokens[j].digits:
        return True
    month = words.months.match(tokens, j)
    if month is not None:
        return read_day_number(tokens[month[1]]) is not None
    of = scan.skip(j + 1, words.of)
    return read_day_number(tokens[j]) is not None and words.months.match(tokens, of) is not None


def parse_four_figures(scan: Scan, i: int) -> Found | None:
    """1925, where it is no year; 2004 may well be one."""
    token = scan.tokens[i]
    number = token.number or 0
    if number in YEARS and (number >= 2000 or scan.is_after(i, scan.words.of_year)):
        return (Puzzle(),), i + 1
    if len(token.digits) != 4 or not is_clock_time(number // 100, number % 100):
        return None
    return (Clock(number // 100, number % 100, whole_day=True),), i + 1


def parse_lone_figures(scan: Scan, i: int) -> Found | None:
    """Tomorrow *0900*, if nothing follows that there could be so many of."""
    alone = not scan.tokens[i + 1].text[:1].isalnum()
    return parse_four_figures(scan, i) if alone else None


def parse_hour_of_part(scan: Scan, i: int) -> Found | None:
    """Tonight *7*, if nothing follows that there could be so many of."""
    token, alone = scan.tokens[i], not scan.tokens[i + 1].text[:1].isalnum()
    told = token.number is not None and 0 < token.number <= _HOURS // 2 and len(token.digits) < 3
    signed = scan.tokens[i + 1].text in (":", ".", "/", "-") and scan.tokens[i + 2].glued
    return ((Clock(token.number or 0),), i + 1) if told and alone and not signed else None


def parse_dotted_minutes(scan: Scan, i: int) -> Found | None:
    """Tomorrow *5.30*: what stands behind the dot is no month."""
    sign, minutes, after = scan.tokens[i + 1 : i + 4]
    month = 0 < (minutes.number or 0) <= HIGHEST_MONTH
    joined = sign.text == "." and after.glued and after.text == "."
    return None if month or joined else parse_dotted_clock(scan, i)


def parse_clock_after_date(scan: Scan, i: int) -> Found | None:
    """3.11. *14.30*; but 3.11. - *5.12.* goes on with a date."""
    words, tokens = scan.words, scan.tokens
    month = 0 < (tokens[i + 2].number or 0) <= HIGHEST_MONTH
    joined = tokens[i + 3].text == "." and tokens[i + 3].glued
    listed = scan.is_after(i, words.through) or (i > 0 and tokens[i - 1].text == ",")
    timed = scan.is_after(i, words.before_hour) and not listed
    told = timed or words.hours_after.match(tokens, i + 3) or parse_half(scan, i + 3)
    return None if month and (joined or listed) and not told else parse_dotted_clock(scan, i)


def parse_dotted_clock(scan: Scan, i: int) -> Found | None:
    """21.00, where it is no date."""
    first, sign, second = scan.tokens[i : i + 3]
    dotted = sign.text == "." and sign.glued and second.glued
    if not dotted or len(second.digits) != 2 or first.number is None:
        return None
    if not is_clock_time(first.number, second.number or 0):
        return None
    clock, end = _attach_half(scan, _make_clock(first, second.number or 0), i + 3)
    return (clock,), scan.skip(end, scan.words.hours_after)


def parse_day_part(scan: Scan, i: int) -> Found | None:
    """Morning, evening."""
    found = scan.words.parts.match(scan.tokens, i)
    return ((Part(found[0]),), found[1]) if found else None


def parse_this_time(scan: Scan, i: int) -> Found | None:
    """*This time* tomorrow; alone, this time is only one of several."""
    words, tokens = scan.words, scan.tokens
    found = words.this_time.match(tokens, i)
    if found is None:
        return None
    j = scan.skip(found[1], words.on)
    which = words.which.match(tokens, j)
    days = words.days.match(tokens, j) or words.weekdays.match(tokens, which[1] if which else j)
    told = days or (which and words.units.match(tokens, which[1]))
    return ((ThisTime(),), found[1]) if told else None


def parse_this_time_inside(scan: Scan, i: int) -> Found | None:
    """Tomorrow at *this time*."""
    found = scan.words.this_time.match(scan.tokens, i)
    told = found and scan.is_after(i, scan.words.at)
    return ((ThisTime(),), found[1]) if found and told else None


def parse_zone(scan: Scan, i: int) -> Found | None:
    """A zone by its letters, and by how far it is from Greenwich: CET, GMT+2."""
    found = scan.words.zones.match(scan.tokens, i)
    if found is None:
        return _parse_mail_zone(scan, i)
    if isinstance(found[0], str):
        # 3pm PT; but fils et fille.
        short = found[1] == i + 1 and not scan.tokens[i].shouted
        return None if short else ((Zone(place=found[0]),), found[1])
    offset = parse_offset(scan, found[1])
    if offset is None:
        return (Zone(found[0]),), found[1]
    # EST-5 is said by some for EST, and by others for another zone.
    return ((Zone(offset[0]) if found[0] == 0 else Puzzle(),), offset[1])


def _parse_mail_zone(scan: Scan, i: int) -> Found | None:
    """10:00:00 *-0530*, as mails have it: behind seconds, it is no range."""
    apart = i > 3 and not scan.tokens[i].glued
    seconds = apart and [each.text for each in scan.tokens[i - 4 : i : 2]] == [":", ":"]
    offset = parse_offset(scan, i) if seconds and len(scan.tokens[i + 1].digits) == 4 else None
    return ((Zone(offset[0]),), offset[1]) if offset else None


def parse_offset(scan: Scan, i: int) -> tuple[int, int] | None:
    """+2, -05:30, +0530: minutes east of Greenwich, and where they end."""
    sign, hours, colon, minutes = scan.tokens[i : i + 4]
    if sign.text not in ("+", "-") or not (hours.glued and hours.digits):
        return None
    number, end = hours.number or 0, i + 2
    hour, minute = divmod(number, 100) if len(hours.digits) == 4 else (number, 0)
    if colon.text == ":" and len(minutes.digits) == 2:
        minute, end = minutes.number or 0, i + 4
    if hour > _FURTHEST or minute >= _MINUTES:
        return None
    east = _MINUTES * hour + minute
    return (-east if sign.text == "-" else east), end


def _parse_around_hour(scan: Scan, i: int) -> Found | None:
    """Half past six, quarter to 9, twenty after 3pm, half three."""
    words, tokens = scan.words, scan.tokens
    if named := words.half_past.match(tokens, i):
        return _parse_moved_hour(scan, named[1], named[0])
    if half := words.half.match(tokens, i):
        hour = tokens[half[1]]
        if hour.number is not None and 0 < hour.number <= 12 and not is_counted(scan, half[1]):
            return _parse_moved_hour(scan, half[1], half[0])
    minutes = tokens[i].number
    if minutes is None or not 0 < minutes < _MINUTES or scan.is_after(i, words.range_openings):
        return None
    j = scan.skip(i + 1, words.minutes)
    if j == i + 1 and minutes % 5:
        return None
    if past := words.past.match(tokens, j):
        return _parse_moved_hour(scan, past[1], minutes)
    to = words.to.match(tokens, j)
    if to is None:
        return None
    found = _parse_moved_hour(scan, to[1], -minutes)
    if found and j == i + 1 and tokens[i].digits and minutes <= 12:
        # 5 to 7: from five on, or five minutes before seven.
        return (Puzzle(),), found[1]
    return found


def _parse_moved_hour(scan: Scan, i: int, minutes: int) -> Found | None:
    """The hour at `i`, moved by some minutes: fünf vor *halb acht*."""
    words, tokens = scan.words, scan.tokens
    if noon := words.noon.match(tokens, i):
        return (_move_clock(Clock(12, half=Half.PM), minutes),), noon[1]
    if half := words.half.match(tokens, i):
        i, minutes = half[1], minutes + half[0]
    hour = tokens[i].number
    if hour is None or not 0 < hour < _HOURS or tokens[i + 1].text == ":" or is_counted(scan, i):
        return None
    j = scan.skip(i + 1, words.hour_mark)
    clock, end = _attach_half(scan, Clock(hour, whole_day=j > i + 1), scan.skip(j, words.hour_word))
    return (_move_clock(clock, minutes),), end


def _move_clock(clock: Clock, minutes: int) -> Clock:
    total = (clock.hour * _MINUTES + minutes) % (_HOURS * _MINUTES)
    hour, minute = divmod(total, _MINUTES)
    if clock.half is not None and clock.hour == 12 and minutes < 0:
        # A quarter to noon is in the other half of the day.
        other = Half.AM if clock.half is Half.PM else Half.PM
        return Clock(hour, minute, half=other)
    return Clock(hour or 12, minute, half=clock.half, whole_day=clock.whole_day)


def _parse_written(scan: Scan, i: int) -> Found | None:
    """3:15, 15:30:20, 8.30pm, 15h30, 3pm, 330pm, 7 o'clock."""
    words, tokens = scan.words, scan.tokens
    first, sign, second = tokens[i], tokens[i + 1], tokens[i + 2]
    if not first.digits or first.number is None:
        return None
    if sign.text == ":" and sign.glued and len(second.digits) == 2:
        return _parse_colon_clock(scan, i)
    counted = (
        words.forth.match(tokens, i + 2)
        or words.back.match(tokens, i + 2)
        or _is_duration(scan, i + 2)
    )
    if (
        words.hour_mark.match(tokens, i + 1)
        and first.number < _HOURS
        and sign.glued
        and not counted
    ):
        minute = second.number if second.glued and len(second.digits) == 2 else None
        return (Clock(first.number, minute or 0, whole_day=True),), i + 2 + (minute is not None)
    if sign.text == ".":
        marked = parse_half(scan, i + 3) or words.hour_word.match(tokens, i + 3)
        if marked or scan.is_after(i, words.before_hour):
            return parse_dotted_clock(scan, i)
        if scan.is_whole(i, i + 3) or words.days.match(tokens, i + 3) or _opens(scan, i, i + 3):
            return parse_dotted_minutes(scan, i)
    return _parse_with_half(scan, i)


def _is_duration(scan: Scan, i: int) -> bool:
    """2h*45m*, 2h*45 ago*: minutes that are counted."""
    words, tokens = scan.words, scan.tokens
    if not (tokens[i].glued and tokens[i].digits):
        return False
    unit = tokens[i + 1].glued and (words.glued_units.match(tokens, i + 1) or is_counted(scan, i))
    return bool(unit or words.ago.match(tokens, i + 1))


def _parse_colon_clock(scan: Scan, i: int) -> Found | None:
    tokens = scan.tokens
    hour, minute = tokens[i], tokens[i + 2]
    if not is_clock_time(hour.number or 0, minute.number or 0) or len(hour.digits) > 2:
        return None
    j, second = i + 3, None
    if tokens[j].text == ":" and len(tokens[j + 1].digits) == 2:
        second, j = tokens[j + 1].number, j + 2
        if second is not None and second >= _MINUTES:
            return None
        if (
            tokens[j].text == "."
            and tokens[j].glued
            and tokens[j + 1].glued
            and tokens[j + 1].digits
        ):
            j += 2
    clock, end = _attach_half(scan, _make_clock(hour, minute.number or 0, second), j)
    return (clock,), scan.skip(end, scan.words.hours_after)


def _parse_with_half(scan: Scan, i: int) -> Found | None:
    """3pm, 330 p.m., 7 o'clock, 3ish pm."""
    words, tokens = scan.words, scan.tokens
    token = tokens[i]
    number = token.number or 0
    if number < _HOURS and (minute := parse_minutes_after_word(scan, i + 1)):
        return (Clock(number, minute[0], whole_day=number > _HOURS // 2),), minute[1]
    j = scan.skip(scan.skip(i + 1, words.oclock), words.roughly)
    clock = Clock(number)
    if len(token.digits) in (3, 4):
        if not is_clock_time(number // 100, number % 100):
            return None
        clock = Clock(number // 100, number % 100)
    told, end = _attach_half(scan, clock, j)
    if told.half is None and j == i + 1:
        return None
    if told.half and len(token.digits) < 3 and not 0 < number <= _HOURS // 2:
        # 13pm, 0pm: one of the two is a slip.
        return (Puzzle(),), end
    fits = 0 < clock.hour <= _HOURS or token.digits[:1] == "0"
    return ((told,), scan.skip(end, words.roughly)) if fits else None


def _parse_spoken(scan: Scan, i: int) -> Found | None:
    """One thirty p.m., five oh five, seven o'clock, three p.m.; at three twenty."""
    words, tokens = scan.words, scan.tokens
    hour = tokens[i]
    if hour.number is None or hour.digits or not 0 < hour.number <= 12:
        return None
    if minute := _parse_spoken_minute(scan, i + 1):
        clock, end = _attach_half(
            scan, Clock(hour.number, minute[0]), scan.skip(minute[1], words.minutes)
        )
        told = clock.half is not None or scan.is_after(i, words.before_hour)
        told = told or tokens[i + 1].text == "-" or scan.is_whole(i, end)
        return ((clock,), end) if told or _precedes_any_day(scan, end) else None
    if minute := parse_minutes_after_word(scan, i + 1):
        return (Clock(hour.number, minute[0]),), minute[1]
    clock, end = _attach_half(scan, Clock(hour.number), scan.skip(i + 1, words.oclock))
    return ((clock,), end) if clock.half or end > i + 1 else None


def parse_spoken_inside(scan: Scan, i: int) -> Found | None:
    """Friday *nine thirty*: after a day, two spelled-out numbers are an hour and its minutes."""
    hour, minute = scan.tokens[i], _parse_spoken_minute(scan, i + 1)
    if minute is None or hour.digits or not 0 < (hour.number or 0) <= _HOURS // 2:
        return None
    return (Clock(hour.number or 0, minute[0]),), minute[1]


def _parse_spoken_minute(scan: Scan, i: int) -> tuple[int, int] | None:
    """Five *thirty*, five-*thirty*, five *oh five*: the minute, and where it ends."""
    oh = scan.words.oh.match(scan.tokens, i)
    j = oh[1] if oh else scan.skip_sign(i, "-")
    token = scan.tokens[j]
    fits = range(1, 10) if oh else range(10, _MINUTES)
    told = token.number is not None and not token.digits and token.number in fits
    return (token.number or 0, j + 1) if told else None


def _parse_spaced_clock(scan: Scan, i: int) -> Found | None:
    """At 3 15, 5 30 pm: an hour and minutes with nothing between."""
    hour, minute = scan.tokens[i], scan.tokens[i + 1]
    if not (hour.digits and len(minute.digits) == 2):
        return None
    half = parse_half(scan, i + 2) and (minute.number or 0) > _HOURS // 2
    if not half and not scan.is_after(i, scan.words.before_hour):
        return None
    if not is_clock_time(hour.number or 0, minute.number or 0) or not hour.number:
        return None
    if scan.words.units.match(scan.tokens, i + 2) or scan.tokens[i + 2].text in (":", "/", "."):
        return None
    clock, end = _attach_half(scan, Clock(hour.number, minute.number or 0), i + 2)
    return (clock,), end


def _attach_half(scan: Scan, clock: Clock, i: int) -> tuple[Clock, int]:
    """The clock with a.m. or p.m. if that follows."""
    found = parse_half(scan, i)
    if found is None:
        return clock, i
    return Clock(clock.hour, clock.minute, clock.second, half=found[0]), found[1]


def _make_clock(hour: Token, minute: int, second: int | None = None) -> Clock:
    """08:00 is told as on a railway clock, 8:00 may be in the evening; 12:30 is past noon."""
    number = hour.number or 0
    exact = hour.digits.startswith("0") or number == 12 or second is not None
    return Clock(number, minute, second, whole_day=exact)


def is_clock_time(hour: int, minute: int) -> bool:
    """Whether a clock of 24 hours can show that; 24:00 is the end of a day."""
    return (0 <= hour < _HOURS and 0 <= minute < _MINUTES) or (hour, minute) == (_HOURS, 0)


def _skip_glue(scan: Scan, i: int) -> int:
    for _ in range(3):
        i = scan.skip(i, scan.words.glue)
    return i
