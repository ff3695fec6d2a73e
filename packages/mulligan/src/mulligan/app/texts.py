"""How an application has its texts written, judged and kept, step by step in its log."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from mulligan.app.wiring import Parts
from mulligan.checks.grounding import Verification, Verifier
from mulligan.hosts.writers import find_agent, find_writer
from mulligan.learning.calibration import compute_wilson
from mulligan.loops.briefs import PlainBrief, Writer
from mulligan.loops.drafts import (
    Drafted,
    DraftRules,
    JudgeCritic,
    judged_by,
    read_draft_rules,
    write_draft,
)
from mulligan.loops.replies import ReplyRules, bind_checks, warn_at_the_bound, write_reply
from mulligan.loops.streaming import Stream
from mulligan.process.user_functions import call_function
from mulligan.prompts.template import read_own_prompt
from mulligan.runtime.context import Labels, OpenTurn, find_current_turn
from mulligan.runtime.payloads import REPLY, pack_reply
from mulligan.runtime.reply import Rewrite, answer
from mulligan.runtime.tool import Runtime
from mulligan.settings import Settings
from mulligan.types.action import Kept
from mulligan.types.adapter import AgentWriter
from mulligan.types.call import OWN, LogRow, Outcome
from mulligan.types.effect import Mode
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import (
    Happened,
    Reflected,
    ReplyChecked,
    ReplySettled,
    Responded,
    RewriteRateMoved,
    TaskRan,
    TaskReflected,
    Thought,
    ToolAnswered,
    ToolCalled,
)
from mulligan.types.failure import ErrorClass
from mulligan.types.finding import Confidence, Severity, Standing
from mulligan.types.interfaces import Clock, Judge
from mulligan.types.log import (
    DRAFT_REFLECTED,
    DRAFT_RESPONDED,
    REPLY_CHECKED,
    REPLY_SETTLED,
    TASK_RAN,
    TASK_REFLECTED,
)
from mulligan.types.reply import RATE_TARGET, Replied
from mulligan.types.task import Ran

_report = logging.getLogger("mulligan")

STEPS = (ReplyChecked, ReplySettled, Thought, ToolCalled, ToolAnswered, Reflected, Responded)
"""The events that carry the id of their whole."""

LONGEST_TASK = 12
"""Of a task without a name: the whole hash of its description would be taken for a secret."""
_HASH = re.compile(r"[0-9a-f]{64}")
_MILLISECOND = 1_000
"""In microseconds: how finely ids are ordered by time."""

_SHOWN = frozenset(
    {"accepted", "beside", "bound_reached", "doing", "iterations", "money", "number", "reflected"}
    | {"revising", "rules", "score", "standing", "task", "tool", "version", "withheld"}
)
"""Words and figures of ours, or names: what a step says about them is no secret."""


class _Step(Struct, frozen=True, kw_only=True):
    """A step as its row tells it."""

    name: str
    facts: Mapping[str, object]
    result: object = None
    trouble: tuple[ErrorClass, str, str] | None = None
    """Class, kind and text of what went wrong; `None`: nothing did."""
    last: bool = False
    id: str = ""
    """Its own, where it has one: a run of a task."""
    parent: str | None = None


class StepLog:
    """Logs and announces the steps of one reply, draft or run; call it with each event."""

    def __init__(self, runtime: Runtime, *, turn: OpenTurn | None = None) -> None:
        self.turn = turn or find_current_turn()
        self._runtime = runtime
        self._at_us = self._last_us = runtime.wall_us()
        self._began = self._before = time.perf_counter_ns()
        self.id = runtime.make_id(self._at_us)
        """Of the whole: the last row has it, and the others name it as their parent."""

    @property
    def owner(self) -> str:
        """Whose the text is: the turn, or where there is none, itself."""
        return self.turn.id if self.turn is not None else self.id

    def __call__(self, event: Happened) -> None:
        """Log an event and pass it to the listeners, with the id of the whole."""
        if isinstance(event, STEPS):
            event = replace(event, id=self.id)
        try:
            step = _build_step(event)
            if step is not None:
                self._runtime.log.emit(self._build_row(step))
        except Exception as error:  # noqa: BLE001 - the log may fail, the text may not
            _report.warning("A step could not be logged (%s).", type(error).__name__)
        self._runtime.events.publish(event)

    def _build_row(self, step: _Step) -> LogRow:
        redactor, turn = self._runtime.redactor, self.turn
        labels = turn.labels if turn is not None else Labels(self._runtime.tenant, "", "", None)
        kind, error_type, message = step.trouble or (None, None, None)
        at_us, duration_us = self._measure_time(whole=step.last)
        return LogRow(
            id=step.id or (self.id if step.last else self._make_next_id()),
            at_us=at_us,
            tenant=labels.tenant,
            agent=labels.agent,
            server=OWN,
            tool=step.name,
            parameters=redactor.redact_parameters(step.facts, allow=_SHOWN),
            context=labels.context,
            outcome=(Outcome.FAILURE if step.trouble else Outcome.SUCCESS).value,
            duration_us=duration_us,
            error_class=kind.value if kind else None,
            error_type=error_type,
            error_message=message,
            result=None if step.result is None else redactor.redact_result(step.result),
            parent=None if step.last or step.id else step.parent or self.id,
            turn=labels.turn,
        )

    def _make_next_id(self) -> str:
        """An id above the one before: steps of one millisecond would else have no order."""
        self._last_us = max(self._runtime.wall_us(), self._last_us + _MILLISECOND)
        return self._runtime.make_id(self._last_us)

    def _measure_time(self, *, whole: bool) -> tuple[int, int]:
        """When a step began, or the whole, and how long it took, in microseconds."""
        since, self._before = self._before, time.perf_counter_ns()
        began = self._began if whole else since
        return self._at_us + (began - self._began) // 1000, (self._before - began) // 1000


def _build_step(event: Happened) -> _Step | None:
    """An event of the reply or the draft loop as a step; `None`: it is of another loop."""
    match event:
        case ReplyChecked():
            facts = {"number": event.number, "standing": event.standing, "rules": event.rules}
            return _Step(name=REPLY_CHECKED, facts=facts)
        case ReplySettled():
            return _build_settled_step(event)
        case Thought():
            return _Step(name="draft.thought", facts={"doing": event.text})
        case ToolCalled():
            facts = {"tool": event.tool, "step": event.step, "arguments": event.arguments}
            return _Step(name="draft.tool_called", facts=facts)
        case ToolAnswered():
            facts = {"tool": event.tool, "step": event.step}
            trouble = (ErrorClass.TOOL_EXCEPTION, event.error, "") if event.error else None
            return _Step(
                name="draft.tool_answered", facts=facts, result=event.result, trouble=trouble
            )
        case Reflected():
            facts = {**_describe_critique(event), "revising": event.revising}
            return _Step(name=DRAFT_REFLECTED, facts=facts)
        case Responded():
            spent = {"tokens": event.tokens, "money": event.money}
            facts = {**_describe_critique(event), "accepted": event.accepted, **spent}
            return _Step(name=DRAFT_RESPONDED, facts=facts, result=event.draft.text, last=True)
        case TaskRan():
            return _build_ran_step(event)
        case TaskReflected():
            facts = {"task": _name_task(event.task), "version": event.version}
            return _Step(name=TASK_REFLECTED, facts=facts, parent=event.run or None)
        case _:
            return None


def _build_ran_step(event: TaskRan) -> _Step:
    facts = {
        "task": _name_task(event.task),
        "version": event.version,
        "standing": event.standing,
        "rules": event.rules,
        "score": event.score,
        "beside": event.beside,
        "tokens": event.tokens or 0,
    }
    trouble = None
    if event.error:
        trouble = (ErrorClass.TOOL_EXCEPTION, event.error, "")
    elif event.standing is Standing.REJECTED:
        trouble = (ErrorClass.RULE, "RunRejected", ", ".join(dict.fromkeys(event.rules)))
    return _Step(name=TASK_RAN, facts=facts, trouble=trouble, id=event.id)


def _name_task(task: str) -> str:
    """A task as people name it; every command takes the beginning of a hash as well."""
    return task[:LONGEST_TASK] if _HASH.fullmatch(task) else task


def _build_settled_step(event: ReplySettled) -> _Step:
    """One that was sent although it was rejected counts as a failure, so that it is found."""
    facts = {
        "iterations": event.iterations,
        "standing": event.standing,
        "bound_reached": event.bound_reached,
        "rules": event.rules,
        "withheld": event.withheld,
    }
    kind = "ReplyWithheld" if event.withheld else "ReplyRejected"
    rejected = (ErrorClass.RULE, kind, ", ".join(dict.fromkeys(event.rules)))
    return _Step(
        name=REPLY_SETTLED,
        facts=facts,
        trouble=rejected if event.bound_reached or event.withheld else None,
        last=True,
    )


def _describe_critique(event: Reflected | Responded) -> dict[str, object]:
    critique = event.critique
    return {
        "number": event.draft.number,
        "with_tools": event.draft.with_tools,
        "score": critique.score if critique else None,
        "issues": len(critique.issues) if critique else None,
    }


RECENT_REPLIES = 50
"""Replies whose rate of rewrites is watched."""
MOST_RULES = 3


class RateWatch:
    """Watches how many of the latest replies were written again, and says when that moves."""

    def __init__(self) -> None:
        self._latest: deque[tuple[str, ...] | None] = deque(maxlen=RECENT_REPLIES)
        """Of each reply the rules that rejected its first try; `None`: it was not rewritten."""
        self._healthy: bool | None = None

    def add(self, replied: Replied) -> RewriteRateMoved | None:
        """Count a reply; what it changes, where the rate has left its band or is back."""
        first = replied.iterations[0].verdict
        again = tuple(finding.rule for finding in first.errors)
        self._latest.append(again if len(replied.iterations) > 1 else None)
        rejected = [rules for rules in self._latest if rules is not None]
        if len(self._latest) < RECENT_REPLIES:
            return None
        rate, was = len(rejected) / RECENT_REPLIES, self._healthy
        low, high = compute_wilson(len(rejected), RECENT_REPLIES)
        if low > RATE_TARGET[1] or high < RATE_TARGET[0]:
            self._healthy = False
        elif RATE_TARGET[0] <= rate <= RATE_TARGET[1]:
            self._healthy = True
        new = was is None and rate <= RATE_TARGET[1]
        if self._healthy is None or self._healthy is was or new:
            return None
        counts = Counter(rule for rules in rejected for rule in set(rules))
        most = tuple(rule for rule, _ in counts.most_common(MOST_RULES))
        return RewriteRateMoved(
            rate=rate, replies=RECENT_REPLIES, healthy=self._healthy, rules=most
        )


class Texts:
    """Replies and drafts of one application."""

    def __init__(self, parts: Parts, *, settings: Settings, clock: Clock) -> None:
        self._parts = parts
        self._settings = settings
        self._clock = clock
        self._watch = RateWatch()
        self._verifiers: dict[tuple[object, ...], tuple[Verification, Verifier]] = {}

    async def reply(
        self,
        write: object,
        *,
        rules: ReplyRules,
        query: str,
        context: str | Iterable[str],
        stream: Stream | None = None,
    ) -> Replied:
        """Have a reply written and checked."""
        writer = find_writer(write, takes="the feedback on the reply before, or None")
        steps = StepLog(self._parts.runtime)
        replied = await write_reply(
            writer,
            rules=self.with_verifier(rules),
            query=query,
            context=context,
            turn=steps.turn.id if steps.turn is not None else "",
            announce=_build_teller(steps),
            stream=stream,
        )
        await self._settle(replied, owner=steps.owner)
        return self._report_only(replace(replied, id=steps.id))

    async def answer(
        self,
        reply: str,
        turn: OpenTurn,
        *,
        rules: ReplyRules,
        rewrite: Rewrite | AgentWriter | None,
    ) -> Replied:
        """Have the reply of a turn checked, and written again where possible."""
        steps = StepLog(self._parts.runtime, turn=turn)
        replied = await answer(
            reply,
            turn,
            rules=self.with_verifier(rules),
            rewrite=rewrite,
            announce=_build_teller(steps),
        )
        await self._settle(replied, owner=steps.owner)
        return self._report_only(replace(replied, id=steps.id))

    async def draft(
        self,
        write: object,
        *,
        question: str,
        rules: DraftRules | None,
        stream: Stream | None = None,
    ) -> Drafted:
        """Have an answer drafted; without critics, the application's judge is the critic."""
        writer = find_writer(write, takes="a brief")
        by = cast("Writer", writer.write if isinstance(writer, AgentWriter) else writer)
        held_to = self._with_critics(read_draft_rules(rules))
        steps = StepLog(self._parts.runtime)
        drafted = await write_draft(
            by, question=question, rules=held_to, announce=steps, stream=stream
        )
        return replace(drafted, id=steps.id)

    def _with_critics(self, rules: DraftRules) -> DraftRules:
        """The rules with critics that can be asked: models, agents and names are judges."""
        critics = rules.critics or (judged_by(),)
        return replace(rules, critics=[self._open_critic(critic) for critic in critics])

    def _open_critic(self, critic: object) -> object:
        if isinstance(critic, JudgeCritic):
            return replace(critic, judge=self._choose_judge(critic.judge))
        if hasattr(critic, "ask") or find_agent(critic) is not None:
            return judged_by(self._choose_judge(critic))
        return critic

    def _choose_judge(self, named: object) -> Judge:
        learning = self._parts.learning
        judge = learning.judge if named is None else learning.open_judge(named)
        if judge is None:
            raise ConfigurationError(
                "A draft needs a critic: pass rules=DraftRules(critics=[…]), or give the "
                "application a judge."
            )
        return judge

    def _find_mode(self) -> Mode:
        return self._parts.runtime.mode.limit(self._parts.toolbox.find_most())

    def _report_only(self, replied: Replied) -> Replied:
        """In shadow mode what is wrong with a reply is only reported."""
        if self._find_mode() is not Mode.SHADOW or replied.standing is not Standing.REJECTED:
            return replied
        found = [replace(each, severity=Severity.WARNING) for each in replied.findings]
        return replace(
            replied, standing=Standing.ACCEPTED, confidence=Confidence.LOW, findings=tuple(found)
        )

    def with_verifier(self, rules: ReplyRules) -> ReplyRules:
        """The rules with a judge for the claims and the rubrics, where there is one.

        Where the application only watches, nothing is checked.
        """
        mode = self._find_mode()
        if not mode.reviews:
            return replace(rules, checks=(), verifier=None, verify=None, attempts=1)
        if mode.only_watches:
            rules = replace(rules, attempts=1)
        learning = self._parts.learning
        rules = bind_checks(
            rules, open_judge=lambda named: learning.open_judge(named) if named else learning.judge
        )
        asked = rules.verify
        if asked is None or rules.verifier is not None:
            return rules
        named = asked.judge if isinstance(asked.judge, str) else id(asked.judge)
        key = (asked.severity, named, asked.prompt)
        if key not in self._verifiers:
            judge = learning.open_judge(asked.judge) if asked.judge else learning.judge
            if judge is None:
                return rules
            own = read_own_prompt(asked.prompt) if asked.prompt else ""
            # Kept, because it remembers what was answered before.
            verifier = Verifier(judge, severity=asked.severity, own_prompt=own)
            self._verifiers[key] = (asked, verifier)
        return replace(rules, verifier=self._verifiers[key][1])

    async def _settle(self, replied: Replied, *, owner: str) -> None:
        if (moved := self._watch.add(replied)) is not None:
            self._parts.runtime.events.publish(moved)
            if not moved.healthy:
                _report.warning(
                    "%.0f %% of the last %d replies were rewritten (healthy: %.0f to %.0f), mostly "
                    "for %s.",
                    100 * moved.rate,
                    moved.replies,
                    *(100 * each for each in RATE_TARGET),
                    ", ".join(moved.rules) or "nothing",
                )
        await self._keep(replied, owner=owner)

    async def _keep(self, replied: Replied, *, owner: str) -> None:
        if not self._settings.keep_replies:
            return
        expires = self._clock() + self._settings.retention.kept
        try:
            await asyncio.to_thread(self._put, replied, owner=owner, expires=expires)
        except Exception as error:  # noqa: BLE001 - the reply goes out, kept or not
            _report.warning("A reply was not kept for later (%s).", type(error).__name__)

    def _put(self, replied: Replied, *, owner: str, expires: datetime) -> None:
        tries = tuple(iteration.reply.text for iteration in replied.iterations)
        value = pack_reply(replied.reply, tries)
        self._parts.store.vault.put(Kept(owner=owner, name=REPLY, value=value, expires_at=expires))


def find_work(source: object) -> Callable[[str], Any]:
    """One run of a task by any worker: an agent, a model or its name, a function of the prompt."""
    work = find_writer(source, takes="the prompt")

    async def run(prompt: str) -> object:
        if not isinstance(work, AgentWriter):
            return await call_function(work, prompt)
        brief = PlainBrief(prompt=prompt)
        text = await work.write(brief)
        return Ran(output=text, tokens=brief.meter.tokens or None, money=brief.meter.money)

    return run


def _build_teller(steps: StepLog) -> Callable[[ReplyChecked | ReplySettled], None]:
    def tell(event: ReplyChecked | ReplySettled) -> None:
        steps(event)
        warn_at_the_bound(event)

    return tell
