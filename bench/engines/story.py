"""The story of the demo as a durable turn: dinner goes to the wrong Friday, and is put right."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mulligan import Effect, Mulligan, Repeat
from mulligan.insights.insights import Insights
from mulligan.loops.actions import Attempted
from mulligan.settings import Memory, Settings
from mulligan.types.action import State
from mulligan.types.adapter import DurableTurn
from mulligan.types.call import Record
from mulligan.types.errors import ConflictError, MulliganError
from mulligan.types.finding import Finding, Severity
from mulligan_testing.remote import FakeRemote, Item, RemoteError

MESSAGE = "Move dinner to this Friday, and invite Ann"
BEFORE, RIGHT, WRONG = "2026-11-18", "2026-11-20", "2026-11-27"


def reject_wrong_day(attempted: Attempted) -> Iterator[Finding]:
    """This Friday is the 20th."""
    if any(each.call.arguments.get("day") == WRONG for each in attempted.executions):
        yield Finding(
            rule="story.wrong_day",
            severity=Severity.ERROR,
            issue=f"{WRONG} is next Friday.",
            correction=f"This Friday is {RIGHT}.",
        )


async def plan(turn: DurableTurn) -> str:
    """The agent: wrong at first, and right once it was told."""
    dinner = await turn.call("find_dinner")
    day = RIGHT if turn.correction else WRONG
    await turn.call("move_dinner", event_id=dinner["event_id"], day=day)
    if turn.correction:
        await turn.call("invite", whom="Ann")
    return f"Dinner is on {day}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """The application in one process, and the remote that all processes share."""

    m: Mulligan
    remote: FakeRemote
    tools: list[Callable[..., Awaitable[Any]]]


def begin(folder: Path) -> None:
    """The calendar before anybody does anything."""
    FakeRemote(folder / "remote").create({"day": BEFORE}, id="dinner", by="person")


def build_store_url(folder: Path) -> str:
    """Where the journal is."""
    return f"sqlite:///{folder}/story.db"


def open_story(folder: Path) -> Story:
    """The application, as every process has it."""
    logging.getLogger("mulligan").setLevel(logging.ERROR)
    remote = FakeRemote(folder / "remote")
    m = Mulligan(build_store_url(folder), checks=[reject_wrong_day], memory=Memory(on=False))
    return Story(m=m, remote=remote, tools=_declare(m, remote))


def _declare(m: Mulligan, remote: FakeRemote) -> list[Callable[..., Awaitable[Any]]]:
    def read(record: Record) -> Item | None:
        return remote.get(str(record.arguments["event_id"]))

    def put_back(record: Record) -> None:
        before: Any = record.before
        try:
            remote.update("dinner", dict(before.data), if_version=record.version, by="undo")
        except RemoteError as error:
            raise ConflictError(str(error)) from error

    def find_landed(record: Record) -> object:
        return remote.answer_to(str(record.key))

    def read_version(record: Record) -> str:
        made: Any = record.result
        return str(made.version)

    @m.tool(effect=Effect.READ)
    async def find_dinner() -> dict[str, object]:
        """Where dinner is now."""
        found = remote.get("dinner")
        assert found is not None
        return {"event_id": found.id, "day": found.data["day"]}

    @m.tool(
        effect=Effect.REVERSIBLE, before=read, undo=put_back, probe=find_landed, key="key",
        version=read_version, if_version="if_version",
    )  # fmt: skip
    async def move_dinner(
        event_id: str, day: str, key: str | None = None, if_version: str | None = None
    ) -> Item:
        """Move dinner to another day."""
        return remote.update(event_id, {"day": day}, key=key, if_version=if_version)

    @m.tool(effect=Effect.IRREVERSIBLE, repeat=Repeat.KEYED, key="key", probe=find_landed)
    async def invite(whom: str, key: str | None = None) -> Item:
        """Invite somebody."""
        return remote.create({"whom": whom}, key=key)

    return [find_dinner, move_dinner, invite]


def approve_all(folder: Path, *, until: Path) -> int:
    """A person at the command line, who approves whatever waits. How many that were."""
    approved = 0
    while not until.exists():
        time.sleep(0.05)
        with suppress(MulliganError):  # not there yet, or decided just now
            approved += _approve_once(build_store_url(folder))
    return approved


def _approve_once(url: str) -> int:
    with Insights.open(Settings(store=url)) as insights:
        listed = insights.open_list
        held = [each for each in listed.actions() if each.state is State.HELD]
        for action in held:
            listed.approve(action.id, by="a person")
        return len(held)


def count(folder: Path, answer: dict[str, Any]) -> list[str]:
    """What is not as it must be, a sentence each."""
    remote = FakeRemote(folder / "remote")
    lines = [line for line in remote.ledger() if line.by != "person"]
    moved = [(line.by, line.data.get("day")) for line in lines if line.id == "dinner"]
    invited = [line for line in lines if "whom" in line.data]
    found = []
    # Nobody has looked at the invitation that a person approved.
    if answer.get("standing") != "unchecked":
        found.append(f"the turn came to {answer}")
    if moved != [("agent", WRONG), ("undo", BEFORE), ("agent", RIGHT)]:
        found.append(f"dinner went {moved}")
    if len(invited) != 1:
        found.append(f"{len(invited)} invitations went out")
    with Insights.open(Settings(store=build_store_url(folder))) as insights:
        found += [f"{each.opening.tool} is {each.state}" for each in insights.open_list.actions()]
    return found
