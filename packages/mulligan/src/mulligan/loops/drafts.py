"""Generates an answer, has it criticised and revised, and keeps the draft with the best score."""

from __future__ import annotations

import logging
import re
import statistics
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import cast

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from mulligan.codec import UndecodableError, to_record
from mulligan.judge import find_json
from mulligan.loops.briefs import Announce, Brief, Tools, Writer, ignore_event
from mulligan.loops.streaming import Finished, Stream, collect_text, follow
from mulligan.process.user_functions import call_function, iterate_answer, takes_arguments
from mulligan.prompts.template import read_own_prompt
from mulligan.redaction.redactor import hide_secrets
from mulligan.types.call import ToolFunction
from mulligan.types.display import Ours, Question, Spend, split_pieces
from mulligan.types.engine import Loop, Round, run_loop
from mulligan.types.errors import ConfigurationError, OutOfStepsError
from mulligan.types.events import Happened, Reflected, Responded, Thought
from mulligan.types.finding import Standing
from mulligan.types.interfaces import Judge
from mulligan.types.limits import Budget, Meter, require_budget
from mulligan.types.policy import Step
from mulligan.types.reply import BEST_SCORE, Critique, Draft, Written, read_plain
from mulligan_dates.text import is_blank, is_number

PROMPT = "critique_draft"
RUBRIC = "Accuracy, completeness, clarity."
CRITIC_TIMEOUT = timedelta(seconds=30)
"""For one critique, within the time of the whole draft: a draft may take longer than a reply."""
CRITIC_ASKED = 2
"""An unreadable critique is requested once more."""

_report = logging.getLogger("mulligan")

Critic = Callable[[str, Draft], object]
"""Scores a draft as an answer to a question, sync or async, in any form that `read_critique` reads.
`None`: no opinion."""

Combine = Callable[[Sequence[Critique]], Critique]


class JudgeCritic(Struct, frozen=True):
    """A judge as a critic, with a rubric or a custom prompt."""

    judge: object = None
    """`None`: the application's."""
    rubric: str = RUBRIC
    own_prompt: str = ""
    timeout: timedelta = CRITIC_TIMEOUT

    async def __call__(
        self, question: str, draft: Draft, *, spend: Spend | None = None
    ) -> Critique | None:
        """The judge's critique of the draft."""
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
                spend=spend,
            )
        )


def judged_by(
    judge: object = None,
    *,
    rubric: str = RUBRIC,
    prompt: str | Path = "",
    timeout: timedelta = CRITIC_TIMEOUT,
) -> JudgeCritic:
    """A model as a critic: a judge, or anything `m.draft` can make one of; else the application's.

    The rubric says what to look at. A prompt, as text or as the path of a file, replaces all of it
    and may use `{{question}}` and `{{rubric}}`. The draft always follows, fenced.
    """
    own = read_own_prompt(prompt) if prompt else ""
    return JudgeCritic(judge=judge, rubric=rubric, own_prompt=own, timeout=timeout)


def combine_worst(critiques: Sequence[Critique]) -> Critique:
    """The lowest score decides; the issues of all critics are passed on."""
    return _merge_critiques(critiques, score=min(critique.score for critique in critiques))


def combine_mean(critiques: Sequence[Critique]) -> Critique:
    """All critics weigh the same."""
    return _merge_critiques(
        critiques, score=statistics.fmean(critique.score for critique in critiques)
    )


async def criticise(
    critics: Sequence[Critic],
    *,
    question: str,
    draft: Draft,
    combine: Combine = combine_worst,
    spend: Spend | None = None,
) -> Critique | None:
    """One critique from all critics. `None` when one of them gave no answer, asked twice."""
    critiques: list[Critique] = []
    for critic in critics:
        critique = await _ask_critic(critic, question, draft, spend=spend)
        if critique is None:
            return None
        critiques.append(critique)
    if not critiques:
        return None
    combined = await call_function(combine, critiques, read=read_critique)
    return None if combined is None else _hide_in_critique(combined)


