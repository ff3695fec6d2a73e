"""Whether a call's dates and times are what the person said, or a mail when it was written."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from mulligan.checks.date_arguments import (
    Dated,
    find_argument_clocks,
    find_argument_dates,
    sort_dates,
)
from mulligan.checks.date_binding import (
    NOTHING_KNOWN,
    NamedRecords,
    choose_expressions,
    choose_times,
    find_bygone,
    find_known_records,
    find_misfit,
    find_names,
    find_records_before,
    find_refused,
    find_unsaid,
    find_untold,
    is_on_object,
    list_call_words,
    read_known,
)
from mulligan.checks.provenance import SeenValues, with_seen
from mulligan.checks.subject import (
    Argument,
    Heard,
    Parameters,
    Subject,
    limit_to_calls,
    limit_to_parameters,
    list_effective_calls,
    may_change,
)
from mulligan.types.call import Call, Execution
from mulligan.types.display import quote_value, show_name
from mulligan.types.finding import Fact, Finding, Severity
from mulligan.types.interfaces import Check
from mulligan.types.turn import Turn
from mulligan_dates.context import ClauseKind
from mulligan_dates.languages import choose_requests
from mulligan_dates.lexicon import join_words, load_words, names_any, says_any
from mulligan_dates.reader import (
    LONGEST,
    NOTHING_SAID,
    SaidPhrases,
    find_expressions,
    find_meaning,
    is_read_whole,
    read_message,
)
from mulligan_dates.readings import (
    NO_PINS,
    Expression,
    Grain,
    Moment,
    Pins,
    Reading,
    choose_pins,
    describe_readings,
    find_zone,
    on_clock_of,
    parse_local_moment,
    rank_readings,
)
from mulligan_dates.text import split_name, split_prose

_JUST_NOW = timedelta(minutes=5)
_SHORT = 2_000
"""Length up to which a message is cached with many others."""
_FEW = 3
"""Dates that a correction can name without becoming a list."""


def dates_as_said(parameters: Parameters | None = None, *, pins: Pins = NO_PINS) -> Check[Subject]:
    """Flag a date that none of the person's words can mean, and one that no calendar has.

    Looks at the `parameters` named, by tool; at every date in every call if none are. It stays
    silent where it cannot know: no zone, no date said, or words it does not understand. `pins`
    choose between conventions, such as `Convention.NEXT_WEEK`.
    """

    def is_comparable(turn: Turn, call: Call) -> bool:
        """Whether a call has a date, and the person said one to compare it with."""
        names = None if parameters is None else parameters.get(call.tool, ())
        given = find_argument_dates(call.arguments, zone=turn.timezone, names=names)
        dated = bool(given) and is_read_whole(turn.message)
        at = read_moment(turn) if dated else None
        return at is not None and _has_days(turn, call, at=at, pins=pins)

    @limit_to_calls(is_comparable)
    def check(subject: Subject) -> Iterator[Finding]:
        turn = subject.turn
        at = read_moment(turn)
        whole = is_read_whole(turn.message)
        known = read_known(subject)
        said = read_subject(turn, known, at=at, pins=pins) if at and whole else NOTHING_SAID
        for execution in list_effective_calls(subject):
            call = execution.call
            names = None if parameters is None else parameters.get(call.tool, ())
            dates, impossible = sort_dates(call.arguments, zone=turn.timezone, names=names)
            for name, value in impossible:
                yield Argument(execution, name, value).build_finding(
                    "date.impossible",
                    issue="and there is no such day or time.",
                    correction=f"Use a date that exists for {show_name(name)}.",
                )
            if at is not None and not whole:
                yield from _report_unread(execution, turn, names=names)
            if at is not None and said.expressions and not is_reckoned_from_object(call, said):
                given = [each for each in dates if not is_stamp(each, at)]
                wanted = bind_call(call, said, known=known, at=at)
                yield from _check_call(subject, execution, given, said=said, wanted=wanted, at=at)
                if may_change(subject, execution):
                    yield from _check_refused(execution, given, said=said, at=at)

    return check


def _has_days(turn: Turn, call: Call, *, at: Moment, pins: Pins) -> bool:
    said = read_said(turn, at=at, pins=pins)
    return bool(list_days(said.expressions) or bind_call(call, said, at=at))


def _check_call(
    subject: Subject,
    execution: Execution,
    given: Sequence[Dated],
    *,
    said: SaidPhrases,
    wanted: Sequence[Expression] | None,
    at: Moment,
) -> Iterator[Finding]:
    """Compare the dates of one call with the clauses it can be about."""
    changes = may_change(subject, execution)

    def is_sure(dated: Dated) -> bool:
        if _may_be_reckoned(subject.turn.message, said):
            return False
        return not _is_of_object(dated, find_records_before(subject, execution))

    wanted = wanted if changes else None
    missed = find_unsaid(given, wanted) if wanted else []
    if wanted and missed and len(missed) == len(given):
        elsewhere = _list_elsewhere(said, beside=wanted)
        for dated in missed:
            sure = is_sure(dated) and bool(find_unsaid([dated], elsewhere))
            yield _report_unsaid(execution, dated, said=wanted, at=at, sure=sure)
        return
    every = _list_speaking(subject, said, wanted=wanted)
    missed = missed if every == list(wanted or ()) else find_unsaid(given, every)
    unsaid = missed if every else []
    if changes and not unsaid:
        unsaid = find_misfit(given, wanted or every)
    for dated in unsaid:
        told = every or wanted or ()
        yield _report_unsaid(execution, dated, said=told, at=at, sure=is_sure(dated))
    if changes:
        for dated in find_bygone(given, wanted or every, today=at.today):
            yield _report_bygone(execution, dated, said=wanted or every, at=at)
        if not is_on_object(execution.call):
            yield from _check_untold(subject, execution, given, said=said.expressions, at=at)


def _check_untold(
    subject: Subject,
    execution: Execution,
    given: Sequence[Dated],
    *,
    said: Sequence[Expression],
    at: Moment,
) -> Iterator[Finding]:
    for dated in find_untold(given, said, message=subject.turn.message, at=at):
        returned = [each.result for each in (*subject.earlier, *subject.executions)]
        if str(dated.at.date()) not in Heard(subject.turn.known, returned):
            yield _report_untold(execution, dated, said=said)


def _list_elsewhere(said: SaidPhrases, *, beside: Sequence[Expression]) -> list[Expression]:
    """The days in clauses that tell how things are: whether they are the call's is not certain."""
    telling = {n for n, each in enumerate(said.clauses) if each.kind is ClauseKind.STATEMENT}
    telling -= {each.clause for each in beside}
    return [e for e in said.expressions if e.dated and e.readings and e.clause in telling]


