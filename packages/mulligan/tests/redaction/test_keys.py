from __future__ import annotations

from itertools import product
from string import ascii_lowercase

from mulligan.redaction.names import Secrecy
from mulligan.redaction.values import Keys, Stubs


def make() -> Keys:
    return Keys(Stubs(b"k" * 16))


def test_a_key_says_whether_its_value_is_secret_and_is_shown_if_it_is_a_field() -> None:
    keys = make()

    password, limit, mail = map(keys.classify, ("password", "limit", "ann@shop.example"))

    assert (password.shown, password.secrecy) == ("password", Secrecy.HIDDEN)
    assert (limit.shown, limit.secrecy) == ("limit", Secrecy.OPEN)
    assert mail.shown.startswith("<str 16 #")
    assert keys.open == {"limit"}


def test_keys_that_are_no_text_are_shown_as_far_as_they_are_harmless() -> None:
    keys = make()

    assert [keys.classify(each).shown for each in (None, True, 7)] == ["None", "True", "7"]
    assert keys.classify(4_111_111_111_111_111).shown.startswith("<int 16 #")
    assert keys.classify((1, 2)).shown == "<tuple>"


def test_two_keys_that_look_alike_stay_two() -> None:
    keys = make()
    one = keys.classify((1, 2))

    assert one.choose_label({}) == "<tuple>"
    assert one.choose_label({"<tuple>": 1}) == "<tuple> 1"
    assert keys.classify("limit").choose_label({"limit": 1}) == "limit"


def test_only_so_many_are_remembered() -> None:
    keys = make()
    names = ["".join(letters) for letters in product(ascii_lowercase, repeat=3)]
    for name in names[:4_096]:
        keys.classify(f"colour_{name}")

    keys.classify("limit")

    assert keys.open == {"limit"}
