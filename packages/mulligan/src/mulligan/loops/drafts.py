"""An answer that should be good: generated, criticised, revised, and the best judged one kept."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.loops.briefs import Announce, Brief, Tools, Writer, ignore_event
from mulligan.process.event_loop import call_function
from mulligan.prompts.template import read_own_prompt
from mulligan.redaction.redactor import hide_secrets
from mulligan.types.call import ToolFunction
from mulligan.types.display import Ours, Question, split_pieces
from mulligan.types.engine import Loop, Round, run_loop
from mulligan.types.errors import ConfigurationError, OutOfStepsError
from mulligan.types.events import Happened, Reflected, Responded, Thought
from mulligan.types.finding import Standing
from mulligan.types.interfaces import Judge
from mulligan.types.limits import Budget, Meter
from mulligan.types.policy import Step
from mulligan.types.reply import BEST_SCORE, Critique, Draft, Written, read_plain
from mulligan_dates.text import is_blank

PROMPT = "critique_draft"
RUBRIC = "Accuracy, completeness, clarity."
CRITIC_TIMEOUT = timedelta(seconds=30)
"""For one critique, within the time of the whole draft: who wants a good answer waits longer than
who waits for a reply."""
CRITIC_ASKED = 2
"""An unreadable critique is asked for once more."""

_report = logging.getLogger("mulligan")

Critic = Callable[[str, Draft], Critique | Awaitable[Critique | None] | None]
"""Says how good a draft is as an answer to a question. `None`: it could not say."""

Combine = Callable[[Sequence[Critique]], Critique]


class JudgeCritic(Struct, frozen=True):
    """A critic that is a judge, asked with a rubric, or with a prompt of somebody's own."""

    judge: object = None
    """`None`: the application's."""
    rubric: str = RUBRIC
    own_prompt: str = ""
    timeout: timedelta = CRITIC_TIMEOUT

    async def __call__(self, question: str, draft: Draft) -> Critique | None:
        """What the judge says of the draft."""
        if not hasattr(self.judge, "ask"):
            raise ConfigurationError("This critic has no judge: use it in m.draft, or give it one.")
        return await cast("Judge", self.judge).ask(
            Question(
                prompt=PROMPT,
                own_prompt=self.own_prompt,
                values={"question": Ours(question), "rubric": Ours(self.rubric)},
                untrusted=split_pieces(draft.text, name="draft"),
                answer=Critique,
                timeout=self.timeout,
                purpose="criticise a draft",
            )
        )


def judged_by(
    judge: object = None,
    *,
    rubric: str = RUBRIC,
    prompt: str | Path = "",
    timeout: timedelta = CRITIC_TIMEOUT,
) -> JudgeCritic:
    """A critic that is a model: a judge, or what `m.draft` makes one of; else the application's.

    The rubric says what to look at. A prompt, as text or as the path of a file, replaces it all:
    with `{{question}}` and `{{rubric}}` where they shall stand. The draft always follows, fenced.
    """
    own = read_own_prompt(prompt) if prompt else ""
    return JudgeCritic(judge=judge, rubric=rubric, own_prompt=own, timeout=timeout)


def combine_worst(critiques: Sequence[Critique]) -> Critique:
    """The strictest critic decides; what the others noticed is passed on too."""
    return _merge_critiques(critiques, score=min(critique.score for critique in critiques))


def combine_mean(critiques: Sequence[Critique]) -> Critique:
    """All critics weigh the same."""
    return _merge_critiques(
        critiques, score=statistics.fmean(critique.score for critique in critiques)
    )


async def criticise(
    critics: Sequence[Critic], *, question: str, draft: Draft, combine: Combine = combine_worst
) -> Critique | None:
    """One critique from all critics. `None` when one of them could not say, asked twice."""
    critiques: list[Critique] = []
    for critic in critics:
        critique = await _ask_critic(critic, question, draft)
        if critique is None:
            return None
        critiques.append(critique)
    combined = _validate_critique(combine(critiques)) if critiques else None
    return None if combined is None else _hide_in_critique(combined)


