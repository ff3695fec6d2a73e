"""What the journal says of every action, read from its tables without any of Mulligan's code."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mulligan.types.action import State

QUESTIONS = (
    "select owner, value from kept where name = 'arguments'",
    "select action, state, at_us, writer from entry order by action, version",
    "select id, state, opening, detail from action",
    "select id, revoked_us from writer where revoked_us is not null",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An action as its row in the journal has it."""

    id: str
    tool: str
    state: State
    target: tuple[str, str]
    """The mark of its call, and the object it is about where the call names one."""
    history: tuple[State, ...]
    times: tuple[int, ...] = ()
    """When each entry was written, in microseconds by the clock on the wall."""
    writers: tuple[str, ...] = ()
    """Who wrote each entry."""
    given_up: Mapping[str, int] = field(default_factory=dict)
    """When others gave each of them up, or it ended by itself, in microseconds."""
    why: str = ""
    """Why it is where it is, as its last entry has it."""

    @property
    def attempt(self) -> str:
        """The attempt that its call belongs to, by the call's mark."""
        return self.target[0].partition("c")[0]

    def find_time(self, *states: State) -> int | None:
        """When it first was in one of some states."""
        found = zip(self.history, self.times, strict=False)
        return next((at for state, at in found if state in states), None)


def read_rows(url: str) -> list[Row]:
    """Every action there ever was, from the store of that URL."""
    kept, entries, actions, revoked = _ask(url)
    given_up = dict(revoked)
    arguments = {owner: bytes(value) for owner, value in kept}
    history: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for action, *entry in entries:
        history[action].append(tuple(entry))
    return [
        Row(
            id=action,
            tool=json.loads(opening)["tool"],
            state=State(state),
            target=_find_target(json.loads(arguments[action])),
            history=tuple(State(state) for state, _, _ in history[action]),
            times=tuple(at for _, at, _ in history[action]),
            writers=tuple(writer for _, _, writer in history[action]),
            given_up=given_up,
            why=str(json.loads(detail).get("why", "")),
        )
        for action, state, opening, detail in actions
    ]


def _ask(url: str) -> list[list[tuple[Any, ...]]]:
    if url.startswith("postgresql:"):
        import psycopg

        with psycopg.connect(url) as server:
            return [list(server.execute(question)) for question in QUESTIONS]
    path = url.removeprefix("sqlite:///")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        return [database.execute(question).fetchall() for question in QUESTIONS]


def _find_target(arguments: Mapping[str, object]) -> tuple[str, str]:
    mark = str(arguments["mark"])
    if "days" in arguments:
        return f"{mark}:{arguments['days']}", ""
    return mark, str(arguments.get("event_id") or arguments.get("events") or "")
