"""Whatever hangs, raises or takes too much, a person has the best text there is, in time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from msgspec.structs import replace

from mulligan.checks.file import preset
from mulligan.checks.grounding import Verifier
from mulligan.checks.text import avoids, length
from mulligan.loops.briefs import Brief
from mulligan.loops.drafts import DraftRules, write_draft
from mulligan.loops.replies import FALLBACK, ReplyRules, write_reply
from mulligan.types.display import Question
from mulligan.types.finding import Correction, Finding, Severity, Standing
from mulligan.types.limits import Budget
from mulligan.types.reply import Critique, Draft, Reply, Written

NO_DELVING = ReplyRules(checks=[avoids(words=["delve"]), length(at_least=10)])


def write_always(text: str):
    async def write(_: object) -> str:
        return text

    return write


def score_always(score: float):
    return lambda question, draft: Critique(score=score)


SOON = Budget(time=timedelta(milliseconds=50))


@pytest.mark.parametrize("plain", [False, True])
async def test_a_writer_that_hangs_leaves_an_answer_in_time(*, plain: bool) -> None:
    go_on = threading.Event()

    async def hangs(correction: Correction | None) -> str:
        await asyncio.Event().wait()
        return ""

    def hangs_in_its_thread(correction: Correction | None) -> str:
        go_on.wait(10)
        return ""

    rules = replace(NO_DELVING, budget=SOON)
    replied = await write_reply(hangs_in_its_thread if plain else hangs, rules=rules)
    go_on.set()

    assert (replied.text, replied.limit, len(replied.iterations)) == (FALLBACK, "time", 1)


@pytest.mark.parametrize("stubborn", [True, False])
async def test_where_the_second_try_hangs_the_first_reply_goes_out(*, stubborn: bool) -> None:
    let_go = asyncio.Event()

    async def write(correction: Correction | None) -> str:
        if correction is None:
            return "we delve here"
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                if not stubborn:
                    raise
        return ""

    replied = await write_reply(write, rules=replace(NO_DELVING, budget=SOON))
    let_go.set()

    assert (replied.text, replied.bound_reached, replied.limit) == ("we delve here", True, "time")


class HangingJudge:
    async def ask(self, question: Question) -> None:
        await asyncio.Event().wait()


async def hanging_check(reply: Reply) -> list[Finding]:
    await asyncio.Event().wait()
    return []


@pytest.mark.parametrize(
    "rules",
    [
        ReplyRules(checks=[hanging_check], budget=SOON),
        ReplyRules(verifier=Verifier(HangingJudge()), budget=SOON),
    ],
    ids=["check", "judge"],
)
async def test_a_reviewer_that_hangs_leaves_the_reply_unreviewed_in_time(rules: ReplyRules) -> None:
    replied = await write_reply(write_always("A plain answer."), rules=rules)

    assert (replied.text, replied.standing) == ("A plain answer.", Standing.UNREVIEWED)


async def test_plain_checks_and_critics_do_not_hold_the_loop() -> None:
    threads: list[str] = []

    def looks(reply: Reply) -> Iterator[Finding]:
        threads.append(threading.current_thread().name)
        yield Finding(rule="own.x", severity=Severity.WARNING, issue="Odd.")

    def critic(question: str, draft: Draft) -> Critique:
        threads.append(threading.current_thread().name)
        return Critique(score=9)

    await write_reply(write_always("A plain answer."), rules=ReplyRules(checks=[looks]))
    await write_draft(write_always("text"), question="q", rules=DraftRules(critics=[critic]))

    assert threads == ["mulligan-aside"] * 2


async def test_what_a_writer_takes_is_counted_and_ends_it() -> None:
    async def write(correction: Correction | None) -> Written:
        return Written(text="we delve here", tokens=60, money=0.5)

    rules = replace(NO_DELVING, budget=Budget(tokens=100))
    replied = await write_reply(write, rules=rules)

    assert (len(replied.iterations), replied.limit) == (2, "tokens")
    assert (replied.tokens, replied.money) == (120, 1.0)


@pytest.mark.full
async def test_many_long_replies_at_once_leave_the_loop_free() -> None:
    text = "We have 500 boats and 20 oars for delving. " * 5_000
    rules = ReplyRules(checks=[*preset("marketing"), avoids(words=["delve"])], attempts=1, fix=True)
    longest, began = 0.0, time.monotonic()
    last = began

    async def beat() -> None:
        nonlocal longest, last
        while True:
            await asyncio.sleep(0.005)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()

    beating = asyncio.create_task(beat())
    await asyncio.gather(
        *(write_reply(write_always(text), rules=rules, context=(text,)) for _ in range(3))
    )
    beating.cancel()

    # Held against the whole, as a busy machine makes every wait longer.
    assert longest < (time.monotonic() - began) / 3


async def test_where_a_revision_hangs_the_judged_draft_is_the_answer() -> None:
    let_go = asyncio.Event()

    async def write(brief: Brief) -> str:
        while brief.draft is not None and not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        return "first"

    rules = DraftRules(critics=[score_always(5)], budget=Budget(time=timedelta(milliseconds=300)))
    drafted = await write_draft(write, question="q", rules=rules)
    let_go.set()

    assert (drafted.text, drafted.standing, drafted.limit) == ("first", Standing.REJECTED, "time")
