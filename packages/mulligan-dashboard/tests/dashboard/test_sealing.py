from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan_dashboard.security import Role, Sealer, TokenKind, Visitor

MUM = Visitor(name="Mum", role=Role.DECIDE)
HOUR = timedelta(hours=1)


def test_a_token_says_whom_it_is_for() -> None:
    sealer = Sealer()

    read = sealer.read(sealer.write(MUM, kind=TokenKind.LINK, life=HOUR), kind=TokenKind.LINK)

    assert read is not None
    assert (read.name, read.role) == ("Mum", Role.DECIDE)


def test_two_sessions_of_one_link_are_two() -> None:
    sealer = Sealer()
    tokens = [sealer.write(MUM, kind=TokenKind.SESSION, life=HOUR) for _ in range(2)]

    one, other = (sealer.read(token, kind=TokenKind.SESSION) for token in tokens)

    assert one is not None
    assert other is not None
    assert sealer.is_form_token(sealer.make_form_token(one), one)
    assert not sealer.is_form_token(sealer.make_form_token(one), other)


def test_a_token_is_over_in_time() -> None:
    now = 1_000.0
    sealer = Sealer(now=lambda: now)
    token = sealer.write(MUM, kind=TokenKind.LINK, life=HOUR)

    now += 3_601

    assert sealer.read(token, kind=TokenKind.LINK) is None


@pytest.mark.parametrize("kind", TokenKind)
def test_a_token_of_another_kind_or_server_is_none(kind: TokenKind) -> None:
    sealer = Sealer()
    (other,) = set(TokenKind) - {kind}
    token = sealer.write(MUM, kind=kind, life=HOUR)

    assert sealer.read(token, kind=other) is None
    assert Sealer().read(token, kind=kind) is None


@given(at=st.integers(0, 400), sign=st.characters())
def test_a_token_that_was_touched_is_none(at: int, sign: str) -> None:
    sealer = Sealer(b"x" * 32)
    token = sealer.write(MUM, kind=TokenKind.LINK, life=HOUR)
    at %= len(token)

    touched = token[:at] + sign + token[at + 1 :]

    assert touched == token or sealer.read(touched, kind=TokenKind.LINK) is None


@given(st.text())
def test_any_text_is_no_token(text: str) -> None:
    assert Sealer().read(text, kind=TokenKind.SESSION) is None


def test_a_visitor_knows_how_long_its_token_lasts() -> None:
    now = 1_000.0
    sealer = Sealer(now=lambda: now)
    read = sealer.read(sealer.write(MUM, kind=TokenKind.LINK, life=HOUR), kind=TokenKind.LINK)
    assert read is not None

    now = 2_000.0

    assert sealer.count_left(read) == 2_600.0
    assert sealer.count_left(MUM) > 1e300