def _may_be_reckoned(message: str, said: SaidPhrases) -> bool:
    """Whether a day may be reckoned from those that were said, in words that were not read:
    "by 3 working days", "the first Thursday after the holidays".
    """
    if any(_compile_after().match(message, each.end) for each in said.expressions):
        return True
    if _compile_workday().search(message):
        # Which days are holidays, the person may say, or know.
        return True
    for each in said.expressions:
        message = message[: each.start] + " " * (each.end - each.start) + message[each.end :]
    return says_any(message, "clock", "counted")


@cache
def _compile_after() -> re.Pattern[str]:
    after, article = join_words("clock", "after"), join_words("contrast", "article")
    return re.compile(rf"\s(?:{after})\s(?:{article})\s", re.IGNORECASE)


@cache
def _compile_workday() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('clock', 'workday')})\b", re.IGNORECASE)


def _is_of_object(dated: Dated, records: Sequence[Mapping[str, object]]) -> bool:
    """Whether another field of what the call acts on has this day: the due date of an invoice."""
    own = set(split_name(dated.name))
    return any(
        str(day) == str(held)[: len("2026-05-15")] and own.isdisjoint(split_name(str(key)))
        for record in records
        for key, held in record.items()
        for day in dated.days
    )


def _check_refused(
    execution: Execution, given: Sequence[Dated], *, said: SaidPhrases, at: Moment
) -> Iterator[Finding]:
    """Only for calls that change an object: a new object may be there to note the day ruled out."""
    if is_on_object(execution.call):
        for dated in find_refused(given, said.expressions, today=at.today):
            yield _report_refused(execution, dated, said=said.expressions)


def _list_speaking(
    subject: Subject, said: SaidPhrases, *, wanted: Sequence[Expression] | None
) -> list[Expression]:
    """All days that can contradict a call; an object's own date, only by its clause."""
    of_object = wanted is None and getattr(subject, "of_object", False)
    return [] if of_object else list_days(said.expressions)


