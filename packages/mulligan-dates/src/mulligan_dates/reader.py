"""From a message to every time expression in it, with all that each can mean.

`calculate_datetime` is the same as a plain function with plain data, for agents that want to ask
first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, time, tzinfo
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan_dates.calendar import load_national_names
from mulligan_dates.context import (
    Clause,
    ClauseKind,
    find_bound,
    find_loose_lengths,
    find_sources,
    follows_another,
    index_clauses,
    is_beside_another,
    is_corrected,
    is_cut_short,
    is_exact,
    is_greeting,
    is_length,
    is_listed,
    is_moving,
    is_name,
    is_refused,
    is_ruled_out,
    is_unsure,
    join_moves,
    leans_on_another,
    lies_ahead,
    looks_back,
    mask_names,
    split_clauses,
    split_moves,
)
from mulligan_dates.grammar import Phrase, Spoken, Stretch, read
from mulligan_dates.languages import choose_language
from mulligan_dates.meaning import (
    find_anchor,
    is_dated,
    is_vague,
    names_third,
    resolve_spoken,
    shift_reading,
)
from mulligan_dates.parts import Now, Period, Shift, Weekday
from mulligan_dates.period_rules import parse_lone_amount
from mulligan_dates.readings import (
    NO_PINS,
    Convention,
    Expression,
    Grain,
    Moment,
    Pins,
    Reading,
    UnknownZoneError,
    choose_pins,
    describe_reading,
    is_allowed,
    is_locale,
    limit_reading,
    list_instants,
    make_moment,
    rank_readings,
)
from mulligan_dates.scan import Scan, scan_tokens
from mulligan_dates.tables import Limit, Which, Words
from mulligan_dates.tokens import locate_quotes, tokenize

CONDITION = ClauseKind.CONDITION
LONGEST = 20_000
"""Characters of a message that are read: about ten pages, and a second's work at the worst."""
_COUNTRY = re.compile(r"[A-Za-z]{2}")
_CUT = 40
"""Characters before the end of what is read: an expression that reaches into them may go on."""
_SHORT = 80
"""Characters of a phrase that is kept as it was understood."""
_MOST_SAID = 16
_MOST_READINGS = 32
"""Earlier days that an expression can be counted from."""


def is_read_whole(message: str) -> bool:
    """Whether nothing of a message is left unread."""
    return len(message) <= LONGEST


class SaidPhrases(Struct, frozen=True):
    """A message as far as it speaks of time."""

    expressions: tuple[Expression, ...] = ()
    clauses: tuple[Clause, ...] = ()


NOTHING_SAID = SaidPhrases()


def find_expressions(
    message: str, at: Moment, *, pins: Pins = NO_PINS, words: Words | None = None
) -> list[Expression]:
    """Every expression of time in a message, in order; of a long one, in its beginning.

    Before comparing dates, ask `is_read_whole`: the unread part may say another day.
    """
    return list(read_message(message, at, pins=pins, words=words).expressions)


def read_message(
    message: str,
    at: Moment,
    *,
    pins: Pins = NO_PINS,
    words: Words | None = None,
    locale: str | None = None,
    names: Collection[str] = (),
) -> SaidPhrases:
    """Every expression of time, and the clauses they stand in; in another language, none.

    Without any expression there are no clauses either: they are cut for what stands in them.

    Which language it is the words tell, and where they do not, the `locale`. `names` are of things
    that are known to be called so: in "game night" no night is spoken of.
    """
    message = message[:LONGEST]
    masked = mask_names(message, names)
    tokens = _scan(masked, words=words, locale=locale, country=at.country, year=at.today.year)
    if tokens is None:
        return NOTHING_SAID
    original = list(read(tokens))
    if not original:
        return NOTHING_SAID
    parted = _filter_spoken(tokens, split_moves(tokens, original))
    clauses = split_clauses(tokens, parted, message=message)
    found = join_moves(parted, original, clauses=clauses)
    results = _resolve_all(message, tokens, found, clauses=clauses, at=at, pins=pins)
    return SaidPhrases(tuple(results), tuple(clauses))


