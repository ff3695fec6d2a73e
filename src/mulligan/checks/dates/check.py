"""Holds the dates in a call's arguments against what the person's words can mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from itertools import islice

from mulligan.checks.dates.arguments import Dated, find_argument_dates, find_impossible_dates
from mulligan.checks.dates.binding.bound import choose_expressions, list_call_words
from mulligan.checks.dates.binding.holding import (
    find_bygone,
    find_misfit,
    find_refused,
    find_unsaid,
)
from mulligan.checks.dates.binding.masking import (
    NamedRecords,
    find_known_records,
    find_names,
    is_on_object,
    read_known,
)
from mulligan.checks.dates.binding.untold import find_untold
from mulligan.checks.dates.conventions import NO_PINS, Pins, choose_pins
from mulligan.checks.dates.moment import Moment
from mulligan.checks.dates.reading import Expression, Reading
from mulligan.checks.dates.resolve import (
    LONGEST,
    NOTHING_SAID,
    SaidPhrases,
    find_meaning,
    is_read_whole,
    read_message,
)
from mulligan.checks.dates.telling import describe_readings, rank_readings
from mulligan.checks.language.zones import find_zone, parse_local_moment
from mulligan.checks.subject.concern import limit_to_calls
from mulligan.checks.subject.subject import (
    Argument,
    Heard,
    Parameters,
    Subject,
    list_effective_calls,
)
from mulligan.core.call import Call, Execution, Outcome
from mulligan.core.display.escape import show_name
from mulligan.core.display.quoted import quote_value
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn

_JUST_NOW = timedelta(minutes=5)
_SHORT = 2_000
"""Characters of a message of which many are remembered."""
_SHOWN = 60
"""Characters of a value in a sentence."""
_FEW = 3
"""Dates that a correction can name without becoming a list."""


def dates_as_said(parameters: Parameters | None = None, *, pins: Pins = NO_PINS) -> Check[Subject]:
    """Flag a date that none of the person's words can mean, and one that no calendar has.

    Looks at the `parameters` named, by tool; at every date in every call if none are. It stays
    silent where it cannot know: no zone, no date said, or words it does not understand. `pins`
    settle what people disagree about, such as `Convention.NEXT_WEEK`.
    """

    def is_comparable(turn: Turn, call: Call) -> bool:
        """Whether a call has a date, and the person said one that it can be held against."""
        names = None if parameters is None else parameters.get(call.tool, ())
        given = find_argument_dates(call.arguments, zone=turn.timezone, names=names)
        dated = is_read_whole(turn.message) and any(True for _ in given)
        at = read_moment(turn) if dated else None
        return at is not None and _has_days(turn, call, at=at, pins=pins)

    @limit_to_calls(is_comparable)
    def check(subject: Subject) -> Iterator[Finding]:
        turn = subject.turn
        at = read_moment(turn)
        whole = is_read_whole(turn.message)
        known = read_known((*subject.earlier, *subject.executions), subject.facts)
        said = read_subject(turn, known, at=at, pins=pins) if at and whole else NOTHING_SAID
        for execution in list_effective_calls(subject):
            call = execution.call
            names = None if parameters is None else parameters.get(call.tool, ())
            for name, value in find_impossible_dates(call.arguments, names=names):
                yield _report_impossible(Argument(execution, name, value))
            if at is not None and not whole:
                yield from _report_unread(execution, turn, names=names)
            if at is not None and said.expressions and not is_reckoned_from_object(call, said):
                dates = find_argument_dates(call.arguments, zone=turn.timezone, names=names)
                given = [each for each in dates if not is_stamp(each, at)]
                wanted = bind_call(call, said, known=known, at=at)
                yield from _check_call(subject, execution, given, said=said, wanted=wanted, at=at)
                if _may_change(subject, execution):
                    yield from _check_refused(execution, given, said=said, at=at)

    return check


def _has_days(turn: Turn, call: Call, *, at: Moment, pins: Pins) -> bool:
    said = read_said(turn, at=at, pins=pins)
    words = list_call_words(call, ())
    bound = choose_expressions(said.expressions, said.clauses, words=words, today=at.today)
    return bool(bound or list_days(said.expressions))


def _check_call(
    subject: Subject,
    execution: Execution,
    given: Sequence[Dated],
    *,
    said: SaidPhrases,
    wanted: list[Expression] | None,
    at: Moment,
) -> Iterator[Finding]:
    """Hold the dates of one call against what it can be about."""
    changes = _may_change(subject, execution)
    wanted = wanted if changes else None
    if wanted and given and len(missed := find_unsaid(given, wanted)) == len(given):
        for dated in missed:
            yield _report_unsaid(execution, dated, said=wanted, at=at)
        return
    every = _list_speaking(subject, said, wanted=wanted)
    unsaid = find_unsaid(given, every) if every else []
    if changes and not unsaid:
        unsaid = find_misfit(given, wanted or every)
    for dated in unsaid:
        yield _report_unsaid(execution, dated, said=every or wanted or (), at=at)
    if changes:
        for dated in find_bygone(given, wanted or every, today=at.today):
            yield _report_bygone(execution, dated, said=wanted or every, at=at)
        if not is_on_object(execution.call):
            for dated in find_untold(given, said.expressions, message=subject.turn.message, at=at):
                returned = [each.result for each in (*subject.earlier, *subject.executions)]
                if str(dated.at.date()) not in Heard(subject.turn.known, returned):
                    yield _report_untold(execution, dated, said=said.expressions)


def _check_refused(
    execution: Execution, given: Sequence[Dated], *, said: SaidPhrases, at: Moment
) -> Iterator[Finding]:
    """Of what changes an object: who rules a day out for something new may want it noted there."""
    if is_on_object(execution.call):
        for dated in find_refused(given, said.expressions, today=at.today):
            yield _report_refused(execution, dated, said=said.expressions)


def _list_speaking(
    subject: Subject, said: SaidPhrases, *, wanted: list[Expression] | None
) -> list[Expression]:
    """All days that can speak against a call: of an object's own date, only its clause's can."""
    of_object = wanted is None and getattr(subject, "of_object", False)
    return [] if of_object else list_days(said.expressions)


def is_reckoned_from_object(call: Call, said: SaidPhrases) -> bool:
    """Make it *half an hour later*: than what the call changes was, whatever the verb."""
    return is_on_object(call) and any(each.leans for each in said.expressions)


def bind_call(
    call: Call, said: SaidPhrases, *, known: NamedRecords, at: Moment
) -> list[Expression] | None:
    """What of a message says when that shall be which a call does; `None` where nothing is sure."""
    words = list_call_words(call, find_known_records(call, known))
    return choose_expressions(said.expressions, said.clauses, words=words, today=at.today)


def read_subject(turn: Turn, known: NamedRecords, *, at: Moment, pins: Pins) -> SaidPhrases:
    """What was said; what tools returned tells which of its words are names."""
    names = find_names(turn.message, known)
    real = tuple(name for name in names if not find_meaning(name, at).readings)
    return read_said(turn, at=at, pins=pins, names=real)


def _report_unread(
    execution: Execution, turn: Turn, *, names: Collection[str] | None
) -> Iterator[Finding]:
    """Say of a call with dates that nobody has held them against the message."""
    found = find_argument_dates(execution.call.arguments, zone=turn.timezone, names=names)
    for dated in islice(found, 1):
        yield Finding(
            rule="date.not_checked",
            severity=Severity.WARNING,
            issue=(
                f"{show_name(execution.call.tool)} was given "
                f"{quote_value(dated.value, most=_SHOWN)}, which nobody has checked: the "
                f"message has {len(turn.message):,} characters, and at most {LONGEST:,} are read."
            ),
            call=execution.call.id,
        )


def read_moment(turn: Turn) -> Moment | None:
    """Now on the person's clock; `None` when their zone is not known."""
    zone = find_zone(turn.timezone)
    now = parse_local_moment(turn.now, zone=turn.timezone)
    if zone is None or now is None:
        return None
    country = turn.known.get("country")
    return Moment(now=now, zone=zone, country=country if isinstance(country, str) else None)


