"""What replaying came to: counted turn by turn in bounded memory, and redacted as it is kept."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from msgspec import Struct

from mulligan.insights.figures import Estimate, estimate_share
from mulligan.learning.calibration import SURE
from mulligan.redaction import Redactor
from mulligan.redaction.redactor import Capture
from mulligan.types.effect import Effect
from mulligan.types.errors import SilentError
from mulligan.types.failure import ErrorClass
from mulligan.types.finding import Severity
from mulligan.types.lesson import Ending, Episode, Lesson, shorten_pattern
from mulligan_replay.reading import ReadAccount
from mulligan_replay.review import ReviewedTurn, SeenCall
from mulligan_replay.tools import NAMES, OTHERS, TracedTools, find_pack

MOST_EXAMPLES = 50
"""Examples of each kind, the first of the trace."""
MOST_PATTERNS = 5_000
SHOWN = 50
"""Rows of a list."""
LONGEST = 600
"""Characters of one text of an example."""


class Example(Struct, frozen=True, kw_only=True):
    """One case, redacted, with where to find it in the trace."""

    kind: str
    where: str
    request: str
    tool: str
    arguments: str
    said: str
    """The finding, or the error."""
    fix: str = ""


class ToolFigures(Struct, kw_only=True):
    """How the calls of one tool went."""

    tool: str
    effect: str
    why: str
    calls: int = 0
    failed: int = 0
    silent: int = 0
    """Of these, those that came back as successes."""
    rejected: int = 0
    """Calls that a finding of weight is about."""


class PatternFigures(Struct, kw_only=True):
    """Failures with one fingerprint."""

    pattern: str
    tool: str
    error_class: str
    blame: str
    """Whose fault they are, most of the time."""
    template: str
    count: int = 0
    silent: int = 0
    repaired: int = 0
    """The agent got through later in the same turn."""
    mended: int = 0
    """A correction was at hand that the agent came to later, and that worked."""


class RuleFigures(Struct, kw_only=True):
    """How often a rule of the checks spoke up."""

    rule: str
    rejected: int = 0
    warned: int = 0


class UndoFigures(Struct, frozen=True, kw_only=True):
    """Writes of a tool that nobody could undo as it is today."""

    tool: str
    effect: str
    calls: int
    remedy: str


class LessonFigures(Struct, frozen=True, kw_only=True):
    """A lesson for a person to review."""

    id: str
    tool: str
    statement: str
    explains: int
    of: int


class Judged(Struct, frozen=True, kw_only=True):
    """Our findings against what the trace says of how turns went."""

    turns: int
    wrong: int
    found: int
    """Turns that were rejected or warned of."""
    rejected: int
    precision: Estimate
    """Of the turns that were rejected: those that the trace calls wrong."""
    recall: Estimate
    """Of the turns that the trace calls wrong: those that were rejected."""
    recall_with_warnings: Estimate
    false_alarms: Estimate
    """Of the turns that the trace calls right: those that were rejected."""


class ReplayReport(Struct, frozen=True, kw_only=True):
    """Everything that a page, a terminal and a program are shown."""

    files: tuple[str, ...]
    values: int
    read: Mapping[str, int]
    unread: Mapping[str, int]
    unread_parts: Mapping[str, int]
    unread_examples: tuple[str, ...]
    turns: int
    turns_without_a_time: int
    first: datetime | None
    last: datetime | None
    timezone: str
    calls: int
    unanswered: int
    failed: Estimate
    """Of all calls."""
    silent: Estimate
    """Of the calls that failed: those that came back as successes."""
    by_class: Mapping[str, int]
    by_blame: Mapping[str, int]
    writes: int
    rejected: Estimate
    """Of the turns that changed something, or tried to."""
    warned: Estimate
    rejected_writes: Estimate
    rules: tuple[RuleFigures, ...]
    loops: int
    loop_calls: int
    """Calls in them after the first."""
    repaired: Estimate
    """Of the failures: those that the agent got through itself."""
    offered: Estimate
    """Of the failures: those that a correction was at hand for."""
    mended: Estimate
    """Of the corrections that the agent's next call of the tool could be held against: those that
    it made just so, and that worked."""
    saved_calls: Estimate
    """Calls that each of them saves, on average."""
    saved_seconds: Estimate
    saved_tokens: Estimate
    """By what the trace says that its turns used; nothing where it does not say."""
    held: Mapping[str, int]
    """Irreversible calls that would have waited for a person, by tool."""
    undo: tuple[UndoFigures, ...]
    tools: tuple[ToolFigures, ...]
    patterns: tuple[PatternFigures, ...]
    lessons: tuple[LessonFigures, ...]
    judged: Judged | None
    examples: tuple[Example, ...]
    redacted: bool


class _Mean:
    """A mean with its interval, from sums alone."""

    def __init__(self) -> None:
        self.n, self.total, self._squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        self.n += 1
        self.total += value
        self._squares += value * value

    def estimate(self) -> Estimate:
        if not self.n:
            return Estimate(figure=None, n=0)
        mean = self.total / self.n
        if self.n == 1:
            return Estimate(figure=mean, n=1)
        spread = max(0.0, self._squares / self.n - mean * mean) * self.n / (self.n - 1)
        off = SURE * math.sqrt(spread / self.n)
        return Estimate(figure=mean, low=max(0.0, mean - off), high=mean + off, n=self.n)


class ReplayFigures:
    """Counts turn after turn."""

    def __init__(self, tools: TracedTools, *, key: bytes, show_values: bool = False) -> None:
        self._tools = tools
        capture = Capture.FULL if show_values else Capture.REDACTED
        self._redactor = Redactor(key=key, capture=capture)
        self._show = show_values
        self._count: Counter[str] = Counter()
        self._classes: Counter[str] = Counter()
        self._by_tool: dict[str, ToolFigures] = {}
        self._patterns: dict[str, PatternFigures] = {}
        self._rules: dict[str, RuleFigures] = {}
        self._examples: dict[str, list[Example]] = {}
        self._calls, self._seconds, self._tokens = _Mean(), _Mean(), _Mean()
        self._used = _Mean()
        """Tokens of a call, by the turns that say what they used."""
        self._first: datetime | None = None
        self._last: datetime | None = None

    def add(self, reviewed: ReviewedTurn) -> None:
        """Count one turn."""
        traced, count = reviewed.traced, self._count
        count["turns"] += 1
        self._note_time(traced.at)
        if traced.tokens and traced.calls:
            self._used.add(traced.tokens / len(traced.calls))
        for call in reviewed.calls:
            self._add_call(call, reviewed)
        self._add_verdict(reviewed)
        self._add_failures(reviewed)
        for loop in reviewed.loops:
            count["loops"] += 1
            count["loop_calls"] += loop.times - 1
            said = f"made {loop.times} times with the same end"
            self._keep("loop", reviewed, loop.call, said)
        self._judge(reviewed)

    def _note_time(self, at: datetime | None) -> None:
        if at is None:
            self._count["untimed"] += 1
            return
        self._first = at if self._first is None else min(self._first, at)
        self._last = at if self._last is None else max(self._last, at)

    def _add_call(self, call: SeenCall, reviewed: ReviewedTurn) -> None:
        figures = self._find_tool(self._tools.count(call.traced.tool))
        figures.calls += 1
        self._count["calls"] += 1
        self._count["unanswered"] += not call.traced.answered
        self._count["writes"] += call.acted
        failure = call.execution.failure
        if failure is None:
            return
        figures.failed += 1
        figures.silent += call.silent
        self._count["failed"] += 1
        self._count["silent"] += call.silent
        if call.silent:
            self._keep("silent failure", reviewed, call, error=failure.said)

    def _find_tool(self, name: str) -> ToolFigures:
        if name not in self._by_tool:
            guess = self._tools.find_guess(name)
            self._by_tool[name] = ToolFigures(
                tool=self._redactor.redact_label(name), effect=NAMES[guess.effect], why=guess.why
            )
        return self._by_tool[name]

    def _add_verdict(self, reviewed: ReviewedTurn) -> None:
        if reviewed.verdict is None:
            return
        self._count["reviewed"] += 1
        self._count["rejected"] += reviewed.rejected
        made = {call.execution.call.id: call for call in reviewed.calls}
        self._count["warned"] += bool(reviewed.findings) and not reviewed.rejected
        rejected = set[str]()
        for finding in reviewed.findings:
            rule = self._rules.setdefault(finding.rule, RuleFigures(rule=finding.rule))
            weighty = finding.severity is Severity.ERROR
            rule.rejected += weighty
            rule.warned += not weighty
            call = made.get(finding.call or "")
            if call is not None and weighty:
                rejected.add(finding.call or "")
            kind = "rejected" if weighty else "warning"
            said = f"{finding.rule}: {finding.issue}"
            self._keep(kind, reviewed, call, said, fix=finding.correction or "")
        for name in rejected:
            tool = made[name].traced.tool
            self._find_tool(tool if tool in self._by_tool else OTHERS).rejected += 1
        self._count["rejected_writes"] += len(rejected)

    def _add_failures(self, reviewed: ReviewedTurn) -> None:
        silent = {call.execution.call.id for call in reviewed.calls if call.silent}
        for opened, episode in zip(reviewed.opened, reviewed.episodes, strict=True):
            pattern = self._find_pattern(episode)
            mended = episode.offer is not None and bool(episode.offer.helped)
            self._classes[episode.error_class.value] += 1
            pattern.count += 1
            pattern.silent += episode.id in silent
            pattern.repaired += episode.ending is Ending.REPAIRED
            pattern.mended += mended
            self._count["repaired"] += episode.ending is Ending.REPAIRED
            self._count["offered"] += episode.offer is not None
            tried = episode.ending is not Ending.LEFT
            self._count["comparable"] += episode.offer is not None and tried
            if not mended or opened.best is None:
                continue
            self._count["mended"] += 1
            self._calls.add(episode.calls)
            if reviewed.traced.at is not None:
                self._seconds.add(max(0.0, episode.took.total_seconds()))
            call = next(c for c in reviewed.calls if c.execution.call.id == episode.id)
            fix = self._redactor.redact_text(opened.best.evidence) if self._show else ""
            said = f"corrected by {opened.best.source}: {', '.join(opened.best.kinds)}"
            self._keep("mended", reviewed, call, said, error=opened.failed.error, fix=fix)

    def _find_pattern(self, episode: Episode) -> PatternFigures:
        room = episode.fingerprint in self._patterns or len(self._patterns) < MOST_PATTERNS
        key = episode.fingerprint if room else OTHERS
        if key not in self._patterns:
            self._patterns[key] = PatternFigures(
                pattern=shorten_pattern(key) if room else OTHERS,
                tool=self._redactor.redact_label(episode.tool) if room else OTHERS,
                error_class=episode.error_class.value,
                blame=episode.error_class.traits.blame.value,
                template=self._redactor.redact_text(episode.template)[:LONGEST] if room else "",
            )
        return self._patterns[key]

    def _keep(
        self,
        kind: str,
        reviewed: ReviewedTurn,
        call: SeenCall | None,
        said: str = "",
        *,
        error: str = "",
        fix: str = "",
    ) -> None:
        """An example, while there is room for one of its kind; of an error, less what it quotes."""
        held = self._examples.setdefault(kind, [])
        if len(held) >= MOST_EXAMPLES:
            return
        redactor = self._redactor
        given = {} if call is None else dict(call.traced.arguments)
        if error:
            masked = redactor.redact_error(SilentError(error), arguments=given).message
            said = f"{masked} ({said})" if said else masked
        held.append(
            Example(
                kind=kind,
                where=reviewed.traced.where[:LONGEST],
                request=redactor.redact_text(reviewed.traced.message)[:LONGEST],
                tool="" if call is None else redactor.redact_label(call.traced.tool),
                arguments="" if call is None else redactor.redact_parameters(given)[:LONGEST],
                said=redactor.redact_text(said)[:LONGEST],
                fix=redactor.redact_text(fix)[:LONGEST],
            )
        )

    def _judge(self, reviewed: ReviewedTurn) -> None:
        if reviewed.traced.correct is None:
            return
        side = "right" if reviewed.traced.correct else "wrong"
        self._count[f"judged_{side}"] += 1
        self._count[f"rejected_{side}"] += reviewed.rejected
        self._count[f"found_{side}"] += bool(reviewed.findings)

    def report(
        self,
        files: Iterable[str],
        account: ReadAccount,
        *,
        lessons: Iterable[Lesson],
        timezone: str,
    ) -> ReplayReport:
        """Everything so far."""
        count, tools = self._count, sorted(self._by_tool.values(), key=_rank_tool)
        saved = self._calls.estimate()
        label = self._redactor.redact_label
        return ReplayReport(
            files=tuple(map(label, files)),
            values=account.values,
            read=dict(sorted(account.read.items())),
            unread={label(why): n for why, n in sorted(account.unread.items())},
            unread_parts={label(why): n for why, n in sorted(account.parts.items())},
            unread_examples=tuple(label(f"{e.where}: {e.why}") for e in account.examples),
            turns=count["turns"],
            turns_without_a_time=count["untimed"],
            first=self._first,
            last=self._last,
            timezone=timezone,
            calls=count["calls"],
            unanswered=count["unanswered"],
            failed=estimate_share(count["failed"], count["calls"]),
            silent=estimate_share(count["silent"], count["failed"]),
            by_class=dict(sorted(self._classes.items())),
            by_blame=_add_up_blame(self._classes),
            writes=count["writes"],
            rejected=estimate_share(count["rejected"], count["reviewed"]),
            warned=estimate_share(count["warned"], count["reviewed"]),
            rejected_writes=estimate_share(count["rejected_writes"], count["writes"]),
            rules=tuple(sorted(self._rules.values(), key=lambda r: (-r.rejected, r.rule))),
            loops=count["loops"],
            loop_calls=count["loop_calls"],
            repaired=estimate_share(count["repaired"], count["failed"]),
            offered=estimate_share(count["offered"], count["failed"]),
            mended=estimate_share(count["mended"], count["comparable"]),
            saved_calls=saved,
            saved_seconds=self._seconds.estimate(),
            saved_tokens=_multiply(saved, self._used.estimate()),
            held={t.tool: t.calls for t in tools if t.effect == NAMES[Effect.IRREVERSIBLE]},
            undo=tuple(_list_undo(tools)),
            tools=tuple(tools[:SHOWN]),
            patterns=tuple(sorted(self._patterns.values(), key=_rank_pattern)[:SHOWN]),
            lessons=tuple(self._list_lessons(lessons)),
            judged=self._build_judged(),
            examples=tuple(each for held in self._examples.values() for each in held),
            redacted=not self._show,
        )

    def _list_lessons(self, lessons: Iterable[Lesson]) -> Iterator[LessonFigures]:
        for lesson in list(lessons)[:SHOWN]:
            yield LessonFigures(
                id=lesson.id,
                tool=self._redactor.redact_label(lesson.tool),
                statement=self._redactor.redact_text(lesson.statement)[:LONGEST],
                explains=lesson.seen,
                of=lesson.of,
            )

    def _build_judged(self) -> Judged | None:
        count = self._count
        wrong, right = count["judged_wrong"], count["judged_right"]
        if not wrong + right:
            return None
        rejected = count["rejected_wrong"] + count["rejected_right"]
        return Judged(
            turns=wrong + right,
            wrong=wrong,
            found=count["found_wrong"] + count["found_right"],
            rejected=rejected,
            precision=estimate_share(count["rejected_wrong"], rejected),
            recall=estimate_share(count["rejected_wrong"], wrong),
            recall_with_warnings=estimate_share(count["found_wrong"], wrong),
            false_alarms=estimate_share(count["rejected_right"], right),
        )


def _rank_tool(figures: ToolFigures) -> tuple[int, str]:
    return -figures.calls, figures.tool


def _rank_pattern(figures: PatternFigures) -> tuple[int, str]:
    return -figures.count, figures.pattern


def _add_up_blame(classes: Mapping[str, int]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for name, count in classes.items():
        found[ErrorClass(name).traits.blame.value] += count
    return dict(sorted(found.items()))


def _list_undo(tools: Iterable[ToolFigures]) -> Iterator[UndoFigures]:
    """What could not be undone today, and what would change that."""
    for each in tools:
        if each.effect == NAMES[Effect.READ]:
            continue
        pack = find_pack(each.tool)
        if each.effect == NAMES[Effect.IRREVERSIBLE]:
            remedy = "nothing undoes it: hold it for a person"
        elif pack:
            remedy = f'the {pack} pack may: pip install "mulligan[{_EXTRAS.get(pack, "packs")}]"'
        else:
            remedy = "declare it with before and undo"
        yield UndoFigures(tool=each.tool, effect=each.effect, calls=each.calls, remedy=remedy)


_EXTRAS = {"sql": "sql", "calendar": "calendar", "http": "http"}


def _multiply(calls: Estimate, tokens: Estimate) -> Estimate:
    """Tokens that calls save: the interval takes both ends of both."""
    if calls.figure is None or tokens.figure is None:
        return Estimate(figure=None, n=0)
    ends = [(calls.low, tokens.low), (calls.high, tokens.high)]
    low, high = (None if a is None or b is None else a * b for a, b in ends)
    return Estimate(figure=calls.figure * tokens.figure, low=low, high=high, n=calls.n)
