"""Which objects a call concerns: what its tool says, and nothing that is guessed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mulligan.runtime.declaration import Declaration, declare
from mulligan.runtime.undo import find_objects
from mulligan.types.call import Record


def move(event_id: str, calendar_id: str) -> None:
    """A tool."""


def declares(about: Callable[[Record], object] | None, server: str = "home") -> Declaration:
    return declare(move, server=server, **({} if about is None else {"about": about}))


RECORD = Record(arguments={"event_id": "e1", "calendar_id": "family"})


@pytest.mark.parametrize(
    ("about", "found"),
    [
        (lambda record: record.arguments["event_id"], {"e1"}),
        (lambda record: [record.arguments["event_id"], "e2"], {"e1", "e2"}),
        (lambda record: (each for each in ("e1", None)), {"e1"}),
        (lambda record: 7, {"7"}),
        (lambda record: None, set()),
        (lambda record: [], set()),
        (lambda record: record.result["id"], set()),  # there is no result yet
        (None, set()),
    ],
)
def test_a_call_is_about_what_its_tool_says(
    about: Callable[[Record], object] | None, found: set[str]
) -> None:
    assert find_objects(RECORD, declares(about)) == {("home", each) for each in found}


def test_the_same_id_on_another_server_is_another_object() -> None:
    here, there = (declares(lambda record: "e1", server=name) for name in ("home", "work"))

    assert find_objects(RECORD, here).isdisjoint(find_objects(RECORD, there))
