"""How many lines a user writes beyond a bare tool: counted in tools that are written out."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

WRITTEN = Path(__file__).parent / "written"
TOOLS = {
    "create": "create_task",
    "update": "rename_task",
    "delete": "delete_task",
    "bulk by condition": "rename_tasks",
}


def count_lines() -> dict[str, dict[str, int]]:
    """For each kind of tool, the lines that are new or changed, ours and a peer's."""
    bare = _read_tools("bare")
    return {
        kind: {who: _count_new(bare[name], _read_tools(who)[name]) for who in ("ours", "saga")}
        for kind, name in TOOLS.items()
    }


def _count_new(bare: list[str], written: list[str]) -> int:
    return sum((Counter(written) - Counter(bare)).values())


def _read_tools(who: str) -> dict[str, list[str]]:
    """Every tool of a file with its lines, decorators included."""
    text = (WRITTEN / f"{who}.py").read_text()
    lines = text.splitlines()
    return {
        node.name: [
            line.strip() for line in lines[_find_start(node) - 1 : node.end_lineno] if line.strip()
        ]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _find_start(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])
