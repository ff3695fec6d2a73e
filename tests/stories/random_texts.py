"""Writers, critics, checks and reflectors at random, on a clock that nobody waits for.

`python -m tests.stories.random_texts 10000` runs so many, and says what was seen.
"""

from __future__ import annotations

import asyncio
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

from mulligan.checks.feedback import choose_best_round
from mulligan.checks.text import avoids
from mulligan.loops.drafts import DraftRules, choose_best_draft, write_draft
from mulligan.loops.learning import Learning
from mulligan.loops.replies import ReplyRules, write_reply
from mulligan.loops.tasks import run_task
from mulligan.stores.opening import open_store
from mulligan.types.engine import Round
from mulligan.types.finding import Finding, Severity
from mulligan.types.limits import Budget
from mulligan.types.notes import Refinement
from mulligan.types.policy import Step
from mulligan.types.reply import Critique, Written
from mulligan.types.task import Gate, Reflect, Task
from mulligan_testing.fakes import FixedClock
from tests.stories.random_rewrites import play_evaluation, play_golden, play_rewrite

MOVES = ("good", "bad", "hang", "raise", "cancel", "group", "garbage", "empty", "slow", "huge",
         "stubborn", "plain", "spends", "exit", "holds", "price", "later")  # fmt: skip
LOOKS = ("content", "finds", "hang", "raise", "slow", "garbage", "cancel", "plain", "exit")
THOUGHTS = ("notes", "hang", "raise", "cancel", "group", "garbage", "empty", "slow", "huge",
            "stubborn", "plain", "exit")  # fmt: skip
PRICES: tuple[Any, ...] = (None, "x", -5, float("nan"), 10**400)
SCORES = ("score", "hang", "raise", "cancel", "garbage", "slow", "plain", "none", "exit")


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next thing that is due."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        selector: Any = self._selector  # type: ignore[attr-defined]
        self._select, selector.select = selector.select, self._skip
        self._others = {*threading.enumerate()}

    def time(self) -> float:
        return self._now

    def _skip(self, timeout: float | None = None) -> list[Any]:
        busy = any(
            each.name == "mulligan-aside" for each in {*threading.enumerate()} - self._others
        )
        events: list[Any] = self._select(0.01 if busy and timeout != 0 else 0)
        if not events and not busy:
            if timeout is None:
                raise RuntimeError("nothing is due, and somebody waits")
            self._now += max(timeout, 0.0)
        return events

    def hold(self, seconds: float) -> None:
        """Let time go by in which nothing else goes on."""
        self._now += seconds


