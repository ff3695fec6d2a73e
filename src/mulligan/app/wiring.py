"""How the parts are put together for one application."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import cast

from mulligan.app.finding_log import log_findings
from mulligan.app.housekeeping import Housekeeping
from mulligan.app.memory import Memory
from mulligan.app.recognizing import build_recognizer
from mulligan.app.settings import Settings
from mulligan.core.event import AttemptReviewed, RemarkDropped
from mulligan.core.identity import IdentityKind
from mulligan.core.interfaces import Check, Clock, Gather, Judge, Store
from mulligan.learning.errors.nearest import KnownPatterns
from mulligan.loops.actions import Attempted, Reviewers
from mulligan.loops.reflecting import Learning
from mulligan.redaction.scrub import scrub
from mulligan.stores.clock import read_utc_now
from mulligan.stores.opening import open_store
from mulligan.telemetry.events import Events
from mulligan.telemetry.writer import LogWriter
from mulligan.turns.calls.runtime import Runtime
from mulligan.turns.calls.toolbox import Toolbox
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.steady import choose_steady
from mulligan.turns.memory.lookup import Recall
from mulligan.turns.recovery.recovery import Recovery
from mulligan.turns.recovery.timer import Heart, RecoveryTimer
from mulligan.turns.tools.promises import describe_tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who reviews what agents do, as the application named them."""

    checks: Iterable[Check[Attempted]] = ()
    facts: Iterable[Gather] = ()
    judge: object = None
    """A judge, a pydantic-ai model, or the name of one such as `anthropic:…`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything one application runs on."""

    store: Store
    runtime: Runtime
    toolbox: Toolbox
    reviewers: Reviewers
    learning: Learning
    recovery: Recovery
    timer: RecoveryTimer
    heart: Heart
    memory: Memory | None
    """`None`: the application remembers nothing."""
    housekeeping: Housekeeping
    recover: bool

    def begin(self) -> None:
        """A turn begins: be heard of, and look after what others left, where a loop runs."""
        self.heart.start()
        if self.toolbox.news:
            self.toolbox.news = False
            strict = self.runtime.strict
            known = [describe_tool(tool.declaration, strict=strict) for tool in self.toolbox]
            self.store.catalog.remember(known)
        if not self.recover:
            return
        with suppress(RuntimeError):  # no loop runs here: turns of such programs recover themselves
            self.timer.start()

    def close(self) -> None:
        """Close everything, the store last."""
        self.heart.stop()
        self.housekeeping.close()
        if self.memory is not None:
            self.memory.close()
        self.runtime.log.close()
        self.runtime.events.close()
        self.store.close()


def assemble(
    settings: Settings,
    *,
    store: Store | None = None,
    asked: Asked,
    clock: Clock = read_utc_now,
) -> Parts:
    """Put the parts together, on the given store or the one that the settings name."""
    store = store or open_store(
        settings.store,
        migrate=settings.migrate,
        vault_key=settings.vault_key,
        retention=settings.retention,
        lease=settings.lease,
    )
    toolbox = Toolbox()
    runtime = _build_runtime(settings, store, toolbox=toolbox, clock=clock)
    runtime = replace(runtime, judge=_choose_judge(asked.judge, runtime))
    reviewers = _build_reviewers(asked, runtime)
    recovery = Recovery(
        book=runtime.book,
        toolbox=toolbox,
        reviewers=reviewers,
        held=runtime.held,
    )
    return Parts(
        store=store,
        runtime=runtime,
        toolbox=toolbox,
        reviewers=reviewers,
        learning=_build_learning(store, runtime, reviewers, clock=clock),
        recovery=recovery,
        timer=RecoveryTimer(recovery),
        heart=Heart(store.journal.beat, lease=settings.lease),
        memory=_build_memory(settings, store, runtime, clock=clock),
        housekeeping=Housekeeping(store, retention=settings.retention, clock=clock),
        recover=settings.recover,
    )


def _build_memory(
    settings: Settings, store: Store, runtime: Runtime, *, clock: Clock
) -> Memory | None:
    if not settings.memory:
        return None
    return Memory(
        store,
        redactor=runtime.redactor,
        clock=clock,
        calls=lambda: runtime.log.tally().emitted,
        tell=runtime.events.publish,
    )


def _build_recall(settings: Settings, store: Store, *, clock: Clock) -> Recall | None:
    if not settings.memory:
        return None
    return Recall(store.casebook, clock=clock, control=settings.control, seeds=settings.seeds)


def _build_learning(
    store: Store, runtime: Runtime, reviewers: Reviewers, *, clock: Clock
) -> Learning:
    return Learning(
        archive=store.archive,
        clock=clock,
        announce=runtime.events.publish,
        scrub=partial(scrub, hide=runtime.redactor.hide),
        judge=reviewers.judge,
        judge_named=cache(partial(open_judge, runtime=runtime)),
        tenant=runtime.tenant,
    )


def _build_reviewers(asked: Asked, runtime: Runtime) -> Reviewers:
    return Reviewers(
        checks=tuple(asked.checks),
        gathers=(*asked.facts, *_list_shipped_facts(runtime.judge)),
        judge=runtime.judge,
        show=runtime.redactor.redact_value,
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
    from mulligan.checks.computed import computed_facts

    return (computed_facts,)


def _choose_judge(judge: object, runtime: Runtime) -> Judge | None:
    """A judge of the application's own, or a model by its name."""
    if judge is None or hasattr(judge, "ask"):
        return cast("Judge | None", judge)
    return open_judge(judge, runtime=runtime)


def open_judge(model: object, *, runtime: Runtime) -> Judge:
    """A judge that is a model, or the name of one."""
    from mulligan.judge.model import ModelJudge
    from mulligan.prompts.render import render

    return ModelJudge(
        cast("str", model),
        render=render,
        scrub=partial(scrub, hide=runtime.redactor.hide),
        tell=runtime.events.publish,
    )


def _build_runtime(settings: Settings, store: Store, *, toolbox: Toolbox, clock: Clock) -> Runtime:
    redactor = settings.build_redactor(store)
    events = Events(label=redactor.redact_label)
    return Runtime(
        redactor=redactor,
        log=LogWriter(
            store.log,
            clock=clock,
            on_drop=events.publish,
            recognize=build_recognizer(toolbox, rules=settings.error_rules),
        ),
        book=Book(
            journal=store.journal,
            vault=store.vault,
            clock=clock,
            scrub=redactor.redact_text,
            announce=events.publish,
            steady=choose_steady(clock),
        ),
        events=events,
        strict=settings.strict,
        recall=_build_recall(settings, store, clock=clock),
        unadvised=settings.unadvised,
        error_rules=settings.error_rules,
        patterns=KnownPatterns(settings.measure()),
        tenant=redactor.identify(settings.tenant, IdentityKind.TENANT),
        sample=settings.sample,
        spans=settings.spans,
        backoff=settings.backoff,
    )
