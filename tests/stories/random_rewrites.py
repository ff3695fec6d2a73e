"""More at random: replies of turns written again, evaluations, and sets of questions."""

from __future__ import annotations

import asyncio
import json
import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from mulligan import Effect, Mulligan
from mulligan.checks.grounding import Claims, Verifier
from mulligan.checks.text import avoids
from mulligan.evaluation.evaluate import Case, read_cases, run_cases
from mulligan.evaluation.report import LIMIT, ChangeSafety, Report, compare
from mulligan.hosts.writers import find_writer
from mulligan.loops.replies import ReplyRules
from mulligan.process.user_functions import await_value
from mulligan.runtime.reply import answer
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Standing

if TYPE_CHECKING:
    from tests.stories.random_texts import Story

REWRITERS = ("function", "plain", "object", "agent", "acts", "acts aside", "none", "misfit")
WRITERS = ("writes", "fails", "nothing", "late", "exits", "some")
JUDGES = ("answers", "silent", "fails", "some", "hangs")
MISFITS: tuple[Any, ...] = (42, b"x", ["a"], lambda: "x", lambda _, __: "x", dict, object())
ODD = ("\u0085", "\u2028", "\u2029", "\x1c", "\x0b", "\ufeff", "\U0001f600", "\r", '"', "\\")


class Rewriter:
    """Who writes a reply again, each in another shape; and whether anything was changed."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.made = 0

    def build(self, kind: str) -> Any:
        story = self.story
        return {
            "function": story.write,
            "plain": lambda _: story.write_now(story.chance.choice(("good", "bad", "exit"))),
            "object": SimpleNamespace(run=self._run).run,
            "agent": self,
            "acts": self._act,
            "acts aside": lambda _: change(self),
            "none": None,
            "misfit": story.chance.choice(MISFITS),
        }[kind]

    async def run(self, prompt: str, **_: object) -> object:
        """What an agent of nobody's framework has."""
        text = await await_value(await self.story.write(prompt))
        return SimpleNamespace(output=str(text), new_messages=list)

    async def _run(self, correction: object) -> object:
        return await self.story.write(correction)

    async def _act(self, correction: object) -> object:
        async def act() -> None:
            change(self)

        await asyncio.create_task(act())
        return "done"


@cache
def open_application() -> Any:
    """An application with a tool that changes something."""
    m = Mulligan("memory:", recover=False)

    @m.tool(effect=Effect.IRREVERSIBLE)
    def change_it(rewriter: Rewriter) -> str:
        rewriter.made += 1
        return "done"

    return change_it


def change(rewriter: Rewriter) -> object:
    return open_application()(rewriter)


async def play_rewrite(story: Story) -> str:
    """The reply of a turn, written again by anybody; what is wrong with how it ended."""
    kind = story.chance.choice(REWRITERS)
    story.seen[f"rewriter {kind}"] += 1
    rewriter, attempts = Rewriter(story), story.chance.randint(1, 4)
    source = rewriter.build(kind)
    try:
        by: Any = None if source is None else find_writer(source, takes="what was wrong")
    except ConfigurationError:
        return "" if kind == "misfit" else f"{kind} is refused"
    if kind == "misfit":
        return f"{source!r} is taken"
    return await _answer(story, rewriter, by, attempts=attempts)


async def _answer(story: Story, rewriter: Rewriter, by: Any, *, attempts: int) -> str:
    loop = asyncio.get_running_loop()
    turn: Any = SimpleNamespace(
        id="t", message="?", attempt=SimpleNamespace(list_executions=lambda: ())
    )
    rules = ReplyRules(checks=[avoids(words=["delve"])], attempts=attempts, budget=story.budget)
    first = story.chance.choice(("we delve here", "all is fine"))
    began = loop.time()
    replied = await answer(
        first, turn, rules=rules, rewrite=by, announce=lambda _: None, monotonic=loop.time
    )
    if loop.time() - began > story.limit + story.held + 1e-6:
        return f"late: {loop.time() - began} of {story.limit} s"
    if rewriter.made:
        return "a tool was called that nobody reviewed"
    if story.written > attempts - 1:
        return f"{story.written} replies written again, {attempts - 1} allowed"
    if not replied.text.strip() or (first == "all is fine" and replied.text != first):
        return f"{replied.text!r} in the place of {first!r}"
    return ""