class Story:
    """One text at random: what everybody does, and how often they were asked."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.limit = chance.choice((1.0, 10.0, 60.0))
        self.written = self.criticised = self.reflected = 0
        self.seen: Counter[str] = Counter()
        self.held = 0.0
        """Seconds that a writer kept the loop for itself, in which no limit can hold."""

    @property
    def budget(self) -> Budget:
        tokens = self.chance.choice((None, None, 100))
        return Budget(time=timedelta(seconds=self.limit), tokens=tokens)

    def make_writer(self) -> Any:
        if self.chance.random() < 0.1:
            moves = ("good", "bad", "raise", "exit")
            return lambda asked: self.write_now(self.chance.choice(moves))
        return self.write

    async def write(self, asked: object) -> object:
        move = self.chance.choice(MOVES)
        self.seen[f"writer {move}"] += 1
        await self._misbehave(move)
        return self.write_now(move)

    async def _misbehave(self, move: str) -> None:
        """What any of them may do before there is an answer, or instead of one."""
        match move:
            case "hang":
                await asyncio.Event().wait()
            case "cancel":
                raise asyncio.CancelledError
            case "group":
                raise BaseExceptionGroup("several", [asyncio.CancelledError()])
            case "slow":
                await asyncio.sleep(self.chance.uniform(0.1, self.limit))
            case "stubborn":
                await self._resist()
            case "exit":
                raise SystemExit(7)
            case "holds":
                self._hold()

    def _hold(self) -> None:
        seconds = self.chance.uniform(0, 2 * self.limit)
        self.held += seconds
        cast("SkippingLoop", asyncio.get_running_loop()).hold(seconds)

    async def _later(self, text: str) -> str:
        return text

    async def _resist(self) -> None:
        """Go on for a while whoever wants to stop it."""
        for _ in range(3):
            try:
                await asyncio.sleep(self.limit)
            except asyncio.CancelledError:
                continue

    def write_now(self, move: str) -> object:
        self.written += 1
        text = f"text {self.written}" + self.chance.choice(("", " delve", " delve delve synergy"))
        match move:
            case "raise":
                raise OSError("down")
            case "exit":
                raise SystemExit(7)
            case "garbage":
                return self.chance.choice((7, None, b"x", ["a"]))
            case "price":
                return Written(text=text, tokens=self.chance.choice(PRICES))
            case "later":
                return self._later(text)
            case "empty":
                return self.chance.choice(("", " \u200b"))
            case "huge":
                return f"{text} " + "word " * 1_000
            case "spends":
                return Written(text=text, tokens=60)
            case _:
                return text

    async def look(self, reply: object) -> object:
        move = self.chance.choice(LOOKS)
        self.seen[f"check {move}"] += 1
        found = Finding(rule="own.x", severity=Severity.ERROR, issue="Wrong.")
        match move:
            case "hang":
                await asyncio.Event().wait()
            case "raise":
                raise ValueError("broken")
            case "cancel":
                raise asyncio.CancelledError
            case "exit":
                raise SystemExit(7)
            case "slow":
                await asyncio.sleep(self.chance.uniform(0.1, self.limit))
            case "garbage":
                return 7
            case "finds":
                return [found]
        return None

    async def criticise(self, question: str, draft: object) -> object:
        self.criticised += 1
        move = self.chance.choice(SCORES)
        self.seen[f"critic {move}"] += 1
        match move:
            case "hang":
                await asyncio.Event().wait()
            case "raise":
                raise ValueError("broken")
            case "cancel":
                raise asyncio.CancelledError
            case "exit":
                raise SystemExit(7)
            case "slow":
                await asyncio.sleep(self.chance.uniform(0.1, self.limit))
            case "garbage":
                return Critique(score=self.chance.choice((11.0, -1.0, float("nan"))))
            case "none":
                return None
        return Critique(score=self.chance.uniform(0, 10))

    def make_reflector(self) -> Any:
        if self.chance.random() < 0.1:
            self.seen["reflector plain"] += 1
            return lambda experience: self._note_now(self.chance.choice(("notes", "raise")))
        return self._reflect

    async def _reflect(self, experience: object) -> object:
        move = self.chance.choice(THOUGHTS)
        self.seen[f"reflector {move}"] += 1
        await self._misbehave(move)
        return self._note_now(move)

    def _note_now(self, move: str) -> object:
        self.reflected += 1
        match move:
            case "raise":
                raise OSError("down")
            case "garbage":
                return self.chance.choice((7, "words", b"x", ["a"], {"description": 1}))
            case "empty":
                return self.chance.choice((None, Refinement(description="")))
            case "huge":
                return Refinement(suggestions=("word " * 100_000,) * 10)
        return Refinement(description=f"Do it in {self.reflected} steps.")


async def play_reply(story: Story) -> str:
    """One reply; what is wrong with how it ended, or nothing."""
    loop, attempts = asyncio.get_running_loop(), story.chance.randint(1, 4)
    checks = [avoids(words=["delve", "synergy"]), *([story.look] * story.chance.randint(0, 1))]
    rules = ReplyRules(checks=checks, attempts=attempts, budget=story.budget)
    began = loop.time()
    replied = await write_reply(
        story.make_writer(), rules=rules, announce=lambda _: None, monotonic=loop.time
    )
    if loop.time() - began > story.limit + story.held + 1e-6:
        return f"late: {loop.time() - began} of {story.limit} s"
    if not replied.text.strip():
        return "no answer"
    if len(replied.iterations) > attempts or story.written > attempts:
        return f"{story.written} replies written, {attempts} allowed"
    rounds = [
        Round(number=n, subject=each.reply, verdict=each.verdict, step=Step.RETRY)
        for n, each in enumerate(replied.iterations, start=1)
    ]
    best = choose_best_round(rounds)
    fewest = min(len(r.verdict.errors) for r in rounds if r.subject.text.strip(" \u200b") or not
                 any(o.subject.text.strip(" \u200b") for o in rounds))  # fmt: skip
    if len(best.verdict.errors) != fewest or replied.standing is not best.verdict.standing:
        return "not the best one"
    if best.subject.text.strip(" \u200b") and replied.text != best.subject.text:
        return "another text than the best one"
    return ""


async def play_draft(story: Story) -> str:
    """One draft; what is wrong with how it ended, or nothing."""
    loop, reflections = asyncio.get_running_loop(), story.chance.randint(0, 3)
    rules = DraftRules(
        critics=[story.criticise],
        reflections=reflections,
        threshold=story.chance.uniform(0, 10),
        budget=story.budget,
    )
    began = loop.time()
    drafted = await write_draft(story.make_writer(), question="?", rules=rules, monotonic=loop.time)
    if loop.time() - began > story.limit + story.held + 1e-6:
        return f"late: {loop.time() - began} of {story.limit} s"
    if not drafted.text.strip():
        return "no answer"
    if story.written > reflections + 1 or story.criticised > 2 * (reflections + 1):
        return f"{story.written} drafts, {story.criticised} critiques of {reflections} reflections"
    scores = [critique.score for _, critique in drafted.drafts if critique is not None]
    if scores and (drafted.critique is None or drafted.critique.score != max(scores)):
        return "not the best judged one"
    if choose_best_draft(drafted.drafts)[1] is not drafted.critique:
        return "another critique than that of the best one"
    return ""


async def play_task(story: Story) -> str:
    """A task that is run some times; what is wrong with how it went, or nothing."""
    loop, runs = asyncio.get_running_loop(), 6
    task = Task(
        description="Sum it up.",
        reflect=Reflect(
            strategy=story.make_reflector(),
            every=1,
            score=lambda ran: story.chance.random(),
            timeout=timedelta(seconds=story.limit),
            gate=story.chance.choice(tuple(Gate)),
        ),
    )
    using = Learning(
        task_versions=open_store("memory:").task_versions,
        clock=FixedClock(),
        announce=lambda _: None,
        scrub=str,
        aside=call_here,
        monotonic=loop.time,
    )
    for number in range(runs):
        began, prompts = loop.time(), list[str]()

        async def work(prompt: str, prompts: list[str] = prompts, number: int = number) -> str:
            prompts.append(prompt)
            return f"output {number}"

        done = await run_task(task, work, using=using)
        if loop.time() - began > story.limit + 1e-6:
            return f"late: {loop.time() - began} of {story.limit} s"
        if done.output != f"output {number}" or len(prompts) != 1:
            return "another output than that of the one run"
        if not prompts[0].endswith(task.text) or len(prompts[0]) > 10_000:
            return "a prompt without its task at the end, or without an end"
    reflections = sum(n for who, n in story.seen.items() if who.startswith("reflector"))
    return f"{reflections} reflections on {runs} runs" if reflections > runs else ""


async def call_here(function: Callable[[], object]) -> object:
    """Not on a thread, for which a clock that skips does not wait."""
    return function()


PLAYS = (play_reply, play_draft, play_task, play_rewrite, play_evaluation, play_golden)


async def play_many(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """So many texts, each on its own chance; what was met, and what went wrong."""
    met, wrong = Counter[str](), []
    for number in range(count):
        story = Story(random.Random(f"{seed} {number}"))
        play = PLAYS[number % len(PLAYS)]
        if trouble := await play(story):
            wrong.append(f"{number} ({play.__name__}): {trouble}")
        met.update(story.seen)
        # What resists comes to its end before the next one begins.
        left = asyncio.all_tasks() - {asyncio.current_task()}
        if left:
            await asyncio.wait(left)
    return met, wrong


def run(count: int, seed: int = 1) -> tuple[Counter[str], list[str]]:
    """On a loop of its own, whose clock skips."""
    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        return runner.run(play_many(count, seed))


if __name__ == "__main__":
    import logging
    import time

    logging.getLogger("mulligan").setLevel(logging.CRITICAL)
    started = time.perf_counter()
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    found, faults = run(asked)
    print(f"{asked} texts in {time.perf_counter() - started:.0f} s, {len(faults)} wrong")
    print(", ".join(f"{name} {n}" for name, n in sorted(found.items())))
    print(*faults[:20], sep="\n")