def read_expressions(turn: Turn, *, at: Moment, pins: Pins) -> list[Expression]:
    """Everything the person said of time, in the order of figures that is usual where they are."""
    return list(read_said(turn, at=at, pins=pins).expressions)


def read_said(turn: Turn, *, at: Moment, pins: Pins, names: tuple[str, ...] = ()) -> SaidPhrases:
    """The same with the clauses they stand in; `names` are of things, and speak of no time."""
    known = turn.known.get("locale")
    locale = known if isinstance(known, str) else None
    if locale is not None:
        questions = {pin.question for pin in pins}
        pins |= {pin for pin in choose_pins(locale) if pin.question not in questions}
    read_once = _read_once if len(turn.message) <= _SHORT else _read_long_once
    return read_once(turn.message, at, pins=pins, names=names, locale=locale)


def _read_all(
    message: str, at: Moment, *, pins: Pins, names: tuple[str, ...], locale: str | None
) -> SaidPhrases:
    return read_message(message, at, pins=pins, names=names, locale=locale)


_read_once = lru_cache(maxsize=16)(_read_all)
"""A turn's message is asked for by facts, checks and confirmation, and read once."""
_read_long_once = lru_cache(maxsize=2)(_read_all)
"""A long one too, where reading it again would cost most; few of them are kept."""