def _resolve_all(
    message: str,
    tokens: Scan,
    found: Sequence[Spoken],
    *,
    clauses: Sequence[Clause],
    at: Moment,
    pins: Pins,
) -> list[Expression]:
    several = sum(is_dated(each) or is_beside_another(tokens, each) for each in found) > 1
    settled = _settle_pins(found, pins)
    apart = {i for each in clauses if each.kind is CONDITION for i in range(each.start, each.end)}
    back = bool(found) and looks_back(tokens, apart=apart)
    sources = find_sources(tokens, found, clauses=clauses)
    quoted = {i for span in locate_quotes(message) for i in span}
    results: list[Expression] = []
    for number, (each, clause) in enumerate(zip(found, index_clauses(clauses, found), strict=True)):
        since = clauses[clause].start
        result = _resolve_in_context(message, tokens, each, at=at, pins=settled, since=since)
        before = found[number - 1] if number else None
        if before is not None and not is_listed(tokens, before.end, end=each.start):
            since = max(since, before.end)
        named = is_name(tokens, each, at=at, since=since) or is_unsure(
            tokens, each, clause=clauses[clause]
        )
        # How long the end of a month lasts is too vague to hold a date against.
        soft = isinstance(each, Phrase) and each.limit is None and names_third(each.parts)
        result = replace(
            result,
            looks_back=back and bool(result.readings),
            source=each.start in sources,
            binding=result.binding and not named and not soft,
            quoted=result.start in quoted,
            clause=clause,
        )
        if _is_open(tokens, each, several=several):
            result = replace(result, readings=(), refuses=(), dated=True)
        if number:
            if shift := _match_ellipsis(each):
                result = _move_result(result, _list_standing(results), shift, at)
            if is_corrected(tokens, found[number - 1].end, end=each.start):
                results[-1] = replace(results[-1], superseded=True)
        results.append(result)
    return results


def find_meaning(
    phrase: str,
    at: Moment,
    *,
    pins: Pins = NO_PINS,
    words: Words | None = None,
    locale: str | None = None,
) -> Expression:
    """A phrase that speaks of one time and nothing else; unknown unless all of it is understood."""
    parse = parse_once if len(phrase) <= _SHORT else parse_once.__wrapped__
    parsed = parse(phrase, words=words, locale=locale, country=at.country, year=at.today.year)
    if parsed is not None:
        return _build_expression(phrase, *parsed, at=at, pins=pins)
    return Expression(text=phrase, start=0, end=len(phrase), readings=())


@lru_cache(maxsize=512)
def parse_once(
    phrase: str, *, words: Words | None, locale: str | None, country: str | None, year: int
) -> tuple[Scan, Spoken] | None:
    """The one expression that a phrase consists of: whatever the time, it is the same.

    People say the same few phrases, so that they are kept; the year is that of the holidays.
    """
    tokens = _scan(phrase, words=words, locale=locale, country=country, year=year)
    if tokens is None:
        return None
    found = list(read(tokens))
    if not found and (amount := parse_lone_amount(tokens)):
        return tokens, Phrase((amount,), 0, tokens.count)
    return (tokens, found[0]) if len(found) == 1 and _covers(tokens, found[0]) else None


def _filter_spoken(tokens: Scan, spoken: Iterable[Spoken]) -> list[Spoken]:
    """What speaks of time; lengths of days too, where a day is named that they can start from."""
    found = [each for each in spoken if not is_greeting(each) or is_beside_another(tokens, each)]
    if not any(is_dated(each) for each in found):
        return found
    return sorted([*found, *find_loose_lengths(tokens, found)], key=lambda each: each.start)


def _is_open(tokens: Scan, found: Spoken, *, several: bool) -> bool:
    """Whether an expression is counted from a day that it does not say itself."""
    if is_beside_another(tokens, found) or is_length(tokens, found):
        return True
    if several and follows_another(tokens, found):
        return True
    return leans_on_another(tokens, found) and (several or is_moving(tokens, found))


def _resolve_in_context(
    message: str, tokens: Scan, found: Spoken, *, at: Moment, pins: Pins, since: int
) -> Expression:
    """An expression with what the words around it make of it."""
    ahead = {Convention.SIDE_FUTURE} if lies_ahead(tokens, found, since=since) else NO_PINS
    result = _build_expression(message, tokens, found, at=at, pins=pins | ahead)
    if is_ruled_out(tokens, found, since=since):
        # Which other day it shall be, the words do not say.
        refused = is_refused(tokens, found, since=since)
        return replace(result, readings=(), refuses=result.readings if refused else ())
    if is_cut_short(tokens, found):
        return replace(result, readings=())
    if side := find_bound(tokens, found):
        bounded = tuple(limit_reading(each, at, side=side) for each in result.readings)
        return replace(result, readings=bounded, exact=False)
    exact, leans = is_exact(tokens, found), leans_on_another(tokens, found)
    if exact and not leans:
        return result
    return replace(result, exact=exact and result.exact, leans=leans)


