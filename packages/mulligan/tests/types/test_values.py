"""Ids that sort by time, times, and who somebody is."""

from __future__ import annotations

import itertools
import uuid
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.types.values import (
    RANDOM_BITS,
    Identities,
    IdentityKind,
    from_us,
    is_identity,
    make_uuid7,
    read_label,
    to_us,
)

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


def test_a_time_goes_there_and_back_to_the_microsecond_in_any_century() -> None:
    for year in (1, 1969, 2026, 9999):
        at = datetime(year, 6, 15, 12, 0, 0, 1, tzinfo=UTC)

        assert from_us(to_us(at, name="at")) == at


KEY = b"k" * 32
SHAPES = [
    "acme", "Acme", " acme", "acme ", "acme  ltd", "acme ltd", "7", "07", "4111111111111111",
    "eve@example.com", "Eve@example.com", "bob@example.com", "org_1a2b3c4d", "org_1a2b3c4e",
    "0b9f6a3e-54f1-4f6e-9a52-2a5d5a0f2f11", "0b9f6a3e-54f1-4f6e-9a52-2a5d5a0f2f12",
    "x" * 5_000 + "a", "x" * 5_000 + "b", "caf\u00e9", "cafe\u0301", "ａcme", "ac\u200bme",
    "\ud800", "\ud801", "tenant~" + "0" * 20, "sk_live_51H8xYz",
]  # fmt: skip


def identify(name: str, kind: IdentityKind = IdentityKind.TENANT, key: bytes = KEY) -> str:
    return Identities(key).identify(name, kind)


def test_a_name_is_the_same_to_all_who_share_the_key():
    shared = Identities(KEY)

    for name in SHAPES:
        assert shared.identify(name, IdentityKind.TENANT) == identify(name)
        assert is_identity(identify(name))


def test_names_kinds_and_keys_of_every_shape_stay_apart():
    found = [identify("acme", kind) for kind in IdentityKind]
    found.append(identify("acme", key=b"o" * 32))

    assert len({identify(name) for name in SHAPES}) == len(SHAPES)
    assert len({each.partition("~")[2] for each in found}) == len(found)


def test_people_read_a_plain_name_of_a_tenant_and_of_any_other_nothing():
    secret = ("eve@example.com", "4111111111111111", "a\nb", "x" * 30, "one two three four five")

    assert [read_label(identify(name)) for name in ("acme", "Acme Ltd")] == ["acme", "Acme Ltd"]
    assert {read_label(identify(name)) for name in secret} == {"tenant"}
    assert read_label(identify("Anna", IdentityKind.PRINCIPAL)) == "person"
    assert [identify("", kind) for kind in IdentityKind] == ["", "", ""]


def test_more_names_than_are_remembered_change_nothing():
    one = Identities(KEY)
    before = one.identify("acme", IdentityKind.TENANT)

    for number in itertools.islice(itertools.count(), 5_000):
        one.identify(f"t{number}", IdentityKind.TENANT)

    assert one.identify("acme", IdentityKind.TENANT) == before


@pytest.mark.parametrize(
    "text", ["acme", "", "acme~", "acme~xyz", "~" + "0" * 20, "a@b~" + "0" * 20]
)
def test_a_name_is_no_identity(text: str):
    assert not is_identity(text)
