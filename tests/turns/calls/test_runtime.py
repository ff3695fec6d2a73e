"""What the tools of one application share."""

from __future__ import annotations

import os

from mulligan.turns.calls.runtime import make_chance


def drawn_in_a_child(draw: object) -> bytes:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, str(draw()).encode())  # type: ignore[operator]
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        return answer.read()


def test_two_children_of_a_fork_never_draw_the_same_ids() -> None:
    chance = make_chance()

    first = drawn_in_a_child(lambda: chance.getrandbits(62))
    second = drawn_in_a_child(lambda: chance.getrandbits(62))

    assert first
    assert second
    assert first != second
    assert str(chance.getrandbits(62)).encode() not in (first, second)