async def _ask_critic(
    critic: Critic, question: str, draft: Draft, *, spend: Spend | None
) -> Critique | None:
    ask = partial(critic, spend=spend) if isinstance(critic, JudgeCritic) else critic
    for _ in range(CRITIC_ASKED):
        try:
            critique: Critique | None = await call_function(
                ask, question, draft, read=partial(_take_critique, spend=spend)
            )
        except Exception as error:  # noqa: BLE001 - whatever a critic raises, it has not answered
            _report.warning("A critic failed (%s).", type(error).__name__)
            continue
        if critique is not None:
            return critique
        _report.warning("A critic gave no critique that can be read.")
    return None


def _take_critique(said: object, *, spend: Spend | None) -> Critique | None:
    """A critic's answer, and what it says that it took."""
    if spend is not None and isinstance(said, Mapping):
        spend(tokens=said.get("tokens", 0), money=said.get("money", 0.0))
    return read_critique(said)


_SCORED = re.compile(
    r"[\s*]*(?:score[\s*]*[:=]?[\s*]*)?(?P<score>\d+(?:\.\d+)?)"
    r"(?:\s*(?:/|out of|of)\s*(?P<best>\d+))?[\s*]*(?:[:;,.\u2013-]+\s*(?P<issue>.*))?",
    re.IGNORECASE | re.DOTALL,
)
"""9, 9/10, Score: 4 out of 5, 7/10: too vague."""


def read_critique(said: object) -> Critique | None:
    """A critique in any form that a person would write it in; `None`: it is none.

    A `Critique`, a mapping with a `score` and any of its other fields, a number, a number with
    issues, "9/10" or "7/10: too vague", and JSON with whatever a model writes around it.
    """
    if isinstance(said, Critique):
        said = asdict(said)
    if isinstance(said, str):
        said = _read_written(said)
    if is_number(said):
        said = {"score": said}
    if isinstance(said, tuple | list) and len(said) == len(("score", "issues")):
        said = {"score": said[0], "issues": said[1]}
    if not isinstance(said, Mapping):
        return None
    score, issues = said.get("score"), said.get("issues") or ()
    if isinstance(score, str):
        score = (_read_written(score) or {}).get("score")
    try:
        critique = to_record(
            Critique,
            {
                "score": score,
                "issues": (issues,) if isinstance(issues, str) else issues,
                "suggestion": said.get("suggestion") or "",
                "needs_revision": said.get("needs_revision"),
            },
        )
    except UndecodableError:
        return None
    return critique if critique.readable else None


def _read_written(text: str) -> Mapping[str, object] | None:
    """What a text says: a score, with an issue behind it, or JSON."""
    if found := _SCORED.fullmatch(text):
        best = float(found["best"] or BEST_SCORE)
        issue = (found["issue"] or "").strip()
        score = float(found["score"]) * BEST_SCORE / best if best else None
        return {"score": score, "issues": issue}
    try:
        read = find_json(text)
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def _hide_in_critique(critique: Critique) -> Critique:
    """As the writer and the log show it."""
    return replace(
        critique,
        issues=tuple(map(hide_secrets, critique.issues)),
        suggestion=hide_secrets(critique.suggestion),
    )


def _merge_critiques(critiques: Sequence[Critique], *, score: float) -> Critique:
    asked_for = {critique.needs_revision for critique in critiques}
    # One critic can ask for a revision; only all together can say that none is needed.
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
FALLBACK = "I could not write an answer to this. Please ask again."


class DraftRules(Struct, frozen=True, kw_only=True):
    """When a draft is good enough, and what it may cost."""

    critics: Sequence[object] = ()
    """Functions, and in `m.draft` also judges, models and agents. None: the application's judge."""
    combine: Combine = combine_worst
    threshold: float = THRESHOLD
    reflections: int = REFLECTIONS
    stagnant: int | None = STAGNANT
    """Revisions in a row without a better score that end it. `None`: only the other limits do."""
    tools: Mapping[str, ToolFunction] = field(default_factory=dict)
    tool_steps: int = TOOL_STEPS
    budget: Budget = field(default_factory=Budget)
    fallback: str = FALLBACK

    def __post_init__(self) -> None:
        if not isinstance(self.critics, Sequence) or isinstance(self.critics, str):
            kind = type(self.critics).__name__
            raise ConfigurationError(f"critics is a {kind}; pass a list or a tuple of critics.")
        if not is_number(self.threshold) or not 0 <= self.threshold <= BEST_SCORE:
            raise ConfigurationError(f"threshold is {self.threshold!r}; scores go from 0 to 10.")
        for name in ("reflections", "tool_steps"):
            count = getattr(self, name)
            if type(count) is not int or count < 0:
                raise ConfigurationError(f"{name} is {count!r}; write a number of at least 0.")
        if self.stagnant is not None and (type(self.stagnant) is not int or self.stagnant < 1):
            raise ConfigurationError(
                f"stagnant is {self.stagnant!r}; write a number of at least 1, or None."
            )
        if not isinstance(self.fallback, str) or is_blank(self.fallback):
            raise ConfigurationError(f"fallback is {self.fallback!r}; write a text for the person.")
        if not callable(self.combine):
            raise ConfigurationError(f"combine is {self.combine!r}, which is no function.")
        given: object = self.tools
        if not isinstance(given, Mapping):
            kind = type(given).__name__
            raise ConfigurationError(f"tools is a {kind}; write a table of functions by name.")
        require_budget(self.budget)