def list_days(said: Sequence[Expression]) -> list[Expression]:
    """What the person said of days; nothing unless it is understood, and says when."""
    found = [each for each in said if each.dated and not each.refuses]
    standing = [each for each in found if not each.superseded]
    known = all(each.known for each in found)
    return standing if known and any(each.binding for each in standing) else []


def _may_change(subject: Subject, execution: Execution) -> bool:
    """Whether a call is more than a look around, for all that is known of it."""
    acted = getattr(subject, "acted", None)
    return acted is None or execution.outcome is Outcome.UNKNOWN or execution.call.id in acted


def is_stamp(dated: Dated, at: Moment) -> bool:
    """Whether it is the time of the call itself, to the minutes."""
    return dated.timed and abs(dated.at - at.now) <= _JUST_NOW


def _report_impossible(argument: Argument) -> Finding:
    return argument.build_finding(
        "date.impossible",
        issue="and there is no such day or time.",
        correction=f"Use a date that exists for {argument.label}.",
    )


def _report_unsaid(
    execution: Execution, dated: Dated, *, said: Sequence[Expression], at: Moment
) -> Finding:
    return Argument(execution, dated.name, dated.value).build_finding(
        "date.not_as_said",
        issue=f"{_describe_date(dated)}; {_describe_meaning(said, at)}.",
        correction=f"{_describe_choice(said, at)} for {dated.label}.",
    )


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
        issue=f"{_describe_date(dated)}; the person said {told}, and no day.",
        correction=f"Use today or tomorrow for {dated.label}, or ask which day is meant.",
    )


def _report_bygone(
    execution: Execution, dated: Dated, *, said: Sequence[Expression], at: Moment
) -> Finding:
    ahead = [replace(each, readings=_list_ahead(each, at)) for each in said]
    return Argument(execution, dated.name, dated.value).build_finding(
        "date.in_the_past",
        issue=f"{_describe_date(dated)} that is over; {_describe_meaning(said, at)}.",
        correction=f"{_describe_choice(ahead, at)} for {dated.label}.",
    )


def _list_ahead(said: Expression, at: Moment) -> tuple[Reading, ...]:
    return tuple(each for each in said.readings if each.last_day >= at.today)


def _describe_meaning(said: Sequence[Expression], at: Moment) -> str:
    when = f"said on {at.now:%A} {at.today}"
    told = ((e.text, describe_readings(rank_readings(e.readings, today=at.today))) for e in said)
    return "; ".join(f'"{text}", {when}, can mean {readings}' for text, readings in told)


def _describe_date(dated: Dated) -> str:
    """The weekday, and the date where the person's calendar shows another than the argument."""
    day, shown = f"a {dated.at:%A}", str(dated.at.date())
    return day if shown in dated.value else f"which is {shown} for the person, {day}"


def _describe_choice(said: Sequence[Expression], at: Moment) -> str:
    every = list(dict.fromkeys(reading for each in said for reading in each.readings))
    readings = rank_readings(every, today=at.today)
    if len(readings) > _FEW:
        return "Use one of those dates, or ask which is meant,"
    return f"Use {describe_readings(readings)}"
