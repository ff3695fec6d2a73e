"""What this process remembers of the server, and that it does not remember too much."""

from __future__ import annotations

from mulligan_packs.calendar.events import Stored
from mulligan_packs.calendar.memory import MOST, EtagCache


def stored(number: int) -> Stored:
    return Stored(id="e", href="", text=f"text {number}", etag=f'"{number}"')


def test_a_text_is_known_by_its_version_as_long_as_there_is_room() -> None:
    memory = EtagCache()

    for number in range(MOST + 1):
        memory.keep(stored(number))

    assert memory.find_version("e", '"0"') is None
    assert memory.find_version("e", '"1"') == stored(1)
    assert memory.find_version("other", '"1"') is None


def test_only_a_second_write_over_the_same_version_is_one_again() -> None:
    memory = EtagCache()

    sent = [memory.send("a", '"1"'), memory.send("a", '"2"'), memory.send("a", None)]
    again = [memory.send("a", '"1"'), memory.send("a", None), memory.send("b", None)]

    assert sent == [False, False, False]
    assert again == [True, True, False]


def test_a_version_that_is_back_can_be_written_over_anew() -> None:
    memory = EtagCache()
    memory.send("a", '"1"')

    memory.reach("a", '"1"')

    assert memory.send("a", '"1"') is False
