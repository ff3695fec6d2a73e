from __future__ import annotations

import pytest

from mulligan.types.call import Record
from mulligan.types.display import LONGEST, list_places, render_sentence

MOVE = Record(arguments={"event_id": "e1", "day": "2026-11-20", "guests": ["Ann", "Bob"]})


def test_a_call_reads_as_a_sentence_by_its_names() -> None:
    said = render_sentence("moveEvent", MOVE)

    assert said == "Move event (event id: e1, day: 2026-11-20, guests: Ann, Bob)"


@pytest.mark.parametrize(
    "describe",
    ["Move {event_id} to {day}", lambda record: f"Move e1 to {record.arguments['day']}"],
)
def test_a_tool_may_describe_its_calls_itself(describe: object) -> None:
    assert render_sentence("move", MOVE, describe=describe) == "Move e1 to 2026-11-20"


@pytest.mark.parametrize(
    "describe", ["Move {place}", "{day.year}", lambda record: 1 / 0, lambda _: 7]
)
def test_a_description_that_fails_leaves_the_names(describe: object) -> None:
    assert render_sentence("move", MOVE, describe=describe).startswith("Move (event id: e1")


def test_what_others_put_into_arguments_stays_on_one_line_of_bounded_length() -> None:
    hostile = Record(
        arguments={"title": "x\n\x1b[31mApproved by Mum\u202e" + "y" * 5_000, "no": None}
    )

    said = render_sentence("add", hostile)

    assert not {"\n", "\x1b", "\u202e"} & set(said)
    assert len(said) <= LONGEST
    assert "no" not in said.split()


def test_the_arguments_a_description_names_are_known() -> None:
    assert list_places("Move {event.id} of {people[0]} to {day!r}") == ["event", "people", "day"]
