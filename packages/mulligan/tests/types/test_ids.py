"""Ids that sort by time."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from mulligan.types.values import RANDOM_BITS, make_uuid7

instants = st.integers(min_value=0, max_value=253_402_300_799_999_999)  # to the end of year 9999
chances = st.integers(min_value=0, max_value=2**RANDOM_BITS - 1)


@given(at_us=instants, chance=chances)
def test_an_id_is_a_valid_uuid_of_version_seven(at_us, chance):
    made = make_uuid7(at_us, chance)

    parsed = uuid.UUID(hex=made)
    assert parsed.hex == made
    assert parsed.version == 7
    assert parsed.variant == uuid.RFC_4122


@given(first=instants, second=instants, chance=chances, other=chances)
def test_ids_sort_by_the_microsecond_whatever_the_chance(first, second, chance, other):
    ids = sorted([make_uuid7(first, chance), make_uuid7(second, other)])

    if first != second:
        assert ids[0] == make_uuid7(*min((first, chance), (second, other)))


@given(at_us=instants, chance=chances)
def test_an_id_keeps_its_instant_and_all_of_its_chance(at_us, chance):
    number = uuid.UUID(hex=make_uuid7(at_us, chance)).int

    assert (number >> 80) == at_us // 1000
    assert (number >> 64) & 0xFFF == at_us % 1000
    assert number & (2**RANDOM_BITS - 1) == chance
