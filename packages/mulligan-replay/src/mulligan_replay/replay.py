"""Recorded runs replayed: read, reviewed and reported."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from mulligan.app.wiring import refuse_running_loop
from mulligan.codec import encode_json
from mulligan.learning.consolidation import consolidate
from mulligan.learning.task_versions import cut_middle, score_run
from mulligan.loops.tasks import KEPT_TOKENS
from mulligan.process.event_loop import run_on_own_loop
from mulligan.redaction import Redactor
from mulligan.stores.opening import open_store
from mulligan.types.finding import Standing, Verdict
from mulligan.types.lesson import Episode
from mulligan.types.notes import TaskRun
from mulligan.types.task import Ran
from mulligan_replay.figures import ReplayFigures, ReplayReport
from mulligan_replay.files import Told, list_files
from mulligan_replay.reading import ReadAccount, read_files
from mulligan_replay.review import NO_DAY, ReviewedTurn, Reviewer
from mulligan_replay.tools import Corrections, TracedTools
from mulligan_replay.trace import TracedTool

PLAIN = Corrections(effects={})
_KEY_BYTES = 1024 * 1024
"""Of the beginning of each file: the key of the report's stubs is made of them."""

Seen = Callable[[ReviewedTurn], None]
"""Is shown each turn as it was reviewed, with its raw values."""


class Replayed(Struct, frozen=True, kw_only=True):
    """What replaying came to."""

    report: ReplayReport
    tools: TracedTools
    learned: int = 0
    """New versions of lessons in the store that was named."""


def replay(
    *files: str | Path,
    corrections: Corrections = PLAIN,
    show_values: bool = False,
    learn: str | None = None,
    told: Told = lambda _: None,
    seen: Seen = lambda _: None,
) -> Replayed:
    """Replay some files of traces, or folders. Nothing is called, and nothing leaves the machine.

    `learn`: the URL of a store that failures and their lessons are put into. `told` is called with
    the bytes that were read, `seen` with every turn.
    """
    refuse_running_loop(instead="await asyncio.to_thread(replay, …)")
    paths = list_files(files)
    tools, account = TracedTools(corrections.effects), ReadAccount()
    reviewer = Reviewer(tools, timezone=corrections.timezone)
    figures = ReplayFigures(tools, key=make_key(paths), show_values=show_values)

    async def review_all() -> None:
        for found in read_files(paths, account, told=told):
            if isinstance(found, TracedTool):
                tools.add(found)
                continue
            reviewed = await reviewer.review(found)
            figures.add(reviewed)
            seen(reviewed)

    run_on_own_loop(review_all())
    report = figures.report(
        [path.name for path in paths],
        account,
        lessons=reviewer.lessons.draw(),
        timezone=corrections.timezone,
    )
    learned = _learn(learn, reviewer, key=make_key(paths)) if learn else 0
    return Replayed(report=report, tools=tools, learned=learned)


def read_task_runs(*files: str | Path, corrections: Corrections = PLAIN) -> list[TaskRun]:
    """Recorded runs of a task, for `m.optimize_task(task, runs=…)`; without secrets.

    A run is as good as the trace says; where it says nothing, as the standard checks found it.
    """
    runs: list[TaskRun] = []
    redactor = Redactor(key=make_key(list_files(files)))

    def keep(reviewed: ReviewedTurn) -> None:
        if reviewed.traced.reply:
            runs.append(_build_task_run(reviewed, redactor))

    replay(*files, corrections=corrections, seen=keep)
    return runs


def _build_task_run(reviewed: ReviewedTurn, redactor: Redactor) -> TaskRun:
    traced, failed = reviewed.traced, [call for call in reviewed.calls if call.failed]
    verdict = reviewed.verdict or Verdict(standing=Standing.UNCHECKED, confidence=None)
    ran = Ran(output=traced.reply, tool_errors=len(failed))
    found = score_run(ran, verdict=verdict, told=False)
    failures = (each.execution.failure for each in failed)
    kinds = [each.error_class.value for each in failures if each is not None]
    score = found if traced.correct is None else float(traced.correct)
    problems = [each.rule for each in verdict.errors] + ([] if score else kinds[-1:])
    return TaskRun(
        version=0,
        at=traced.at or NO_DAY,
        score=score,
        standing=verdict.standing,
        problem=problems[0] if problems else "",
        excerpt=cut_middle(redactor.redact_text(traced.reply), tokens=KEPT_TOKENS),
        tokens=traced.tokens,
        id=traced.id,
    )


def make_key(paths: Iterable[Path]) -> bytes:
    """The same for the same files, and unknown to whoever has only the report."""
    digest = hashlib.blake2b(digest_size=32)
    for path in paths:
        with path.open("rb") as file:
            digest.update(file.read(_KEY_BYTES))
    return digest.digest()


def _learn(url: str, reviewer: Reviewer, *, key: bytes) -> int:
    """Put failures into a store, and draw lessons from all that it has."""
    episodes = list(_scrub_episodes(reviewer, key))
    store = open_store(url)
    try:
        if not episodes:
            return 0
        store.failures.record(episodes)
        return len(consolidate(store, now=max(each.at for each in episodes)).lessons)
    finally:
        store.close()


def _scrub_episodes(reviewer: Reviewer, key: bytes) -> Iterator[Episode]:
    """Failures without secrets and names, each by an id that no other trace has.

    One that names a tool by a secret is left out: no lesson could be found by it. A repair is
    verified only where somebody said what the tool does: a guess proves nothing.
    """
    redactor = Redactor(key=key)

    def name(given: str | None) -> str:
        held = str(given).encode(errors="replace")
        return hashlib.blake2b(held, key=key, digest_size=16).hexdigest()

    for each in reviewer.lessons.list_episodes():
        remedies = encode_json(each.remedies).decode()
        if (redactor.redact_label(each.tool), redactor.redact_text(remedies)) != (
            each.tool,
            remedies,
        ):
            continue
        yield replace(
            each,
            id=name(each.id),
            turn=name(each.turn),
            agent="",
            template=redactor.redact_text(each.template),
            verified=each.verified and reviewer.tools.find_guess(each.tool).said,
        )
