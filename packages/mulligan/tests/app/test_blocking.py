"""Programs without an event loop, and agents that are plain functions."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.drafts import Critique, DraftRules
from mulligan.loops.actions import Attempted
from mulligan.replies import Correction, avoids, grounded, length
from mulligan.runtime.context import OpenTurn
from mulligan.types.errors import ConfigurationError, RunningLoopError
from mulligan.types.finding import Finding, Severity


def wrong_the_first_time(attempted: Attempted) -> Iterator[Finding]:
    for execution in attempted.executions:
        if execution.call.arguments.get("day") == "wrong":
            yield Finding(rule="test.wrong", severity=Severity.ERROR, issue="Wrong.")


class Diary:
    """A diary with a plain tool, an async one, and one that needs a person."""

    def __init__(self, url: str = "memory:", **settings: Any) -> None:
        self.m = Mulligan(url, checks=[wrong_the_first_time], **settings)
        self.day, self.sent = "before", []
        ways = {"effect": Effect.REVERSIBLE, "before": lambda r: self.day, "undo": self._put_back}
        self.move = self.m.tool(name="move", **ways)(self._move)
        self.mail = self.m.tool(effect=Effect.IRREVERSIBLE, name="mail")(self._mail)

    def _move(self, day: str) -> None:
        self.day = day

    def _put_back(self, record: Any) -> None:
        self.day = record.before

    def _mail(self, to: str) -> None:
        self.sent.append(to)


@pytest.fixture
def diary(tmp_path: Path) -> Iterator[Diary]:
    made = Diary(f"sqlite:///{tmp_path}/diary.db")
    yield made
    made.m.close()


def choose_day(turn: OpenTurn) -> str:
    return "wrong" if turn.correction is None else "right"


async def test_a_plain_agent_acts_in_a_thread_and_has_its_second_attempt(diary: Diary) -> None:
    here, seen = threading.get_ident(), []

    def agent(turn: OpenTurn) -> str:
        seen.append(threading.get_ident())
        diary.move(choose_day(turn))
        return "Moved."

    done = await diary.m.act("Move it", agent)

    assert (done.reply, len(done.attempts), diary.day) == ("Moved.", 2, "right")
    assert here not in seen


async def test_a_plain_agent_does_not_hold_up_the_event_loop(diary: Diary) -> None:
    beside = asyncio.Event()

    def agent(turn: OpenTurn) -> bool:
        asyncio.run_coroutine_threadsafe(set_event(), loop).result(60)
        return beside.is_set()

    async def set_event() -> None:
        beside.set()

    loop = asyncio.get_running_loop()

    assert (await diary.m.act("Wait", agent)).reply is True


async def test_a_plain_agent_may_answer_with_something_to_await(diary: Diary) -> None:
    async def reply() -> str:
        return "Done."

    assert (await diary.m.act("Go", lambda turn: reply())).reply == "Done."


async def test_what_a_plain_agent_raises_comes_through(diary: Diary) -> None:
    def agent(turn: OpenTurn) -> None:
        diary.move("wrong")
        raise OSError("no line")

    with pytest.raises(OSError, match="no line"):
        await diary.m.act("Move it", agent)

    assert diary.day == "before"


def test_without_a_loop_a_plain_agent_keeps_its_thread_and_what_belongs_to_it(diary: Diary) -> None:
    line = sqlite3.connect(":memory:")  # may be used by the thread that opened it, and no other

    def agent(turn: OpenTurn) -> int:
        diary.move(choose_day(turn))
        return int(line.execute("select 41 + 1").fetchone()[0])

    done = diary.m.act_sync("Move it", agent)

    assert (done.reply, len(done.attempts), diary.day) == (42, 2, "right")
    line.close()


def test_without_a_loop_all_functions_of_a_tool_keep_the_thread_that_calls() -> None:
    line = sqlite3.connect(":memory:")
    line.execute("create table diary as select 'before' as day")

    def write(day: str) -> None:
        line.execute("update diary set day = ?", (day,))

    def read(record: Any = None) -> str:
        return str(line.execute("select day from diary").fetchone()[0])

    with Mulligan("memory:", checks=[wrong_the_first_time]) as m:
        move = m.tool(effect="reversible", name="move", before=read, read=read,
                      undo=lambda record: write(record.before))(write)  # fmt: skip
        done = m.act_sync("Move it", lambda turn: move(choose_day(turn)))

    assert (done.standing, len(done.attempts), read()) == ("accepted", 2, "right")
    line.close()


def test_without_a_loop_an_agent_that_finds_nothing_next_fails_and_does_not_hang(
    diary: Diary,
) -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        diary.m.act_sync("Move it", lambda turn: next(iter(())))


def test_without_a_loop_an_agent_may_be_async_or_bring_a_loop_of_its_own(diary: Diary) -> None:
    async def think() -> str:
        await asyncio.sleep(0)
        diary.move("right")
        return "Moved."

    for agent in (lambda turn: asyncio.run(think()), lambda turn: think()):
        done = diary.m.act_sync("Move it", agent)

        assert (done.reply, diary.day) == ("Moved.", "right")
        assert [len(attempt.calls) for attempt in done.attempts] == [1]


def test_without_a_loop_what_an_agent_raises_comes_through(diary: Diary) -> None:
    def agent(turn: OpenTurn) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        diary.m.act_sync("Move it", agent)


async def test_under_a_running_loop_the_words_say_what_to_write(diary: Diary) -> None:
    with pytest.raises(RunningLoopError, match=r"notebook.*Nothing was done.*await m\.act"):
        diary.m.act_sync("Move it", lambda turn: diary.move("right"))
    with pytest.raises(RunningLoopError, match=r"await m\.recover\(\)"):
        diary.m.recover_sync()

    assert diary.day == "before"


def wait_until(true: Any, *, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(true())


@pytest.mark.full
@pytest.mark.parametrize("begin", ["act_sync", "turn", "alone"])
def test_an_approved_call_runs_within_seconds_though_no_turn_follows(
    diary: Diary, begin: str
) -> None:
    match begin:
        case "act_sync":
            diary.m.act_sync("Mail Ann", lambda turn: diary.mail("ann"))
        case "turn":
            with diary.m.turn("Mail Ann"):
                diary.mail("ann")
        case "alone":
            diary.mail("ann")
    (held,) = diary.m.insights.open_list.actions()

    diary.m.insights.open_list.approve(held.id, by="ann")

    assert wait_until(lambda: diary.sent == ["ann"])
    assert wait_until(lambda: diary.m.insights.open_list.actions() == [])


def test_what_an_earlier_process_left_is_looked_after_before_the_first_turn(tmp_path: Path) -> None:
    earlier = Diary(f"sqlite:///{tmp_path}/diary.db", recover=False)
    earlier.mail("ann")
    (held,) = earlier.m.insights.open_list.actions()
    earlier.m.insights.open_list.approve(held.id, by="ann")
    earlier.m.close()
    later = Diary(f"sqlite:///{tmp_path}/diary.db")

    with later.m:
        ran = wait_until(lambda: later.sent == ["ann"])

    assert ran
    assert earlier.sent == []


def test_a_pass_can_be_made_by_hand(tmp_path: Path) -> None:
    diary = Diary(f"sqlite:///{tmp_path}/diary.db", recover=False)
    diary.mail("ann")
    (held,) = diary.m.insights.open_list.actions()
    diary.m.insights.open_list.approve(held.id, by="ann")

    taken = diary.m.recover_sync()

    assert (taken, diary.sent) == (1, ["ann"])
    diary.m.close()


def test_many_threads_act_at_once(diary: Diary) -> None:
    def act(number: int) -> object:
        def agent(turn: OpenTurn) -> str:
            diary.mail(f"to {number}")
            return turn.message

        return str(diary.m.act_sync(f"Request {number}", agent).reply).splitlines()[0]

    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(act, range(12)))

    held = diary.m.insights.open_list.actions()
    assert replies == [f"Request {number}" for number in range(12)]
    assert [each.state for each in held] == [State.HELD] * 12
    assert diary.sent == []


def yields(turn: OpenTurn) -> Iterator[str]:
    yield "Working on it."


async def yields_async(turn: OpenTurn) -> Any:
    yield "Working on it."


async def returns_one(turn: OpenTurn) -> object:
    return yields(turn)


@pytest.mark.parametrize("agent", [yields, yields_async, returns_one])
def test_an_agent_that_yields_is_refused(diary: Diary, agent: Any) -> None:
    with pytest.raises(ConfigurationError, match="this one yields"):
        diary.m.act_sync("Move it", agent)
    with pytest.raises(ConfigurationError, match="this one yields"):
        asyncio.run(diary.m.act("Move it", agent))


def test_replies_and_drafts_are_written_without_an_event_loop() -> None:
    with Mulligan("memory:") as m:
        replied = m.reply_sync(
            lambda told: "we delve" if told is None else "we look",
            context="we look",
            rules=[avoids(words=["delve"]), grounded(), length(at_least=3)],
        )
        drafted = m.draft_sync(
            lambda brief: "an answer", question="?", rules=DraftRules(critics=[lambda *_: 9])
        )

    assert (f"{replied}", replied.standing, len(replied.iterations)) == ("we look", "accepted", 2)
    assert (f"{drafted}", drafted.standing) == ("an answer", "accepted")


async def test_where_a_loop_runs_they_say_what_to_write_instead() -> None:
    async with Mulligan("memory:") as m:
        with pytest.raises(RunningLoopError, match=r"await m\.reply"):
            m.reply_sync(lambda told: "text")
        with pytest.raises(RunningLoopError, match=r"await m\.draft"):
            m.draft_sync(lambda brief: "text", question="?")


def test_what_a_writer_is_told_prints_as_it_reads() -> None:
    told: list[str] = []

    def write(feedback: Correction | None) -> str:
        told.append(f"{feedback}")
        return "we delve"

    with Mulligan("memory:") as m:
        replied = m.reply_sync(write, rules=[avoids(words=["delve"])])

    assert told[1].startswith("Your reply was checked and cannot go out as it is.")
    (finding,) = replied.findings
    assert f"{finding}" == f"text.unwanted_word: {finding.issue}"
    assert f"{Critique(score=7, issues=('too vague', 'too long'))}" == "7/10: too vague; too long"


HANGING = """
import asyncio, threading
from mulligan import Mulligan

m = Mulligan("memory:")
turn = m.act("Wait", lambda turn: threading.Event().wait())
try:
    asyncio.run(asyncio.wait_for(turn, 0.2))
except TimeoutError:
    print("left", flush=True)
"""


@pytest.mark.full
def test_a_plain_agent_that_hangs_does_not_keep_the_program_from_ending() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGING], capture_output=True, text=True, timeout=30, check=False
    )

    assert (done.returncode, done.stdout) == (0, "left\n"), done.stderr


async def test_a_plain_agent_that_wants_to_exit_has_failed(diary: Diary) -> None:
    def agent(turn: OpenTurn) -> str:
        diary.move("wrong")
        return sys.exit(3)

    with pytest.raises(ConnectionAbortedError, match="SystemExit"):
        await diary.m.act("Move it", agent)

    assert diary.day == "before"