def is_reckoned_from_object(call: Call, said: SaidPhrases) -> bool:
    """Make it *half an hour later*: than what the call changes was, whatever the verb."""
    return any(each.leans for each in said.expressions) and is_on_object(call)


def bind_call(
    call: Call, said: SaidPhrases, *, known: NamedRecords = NOTHING_KNOWN, at: Moment
) -> Sequence[Expression] | None:
    """What the message says about when a call's action should be; `None` where uncertain."""
    # Its words choose between clauses; where there is but one, they are not read.
    several = len(said.clauses) > 1
    words = list_call_words(call, find_known_records(call, known)) if several else frozenset()
    return choose_expressions(said.expressions, said.clauses, words=words, today=at.today)


def read_subject(turn: Turn, known: NamedRecords, *, at: Moment, pins: Pins) -> SaidPhrases:
    """What was said; tool results show which of its words are names."""
    names = find_names(turn.message, known)
    real = tuple(name for name in names if not find_meaning(name, at).readings)
    return read_said(turn, at=at, pins=pins, names=real)


def _report_unread(
    execution: Execution, turn: Turn, *, names: Collection[str] | None
) -> Iterator[Finding]:
    """Warn that the dates of a call were not compared with the message."""
    found = find_argument_dates(execution.call.arguments, zone=turn.timezone, names=names)
    for dated in found[:1]:
        yield Finding(
            rule="date.not_checked",
            severity=Severity.WARNING,
            issue=(
                f"{show_name(execution.call.tool)} was given "
                f"{quote_value(dated.value)}, which was not checked: the "
                f"message has {len(turn.message):,} characters, and at most {LONGEST:,} are read."
            ),
            call=execution.call.id,
        )


def read_moment(turn: Turn) -> Moment | None:
    """Now on the person's clock; `None` when their zone is not known."""
    zone = find_zone(turn.timezone)
    now = None if zone is None else on_clock_of(zone, turn.now)
    if zone is None or now is None:
        return None
    country = turn.known.get("country")
    return Moment(now=now, zone=zone, country=country if isinstance(country, str) else None)


def read_said(turn: Turn, *, at: Moment, pins: Pins, names: tuple[str, ...] = ()) -> SaidPhrases:
    """Everything the person said of time, in the order of figures that is usual where they are.

    `names` are of things, and speak of no time.
    """
    known = turn.known.get("locale")
    locale = known if isinstance(known, str) else None
    if locale is not None:
        questions = {pin.question for pin in pins}
        pins |= {pin for pin in choose_pins(locale) if pin.question not in questions}
    read_once = _read_once if len(turn.message) <= _SHORT else _read_long_once
    return read_once(turn.message, at, pins=pins, names=names, locale=locale)


_read_once = lru_cache(maxsize=16)(read_message)
"""Facts, checks and confirmation share one reading of a turn's message."""
_read_long_once = lru_cache(maxsize=2)(read_message)
"""Few long messages are cached, although they cost the most to read."""


def list_days(said: Sequence[Expression]) -> list[Expression]:
    """What the person said about days; empty unless it is understood and binding."""
    found = [each for each in said if each.dated and not each.refuses]
    standing = [each for each in found if not each.superseded]
    known = all(each.known for each in found)
    return standing if known and any(each.binding for each in standing) else []


def is_stamp(dated: Dated, at: Moment) -> bool:
    """Whether it is the time of the call itself, to the minutes."""
    return dated.timed and abs(dated.at - at.now) <= _JUST_NOW


def _report_unsaid(
    execution: Execution,
    dated: Dated,
    *,
    said: Sequence[Expression],
    at: Moment,
    sure: bool,
) -> Finding:
    sure = sure and not _is_counted_otherwise(dated, said)
    return Argument(execution, dated.name, dated.value).build_finding(
        "date.not_as_said",
        severity=Severity.ERROR if sure else Severity.WARNING,
        issue=f"{_describe_date(dated)}; {_describe_meaning(said, at)}.",
        correction=f"{_describe_choice(said, at)} for {dated.label}.",
    )