def _scan(
    message: str, *, words: Words | None, locale: str | None, country: str | None, year: int
) -> Scan | None:
    """The message as rules see it; `None` in an unsupported language."""
    tokens = tokenize(message)
    language = words or choose_language(tokens, locale=locale)
    if language is None:
        return None
    if country is None:
        return scan_tokens(tokens, language)
    national = load_national_names(country, year, words=language)
    return scan_tokens(tokens, language, national=national)


def _build_expression(
    message: str, tokens: Scan, found: Spoken, *, at: Moment, pins: Pins
) -> Expression:
    start, end = tokens.tokens[found.start].start, tokens.tokens[found.end - 1].end
    anchor = find_anchor(found)
    return Expression(
        text=message[start:end],
        start=start,
        end=end,
        readings=_apply_pins(resolve_spoken(found, at), pins),
        mentions=_apply_pins(resolve_spoken(anchor, at), pins) if anchor else (),
        vague=is_vague(found),
        exact=not any(isinstance(part, Now) and part.soon for part in found.parts),
        dated=is_dated(found),
        ranged=isinstance(found, Stretch)
        and not tokens.is_after(found.start, tokens.words.between),
        open_start=isinstance(found, Phrase) and found.limit is Limit.UNTIL,
    )


def _apply_pins(readings: Iterable[Reading], pins: Pins) -> tuple[Reading, ...]:
    """Each meaning once; where both answers to a question come to the same, neither is needed."""
    found: dict[tuple[object, ...], Reading] = {}
    for each in readings:
        key = (each.start, each.end, each.grain)
        same = found.get(key)
        found[key] = replace(same, rests_on=same.rests_on & each.rests_on) if same else each
    return tuple(each for each in found.values() if is_allowed(each.rests_on, pins))


def _settle_pins(found: Sequence[Spoken], pins: Pins) -> Pins:
    """A message that says both *this* and *next* says by that what *next* is."""
    if any(pin.question == Convention.NEXT_WEEK.question for pin in pins):
        return pins
    said = {
        part.which
        for each in found
        for part in each.parts
        if isinstance(part, Weekday) or (isinstance(part, Period) and part.unit == "weekend")
    }
    return pins | {Convention.NEXT_WEEK} if said >= {Which.THIS, Which.NEXT} else pins


def _match_ellipsis(found: Spoken) -> Shift | None:
    """The week after: after what was said before."""
    match found:
        case Phrase(parts=(Shift(anchored=True) as shift,)):
            return shift
        case _:
            return None


def _list_standing(said: Sequence[Expression]) -> list[Reading]:
    """The days that were said before, from which a later expression can be counted.

    None if they are too many: each of a long row would be counted from all before it.
    """
    if len(said) > _MOST_SAID:
        return []
    days = [each for each in said if each.dated and not each.superseded]
    readings = [reading for each in days for reading in each.readings]
    return readings if len(readings) <= _MOST_READINGS else []


def _move_result(
    result: Expression, days: Iterable[Reading], shift: Shift, at: Moment
) -> Expression:
    moved = (shift_reading(each, shift, at) for each in days)
    return replace(result, readings=tuple(each for each in moved if each))


def _covers(tokens: Scan, found: Spoken) -> bool:
    """Whether nothing is left of a phrase but words that change no time."""
    words = tokens.words
    joints = (words.glue, words.limits, words.range_openings, words.between)
    i = 0
    while i < tokens.count:
        if i == found.start:
            i = found.end
            continue
        joint = next((end for table in joints if (end := table.match(tokens.tokens, i))), None)
        if joint is None and (_says_more(tokens, i) or words.negations.match(tokens.tokens, i)):
            return False
        i = joint[1] if joint else i + 1
    return True


def _says_more(tokens: Scan, i: int) -> bool:
    text = tokens.tokens[i].text
    return text[:1].isalnum() and text not in tokens.words.harmless


def resolve(
    phrase: str,
    *,
    at: datetime,
    timezone: str | tzinfo,
    country: str | None = None,
    locale: str | None = None,
) -> list[Reading]:
    """Everything a phrase can mean, said at `at` in an IANA zone, the likeliest first.

    An empty list: not all of it is understood, or it is vague ("in a few days"). Starts and ends
    are naive: what a clock in the zone shows. `locale` (`en-GB`) settles the order of 3/4,
    `country` (`GB`) whose holidays are meant.

    >>> from datetime import UTC, datetime
    >>> said = datetime(2026, 10, 28, 12, tzinfo=UTC)
    >>> for reading in resolve("next Friday", at=said, timezone="Europe/Berlin"):
    ...     print(reading.start, reading.end, reading.grain.name, *reading.rests_on)
    2026-10-30 00:00:00 2026-10-31 00:00:00 DAY next.soonest
    2026-11-06 00:00:00 2026-11-07 00:00:00 DAY next.week_after
    """
    moment, pins = _settle(phrase, at, timezone=timezone, country=country, locale=locale)
    found = find_meaning(phrase, moment, pins=pins, locale=locale)
    return rank_readings(found.readings, now=moment.now) if found.sharp else []


