"""Chains, signatures and accounts: whatever is changed without the key shows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.stores.crypto import GENESIS, ChainEntry, Signer, find_breaks, hash_entry
from mulligan.stores.relational.transaction import (
    Account,
    Head,
)


def make_chain(count: int) -> list[ChainEntry]:
    lines, previous = [], GENESIS
    for seq in range(1, count + 1):
        line = ChainEntry("w", seq, f"a{seq}", 1, "intent", 1000 + seq, f'{{"n":{seq}}}', b"")
        previous = hash_entry(previous, line)
        lines.append(line._replace(hash=previous))
    return lines


def broken_at(lines: list[ChainEntry], *, after: int = 0, previous: bytes = GENESIS) -> list[int]:
    return [seq for seq, _ in find_breaks(lines, after=after, previous=previous)]


@pytest.mark.parametrize(
    "change",
    [
        {"action": "b"},
        {"version": 2},
        {"state": "verified"},
        {"at_us": 0},
        {"body": "{}"},
        {"writer": "v"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_column_is_protected(change) -> None:
    lines = make_chain(5)
    lines[2] = lines[2]._replace(**change)

    assert broken_at(lines) == [3]


def test_a_missing_entry_is_one_break_where_it_was() -> None:
    lines = make_chain(6)

    assert broken_at([*lines[:2], *lines[4:]]) == [3]
    assert broken_at(lines[1:]) == [1]


def test_hollow_entries_still_link() -> None:
    lines = [line._replace(body=None) if line.seq in (1, 3, 4) else line for line in make_chain(6)]
    changed = [line._replace(hash=bytes(32)) if line.seq == 4 else line for line in lines]

    assert broken_at(lines) == []
    assert broken_at(changed) == [5]


def test_a_chain_goes_on_from_its_anchor() -> None:
    lines = make_chain(6)

    assert broken_at(lines[3:], after=3, previous=lines[2].hash) == []
    assert broken_at(lines[3:], after=3, previous=lines[1].hash) == [4]


KEY = bytes(range(32))


@pytest.mark.parametrize(
    "parts",
    [("kept", "a", 2, b"x"), ("tool", "a", 1, b"x"), ("kept", "a1", b"x"), ("kept", "a", 1, "78")],
    ids=["another part", "another kind", "parts run together", "text for bytes"],
)
def test_a_signature_is_of_one_thing_alone(parts) -> None:
    signer = Signer(KEY)
    seal = signer.sign("kept", "a", 1, b"x")

    assert not signer.holds(seal, *parts)


SIGNER = Signer(bytes(range(32)))

HEAD = Head(writer="ab" * 16, commits=3, seq=2, hash=b"h" * 32, account=Account(rows={"kept": 5}))


@pytest.mark.parametrize(
    "change",
    [{"commits": 2}, {"seq": 1}, {"hash": b"i" * 32}, {"account": Account()}, {"writer": "b"}],
    ids=lambda change: next(iter(change)),
)
def test_whatever_is_changed_in_a_row_shows(change) -> None:
    signed = HEAD.to_row(SIGNER)

    assert HEAD.is_signed(SIGNER, signed["seal"])
    assert not replace(HEAD, **change).is_signed(SIGNER, signed["seal"])


def test_a_writer_of_another_store_under_the_same_key_is_none_of_this_one() -> None:
    here, there = Signer(bytes(range(32))), Signer(bytes(range(32)))
    here.identity, there.identity = b"production", b"staging"

    assert HEAD.is_signed(here, HEAD.to_row(here)["seal"])
    assert not HEAD.is_signed(here, HEAD.to_row(there)["seal"])
    assert not HEAD.is_signed(here, HEAD.to_row(SIGNER)["seal"])


def test_a_mark_is_signed_and_proves_its_entry() -> None:
    mark = HEAD.to_mark(SIGNER)

    assert mark.is_signed(SIGNER)
    assert mark.proves(HEAD.hash)
    assert not mark.proves(bytes(32))
    assert not replace(mark, seq=1).is_signed(SIGNER)
    assert not HEAD.to_mark(None).is_signed(SIGNER)