def _is_counted_otherwise(dated: Dated, said: Sequence[Expression]) -> bool:
    """Whether a first or last day is the one next to what was said: it may be counted in, or not.

    Who is away until the 14th has their first day back on the 15th.
    """
    if dated.timed or not names_any(dated.name, "fields", "counted"):
        return False
    ends = {day for e in said for r in e.readings for day in (r.start.date(), r.last_day)}
    return any(abs((day - end).days) == 1 for day in dated.days for end in ends)


def _report_refused(execution: Execution, dated: Dated, *, said: Sequence[Expression]) -> Finding:
    told = " and ".join(f'"{each.text}"' for each in said if each.refuses)
    return Argument(execution, dated.name, dated.value).build_finding(
        "date.not_as_said",
        issue=f"{_describe_date(dated)}; the person ruled out {told}.",
        correction=f"Use another day for {dated.label}.",
    )


def _report_untold(execution: Execution, dated: Dated, *, said: Sequence[Expression]) -> Finding:
    told = " and ".join(f'"{each.text}"' for each in said)
    return Argument(execution, dated.name, dated.value).build_finding(
        "date.day_not_said",
        severity=Severity.WARNING,
        issue=f"{_describe_date(dated)}; the person said {told} but no day.",
        correction=f"Use today or tomorrow for {dated.label}, or ask which day is meant.",
    )


def _report_bygone(
    execution: Execution, dated: Dated, *, said: Sequence[Expression], at: Moment
) -> Finding:
    ahead = [replace(each, readings=_list_ahead(each, at)) for each in said]
    return Argument(execution, dated.name, dated.value).build_finding(
        "date.in_the_past",
        issue=f"{_describe_date(dated)} in the past; {_describe_meaning(said, at)}.",
        correction=f"{_describe_choice(ahead, at)} for {dated.label}.",
    )


def _list_ahead(said: Expression, at: Moment) -> tuple[Reading, ...]:
    return tuple(each for each in said.readings if each.last_day >= at.today)


def _describe_meaning(said: Sequence[Expression], at: Moment) -> str:
    when = f"said on {at.now:%A} {at.today}"
    told = ((e.text, describe_readings(rank_readings(e.readings, now=at.now))) for e in said)
    return "; ".join(f'"{text}", {when}, can mean {readings}' for text, readings in told)


def _describe_date(dated: Dated) -> str:
    """The weekday, and the date where the person's calendar shows another than the argument."""
    day, shown = f"a {dated.at:%A}", str(dated.at.date())
    return day if shown in dated.value else f"which is {shown} for the person, {day}"


def _describe_choice(said: Sequence[Expression], at: Moment) -> str:
    every = list(dict.fromkeys(reading for each in said for reading in each.readings))
    readings = rank_readings(every, now=at.now)
    if len(readings) > _FEW:
        return "Use one of those dates, or ask which is meant,"
    return f"Use {describe_readings(readings)}"


def date_facts(turn: Turn, calls: Sequence[Call], *, pins: Pins = NO_PINS) -> tuple[Fact, ...]:
    """The weekday of every date in the calls, and what the person's words can mean.

    Without a known zone there is no fact: the day itself is not known.
    """
    at = read_moment(turn)
    if at is None:
        return ()
    said = read_said(turn, at=at, pins=pins)
    facts = [
        Fact(
            kind="date.phrase",
            subject=each.text,
            value=told,
            about=f'"{each.text}", said on {at.now:%A} {at.today}, can mean {told}.',
            computed=True,
        )
        for each in said.expressions
        if each.known and each.dated and not each.superseded
        for told in [describe_readings(rank_readings(each.readings, now=at.now))]
    ]
    bound = _list_binding_facts(calls, said, at=at)
    return (*_list_weekday_facts(calls, turn.timezone), *facts, *bound)


def _list_binding_facts(calls: Sequence[Call], said: SaidPhrases, *, at: Moment) -> Iterator[Fact]:
    """Which of several phrases each call is about, where that is sure."""
    days = [each for each in said.expressions if each.dated and not each.superseded]
    for call in calls if len(days) > 1 else ():
        bound = bind_call(call, said, at=at)
        if bound and len(bound) < len(days):
            told = " or ".join(f'"{each.text}"' for each in bound)
            others = ", ".join(f'"{each.text}"' for each in days if each not in bound)
            yield Fact(
                kind="date.binding",
                subject=call.tool,
                value=told,
                about=(
                    f"If {show_name(call.tool)} makes or moves something, its date is {told}; "
                    f"{others} is about something else."
                ),
                computed=True,
            )


