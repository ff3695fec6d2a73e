from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable, Mapping
from functools import partial, wraps
from typing import Any

import pytest
from msgspec.structs import replace

from mulligan import Arguments, Effect, Mulligan
from mulligan.types.adapter import Host, HostCall, HostRun, MakeInHost
from mulligan.types.errors import ConfigurationError, HeldError, NothingDone
from mulligan.types.log import LogQuery


def look(city: str) -> str:
    return "sun"


async def make(host: Host, *calls: HostCall) -> None:
    """Make calls in a run of their own."""
    run = host.open("How is it?")
    for call in calls:
        await run.call(call)
    await run.leave()


async def test_a_tool_is_declared_by_its_name_before_anybody_brings_it(m, host, ask):
    m.declare("look", effect=Effect.READ, describe="Look at {city}")
    await make(host, ask(look, city="Bari"))

    tool = m._parts.toolbox.find_by_name("look", server="")

    assert tool is not None
    assert tool.declaration.effect is Effect.READ
    assert set(tool.load_schema()["properties"]) == {"city"}


async def test_what_nobody_declared_is_logged_and_known_by_what_its_host_shows(m, host, ask):
    await make(host, ask(look, city="Bari"))

    tool = m._parts.toolbox.find_by_name("look", server="")

    assert tool is not None
    assert tool.declaration.effect is Effect.UNDECLARED


def test_a_schema_of_its_own_is_kept_over_what_the_host_shows(m, host, ask):
    schema = {"type": "object", "properties": {"town": {"type": "string"}}}
    m.declare("look", arguments=Arguments(schema=schema))

    host.tools.find(ask(look, city="Bari"))

    tool = m._parts.toolbox.find_by_name("look", server="")
    assert set(tool.load_schema()["properties"]) == {"town"}


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_name_that_is_none_is_refused(m, name):
    with pytest.raises(ConfigurationError, match="is no name of a tool"):
        m.declare(name, effect=Effect.READ)


def test_a_name_that_is_decorated_already_is_refused(m):
    @m.tool(effect=Effect.READ)
    def look(city: str) -> str:
        return "sun"

    with pytest.raises(ConfigurationError, match="There is a tool 'look' already"):
        m.declare("look", effect=Effect.READ)


async def test_a_hosted_tool_is_not_made_where_no_host_makes_it(m: Mulligan, host, ask):
    wrapped = host.tools.find(ask(look, city="Bari"))

    with pytest.raises(NothingDone, match="made by its host"):
        await wrapped(city="Bari")


def list_names(m: Mulligan) -> list[tuple[str, str]]:
    """What the log calls the tools that were called, the first first."""
    m.flush()
    return [(row.server, row.tool) for row in reversed(m.insights.log(LogQuery()))]


def say_files(m: Mulligan, server: str, seen: list[str]) -> Callable[..., str]:
    @m.tool(effect=Effect.READ, server=server)
    def read_file(path: str) -> str:
        seen.append(server)
        return f"{path} at {server}"

    return read_file


@pytest.mark.parametrize("seen_as", [lambda f: f, partial, lambda f: wraps(f)(lambda **a: f(**a))])
async def test_a_tool_is_known_by_its_function_whatever_its_host_calls_it(m, host, ask, seen_as):
    seen: list[str] = []
    work, home = say_files(m, "work", seen), say_files(m, "home", seen)
    m.declare("read_at_home", effect=Effect.IRREVERSIBLE)
    call = replace(ask(work, path="a.txt"), tool="read_at_home", function=seen_as(work))
    await make(
        host,
        call,
        replace(ask(home, path="b.txt"), function=seen_as(home)),
    )
    assert seen == ["work", "home"]
    assert list_names(m) == [("work", "read_file"), ("home", "read_file")]


async def test_what_is_declared_of_a_server_counts_where_the_host_tells_of_none(m, host, ask):
    m.declare("look", server="weather", effect=Effect.READ)
    await make(host, ask(look, city="Bari"))
    assert list_names(m) == [("weather", "look")]
    assert host.is_declared("look")


