from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

sdk = pytest.importorskip("claude_agent_sdk", reason="it has environments of its own: make hosts")

from mulligan import Effect, Mulligan, NothingDone, Standing, State  # noqa: E402
from mulligan.hosts.claude_agent import (  # noqa: E402
    PATIENCE,
    PAUSE,
    FailedInHostError,
    find_errors,
    read_errors,
    read_history,
    read_result,
)
from mulligan.types.adapter import Answer  # noqa: E402
from mulligan.types.log import LogQuery  # noqa: E402
from mulligan_testing.scripted_claude import ScriptedClaude  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]

MOVE = "mcp__world__move"
WRONG, RIGHT = (MOVE, {"day": 21}), (MOVE, {"day": 20})
DAY = {"type": "object", "properties": {"day": {"type": "integer"}}, "required": ["day"]}


@pytest.fixture
async def m() -> AsyncIterator[Mulligan]:
    async with Mulligan("memory:", recover=False) as app:
        yield app


@pytest.fixture
def days(m: Mulligan) -> dict[str, int]:
    """A dinner that may be moved, and only to the 20th; the tool is declared wherever it lives."""
    found = {"dinner": 18}
    m.declare(
        "move",
        effect=Effect.REVERSIBLE,
        before=lambda record: found["dinner"],
        read=lambda record: found["dinner"],
        undo=lambda record: found.update(dinner=record.before),
    )

    @m.check("move")
    def is_right_day(call: Any) -> str | None:
        return None if call.arguments["day"] == 20 else "It was to be on the 20th."

    return found


