from __future__ import annotations

import json
import random
import string

from mulligan.redaction import Redactor
from mulligan.redaction.values import Keys, Stubs
from mulligan.redaction.walk import LEAN_DEPTH, LEAN_ITEMS, MOST_SHAPES, Lean, Walk

KEY = bytes(range(32))
NAMES = ["title", "event_id", "limit", "note", "password", "max_tokens", "x1", "a b", "id"]


def a_value(chance: random.Random, depth: int = 0) -> object:
    """Values as tools get them, and some that are not plain."""
    match chance.randrange(14 if depth < 6 else 9):
        case 0 | 1 | 2:
            return "".join(chance.choices(string.printable + "é\ud800", k=chance.randrange(50)))
        case 3:
            return str(random.Random(chance.random()).getrandbits(128))[:36].ljust(36, "-")
        case 4:
            return chance.choice([True, False, None])
        case 5:
            return chance.choice([0, -1, 7, 99_999_999, 10**8, -(10**8), 10**30])
        case 6:
            return chance.choice([0.5, -0.0, 1e-7, 99999999.9, 1e8, float("nan"), float("inf")])
        case 7:
            return chance.choice(["12345678-1234-1234-1234-123456789012", "x" * 36, "y" * 2000])
        case 8:
            return chance.choice([b"bytes", {1, 2}, 3 + 4j, ...])
        case 9 | 10 | 11:
            size = chance.randrange(4) if chance.random() < 0.98 else LEAN_ITEMS + 1
            return [a_value(chance, depth + 1) for _ in range(size)]
        case _:
            names = chance.sample(NAMES, k=chance.randrange(5))
            return {name: a_value(chance, depth + 1) for name in names}


def test_what_it_writes_is_what_the_walk_shows() -> None:
    stubs = Stubs(KEY)
    keys = Keys(stubs)
    for name in NAMES:
        keys.classify(name)
    lean = Lean(stubs=stubs, keys=keys)
    chance = random.Random(11)
    written = 0

    for _ in range(30_000):
        value = a_value(chance)
        text = lean.write(value)
        if text is not None:
            written += 1
            shown = Walk(stubs=stubs, keys=keys, full=False).redact_value(value)
            assert json.loads(text) == shown, value

    assert 5_000 < written < 29_000


def test_names_that_hide_are_left_to_the_walk() -> None:
    redactor = Redactor(key=KEY)
    redactor.redact_parameters({"password": "a"})

    assert redactor.redact_parameters({"password": "hunter2"}) == '{"password":"<hidden>"}'


def test_a_cycle_ends() -> None:
    value: list[object] = []
    value.append(value)
    stubs = Stubs(KEY)

    assert Lean(stubs=stubs, keys=Keys(stubs)).write(value) is None
    assert LEAN_DEPTH < 10


def test_what_is_remembered_stays_bounded() -> None:
    stubs = Stubs(KEY)
    lean = Lean(stubs=stubs, keys=Keys(stubs))

    for n in range(10_000):
        lean.write(f"title {n}")

    assert 0 < len(lean._recent) <= 4_096


def test_names_in_another_order_are_another_shape_and_shapes_stay_bounded() -> None:
    stubs = Stubs(KEY)
    keys = Keys(stubs)
    letters = string.ascii_lowercase
    for name in [*letters, "title", "limit", "seats"]:
        keys.classify(name)
    lean = Lean(stubs=stubs, keys=keys)

    written = [lean.write({"limit": 1, "seats": {}}), lean.write({"limit": 1, "title": 2})]
    written += [lean.write({"title": 2, "limit": 1})]
    for n in range(3_000):
        lean.write({letters[n % 26]: 1, letters[n // 26 % 26]: 2, letters[n // 676]: 3})

    assert written == ['{"limit":1,"seats":{}}', '{"limit":1,"title":2}', '{"title":2,"limit":1}']
    assert 0 < len(lean._shapes) <= MOST_SHAPES
