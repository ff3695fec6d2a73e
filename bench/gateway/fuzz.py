"""Frames that were right once: bytes flipped, cut, doubled, nested, and values of other types."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

SEEDS: tuple[dict[str, Any], ...] = (
    {"jsonrpc": "2.0", "id": 1, "method": "ping"},
    {"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {"cursor": "8"}},
    {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {
            "name": "add",
            "arguments": {"a": 1, "b": 2},
            "_meta": {"progressToken": 7, "mulligan/message": "Add one and two."},
        },
    },
    {"jsonrpc": "2.0", "id": 3, "method": "odd/method", "params": {"x": [1.5, None, True, "é"]}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
    {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1}},
    {"jsonrpc": "2.0", "id": 4, "result": {"role": "assistant"}},
    {"jsonrpc": "2.0", "id": 5, "error": {"code": -1, "message": "no"}},
    {"jsonrpc": "2.0", "id": 6, "method": "prompts/get", "params": {"name": "greet"}},
)
ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1e400,
    10**40,
    "",
    "\ud800",
    [],
    {},
    [[]],
    {"": {}},
    "x" * 999,
)


def mutate(count: int, *, seed: int) -> Iterator[bytes]:
    """So many frames, most of them wrong in one way or several."""
    chance = random.Random(seed)
    for number in range(count):
        frame = _change_values(chance, dict(chance.choice(SEEDS)), number)
        line = json.dumps(frame).encode().replace(b"Infinity", b"1e999")
        for _ in range(chance.choice((0, 0, 0, 1, 3))):
            line = _change_bytes(chance, line)
        yield line.replace(b"\n", b" ")


def _change_values(chance: random.Random, frame: dict[str, Any], number: int) -> dict[str, Any]:
    if "id" in frame and "method" in frame:
        frame["id"] = chance.choice((number, f"n{number}"))
    for _ in range(chance.choice((0, 0, 1, 2))):
        where = frame
        while chance.random() < 0.5 and isinstance(where.get("params"), dict):
            where["params"] = where = dict(where["params"])
        if where:
            name = chance.choice(sorted(where))
            action = chance.random()
            if action < 0.3:
                where.pop(name)
            elif action < 0.8:
                where[name] = chance.choice(ODD)
            else:
                where[f"{name}{chance.randrange(9)}"] = chance.choice(ODD)
    return frame


def _change_bytes(chance: random.Random, line: bytes) -> bytes:
    at = chance.randrange(len(line) + 1)
    match chance.randrange(6):
        case 0:
            return line[:at]
        case 1:
            return line[:at] + bytes([chance.randrange(256)]) + line[at + 1 :]
        case 2:
            return line[:at] + line[at + chance.randrange(1, 20) :]
        case 3:
            return line[:at] + chance.choice((b"[" * 300, b"{", b'"', b"\\", b",")) + line[at:]
        case 4:
            return line + line
        case _:
            return b"[" + line + b"]"


def find_id(line: bytes) -> Any:
    """The id that a frame has, if it is one that can be answered."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return None
    key = read.get("id") if isinstance(read, dict) else None
    return key if isinstance(key, int | str) and not isinstance(key, bool) else None


def find_owed(line: bytes) -> Any:
    """The id under which a frame must be answered by any reading of it; `None`: under none."""
    key = find_id(line)
    if key is None:
        return None
    method = json.loads(line).get("method")
    return key if isinstance(method, str) and method else None