def make_server(days: dict[str, int]) -> Any:
    @sdk.tool("move", "Move dinner.", DAY)
    async def move(arguments: dict[str, Any]) -> dict[str, Any]:
        days["dinner"] = arguments["day"]
        return {"content": [{"type": "text", "text": json.dumps({"day": arguments["day"]})}]}

    @sdk.tool("peek", "Look at nothing.", {"at": str})
    async def peek(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": f"nothing at {arguments['at']}"}]}

    return sdk.create_sdk_mcp_server("world", tools=[move, peek])


async def ask(
    claude: ScriptedClaude, *prompts: str, days: dict[str, int], home: Path, **options: Any
) -> list[str | None]:
    """What each prompt was answered with, in one session."""
    options.setdefault("allowed_tools", [MOVE, "mcp__world__peek"])
    given = sdk.ClaudeAgentOptions(
        mcp_servers={"world": make_server(days)},
        tools=[],
        setting_sources=[],
        cwd=str(home),
        env=claude.build_environment(home),
        stderr=lambda _: None,
        **options,
    )
    replies = []
    async with sdk.ClaudeSDKClient(given) as client:
        for prompt in prompts:
            await client.query(prompt)
            async for said in client.receive_response():
                if isinstance(said, sdk.ResultMessage):
                    replies.append(said.result)
    return replies


class Hooks:
    """The hooks as the SDK calls them, without a command line."""

    def __init__(self, m: Mulligan, **options: Any) -> None:
        self._hooks = m.for_claude_agent(**options)

    async def tell(self, event: str, **given: Any) -> dict[str, Any]:
        [matcher] = self._hooks[event]
        [hook] = matcher.hooks
        told = {"session_id": "s1", "hook_event_name": event, "transcript_path": "", **given}
        return await hook(told, given.get("tool_use_id"), {"signal": None})

    async def begin(self, call_id: str, day: int, **more: Any) -> dict[str, Any]:
        call = {"tool_name": MOVE, "tool_input": {"day": day}, "tool_use_id": call_id, **more}
        return await self.tell("PreToolUse", **call)

    async def end(self, call_id: str, day: int, **more: Any) -> dict[str, Any]:
        content = [{"type": "text", "text": json.dumps({"day": day})}]
        call = {"tool_name": MOVE, "tool_input": {"day": day}, "tool_use_id": call_id, **more}
        return await self.tell("PostToolUse", tool_response=content, **call)

    async def stop(self, reply: str, **more: Any) -> dict[str, Any]:
        return await self.tell("Stop", stop_hook_active=False, last_assistant_message=reply, **more)


def list_calls(m: Mulligan) -> list[tuple[str, str | None]]:
    m.flush()
    return [(row.tool, row.turn) for row in m.insights.log(LogQuery())]


async def test_calls_at_once_are_of_one_turn_and_undone_together(
    m: Mulligan, days: dict[str, int], tmp_path: Path
) -> None:
    answers: list[Answer] = []
    script = [[WRONG, ("mcp__world__peek", {"at": "noon"})], "Moved.", RIGHT, "Moved to the 20th."]

    with ScriptedClaude(script) as claude:
        [reply] = await ask(
            claude,
            "Move dinner to the 20th",
            days=days,
            home=tmp_path,
            hooks=m.for_claude_agent(on_answer=answers.append),
        )

    calls = list_calls(m)
    assert (reply, days) == ("Moved to the 20th.", {"dinner": 20})
    assert sorted(tool for tool, _ in calls) == ["move", "move", "peek"]
    assert len({turn for _, turn in calls}) == 1
    assert [answer.standing for answer in answers] == [Standing.ACCEPTED]
    assert "It was to be on the 20th." in claude.list_shown()[2]


async def test_every_prompt_of_a_session_is_a_turn_of_its_own(
    m: Mulligan, days: dict[str, int], tmp_path: Path
) -> None:
    peek = ("mcp__world__peek", {"at": "noon"})

    with ScriptedClaude([peek, "Nothing.", peek, "Still nothing."]) as claude:
        replies = await ask(
            claude, "Look", "Look again", days=days, home=tmp_path, hooks=m.for_claude_agent()
        )

    assert replies == ["Nothing.", "Still nothing."]
    assert len({turn for _, turn in list_calls(m)}) == 2


async def test_what_the_person_refuses_in_the_host_was_not_done(
    m: Mulligan, days: dict[str, int], tmp_path: Path
) -> None:
    async def refuse(*_: Any) -> Any:
        return sdk.PermissionResultDeny(message="No, thank you.")

    with ScriptedClaude([RIGHT, "Then not."]) as claude:
        [reply] = await ask(
            claude,
            "Move dinner",
            days=days,
            home=tmp_path,
            hooks=m.for_claude_agent(),
            can_use_tool=refuse,
            allowed_tools=[],
        )

    assert (reply, days) == ("Then not.", {"dinner": 18})
    assert m.insights.open_list.actions() == []


async def test_what_was_wrong_before_the_model_could_not_be_asked_is_put_before_a_person(
    m: Mulligan, days: dict[str, int]
) -> None:
    hooks = Hooks(m)
    await hooks.tell("UserPromptSubmit", prompt="Move dinner")
    await hooks.begin("t1", 21)
    days["dinner"] = 21
    await hooks.end("t1", 21)

    await hooks.tell("StopFailure", error="overloaded")
    await m.recover()

    # The session keeps that it was moved, and may go on.
    assert days == {"dinner": 21}
    assert [action.state for action in m.insights.open_list.actions()] == [State.DISPUTED]


async def test_a_held_call_is_denied_with_the_hold_and_made_once_approved(m: Mulligan) -> None:
    m.declare("move", effect=Effect.IRREVERSIBLE)
    hooks = Hooks(m)
    await hooks.tell("UserPromptSubmit", prompt="Move dinner")

    denied = (await hooks.begin("t1", 20))["hookSpecificOutput"]
    [held] = m.insights.open_list.actions()
    again = (await hooks.begin("t2", 20))["hookSpecificOutput"]
    m.insights.open_list.approve(held.id, by="Mum")
    allowed = await hooks.begin("t3", 20)
    await hooks.end("t3", 20)

    assert denied["permissionDecision"] == again["permissionDecision"] == "deny"
    assert "was not run yet" in denied["permissionDecisionReason"]
    assert allowed == {}
    assert m.insights.open_list.actions() == []


async def test_a_sub_agents_call_is_of_the_outer_turn_and_may_outlive_it(
    m: Mulligan, days: dict[str, int]
) -> None:
    hooks = Hooks(m)
    await hooks.tell("UserPromptSubmit", prompt="Move dinner to the 20th")
    await hooks.begin("t1", 20)
    await hooks.begin("t2", 20, agent_id="a1", agent_type="mover")
    await hooks.end("t1", 20)

    await hooks.stop("It is being moved.")
    ended = await hooks.end("t2", 20, agent_id="a1", agent_type="mover")

    assert ended == {}
    assert len({turn for _, turn in list_calls(m)}) == 1
    assert len(list_calls(m)) == 2


async def test_a_call_that_a_person_interrupts_may_have_landed(
    m: Mulligan, days: dict[str, int]
) -> None:
    hooks = Hooks(m)
    await hooks.tell("UserPromptSubmit", prompt="Move dinner")
    await hooks.begin("t1", 20)

    call = {"tool_name": MOVE, "tool_input": {"day": 20}, "tool_use_id": "t1"}
    said = await hooks.tell("PostToolUseFailure", error="interrupted", is_interrupt=True, **call)

    [left] = m._parts.store.journal.list_open_actions()
    assert said == {}
    assert left.state in (State.INTENT, State.UNKNOWN)


async def test_arguments_that_nobody_has_described_are_not_called_wrong(m: Mulligan) -> None:
    hooks = Hooks(m)
    await hooks.tell("UserPromptSubmit", prompt="Move dinner")
    await hooks.begin("t1", 20)

    call = {"tool_name": MOVE, "tool_input": {"day": 20}, "tool_use_id": "t1"}
    said = await hooks.tell("PostToolUseFailure", error="unknown day", **call)

    told = said["hookSpecificOutput"]["additionalContext"]
    assert "What to do:" in told
    assert "is not an argument" not in told


async def test_a_turn_that_the_host_begins_by_itself_is_reviewed_too(
    m: Mulligan, days: dict[str, int]
) -> None:
    hooks = Hooks(m)
    await hooks.begin("t1", 21)
    days["dinner"] = 21
    await hooks.end("t1", 21)

    said = await hooks.stop("Moved.")

    assert said["decision"] == "block"
    assert "It was to be on the 20th." in said["reason"]
    assert days == {"dinner": 18}


async def test_a_tool_of_one_server_is_not_that_of_another(m: Mulligan) -> None:
    m.declare("move", effect=Effect.IRREVERSIBLE, server="post")
    hooks = Hooks(m)
    await hooks.tell("UserPromptSubmit", prompt="Move it")

    here = await hooks.begin("t1", 20)
    there = await hooks.begin("t2", 20, tool_name="mcp__post__move")

    assert here == {}
    assert there["hookSpecificOutput"]["permissionDecision"] == "deny"
    await hooks.stop("Moved.")


async def test_a_decorated_tool_is_logged_once_and_by_its_decorator(m: Mulligan) -> None:
    @m.tool(effect=Effect.READ)
    async def move(day: int) -> str:
        return f"moved to {day}"

    hooks = Hooks(m)
    await hooks.tell("UserPromptSubmit", prompt="Move dinner")
    await hooks.begin("t1", 20)
    result = await asyncio.create_task(move(20))
    await hooks.end("t1", 20)
    await hooks.stop(result)

    assert [tool for tool, _ in list_calls(m)] == ["move"]


async def test_a_call_that_cannot_be_written_down_is_blocked(m: Mulligan) -> None:
    [matcher] = m.for_claude_agent()["PreToolUse"]

    assert getattr(matcher, "on_failure", "block") == "block"
    assert matcher.timeout == PATIENCE


def test_a_result_is_read_as_the_value_that_was_written() -> None:
    assert read_result([{"type": "text", "text": '{"day": 20}'}]) == {"day": 20}
    assert read_result([{"type": "text", "text": "20"}]) == "20"
    assert read_result({"stdout": "hi"}) == {"stdout": "hi"}
    assert read_result([{"type": "image", "data": "…"}]) == [{"type": "image", "data": "…"}]


def write_record(home: Path, *results: dict[str, Any], version: str = "2.1.97") -> Path:
    record = home / "session.jsonl"
    written = {"message": {"content": results}, "version": version}
    # As the host writes it, which is not in Python.
    record.write_text(json.dumps(written, ensure_ascii=False) + "\n", encoding="utf-8")
    return record


REFUSED = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "No."}


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("2.1.97", NothingDone),
        ("2.2", NothingDone),
        ("2.0.14", FailedInHostError),
        ("", FailedInHostError),
    ],
)
def test_an_error_is_a_refusal_where_the_host_tells_of_failures(
    tmp_path: Path, version: str, kind: type[Exception]
) -> None:
    fine = {"type": "tool_result", "tool_use_id": "t2", "content": "Yes."}

    found = read_errors(write_record(tmp_path, REFUSED, fine, version=version))

    assert [(made, type(error), str(error)) for made, error in found.items()] == [
        ("t1", kind, "No.")
    ]
    assert read_errors(tmp_path / "nowhere") == {}


