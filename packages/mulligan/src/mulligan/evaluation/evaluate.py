"""Runs an evaluation: rules by name or file, a run, a report. `mulligan evaluate` is its CLI.

Cases go through a writer and the reply loop itself, several at a time.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
import time
import tomllib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from mulligan.checks.grounding import says
from mulligan.checks.text import is_small_talk
from mulligan.codec import split_json_lines
from mulligan.evaluation.page import render_comparison, render_report
from mulligan.evaluation.report import UNSEEN, CaseResult, Comparison, Report, compare
from mulligan.learning.task_versions import CHARACTERS_A_TOKEN, read_score
from mulligan.loops.briefs import ReplyBrief
from mulligan.loops.drafts import Drafted
from mulligan.loops.replies import ReplyRules, Write, read_reply_rules, write_reply
from mulligan.process.user_functions import (
    ANSWERS_WITHIN,
    call_function,
    name_function,
    takes_arguments,
)
from mulligan.redaction.scrub import scrub
from mulligan.types.adapter import AgentWriter, Assignment
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Correction, Severity, Standing, Verdict
from mulligan.types.interfaces import Check
from mulligan.types.private_files import write_private
from mulligan.types.reply import Replied, Reply, Written, list_passages
from mulligan_dates.text import is_blank

_TEXTS = ("context", "answer", "recorded")
_FIELDS = frozenset({"id", "question", *_TEXTS})
_report = logging.getLogger("mulligan")

MOST_SAID = 5
"""Lines that an error message names."""


class Case(Struct, frozen=True, kw_only=True):
    """One question of a golden set."""

    id: str
    question: str
    context: tuple[str, ...] = ()
    """One text is one passage."""
    answer: tuple[str, ...] = ()
    """The content of a correct answer, one sentence each: what a reply is scored by."""
    recorded: tuple[str, ...] = ()
    """Recorded replies, try by try; for a replay."""

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not isinstance(self.question, str):
            raise ConfigurationError(f"A case has an id and a question, both texts: {self!r}.")
        for name in ("context", "answer", "recorded"):
            force_setattr(self, name, list_passages(getattr(self, name)))


def load_golden_cases() -> tuple[Case, ...]:
    """The set that ships with Mulligan: an invented boatyard's knowledge base."""
    text = files("mulligan.evaluation").joinpath("boatyard.toml").read_text("utf-8")
    told = tomllib.loads(text)
    return tuple(
        Case(
            id=each["id"],
            question=each["question"],
            context=tuple(told["passages"][name] for name in each["passages"]),
            answer=tuple(each["answer"]),
        )
        for each in told["questions"]
    )


def read_cases(path: Path) -> tuple[Case, ...]:
    """Cases from a JSON Lines file: `question`, optionally `context`, `answer` and `recorded`.

    Every line is validated before anything is run, and all errors are reported at once.
    """
    try:
        lines = split_json_lines(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read ({type(error).__name__}). Name a file of JSON lines."
        ) from error
    cases: list[Case] = []
    wrong: list[str] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            case = _parse_case(line, number=number, seen=seen)
        except ValueError as error:
            wrong.append(f"line {number}: {error}")
        else:
            seen[case.id] = number
            cases.append(case)
    if wrong:
        more = f"; and {len(wrong) - MOST_SAID} more lines" if len(wrong) > MOST_SAID else ""
        raise ConfigurationError(
            f"{path} is not a valid set of cases: {'; '.join(wrong[:MOST_SAID])}{more}. "
            'Write {"question": "…", "context": ["…"], "recorded": ["…"]} on each line.'
        )
    return tuple(cases)


def _parse_case(line: str, *, number: int, seen: Mapping[str, int]) -> Case:
    told = _read_line(line)
    if not isinstance(told, dict):
        raise ValueError(f"it is a {type(told).__name__}, not an object")  # noqa: TRY004 - one kind
    for name in told.keys() - _FIELDS:
        if near := get_close_matches(str(name), _FIELDS, n=1, cutoff=0.8):
            raise ValueError(f"{name!r} is not a field; did you mean {near[0]!r}?")
    question = told.get("question")
    if not isinstance(question, str) or not question.strip():
        raise ValueError("it has no question")
    given = told.get("id", number)
    if isinstance(given, list | dict | None):
        raise ValueError(f"its id is {given!r}, not a text")  # noqa: TRY004 - one kind
    if str(given) in seen:
        raise ValueError(f"its id {str(given)!r} is already used in line {seen[str(given)]}")
    texts = {name: _read_texts(told.get(name), name=name) for name in _TEXTS}
    return Case(id=str(given), question=question, **texts)