async def _ask_critic(critic: Critic, question: str, draft: Draft) -> Critique | None:
    for _ in range(CRITIC_ASKED):
        try:
            critique = await call_function(critic, question, draft)
        except Exception as error:  # noqa: BLE001 - whatever a critic raises, it has not answered
            _report.warning("A critic failed (%s).", type(error).__name__)
            continue
        if (read := _validate_critique(critique)) is not None:
            return read
    return None


def _validate_critique(said: object) -> Critique | None:
    return said if isinstance(said, Critique) and said.readable else None


def _hide_in_critique(critique: Critique) -> Critique:
    """As the writer is told of it, and whoever reads the log."""
    return replace(
        critique,
        issues=tuple(map(hide_secrets, critique.issues)),
        suggestion=hide_secrets(critique.suggestion),
    )


def _merge_critiques(critiques: Sequence[Critique], *, score: float) -> Critique:
    asked_for = {critique.needs_revision for critique in critiques}
    # One that wants a revision is heard; that none is needed, all must say.
    needs = True if True in asked_for else (False if asked_for == {False} else None)
    issues = (issue for critique in critiques for issue in critique.issues)
    by_score = sorted(critiques, key=lambda critique: critique.score)
    return Critique(
        score=score,
        issues=tuple(dict.fromkeys(issues)),
        suggestion="\n".join(c.suggestion for c in by_score if c.suggestion),
        needs_revision=needs,
    )


REFLECTIONS = 2
THRESHOLD = 8.0
TOOL_STEPS = 5
STAGNANT = 2
"""Revisions in a row that bring no better score, after which no other is made."""
FALLBACK = "I could not write an answer to this. Please ask again."


class DraftRules(Struct, frozen=True, kw_only=True):
    """When a draft is good enough, and what it may take."""

    critics: Sequence[object] = ()
    """Functions, and in `m.draft` also judges, models and agents. None: the application's judge."""
    combine: Combine = combine_worst
    threshold: float = THRESHOLD
    reflections: int = REFLECTIONS
    tools: Mapping[str, ToolFunction] = field(default_factory=dict)
    tool_steps: int = TOOL_STEPS
    budget: Budget = field(default_factory=Budget)
    fallback: str = FALLBACK

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= BEST_SCORE:
            raise ConfigurationError(f"threshold is {self.threshold}; scores go from 0 to 10.")
        if self.reflections < 0 or self.tool_steps < 0:
            raise ConfigurationError("reflections and tool_steps cannot be below 0.")
        if not isinstance(self.fallback, str) or is_blank(self.fallback):
            raise ConfigurationError(
                f"fallback is {self.fallback!r}; write what a person can read."
            )


class Drafted(Struct, frozen=True, kw_only=True):
    """The answer, and how it came to be."""

    draft: Draft
    critique: Critique | None
    """Of this draft. `None`: nobody could judge it."""
    standing: Standing
    """`ACCEPTED` at the threshold, `REJECTED` below it, `UNREVIEWED` without a critique."""
    drafts: tuple[tuple[Draft, Critique | None], ...]
    """All of them, in order."""
    tokens: int = 0
    money: float = 0.0
    limit: str = ""
    """Which limit ended it before it was good: `time`, `tokens` or `money`; empty: none did."""
    id: str = ""
    """Of its row in the log, for `m.rate` and `mulligan show`; empty outside an application."""

    @property
    def text(self) -> str:
        """The answer itself."""
        return self.draft.text


async def write_draft(
    write: Writer,
    *,
    question: str,
    rules: DraftRules,
    announce: Announce = ignore_event,
    monotonic: Callable[[], float] = time.monotonic,
) -> Drafted:
    """Generate, criticise, revise; returns the best judged draft, and always an answer."""
    refuse_silent_critics(rules.critics)
    meter = Meter(rules.budget, monotonic=monotonic)
    return await _DraftLoop(
        write, question=question, rules=rules, announce=announce, meter=meter
    ).run()


