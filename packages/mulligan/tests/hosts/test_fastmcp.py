"""What is special of FastMCP; the stories that all hosts share are in tests/stories."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import fastmcp
import pytest
import uvicorn
from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server import create_proxy
from fastmcp.tools.base import ToolResult
from mcp_types import TextContent

from bench.hosts.world import FRIDAY, SATURDAY, WEDNESDAY, build_tools
from mulligan import Effect, Mulligan, Review
from mulligan.hosts import fastmcp as adapter
from mulligan.types.call import LogRow
from mulligan.types.log import LogQuery
from mulligan_testing.remote import FakeRemote

# The framework's own warnings are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]

logging.getLogger("fastmcp").setLevel(logging.CRITICAL)  # it prints every error of a tool


@pytest.fixture
def server(m: Mulligan, remote: FakeRemote) -> Any:
    built: Any = fastmcp.FastMCP("calendar")
    for tool in build_tools(remote):
        built.tool(tool)
    built.add_middleware(m.for_fastmcp())
    return built


async def call(server: Any, tool: str, arguments: dict[str, Any], **meta: Any) -> Any:
    async with fastmcp.Client(server) as client:
        named = {f"mulligan/{name}": value for name, value in meta.items()}
        return await client.call_tool(tool, arguments, raise_on_error=False, meta=named)


def read(came: Any) -> str:
    return " ".join(getattr(part, "text", "") for part in came.content)


async def test_a_wrong_call_is_undone_and_its_client_told_why(
    server: Any, remote: FakeRemote, event: str
) -> None:
    came = await call(server, "move_event", {"event_id": event, "day": SATURDAY})

    assert (came.is_error, came.structured_content) == (True, None)
    assert f"It was to be on {FRIDAY}." in read(came)
    assert [line.data.get("day") for line in remote.ledger()] == [WEDNESDAY, SATURDAY, WEDNESDAY]


async def test_a_result_reaches_its_client_as_the_server_made_it(
    server: Any, remote: FakeRemote, event: str
) -> None:
    came = await call(server, "move_event", {"event_id": event, "day": FRIDAY})
    said = await call(server, "find_room", {"size": "large"})

    item = remote.get(event)
    assert item is not None
    assert came.data == {"id": event, "version": item.version, "day": FRIDAY}
    assert (said.data, read(said)) == ("room 4, large", "room 4, large")


async def test_calls_are_turns_of_their_own_unless_their_client_names_one(
    server: Any, rows: Callable[[], list[LogRow]]
) -> None:
    room = "find_room", {"size": "large"}

    for turn in ({}, {}, {"turn": "a"}, {"turn": "a"}, {"turn": "b", "done": True}, {"turn": "b"}):
        await call(server, *room, **turn)

    turns = [row.turn for row in rows()]
    assert turns[2] == turns[3]
    assert len(set(turns)) == 5


async def test_of_one_turn_a_second_rejection_is_the_last(
    server: Any, remote: FakeRemote, event: str
) -> None:
    wrong = "move_event", {"event_id": event, "day": SATURDAY}

    told = [await call(server, *wrong, turn="a", message="Move it to Friday") for _ in range(2)]

    assert [each.is_error for each in told] == [True, True]
    assert read(told[0]) != read(told[1])
    item = remote.get(event)
    assert item is not None
    assert item.data["day"] == WEDNESDAY


async def test_calls_at_the_same_time_are_reviewed_one_by_one(
    server: Any, m: Mulligan, remote: FakeRemote, rows: Callable[[], list[LogRow]]
) -> None:
    events = [remote.create({"day": WEDNESDAY}, by="person").id for _ in range(3)]

    came = await asyncio.gather(
        *(
            call(server, "move_event", {"event_id": each, "day": FRIDAY}, turn="a")
            for each in events
        )
    )

    assert [each.is_error for each in came] == [False] * 3
    assert len({row.turn for row in rows()}) == 1
    assert m.insights.open_list.actions() == []


async def test_turns_that_nobody_ends_are_ended_when_there_are_too_many(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "MOST_TURNS", 2)
    [middleware] = [each for each in server.middleware if type(each).__name__ == "ReviewedCalls"]

    for name in "abc":
        await call(server, "find_room", {"size": "large"}, turn=name)

    assert [name for _, name in middleware.turns] == ["b", "c"]


async def test_a_held_call_runs_once_when_its_client_asks_again(
    server: Any, m: Mulligan, remote: FakeRemote
) -> None:
    invite = "send_invitation", {"to": "Ann"}

    waits = await call(server, *invite)
    [held] = m.insights.open_list.actions()
    still = await call(server, *invite)
    m.insights.open_list.approve(held.id, by="Mum")
    done = await call(server, *invite)
    another = await call(server, *invite)

    assert held.id in read(waits)
    assert held.id in read(still)
    assert (done.is_error, done.data) == (False, "sent to Ann")
    assert another.is_error
    assert held.id not in read(another)
    assert [line.op for line in remote.ledger()] == ["create"]


async def test_a_held_call_runs_once_also_in_the_turn_that_it_was_held_in(
    server: Any, m: Mulligan, remote: FakeRemote
) -> None:
    invite = "send_invitation", {"to": "Ann"}

    await call(server, *invite, turn="a")
    [held] = m.insights.open_list.actions()
    m.insights.open_list.approve(held.id, by="Mum")
    done = await call(server, *invite, turn="a")
    again = await call(server, *invite, turn="a")

    assert (done.is_error, read(done)) == (False, "sent to Ann")
    assert again.is_error
    assert [line.op for line in remote.ledger()] == ["create"]


async def test_what_is_refused_here_is_told_in_full(server: Any, event: str) -> None:
    closed = "move_event", {"event_id": "nobody", "day": FRIDAY}

    told = [read(await call(server, *closed, turn="a")) for _ in range(2)]

    assert all("nternal" not in each for each in told)
    assert all("move_event" in each for each in told)


async def test_a_denial_is_told_once_and_then_it_is_another_call(
    server: Any, m: Mulligan, remote: FakeRemote
) -> None:
    invite = "send_invitation", {"to": "Ann"}

    await call(server, *invite)
    [held] = m.insights.open_list.actions()
    m.insights.open_list.deny(held.id, by="Mum")
    told = await call(server, *invite)
    again = await call(server, *invite)

    assert "A person denied it" in read(told)
    assert "awaiting approval" in read(again)
    assert remote.ledger() == []


async def test_a_failure_of_a_proxied_server_keeps_what_it_came_with(
    m: Mulligan, rows: Callable[[], list[LogRow]]
) -> None:
    behind: Any = fastmcp.FastMCP("behind")

    @behind.tool
    def fetch_weather(city: str) -> ToolResult:
        """Say what the weather will be."""
        return ToolResult(
            content=[TextContent(type="text", text=f"unknown city {city!r}")],
            structured_content={"code": 404},
            meta={"trace": "1"},
            is_error=True,
        )

    server: Any = create_proxy(behind)
    server.add_middleware(m.for_fastmcp())

    came = await call(server, "fetch_weather", {"city": "Atlantis"})

    assert came.is_error
    assert "unknown city 'Atlantis'" in read(came)
    assert "What to do:" in read(came)
    assert came.structured_content == {"code": 404}
    assert came.meta["trace"] == "1"
    assert [str(row.outcome) for row in rows()] == ["failure"]


async def test_what_a_server_masks_is_not_told_by_the_advice(m: Mulligan) -> None:
    server: Any = fastmcp.FastMCP("masked", mask_error_details=True)

    @server.tool
    def fetch_weather(city: str) -> str:
        """Say what the weather will be."""
        raise ValueError(f"no row for {city!r} in secret_table")

    server.add_middleware(m.for_fastmcp())

    came = await call(server, "fetch_weather", {"city": "Atlantis"})

    assert came.is_error
    assert "secret_table" not in read(came)


async def test_an_unknown_tool_is_the_servers_to_answer(
    server: Any, rows: Callable[[], list[LogRow]]
) -> None:
    with pytest.raises(Exception, match="invented"):
        async with fastmcp.Client(server) as client:
            await client.call_tool("invented", {})

    assert rows() == []


async def test_a_tool_of_the_applications_own_is_logged_and_held_once(
    m: Mulligan, rows: Callable[[], list[LogRow]]
) -> None:
    server: Any = fastmcp.FastMCP("own")
    sent: list[str] = []

    @server.tool
    @m.tool(effect=Effect.READ)
    async def count_guests(party: str) -> int:
        """Count the guests."""
        return len(party)

    @server.tool
    @m.tool(effect=Effect.IRREVERSIBLE)
    async def send(to: str) -> dict[str, str]:
        """Send."""
        sent.append(to)
        return {"to": to}

    server.add_middleware(m.for_fastmcp())

    counted = await call(server, "count_guests", {"party": "four"})
    waits = await call(server, "send", {"to": "Ann"})
    [held] = m.insights.open_list.actions()
    before = list(sent)
    m.insights.open_list.approve(held.id, by="Mum")
    done = await call(server, "send", {"to": "Ann"})

    assert counted.data == 4
    assert [row.tool for row in rows()] == ["count_guests", "send"]
    assert waits.is_error
    assert read(waits).startswith("send was not run yet: it cannot be undone.")
    assert (before, done.data, sent) == ([], {"to": "Ann"}, ["Ann"])


async def test_errors_that_a_tool_means_for_its_client_are_told_as_they_are(m: Mulligan) -> None:
    server: Any = fastmcp.FastMCP("plain")

    @server.tool
    def refuse() -> str:
        """Refuse."""
        raise ToolError("Not on Sundays.")

    server.add_middleware(m.for_fastmcp())

    assert read(await call(server, "refuse", {})).startswith("Not on Sundays.")


async def test_an_approval_that_is_used_twice_at_once_gives_both_the_result(
    server: Any, m: Mulligan, remote: FakeRemote
) -> None:
    await call(server, "send_invitation", {"to": "Ann"})
    [held] = m.insights.open_list.actions()
    m.insights.open_list.approve(held.id, by="Ann")

    asked = [call(server, "send_invitation", {"to": "Ann"}) for _ in range(3)]
    came = await asyncio.gather(*asked)

    assert [line.op for line in remote.ledger()] == ["create"]
    assert "is at version" not in " ".join(map(read, came))


async def test_a_refusal_that_a_tool_raises_itself_proves_nothing(
    m: Mulligan, remote: FakeRemote
) -> None:
    built: Any = fastmcp.FastMCP("calendar")

    def refuse() -> None:
        raise ValidationError("the answer is none")

    for tool in build_tools(remote, spoil=refuse):
        built.tool(tool)
    built.add_middleware(m.for_fastmcp())

    await call(built, "book_table", {"people": "five"})

    assert [line.op for line in remote.ledger()] == ["create", "delete"]


def mount(server: Any, m: Mulligan, namespace: str | None) -> Any:
    """A server with a middleware of its own, on which the other is mounted."""
    outer: Any = fastmcp.FastMCP("office")
    outer.mount(server, namespace=namespace)
    outer.add_middleware(m.for_fastmcp())
    return outer


@pytest.mark.parametrize("namespace", [None, "calendar"])
async def test_a_call_through_two_servers_is_one_call(
    server: Any,
    m: Mulligan,
    remote: FakeRemote,
    event: str,
    rows: Callable[[], list[LogRow]],
    namespace: str | None,
) -> None:
    prefix = f"{namespace}_" if namespace else ""
    outer = mount(mount(server, m, None), m, namespace)

    moved = await call(outer, f"{prefix}move_event", {"event_id": event, "day": FRIDAY}, turn="a")
    sent = await call(outer, f"{prefix}send_invitation", {"to": "Ann"}, turn="a", done=True)
    held = [action.opening.tool for action in m.insights.open_list.actions()]

    assert (moved.is_error, sent.is_error) == (False, True)
    assert [line.data.get("day") for line in remote.ledger()] == [WEDNESDAY, FRIDAY]
    assert [row.tool for row in rows()] == ["move_event"]
    assert held == ["send_invitation"]


async def test_a_call_counts_by_the_name_that_was_declared(
    server: Any, m: Mulligan, rows: Callable[[], list[LogRow]]
) -> None:
    m.declare("calendar_pay", effect=Effect.IRREVERSIBLE)
    paid: list[int] = []

    @server.tool
    def pay(amount: int) -> None:
        paid.append(amount)

    outer = mount(server, m, "calendar")

    came = await call(outer, "calendar_pay", {"amount": 30})
    [held] = m.insights.open_list.actions()
    m.insights.open_list.approve(held.id, by="Ann")
    again = await call(outer, "calendar_pay", {"amount": 30})

    assert (came.is_error, again.is_error, paid) == (True, False, [30])
    assert {row.tool for row in rows()} == {"calendar_pay"}


async def test_what_a_tool_of_a_mounted_server_calls_itself_is_another_call(
    server: Any, m: Mulligan, rows: Callable[[], list[LogRow]]
) -> None:
    m.declare("calendar_prepare", effect=Effect.READ)

    @server.tool
    async def prepare(size: str) -> str:
        return read(await server.call_tool("find_room", {"size": size}))

    came = await call(mount(server, m, "calendar"), "calendar_prepare", {"size": "large"})

    assert read(came) == "room 4, large"
    assert sorted(row.tool for row in rows()) == ["calendar_prepare", "find_room"]


async def test_what_was_undone_as_nobody_could_check_it_is_no_result() -> None:
    days, server = {"dinner": 18}, fastmcp.FastMCP("dinners")

    @server.tool
    async def move(day: int) -> dict[str, int]:
        days.update(dinner=day)
        return {"moved": day}

    async with Mulligan("memory:", recover=False) as m:
        m.declare(
            "move",
            effect=Effect.REVERSIBLE,
            before=lambda record: days["dinner"],
            undo=lambda record: days.update(dinner=record.snapshot.state),
            review=Review(on_no_verdict="undo"),
        )
        server.add_middleware(m.for_fastmcp())

        came = await call(server, "move", {"day": 20})

    assert (came.is_error, came.structured_content, days) == (True, None, {"dinner": 18})
    assert "What I did could not be reviewed" in read(came)


async def test_clients_whom_nobody_can_tell_apart_share_no_turn_by_its_name(
    m: Mulligan, server: Any, event: str
) -> None:
    http = uvicorn.Server(uvicorn.Config(server.http_app(), port=0, log_level="critical"))
    serving = asyncio.create_task(http.serve())
    while not http.started:  # noqa: ASYNC110 - the server has no event for it
        await asyncio.sleep(0.01)
    url = f"http://127.0.0.1:{http.servers[0].sockets[0].getsockname()[1]}/mcp"

    for _ in range(2):
        await call(url, "move_event", {"event_id": event, "day": FRIDAY}, turn="1")
    http.should_exit = True
    await serving

    m.flush()
    assert len({row.turn for row in m.insights.log(LogQuery())}) == 2
