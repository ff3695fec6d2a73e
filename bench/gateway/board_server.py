"""A board of tasks and expenses behind MCP, kept in a file: `board_server.py FILE`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from fastmcp import FastMCP

KEPT = Path(sys.argv[1])
server: Any = FastMCP("board")


def load() -> dict[str, Any]:
    """The board as it is."""
    return dict(json.loads(KEPT.read_text(encoding="utf-8")))


def save(board: dict[str, Any]) -> None:
    """The board as it is to be."""
    KEPT.write_text(json.dumps(board), encoding="utf-8")


@server.tool  # type: ignore[untyped-decorator]
def find_tasks(text: str) -> str:
    """Find tasks by a word of their titles."""
    tasks = [{"id": name, **task} for name, task in load()["tasks"].items()]
    return json.dumps([each for each in tasks if text in each["title"]])


@server.tool  # type: ignore[untyped-decorator]
def get_task(task_id: str) -> dict[str, str]:
    """Show a task."""
    return dict(load()["tasks"].get(task_id, {"owner": ""}))


@server.tool  # type: ignore[untyped-decorator]
def set_owner(task_id: str, owner: str) -> dict[str, str]:
    """Give a task to somebody."""
    board = load()
    board["tasks"].setdefault(task_id, {"title": ""})["owner"] = owner
    save(board)
    return {"id": task_id, "owner": owner, "status": "saved"}


@server.tool  # type: ignore[untyped-decorator]
def get_expense(what: str) -> dict[str, str]:
    """Show an expense."""
    return {"what": what, "amount": load()["expenses"].get(what, "")}


@server.tool  # type: ignore[untyped-decorator]
def add_expense(amount: str, what: str) -> dict[str, str]:
    """Add an expense."""
    board = load()
    board["expenses"][what] = amount
    save(board)
    return {"amount": amount, "what": what}


if __name__ == "__main__":
    server.run(show_banner=False)