def refuse_silent_critics(critics: Sequence[object]) -> None:
    """A critic that cannot say anything would leave every draft unjudged, and nobody told."""
    if not critics:
        raise ConfigurationError(
            "A draft needs a critic: pass DraftRules(critics=[…]), or use m.draft of an "
            "application with a judge."
        )
    for critic in critics:
        if not callable(critic) or (
            isinstance(critic, JudgeCritic) and not hasattr(critic.judge, "ask")
        ):
            raise ConfigurationError(
                f"{type(critic).__name__} cannot criticise by itself. Pass a function of the "
                "question and the draft, judged_by(judge), or use m.draft, which opens models."
            )


async def write_once(
    write: Writer,
    *,
    question: str,
    rules: DraftRules,
    announce: Announce = ignore_event,
    monotonic: Callable[[], float] = time.monotonic,
) -> Drafted:
    """Generate, and ask no critic: one draft, unreviewed, for where time matters more."""
    meter = Meter(rules.budget, monotonic=monotonic)
    return await _DraftLoop(
        write, question=question, rules=rules, announce=announce, meter=meter, critics=()
    ).run()


LOOPS: Mapping[str, Callable[..., Awaitable[Drafted]]] = {
    "reflect": write_draft,
    "once": write_once,
}
"""The loops for drafts, by the name a configuration gives them."""


def choose_loop(name: str) -> Callable[..., Awaitable[Drafted]]:
    """The draft loop of that name."""
    if name not in LOOPS:
        raise ConfigurationError(f"There is no loop {name!r}. There are: {', '.join(LOOPS)}.")
    return LOOPS[name]


async def draft_steps(
    write: Writer, *, question: str, rules: DraftRules
) -> AsyncIterator[Happened]:
    """The same, step by step as it happens; the last step is `Responded`."""
    steps: asyncio.Queue[Happened | None] = asyncio.Queue()

    async def work() -> None:
        try:
            await write_draft(write, question=question, rules=rules, announce=steps.put_nowait)
        finally:
            steps.put_nowait(None)

    working = asyncio.create_task(work())
    try:
        while (step := await steps.get()) is not None:
            yield step
        await working
    finally:
        working.cancel()
        # Whoever stopped listening wants nothing more of it.
        with contextlib.suppress(asyncio.CancelledError):
            await working


