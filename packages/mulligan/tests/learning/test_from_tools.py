from __future__ import annotations

import pytest

from mulligan.learning.suggest import from_tools
from mulligan.types.lesson import FirstCall, Kind, Patch
from tests.learning.failures import failed

TOOLS = ("startEngine", "pressBrakePedal", "releaseBrakePedal", "lockDoors", "log_in", "find")


@pytest.mark.parametrize(
    ("error", "first"),
    [
        ("The brake pedal must be pressed before the engine starts.", "pressBrakePedal"),
        ("All doors must be locked first.", "lockDoors"),
        ("Please log in to go on.", "log_in"),
    ],
)
def test_the_tool_an_error_asks_for_is_to_be_called_first(error: str, first: str) -> None:
    (found,) = from_tools(failed({}, error=error, tool="startEngine", tools=TOOLS))

    assert found.patch == Patch(first=(FirstCall(tool=first),))
    assert found.kinds == (Kind.FIRST,)


@pytest.mark.parametrize(
    "error",
    [
        "The brake pedal must be used.",
        "503 Service Unavailable, press the brake pedal",
        "Order not found",
        "",
    ],
)
def test_where_two_tools_or_none_could_help_nothing_is_offered(error: str) -> None:
    assert list(from_tools(failed({}, error=error, tool="startEngine", tools=TOOLS))) == []
