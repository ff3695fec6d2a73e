"""Nothing is verified that no review saw; what was delivered is undone only if a person says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Mulligan
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Call
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Fact, Finding, Severity
from mulligan.types.turn import Turn
from tests.stories.effects.family import (
    Family,
    die_after_a_plain_with,
    die_after_the_reply,
    run_on_a_busy_store,
)
from tests.stories.effects.remote import StoryRemote
from tests.stories.effects.world import declare_move, list_open, open_app


def make_calendar(path: Path | None = None) -> StoryRemote:
    made = StoryRemote(path)
    made.create({"day": "Monday"}, name="dinner", by="person")
    return made


def reject_saturday(attempted: Attempted) -> Iterator[Finding]:
    days = {execution.call.arguments.get("day") for execution in attempted.executions}
    if "Saturday" in days:
        yield Finding(rule="story.saturday", severity=Severity.ERROR, issue="Not on a Saturday.")


class Gate:
    """A call that comes back while the review of its turn is going on."""

    def __init__(self) -> None:
        self._begun = asyncio.Event()
        self._reviewing = asyncio.Event()
        self._tasks: list[asyncio.Task[Any]] = []

    def hold_until_review(self, move: Any) -> Any:
        async def move_late(*args: Any) -> Any:
            self._begun.set()
            await self._reviewing.wait()
            return await move(*args)

        return move_late

    async def start(self, call: Callable[[], Any]) -> None:
        self._tasks.append(asyncio.ensure_future(call()))
        await self._begun.wait()

    async def gather_facts(self, turn: Turn, calls: Sequence[Call]) -> Iterable[Fact]:
        """A reviewer that takes its time: the call comes back before it has an answer."""
        self._reviewing.set()
        await asyncio.gather(*self._tasks)
        return ()


def declare_slow_move(m: Mulligan, remote: StoryRemote, gate: Gate) -> Any:
    async def move(event_id: str, day: str) -> dict[str, Any]:
        return remote.update(event_id, {"day": day})

    def put_back(record: Any) -> None:
        remote.update("dinner", {"day": record.before["day"]}, by="undo")

    late = gate.hold_until_review(move)

    @m.tool(
        effect=Effect.REVERSIBLE, before=lambda record: remote.get("dinner"), undo=put_back,
        version=lambda record: record.result["version"],
    )  # fmt: skip
    async def move_slowly(event_id: str, day: str) -> dict[str, Any]:
        return dict(await late(event_id, day))

    return move_slowly


async def test_a_call_that_returns_during_the_review_is_not_verified_by_it() -> None:
    remote, gate = make_calendar(), Gate()
    with open_app(checks=[reject_saturday], facts=[gate.gather_facts]) as m:
        move = declare_slow_move(m, remote, gate)

        async def agent(turn: OpenTurn) -> str:
            await gate.start(lambda: move("dinner", "Saturday"))
            return "It is on its way."

        await m.act("Move dinner to Friday", agent)

        assert remote.get("dinner")["day"] == "Monday" or list_open(m)


async def test_a_call_that_returned_during_the_review_is_reviewed_afterwards() -> None:
    remote, gate = make_calendar(), Gate()
    with open_app(checks=[reject_saturday], facts=[gate.gather_facts]) as m:
        move = declare_slow_move(m, remote, gate)

        async def agent(turn: OpenTurn) -> str:
            await gate.start(lambda: move("dinner", "Saturday"))
            return "It is on its way."

        await m.act("Move dinner to Friday", agent)
        for _ in range(2):
            await m.recover()

        assert remote.get("dinner")["day"] == "Monday" or list_open(m)


@pytest.mark.parametrize("store", ["memory:", "sqlite"])
async def test_a_mail_of_an_attempt_that_recovery_rejects_does_not_go_out(
    store: str, tmp_path: Path
) -> None:
    remote = make_calendar()
    url = f"sqlite:///{tmp_path}/family.db" if store == "sqlite" else store
    with open_app(url, rejects=True) as m:
        move = declare_move(m, remote)
        holds: list[str] = []

        @m.tool(effect=Effect.IRREVERSIBLE)
        async def mail(text: str) -> str:
            remote.create({"mail": text})
            return "sent"

        async def agent(turn: OpenTurn) -> str:
            await move("dinner", "Saturday")
            held: Any = await mail("Dinner is on Saturday")
            holds.append(held.hold.action)
            raise asyncio.CancelledError

        with suppress(asyncio.CancelledError):  # the agent stopped its own turn
            await m.act("Move dinner and tell everybody", agent)
        await m.recover()
        with suppress(ConfigurationError):  # denied already: just as good
            m.insights.open_list.approve(holds[0], by="Ann")
        await m.recover()

        assert remote.get("dinner")["day"] == "Monday"
        assert [line for line in remote.list_writes() if "mail" in (line.data or {})] == []


@pytest.mark.parametrize("story", [die_after_the_reply, die_after_a_plain_with])
async def test_what_a_person_was_told_is_not_undone_without_asking_after_a_crash(
    tmp_path: Path, story: Callable[..., Any]
) -> None:
    remote = make_calendar(tmp_path / "ledger")
    reply = run_on_a_busy_store(story, tmp_path)

    family = Family(tmp_path, rejects=True)
    with family.m as m:
        for _ in range(2):
            await m.recover()

        assert reply == "Dinner is on Saturday.\n"
        assert remote.get("dinner")["day"] == "Saturday"
        assert len(list_open(m)) == 1