class _DraftLoop:
    """The functions of the engine, and what they share."""

    def __init__(
        self,
        write: Writer,
        *,
        question: str,
        rules: DraftRules,
        announce: Announce,
        meter: Meter,
        critics: Sequence[Critic] | None = None,
    ) -> None:
        self._write = write
        self._question = question
        self._rules = rules
        self._critics = cast("Sequence[Critic]", rules.critics) if critics is None else critics
        self._announce = announce
        self._meter = meter
        self._last: Draft | None = None
        self._scores: list[float] = []
        self._out_of_steps = False

    async def run(self) -> Drafted:
        rounds = await run_loop(
            Loop(
                attempt=self._attempt,
                review=self._review,
                decide=self._decide,
                correct=self._correct,
            )
        )
        drafted = self._build_result(rounds)
        accepted = drafted.standing is Standing.ACCEPTED
        self._announce(
            Responded(
                draft=drafted.draft,
                critique=drafted.critique,
                accepted=accepted,
                tokens=drafted.tokens,
                money=drafted.money,
            )
        )
        return drafted

    async def _attempt(self, number: int, critique: Critique | None) -> Draft:
        self._announce(Thought(text="Revising the draft." if critique else "Writing a draft."))
        text = await self._generate(critique, steps=self._rules.tool_steps)
        with_tools = True
        if not text and self._last is None and self._may_try_without_tools():
            self._announce(Thought(text="Writing without tools, with what is known."))
            text = await self._generate(critique, steps=0)
            with_tools = False
        draft = Draft(text=text, number=number, with_tools=with_tools)
        self._last = draft if text else self._last
        return draft

    def _may_try_without_tools(self) -> bool:
        had_tools = bool(self._rules.tools) or self._out_of_steps
        return had_tools and not self._meter.used_up

    async def _generate(self, critique: Critique | None, *, steps: int) -> str:
        """What the writer wrote; nothing when it failed, ran out of steps or out of time."""
        tools = Tools(self._rules.tools, steps=steps, announce=self._announce)
        brief = Brief(
            question=self._question,
            tools=tools,
            meter=self._meter,
            draft=self._last,
            critique=critique,
        )
        try:
            text: object = await self._meter.wait_for(call_function(self._write, brief))
        except OutOfStepsError:
            self._out_of_steps = True
            return ""
        except Exception as error:  # noqa: BLE001 - whatever a writer raises, somebody waits
            _report.warning("A draft was not written (%s).", type(error).__name__)
            return ""
        if isinstance(text, Written):
            self._meter.spend(tokens=text.tokens, money=text.money)
            text = text.text
        if not isinstance(text, str):
            kind = type(text).__name__
            _report.warning("A draft was not written: the writer returned %s, not text.", kind)
            return ""
        return "" if is_blank(text) else read_plain(text).strip()

    async def _review(self, draft: Draft) -> Critique | None:
        if not draft.text or self._meter.used_up:
            return None
        try:
            judging = criticise(
                self._critics, question=self._question, draft=draft, combine=self._rules.combine
            )
            return await self._meter.wait_for(judging)
        except Exception as error:  # noqa: BLE001 - out of time, or a way to combine that breaks
            _report.warning("A draft was not judged (%s).", type(error).__name__)
            return None

    def _decide(self, draft: Draft, critique: Critique | None, number: int) -> Step:
        step = self._choose_step(critique, number)
        if draft.text:
            self._announce(Reflected(draft=draft, critique=critique, revising=step is Step.RETRY))
        return step

    def _choose_step(self, critique: Critique | None, number: int) -> Step:
        if critique is None:
            return Step.DEFER
        self._scores.append(critique.score)
        if critique.accepts(at=self._rules.threshold):
            return Step.ACCEPT
        if number > self._rules.reflections or self._meter.used_up or is_stagnant(self._scores):
            return Step.GIVE_UP
        return Step.RETRY

    async def _correct(self, draft: Draft, critique: Critique | None) -> Critique | None:  # noqa: ARG002
        return critique

    def _build_result(self, rounds: Sequence[Round[Draft, Critique | None]]) -> Drafted:
        played = [(round_.subject, round_.verdict) for round_ in rounds]
        draft, critique = choose_best_draft(played)
        if not draft.text:
            draft = Draft(text=self._rules.fallback, number=draft.number, with_tools=False)
        standing = self._choose_standing(critique)
        return Drafted(
            draft=draft,
            critique=critique,
            standing=standing,
            drafts=tuple(played),
            tokens=self._meter.tokens,
            money=self._meter.money,
            limit="" if standing is Standing.ACCEPTED else self._meter.spent,
        )

    def _choose_standing(self, critique: Critique | None) -> Standing:
        if critique is None:
            return Standing.UNREVIEWED
        good = critique.accepts(at=self._rules.threshold)
        return Standing.ACCEPTED if good else Standing.REJECTED


def choose_best_draft(
    played: Sequence[tuple[Draft, Critique | None]],
) -> tuple[Draft, Critique | None]:
    """The draft with the best score, of equal ones the last. Unjudged ones come after all."""

    def rank_draft(pair: tuple[Draft, Critique | None]) -> tuple[bool, float, bool, int]:
        draft, critique = pair
        score = critique.score if critique else -1.0
        return (critique is not None, score, bool(draft.text), draft.number)

    return max(played, key=rank_draft)


def is_stagnant(scores: Sequence[float]) -> bool:
    """Whether the last revisions brought nothing better than what was there before them."""
    if len(scores) <= STAGNANT:
        return False
    return max(scores[-STAGNANT:]) <= max(scores[:-STAGNANT])
