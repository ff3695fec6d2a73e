"""How an application has its texts written: by anybody, with its judge, in its log, and kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from mulligan.adapters.writers.discovery import find_agent, find_writer
from mulligan.app.settings import Settings
from mulligan.app.texts.step_log import StepLog
from mulligan.app.wiring import Parts
from mulligan.checks.grounding.verified import Verification, Verifier
from mulligan.core.action import Kept
from mulligan.core.adapter import AgentWriter
from mulligan.core.errors import ConfigurationError
from mulligan.core.happened.text_event import ReplyChecked, ReplySettled
from mulligan.core.interfaces import Clock, Judge
from mulligan.core.task import Ran
from mulligan.core.text import Replied
from mulligan.core.waiting.awaiting import call_function
from mulligan.loops.critics import JudgeCritic, judged_by
from mulligan.loops.drafting import PlainBrief, Writer
from mulligan.loops.drafts import Drafted, DraftRules, choose_loop
from mulligan.loops.replies import ReplyRules, warn_at_the_bound, write_reply
from mulligan.prompts.template import read_own_prompt
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.turn import NAME, Rewrite, answer, pack_reply

_report = logging.getLogger("mulligan")


class Texts:
    """Replies and drafts of one application."""

    def __init__(self, parts: Parts, *, settings: Settings, clock: Clock) -> None:
        self._parts = parts
        self._settings = settings
        self._clock = clock
        self._verifiers: dict[tuple[object, ...], tuple[Verification, Verifier]] = {}

    async def reply(
        self, write: object, *, rules: ReplyRules, query: str, context: tuple[str, ...]
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
        )
        await self._keep(replied, owner=steps.owner)
        return replace(replied, id=steps.id)

    async def answer(
        self,
        reply: str,
        turn: OpenTurn,
        *,
        rules: ReplyRules,
        rewrite: Rewrite | AgentWriter | None,
    ) -> Replied:
        """Have the reply of a turn checked, and written again where somebody can."""
        steps = StepLog(self._parts.runtime, turn=turn)
        replied = await answer(
            reply,
            turn,
            rules=self.with_verifier(rules),
            rewrite=rewrite,
            announce=_build_teller(steps),
        )
        await self._keep(replied, owner=steps.owner)
        return replace(replied, id=steps.id)

    async def draft(self, write: object, *, question: str, rules: DraftRules | None) -> Drafted:
        """Have an answer drafted; without critics, the application's judge is the critic."""
        writer = find_writer(write, takes="a brief")
        by = cast("Writer", writer.write if isinstance(writer, AgentWriter) else writer)
        held_to = self._with_critics(rules or DraftRules())
        steps = StepLog(self._parts.runtime)
        run = choose_loop(self._settings.loop)
        drafted = await run(by, question=question, rules=held_to, announce=steps)
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

    def with_verifier(self, rules: ReplyRules) -> ReplyRules:
        """The rules with a judge for the claims, where they ask for one and there is one."""
        asked = rules.verify
        if asked is None or rules.verifier is not None:
            return rules
        named = asked.judge if isinstance(asked.judge, str) else id(asked.judge)
        key = (asked.severity, named, asked.prompt)
        if key not in self._verifiers:
            learning = self._parts.learning
            judge = learning.open_judge(asked.judge) if asked.judge else learning.judge
            if judge is None:
                return rules
            own = read_own_prompt(asked.prompt) if asked.prompt else ""
            # Kept, because it remembers what was answered before.
            verifier = Verifier(judge, severity=asked.severity, own_prompt=own)
            self._verifiers[key] = (asked, verifier)
        return replace(rules, verifier=self._verifiers[key][1])

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
        self._parts.store.vault.put(Kept(owner=owner, name=NAME, value=value, expires_at=expires))


def find_work(source: object) -> Callable[[str], Any]:
    """One run of a task by anybody: an agent, a model or its name, a function of the prompt."""
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