def find(
    message: str,
    *,
    at: datetime,
    timezone: str | tzinfo,
    country: str | None = None,
    locale: str | None = None,
) -> list[Expression]:
    """Every time that a message speaks of, its position, and all that it can mean.

    An expression without readings speaks of time and is not understood. Of a message, 20,000
    characters are read; the rest of it is one expression without readings.
    """
    moment, pins = _settle(message, at, timezone=timezone, country=country, locale=locale)
    found = [
        replace(each, readings=tuple(rank_readings(each.readings, now=moment.now)))
        for each in read_message(message, moment, pins=pins, locale=locale).expressions
    ]
    return found if is_read_whole(message) else _add_rest(message, found)


def _settle(
    text: str,
    at: datetime,
    *,
    timezone: str | tzinfo,
    country: str | None,
    locale: str | None,
) -> tuple[Moment, Pins]:
    """When and where something was said; what cannot be understood is refused."""
    if not isinstance(text, str):
        raise TypeError(f"{text!r} is not a text.")
    if locale is not None and not is_locale(locale):
        raise ValueError(f"{locale!r} is not a locale such as 'en-GB' or 'de'.")
    if country is not None and not _COUNTRY.fullmatch(country):
        raise ValueError(f"{country!r} is not a country such as 'GB', in two letters.")
    where = country.upper() if country else None
    moment = make_moment(at, timezone=timezone, country=where)
    return moment, choose_pins(locale) if locale else NO_PINS


def _add_rest(message: str, found: Sequence[Expression]) -> list[Expression]:
    """The unread rest of a message as an expression that is not understood.

    It begins with the last expression that was read, if that may go on there.
    """
    kept = [each for each in found if each.end <= LONGEST - _CUT]
    start = found[len(kept)].start if len(kept) < len(found) else LONGEST
    rest = Expression(text=message[start:], start=start, end=len(message), readings=())
    return [*kept, rest]


_KINDS = {
    Grain.SECOND: "moment",
    Grain.MINUTE: "moment",
    Grain.PART: "part of day",
    Grain.DAY: "day",
    Grain.SPAN: "span",
}


def calculate_datetime(
    phrase: str,
    now: datetime,
    *,
    timezone: str,
    country: str | None = None,
    pins: Pins = NO_PINS,
) -> dict[str, Any]:
    """Everything a phrase can mean, said at `now` in an IANA zone, as data that JSON can hold.

    `known` is false, with the reason in `why`, when the zone or the phrase is not understood.
    """
    try:
        at = make_moment(now, timezone=timezone, country=country)
    except UnknownZoneError as unknown:
        return _build_unknown(phrase, str(unknown))
    found = find_meaning(phrase, at, pins=pins)
    if not found.readings:
        return _build_unknown(
            phrase, "Not all of it is understood: ask the person which date is meant."
        )
    ranked = rank_readings(found.readings, now=at.now)
    readings = [told for each in ranked for told in _encode_reading(each, at.zone or UTC)]
    said = at.now.replace(microsecond=0).isoformat(sep=" ")
    return {
        "phrase": phrase,
        "known": True,
        "now": f"{at.now:%A} {said}",
        "vague": not found.sharp,
        "readings": readings,
    }


def _build_unknown(phrase: str, why: str) -> dict[str, Any]:
    return {"phrase": phrase, "known": False, "why": why, "readings": []}


def _encode_reading(reading: Reading, zone: tzinfo) -> list[dict[str, Any]]:
    """A reading as data; one that the clocks show twice is two."""
    plain = {
        "kind": _KINDS[reading.grain],
        "weekday": f"{reading.start:%A}",
        "told": describe_reading(reading),
    }
    rests_on = sorted(reading.rests_on)
    if reading.grain > Grain.MINUTE:
        whole = reading.start.time() == reading.end.time() == time()
        start, end = (
            (each.date() if whole else each).isoformat() for each in (reading.start, reading.end)
        )
        return [{**plain, "start": start, "end": end, "rests_on": rests_on}]
    return [
        {
            **plain,
            "start": moment.isoformat(),
            "end": moment.isoformat(),
            "rests_on": rests_on + ([convention] if convention else []),
        }
        for moment, convention in list_instants(reading.start, zone)
    ]
