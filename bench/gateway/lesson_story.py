"""A mistake that clients make again and again, before a public server, until it is known."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.gateway.contenders import connect_stdio, gateway_command_for, write_files, write_servers
from mulligan.insights.insights import Insights
from mulligan.settings import Settings

TURNS = 3
"""In which it is made, and put right by the agent itself."""
SEEN = ((1, 2), (4, 9), (20, 3))
LAST = (11, 33)
"""The same mistake with other values: what is learned is how to call it, not with what."""
MOST = 30
"""How often the last one is tried: memory has a second for its answer, which a busy machine may not
give it."""
TOOL = "get-sum"
DECLARED = f"""mode = "suggest"
[servers.everything.tools.{TOOL}]
effect = "read"
"""


def mistake(values: tuple[int, int]) -> dict[str, int]:
    """Names that the tool has not, and no rule could tell which of its own they stand for."""
    return {"x": values[0], "y": values[1]}


def put_right(values: tuple[int, int]) -> dict[str, int]:
    return {"a": values[0], "b": values[1]}


async def play(folder: Path, server: Sequence[str]) -> dict[str, object]:
    """Fail and put right, learn, fail once more: the last one is told how, and is repaired so."""
    program, *arguments = server
    files = {"everything": {"command": program, "args": arguments}}
    file, store = write_servers(folder, files, "lesson.json"), folder / "lesson.db"
    write_files(folder, {"lesson.toml": DECLARED})
    command = gateway_command_for(file, store, "--declarations", str(folder / "lesson.toml"))
    before = [await _use(command, number) for number in range(TURNS)]
    await asyncio.to_thread(_learn, store)
    async with connect_stdio(*command) as client:
        asked, after = 0, dict[str, int]()
        while not after and asked < MOST:
            told, asked = await client.call_tool(TOOL, mistake(LAST)), asked + 1
            after = read_advice(told)
        repaired = await client.call_tool(TOOL, after)
        expected = await client.call_tool(TOOL, put_right(LAST))
    return {
        "advised_before_learned": sum(bool(each) for each in before),
        "advised_after_learned": after == put_right(LAST),
        "advised_at": asked,
        "repaired_as_learned": repaired.is_error is not True
        and repaired.content[0].text == expected.content[0].text,
        "lesson_told": "\n".join(each.text for each in told.content[1:])[:300],
    }


def read_advice(result: Any) -> dict[str, int]:
    """The arguments that a failed call is told to be made with, as an agent reads them."""
    text = "\n".join(each.text for each in result.content)
    line = re.search(r"^Try: (.*?)(?: \(|$)", text, re.MULTILINE)
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", line[1] if line else "")}


async def _use(command: Sequence[str], number: int) -> dict[str, int]:
    """One turn of one client that puts its mistake right by itself; what it was told to do."""
    meta: Any = {"mulligan/turn": f"t{number}", "mulligan/message": "Go on."}
    async with connect_stdio(*command) as client:
        failed = await client.call_tool(TOOL, mistake(SEEN[number]), meta=meta)
        done = {**meta, "mulligan/done": True}
        await client.call_tool(TOOL, put_right(SEEN[number]), meta=done)
    return read_advice(failed)


def _learn(store: Path) -> None:
    """What one agent alone has shown is told once a person says so."""
    with Insights.open(Settings(store=f"sqlite:///{store}")) as insights:
        for lesson in insights.lesson_list.consolidate().lessons:
            insights.lesson_list.approve(lesson.id, by="a person")
