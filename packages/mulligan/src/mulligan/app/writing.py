"""`Mulligan` as one that has texts written: replies, drafts, runs of tasks, and thumbs for them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mulligan.app.wiring import Parts
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import Check, Clock

if TYPE_CHECKING:
    from mulligan.app.texts import Texts
    from mulligan.loops.briefs import Writer
    from mulligan.loops.drafts import Drafted, DraftRules
    from mulligan.loops.learning import Learning
    from mulligan.loops.reflection import Optimized
    from mulligan.loops.replies import ReplyRules, Write
    from mulligan.loops.tasks import TaskDone, Work
    from mulligan.runtime.reply import Rewrite
    from mulligan.types.adapter import AgentWriter
    from mulligan.types.reply import Replied, Reply
    from mulligan.types.task import Reflect, Task

    Rules = ReplyRules | str | Iterable[Check[Reply]] | None

_report = logging.getLogger("mulligan")

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
            context=(context,) if isinstance(context, str) else tuple(context),
        )

    async def draft(
        self, write: Writer | object, /, *, question: str, rules: DraftRules | None = None
    ) -> Drafted:
        """Generate, criticise, revise: the best judged draft, and always an answer.

        `write` is a function of a brief, sync or async; an agent, a runnable, a model or its name.
        Without critics the application's judge is the critic. The setting `loop` says how.
        """
        return await self._texts.draft(write, question=question, rules=rules)

    def rate(self, of: str, *, up: bool, note: str = "") -> None:
        """A person's thumb for a reply, a draft or a run, by its id: `m.rate(replied.id, up=True)`.

        It is kept in the log as evidence, the note less secrets, and stands in the figures. Of a
        run of a task it is the score, while the run is among the latest that are kept.
        """
        from mulligan.types.reply import Rating, build_rating_row

        runtime = self._parts.runtime
        rating = Rating(of=of, up=up, note=runtime.redactor.redact_text(note))
        at_us = runtime.wall_us()
        runtime.log.emit(
            build_rating_row(
                rating, row_id=runtime.make_id(at_us), at_us=at_us, tenant=runtime.tenant
            )
        )
        learning = self._parts.learning
        try:
            learning.archive.rate(of, score=float(up), tenant=learning.tenant)
        except Exception as error:  # noqa: BLE001 - a user's archive may raise anything
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

    async def run_task(self, task: Task, work: Work | object, /) -> TaskDone:
        """Run a task once; `work` is a function of the prompt, or an agent, a model or its name.

        With `Task(reflect=…)` its instructions get better over runs, by evidence; what its owner
        wrote never changes.
        """
        from mulligan.app.texts import find_work
        from mulligan.loops.tasks import run_task

        return await run_task(task, find_work(work), using=self._build_learning())

    async def optimize_task(
        self,
        task: str,
        /,
        *,
        rounds: int = 4,
        reflect: Reflect | None = None,
        model: str | None = None,
        tenant: str | None = None,
        tell: Callable[[int, str], None] = lambda _number, _said: None,
    ) -> Optimized:
        """Have notes proposed from a task's recorded, scored runs, and put them on trial.

        `reflect` says who reflects; without it, the application's judge does. Nothing is promoted
        here: the runs to come decide, by the same gate as always.
        """
        from mulligan.insights.filters import NameLookup
        from mulligan.insights.tasks import TaskList
        from mulligan.loops.reflection import optimize
        from mulligan.stores.tenant_view import keep_to_tenant
        from mulligan.types.task import Reflect

        named = NameLookup(self._parts.runtime.redactor).find_tenant(tenant)
        whose, store = named or self._parts.learning.tenant, self._parts.store
        tasks = TaskList((keep_to_tenant(store, whose) if whose else store).archive)
        ground = tasks.require_ground(task, model=model)
        return await optimize(
            ground,
            settings=reflect or Reflect(),
            rounds=rounds,
            using=self._build_learning(),
            tell=tell,
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
        return self._read_rules(rules) or self._replies or self._load_preset("default")

    def _read_rules(self, rules: Rules) -> ReplyRules | None:
        if rules is None:
            return None
        if isinstance(rules, str):
            return self._load_preset(rules)
        from mulligan.loops.replies import ReplyRules

        return rules if isinstance(rules, ReplyRules) else ReplyRules(checks=tuple(rules))

    def _load_preset(self, name: str) -> ReplyRules:
        from mulligan.loops.replies import load_reply_rules

        return load_reply_rules(name)
