"""MCP's JSON-RPC messages put together into turns: nobody says what was asked, so the calls of a
session are one turn until it is quiet for a while.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from mulligan_replay.conversation import find_time
from mulligan_replay.records import read_tools
from mulligan_replay.trace import Found, TracedCall, TracedTurn, Unread

QUIET = timedelta(minutes=5)
MOST_CALLS = 200
_WRAPPED = ("message", "payload", "data", "params", "msg")


def find_rpc(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The JSON-RPC message in a line of a log, bare or in an envelope."""
    if "jsonrpc" in value:
        return value
    for name in _WRAPPED:
        held = value.get(name)
        if isinstance(held, Mapping) and "jsonrpc" in held:
            return held
    return None


class RpcSession:
    """The calls of one session, from whichever side they were logged."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._calls: dict[str, TracedCall] = {}
        self._lists: set[str] = set()
        self._server = ""
        self._number = 0
        self._last: datetime | None = None

    def add(self, line: Mapping[str, Any], where: str) -> Iterator[Found]:
        """Take in one message, with its time if the line has one."""
        message = find_rpc(line) or {}
        at = find_time(line) or find_time(message)
        key = str(message.get("id", ""))
        if message.get("method") == "tools/call":
            if self._is_over(at):
                yield from self.end()
            yield from self._begin(key, message.get("params"), at, where)
        elif message.get("method") == "tools/list":
            self._lists.add(key)
        elif key in self._calls and ("result" in message or "error" in message):
            self._calls[key] = _settle(self._calls[key], message, at)
        elif isinstance(result := message.get("result"), Mapping):
            if key in self._lists or isinstance(result.get("tools"), list):
                yield from read_tools(result.get("tools"))
            elif isinstance(about := result.get("serverInfo"), Mapping):
                self._server = str(about.get("name") or "")
        self._last = at or self._last

    def _begin(self, key: str, params: object, at: datetime | None, where: str) -> Iterator[Unread]:
        if not isinstance(params, Mapping) or not isinstance(params.get("name"), str):
            yield Unread(why="a call without the name of a tool", where=where)
            return
        given = params.get("arguments")
        if key in self._calls:
            key = f"{key}-{len(self._calls)}"
        self._calls[key] = TracedCall(
            tool=params["name"],
            id=key,
            arguments=given if isinstance(given, dict) else {},
            answered=False,
            at=at,
        )

    def _is_over(self, at: datetime | None) -> bool:
        quiet = at is not None and self._last is not None and at - self._last > QUIET
        return quiet or len(self._calls) >= MOST_CALLS

    def end(self) -> Iterator[TracedTurn]:
        """The calls so far as one turn."""
        if not self._calls:
            return
        calls, self._calls = tuple(self._calls.values()), {}
        self._number += 1
        name = f"{self._file}#{self._number}"
        first = next((call.at for call in calls if call.at), None)
        yield TracedTurn(
            id=name,
            calls=calls,
            at=first,
            agent=self._server,
            where=f"{self._file}, session part {self._number}",
        )


def _settle(call: TracedCall, message: Mapping[str, Any], at: datetime | None) -> TracedCall:
    seconds = (at - call.at).total_seconds() if at and call.at and at >= call.at else None
    answered = replace(call, answered=True, seconds=seconds)
    error, result = message.get("error"), message.get("result")
    if isinstance(error, Mapping):
        return replace(answered, error=str(error.get("message") or error.get("code") or "failed"))
    if not isinstance(result, Mapping):
        return replace(answered, result=result)
    if result.get("isError"):
        return replace(answered, error=_read_text(result) or "failed")
    structured = result.get("structuredContent")
    return replace(answered, result=structured if structured is not None else _read_text(result))


def _read_text(result: Mapping[str, Any]) -> str:
    parts = result.get("content")
    held = [each for each in parts if isinstance(each, Mapping)] if isinstance(parts, list) else []
    return "\n".join(str(each["text"]) for each in held if isinstance(each.get("text"), str))
