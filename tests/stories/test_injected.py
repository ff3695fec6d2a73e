"""What a framework fills is no part of what was asked, and is made anew where a call runs later."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from mulligan import Arguments, Effect, Held, Mulligan, Redaction, State
from mulligan.types.call import Record
from mulligan.types.events import CallLogged


class RunContext:
    """As far as theirs go: what nobody could write down."""

    __module__ = "pydantic_ai._run_context"

    def __init__(self, user: str) -> None:
        self.user = user
        self.lock = threading.Lock()


class Post:
    """What was sent, and by whom."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def declare(self, m: Mulligan, **more: Any) -> Any:
        @m.tool(effect=Effect.IRREVERSIBLE, **more)
        async def send(ctx: RunContext, to: str) -> str:
            self.sent.append((ctx.user, to))
            return "sent"

        return send


def approve(m: Mulligan) -> str:
    [held] = m.insights.open_list.actions()
    m.insights.open_list.approve(held.id, by="Mum")
    return held.id


@pytest.mark.full
async def test_a_journaled_call_with_a_context_keeps_logs_and_checks_only_what_was_asked() -> None:
    seen: list[dict[str, object]] = []
    rows: list[str] = []
    days: dict[str, str] = {"dinner": "Monday"}

    def look(attempted):
        seen.extend(dict(each.call.arguments) for each in attempted.executions)
        return ()

    async with Mulligan(
        "memory:", recover=False, checks=[look], redaction=Redaction(capture="full")
    ) as m:
        m.subscribe(
            lambda e: rows.append(str(e.row.parameters)) if isinstance(e, CallLogged) else None
        )

        @m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda record: days[str(record.arguments["name"])],
            undo=lambda record: days.update({str(record.arguments["name"]): str(record.before)}),
        )
        async def move(ctx: RunContext, name: str, day: str) -> None:
            assert ctx.user == "Mum"
            days[name] = day

        async def agent(turn: object) -> str:
            await move(RunContext("Mum"), "dinner", day="Friday")
            return "Moved."

        done = await m.act("Move dinner to Friday", agent)
        m.flush()
        [tool] = m.insights.tools()

    assert (days, done.open_actions) == ({"dinner": "Friday"}, ())
    assert seen == [{"name": "dinner", "day": "Friday"}]
    assert rows
    assert "ctx" not in rows[0]
    assert set(tool.schema["properties"]) == {"name", "day"}  # type: ignore[call-overload]


async def test_a_held_call_runs_with_the_context_it_was_held_with_in_its_own_process() -> None:
    async with Mulligan("memory:", recover=False) as m:
        post = Post()
        send = post.declare(m)
        async with m.turn("Write to Grandma"):
            held = await send(RunContext("Mum"), to="Grandma")

        action = approve(m)
        await m.recover()

        assert m.insights.open_list.find(action).state is State.UNCHECKED
    assert post.sent == [("Mum", "Grandma")]
    assert isinstance(held, Held)
    assert "Only this process can run it." in held


@pytest.mark.parametrize(
    ("provide", "sent"),
    [
        ({"ctx": RunContext("Dad")}, [("Dad", "Grandma")]),
        (lambda record: {"ctx": RunContext(f"for {record.arguments['to']}")},
         [("for Grandma", "Grandma")]),
        (None, []),
    ],
)  # fmt: skip
async def test_another_process_runs_it_with_what_is_provided_or_not_at_all(
    tmp_path: Path, provide: object, sent: list[tuple[str, str]]
) -> None:
    store, more = (
        f"sqlite:///{tmp_path}/a.db",
        {} if provide is None else {"arguments": Arguments(provide=provide)},
    )
    async with Mulligan(store, recover=False) as m, m.turn("Write to Grandma"):
        await Post().declare(m, **more)(RunContext("Mum"), to="Grandma")

    async with Mulligan(store, recover=False) as m:
        post = Post()
        post.declare(m, **more)
        action = approve(m)
        await m.recover()
        state = m.insights.open_list.find(action).state

    assert post.sent == sent
    assert state is (State.UNCHECKED if sent else State.APPROVED)


async def test_what_cannot_be_provided_is_not_run_and_that_is_certain(tmp_path: Path) -> None:
    def fail(record: Record) -> object:
        raise LookupError("no session")

    async with Mulligan("memory:", recover=False) as m:
        post = Post()
        send = post.declare(m, arguments=Arguments(provide=fail))
        async with m.turn("Write to Grandma"):
            await send(RunContext("Mum"), to="Grandma")
        m._parts.runtime.held.clear()  # as in a process that did not hold it
        action = approve(m)
        await m.recover()

        assert m.insights.open_list.find(action).state is State.NOT_EXECUTED
    assert post.sent == []


def test_doctor_says_which_tools_can_run_later_only_where_they_were_held() -> None:
    with Mulligan("memory:") as m:
        Post().declare(m, name="bound")
        Post().declare(m, name="free", arguments=Arguments(provide={"ctx": RunContext("Mum")}))
        with m.turn("Hello"):
            pass

        told = {tool.tool: " ".join(tool.promises) for tool in m.insights.tools()}

    assert "can run only in the process that held it, as it also takes ctx" in told["bound"]
    assert "only in the process" not in told["free"]


async def test_a_method_is_a_tool_and_may_be_given_its_object_anew() -> None:
    sent: list[tuple[str, str]] = []

    async with Mulligan("memory:", recover=False) as m:

        class Office:
            def __init__(self, name: str) -> None:
                self.name = name

            @m.tool(
                effect=Effect.IRREVERSIBLE,
                arguments=Arguments(provide=lambda record: {"self": Office("new")}),
            )
            async def send(self, to: str) -> None:
                sent.append((self.name, to))

        async with m.turn("Write"):
            await Office("old").send("Grandma")
        approve(m)
        await m.recover()

    assert sent == [("new", "Grandma")]


async def test_of_calls_that_nobody_ever_answers_only_the_newest_are_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mulligan.runtime.tool.MOST_HELD", 2)
    async with Mulligan("memory:", recover=False) as m:
        send = Post().declare(m)
        async with m.turn("Write to everybody"):
            for name in ("Grandma", "Grandpa", "Aunt"):
                await send(RunContext("Mum"), to=name)

        assert len(m._parts.runtime.held) == 2
