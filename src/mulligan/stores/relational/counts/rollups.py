"""Counts by the hour and by the day over tables, kept in the transaction of their rows.

A month is thirty days and not seven hundred hours; the hours are for where a span begins and ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.core.call import OWN
from mulligan.core.errors import StoreError
from mulligan.core.storage.rollup import Rollup, Slot
from mulligan.stores.columns.histogram import dump_counts, load_counts
from mulligan.stores.database.driver import Session

HOURS = 24
DERIVED = f"{OWN} derived:"
"""Before the server of a slot: the slot counts contexts that were derived, as contexts. So there is
no column of its own, which stores that are there would have to be given."""
_ALL_HOURS = 2**40


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
    _lock_days(session)
    session.run("drop_days_before", day=cut + 1)
    session.run("drop_pattern_days_before", day=cut + 1)
    _count_days(session, since=cut * HOURS, until=cut * HOURS + HOURS - 1)


def _lock_days(session: Session) -> None:
    try:
        with session.begin_savepoint():
            session.run("lock_days")
    except StoreError as error:
        # An engine that locks no tables settles by itself what two transactions do to each other.
        if type(error) is not StoreError:
            raise


def roll_up_old_days(session: Session) -> None:
    """Count the days of hours that were counted before there were any."""
    _count_days(session, since=-_ALL_HOURS, until=_ALL_HOURS)


def _count_days(session: Session, *, since: int, until: int) -> None:
    rows = session.fetch("days_of_hours", since=since, until=until)
    days = _decode_all((Slot(*row[:5]), _decode(*row[5:])) for row in rows)
    session.run_many("add_days", _encode_all(days))
    session.run("count_pattern_days", since=since, until=until)


def _encode_all(rollups: Mapping[Slot, Rollup]) -> list[tuple[object, ...]]:
    """As the tables hold them, in their order: derived contexts in slots of their own."""
    derived = {
        slot._replace(server=DERIVED + slot.server): Rollup(with_context=counts.derived)
        for slot, counts in rollups.items()
        if counts.derived
    }
    return [_encode(*each) for each in sorted((*rollups.items(), *derived.items()), key=_find_key)]


def _find_key(each: tuple[Slot, Rollup]) -> Slot:
    return each[0]


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
    calls, failures, repaired, with_context, duration_us, latency, repairs, *of_tries = columns
    return Rollup(
        calls,
        failures,
        repaired,
        with_context,
        duration_us,
        load_counts(latency),
        load_counts(repairs),
        *of_tries,
    )


def _encode(slot: Slot, counts: Rollup) -> tuple[object, ...]:
    return (
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
