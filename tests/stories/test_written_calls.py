"""What models write, in the shapes they were trained on, as an application gets it back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mulligan import Mulligan

TEXT = {"type": "string"}
PLANS = {"type": "string", "enum": ["free", "pro", "privates", "in_progress"]}


def define(*required: str, **properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": list(required)}


TOOLS = {
    "find_order": define("order_id", order_id=TEXT, limit={"type": "integer"}),
    "delete_order": define("order_id", order_id=TEXT),
    "send_message": define("to", "body", to=TEXT, body=TEXT),
    "pay": define("amount", "to", amount={"type": "number"}, to=TEXT),
    "set_plan": define("plan", plan=PLANS),
    "archive_user": define("id", id=TEXT),
    "archive_users": define("id", id=TEXT),
}
ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "written_calls.jsonl").read_text("utf-8").splitlines()
]
"""What was written, the calls that are made in it, and tools of which it must be shown that what
was written is not surely a call."""


@pytest.fixture(scope="module")
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:") as m:
        yield m


@pytest.mark.parametrize("row", ROWS, ids=[str(row["written"])[:40] for row in ROWS])
def test_every_call_that_is_made_is_read_in_order_and_no_other(
    m: Mulligan, row: dict[str, Any]
) -> None:
    read = m.read_calls(row["written"], TOOLS)

    made = [{"tool": call.tool, "arguments": call.arguments} for call in read if call.fits]
    unsure = [call for call in read if not call.fits]
    assert made == row["calls"]
    assert {call.tool for call in unsure} >= set(row.get("unsure", ()))
    assert all(call.problems for call in unsure)


def test_a_tool_gets_its_values_in_the_order_of_its_own_parameters() -> None:
    sent = []

    with Mulligan("memory:") as m:

        @m.tool
        def send_message(to: str, body: str) -> None:
            sent.append((to, body))

        [call] = m.read_calls('send_message("bob@x.org", "The code is 4711")')
        send_message(**call.arguments)

    assert sent == [("bob@x.org", "The code is 4711")]


def test_a_value_for_a_parameter_that_has_no_keyword_goes_to_no_other() -> None:
    with Mulligan("memory:") as m:

        @m.tool
        def move(source: str, /, target: str = "bin") -> None: ...

        [call] = m.read_calls('move("notes")')

    assert call.arguments == {"source": "notes"}
