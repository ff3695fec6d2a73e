"""Counts by hour, tool and agent, added up as rows are written so that questions stay fast."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from mulligan.core.call import OWN, LogRow, Outcome

HOUR_US = 3_600_000_000
_SUCCESS = Outcome.SUCCESS.value


class Slot(NamedTuple):
    """What a roll-up counts: one tool, used by one agent, in one hour."""

    hour: int
    """Hours since the epoch."""
    tenant: str
    server: str
    tool: str
    agent: str


@dataclass(slots=True)
class Rollup:
    """The counts of one slot."""

    calls: float = 0
    """Executions, weighted where successes are sampled."""
    failures: float = 0
    """Everything that is not a success."""
    repaired: float = 0
    """Successes on a later try."""
    with_context: float = 0
    """Calls that said which agent made them, and what for."""
    duration_us: float = 0
    latency: dict[int, float] = field(default_factory=dict)
    """Calls by latency bucket."""


def latency_bucket(duration_us: int) -> int:
    """The bucket of a duration: four to each doubling, so a bound is at most a quarter off."""
    if duration_us < 4:
        return max(duration_us, 0)
    length = duration_us.bit_length()
    return (length - 1) * 4 + (duration_us >> (length - 3)) - 8


def bucket_floor_us(bucket: int) -> int:
    """The shortest duration that falls into a bucket."""
    if bucket < 4:
        return bucket
    octave, quarter = divmod(bucket, 4)
    return (4 + quarter) << (octave - 1)


def roll_up(rows: Iterable[LogRow]) -> dict[Slot, Rollup]:
    """Add calls up by slot; steps of our own loops are none."""
    slots: dict[tuple[object, ...], Rollup] = {}
    # Runs once for every row ever logged: unpacking is twice as fast as naming each field.
    for (
        _, at_us, tenant, agent, server, tool, _, context, outcome, duration_us,
        _, _, _, _, _, _, try_number, _, _, weight,
    ) in rows:  # fmt: skip
        key = (at_us // HOUR_US, tenant, server, tool, agent)
        counts = slots.get(key)
        if counts is None:
            counts = slots[key] = Rollup()
        counts.calls += weight
        counts.duration_us += weight * duration_us
        if outcome != _SUCCESS:
            counts.failures += weight
        elif try_number > 1:
            counts.repaired += weight
        if agent and context:
            counts.with_context += weight
        bucket = latency_bucket(duration_us)
        counts.latency[bucket] = counts.latency.get(bucket, 0) + weight
    counted = ((Slot._make(key), counts) for key, counts in slots.items())
    return {slot: counts for slot, counts in counted if slot.server != OWN}