def read_draft_rules(rules: object) -> DraftRules:
    """The rules; without any, those of a default draft."""
    if rules is None:
        return DraftRules()
    if not isinstance(rules, DraftRules):
        raise ConfigurationError(f"{type(rules).__name__} is no set of rules: use DraftRules(…).")
    return rules


class Drafted(Struct, frozen=True, kw_only=True):
    """The answer, its score and its history."""

    draft: Draft
    critique: Critique | None
    """Of this draft. `None`: no critic answered."""
    standing: Standing
    """`ACCEPTED` at the threshold, `REJECTED` below it, `UNREVIEWED` without a critique."""
    drafts: tuple[tuple[Draft, Critique | None], ...]
    """All of them, in order."""
    tokens: int = 0
    """Of the writer and the critics, as far as they report it; so is the money."""
    money: float = 0.0
    seconds: float = 0.0
    limit: str = ""
    """The limit that ended it early: `time`, `tokens` or `money`; empty: none did."""
    id: str = ""
    """Of its row in the log, for `m.rate` and `mulligan show`; empty outside an application."""

    @property
    def text(self) -> str:
        """The answer itself."""
        return self.draft.text

    def __str__(self) -> str:
        """The answer itself."""
        return self.text


async def write_draft(
    write: Writer,
    *,
    question: str,
    rules: DraftRules,
    announce: Announce = ignore_event,
    monotonic: Callable[[], float] = time.monotonic,
    stream: Stream | None = None,
) -> Drafted:
    """Generate, criticise, revise; returns the best judged draft, and always an answer."""
    refuse_silent_critics(rules.critics)
    _refuse_unwritable(write, question)
    loop = _DraftLoop(
        write,
        question=question,
        rules=rules,
        announce=announce,
        meter=Meter(rules.budget, monotonic=monotonic),
        stream=stream,
    )
    return await loop.run()


def _refuse_unwritable(write: object, question: object) -> None:
    if not callable(write) or isinstance(write, type):
        kind = write.__name__ if isinstance(write, type) else type(write).__name__
        raise ConfigurationError(
            f"{kind} cannot write drafts. Pass a function that takes a brief and returns text; "
            "agents and models by m.draft."
        )
    if not isinstance(question, str) or is_blank(question):
        raise ConfigurationError(f"question is {question!r}; write what the draft shall answer.")


def refuse_silent_critics(critics: Sequence[object]) -> None:
    """Refuse critics that cannot answer: every draft would silently stay unreviewed."""
    if not critics:
        raise ConfigurationError(
            "A draft needs a critic: pass DraftRules(critics=[…]), or use m.draft of an "
            "application with a judge."
        )
    for critic in critics:
        if isinstance(critic, JudgeCritic):
            silent = not hasattr(critic.judge, "ask")
        else:
            speaks = callable(critic) and takes_arguments(critic, 2)
            silent = isinstance(critic, type) or not speaks
        if silent:
            raise ConfigurationError(
                f"{type(critic).__name__} cannot criticise by itself. Pass a function of the "
                "question and the draft, judged_by(judge), or use m.draft, which opens models."
            )


