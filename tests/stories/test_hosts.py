"""Tools as frameworks really call them, in the frameworks themselves, with models by a script.

`python -m bench host-effects` runs every cell of this and prints the table.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from bench.hosts.campaign import Cell, list_cells, make_remote, run_cell
from bench.hosts.frameworks import FRAMEWORKS, Told
from bench.hosts.tools import declare_tools
from mulligan import Effect, Mulligan
from mulligan_testing.remote import Fault

# The frameworks' own are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]

STORIES = [
    ("lost answer", "book_table", Fault.LOST_AFTER),
    ("lost answer", "add", Fault.LATE),
    ("lost answer", "move", Fault.LOST_BEFORE),
    ("rejection", "book_table", Fault.NONE),
    ("rejection", "book_table", Fault.LOST_AFTER),
    ("rejection", "move_all", Fault.NONE),
    ("hold", "invite", Fault.NONE),
    ("refusal", "reserve", Fault.NONE),
    ("invented key", "book_table", Fault.NONE),
]
EFFECTS = {"lost answer": (0, 1), "rejection": (2, 4), "hold": (1, 1), "refusal": (1, 1)}


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(("story", "tool", "fault"), STORIES)
async def test_nothing_happens_twice_and_nothing_untrue_is_said(
    framework: str, story: str, tool: str, fault: Fault, tmp_path: Path
) -> None:
    counted = await run_cell(Cell(framework, story, tool, fault), tmp_path)

    least, most = EFFECTS.get(story, (2, 4))
    assert least <= counted.effects <= most
    assert (counted.duplicates, counted.untrue, counted.unaccounted) == (0, [], 0)
    assert counted.open == 0


@pytest.mark.parametrize(
    ("framework", "story", "tool"),
    [("pydantic-ai", "kill", "book_table"), ("fastmcp", "killed hold", "invite")],
)
async def test_a_process_that_is_killed_in_a_framework_is_taken_up_by_another(
    framework: str, story: str, tool: str, tmp_path: Path
) -> None:
    counted = await run_cell(Cell(framework, story, tool), tmp_path)

    assert counted.effects == 1
    assert (counted.duplicates, counted.untrue, counted.open) == (0, [], 0)


@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_models_are_shown_neither_what_is_ours_nor_what_the_framework_fills(
    framework: str, tmp_path: Path
) -> None:
    async with Mulligan("memory:", recover=False) as m:
        tools = declare_tools(m, make_remote(tmp_path), framework=framework)
        told = await FRAMEWORKS[framework](list(tools.values()), [("add", {"title": "t"})])

    shown = {name: set(schema["properties"]) for name, schema in told.schemas.items()}
    assert shown["book_table"] == {"title", "people"}
    assert shown["move"] == {"title", "name", "day"}
    assert shown["invite"] == {"title", "guests"}


def test_every_framework_has_every_story() -> None:
    cells = [list(list_cells(name)) for name in FRAMEWORKS]

    assert len({len(each) for each in cells}) == 1
    assert {cell.story for cell in cells[0]} >= {story for story, _, _ in STORIES}


async def drive_held(framework: str, returns: Any) -> Told:
    """A call that is held, of a tool that says what it returns."""
    async with Mulligan("memory:", recover=False) as m:

        async def pay(amount: int) -> Any:
            """Pay."""

        pay.__annotations__["return"] = returns
        tool = m.tool(effect=Effect.IRREVERSIBLE)(pay)
        async with m.turn("Pay"):
            told = await FRAMEWORKS[framework]([tool], [("pay", {"amount": 3})])
        assert len(m.insights.open_list.actions()) == 1
    return told


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("returns", [dict, str])
async def test_a_held_call_is_answered_by_its_sentence_whatever_the_tool_returns(
    framework: str, returns: Any
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # as when a result is not of its type
        told = await drive_held(framework, returns)

    [answer] = told.answers
    assert answer.startswith("pay was not run yet: it cannot be undone.")
