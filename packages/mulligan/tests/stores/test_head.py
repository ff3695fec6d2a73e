from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.stores.crypto import Signer
from mulligan.stores.relational.transaction import Account, Head, decode_head

SIGNER = Signer(bytes(range(32)))
HEAD = Head(writer="ab" * 16, commits=3, seq=2, hash=b"h" * 32, account=Account(rows={"kept": 5}))


@pytest.mark.parametrize(
    "change",
    [{"commits": 2}, {"seq": 1}, {"hash": b"i" * 32}, {"account": Account()}, {"writer": "b"}],
    ids=lambda change: next(iter(change)),
)
def test_whatever_is_changed_in_a_row_shows(change) -> None:
    signed = HEAD.sign(SIGNER)

    assert HEAD.is_signed(SIGNER, signed["seal"])
    assert not replace(HEAD, **change).is_signed(SIGNER, signed["seal"])


def test_a_writer_of_another_store_under_the_same_key_is_none_of_this_one() -> None:
    here, there = Signer(bytes(range(32))), Signer(bytes(range(32)))
    here.identity, there.identity = b"production", b"staging"

    assert HEAD.is_signed(here, HEAD.sign(here)["seal"])
    assert not HEAD.is_signed(here, HEAD.sign(there)["seal"])
    assert not HEAD.is_signed(here, HEAD.sign(SIGNER)["seal"])


def test_without_a_key_nothing_is_signed_and_nothing_asked_for() -> None:
    assert HEAD.sign(None) == {"account": "", "seal": None}
    assert HEAD.is_signed(None, None)


def test_a_head_comes_back_from_its_row() -> None:
    signed = HEAD.sign(SIGNER)

    row = (HEAD.writer, HEAD.commits, HEAD.seq, HEAD.hash, signed["account"], signed["seal"])

    assert decode_head(row) == (HEAD, signed["seal"])


def test_a_mark_is_signed_and_proves_its_entry() -> None:
    mark = HEAD.to_mark(SIGNER)

    assert mark.is_signed(SIGNER)
    assert mark.proves(HEAD.hash)
    assert not mark.proves(bytes(32))
    assert not replace(mark, seq=1).is_signed(SIGNER)
    assert not HEAD.to_mark(None).is_signed(SIGNER)
