"""The tools of every pack in every host, in the real framework and against a real server.

`python -m bench hosts` prints the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.hosts.drivers import list_installed
from bench.hosts.pack_stories import PACKS, PackWorld, StoryCounts, run_pack_story
from bench.missing import MissingError

pytestmark = pytest.mark.filterwarnings("default")  # the frameworks' own are not ours to mend


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
