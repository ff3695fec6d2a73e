"""A mistake that clients make again and again, before a public server, until it is known."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.gateway.contenders import build_environment, connect_stdio, gateway_command_for

TURNS = 3
"""In which it is made, and put right by the agent itself."""
DECLARED = """mode = "auto"
[servers.time.tools.convert_time]
effect = "read"
"""
WRONG = {"source_timezone": "UTC", "time": "10h30", "target_timezone": "Europe/Berlin"}
RIGHT = {**WRONG, "time": "10:30"}
OTHER_WRONG, OTHER_RIGHT = {**WRONG, "time": "21h05"}, {**WRONG, "time": "21:05"}
"""The same mistake with another value: what is learned is how to write it, not what."""


async def play(folder: Path, server: Sequence[str]) -> dict[str, object]:
    """Fail and put right, learn, fail once more: the last one is repaired."""
    program, *arguments = server
    file, declared = folder / "time.json", folder / "time.toml"
    for path, text in (
        (file, json.dumps({"mcpServers": {"time": {"command": program, "args": arguments}}})),
        (declared, DECLARED),
    ):
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
    store = folder / "lesson.db"
    command = gateway_command_for(file, store, "--declarations", str(declared))
    before = [await _use(command, number) for number in range(TURNS)]
    await _consolidate(store)
    async with connect_stdio(*command) as client:
        expected = await client.call_tool("convert_time", OTHER_RIGHT)
        repaired = await client.call_tool("convert_time", OTHER_WRONG)
    first, *notes = [each.text for each in repaired.content]
    return {
        "failed_before_learned": sum(before),
        "repaired_after_learned": repaired.is_error is not True
        and first == expected.content[0].text,
        "repair_told": " ".join(notes)[:300],
    }


async def _use(command: Sequence[str], number: int) -> bool:
    """One turn of one client; whether the mistake failed in it."""
    meta: Any = {"mulligan/turn": f"t{number}", "mulligan/message": "When is it there?"}
    async with connect_stdio(*command) as client:
        failed = await client.call_tool("convert_time", WRONG, meta=meta)
        await client.call_tool("convert_time", RIGHT, meta={**meta, "mulligan/done": True})
    return failed.is_error is True


async def _consolidate(store: Path) -> None:
    command = [sys.executable, "-m", "mulligan", "lessons", "consolidate"]
    done = await asyncio.to_thread(
        subprocess.run,
        [*command, "--store", f"sqlite:///{store}"],
        env=build_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr)
