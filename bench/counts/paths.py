"""What a user waits for most, each as a number of lines or of statements."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context

from bench.counts.counter import count_lines, count_statements, count_threads
from bench.counts.first_use import count_first_use
from bench.log_rows import build_rows
from bench.payloads import AGENT, CONTEXT, call_arguments, plan_event
from bench.texts import sample_replies
from bench.turns import NOW, Desk
from bench.workers.meaning import find_answers
from mulligan import Effect, Mulligan
from mulligan.checks.file import preset
from mulligan.stores.opening import open_store
from mulligan.types.action import Entry, Kept, Opening, State
from mulligan.types.interfaces import Journal
from mulligan.types.log import Batch, roll_up
from mulligan.types.reply import Reply
from mulligan.types.values import make_uuid7
from mulligan_dates.reader import parse_once

Counts = dict[str, int]

TIMES = 5
"""Each is done so often, and the least counts: a thread that was late wakes somebody once more."""
CALLS, ROWS, INTENTS, REPLIES = 50, 500, 20, 10
PHRASES = (
    "tomorrow at 5", "next Friday", "the day after tomorrow", "in two weeks", "on 3 March",
    "Monday morning", "the first Tuesday of next month", "2026-12-24", "half past eight tonight",
    "from 9 to 11 on Thursday", "the end of the month", "three days before Christmas",
)  # fmt: skip


def count_all() -> Counts:
    """Every path, in this process."""
    return {
        **count_logged_call(),
        **count_log_batch(),
        **count_reviewed_turn(),
        **count_date_phrase(),
        **count_reply_checks(),
        **count_journal_intent(),
        **count_first_use(),
    }


def count_logged_call() -> Counts:
    """Where a tool is called that is watched, in a turn; its row is written elsewhere."""
    with Mulligan("memory:", recover=False) as m, asyncio.Runner() as runner:
        tool = m.tool(effect=Effect.READ)(plan_event)

        async def call() -> None:
            for each in call_arguments(CALLS, seed=1):
                await tool(**each)

        with m.turn(agent=AGENT, context=CONTEXT, now=NOW):
            # A runner keeps the context that it was made in, where no turn was going on.
            inside = copy_context()
            lines = _find_least(lambda: count_lines(lambda: runner.run(call(), context=inside)))
    return {"logged_call_lines": lines // CALLS}


def count_log_batch() -> Counts:
    """Rows on their way into SQLite, with all that is kept beside them."""
    batches = iter([build_rows(ROWS, seed=seed) for seed in range(TIMES + 1)])

    def write() -> int:
        rows = next(batches)
        return count_lines(lambda: store.log.write(Batch(rows=rows, rollups=roll_up(rows))))

    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{folder}/counts.db")
        lines = _find_least(write)
        store.close()
    return {"log_batch_lines": lines}


def count_reviewed_turn() -> Counts:
    """A turn of one action, its review by the standard checks included."""
    with Mulligan("memory:", checks="standard", recover=False) as m, asyncio.Runner() as runner:
        desk = Desk(m)
        lines = _find_least(lambda: count_lines(lambda: runner.run(desk.run("accepted"))))
    return {"reviewed_turn_lines": lines}


def count_date_phrase() -> Counts:
    """A phrase that nobody has said before."""

    def resolve() -> None:
        parse_once.cache_clear()
        for phrase in PHRASES:
            find_answers(phrase, NOW)

    return {"date_phrase_lines": _find_least(lambda: count_lines(resolve)) // len(PHRASES)}


def count_reply_checks() -> Counts:
    """The checks that need no model, on a reply of 2,500 characters."""
    checks = preset("marketing")
    replies = [
        Reply(text=each.text, query="What do you offer?", context=(each.context,))
        for each in sample_replies(REPLIES, size=2_500, seed=1)
    ]

    def check() -> None:
        for reply in replies:
            for each in checks:
                list(each(reply))

    return {"reply_checks_lines": _find_least(lambda: count_lines(check)) // REPLIES}


def count_journal_intent() -> Counts:
    """An intent that is on disk: the lines of both threads, and what SQLite is told."""
    with (
        tempfile.TemporaryDirectory() as folder,
        count_statements() as statements,
        count_threads() as behind,
    ):
        store = open_store(f"sqlite:///{folder}/counts.db")
        numbers = iter(range(10_000))

        def intend() -> None:
            _intend(store.journal, next(numbers)).result()

        intend()
        lines, told = [], []
        for _ in range(TIMES * INTENTS):
            before, said = behind.n, len(statements)
            own = count_lines(intend)
            lines.append(own + behind.n - before)
            told.append([sql.split()[0] for sql in statements[said:]])
        store.close()
    least = min(told, key=len)
    return {
        "journal_intent_lines": min(lines),
        "journal_intent_statements": len(least),
        "journal_intent_commits": least.count("commit"),
    }


def _intend(journal: Journal, number: int) -> Future[None]:
    opening = Opening(tool="move_event", effect=Effect.REVERSIBLE, agent=AGENT)
    action = make_uuid7(time.time_ns() // 1000, number)
    entry = Entry(action=action, state=State.INTENT, at=NOW, version=1, opening=opening)
    return journal.submit([entry], keep=[Kept(owner=action, name="before", value=b"{}")])


def _find_least(count: Callable[[], int]) -> int:
    # The first time, what is loaded at first use is loaded.
    count()
    return min(count() for _ in range(TIMES))
