"""What a person approved is done once, for the person who asked, with what was shown, or not."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Remote, Repeat, State
from mulligan.process.fault_points import Point
from mulligan.runtime import tool as runtime
from mulligan.types.call import Record
from mulligan.types.log import LogQuery
from mulligan_testing.faults import Deed, Faults, Strike
from tests.stories.effects.world import act, ask_and_approve, list_open, open_app

Make = Callable[[Mulligan, "Account"], Any]


class Outbox:
    """A remote that sends each message once, and can say whether it did."""

    def __init__(self) -> None:
        self.sent: list[str | None] = []

    def find(self, record: Record) -> str | None:
        return "sent" if record.key in self.sent else None

    def declare(self, m: Mulligan) -> Callable[[str], Awaitable[str]]:
        """The tool that sends, as an application declares it each time that it starts."""

        @m.tool(
            effect=Effect.IRREVERSIBLE,
            key="key",
            probe=self.find,
            remote=Remote(lands_within=timedelta(0)),
        )
        async def send(to: str, key: str | None = None) -> str:
            self.sent.append(key)
            return "sent"

        return send


async def test_a_store_put_back_from_a_copy_makes_no_approved_call_again(tmp_path: Path) -> None:
    store, copy, outbox = tmp_path / "store", tmp_path / "copy", Outbox()
    store.mkdir()
    url = f"sqlite:///{store}/family.db"

    with Mulligan(url, recover=False) as m:
        send = outbox.declare(m)
        done = await m.act("Write to Ann", lambda _: send("Ann"))
        m.insights.open_list.approve(done.open_actions[0], by="Mum")
    shutil.copytree(store, copy)
    found = []
    for _ in range(2):
        with Mulligan(url, recover=False) as m:
            outbox.declare(m)
            await m.recover()
            found.append(m.insights.open_list.find(done.open_actions[0]).state)
        shutil.rmtree(store)
        shutil.copytree(copy, store)

    assert len(outbox.sent) == 1
    assert found == [State.UNCHECKED, State.NEEDS_HUMAN]


async def test_an_approved_call_that_its_process_did_not_live_to_make_is_before_a_person(
    tmp_path: Path,
) -> None:
    url, outbox = f"sqlite:///{tmp_path}/family.db", Outbox()

    with Mulligan(url, recover=False) as m:
        send = outbox.declare(m)
        done = await m.act("Write to Ann", lambda _: send("Ann"))
        m.insights.open_list.approve(done.open_actions[0], by="Mum")
        with Faults(Strike(deed=Deed.CANCEL, point=Point.RELEASED)):
            await m.recover()
    with Mulligan(url, recover=False) as m:
        outbox.declare(m)
        for _ in range(3):
            await m.recover()
        found = m.insights.open_list.find(done.open_actions[0])

    assert outbox.sent == []
    assert found.state is State.NEEDS_HUMAN
    assert "A person approved it" in str(found.detail["why"])


class Account:
    def __init__(self, who: str) -> None:
        self.who = who
        self.box: dict[str, object] = {}
        self.did: list[str] = []

    def add(self, title: str) -> str:
        self.box[title] = title
        self.did.append("add")
        return title

    def take_out(self, record: Record) -> None:
        self.did.append("undo")
        self.box.pop(str(record.result), None)

    def send(self, to: str) -> str:
        self.did.append(f"mail {to}")
        return "sent"


def declare_add(m: Mulligan, account: Account) -> Any:
    return m.tool(
        effect=Effect.REVERSIBLE, read=lambda record: account.box.get(record.result),
        undo=account.take_out,
    )(account.add)  # fmt: skip


def declare_method(m: Mulligan, account: Account) -> Any:
    return m.tool(effect=Effect.IRREVERSIBLE)(account.send)


def declare_closure(m: Mulligan, account: Account) -> Any:
    @m.tool(effect=Effect.IRREVERSIBLE)
    def send(to: str) -> str:
        return account.send(to)

    return send


async def ask(m: Mulligan, tool: Any, *given: Any) -> str:
    async def agent(turn: object) -> str:
        tool(*given)
        return "It waits."

    (held,) = (await m.act("Please", agent)).open_actions
    return held


async def approve(m: Mulligan, held: str) -> State:
    m.insights.open_list.approve(held, by="Ann")
    await m.recover()
    return m.insights.open_list.find(held).state


async def test_a_cancelled_turn_is_undone_by_the_tool_that_acted() -> None:
    ann, bob = Account("ann"), Account("bob")
    with open_app(rejects=True) as m:
        add, _ = declare_add(m, ann), declare_add(m, bob)
        bob.box["beer"] = "beer"

        async def agent(turn: object) -> None:
            add("beer")
            await asyncio.sleep(60)

        with suppress(TimeoutError):  # its own time limit
            await asyncio.wait_for(m.act("Add tea", agent), 0.3)
        await m.recover()

        assert (ann.did, ann.box, bob.did) == (["add", "undo"], {}, [])
        assert list_open(m) == []


@pytest.mark.parametrize("declare", [declare_method, declare_closure])
async def test_an_approved_call_runs_for_who_asked_for_it(declare: Make) -> None:
    ann, bob = Account("ann"), Account("bob")
    with open_app() as m:
        held = await ask(m, declare(m, ann), "shop")
        declare(m, bob)

        assert await approve(m, held) is State.UNCHECKED

    assert (ann.did, bob.did) == (["mail shop"], [])


@pytest.mark.full
@pytest.mark.parametrize("declare", [declare_method, declare_closure])
@pytest.mark.parametrize("there", [["ann", "bob"], ["bob", "ann"]])
async def test_after_a_restart_it_runs_for_the_same_person(
    tmp_path: Path, declare: Make, there: list[str]
) -> None:
    store = f"sqlite:///{tmp_path}/a.db"
    with open_app(store) as m:
        held = await ask(m, declare(m, Account("ann")), "shop")

    accounts = {who: Account(who) for who in there}
    with open_app(store) as m:
        for account in accounts.values():
            declare(m, account)

        assert await approve(m, held) is State.UNCHECKED

    assert {who: account.did for who, account in accounts.items() if account.did} == {
        "ann": ["mail shop"]
    }


@pytest.mark.parametrize("declare", [declare_method, declare_closure])
async def test_after_a_restart_nobody_else_runs_it(
    tmp_path: Path, declare: Make, caplog: pytest.LogCaptureFixture
) -> None:
    store, bob = f"sqlite:///{tmp_path}/a.db", Account("bob")
    with open_app(store) as m:
        held = await ask(m, declare(m, Account("ann")), "shop")

    with open_app(store) as m:
        declare(m, bob)

        assert await approve(m, held) is State.APPROVED

    assert bob.did == []
    assert "server=…" in caplog.text


async def test_two_objects_that_nothing_tells_apart_are_never_taken_for_each_other(
    tmp_path: Path,
) -> None:
    store, first, second = f"sqlite:///{tmp_path}/a.db", Account("ann"), Account("ann")
    with open_app(store) as m:
        declare_method(m, second)
        _, agent = await act(m, lambda: asyncio.to_thread(declare_method(m, first), "shop"))
        held: Any = agent.results[0]

    assert "Only this process can run it" in held
    with open_app(store) as m:
        declare_method(m, second)

        assert await approve(m, held.hold.action) is State.APPROVED

    assert second.did == []


async def test_beyond_what_a_process_remembers_no_other_tool_runs_a_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runtime, "MOST_OPEN_ACTIONS", 0)
    ann, bob = Account("ann"), Account("bob")
    ann.who = bob.who = ""
    with open_app() as m:
        held = await ask(m, declare_method(m, ann), "shop")
        declare_method(m, bob)

        assert await approve(m, held) is State.APPROVED

    assert (ann.did, bob.did) == ([], [])


async def test_what_two_shops_sell_is_sold_twice() -> None:
    sold: list[str] = []

    with open_app() as m:

        class Shop:
            def __init__(self, name: str) -> None:
                self.name = name

            @m.tool(effect=Effect.IRREVERSIBLE)
            def sell(self, item: str) -> str:
                sold.append(f"{self.name} {item}")
                return "sold"

        rome, oslo = Shop("Rome"), Shop("Oslo")

        async def agent(turn: object) -> str:
            rome.sell("lamp")
            oslo.sell("lamp")
            return "Both wait."

        done = await m.act("Sell the lamp in Rome and in Oslo", agent)
        for held in done.open_actions:
            m.insights.open_list.approve(held, by="Ann")
        await m.recover()

    assert sorted(sold) == ["Oslo lamp", "Rome lamp"]


async def test_two_equal_calls_at_the_same_time_are_two() -> None:
    made: list[int] = []

    with open_app() as m:

        @m.tool(effect=Effect.REVERSIBLE, read=lambda _: None, undo=lambda _: None)
        async def add_coffee(table: int) -> int:
            await asyncio.sleep(0.02)
            made.append(table)
            return len(made)

        async def agent(turn: object) -> str:
            await asyncio.gather(add_coffee(7), add_coffee(7))
            return "Two coffees."

        await m.act("Two coffees", agent)

    assert made == [7, 7]


@dataclass
class Size:
    litres: int


GIVEN = [{7: 2}, Decimal("1.10"), {3, 4}, {"2026-11-20": date(2026, 11, 20)}]


def declare_order(m: Mulligan, got: list[Any]) -> Any:
    def order(lines):  # type: ignore[no-untyped-def]
        got.append(lines)
        return "ordered"

    return m.tool(effect=Effect.IRREVERSIBLE)(order)


@pytest.mark.parametrize("value", GIVEN, ids=repr)
async def test_an_approved_call_runs_after_a_restart_with_what_the_person_was_shown(
    tmp_path: Path, value: Any
) -> None:
    store, got = f"sqlite:///{tmp_path}/a.db", list[Any]()
    with open_app(store) as m:
        held = await ask(m, declare_order(m, got), value)
    with open_app(store) as m:
        declare_order(m, got)

        assert await approve(m, held) is State.UNCHECKED

    assert [(type(each), each) for each in got] == [(type(value), value)]


async def test_what_cannot_be_written_as_it_is_runs_here_and_nowhere_else(tmp_path: Path) -> None:
    store, got = f"sqlite:///{tmp_path}/a.db", list[Any]()
    with open_app(store) as m:
        tool = declare_order(m, got)
        await ask_and_approve(m, lambda: asyncio.to_thread(tool, Size(3)))
        held = await ask(m, tool, Size(4))
    with open_app(store) as m:
        declare_order(m, got)

        assert await approve(m, held) is State.APPROVED

    assert got == [Size(3)]


async def test_every_try_of_an_approved_call_is_logged_for_who_asked(tmp_path: Path) -> None:
    url, tries = f"sqlite:///{tmp_path}/family.db", []

    def declare(m: Mulligan) -> Any:
        def look(record: Record) -> str:
            raise OSError("it cannot be read")

        @m.tool(
            effect=Effect.REVERSIBLE, before=look, undo=lambda _: None, repeat=Repeat.IDEMPOTENT
        )
        async def send(to: str) -> str:
            tries.append(to)
            if len(tries) == 1:
                raise ConnectionRefusedError("nobody listens")
            return "sent"

        return send

    with Mulligan(url, recover=False) as m:
        send = declare(m)
        done = await m.act("Write to Ann", lambda _: send("Ann"), agent="planner", tenant="acme")
        m.insights.open_list.approve(done.open_actions[0], by="Mum")
    with Mulligan(url, recover=False) as m:
        declare(m)
        await m.recover()
        m.flush()
        rows = [row for row in m.insights.log(LogQuery(tool="send")) if row.at_us]

    made = [row for row in rows if row.outcome in ("failure", "success")]
    assert [row.try_number for row in made] == [2, 1]
    assert len({(row.tenant, row.agent, row.turn) for row in rows}) == 1
    assert made[0].agent == "planner"