async def test_a_name_of_two_servers_is_explained_where_the_host_tells_of_none(
    m, host, ask, caplog
):
    m.declare("look", server="weather", effect=Effect.READ)
    m.declare("look", server="shops", effect=Effect.READ)
    await make(
        host,
        ask(look, city="Bari"),
        replace(ask(look, city="Bari"), server="shops"),
        ask(look, city="Rome"),
    )
    assert list_names(m) == [("", "look"), ("shops", "look"), ("", "look")]
    [said] = [each.message for each in caplog.records]
    assert "look is declared for several servers" in said


async def test_a_call_of_another_tool_with_a_decorated_name_is_told_of_once(m, host, ask, caplog):
    say_files(m, "/home", [])

    def read_file(path: str) -> str:
        return "of a server that nobody declared"

    run = host.open("Read it.")

    for _ in range(2):
        await run.call(ask(read_file, path="a.txt"))

    await run.leave()
    [said] = [each.message for each in caplog.records]
    assert "called another read_file" in said
    assert "m.declare('read_file', server=…)" in said


async def test_a_tool_in_another_process_is_none_of_the_decorated_ones(m, host, ask):
    read_file = say_files(m, "/home", [])
    run = host.open("Read it.")

    def elsewhere(path: str) -> str:
        return path

    call = replace(ask(elsewhere, path="a.txt"), tool=read_file.__name__, server="files")
    await run.call(replace(call, remote=True))

    await run.leave()
    assert list_names(m) == [("files", "read_file")]


async def test_a_tool_that_is_entered_in_a_task_of_its_own_belongs_to_the_turn(m, host, ask):
    moved: list[str] = []

    @m.tool(effect=Effect.REVERSIBLE, read=lambda _: moved[-1], undo=lambda _: None, server="desk")
    async def move(day: str) -> str:
        moved.append(day)
        return day

    served: asyncio.Queue[str] = asyncio.Queue()
    answers: asyncio.Queue[str] = asyncio.Queue()

    async def serve() -> None:
        while True:
            await answers.put(await move(day=await served.get()))

    server = asyncio.create_task(serve())

    async def make(arguments):
        await served.put(arguments["day"])
        return await answers.get()

    run = host.open("Move it.")

    await run.call(HostCall(tool="move", server="world", arguments={"day": "Friday"}, make=make))
    alone = await move(day="Saturday")

    server.cancel()
    made = m.insights.open_list.actions()
    await run.leave()
    assert alone == "Saturday"
    assert [(each.opening.tool, each.opening.turn) for each in made] == [("move", run.id)]


def enter_nowhere(tool: Callable[..., Awaitable[object]]) -> MakeInHost:
    """As a host makes a call in a task that knows of no turn."""

    async def make(arguments: Mapping[str, object]) -> object:
        nowhere = contextvars.Context()
        return await asyncio.get_running_loop().create_task(tool(**arguments), context=nowhere)

    return make


def count_calls(run: HostRun) -> int:
    return sum(len(attempt.list_executions()) for attempt in run.turn.attempts)


async def test_a_call_that_may_be_of_two_peoples_turns_is_of_neither(m, host, caplog):
    @m.tool(effect=Effect.READ)
    async def balance() -> str:
        return "12"

    ann, bob = (host.open("Mine?", principal=name) for name in ("Ann", "Bob"))
    asked, made = asyncio.Event(), asyncio.Event()

    async def wait(arguments: Mapping[str, object]) -> object:
        asked.set()
        await made.wait()
        return await enter_nowhere(balance)(arguments)

    waits = asyncio.create_task(ann.call(HostCall(tool="balance", arguments={}, make=wait)))
    await asked.wait()
    await bob.call(HostCall(tool="balance", arguments={}, make=enter_nowhere(balance)))
    of_both = count_calls(ann), count_calls(bob)
    made.set()
    await waits

    alone = count_calls(ann)
    await ann.leave()
    await bob.leave()
    assert (of_both, alone) == ((0, 0), 1)
    [said] = [each.message for each in caplog.records]
    assert "balance was called where nothing tells of its turn" in said


