"""Who reviews what agents do: as the application asks, and with what ships."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from mulligan.app.settings import Settings
from mulligan.checks.own.asked import Checks
from mulligan.checks.own.own import list_functions
from mulligan.core.happened.event import AttemptReviewed, RemarkDropped
from mulligan.core.interfaces import Archive, Gather, Judge
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.identity import IdentityKind
from mulligan.core.waiting.limits import UndoBudget
from mulligan.loops.actions import Reviewers
from mulligan.runtime.outcome import log_findings
from mulligan.runtime.tool import Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who reviews what agents do, as the application named them."""

    checks: Checks = ()
    facts: Iterable[Gather] = ()
    judge: object = None
    """A judge; a model, or the name of one such as `anthropic:…`; an agent; or a function."""
    archive: Archive | None = None
    """Where tasks are remembered instead of in the store."""


def build_reviewers(asked: Asked, runtime: Runtime, *, settings: Settings) -> Reviewers:
    """Who looks at each attempt, and what they are told."""
    return Reviewers(
        attempts=settings.attempts,
        undos=UndoBudget(most=settings.judge_undos),
        gathers=(
            *list_functions(asked.facts, what="facts"),
            *_list_shipped_facts(runtime.judge),
        ),
        judge=runtime.judge,
        show=runtime.redactor.show_value,
        tell=partial(_announce_review, runtime=runtime),
    )


def _announce_review(event: AttemptReviewed | RemarkDropped, *, runtime: Runtime) -> None:
    """What a review came to: for those who listen now, and for those who ask later."""
    if isinstance(event, AttemptReviewed):
        redactor = runtime.redactor
        event = replace(
            event,
            tenant=redactor.identify(event.tenant, IdentityKind.TENANT),
            agent=redactor.redact_label(event.agent),
        )
        log_findings(event, runtime=runtime)
    runtime.events.publish(event)


def _list_shipped_facts(judge: Judge | None) -> Iterable[Gather]:
    """Facts that a judge is given whether or not the application asks for them."""
    if judge is None:
        return ()
    from mulligan.checks.facts.computed import computed_facts

    return (computed_facts,)
