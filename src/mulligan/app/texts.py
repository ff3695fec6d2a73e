"""How an application has its texts written: with its judge, in its log, and kept for a while."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from mulligan.adapters.writers.discovery import find_writer
from mulligan.app.settings import Settings
from mulligan.app.step_log import StepLog
from mulligan.app.wiring import Parts
from mulligan.checks.grounding.verified import Verification, Verifier
from mulligan.core.action import Kept
from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Clock
from mulligan.core.replied import Replied
from mulligan.core.text_event import ReplyChecked, ReplySettled
from mulligan.loops.critics import judged_by
from mulligan.loops.drafts import Drafted, DraftRules, choose_loop
from mulligan.loops.replies import ReplyRules, Write, warn_at_the_bound, write_reply
from mulligan.turns.turn.context import OpenTurn
from mulligan.turns.turn.reply import Rewrite, answer
from mulligan.turns.turn.reply_record import NAME, pack_reply

_report = logging.getLogger("mulligan")


class Texts:
    """Replies and drafts of one application."""

    def __init__(self, parts: Parts, *, settings: Settings, clock: Clock) -> None:
        self._parts = parts
        self._settings = settings
        self._clock = clock
        self._verifiers: dict[Verification, Verifier] = {}

    async def reply(
        self, write: Write, *, rules: ReplyRules, query: str, context: tuple[str, ...]
    ) -> Replied:
        """Have a reply written and checked."""
        steps = StepLog(self._parts.runtime)
        replied = await write_reply(
            write,
            rules=self._with_verifier(rules),
            query=query,
            context=context,
            turn=steps.turn.id if steps.turn is not None else "",
            announce=_build_teller(steps),
        )
        await self._keep(replied, owner=steps.owner)
        return replied

    async def answer(
        self, reply: str, turn: OpenTurn, *, rules: ReplyRules, rewrite: Rewrite | None
    ) -> Replied:
        """Have the reply of a turn checked, and written again where somebody can."""
        steps = StepLog(self._parts.runtime, turn=turn)
        replied = await answer(
            reply,
            turn,
            rules=self._with_verifier(rules),
            rewrite=rewrite,
            announce=_build_teller(steps),
        )
        await self._keep(replied, owner=steps.owner)
        return replied

    async def draft(self, write: object, *, question: str, rules: DraftRules | None) -> Drafted:
        """Have an answer drafted; without rules, the application's judge is the critic."""
        held_to = self._build_draft_rules() if rules is None else rules
        steps = StepLog(self._parts.runtime)
        run = choose_loop(self._settings.loop)
        return await run(find_writer(write), question=question, rules=held_to, announce=steps)

    def _build_draft_rules(self) -> DraftRules:
        judge = self._parts.learning.judge
        if judge is None:
            raise ConfigurationError(
                "A draft needs a critic: pass rules=DraftRules(critics=[…]), or give the "
                "application a judge."
            )
        return DraftRules(critics=[judged_by(judge)])

    def _with_verifier(self, rules: ReplyRules) -> ReplyRules:
        """The rules with a judge for the claims, where they ask for one and there is one."""
        asked = rules.verify
        if asked is None or rules.verifier is not None:
            return rules
        if asked not in self._verifiers:
            learning = self._parts.learning
            judge = learning.judge_named(asked.judge) if asked.judge else learning.judge
            if judge is None:
                return rules
            # Kept, because it remembers what was answered before.
            self._verifiers[asked] = Verifier(judge, severity=asked.severity)
        return replace(rules, verifier=self._verifiers[asked])

    async def _keep(self, replied: Replied, *, owner: str) -> None:
        if not self._settings.keep_replies:
            return
        tries = tuple(iteration.reply.text for iteration in replied.iterations)
        try:
            kept = Kept(
                owner=owner,
                name=NAME,
                value=pack_reply(replied.reply, tries),
                expires_at=self._clock() + self._settings.retention.kept,
            )
            await asyncio.to_thread(self._parts.store.vault.put, kept)
        except Exception as error:  # noqa: BLE001 - the reply goes out, kept or not
            _report.warning("A reply was not kept for later (%s).", type(error).__name__)


def _build_teller(steps: StepLog) -> Callable[[ReplyChecked | ReplySettled], None]:
    def tell(event: ReplyChecked | ReplySettled) -> None:
        steps(event)
        warn_at_the_bound(event)

    return tell