def _list_weekday_facts(calls: Sequence[Call], zone: str | None) -> Iterator[Fact]:
    seen = set()
    for call in calls:
        for dated in find_argument_dates(call.arguments, zone=zone):
            if dated.value not in seen:
                seen.add(dated.value)
                yield Fact(
                    kind="date.weekday",
                    subject=dated.value,
                    value=f"{dated.at:%A}",
                    about=f"{dated.value} is a {dated.at:%A}.",
                    computed=True,
                )


def times_as_said(parameters: Parameters | None = None, *, pins: Pins = NO_PINS) -> Check[Subject]:
    """Flag a call none of whose times of day is the one that the person said.

    Sure only of one exact time in what the call can be about: at half past six, and not around
    six, after six, or from six to seven; and not where another one is allowed ("or else"), or
    something is moved by a length. Whatever else a call has, such as an end, is left alone.
    """

    def is_comparable(turn: Turn, call: Call) -> bool:
        """Whether a call has a time of day, and the person said exactly one."""
        names = None if parameters is None else parameters.get(call.tool, ())
        at = read_moment(turn) if _list_timed(call, turn, names) else None
        if at is None:
            return False
        said, words = read_said(turn, at=at, pins=pins), list_call_words(call, ())
        return bool(choose_times(said.expressions, said.clauses, words=words, today=at.today))

    @limit_to_calls(is_comparable)
    def check(subject: Subject) -> Iterator[Finding]:
        turn = subject.turn
        at = read_moment(turn)
        # What was not read of a long message may say another time.
        whole = at is not None and is_read_whole(turn.message)
        if at is None or not whole:
            return
        phrases = choose_requests(turn.message)
        sure = not (phrases.two_ways.search(turn.message) or phrases.shifted.search(turn.message))
        for execution in list_effective_calls(subject):
            names = None if parameters is None else parameters.get(execution.call.tool, ())
            timed = [
                e for e in _list_timed(execution.call, turn, names) if e.there or len(e.days) == 1
            ]
            if not timed:
                continue
            known = read_known(subject)
            said = read_subject(turn, known, at=at, pins=pins)
            leans = is_reckoned_from_object(execution.call, said)
            told = [] if leans else _bind_times(execution.call, said, known, at=at)
            if any(map(_is_vague, told)) and says_any(turn.message, "orders", "open"):
                # Another part of the day may be meant too: "in the morning or afternoon".
                continue
            if told and not any(_is_said(each, one) for each in timed for one in told):
                first = min(timed, key=lambda each: each.at)
                yield _report_unsaid_time(execution, first, said=told, sure=sure)

    return check


def _list_timed(call: Call, turn: Turn, names: Collection[str] | None) -> list[Dated]:
    """The arguments that tell a time of day on the person's clock, with a day or without."""
    if _names_other_clock(turn.message):
        return []
    given = find_argument_dates(call.arguments, zone=turn.timezone, names=names)
    return [
        *(each for each in given if each.timed),
        *find_argument_clocks(call.arguments, names=names),
    ]


def _bind_times(
    call: Call, said: SaidPhrases, known: NamedRecords, *, at: Moment
) -> list[Expression]:
    words = list_call_words(call, find_known_records(call, known))
    return choose_times(said.expressions, said.clauses, words=words, today=at.today)


def _is_said(dated: Dated, said: Expression) -> bool:
    shown = [dated.at.time(), *([] if dated.there is None else [dated.there])]
    return any(_has_time(each, at) for each in said.readings for at in shown)


def _is_vague(said: Expression) -> bool:
    return any(reading.grain is Grain.PART for reading in said.readings)


def _names_other_clock(message: str) -> bool:
    """Whether a time may be that of another place: "9am their time", "Tokyo time"."""
    words, times = split_prose(message), load_words("clock", "time")
    return any(
        word.casefold() in times
        and (
            not {before.casefold(), word.casefold(), after.casefold()}.isdisjoint(
                load_words("clock", "elsewhere")
            )
            or before.istitle()
        )
        for before, word, after in zip(words, words[1:], [*words[2:], ""], strict=False)
    )