def test_an_error_is_read_whatever_its_words_are_parted_by(tmp_path: Path) -> None:
    parted = {**REFUSED, "content": "No.\u2028Not\x85today."}

    found = read_errors(write_record(tmp_path, parted))

    assert str(found["t1"]) == "No.\u2028Not\x85today."


def test_a_session_that_begins_has_no_record_yet(tmp_path: Path) -> None:
    assert not read_history({"transcript_path": str(tmp_path / "new.jsonl")}).is_partial


def test_a_record_that_can_be_read_is_the_whole_session(tmp_path: Path) -> None:
    said = [{"message": {"role": "user", "content": text}} for text in ("A-17", "Go on.")]
    record = tmp_path / "session.jsonl"
    record.write_text("".join(f"{json.dumps(each)}\n" for each in said), encoding="utf-8")

    history = read_history({"transcript_path": str(record), "prompt": "Go on."})

    assert (history.said, history.is_partial) == (("A-17",), False)


UNREADABLE = ["[]", "5", '"x"', "null", '{"mess', "[" * 100_000]


@pytest.mark.parametrize("line", UNREADABLE)
def test_a_line_of_the_record_that_nobody_can_read_is_passed_over(
    tmp_path: Path, line: str
) -> None:
    said = json.dumps({"message": {"role": "user", "content": "A-17"}})
    record = tmp_path / "session.jsonl"
    record.write_text(f"{said}\n{line}\n", encoding="utf-8")

    history = read_history({"transcript_path": str(record), "prompt": "Go on."})

    assert (history.said, history.is_partial) == (("A-17",), True)


