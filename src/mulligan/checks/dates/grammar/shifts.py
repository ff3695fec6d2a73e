"""Rules for moves in time: in two weeks, 3 days ago, a week on Friday, the next three days."""

from __future__ import annotations

from mulligan.checks.dates.grammar.amounts import (
    DAYS,
    MOST,
    SECONDS,
    Told,
    parse_amount,
    parse_single_unit,
    parse_unit_and_more,
)
from mulligan.checks.dates.grammar.scan import Found, Scan
from mulligan.checks.dates.parts import (
    Amount,
    Counted,
    DayShift,
    Lasting,
    Part,
    Puzzle,
    Shift,
    Weekday,
    WeekdayAway,
    Within,
)
from mulligan.checks.language.senses import Unit, Which

_NEAR_VERB = 6
"""How many words before *last* its verb is looked for."""
_NEAR_DAYS = (0, 1)
"""Today and tomorrow, which weeks are counted from: a week tomorrow."""


def parse_shift(scan: Scan, i: int) -> Found | None:
    """In two weeks, 3 days ago, a week after …, within the hour."""
    words, tokens = scan.words, scan.tokens
    if within := words.within.match(tokens, i):
        j = scan.skip(within[1], words.about)
        found = parse_amount(scan, j) or parse_unit_and_more(scan, j)
        return ((Within(found[0]),), found[1]) if found else None
    if lasting := words.lasting.match(tokens, i):
        return _parse_lasting(scan, scan.skip(lasting[1], words.about))
    if start := words.in_.match(tokens, i):
        return _parse_ahead(scan, scan.skip(start[1], words.about))
    if ago := words.ago_first.match(tokens, i):
        past = parse_amount(scan, scan.skip(ago[1], words.about))
        return ((Shift(past[0], -1),), past[1]) if past else None
    if tokens[i].text in "+-" and tokens[i].text and tokens[i + 1].glued:
        found = parse_amount(scan, i + 1)
        return ((Shift(found[0], -1 if tokens[i].text == "-" else 1),), found[1]) if found else None
    if away := _parse_weekdays_away(scan, i) or _parse_parts_away(scan, i):
        return away
    return _parse_amount_shift(scan, i)


def parse_added_amount(scan: Scan, i: int) -> Found | None:
    """Today *plus 3 days*: an amount that the day before it is moved by."""
    sign = scan.words.plus.match(scan.tokens, i)
    loose = scan.tokens[i].text == "-" and not scan.tokens[i + 1].glued
    # Now - 2 hours is a sum; Monday - 2 hours may be a list.
    if sign is None or (loose and scan.tokens[i - 1].text not in scan.words.now):
        return None
    found = parse_amount(scan, sign[1])
    return ((Shift(found[0], sign[0], anchored=True),), found[1]) if found else None


def parse_counted(scan: Scan, i: int) -> Found | None:
    """The next three days, 2 upcoming weeks."""
    words, tokens = scan.words, scan.tokens
    if is_verb_last(scan, i):
        return None
    if which := words.which.match(tokens, i):
        count, j = tokens[which[1]].number, which[1] + 1
        side = which[0]
        unit = words.units.match(tokens, which[1])
        if unit and unit[0] in SECONDS:
            # The next hour is one that is counted, not one of the calendar.
            count, j = 1, which[1]
    else:
        between = words.which.match(tokens, i + 1)
        if between is None:
            return None
        count, j, side = tokens[i].number, between[1], between[0]
        if side is Which.NEXT and tokens[j].text not in words.plurals:
            # The 20th of next month, with the rest left out.
            return None
    unit = words.units.match(tokens, j)
    if count is None or unit is None or not 0 < count <= MOST or side is Which.THIS:
        return None
    more = parse_amount(scan, scan.skip(unit[1], words.and_))
    if more:
        return (Puzzle(),), more[1]
    return (Counted(count, unit[0], side),), unit[1]


def is_verb_last(scan: Scan, i: int) -> bool:
    """Make it *last* four hours: how long, and not when."""
    words, tokens = scan.words, scan.tokens
    if i == 0 or tokens[i].text not in words.to_last:
        return False
    if tokens[i - 1].text in words.before_verb:
        return True
    near = range(max(0, i - _NEAR_VERB), i - 1)
    return (
        tokens[i - 1].text[:1].isalpha()
        and not scan.is_after(i, words.the)
        and any(tokens[j].text in words.causing for j in near)
    )


def _parse_parts_away(scan: Scan, i: int) -> Found | None:
    """Three mornings ago, two evenings from now."""
    words, tokens = scan.words, scan.tokens
    count, part = tokens[i].number, words.parts_repeated.match(tokens, i + 1)
    if part is None or not count or count > MOST:
        return None
    for table, sign in ((words.forth, 1), (words.back, -1)):
        if found := table.match(tokens, part[1]):
            return (DayShift(sign * count), Part(part[0])), found[1]
    for table, sign in ((words.forth_from, 1), (words.back_from, -1)):
        if found := table.match(tokens, part[1]):
            return (Shift(Amount(days=count), sign, anchored=True), Part(part[0])), found[1]
    return None


def _parse_ahead(scan: Scan, i: int) -> Found | None:
    """In two weeks' time, in two Fridays, in another five minutes."""
    words, tokens = scan.words, scan.tokens
    count, days = tokens[i].number, words.weekdays_repeated.match(tokens, i + 1)
    if days and count and count <= MOST:
        return (WeekdayAway(count, days[0], 1),), days[1]
    found = parse_amount(scan, i) or parse_amount(scan, scan.skip(i, words.another))
    if found is None:
        return None
    return (Shift(found[0], 1),), scan.skip(scan.skip(found[1], words.time_ending), words.forth)


