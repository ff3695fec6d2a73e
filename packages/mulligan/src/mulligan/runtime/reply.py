"""The end of a turn: its reply is checked against what the tools of its turn really returned."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import cast

from msgspec.structs import replace

from mulligan.loops.briefs import ReplyBrief, Tools
from mulligan.loops.replies import ReplyRules, Write, write_reply
from mulligan.process.user_functions import call_function
from mulligan.runtime.context import (
    OpenTurn,
    Reviewed,
    write_words_only,
)
from mulligan.runtime.review import (
    LEAST_FIRST,
    WORST_FIRST,
    is_idle,
)
from mulligan.runtime.turn import Done
from mulligan.types.adapter import AgentWriter, Assignment
from mulligan.types.call import Execution, Outcome
from mulligan.types.display import format_value
from mulligan.types.events import ReplyChecked, ReplySettled
from mulligan.types.finding import Confidence, Correction, Standing
from mulligan.types.reply import Replied, Reply, Written

Rewrite = Callable[[Correction], str | Written | Awaitable[str | Written]]
"""Writes the reply again, told what was wrong with its text; sync or async. It calls no tools that
change anything."""

LONGEST = 20_000
"""Characters of one result that a reply may rest on."""


async def answer(
    reply: str,
    turn: OpenTurn,
    *,
    rules: ReplyRules,
    rewrite: Rewrite | AgentWriter | None,
    announce: Callable[[ReplyChecked | ReplySettled], None],
    monotonic: Callable[[], float] = time.monotonic,
) -> Replied:
    """Check a reply whose actions were accepted; have it written again, where possible."""
    # What cannot be rewritten is checked once.
    bound = rules if rewrite is not None else replace(rules, attempts=1, fix=False)
    return await write_reply(
        _begin_with(reply, rewrite),
        rules=bound,
        query=turn.message,
        context=(turn.message, *list_results(turn.attempt.list_executions())),
        turn=turn.id,
        announce=announce,
        monotonic=monotonic,
    )


def _begin_with(reply: str, rewrite: Rewrite | AgentWriter | None) -> Write | AgentWriter:
    """A writer whose first text is there already; what comes after it is nothing but words."""
    if isinstance(rewrite, AgentWriter):
        return _begin_agent_with(reply, rewrite)

    async def write(correction: Correction | None) -> str | Reply | Written:
        if correction is None or rewrite is None:
            return reply
        write_words_only()
        return cast("str | Written", await call_function(rewrite, correction))

    return write


def _begin_agent_with(reply: str, agent: AgentWriter) -> AgentWriter:
    async def write(asked: Assignment) -> str:
        brief = cast("ReplyBrief", asked)
        if brief.correction is None:
            return reply
        write_words_only()
        return await agent.write(replace(brief, tools=Tools(steps=0)))

    return AgentWriter(write, name=agent.name)


def list_results(executions: Iterable[Execution]) -> Iterable[str]:
    """What the tools returned, as text."""
    for execution in executions:
        if execution.outcome is Outcome.SUCCESS and execution.result is not None:
            yield _format_result(execution.result)[:LONGEST]


def _format_result(result: object) -> str:
    if isinstance(result, str):
        return result
    try:
        return json.dumps(result, default=str, ensure_ascii=False)
    except Exception:  # noqa: BLE001 - keys that are no text, a cycle, a value that refuses
        return format_value(result)


def with_replied(done: Done, replied: Replied) -> Done:
    """The result of a turn whose text was checked too: the worse standing counts for both."""
    verdict = done.attempts[-1].verdict if done.attempts else None
    idle = verdict is not None and is_idle(verdict)
    standing, confidence = join_standings(done, replied, idle=idle)
    return replace(
        done,
        replied=replied,
        standing=standing,
        confidence=confidence,
        findings=(*done.findings, *replied.findings),
    )


def join_standings(
    done: Done | Reviewed, replied: Replied, *, idle: bool
) -> tuple[Standing, Confidence | None]:
    """What to call an outcome with a text; `idle`: nothing was done but to write the text."""
    if done.standing is Standing.UNCHECKED and idle:
        standing, confidence = replied.standing, replied.confidence
    else:
        standing = min(done.standing, replied.standing, key=WORST_FIRST.index)
        confidence = min(done.confidence, replied.confidence, key=LEAST_FIRST.index)
    return standing, Confidence.LOW if standing is Standing.REJECTED else confidence
