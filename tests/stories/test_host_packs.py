"""The tools of every pack in every host, in the real framework and against a real server.

`python -m bench hosts` prints the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.hosts.drivers import list_installed, load_driver
from bench.hosts.pack_stories import PACKS, PackWorld, StoryCounts, run_pack_story
from bench.hosts.world import list_rows
from bench.missing import MissingError
from mulligan import Mulligan
from mulligan_packs.files import file_tools

# The frameworks' own are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]


@pytest.fixture(scope="module", params=PACKS)
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PackWorld]:
    """One server for all hosts."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    try:
        with PACKS[request.param](folder) as opened:
            yield opened
    except MissingError as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("host", list_installed())
async def test_a_packs_tool_is_one_tool_in_a_host(host: str, world: PackWorld) -> None:
    counts = await run_pack_story(host, world)

    assert counts == StoryCounts()


def rename(function: Callable[..., Any], host: str) -> Any:
    """A tool of a host that is called otherwise there."""
    if host == "langchain":
        from langchain_core.tools import StructuredTool

        return StructuredTool.from_function(function, name="note_down")
    from pydantic_ai import Tool

    return Tool(function, name="note_down")


@pytest.mark.parametrize("host", [h for h in ("langchain", "pydantic-ai") if h in list_installed()])
async def test_a_tool_that_its_host_calls_otherwise_keeps_its_declared_name(
    host: str, tmp_path: Path
) -> None:
    async with Mulligan(f"sqlite:///{tmp_path}/store.db") as m:
        write_file = file_tools(m, tmp_path).write_file
        script = [("note_down", {"path": "a.txt", "content": "milk"}), "Done."]

        await load_driver(host).run(m, [rename(write_file, host)], "Note it down.", script)

        assert [(row.server, row.tool) for row in list_rows(m)] == [(str(tmp_path), "write_file")]
