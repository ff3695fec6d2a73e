"""Nothing is verified that no review saw; what was delivered is undone only if a person says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect
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
from tests.stories.effects.remote import StoryRemote, read_version
from tests.stories.effects.world import (
    declare_move,
    list_open,
    make_calendar,
    open_app,
    put_back,
)


def reject_saturday(attempted: Attempted) -> Iterator[Finding]:
    days = {execution.call.arguments.get("day") for execution in attempted.executions}
    if "Saturday" in days:
        yield Finding(rule="story.saturday", severity=Severity.ERROR, issue="Not on a Saturday.")


async def test_a_call_that_returns_during_the_review_is_not_verified_by_it(
    remote: StoryRemote,
) -> None:
    begun, reviewing, tasks = asyncio.Event(), asyncio.Event(), list[asyncio.Task[Any]]()

    async def gather_facts(turn: Turn, calls: Sequence[Call]) -> Iterable[Fact]:
        """A reviewer that takes its time: the call comes back before it has an answer."""
        reviewing.set()
        await asyncio.gather(*tasks)
        return ()

    with open_app(checks=[reject_saturday], facts=[gather_facts]) as m:

        @m.tool(
            effect=Effect.REVERSIBLE, before=lambda record: remote.get("dinner"),
            undo=put_back(remote), version=read_version,
        )  # fmt: skip
        async def move_slowly(day: str) -> dict[str, Any]:
            begun.set()
            await reviewing.wait()
            return remote.update("dinner", {"day": day})

        async def agent(turn: OpenTurn) -> str:
            tasks.append(asyncio.ensure_future(move_slowly("Saturday")))
            await begun.wait()
            return "It is on its way."

        await m.act("Move dinner to Friday", agent)
        stands, listed = remote.get("dinner")["day"] == "Saturday", list_open(m)
        for _ in range(2):
            await m.recover()

        assert not stands or listed
        assert remote.get("dinner")["day"] == "Monday" or list_open(m)


@pytest.mark.parametrize("store", ["memory:", "sqlite"])
async def test_a_mail_of_an_attempt_that_recovery_rejects_does_not_go_out(
    remote: StoryRemote, store: str, tmp_path: Path
) -> None:
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


@pytest.mark.full
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
