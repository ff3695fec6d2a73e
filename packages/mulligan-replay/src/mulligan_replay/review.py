"""A recorded turn, reviewed as a live one: failures are classified, silent ones found, corrections
suggested, and the standard checks look at what was done.

Everything that decides is the base's. Nothing here calls a tool or a model.
"""

from __future__ import annotations

import builtins
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from mulligan.checks.standard import StandardChecks
from mulligan.codec import decode_json, encode_sorted
from mulligan.learning.classify import classify
from mulligan.learning.mining import LessonPool, find_pool, mine
from mulligan.learning.recall import Outcomes, build_chance, from_memory
from mulligan.learning.suggest import SOURCES, suggest_corrections
from mulligan.loops.actions import Attempted, Reviewers, review_attempt
from mulligan.runtime.declaration import Failures
from mulligan.runtime.endings import build_episodes
from mulligan.runtime.episodes import Ended, OpenEpisode, build_earlier, open_episode
from mulligan.runtime.outcome import classify_outcome
from mulligan.runtime.results import Results
from mulligan.types.call import Call, Execution, Failure, Outcome
from mulligan.types.effect import Effect
from mulligan.types.errors import SilentError
from mulligan.types.finding import Finding, Standing, Verdict
from mulligan.types.interfaces import Suggest
from mulligan.types.lesson import Ending, Episode, Lesson, Planned
from mulligan.types.turn import History, Turn
from mulligan_replay.tools import TracedTools
from mulligan_replay.trace import TracedCall, TracedTurn

BY_THE_CLOCK = ("condition.", "date.", "order.in_the_past", "time.")
"""How the rules begin that need to know what day it was."""
NO_DAY = datetime(2000, 1, 1, tzinfo=UTC)
"""What stands in for the time of a turn that says none: no rule of days is heard then."""
STUCK = 3
"""As many times the same call with the same end in one turn is a loop."""
MOST_EARLIER = 50
"""Calls before a failure that a correction may be made from, the latest."""


class SeenCall(Struct, frozen=True, kw_only=True):
    """One call of a turn, as it was taken."""

    traced: TracedCall
    execution: Execution
    effect: Effect
    silent: bool = False
    """It came back as a success, and its result says that it failed."""

    @property
    def failed(self) -> bool:
        """Whether it failed, in whichever way."""
        return self.execution.failure is not None

    @property
    def acted(self) -> bool:
        """Whether it changed something, or may have."""
        return self.effect is not Effect.READ and self.execution.outcome is not Outcome.FAILURE


class StuckCall(Struct, frozen=True, kw_only=True):
    """The same call, made again and again with the same end."""

    call: SeenCall
    times: int


