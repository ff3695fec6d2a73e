"""Counts of calls, failures and texts by the hour and the day, kept with their rows.

A month is thirty days and not seven hundred hours; the hours are for where a span begins and
ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mulligan.codec import encode_json
from mulligan.stores.database import Session
from mulligan.stores.encoding import build_pattern, decode_log_row, dump_counts, load_counts
from mulligan.types.call import OWN, LogRow
from mulligan.types.display import escape
from mulligan.types.errors import StoreError
from mulligan.types.log import (
    PatternCount,
    PatternQuery,
    PatternSeen,
    PatternSlot,
    Rollup,
    Slot,
    TextCounts,
    TextSlot,
    add_failures,
    add_texts,
    list_rated,
    roll_up_texts,
    roll_up_thumbs,
)

HOURS = 24
DERIVED = f"{OWN} derived:"
"""Before the server of a slot: the slot counts contexts that were derived, as contexts. So there is
no column of its own, which stores that are there would have to be given."""


def add_rollups(session: Session, rollups: Mapping[Slot, Rollup]) -> None:
    """Add counts to those of their hours and days."""
    # In one order everywhere, so that two writers never wait for each other in a circle.
    session.run_many("add_rollups", _encode_all(rollups))
    days: dict[Slot, Rollup] = {}
    for slot, counts in rollups.items():
        days.setdefault(slot._replace(hour=slot.hour // HOURS), Rollup()).add(counts)
    session.run_many("add_days", _encode_all(days))


def read_hours(session: Session, *, since: int, until: int) -> dict[Slot, Rollup]:
    """The counts of some hours, both included, each for itself."""
    rows = session.fetch("hourly", since=since, until=until)
    return _decode_all((Slot(*row[:5]), _decode(*row[5:])) for row in rows)


def sum_hours(session: Session, *, since: int, until: int) -> dict[Slot, Rollup]:
    """The counts of some hours together, each slot in hour 0."""
    rows = session.fetch("totals", **split_hours(since, until))
    return _decode_all((Slot(0, *row[:4]), _decode(*row[4:])) for row in rows)


def split_hours(since: int, until: int) -> dict[str, int]:
    """Some hours as whole days, with the hours before the first of them and after the last."""
    first_day, next_day = -(-since // HOURS), (until + 1) // HOURS
    if first_day >= next_day:
        # No day is whole: all are before the first, and no day is the last.
        first_day, next_day, head, tail = 1, 1, until, until + 1
    else:
        head, tail = first_day * HOURS - 1, next_day * HOURS
    return {
        "since": since,
        "head": head,
        "first_day": first_day,
        "last_day": next_day - 1,
        "tail": tail,
        "until": until,
    }


def drop_hours(session: Session, *, before: int) -> None:
    """Forget the counts of hours before one; `cut_days` is to follow."""
    session.run("drop_hourly_before", hour=before)
    session.run("drop_pattern_hours_before", hour=before)


def cut_days(session: Session, *, before: int) -> None:
    """Forget what hours before one were of their days, in a transaction of its own."""
    cut = before // HOURS
    # Whoever has added to an hour and not yet to its day would be counted twice, or not at all.
    try:
        with session.begin_savepoint():
            session.run("lock_days")
    except StoreError as error:
        # An engine that locks no tables settles by itself what two transactions do to each other.
        if type(error) is not StoreError:
            raise
    session.run("drop_days_before", day=cut + 1)
    session.run("drop_pattern_days_before", day=cut + 1)
    hours = {"since": cut * HOURS, "until": cut * HOURS + HOURS - 1}
    rows = session.fetch("days_of_hours", **hours)
    days = _decode_all((Slot(*row[:5]), _decode(*row[5:])) for row in rows)
    session.run_many("add_days", _encode_all(days))
    session.run("count_pattern_days", **hours)


def _encode_all(rollups: Mapping[Slot, Rollup]) -> list[tuple[object, ...]]:
    """As the tables hold them, in their order: derived contexts in slots of their own."""
    derived = {
        slot._replace(server=DERIVED + slot.server): Rollup(with_context=counts.derived)
        for slot, counts in rollups.items()
        if counts.derived
    }
    both = sorted((*rollups.items(), *derived.items()), key=lambda each: each[0])
    return [
        (
            *slot,
            counts.calls,
            counts.failures,
            counts.repaired,
            counts.with_context,
            counts.duration_us,
            dump_counts(counts.latency),
            dump_counts(counts.repairs),
            counts.retried,
            counts.suggested,
            counts.suggested_right,
            counts.tries,
        )
        for slot, counts in both
    ]


def _decode_all(found: Iterable[tuple[Slot, Rollup]]) -> dict[Slot, Rollup]:
    """The other way round."""
    rollups: dict[Slot, Rollup] = {}
    for slot, counts in found:
        if slot.server.startswith(DERIVED):
            slot = slot._replace(server=slot.server.removeprefix(DERIVED))
            counts = Rollup(derived=counts.with_context)
        rollups.setdefault(slot, Rollup()).add(counts)
    return rollups


def _decode(*columns: Any) -> Rollup:
    found = list(columns)
    found[5:7] = map(load_counts, found[5:7])
    return Rollup(*found)


Counts = dict[tuple[int, int], tuple[int, int]]
"""By time and pattern: how many failures, and when the first was."""
_BETWEEN = "\x1f"
"""Between the names of agents, where none of them can have it."""


def add_patterns(session: Session, counted: Mapping[PatternSlot, PatternCount]) -> None:
    """Add failures to their hours: each pattern is looked up once, however many hours it is in."""
    known: dict[PatternSlot, PatternCount] = {}
    for slot, count in counted.items():
        pattern = slot._replace(hour=0)
        known[pattern] = add_failures(known[pattern], count) if pattern in known else count
    # In one order everywhere, so that two writers never wait for each other in a circle.
    numbers: dict[PatternSlot, int] = {}
    for pattern, count in sorted(known.items(), key=lambda each: each[0]):
        [(numbers[pattern],)] = session.fetch(
            "know_pattern",
            tenant=escape(pattern.tenant),
            tool=escape(pattern.tool),
            fingerprint=pattern.fingerprint,
            agent=escape(pattern.agent),
            error_class=count.error_class,
            template=escape(count.template),
            last_us=count.last_us,
            example=escape(count.example),
        )
    hours: Counts = {}
    days: Counts = {}
    for slot, count in counted.items():
        number = numbers[slot._replace(hour=0)]
        for counts, time in ((hours, slot.hour), (days, slot.hour // HOURS)):
            failures, first_us = counts.get((time, number), (0, count.first_us))
            counts[time, number] = (failures + count.failures, min(first_us, count.first_us))
    for query, counts in (("count_failures", hours), ("count_failure_days", days)):
        session.run_many(query, [(*at, *count) for at, count in sorted(counts.items())])


def read_patterns(
    session: Session, query: PatternQuery, *, since: int, until: int
) -> list[PatternSeen]:
    """The patterns of some hours, the most frequent first."""
    rows = session.fetch(
        "patterns",
        tenant=None if query.tenant is None else escape(query.tenant),
        tool=None if query.tool is None else escape(query.tool),
        **split_hours(since, until),
        most=query.limit,
        between=_BETWEEN,
    )
    return [
        build_pattern(
            tool, fingerprint, counted=PatternCount(*counted), agents=agents.split(_BETWEEN)
        )
        for tool, fingerprint, agents, *counted in rows
    ]


def count_texts(session: Session, rows: Sequence[LogRow]) -> None:
    """Add what these rows say, which are in the log already, to the counts of their hours."""
    counts = roll_up_texts(rows)
    if rated := list_rated(rows):
        add_texts(counts, roll_up_thumbs(rows, _find_rated(session, rated)))
    # In one order everywhere, so that two writers never wait for each other in a circle.
    session.run_many("add_texts", [(*slot, n) for slot, n in sorted(counts.items())])


def read_texts(session: Session, *, since: int, until: int) -> TextCounts:
    """The counts of some hours, both included."""
    rows = session.fetch("texts", since=since, until=until)
    return {TextSlot(*row[:6]): row[6] for row in rows}


def _find_rated(session: Session, ids: set[str]) -> list[LogRow]:
    """Texts and all their thumbs."""
    names = encode_json(sorted(ids)).decode()
    return [decode_log_row(row) for row in session.fetch("rated_texts", ids=names)]
