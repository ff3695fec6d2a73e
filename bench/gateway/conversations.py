"""The stories of several messages through the gateway, with a client over stdio and over HTTP."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client

from bench.gateway.contenders import (
    TOKEN,
    connect_http,
    connect_stdio,
    free_port,
    gateway_command_for,
    start_http,
    write_files,
    write_servers,
)
from bench.hosts.conversations import AGREED, INVENTED, INVENTION, PRINT, REPORT, RIGHT
from bench.hosts.counting import StoryCounts
from bench.hosts.drivers import Conversation
from mulligan.insights.insights import Insights
from mulligan.settings import Settings
from mulligan.types.log import LogQuery

SERVER = Path(__file__).with_name("board_server.py")
CLIENT = "planner"
TASKS = {
    REPORT: {"title": "Write the report", "owner": "Ann"},
    PRINT: {"title": "Print the report", "owner": "Ann"},
}
DECLARED = """mode = "suggest"
[servers.board.tools]
find_tasks = { effect = "read" }
get_task = { effect = "read" }
get_expense = { effect = "read" }
[servers.board.tools.set_owner]
effect = "reversible"
about = "task {arguments.task_id}"
version = { of = "content" }
[servers.board.tools.set_owner.read]
tool = "get_task"
arguments = { task_id = "{arguments.task_id}" }
fields = { owner = "owner" }
[servers.board.tools.set_owner.undo]
tool = "set_owner"
arguments = { task_id = "{arguments.task_id}", owner = "{before.owner}" }
[servers.board.tools.add_expense]
effect = "reversible"
about = "expense {arguments.what}"
version = { of = "content" }
[servers.board.tools.add_expense.read]
tool = "get_expense"
arguments = { what = "{arguments.what}" }
fields = { amount = "amount" }
[servers.board.tools.add_expense.undo]
tool = "add_expense"
arguments = { what = "{arguments.what}", amount = "{before.amount}" }
"""

CLIENTS = ("stdio", "http")


async def run_gateway_conversations(folder: Path, client: str) -> StoryCounts:
    """The stories, each before a gateway and a board of its own."""
    rejected = passed = rows = cases = 0
    for name, talk in (("right", RIGHT), ("agreed", AGREED), ("invention", INVENTION)):
        home = folder / f"{client}-{name}"
        home.mkdir(parents=True)
        async with open_client(home, client) as connected:
            refused = await _hold(connected, talk)
        tasks, expenses = (
            json.loads((home / "board.json").read_text())[k] for k in ("tasks", "expenses")
        )
        if name == "right":
            rejected += refused + sum(tasks[each]["owner"] != "Carla" for each in TASKS)
        elif name == "agreed":
            rejected += refused + (expenses != {"train": "42.50"})
        else:
            passed += tasks.get(INVENTED, {}).get("owner") == "Carla"
        with Insights.open(Settings(store=f"sqlite:///{home / 'store.db'}")) as insights:
            made = sum(not isinstance(step, str) for _, script in talk for step in script)
            logged = [row for row in insights.log(LogQuery()) if row.server == "board"]
            rows += max(0, len(logged) - made)
            cases += len(insights.open_list.actions())
    return StoryCounts(
        right_rejected=rejected, wrong_passed=passed, double_rows=rows, false_cases=cases
    )


async def _hold(client: Client, talk: Conversation) -> int:
    """Make the calls of each message, and count those that were refused."""
    refused = 0
    for message, script in talk:
        for step in script:
            if not isinstance(step, str):
                came: Any = await client.call_tool(*step, meta={"mulligan/message": message})
                refused += bool(came.is_error)
    return refused


@asynccontextmanager
async def open_client(home: Path, client: str) -> AsyncIterator[Client]:
    """A client with a gateway before a board; over HTTP the operator has named it as trusted."""
    board = json.dumps({"tasks": TASKS, "expenses": {}})
    tokens = f"{CLIENT} {TOKEN}\n"
    write_files(home, {"board.json": board, "declared.toml": DECLARED, "tokens": tokens})
    server = {"command": sys.executable, "args": [str(SERVER), str(home / "board.json")]}
    write_servers(home, {"board": server})
    said = ("--declarations", str(home / "declared.toml"))
    if client == "stdio":
        async with connect_stdio(*_build_command(home, said)) as connected:
            yield connected
        return
    port = free_port()
    shown = ("--token-file", str(home / "tokens"), "--trust", CLIENT)
    served = ("--http", f"127.0.0.1:{port}", *shown)
    with start_http(_build_command(home, (*said, *served)), port) as (url, _):
        async with connect_http(url, TOKEN) as connected:
            yield connected


def _build_command(home: Path, options: Sequence[str]) -> list[str]:
    return gateway_command_for(home / "mcp.json", home / "store.db", *options)
