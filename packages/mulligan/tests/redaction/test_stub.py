from __future__ import annotations

import pytest

from mulligan.redaction.values import SHORT, Stubs, format_class
from mulligan.types.errors import ConfigurationError

KEY = b"k" * 16


def test_a_stub_says_what_and_how_long_and_is_the_same_for_the_same() -> None:
    stubs = Stubs(KEY)

    assert stubs.hash_text("hunter2").startswith("<str 7 #")
    assert stubs.hash_text("hunter2") == Stubs(KEY).hash_short("hunter2")
    assert stubs.hash_text("hunter2") != stubs.hash_text("hunter3")
    assert stubs.hash_text("hunter2") != Stubs(b"x" * 16).hash_text("hunter2")
    assert stubs.hash_bytes(b"ab", name="bytes").startswith("<bytes 2 #")


def test_a_key_that_could_be_guessed_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="has 15 bytes"):
        Stubs(b"k" * 15)
    assert Stubs(b"k" * 500).hash_text("a") != Stubs(b"k" * 501).hash_text("a")


def test_very_long_values_count_by_their_ends_and_their_length() -> None:
    stubs, long = Stubs(KEY), "a" * 100_000

    assert stubs.hash_text(long) != stubs.hash_text(f"{long[:-1]}b")
    assert stubs.hash_text(long) != stubs.hash_text(f"{long}a")
    assert stubs.hash_integer(10**6_000).startswith("<int 19932 bits #")
    assert stubs.hash_integer(10**6_000) != stubs.hash_integer(10**6_000 + 1)


def test_text_that_no_encoding_has_is_hashed_all_the_same() -> None:
    stubs = Stubs(KEY)

    assert stubs.hash_short("\ud800") == stubs.hash_text("\ud800")
    assert stubs.hash_short("x" * SHORT) == stubs.hash_text("x" * SHORT)


def test_a_class_is_named_unless_its_name_may_be_a_secret() -> None:
    assert format_class(ValueError) == "ValueError"
    assert format_class(type("sk-123456789012345678901234", (), {})) == "object"
    assert format_class(type("x" * 65, (), {})) == "object"