def _has_time(reading: Reading, at: time) -> bool:
    start, end = reading.start.time(), reading.end.time()
    if reading.grain is not Grain.PART:
        return (start.hour, start.minute) == (at.hour, at.minute)
    return start <= at <= end if start < end else at >= start or at <= end


def _report_unsaid_time(
    execution: Execution, dated: Dated, *, said: Sequence[Expression], sure: bool
) -> Finding:
    times = " or ".join(sorted({_show_time(r) for each in said for r in each.readings}))
    words = " and ".join(f'"{each.text}"' for each in said)
    return Argument(execution, dated.name, dated.value).build_finding(
        "time.not_as_said",
        severity=Severity.ERROR if sure else Severity.WARNING,
        issue=f"which is {dated.at:%H:%M} for the person; they said {words}, and that can "
        f"mean {times}.",
        correction=f"Use {times} for {dated.label}.",
    )


def _show_time(reading: Reading) -> str:
    if reading.grain is Grain.PART:
        return f"{reading.start:%H:%M} to {reading.end:%H:%M}"
    return f"{reading.start:%H:%M}"


_LONGEST = 2_000
"""Characters of a text in which a day is looked for."""
_MOST = 20
"""Texts that are read: among more, it is unclear which was meant."""


class Told(NamedTuple):
    """A phrase of a text: its meaning when it was written, and its meaning today."""

    then: Expression
    today: Expression
    written: datetime


def dates_as_written(parameters: Parameters) -> Check[Subject]:
    """Flag a date that a text's words mean today, and did not mean when the text was written.

    Silent where the person said a day, where the words can mean the same day either way, and where
    the date stands anywhere as such.
    """

    @limit_to_parameters(parameters, when=_says_no_day)
    def check(subject: Subject) -> Iterator[Finding]:
        turn, at = subject.turn, read_moment(subject.turn)
        if at is None:
            return
        for execution, seen in with_seen(subject):
            names = parameters.get(execution.call.tool, ())
            given = find_argument_dates(execution.call.arguments, zone=turn.timezone, names=names)
            for dated in given if names else ():
                told = list(_list_told(seen, at, zone=turn.timezone))
                wrong = [each for each in told if _holds(each.today, dated)]
                right = any(_holds(each.then, dated) for each in told)
                if wrong and not right and not seen.was_met(str(dated.at.date())):
                    yield _build_finding(Argument(execution, dated.name, dated.value), wrong[0])

    return check


def _says_no_day(turn: Turn) -> bool:
    at = read_moment(turn)
    if at is None:
        return False
    return not any(each.dated for each in read_said(turn, at=at, pins=NO_PINS).expressions)


def _list_told(seen: SeenValues, at: Moment, *, zone: str | None) -> Iterator[Told]:
    """What returned texts say of days, where that depends on when it is read."""
    found = [(record, _find_written(record, zone=zone)) for record in seen.list_records()]
    dated = [(record, written) for record, written in found if written is not None]
    for record, written in dated if len(dated) <= _MOST else ():
        if written.date() >= at.today:
            continue
        for text in (held for held in record.values() if isinstance(held, str)):
            then = find_expressions(text[:_LONGEST], replace(at, now=written))
            today = find_expressions(text[:_LONGEST], at)
            for one, other in zip(then, today, strict=True):
                if one.known and one.dated and one.binding and one.readings != other.readings:
                    yield Told(one, other, written)


def _find_written(record: Mapping[str, object], *, zone: str | None) -> datetime | None:
    """When a record was written, if one field alone tells."""
    found = {
        moment
        for name, held in record.items()
        if names_any(str(name), "words", "written")
        and (moment := parse_local_moment(held, zone=zone)) is not None
    }
    return found.pop() if len(found) == 1 else None


def _holds(said: Expression, dated: Dated) -> bool:
    return any(reading.holds_day(day) for reading in said.readings for day in dated.days)


def _build_finding(argument: Argument, told: Told) -> Finding:
    day = told.written.date()
    meant = describe_readings(rank_readings(told.then.readings, now=told.written))
    return argument.build_finding(
        "date.reckoned_from_today",
        issue=f'which "{told.then.text}" means today; it was written on {day}, and meant {meant}.',
        correction=f"Calculate {argument.label} from the day the text was written: {meant}.",
    )
