"""claude-agent-sdk: every prompt of a session is a turn, as its hooks tell of it.

Its hooks stand before and after a call, and the host makes it in between. So a call is under way
from the one hook to the other, as a task that waits there for what the host has made of it.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claude_agent_sdk import HookMatcher

from mulligan.codec import split_json_lines
from mulligan.types.adapter import (
    Answer,
    Called,
    Host,
    HostCall,
    HostRun,
    read_written,
    write_value,
)
from mulligan.types.errors import NothingDone
from mulligan.types.turn import History

Given = Mapping[str, Any]
"""What a hook is told."""
Said = dict[str, Any]
"""What it answers."""

CANNOT = {
    "written_calls": "Hooks only observe calls, and cannot make one from what a model wrote.",
    "hold_back": (
        "The SDK gives every message out as it is written, before a hook is asked. Show the person "
        "the `ResultMessage`."
    ),
}

SETS_OUTPUT = "StructuredOutput"
"""The tool by which the model gives an output with a schema. Once it is made, the host ends."""

PATIENCE = 600.0
"""Seconds for a hook, as a review may undo and verify; the host's own limit is 60."""

PAUSE = 0.05
"""Seconds between one look at the host's record and the next."""
LOOKS = 40

MOST_BYTES = 2_000_000
"""Of the host's record that are read for what was said before, the last of it."""

TELLS_FAILURES = (2, 1, 97)
"""The oldest command line that was seen to tell its hooks of calls that failed: what it says no
more about was not made. The SDK brings it from its floor on, and takes others by `cli_path`."""


def build(host: Host) -> dict[str, list[Any]]:
    """Hooks: `ClaudeAgentOptions(hooks=m.for_claude_agent())`."""
    sessions = Sessions(host)
    hooks = {
        "UserPromptSubmit": sessions.open_turn,
        "PreToolUse": sessions.begin_call,
        "PostToolUse": sessions.end_call,
        "PostToolUseFailure": sessions.fail_call,
        "Stop": sessions.review_reply,
        "StopFailure": sessions.leave,
    }
    return {event: [_build_matcher(event, hook)] for event, hook in hooks.items()}


class FailedInHostError(Exception):
    """What the host says of a call that failed."""


@dataclass(slots=True, kw_only=True)
class CallUnderWay:
    """A call between the hook before it and the one after it."""

    session: str
    agent: str
    """Of a sub-agent, its id."""
    asked: asyncio.Future[dict[str, object]] = field(default_factory=asyncio.Future)
    """The arguments that it is to be made with."""
    came: asyncio.Future[object] = field(default_factory=asyncio.Future)
    """What the host has made of it."""
    task: asyncio.Task[Called] = field(init=False)

    async def make(self, arguments: Mapping[str, object]) -> object:
        """Have the host make it, and wait."""
        self.asked.set_result(dict(arguments))
        return await self.came