async def draft_steps(
    write: Writer, *, question: str, rules: DraftRules
) -> AsyncIterator[Happened]:
    """The same as a stream of steps; the last step is `Responded`."""
    working = follow(lambda tell: write_draft(write, question=question, rules=rules, announce=tell))
    async with aclosing(working):
        async for step in working:
            if not isinstance(step, Finished):
                yield step


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
        stream: Stream | None,
    ) -> None:
        self._write = write
        self._question = question
        self._rules = rules
        self._critics = cast("Sequence[Critic]", rules.critics)
        self._stream = stream
        self._announce = announce
        self._meter = meter
        self._last: Draft | None = None
        self._critique: Critique | None = None
        """Of the last draft that was written."""
        self._scores: list[float] = []
        self._out_of_steps = self._tried_without_tools = False

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
        if self._stream is not None:
            self._stream.show(drafted.text)
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

    async def _attempt(self, number: int, _: bool | None) -> Draft:  # noqa: FBT001 - as the engine calls it
        if self._critique is not None:
            self._announce(Thought(text="Revising the draft."))
        text = await self._generate(steps=self._rules.tool_steps)
        with_tools = True
        if not text and self._last is None and self._may_try_without_tools():
            self._announce(Thought(text="Writing without tools, with what is known so far."))
            text = await self._generate(steps=0)
            with_tools = False
            self._tried_without_tools = True
        if text and self._last is None:
            self._announce(Thought(text="A first draft is written."))
        draft = Draft(text=text, number=number, with_tools=with_tools)
        self._last = draft if text else self._last
        return draft

    def _may_try_without_tools(self) -> bool:
        had_tools = bool(self._rules.tools) or self._out_of_steps
        return had_tools and not (self._tried_without_tools or self._meter.used_up)

    async def _generate(self, *, steps: int) -> str:
        """The writer's text; nothing when it failed, ran out of steps or out of time."""
        tools = Tools(self._rules.tools, steps=steps, announce=self._announce)
        brief = Brief(
            question=self._question,
            tools=tools,
            meter=self._meter,
            draft=self._last,
            critique=self._critique,
        )
        try:
            pieces = iterate_answer(self._write, brief)
            text: object = await self._meter.wait_for(collect_text(pieces, self._stream))
        except OutOfStepsError:
            self._out_of_steps = True
            return ""
        except Exception as error:  # noqa: BLE001 - whatever a writer raises, a person waits
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
                self._critics,
                question=self._question,
                draft=draft,
                combine=self._rules.combine,
                spend=self._meter.spend,
            )
            return await self._meter.wait_for(judging)
        except Exception as error:  # noqa: BLE001 - out of time, or the combine function failed
            _report.warning("A draft was not judged (%s).", type(error).__name__)
            return None

    def _decide(self, draft: Draft, critique: Critique | None, number: int) -> Step:
        step = self._choose_step(draft, critique, number)
        if draft.text:
            self._critique = critique
            self._announce(Reflected(draft=draft, critique=critique, revising=step is Step.RETRY))
        return step

    def _choose_step(self, draft: Draft, critique: Critique | None, number: int) -> Step:
        last = number > self._rules.reflections or self._meter.used_up
        if not draft.text:
            return Step.GIVE_UP if last else Step.RETRY
        if critique is None:
            return Step.DEFER
        self._scores.append(critique.score)
        if critique.accepts(at=self._rules.threshold):
            return Step.ACCEPT
        stuck = is_stagnant(self._scores, after=self._rules.stagnant)
        return Step.GIVE_UP if last or stuck else Step.RETRY

    async def _correct(self, draft: Draft, critique: Critique | None) -> bool:  # noqa: ARG002
        """There is always a next: the last draft is revised, or the first one written again."""
        return True

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
            seconds=self._meter.seconds,
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
    """The draft that needs no revision, else the one with the best score, the last of equals.

    Unjudged drafts rank last.
    """

    def rank_draft(pair: tuple[Draft, Critique | None]) -> tuple[bool, float, bool, int]:
        draft, critique = pair
        score = critique.score if critique else -1.0
        final = critique is not None and critique.needs_revision is False
        return (final, score, bool(draft.text), draft.number)

    return max(played, key=rank_draft)


def is_stagnant(scores: Sequence[float], *, after: int | None = STAGNANT) -> bool:
    """Whether so many of the last revisions scored no better than the drafts before them."""
    if after is None or len(scores) <= after:
        return False
    return max(scores[-after:]) <= max(scores[:-after])