async def test_a_call_with_more_than_its_host_has_said_is_another_one(m, host, caplog):
    @m.tool(effect=Effect.READ)
    async def find(name: str = "", most: int = 10) -> str:
        return name

    async def make(arguments: Mapping[str, object]) -> object:
        others = await enter_nowhere(find)({"name": "Bob"})
        return others, await enter_nowhere(find)({"name": "", "most": 10})

    run = host.open("Find them.")

    await run.call(HostCall(tool="find", arguments={}, make=make))

    [made] = run.turn.attempts[0].list_executions()
    await run.leave()
    assert made.call.arguments == {"name": "", "most": 10}


async def test_a_call_of_a_thread_that_is_no_agents_is_not_taken_for_the_hosts(m, host):
    entered, ended = threading.Event(), threading.Event()

    @m.tool(effect=Effect.REVERSIBLE, undo=lambda _: None, read=lambda _: None)
    def book(day: int) -> str:
        entered.set()
        ended.wait(60)
        return str(day)

    def book_by_the_clock() -> None:
        entered.wait(60)
        ended.set()
        book(5)

    async def make(arguments: Mapping[str, Any]) -> object:
        return await asyncio.to_thread(book, **arguments)

    run, clock = host.open("Book day 5."), threading.Thread(target=book_by_the_clock)
    clock.start()

    async def make_both(arguments: Mapping[str, Any]) -> object:
        answer = await make(arguments)
        await asyncio.to_thread(clock.join)
        return answer

    await run.call(HostCall(tool="book", arguments={"day": 5}, make=make_both))

    made = count_calls(run)
    await run.leave()
    assert made == 1


async def test_equal_calls_of_one_turn_belong_to_it_each(m, host):
    @m.tool(effect=Effect.READ)
    async def balance() -> str:
        return "12"

    call = HostCall(tool="balance", arguments={}, make=enter_nowhere(balance))
    run = host.open("Mine?")

    await asyncio.gather(run.call(call), run.call(call))

    made = count_calls(run)
    await run.leave()
    assert made == 2


@pytest.mark.parametrize(
    ("declared", "called", "mistyped"),
    [
        ("sned_mail", "send_mail", True), ("sendMail", "send_mail", True),
        ("list_calender", "list_calendar", True), ("create_event", "list_events", False),
        ("create_event", "delete_event", False), ("send_mail", "read_mail", False),
        ("get_event", "get_events", False), ("move_event", "remove_event", False),
        ("charge_card", "change_card", False), ("room_1", "room_2", False),
    ],
)  # fmt: skip
async def test_a_typing_error_is_told_of_and_two_ordinary_names_are_not_taken_for_one(
    m, host, ask, caplog, declared, called, mistyped
):
    m.declare(declared, effect=Effect.IRREVERSIBLE)

    await make(host, replace(ask(look, city="Bari"), tool=called))

    said = [each.message for each in caplog.records]
    assert len(said) == mistyped
    assert all(f"{declared} is declared, and no host has brought" in each for each in said)


async def test_a_declaration_for_another_server_than_the_hosts_is_told_of(m, host, ask, caplog):
    m.declare("look", server="weather", effect=Effect.READ)
    await make(host, replace(ask(look, city="Bari"), server="world"))
    [said] = [each.message for each in caplog.records]
    assert "look is declared for the server 'weather', and its host calls it on 'world'" in said


async def test_a_hold_of_a_tool_in_a_task_of_its_own_is_known_to_its_host_and_runs_once(m, host):
    sent: list[str] = []

    @m.tool(effect=Effect.IRREVERSIBLE, server="post")
    async def send(to: str) -> str:
        sent.append(to)
        return "sent"

    nowhere = contextvars.copy_context()

    async def make(arguments):
        return await asyncio.create_task(send(**arguments), context=nowhere)

    call = HostCall(tool="send", server="world", arguments={"to": "Ann"}, make=make)
    run = host.open("Send it.")

    with pytest.raises(HeldError) as held:
        await run.call(call)
    m.insights.open_list.approve(held.value.action, by="Mum")
    again = await run.call(call)

    await run.leave()
    assert (again.result, sent) == ("sent", ["Ann"])
