"""Ids that sort by time, so that a primary key is also the index by time."""

from __future__ import annotations

RANDOM_BITS = 62


def make_uuid7(at_us: int, chance: int) -> str:
    """A version 7 UUID as 32 hexadecimal digits: milliseconds, then microseconds, then chance.

    `at_us` is microseconds since the epoch, `chance` an integer of `RANDOM_BITS` random bits.
    """
    milliseconds, rest = divmod(at_us, 1000)
    number = milliseconds << 80 | 7 << 76 | rest << 64 | 1 << 63 | chance
    return number.to_bytes(16, "big").hex()
