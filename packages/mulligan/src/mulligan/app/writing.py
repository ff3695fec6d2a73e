"""`Mulligan` as one that has texts written: replies, drafts, runs of tasks, and thumbs for them."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mulligan.app.wiring import Parts, on_brief_loop, refuse_running_loop
from mulligan.process.event_loop import run_on_own_loop
from mulligan.process.user_functions import ANSWERS_WITHIN, call_function_now
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import Check, Clock

if TYPE_CHECKING:
    from mulligan.app.texts import Texts
    from mulligan.evaluation.evaluate import Case
    from mulligan.evaluation.report import Report
    from mulligan.learning.task_versions import Result
    from mulligan.loops.briefs import Writer
    from mulligan.loops.drafts import Drafted, DraftRules
    from mulligan.loops.learning import Learning
    from mulligan.loops.reflection import Optimized
    from mulligan.loops.replies import ReplyRules, Write
    from mulligan.loops.streaming import Finished, StartOver, TextPiece
    from mulligan.loops.tasks import TaskDone, Work
    from mulligan.runtime.reply import Rewrite
    from mulligan.types.adapter import AgentWriter
    from mulligan.types.notes import TaskRun
    from mulligan.types.reply import Replied, Reply
    from mulligan.types.task import Reflect, Task, TaskCase

    Rules = ReplyRules | str | Iterable[Check[Reply]] | None

_report = logging.getLogger("mulligan")

_ID = re.compile("[0-9a-f]{32}")

# The loops are loaded where they are first asked for: most applications use one or two.


class Writing:
    """The methods of `Mulligan` over text; functions, agents, models and their names can write."""

    settings: Settings
    _parts: Parts
    _clock: Clock
    _replies: ReplyRules | None

    async def reply(
        self,
        write: Write | object,
        /,
        *,
        query: str = "",
        context: str | Iterable[str] = (),
        rules: Rules = None,
    ) -> Replied:
        """Write a reply, check it, and have it written again until it is good or the bound is met.

        `write` is a function of the feedback on the reply before (`None` at first), sync or async;
        or an agent, a runnable, a model or its name, which is told all that in its prompt.

        `rules`: a preset such as "marketing", a TOML file, checks or rules of your own; else those
        of the application. At the bound the best reply goes out, marked; nothing is raised. If
        claims are to be verified, the application's judge is asked, unless the rules name another.
        """
        return await self._texts.reply(
            write,
            rules=self._choose_rules(rules),
            query=query,
            context=context,
        )

    def reply_sync(
        self,
        write: Write | object,
        /,
        *,
        query: str = "",
        context: str | Iterable[str] = (),
        rules: Rules = None,
    ) -> Replied:
        """`reply` for a program without an event loop."""
        refuse_running_loop(instead="await m.reply(…)")
        with on_brief_loop():
            return run_on_own_loop(self.reply(write, query=query, context=context, rules=rules))

    def stream_reply(
        self,
        write: Write | object,
        /,
        *,
        query: str = "",
        context: str | Iterable[str] = (),
        rules: Rules = None,
        optimistic: bool = False,
    ) -> AsyncGenerator[TextPiece | StartOver | Finished[Replied], None]:
        """`reply` as events: pieces of text, `StartOver` where they are void, `Finished` at last.

        What a check has rejected is not shown, so that a text is shown on the way only where every
        check can decide there. `optimistic` shows all that is written, and clears it if need be.
        """
        from mulligan.loops.streaming import Stream, follow

        held_to = self._choose_rules(rules)
        return follow(
            lambda tell: self._texts.reply(
                write,
                rules=held_to,
                query=query,
                context=context,
                stream=Stream(tell, optimistic=optimistic),
            )
        )

    async def draft(
        self, write: Writer | object, /, *, question: str, rules: DraftRules | None = None
    ) -> Drafted:
        """Generate, criticise, revise: the best judged draft, and always an answer.

        `write` is a function of a brief, sync or async; an agent, a runnable, a model or its name.
        Without critics the application's judge is the critic.
        """
        return await self._texts.draft(write, question=question, rules=rules)

    def draft_sync(
        self, write: Writer | object, /, *, question: str, rules: DraftRules | None = None
    ) -> Drafted:
        """`draft` for a program without an event loop."""
        refuse_running_loop(instead="await m.draft(…)")
        with on_brief_loop():
            return run_on_own_loop(self.draft(write, question=question, rules=rules))

    def stream_draft(
        self,
        write: Writer | object,
        /,
        *,
        question: str,
        rules: DraftRules | None = None,
        optimistic: bool = False,
    ) -> AsyncGenerator[TextPiece | StartOver | Finished[Drafted], None]:
        """`draft` as events; a critic judges the whole, so only `optimistic` shows it before."""
        from mulligan.loops.streaming import Stream, follow

        return follow(
            lambda tell: self._texts.draft(
                write, question=question, rules=rules, stream=Stream(tell, optimistic=optimistic)
            )
        )

    async def evaluate_draft(
        self,
        write: Writer | object,
        cases: Iterable[Case],
        /,
        *,
        rules: DraftRules | None = None,
    ) -> Report:
        """Have every case drafted by `draft`, and report scores, revisions and expected answers."""
        from mulligan.evaluation.evaluate import evaluate_drafts
        from mulligan.hosts.writers import name_writer

        async def draft(question: str) -> Drafted:
            return await self.draft(write, question=question, rules=rules)

        return await evaluate_drafts(draft, [*cases], writer=name_writer(write))

    def rate(self, of: str, *, up: bool, note: str = "") -> None:
        """A person's thumb for a reply, a draft or a run, by its id: `m.rate(replied.id, up=True)`.

        It is kept in the log as evidence, the note less secrets, and stands in the figures. Of a
        run of a task it is the score, while the run is among the latest that are kept.
        """
        from mulligan.types.reply import Rating, build_rating_row

        runtime = self._parts.runtime
        rating = Rating(of=of, up=up, note=runtime.redactor.redact_text(note))
        if not _ID.fullmatch(of):
            raise ConfigurationError(
                f"{of!r} is no id of a reply, a draft or a run: m.rate(done.id, up=True)."
            )
        at_us = runtime.wall_us()
        runtime.log.emit(
            build_rating_row(
                rating, row_id=runtime.make_id(at_us), at_us=at_us, tenant=runtime.tenant
            )
        )
        learning = self._parts.learning
        try:
            rate = partial(learning.task_versions.rate, score=float(up), tenant=learning.tenant)
            call_function_now(rate, of, within=ANSWERS_WITHIN)
        except Exception as error:  # noqa: BLE001 - a user's task versions may raise anything
            _report.warning("A thumb is no evidence for its task (%s).", type(error).__name__)

    def load_rules(self, rules: Rules = None) -> ReplyRules:
        """The rules as `m.reply` holds a text to them, with the judge that verifies claims.

        What an evaluation is given, so that it runs what production runs.
        """
        return self._texts.with_verifier(self._choose_rules(rules))

    def requirements(self, rules: Rules = None) -> str:
        """What the checks of replies ask for, as text for the writer's prompt."""
        from mulligan.checks.feedback import render_requirements

        return render_requirements(self._choose_rules(rules).checks)

    async def run_task(
        self,
        task: Task,
        work: Work | object,
        /,
        *,
        input: object = None,  # noqa: A002 - the field's word
    ) -> TaskDone:
        """Run a task once; `work` is a function of the prompt, or an agent, a model or its name.

        `input` is what this run is about: it ends the prompt, and a score may see it.
        With `Task(reflect=…)` its instructions get better over runs, by evidence; what its owner
        wrote never changes.
        """
        from mulligan.app.texts import find_work
        from mulligan.loops.tasks import run_task

        using = self._build_learning()
        return await run_task(task, find_work(work), using=using, input=input)

    async def evaluate_task(
        self,
        task: Task,
        work: Work | object,
        cases: Iterable[TaskCase | object],
        /,
        *,
        versions: Sequence[int] = (),
    ) -> list[Result]:
        """Score versions of a task on the same inputs, each with its mean and 95 % interval.

        By default the static text and the version on top. A case is an input, or a `TaskCase` with
        what is expected for it. Nothing is learned: the task stays as it is.
        """
        from mulligan.app.texts import find_work
        from mulligan.loops.tasks import evaluate_task
        from mulligan.types.task import TaskCase

        read = [each if isinstance(each, TaskCase) else TaskCase(input=each) for each in cases]
        using = self._build_learning()
        return await evaluate_task(task, find_work(work), read, versions=versions, using=using)

    async def optimize_task(
        self,
        task: str | Task,
        /,
        *,
        runs: Iterable[TaskRun] | None = None,
        rounds: int = 4,
        reflect: Reflect | None = None,
        model: str | None = None,
        tenant: str | None = None,
        tell: Callable[[int, str], None] = lambda _number, _said: None,
    ) -> Optimized:
        """Have notes proposed from a task's recorded, scored runs, and put them on trial.

        `reflect` says who reflects; without it, the application's judge does. Nothing is promoted
        here: the runs to come decide, by the same gate as always. `runs` are of a `Task` and were
        made elsewhere, such as those of traces: a search over these instead, which count for none.
        """
        from mulligan.insights.filters import NameLookup
        from mulligan.insights.tasks import TaskList
        from mulligan.loops.reflection import optimize
        from mulligan.loops.tasks import build_ground
        from mulligan.stores.tenant_view import keep_to_tenant
        from mulligan.types.task import Reflect, Task, require_task

        named = NameLookup(self._parts.runtime.redactor).find_tenant(tenant)
        whose, store = named or self._parts.learning.tenant, self._parts.store
        tasks = TaskList((keep_to_tenant(store, whose) if whose else store).task_versions)
        using, recorded = self._build_learning(), None
        if runs is None:
            name = task.identity if isinstance(task, Task) else task
            ground = tasks.require_ground(name, model=model)
        else:
            own = require_task(task) if model is None else replace(require_task(task), model=model)
            ground, recorded = replace(build_ground(own, using), tenant=whose), (own, list(runs))
        return await optimize(
            ground,
            settings=reflect or Reflect(),
            rounds=rounds,
            using=using,
            tell=tell,
            recorded=recorded,
        )

    def _build_learning(self) -> Learning:
        """What tasks learn by, with a log of the steps."""
        from mulligan.app.texts import StepLog

        return replace(self._parts.learning, announce=StepLog(self._parts.runtime))

    @cached_property
    def _texts(self) -> Texts:
        from mulligan.app.texts import Texts

        return Texts(self._parts, settings=self.settings, clock=self._clock)

    def _find_rewriter(self, source: object) -> Rewrite | AgentWriter:
        """Who writes the reply of a turn again; refused at once where it cannot, or never would."""
        if self._replies is None:
            raise ConfigurationError(
                "rewrite= is given, but no rules say when a reply is wrong, so that it would never "
                'be asked. Name them: Mulligan(replies="default"), another preset, or checks.'
            )
        from mulligan.hosts.writers import find_writer

        return find_writer(source, takes="what was wrong with the reply")

    def _choose_rules(self, rules: Rules = None) -> ReplyRules:
        """What a text is held to: the rules given with it, else the application's, else ours."""
        from mulligan.loops.replies import load_reply_rules

        return self._read_rules(rules) or self._replies or load_reply_rules("default")

    def _read_rules(self, rules: Rules) -> ReplyRules | None:
        if rules is None:
            return None
        from mulligan.loops.replies import read_reply_rules

        return read_reply_rules(rules)