class ReviewedTurn(Struct, frozen=True, kw_only=True):
    """A turn with all that was found in it."""

    traced: TracedTurn
    calls: tuple[SeenCall, ...]
    verdict: Verdict | None = None
    """`None`: it tried to change nothing, so that there was nothing to review."""
    opened: tuple[OpenEpisode, ...] = ()
    """Its failures, each with its pattern and the best correction."""
    episodes: tuple[Episode, ...] = ()
    """How they ended."""
    loops: tuple[StuckCall, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the checks say of it."""
        return () if self.verdict is None else self.verdict.findings

    @property
    def rejected(self) -> bool:
        """Whether it would have been rejected."""
        return self.verdict is not None and self.verdict.standing is Standing.REJECTED


def build_turn(traced: TracedTurn, *, timezone: str) -> Turn:
    """A recorded turn as the base has it."""
    return Turn(
        id=traced.id,
        message=traced.message,
        now=traced.at or NO_DAY,
        timezone=traced.timezone or timezone,
        agent=traced.agent,
        history=History(traced.before),
    )


class Reviewer:
    """Reviews recorded turns one after another, and learns from each for the next."""

    def __init__(self, tools: TracedTools, *, timezone: str = "UTC") -> None:
        self.tools = tools
        self.timezone = timezone
        self.lessons = Lessons()
        self._number = 0
        self._results: dict[str, Results] = {}
        self._by = Reviewers(checks=[StandardChecks(tools.find_shape)])

    async def review(self, traced: TracedTurn) -> ReviewedTurn:
        """What would have been found in a turn while it went on."""
        self._number += 1
        turn = build_turn(traced, timezone=self.timezone)
        # Ids of a trace may repeat, and those of episodes may not.
        turn = replace(turn, id=f"{self._number}:{turn.id}")
        calls = tuple(self.look_at(turn, call, at) for at, call in enumerate(traced.calls))
        verdict = await self._judge(turn, calls, traced)
        opened = tuple(self._open_episodes(turn, calls))
        episodes = build_episodes(turn, opened, calls=_list_ended(calls, verdict)) if opened else []
        self.lessons.add(episodes)
        return ReviewedTurn(
            traced=traced,
            calls=calls,
            verdict=verdict,
            opened=opened,
            episodes=tuple(episodes),
            loops=tuple(_find_loops(calls)),
        )

    def look_at(self, turn: Turn, traced: TracedCall, number: int) -> SeenCall:
        """A call and its result; an error that came as a result is found."""
        call = Call(
            id=f"{turn.id}/{number}",
            tool=traced.tool,
            server=traced.server,
            arguments=dict(traced.arguments),
            agent=turn.agent,
            turn=turn.id,
        )
        failure, result = None, _read_result(traced.result)
        self.tools.see_result(traced.tool, result)
        outcome = Outcome.SUCCESS if traced.answered else Outcome.UNKNOWN
        if traced.error is not None:
            error = build_error(traced.error_type, traced.error)
            failure = classify(call, error)
            outcome = classify_outcome(error, failure)
        elif traced.answered and (failure := self._find_silent(call, result)) is not None:
            outcome = classify_outcome(SilentError(failure.said), failure)
        return SeenCall(
            traced=traced,
            execution=Execution(
                call=call,
                outcome=outcome,
                at=traced.at or turn.now,
                duration=timedelta(seconds=traced.seconds or 0),
                result=result,
                failure=failure,
            ),
            effect=self.tools.find_guess(traced.tool).effect,
            silent=failure is not None and traced.error is None,
        )

    def _find_silent(self, call: Call, result: object) -> Failure | None:
        if call.tool not in self._results:
            if len(self._results) >= MOST_RESULTS:
                self._results.clear()
            self._results[call.tool] = Results(call.tool, failures=Failures())
        try:
            trouble = self._results[call.tool].find_trouble(result, arguments=call.arguments)
        except Exception:  # noqa: BLE001 - a result may be anything
            return None
        if trouble is None:
            return None
        return Failure(
            error_class=trouble.error_class, said=trouble.said, by_words=trouble.by_words
        )

    async def _judge(
        self, turn: Turn, calls: Sequence[SeenCall], traced: TracedTurn
    ) -> Verdict | None:
        # A change that failed is reviewed too: it may have been left undone.
        if all(each.effect is Effect.READ for each in calls):
            return None
        attempted = Attempted(
            turn=turn,
            executions=tuple(each.execution for each in calls),
            reply=traced.reply or None,
            earlier=turn.history.executions,
            acted=frozenset(each.execution.call.id for each in calls if each.acted),
        )
        verdict = await review_attempt(attempted, by=self._by, attempt=1, judged=False)
        return verdict if traced.at is not None else leave_days_out(verdict)

    def _open_episodes(self, turn: Turn, calls: Sequence[SeenCall]) -> Iterator[OpenEpisode]:
        made = [build_earlier(each) for each in turn.history.executions[-MOST_EARLIER:]]
        said = tuple(filter(None, (*turn.history.said, turn.message)))
        for each in calls:
            if each.failed:
                planned = Planned(
                    call=each.execution.call,
                    schema=self.tools.find_shape(each.execution.call).schema,
                    effect=each.effect,
                    tools=self.tools.listed,
                    said=said,
                    earlier=tuple(made[-MOST_EARLIER:]),
                )
                yield self._suggest(open_episode(each.execution, planned))
            made.append(build_earlier(each.execution))

    def _suggest(self, opened: OpenEpisode) -> OpenEpisode:
        sources = (*SOURCES, self.lessons.recall(opened.failed.call.tool))
        try:
            found = suggest_corrections(opened.failed, sources=sources)
        except Exception:  # noqa: BLE001 - arguments may be anything
            return opened
        return replace(opened, best=found[0]) if found else opened


MOST_RESULTS = 1_000
"""Tools whose harmless shapes of results are remembered."""


def leave_days_out(verdict: Verdict) -> Verdict:
    """A verdict without the rules that need to know what day it was."""
    kept = tuple(each for each in verdict.findings if not each.rule.startswith(BY_THE_CLOCK))
    if len(kept) == len(verdict.findings):
        return verdict
    rejected = verdict.standing is Standing.REJECTED
    spared = rejected and not any(each.severity == "error" for each in kept)
    standing = Standing.ACCEPTED if spared else verdict.standing
    return replace(verdict, findings=kept, standing=standing)


def build_error(kind: str, said: str) -> BaseException:
    """An exception of the recorded class and text."""
    try:
        return _find_class(kind)(said)
    except TypeError:  # it takes more than a text
        return Exception(said)


@lru_cache(maxsize=500)
def _find_class(kind: str) -> type[Exception]:
    """A class of Python's own is itself; of another, only the name is known."""
    known = getattr(builtins, kind, None)
    if isinstance(known, type) and issubclass(known, Exception):
        return known
    return type(kind if kind.isidentifier() else "RecordedError", (Exception,), {})


def _read_result(result: object) -> object:
    """A text that is JSON as the value that a tool returned."""
    if isinstance(result, str) and result.lstrip()[:1] in ("{", "["):
        try:
            return decode_json(result)
        except (ValueError, RecursionError):
            return result
    return result


def _list_ended(calls: Sequence[SeenCall], verdict: Verdict | None) -> list[Ended]:
    accepted = verdict is not None and verdict.standing is Standing.ACCEPTED
    rejected = verdict is not None and verdict.standing is Standing.REJECTED
    return [Ended(execution=each.execution, accepted=accepted, rejected=rejected) for each in calls]


def _find_loops(calls: Sequence[SeenCall]) -> Iterator[StuckCall]:
    """Calls that were made at least three times, and ended in the same way each time."""
    if len(calls) < STUCK:
        return
    keys = [_hash_call(each) for each in calls]
    for key, times in Counter(keys).items():
        if times >= STUCK:
            yield StuckCall(call=calls[keys.index(key)], times=times)


def _hash_call(seen: SeenCall) -> int:
    execution = seen.execution
    came = execution.result if execution.failure is None else ""
    try:
        return hash(
            (
                execution.call.tool,
                encode_sorted(execution.call.arguments),
                execution.outcome,
                encode_sorted(came),
            )
        )
    except (TypeError, ValueError, RecursionError):
        return id(seen)


MOST_POOLS = 2_000
MOST_OF_POOL = 200
"""Failures of one kind that lessons are drawn from, the first."""


class Lessons:
    """Lessons drawn from the failures of earlier turns, kept for the next."""

    def __init__(self) -> None:
        self._pools: dict[LessonPool, list[Episode]] = {}
        self._drawn: dict[LessonPool, int] = {}
        self._known: dict[str, dict[str, Lesson]] = defaultdict(dict)

    def add(self, episodes: Sequence[Episode]) -> None:
        """Learn from failures that were repaired."""
        for each in episodes:
            pool = find_pool(each)
            if pool not in self._pools and len(self._pools) >= MOST_POOLS:
                continue
            held = self._pools.setdefault(pool, [])
            if len(held) < MOST_OF_POOL:
                held.append(each)
                self._draw(pool, held, repaired=each.ending is Ending.REPAIRED)

    def _draw(self, pool: LessonPool, held: list[Episode], *, repaired: bool) -> None:
        before = self._drawn.get(pool, 0)
        if not repaired or 3 * len(held) < 4 * before:
            return
        self._drawn[pool] = len(held)
        for lesson in mine(held, at=held[-1].at):
            self._known[lesson.tool][lesson.id] = lesson

    def recall(self, tool: str) -> Suggest:
        """What earlier failures of a tool suggest."""
        known = list(self._known[tool].values()) if tool in self._known else []
        return from_memory(known, chance=build_chance(Outcomes(), {}))

    def draw(self) -> list[Lesson]:
        """All lessons, for a person to review: those that explain most failures first."""
        found: Mapping[str, Lesson] = {
            lesson.id: lesson
            for held in self._pools.values()
            for lesson in mine(held, at=held[-1].at)
            if lesson.tool
        }
        return sorted(found.values(), key=lambda lesson: (-lesson.seen, lesson.tool, lesson.id))

    def list_episodes(self) -> Iterator[Episode]:
        """Every failure that was kept."""
        for held in self._pools.values():
            yield from held