def _parse_lasting(scan: Scan, i: int) -> Found | None:
    """For three days, also if *from today* follows: that is when it starts."""
    found = parse_amount(scan, i)
    if found is None or scan.words.half_past.match(scan.tokens, i):
        return None
    return (Lasting(found[0]),), scan.skip(found[1], scan.words.lasting_from)


def _parse_amount_shift(scan: Scan, i: int) -> Found | None:
    words, tokens = scan.words, scan.tokens
    told = parse_amount(scan, i)
    found = told or _parse_bare_unit(scan, i)
    if found is None:
        return None
    amount, j = found
    counted = tokens[j].text in words.from_ and not scan.is_after(i, words.the)
    if told is None and amount.days != 1 and _names_something(scan, j) and not counted:
        # The week after Christmas: not a day, and nobody knows where it begins.
        return (Puzzle(),), j + 1
    if words.starting.match(tokens, j):
        return (Lasting(amount),), scan.skip(j, words.starting)
    if forth := words.forth.match(tokens, j):
        return (Shift(amount, 1),), forth[1]
    alone = words.forth_alone.match(tokens, j)
    if alone and scan.is_whole(i, alone[1]):
        return (Shift(amount, 1),), alone[1]
    before = words.back_alone.match(tokens, j)
    if before and scan.is_whole(i, before[1]):
        return (Shift(amount, -1),), before[1]
    if back := words.back.match(tokens, j):
        anchored = words.ago.match(tokens, j) is not None and _names_day(scan, back[1])
        return (Shift(amount, -1, anchored=anchored),), _skip_today(scan, back[1])
    if forth_from := words.forth_from.match(tokens, j):
        return (Shift(amount, 1, anchored=True),), forth_from[1]
    if back_from := words.back_from.match(tokens, j):
        return (Shift(amount, -1, anchored=True),), back_from[1]
    return _parse_weeks_on(scan, amount, j)


def _names_something(scan: Scan, i: int) -> bool:
    """Whether it is said what comes before or after, and not left to what was said earlier."""
    words, tokens = scan.words, scan.tokens
    joined = words.forth_from.match(tokens, i) or words.back_from.match(tokens, i)
    return joined is not None and tokens[joined[1]].text[:1].isalnum()


def _names_day(scan: Scan, i: int) -> bool:
    """Three years ago *tomorrow*, *this Friday*: counted from that day."""
    words, tokens = scan.words, scan.tokens
    day, which = words.days.match(tokens, i), words.which.match(tokens, i)
    named = which is not None and words.weekdays.match(tokens, which[1]) is not None
    return named or (day is not None and day[0] != 0)


def _skip_today(scan: Scan, i: int) -> int:
    """A year ago *today*, to the day."""
    day = scan.words.days.match(scan.tokens, i)
    return day[1] if day and day[0] == 0 else i


def _parse_weeks_on(scan: Scan, amount: Amount, i: int) -> Found | None:
    """A week on Friday, a week tomorrow. Two days on Friday are not reckoned from it."""
    words, tokens = scan.words, scan.tokens
    weeks, days_left = divmod(amount.days, DAYS[Unit.WEEK])
    if not weeks or days_left or amount.months or amount.seconds or amount.vague:
        return None
    day = words.days.match(tokens, i)
    if day and day[0] in _NEAR_DAYS:
        return (Shift(amount, 1, anchored=True),), i
    named = words.weekdays.match(tokens, scan.skip(i, words.weeks_on))
    return ((Weekday(named[0], weeks=weeks),), named[1]) if named else None


def _parse_bare_unit(scan: Scan, i: int) -> Told | None:
    """The *day* after tomorrow, *week* ago: one of it."""
    words, tokens = scan.words, scan.tokens
    one = None if tokens[i].text in words.plurals else parse_single_unit(scan, i)
    if one is None:
        return None
    if words.ago.match(tokens, one[1]):
        return one
    joined = words.forth_from.match(tokens, one[1]) or words.back_from.match(tokens, one[1])
    which = words.which.match(tokens, joined[1]) if joined else None
    # The week after next is no week after something; the day after next Monday is.
    named = which is None or words.weekdays.match(tokens, which[1]) is not None
    return one if joined and named else None


def _parse_weekdays_away(scan: Scan, i: int) -> Found | None:
    """Three Fridays from now, the third Friday from now."""
    words, tokens = scan.words, scan.tokens
    number, ordinal = tokens[i].number, tokens[i].ordinal
    count = number or ordinal
    if not count or count > MOST:
        return None
    day = words.weekdays.match(tokens, i + 1) or words.weekdays_repeated.match(tokens, i + 1)
    if day and tokens[i].digits and tokens[i + 1].glued:
        # 2mon ago: months, and not Mondays.
        return None
    if day is None or (ordinal and tokens[day[1]].text in words.soft):
        # The second Monday later that month is not counted from now.
        return None
    if forth := words.forth.match(tokens, day[1]):
        return (WeekdayAway(count, day[0], 1),), forth[1]
    back = words.back.match(tokens, day[1]) if number else None
    return ((WeekdayAway(count, day[0], -1),), back[1]) if back else None