@pytest.mark.parametrize("path", [None, 3, "", "\0"])
async def test_a_session_without_a_record_is_a_turn_all_the_same(
    m: Mulligan, days: dict[str, int], path: Any
) -> None:
    hooks = Hooks(m)

    await hooks.tell("UserPromptSubmit", prompt="Move dinner", transcript_path=path)
    await hooks.begin("t1", 20)
    await hooks.stop("It was refused.", transcript_path=path)

    assert [tool for tool, _ in list_calls(m)] == ["move"]
    assert read_history({"transcript_path": path}).is_partial


@pytest.mark.parametrize(
    "written",
    [
        *UNREADABLE,
        '["tool_result"]',
        '{"message": null, "of": "tool_result"}',
        '{"message": {"content": ["tool_result", {"type": "tool_result"}]}}',
        '{"message": {"content": [{"type": "tool_result"}',
    ],
)
def test_an_error_is_found_beside_what_nobody_can_read(tmp_path: Path, written: str) -> None:
    record = write_record(tmp_path, REFUSED)
    record.write_text(f"{record.read_text()}{written}\n")

    assert [str(error) for error in read_errors(record).values()] == ["No."]


async def test_what_an_older_host_only_writes_down_may_have_happened(
    m: Mulligan, days: dict[str, int], tmp_path: Path
) -> None:
    hooks = Hooks(m)
    await hooks.tell("UserPromptSubmit", prompt="Move dinner")
    await hooks.begin("t1", 20)
    days["dinner"] = 20

    record = write_record(tmp_path, REFUSED, version="2.0.14")
    await hooks.stop("It failed.", transcript_path=str(record))

    [left] = m._parts.store.journal.list_open_actions()
    assert left.state in (State.UNKNOWN, State.PENDING_REVIEW, State.NEEDS_HUMAN)


async def test_a_refusal_that_is_written_down_a_moment_later_is_waited_for(tmp_path: Path) -> None:
    looking = asyncio.create_task(find_errors(tmp_path / "session.jsonl", {"t1"}))
    await asyncio.sleep(3 * PAUSE)
    write_record(tmp_path, REFUSED)

    assert [str(error) for error in (await looking).values()] == ["No."]