def _read_line(line: str) -> Any:
    repeated: list[str] = []

    def build_object(fields: list[tuple[str, object]]) -> dict[str, object]:
        counts = Counter(name for name, _ in fields)
        repeated.extend(name for name, count in counts.items() if count > 1)
        return dict(fields)

    try:
        told = json.loads(line, object_pairs_hook=build_object)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    if repeated:
        raise ValueError(f"it has {repeated[0]!r} more than once")
    return told


def _read_texts(given: object, *, name: str) -> tuple[str, ...]:
    """A list of texts; one text is a list of one."""
    if given is None:
        return ()
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{name} is {given!r:.60}, not a text or a list of texts")
    return tuple(texts)


ReplyFunction = Callable[[Case, Correction | None], str | Written | Awaitable[str | Written]]
"""Writes a reply to a case, given feedback on the one before; sync or async. The one before may be
of another run: in a comparison both sides share the first replies."""


def build_replay_writer() -> ReplyFunction:
    """The recorded replies, try by try; the last one is repeated."""
    tries: dict[str, int] = {}

    async def write(case: Case, correction: Correction | None) -> Written:
        number = 0 if correction is None else tries.get(case.id, 0) + 1
        tries[case.id] = min(number, max(len(case.recorded) - 1, 0))
        text = case.recorded[tries[case.id]] if case.recorded else ""
        return Written(text=text, tokens=len(text) // CHARACTERS_A_TOKEN)

    return write


MISTAKES = {
    "unwanted word": ("text.unwanted_word",),
    "retired term": ("text.retired_term", "grounding.name"),
    "other number": ("grounding.",),
    "invented address": ("grounding.email",),
    "no questions": ("text.no_follow_ups",),
    "no next step": ("text.no_call_to_action",),
    "wall of text": ("text.no_list", "text.long_paragraph"),
    "too long": ("text.too_long", "text.no_list", "text.long_paragraph"),
    "too short": ("text.too_short", "text.no_follow_ups", "text.no_call_to_action"),
}
"""A writer's mistakes, each with the rules that detect it: told one of these, it fixes it."""

ASKED_NEXT = ("When are you open?", "How do I reach you?", "Which boats do you build?",
              "Do you teach rowing?")  # fmt: skip
_FILLER = "We take care of every detail, and we like to talk about it at length. "
_SLIPS, _FIXES = 0.5, 0.75
"""How many of its replies have a mistake, and how many reported ones it mends."""


class ScriptedWriter:
    """Writes correct answers, and in a share of the cases typical mistakes, the same every time.

    It does not fix each reported mistake: a model does not always either.
    """

    def __init__(self, *, seed: int = 1) -> None:
        self._seed = seed
        self._mistakes: dict[str, set[str]] = {}
        self._chances: dict[str, random.Random] = {}

    async def __call__(self, case: Case, correction: Correction | None) -> Written:
        """One reply; without a correction the case starts over."""
        if correction is None or case.id not in self._mistakes:
            # Deterministic on purpose: the same mistakes every time.
            chance = self._chances[case.id] = random.Random(f"{self._seed} {case.id}")  # noqa: S311
            slips = chance.random() < _SLIPS
            made = chance.sample(sorted(MISTAKES), k=chance.choice((1, 1, 2))) if slips else ()
            self._mistakes[case.id] = set(made)
        if correction is not None:
            told = {finding.rule for finding in correction.findings}
            self._fix(self._mistakes[case.id], told, chance=self._chances[case.id])
        text = compose(case, self._mistakes[case.id])
        return Written(text=text, tokens=len(text) // CHARACTERS_A_TOKEN)

    def _fix(self, mistakes: set[str], told: set[str], *, chance: random.Random) -> None:
        for mistake in sorted(mistakes):
            noticed = any(rule.startswith(MISTAKES[mistake]) for rule in told)
            if noticed and chance.random() < _FIXES:
                mistakes.discard(mistake)


def compose(case: Case, mistakes: set[str]) -> str:
    """A reply made of a correct answer's content, with the given mistakes."""
    said = list(case.answer)
    if is_small_talk(Reply(text="", query=case.question)):
        return " ".join(said)
    if "too short" in mistakes:
        return "Yes."
    if "other number" in mistakes:
        said = [re.sub(r"(?<![\d.,])\d+", lambda n: str(int(n[0]) * 7), each) for each in said]
    parts = ["Let's delve into it."] if "unwanted word" in mistakes else []
    if "retired term" in mistakes:
        parts.append("This is part of our digital transformation offer.")
    if "invented address" in mistakes:
        parts.append("Write to sales@brambleandoar-offers.example for details.")
    filler = {"wall of text": 13, "too long": 37}
    walls = [_FILLER * times for mistake, times in filler.items() if mistake in mistakes]
    body = " ".join([*said, *walls]) if walls else "\n".join(f"- {each}" for each in said)
    parts.append(body)
    if "no next step" not in mistakes:
        parts.append("Contact us if you would like to know more.")
    if "no questions" not in mistakes:
        asked = [each for each in ASKED_NEXT if each != case.question][:3]
        parts.append("\n".join(["You might also want to know:", "", *(f"- {q}" for q in asked)]))
    return "\n\n".join(parts)


AT_ONCE = 8
"""Cases in progress at a time: about as many as a live model allows before it limits the rate."""


First = str | Reply | Written


def watch_nothing(_: object) -> None:
    """The default progress callback: does nothing."""


async def run_cases(
    cases: Sequence[Case],
    *,
    write: ReplyFunction | AgentWriter,
    rules: ReplyRules,
    step: Callable[[Case], None] = watch_nothing,
    at_once: int = AT_ONCE,
    firsts: dict[str, First] | None = None,
    metrics: Sequence[Metric] = (),
    monotonic: Callable[[], float] = time.perf_counter,
) -> tuple[CaseResult, ...]:
    """Every case once, the results in their order; `step` is called after each.

    `firsts` are first replies by case: those that are there are not written again.
    """
    for metric in metrics:
        if not callable(metric) or not takes_arguments(metric, 2):
            raise ConfigurationError(f"{metric!r} is no function of a case and the sent text.")
    shared = {} if firsts is None else firsts

    async def run(case: Case) -> CaseResult:
        writer = _begin_with(shared, case, write)
        result = await _run_case(case, write=writer, rules=rules, monotonic=monotonic)
        return replace(result, metrics=await _measure(case, result.text, metrics))

    return await _run_each(cases, run, step=step, at_once=at_once)


async def _measure(case: Case, text: str, metrics: Sequence[Metric]) -> dict[str, float]:
    """What each metric says; one that fails, or says no number from 0 to 1, says nothing."""
    said: dict[str, float] = {}
    for metric in metrics:
        name = name_function(metric)
        try:
            asked = call_function(metric, case, text, within=ANSWERS_WITHIN, read=read_score)
            said[name] = await asked
        except Exception as error:  # noqa: BLE001 - a user's metric may raise anything
            _report.warning("The metric %s failed (%s).", name, type(error).__name__)
    return said


async def _run_each(
    cases: Sequence[Case],
    run: Callable[[Case], Awaitable[CaseResult]],
    *,
    step: Callable[[Case], None],
    at_once: int,
) -> tuple[CaseResult, ...]:
    room = asyncio.Semaphore(at_once)

    async def run_one(case: Case) -> CaseResult:
        async with room:
            result = await run(case)
        step(case)
        return result

    return tuple(await asyncio.gather(*map(run_one, cases)))


async def _run_case(
    case: Case,
    *,
    write: Write | AgentWriter,
    rules: ReplyRules,
    monotonic: Callable[[], float],
) -> CaseResult:
    began = monotonic()
    replied = await write_reply(
        # The loop gives the writer the same feedback as in production.
        write,
        rules=rules,
        query=case.question,
        context=case.context,
        announce=watch_nothing,
        monotonic=monotonic,
    )
    return _build_result(case, replied, seconds=monotonic() - began)


def _begin_with(
    firsts: dict[str, First], case: Case, write: ReplyFunction | AgentWriter
) -> Write | AgentWriter:
    """The writer of one case; its first reply is the one that is there, and else kept there."""
    if isinstance(write, AgentWriter):
        return _begin_agent_with(firsts, case, write)

    async def reply(correction: Correction | None) -> First:
        if correction is None and case.id in firsts:
            return firsts[case.id]
        written: First = await call_function(write, case, correction)
        if correction is None:
            firsts[case.id] = written
        return written

    return reply


def _begin_agent_with(firsts: dict[str, First], case: Case, agent: AgentWriter) -> AgentWriter:
    async def write(asked: Assignment) -> str:
        brief = cast("ReplyBrief", asked)
        if brief.correction is not None:
            return await agent.write(brief)
        first = firsts.get(case.id)
        if isinstance(first, Written):
            brief.spend(tokens=first.tokens, money=first.money)
            return first.text
        text = await agent.write(brief)
        firsts[case.id] = Written(text=text, tokens=brief.meter.tokens, money=brief.meter.money)
        return text

    return AgentWriter(write, name=agent.name)


def _build_result(case: Case, replied: Replied, *, seconds: float) -> CaseResult:
    first = replied.iterations[0]
    written = [not is_blank(iteration.reply.text) for iteration in replied.iterations]
    judged = written[0] and first.verdict.standing not in UNSEEN
    return CaseResult(
        case=case.id,
        question=scrub(case.question),
        iterations=len(replied.iterations),
        reflected=judged and first.verdict.standing is Standing.REJECTED,
        standing=replied.standing,
        bound_reached=replied.bound_reached,
        first_findings=_list_rules(first.verdict, Severity.ERROR),
        first_warnings=_list_rules(first.verdict, Severity.WARNING),
        last_findings=tuple(dict.fromkeys(finding.rule for finding in replied.findings)),
        seconds=seconds,
        tokens=replied.tokens,
        judge_asked=replied.judge_asked,
        first_text=scrub(first.reply.text),
        text=scrub(replied.text),
        limit=replied.limit,
        silent=not any(written),
        judged=judged,
        expected=_score_answer(case, replied.text),
    )


def _score_answer(case: Case, text: str) -> float | None:
    if not case.answer:
        return None
    return sum(says(text, sentence) for sentence in case.answer) / len(case.answer)


def _list_rules(verdict: Verdict, severity: Severity) -> tuple[str, ...]:
    found = (finding.rule for finding in verdict.findings if finding.severity is severity)
    return tuple(dict.fromkeys(found))


Metric = Callable[[Case, str], float | Awaitable[float]]
"""How good a sent text is, from 0 to 1, sync or async."""

Step = Callable[[Case], None]
"""Called after each case: what a progress bar needs."""

Rules = str | ReplyRules | Sequence[Check[Reply]]
"""A preset, a TOML file, checks, or rules as production has them: `m.load_rules(…)`."""

AnyWriter = ReplyFunction | AgentWriter

UNVERIFIED = "Claims were not verified: the rules need a judge, and none was named."


async def evaluate(
    checks: Rules = "marketing",
    *,
    cases: Sequence[Case] | None = None,
    write: AnyWriter | None = None,
    limit: int | None = None,
    metrics: Sequence[Metric] = (),
    step: Step = watch_nothing,
) -> Report:
    """Run a set through a writer and the reply loop, as production does.

    By default: the set and the scripted writer that ship with Mulligan. Another set needs another
    writer; `find_agent` makes one of an agent or a model. `metrics` are functions of yours, of a
    case and the sent text.
    """
    if write is None:
        _require_shipped(
            cases,
            "write=…: a function of the case and what was wrong before, find_agent(agent), or "
            "build_replay_writer() for recorded ones",
        )
    chosen = _choose_cases(load_golden_cases() if cases is None else cases, limit=limit)
    return await _run_rules(
        checks, cases=chosen, write=write or ScriptedWriter(), metrics=metrics, step=step
    )


async def evaluate_both(
    before: Rules,
    after: Rules,
    *,
    cases: Sequence[Case] | None = None,
    write: Callable[[], AnyWriter] | None = None,
    limit: int | None = None,
    metrics: Sequence[Metric] = (),
    step: Step = watch_nothing,
) -> Comparison:
    """Run the same cases under two sets of checks, and compare.

    Both sides begin with the same first replies, so that what differs is due to the checks.
    `write` makes the writer of one side.
    """
    how = "write=…: what makes a writer, such as build_replay_writer or lambda: reply"
    if write is None:
        _require_shipped(cases, how)
    elif isinstance(write, AgentWriter) or not takes_arguments(write, 0):
        raise ConfigurationError(f"This is a writer, and each side needs its own. Pass {how}.")
    chosen = _choose_cases(load_golden_cases() if cases is None else cases, limit=limit)
    make, firsts = write or ScriptedWriter, dict[str, First]()
    first, second = [
        await _run_rules(
            rules, cases=chosen, write=make(), metrics=metrics, step=step, firsts=firsts
        )
        for rules in (before, after)
    ]
    return compare(first, second)


async def evaluate_writers(
    before: AnyWriter,
    after: AnyWriter,
    *,
    checks: Rules = "marketing",
    cases: Sequence[Case],
    limit: int | None = None,
    metrics: Sequence[Metric] = (),
    step: Step = watch_nothing,
) -> Comparison:
    """Have two writers answer the same cases under the same checks, and compare.

    Each writes its own first replies: they are what is compared.
    """
    chosen = _choose_cases(cases, limit=limit)
    first, second = [
        await _run_rules(checks, cases=chosen, write=write, metrics=metrics, step=step)
        for write in (before, after)
    ]
    return compare(first, second)


async def evaluate_drafts(
    draft: Callable[[str], Awaitable[Drafted]],
    cases: Sequence[Case],
    *,
    writer: str = "",
    step: Step = watch_nothing,
) -> Report:
    """Have every question drafted, and report as of replies: a revision is a reflection."""
    at, cases = datetime.now(UTC), _choose_cases(cases)

    async def run(case: Case) -> CaseResult:
        return _build_draft_result(case, await draft(_ask(case)))

    results = await _run_each(cases, run, step=step, at_once=AT_ONCE)
    return Report(results=results, name="drafts", writer=writer, at=at)


def _ask(case: Case) -> str:
    """The question with what the answer may rest on."""
    return "\n\n".join([case.question, *case.context])


def _build_draft_result(case: Case, drafted: Drafted) -> CaseResult:
    first, critique = drafted.drafts[0]
    accepted = drafted.standing is Standing.ACCEPTED
    judged = critique is not None
    return CaseResult(
        case=case.id,
        question=scrub(case.question),
        iterations=len(drafted.drafts),
        reflected=judged and (len(drafted.drafts) > 1 or not accepted),
        standing=drafted.standing,
        bound_reached=drafted.standing is Standing.REJECTED,
        first_findings=(),
        last_findings=(),
        seconds=drafted.seconds,
        tokens=drafted.tokens,
        judge_asked=sum(said is not None for _, said in drafted.drafts),
        first_text=scrub(first.text),
        text=scrub(drafted.text),
        limit=drafted.limit,
        silent=not any(each.text for each, _ in drafted.drafts),
        judged=judged,
        expected=_score_answer(case, drafted.text),
        score=None if drafted.critique is None else drafted.critique.score,
    )


def _choose_cases(cases: Sequence[Case], *, limit: int | None = None) -> Sequence[Case]:
    """The first of them, after a look at what they are."""
    if limit is not None and (type(limit) is not int or limit < 1):
        raise ConfigurationError(f"limit is {limit!r}; write a number of at least 1.")
    for case in cases:
        if not isinstance(case, Case):
            raise ConfigurationError(f"{case!r} is no case: use Case(id=…, question=…).")
    return cases[:limit]


def _require_shipped(cases: Sequence[Case] | None, what: str) -> None:
    if cases is not None:
        raise ConfigurationError(f"This set needs a writer. Pass {what}.")


def write_page(outcome: Report | Comparison, path: Path) -> None:
    """Write the HTML page of a run or comparison, readable by its owner alone: it quotes cases."""
    page = render_report(outcome) if isinstance(outcome, Report) else render_comparison(outcome)
    write_private(path, page)


async def _run_rules(
    checks: Rules,
    *,
    cases: Sequence[Case],
    write: AnyWriter,
    metrics: Sequence[Metric],
    step: Step,
    firsts: dict[str, First] | None = None,
) -> Report:
    rules = read_reply_rules(checks)
    if not isinstance(write, AgentWriter) and not (callable(write) and takes_arguments(write, 2)):
        raise ConfigurationError(
            f"{type(write).__name__} cannot write for cases: pass a function of the case and what "
            "was wrong before, or find_agent(agent)."
        )
    at = datetime.now(UTC)
    results = await run_cases(
        cases, write=write, rules=rules, step=step, firsts=firsts, metrics=metrics
    )
    unverified = rules.verify is not None and rules.verifier is None
    return Report(
        results=results,
        name=Path(checks).name.removesuffix(".toml") if isinstance(checks, str) else "",
        writer=name_writer(write),
        at=at,
        notes=(UNVERIFIED,) if unverified else (),
    )


def name_writer(write: AnyWriter) -> str:
    """The writer's name in a report."""
    if isinstance(write, AgentWriter):
        return write.name
    if isinstance(write, ScriptedWriter):
        return "a script with typical mistakes"
    return str(getattr(write, "__name__", type(write).__name__))