class Panel:
    """A writer and a judge of a set, and what they really did."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.writer = story.chance.choice(WRITERS)
        self.judge = story.chance.choice(JUDGES)
        self.told: set[str] = set()
        """Cases whose first reply was written, and that checks or a judge have spoken of."""

    async def write(self, case: Case, correction: object) -> object:
        how = self.story.chance.choice(WRITERS[:3]) if self.writer == "some" else self.writer
        if how == "fails":
            raise ConnectionError("down")
        if how == "exits":
            raise SystemExit(7)
        if how == "nothing" or (how == "late" and correction is None):
            return ""
        bad = self.story.chance.random() < 0.3
        if correction is None and bad:
            self.told.add(case.id)
        return f"{case.id} {'delve' if bad else 'fine'}"

    async def ask(self, question: Any) -> Claims | None:
        how = self.story.chance.choice(JUDGES[:3]) if self.judge == "some" else self.judge
        if how == "fails":
            raise ConnectionError("down")
        if how == "hangs":
            await asyncio.Event().wait()
        if how == "silent":
            return None
        self.told.add(next(iter(question.untrusted.values())).split()[0])
        return Claims(claims=())


async def play_evaluation(story: Story) -> str:
    """Two runs over a set; what is wrong with what is said of them, or nothing."""
    panels, reports = [Panel(story), Panel(story)], []
    now = asyncio.get_running_loop().time
    cases = [Case(id=f"c{n}", question="?") for n in range(story.chance.randint(1, 20))]
    for panel in panels:
        story.seen[f"evaluation {panel.writer}"] += 1
        story.seen[f"evaluation judge {panel.judge}"] += 1
        rules = ReplyRules(
            checks=[avoids(words=["delve"])], verifier=Verifier(panel), budget=story.budget
        )
        results = await run_cases(cases, write=panel.write, rules=rules, monotonic=now)
        reports.append(Report(results=results))
        # What was said of a later reply says nothing of the first.
        panel.told &= {r.case for r in reports[-1].results if r.first_text.strip()}
    compared = compare(*reports)
    known = set.intersection(*(panel.told for panel in panels))
    if compared.verdict is ChangeSafety.SAFE and len(cases) - len(known) > LIMIT * len(cases):
        return f"safe with {len(known)} of {len(cases)} known, {[p.writer for p in panels]}"
    for panel, report in zip(panels, reports, strict=True):
        silent = sum(r.standing is Standing.REJECTED and not r.first_text for r in report.results)
        without = report.gaps.without_reply
        if panel.writer in ("fails", "nothing", "exits") and without != len(cases):
            return f"{without} of {len(cases)} without a reply, {silent} silent"
        if report.gaps.tells and not panel.told:
            return "a report tells, and nobody has said anything"
    return ""


async def play_golden(story: Story) -> str:
    """A file of questions with odd characters; what is read otherwise than it was written."""
    chance = story.chance
    asked = ["Why?" + "".join(chance.choices(ODD, k=3)) for _ in range(chance.randint(1, 5))]
    lines = [json.dumps({"question": each}, ensure_ascii=False) for each in asked]
    twice = chance.random() < 0.3
    if twice:
        lines[chance.randrange(len(lines))] = '{"question": "a", "question": "b"}'
    ending = chance.choice(("\n", "\r\n", "\n\n"))
    story.seen["golden twice" if twice else "golden"] += 1
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "set.jsonl"
        file.write_bytes(ending.join(lines).encode())
        try:
            read = [case.question for case in read_cases(file)]
        except ConfigurationError as error:
            return "" if twice and "more than once" in str(error) else f"refused: {error}"
    return "" if read == asked and not twice else f"{read!r} for {asked!r}"