class Sessions:
    """The turns of all sessions that have these hooks."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.runs: dict[str, HostRun] = {}
        self.calls: dict[str, CallUnderWay] = {}
        """By the host's ids. A sub-agent's may outlive the turn."""
        self.given: dict[str, Answer] = {}
        """What was said of the output with a schema that a session's turn has ended with."""

    async def open_turn(self, given: Given) -> Said:
        """A person has said something."""
        await self.leave(given)
        self._find_run(given, await asyncio.to_thread(read_history, given))
        agent = given.get("agent_type", "")
        word = await self.host.take_word(given["session_id"])
        # Nothing tells which tools there are.
        known = await asyncio.to_thread(self.host.describe_pitfalls, None, agent=agent)
        told = "\n\n".join(filter(None, (word, known)))
        return _say(given, additionalContext=told) if told else {}

    async def begin_call(self, given: Given) -> Said:
        """Bring a call, and let the host make it, with other arguments, or not at all."""
        self.given.pop(given["session_id"], None)
        if given["tool_name"] == SETS_OUTPUT and not given.get("agent_id"):
            return await self._review_output(given)
        call = CallUnderWay(session=given["session_id"], agent=given.get("agent_id", ""))
        brought = read_call(given, make=call.make)
        call.task = asyncio.create_task(self._find_run(given).call(brought))
        try:
            await asyncio.wait((call.task, call.asked), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            call.task.cancel()
            raise
        if not call.asked.done():
            reason = await self._explain(call.task)
            return _say(given, permissionDecision="deny", permissionDecisionReason=reason)
        self.calls[given["tool_use_id"]] = call
        arguments = call.asked.result()
        # Whether it may be made at all stays the host's to say.
        return {} if arguments == given["tool_input"] else _say(given, updatedInput=arguments)

    async def end_call(self, given: Given) -> Said:
        """Tell what a call returned, and the agent what is to be known beside it."""
        call = self.calls.pop(given["tool_use_id"], None)
        if call is None:
            return {}
        result = read_result(given["tool_response"])
        call.came.set_result(result)
        try:
            called = await call.task
        except Exception as error:  # noqa: BLE001 - the host made it: what is wrong is told
            return _say(given, additionalContext=self._describe(error))
        said = {"additionalContext": called.note} if called.note else {}
        if called.result != result:
            said |= write_result(given, called.result)
        return _say(given, **said) if said else {}

    async def fail_call(self, given: Given) -> Said:
        """Tell how a call failed, and the agent what would help."""
        call = self.calls.pop(given["tool_use_id"], None)
        if call is None:
            return {}
        if given.get("is_interrupt"):
            call.task.cancel()
            await asyncio.gather(call.task, return_exceptions=True)
            return {}
        call.came.set_exception(FailedInHostError(str(given["error"])))
        try:
            called = await call.task
        except Exception as error:  # noqa: BLE001 - the agent has the error from its host
            advice = self.host.read_advice(error)
            return _say(given, additionalContext=advice) if advice else {}
        landed = f"It was done all the same, and answered: {write_value(called.result)}"
        return _say(given, additionalContext=f"{landed}\n\n{called.note}".strip())

    async def review_reply(self, given: Given) -> Said:
        """Review before the turn ends; where something was wrong, it does not end there."""
        reply = given.get("last_assistant_message", "")
        answer = self.given.pop(given["session_id"], None) or await self._review(given, reply)
        if answer.feedback:
            return {"decision": "block", "reason": answer.feedback}
        await self.leave(given)
        beside = answer.note or ("" if answer.reply == reply else str(answer.reply))
        return {"systemMessage": beside} if beside else {}

    async def _review_output(self, given: Given) -> Said:
        """Review before the output is made, as the host calls no hook after it."""
        answer = await self._review(given, given["tool_input"])
        told = answer.feedback or (answer.unfinished and answer.unfinished.answer)
        if not told:
            self.given[given["session_id"]] = answer
            return {}
        denied = _say(given, permissionDecision="deny", permissionDecisionReason=told)
        if answer.feedback:
            return denied
        await self.leave(given)
        return {**denied, "continue_": False, "stopReason": told}

    async def _review(self, given: Given, reply: object) -> Answer:
        run = self._find_run(given)
        await self._settle(given)
        try:
            answer = await run.review(reply)
        except BaseException:
            await self.leave(given)
            raise
        if answer.undone and not answer.feedback:
            # The session keeps what was rejected, and has no place for what the person is told.
            await self.host.keep_word(given["session_id"], answer.refusal)
        return answer

    def _find_run(self, given: Given, history: History | None = None) -> HostRun:
        """The session's turn. The host may begin one by itself, without a message."""
        session = given["session_id"]
        if session not in self.runs:
            agent, said = given.get("agent_type", ""), given.get("prompt", "")
            self.runs[session] = self.host.open(
                said, agent=agent, given=given, history=history, thread=session, kept=True
            )
        return self.runs[session]

    async def leave(self, given: Given) -> Said:
        """The turn is over; its session keeps what was said in it, also where it failed, as where
        the model could not be asked."""
        run = self.runs.pop(given["session_id"], None)
        if run is not None:
            await self._settle(given)
            await run.leave()
        return {}

    async def _settle(self, given: Given) -> None:
        """Account for calls that the host says no more about: it, or a person, refused them.

        One that tells of no failures may have made them: then their effects are unknown.
        """
        session = given["session_id"]
        left = {
            made: call
            for made, call in self.calls.items()
            if call.session == session and not call.agent
        }
        if not left:
            return
        ended = await find_errors(_find_record(given), left)
        for made, call in left.items():
            del self.calls[made]
            if made in ended:
                call.came.set_exception(ended[made])
            else:
                call.task.cancel()
            await asyncio.gather(call.task, return_exceptions=True)

    async def _explain(self, task: asyncio.Task[Called]) -> str:
        """Why the host is not to make a call."""
        try:
            called = await task
        except Exception as error:  # noqa: BLE001 - it is told to the agent
            return self._describe(error)
        return f"It was made already, and answered: {write_value(called.result)}"

    def _describe(self, error: Exception) -> str:
        return f"{error}\n\n{self.host.read_advice(error)}".strip()


def read_call(given: Given, *, make: Callable[..., Awaitable[object]]) -> HostCall:
    """A call in no framework's words. The host makes it once, and a repeated one has another id."""
    server, tool = "", given["tool_name"]
    if tool.startswith("mcp__") and tool.count("__") > 1:
        _, server, tool = tool.split("__", 2)
    return HostCall(tool=tool, server=server, arguments=given["tool_input"], make=make, once=True)


def read_result(response: Any) -> object:
    """What a tool returned; of an MCP server's, the text, or the value that was written as text."""
    parts: list[Any] = response if isinstance(response, list) else [None]
    if not all(isinstance(each, dict) and each.get("type") == "text" for each in parts):
        return response
    return read_written("\n".join(each["text"] for each in parts))


def write_result(given: Given, result: object) -> Said:
    """A result in the place of the one that came. Older hosts take only that of an MCP server."""
    if not given["tool_name"].startswith("mcp__"):
        return {"updatedToolOutput": result}
    content = [{"type": "text", "text": write_value(result)}]
    return {"updatedToolOutput": content, "updatedMCPToolOutput": content}


def read_history(given: Given) -> History:
    """The session so far, as the host's own record has it."""
    try:
        with _find_record(given).open("rb") as record:
            record.seek(max(0, record.seek(0, os.SEEK_END) - MOST_BYTES))
            whole, text = record.tell() == 0, record.read().decode("utf-8", "replace")
    except FileNotFoundError:
        # A session that begins has no record yet.
        return History()
    except (OSError, ValueError):
        return History(whole=False)
    lines = [_read_line(line) for line in split_json_lines(text) if line.strip()]
    messages = [m for line in lines if line is not None and (m := _read_message(line)) is not None]
    if messages and messages[-1] == {"role": "user", "content": given.get("prompt", "")}:
        messages.pop()
    return History(messages, whole=whole and None not in lines)


def _find_record(given: Given) -> Path:
    """Where the host writes its record; nowhere that anything can be read, if it does not say."""
    said = given.get("transcript_path")
    return Path(said if isinstance(said, str) else "")


def _read_line(line: str) -> dict[str, Any] | None:
    """What the host has written; `None` of a line that was cut or is unreadable."""
    try:
        written = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return written if isinstance(written, dict) else None


def _read_message(written: Mapping[str, Any]) -> Any:
    """The message of a line; nothing of one of a sub-agent, of a summary, or of no message."""
    if any(written.get(mark) for mark in ("isSidechain", "isMeta", "isCompactSummary")):
        return None
    match written.get("message"):
        case {"role": role, **rest}:  # without the numbers of the model that wrote it
            return {"role": role, "content": rest.get("content")}
    return None


async def find_errors(transcript: Path, calls: Collection[str]) -> dict[str, Exception]:
    """The host's words on these calls. It writes its record a moment after it tells us."""
    found: dict[str, Exception] = {}
    for _ in range(LOOKS):
        found = await asyncio.to_thread(read_errors, transcript)
        if found.keys() >= set(calls):
            break
        await asyncio.sleep(PAUSE)
    return found


def read_errors(transcript: Path) -> dict[str, Exception]:
    """Calls that were answered with an error, as the host's own record has them."""
    found: dict[str, Exception] = {}
    try:
        lines = split_json_lines(transcript.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError):
        return {}
    for line in lines:
        match _read_line(line) if '"tool_result"' in line else None:
            case {"message": {"content": list(parts)}, **rest}:
                version = str(rest.get("version", "")).split(".")
                known = all(each.isdecimal() for each in version)
                tells = known and tuple(map(int, version)) >= TELLS_FAILURES
                kind = NothingDone if tells else FailedInHostError
                for each in parts:
                    match each:
                        case {"type": "tool_result", "is_error": failed} if failed:
                            said = write_value(each.get("content"))
                            found[str(each.get("tool_use_id"))] = kind(said)
    return found


def _say(given: Given, **said: Any) -> Said:
    return {"hookSpecificOutput": {"hookEventName": given["hook_event_name"], **said}}


def _build_matcher(event: str, hook: Callable[[Given], Awaitable[Said]]) -> Any:
    async def call_hook(given: Given, _id: str | None, _context: Any) -> Said:
        return await hook(given)

    matcher = HookMatcher(hooks=[call_hook], timeout=PATIENCE)
    if event == "PreToolUse" and hasattr(matcher, "on_failure"):
        # A call that is not on record must not be made.
        matcher.on_failure = "block"
    return matcher
