from __future__ import annotations

import pytest

from mulligan.stores.crypto import Signer

KEY = bytes(range(32))


def test_only_the_key_signs_what_holds() -> None:
    seal = Signer(KEY).sign("kept", "a", 1, b"x", None)

    assert Signer(KEY).holds(seal, "kept", "a", 1, b"x", None)
    assert not Signer(bytes(32)).holds(seal, "kept", "a", 1, b"x", None)


@pytest.mark.parametrize(
    "parts",
    [("kept", "a", 2, b"x"), ("tool", "a", 1, b"x"), ("kept", "a1", b"x"), ("kept", "a", 1, "78")],
    ids=["another part", "another kind", "parts run together", "text for bytes"],
)
def test_a_signature_is_of_one_thing_alone(parts) -> None:
    signer = Signer(KEY)
    seal = signer.sign("kept", "a", 1, b"x")

    assert not signer.holds(seal, *parts)


@pytest.mark.parametrize("found", [None, "", 7, b""])
def test_what_is_no_signature_does_not_hold(found) -> None:
    assert not Signer(KEY).holds(found, "kept", "a")


def test_what_no_row_can_hold_is_not_signed() -> None:
    assert not Signer(KEY).holds(b"x" * 32, "kept", object())
