"""How the parts are put together for one application, and who reviews what its agents do."""

from __future__ import annotations

import asyncio
import logging
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from difflib import get_close_matches
from functools import cache, partial
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.app.housekeeping import Housekeeping
from mulligan.app.judges import Judges
from mulligan.app.memory import FailureMemory
from mulligan.checks.custom import (
    Checks,
    list_functions,
    load_checks,
    make_call_check,
    name_check,
    read_severity,
)
from mulligan.learning.fingerprint import NONE_SHOWN, KnownPatterns, recognize
from mulligan.loops.actions import Attempted, Reviewers
from mulligan.loops.learning import Learning
from mulligan.process.event_loop import read_utc_now
from mulligan.redaction.scrub import scrub
from mulligan.runtime.context import TurnsUnderWay, carry, read_context
from mulligan.runtime.journal import JournalWriter, build_step_events
from mulligan.runtime.lookup import Recall
from mulligan.runtime.outcome import log_findings
from mulligan.runtime.outside_calls import OutsideCalls
from mulligan.runtime.promises import HouseRules, describe_tool
from mulligan.runtime.recovery import ActionInspector, Recovery
from mulligan.runtime.timer import LeaseRenewer, News, RecoveryThread, RecoveryTimer
from mulligan.runtime.tool import ActionTools, Runtime, choose_call_form, read_wall_us
from mulligan.runtime.toolbox import Toolbox
from mulligan.runtime.waiting import choose_steady
from mulligan.settings import Settings
from mulligan.stores.opening import open_store, refuse_no_store, with_task_versions
from mulligan.telemetry.events import Events
from mulligan.telemetry.writer import LogWriter
from mulligan.types.action import SETTLED, Entry, Opening
from mulligan.types.call import LogRow
from mulligan.types.effect import Mode, read_limit
from mulligan.types.errors import (
    ConfigurationError,
    MissingExtraError,
    RunningLoopError,
    StoreUnavailableError,
)
from mulligan.types.events import (
    AttemptReviewed,
    RemarkDropped,
)
from mulligan.types.finding import SeverityName, Waiver
from mulligan.types.interfaces import (
    Check,
    Clock,
    Gather,
    Judge,
    KnownTool,
    Store,
    TaskVersions,
)
from mulligan.types.lesson import ErrorRule, Pattern
from mulligan.types.limits import UndoBudget
from mulligan.types.values import IdentityKind, to_us

if TYPE_CHECKING:
    from mulligan.app.notifications import Notifier
    from mulligan.telemetry.otlp import Otlp

P = ParamSpec("P")
T = TypeVar("T")


class Asked(Struct, frozen=True, kw_only=True):
    """Who reviews what agents do, as the application named them."""

    checks: Checks = ()
    facts: Iterable[Gather] = ()
    judge: object = None
    """A judge; a model, or the name of one such as `anthropic:…`; an agent; or a function."""
    task_versions: TaskVersions | None = None
    """Where tasks are remembered instead of in the store."""


def _announce_review(event: AttemptReviewed | RemarkDropped, *, runtime: Runtime) -> None:
    """The result of a review: for current listeners and for later queries."""
    if isinstance(event, AttemptReviewed) and (event.found or runtime.events.wanted):
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
    from mulligan.checks.facts import computed_facts

    return (computed_facts,)


_report = logging.getLogger("mulligan")


class Loaded(Struct, frozen=True):
    """Carried while a command imports a program's code: it must not act."""

    module: str


GUARD = 'Put what only a start of the program is to do under `if __name__ == "__main__":`.'
"""What to do about a module that acts, or closes its application, while it is imported."""


class Parts(Struct, frozen=True, kw_only=True):
    """Everything one application runs on."""

    store: Store
    runtime: Runtime
    toolbox: Toolbox
    reviewers: Reviewers
    learning: Learning
    recovery: Recovery
    timer: RecoveryTimer
    lease_renewer: LeaseRenewer
    memory: FailureMemory | None
    """`None`: the application remembers nothing."""
    housekeeping: Housekeeping
    recovery_thread: RecoveryThread
    news: News
    under_way: TurnsUnderWay
    checks: list[Check[Attempted]]
    """Those of the reviewers, to add to."""
    rules: HouseRules
    otlp: Otlp | None
    """`None`: no collector is named."""
    notifier: Notifier | None
    """`None`: nobody wants to hear of what needs a person."""
    recover: bool
    closed: threading.Event = field(default_factory=threading.Event)

    def add_check(
        self, function: Callable[..., object], *, tools: Sequence[str], severity: SeverityName
    ) -> None:
        """Let a function of the application's own look at calls too."""
        for tool in tools:
            if not isinstance(tool, str):
                raise ConfigurationError(
                    f"A check is for tools by their names, not for {tool!r}: "
                    '@m.check("update_task").'
                )
        weight = read_severity(severity)
        self.checks.append(make_call_check(function, tools=tools, severity=weight))
        self.toolbox.checked.update(dict.fromkeys(tools, name_check(function)))

    @property
    def inspector(self) -> ActionInspector:
        """What looks at actions with the functions of their tools."""
        return ActionInspector(
            book=self.recovery.book, toolbox=self.toolbox, reviewers=self.reviewers
        )

    def begin(self) -> None:
        """A turn begins: be heard of, and look after what others left."""
        if loaded := read_context().of(Loaded):
            raise ConfigurationError(
                f"Importing {loaded.module} runs its agent, so it was stopped there. {GUARD}"
            )
        if self.closed.is_set():
            raise StoreUnavailableError(
                "This application is closed, so nothing was done. Make another Mulligan(…), or act "
                "before the end of its `with`."
            )
        self.announce()
        if self.recover:
            self.begin_recovery()

    def announce(self) -> None:
        """Be heard of, with the tools that are here."""
        self.lease_renewer.start()
        if self.notifier is not None:
            self.notifier.start()
        if self.toolbox.news:
            self.toolbox.news = False
            _obey_operator(self.store, self.toolbox)
            known = self.describe_tools()
            self.store.catalog.remember(known)
            self._warn_of_misnamed([each.tool for each in known])

    def describe_tools(self) -> list[KnownTool]:
        """The tools that are here, as the catalog has them."""
        return [
            describe_tool(replace(tool.declaration, mode=tool.reach.mode), rules=self.rules)
            for tool in self.toolbox
        ]

    def begin_recovery(self) -> None:
        """Look after what others left, now and from now on."""
        self.news.start()
        if read_context().of(BriefLoop) is None:
            with suppress(RuntimeError):  # no loop runs here
                self.timer.start()
        self.recovery_thread.start()

    def _warn_of_misnamed(self, tools: Sequence[str]) -> None:
        """A check for a tool that there is not never speaks up, and that would go unnoticed."""
        checked = self.toolbox.checked
        for name in [each for each in checked if each not in tools]:
            near = get_close_matches(name, tools, n=1)
            if near:
                said = "The check %s is for %r, and there is no such tool. Did you mean %r?"
                _report.warning(said, checked.pop(name), name, near[0])

    def wake(self, left: Collection[str]) -> None:
        """A turn has left these actions open."""
        _wake_both(self.timer, self.recovery_thread, left)

    def list_closes(self, *, own: bool = False) -> list[Callable[[], None]]:
        """What closes each part, the store last, unless it is the application's own.

        Nothing here leads back to a tool, a check or a subscriber: these may hold the application.
        """
        memory = [] if self.memory is None else [self.memory.errands.close]
        store = [] if own else [self.store.close]
        otlp = [] if self.otlp is None else [self.otlp.close]
        notifier = [] if self.notifier is None else [self.notifier.close]
        return [
            self.news.stop,
            self.recovery_thread.close,
            *notifier,
            self.lease_renewer.stop,
            self.housekeeping.close,
            *memory,
            self.runtime.log.close,
            self.runtime.events.errands.close,
            *otlp,
            *store,
        ]

    def close(self) -> None:
        """Close everything, the store last."""
        self.closed.set()
        for close in self.list_closes():
            close()


class BriefLoop:
    """Carried where the event loop ends with one turn: what must go on needs a thread."""


def refuse_running_loop(*, instead: str) -> None:
    """Refuse to hold up an event loop, and say what to write instead."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RunningLoopError(
        "An event loop runs here, as in a notebook or an async function, and this call would hold "
        f"it up. Nothing was done. Write `{instead}` instead; a notebook takes that as it is."
    )


def on_brief_loop() -> AbstractContextManager[None]:
    """The event loop in here is such a one."""
    return carry(read_context().put(BriefLoop, BriefLoop()))


def assemble(
    settings: Settings,
    *,
    store: Store | None = None,
    asked: Asked,
    clock: Clock = read_utc_now,
) -> Parts:
    """Put the parts together, on the given store or the one that the settings name."""
    if store is not None:
        refuse_no_store(store)
    store = store or open_store(
        settings.store,
        migrate=settings.migrate,
        vault_key=settings.vault_key,
        retention=settings.retention,
        lease=settings.lease,
        row_security=settings.row_security,
        clock=clock,
    )
    if asked.task_versions is not None:
        store = with_task_versions(store, asked.task_versions)
    toolbox = Toolbox()
    runtime = _build_runtime(settings, store, toolbox=toolbox, clock=clock)
    judges = Judges(runtime)
    runtime = replace(runtime, judge=judges.open_own(asked.judge))
    checks, standard = load_checks(asked.checks, find_tool=toolbox.find_shape)
    reviewers = _build_reviewers(
        settings, runtime, checks=checks, facts=asked.facts, toolbox=toolbox, clock=clock
    )
    under_way = TurnsUnderWay()
    outside = OutsideCalls(
        rule=settings.outside, reviewers=reviewers, book=runtime.book, under_way=under_way
    )
    runtime = replace(runtime, outside=outside)
    recovery = Recovery(book=runtime.book, toolbox=toolbox, reviewers=reviewers, held=runtime.held)
    return Parts(
        store=store,
        runtime=runtime,
        toolbox=toolbox,
        reviewers=reviewers,
        learning=_build_learning(store, runtime, judges=judges, clock=clock),
        recovery=recovery,
        timer=(timer := RecoveryTimer(recovery)),
        recovery_thread=(thread := RecoveryThread(timer)),
        news=News(store, wake=partial(_wake_both, timer, thread)),
        under_way=under_way,
        checks=checks,
        rules=HouseRules(
            strict=settings.strict,
            outside=settings.outside,
            hold_life=settings.hold_life,
            standard=standard,
        ),
        lease_renewer=LeaseRenewer(
            store.journal.beat,
            lease=settings.lease,
            obey=_weakly(toolbox, partial(_obey_operator, store)),
        ),
        memory=FailureMemory(
            store, redactor=runtime.redactor, clock=clock, tell=runtime.events.publish
        )
        if settings.memory.on
        else None,
        housekeeping=Housekeeping(store, retention=settings.retention, clock=clock),
        otlp=_open_otlp(settings, runtime.events),
        notifier=_open_notifier(settings, store, runtime, clock=clock),
        recover=settings.recover,
    )


def _obey_operator(store: Store, toolbox: Toolbox) -> None:
    """Go no further than an operator says, at run time and for every process of the store."""
    said = store.catalog.list_limits()
    for word in {*said.values()} - {*Mode}:
        _warn_of_mode(word)
    toolbox.limit({tool: read_limit(word) for tool, word in said.items()})
    toolbox.waivers = store.catalog.list_waivers()


def _weakly(owner: T, work: Callable[Concatenate[T, P], None]) -> Callable[P, None]:
    """For a thread of its own, which must not keep alive what tools or subscribers hold."""
    reference = weakref.ref(owner)

    def work_if_there(*given: P.args, **named: P.kwargs) -> None:
        found = reference()
        if found is not None:
            work(found, *given, **named)

    return work_if_there


@cache
def _warn_of_mode(word: str) -> None:
    _report.warning(
        "An operator has set the mode %r, which this version does not know: it goes as far as %r.",
        word,
        read_limit(word).value,
    )


def _build_reviewers(
    settings: Settings,
    runtime: Runtime,
    *,
    checks: Sequence[Check[Attempted]],
    facts: Iterable[Gather],
    toolbox: Toolbox,
    clock: Clock,
) -> Reviewers:
    def list_waivers() -> list[Waiver]:
        said = (*settings.waivers, *toolbox.waivers)
        return [each for each in said if each.holds(clock())]

    return Reviewers(
        attempts=settings.attempts,
        undos=UndoBudget(most=settings.judge_limits.undos),
        checks=checks,
        gathers=(
            *list_functions(facts, what="facts", takes=["the turn", "its calls"]),
            *_list_shipped_facts(runtime.judge),
        ),
        judge=runtime.judge,
        list_waivers=list_waivers,
        show=runtime.redactor.show_value,
        tell=partial(_announce_review, runtime=runtime),
    )


def _open_notifier(
    settings: Settings, store: Store, runtime: Runtime, *, clock: Clock
) -> Notifier | None:
    if not settings.webhook.url:
        return None
    from mulligan.app.notifications import Notifier
    from mulligan.insights.insights import Insights

    named = settings.tenant
    tenant = runtime.redactor.identify(named, IdentityKind.TENANT) if named else None
    insights = Insights(store, tenant=tenant, settings=settings, clock=clock)
    return Notifier(store, insights=insights, webhook=settings.webhook)


def _open_otlp(settings: Settings, events: Events) -> Otlp | None:
    if not settings.otlp:
        return None
    try:
        from mulligan.telemetry.otlp import Otlp
    except ModuleNotFoundError as missing:
        raise MissingExtraError(need="The setting otlp", extra="otlp") from missing
    otlp = Otlp(settings.otlp, spans=settings.spans)
    events.subscribe(otlp)
    return otlp


def _wake_both(timer: RecoveryTimer, thread: RecoveryThread, left: Collection[str] = ()) -> None:
    """Not by way of the parts, which a thread of its own must not keep alive."""
    timer.wake(left)
    thread.wake()


def _announce_step(tools: ActionTools, events: Events, opening: Opening, entry: Entry) -> None:
    if entry.state in SETTLED:
        tools.forget(entry.action)
    for event in build_step_events(opening, entry) if events.wanted else ():
        events.publish(event)


def _build_recall(settings: Settings, store: Store, *, clock: Clock) -> Recall | None:
    if not settings.memory.on:
        return None
    return Recall(
        store.failures, clock=clock, control=settings.memory.control, seeds=settings.memory.seeds
    )


def _build_learning(store: Store, runtime: Runtime, *, judges: Judges, clock: Clock) -> Learning:
    return Learning(
        task_versions=store.task_versions,
        clock=clock,
        announce=runtime.events.publish,
        scrub=partial(scrub, hide=runtime.redactor.hide),
        judge=runtime.judge,
        open_judge=judges.open,
        tenant=runtime.tenant,
        make_id=runtime.make_id,
    )


def _build_runtime(settings: Settings, store: Store, *, toolbox: Toolbox, clock: Clock) -> Runtime:
    redactor = settings.build_redactor(store)
    events = Events(label=redactor.redact_label)
    form = choose_call_form(fast=settings.redaction.fast)
    return Runtime(
        redactor=redactor,
        log=LogWriter(
            store.log,
            clock=clock,
            on_drop=_weakly(events, Events.publish),
            recognize=_build_recognizer(
                toolbox, rules=settings.error_rules, shown=settings.list_shown()
            ),
            make_queue=form.make_queue,
        ),
        book=JournalWriter(
            journal=store.journal,
            vault=store.vault,
            clock=clock,
            scrub=redactor.redact_text,
            announce=partial(_announce_step, toolbox.action_tools, events),
            steady=choose_steady(clock),
            hold_life=settings.hold_life,
            kept_life=settings.retention.kept,
        ),
        events=events,
        action_tools=toolbox.action_tools,
        stuck_after=settings.stuck_after,
        strict=settings.strict,
        mode=settings.mode,
        recall=_build_recall(settings, store, clock=clock),
        unadvised=settings.memory.unadvised,
        unlogged=frozenset(map(redactor.redact_label, settings.unlogged)),
        error_rules=settings.error_rules,
        patterns=KnownPatterns(settings.memory.measure()),
        tenant=redactor.identify(settings.tenant, IdentityKind.TENANT),
        sample=settings.sample,
        spans=settings.spans,
        backoff=settings.backoff,
        judge_limits=settings.judge_limits,
        form=form,
        wall_us=_choose_wall(clock),
    )


def _choose_wall(clock: Clock) -> Callable[[], int]:
    """When rows of the log are: by the clock of an application that has one of its own."""
    if clock is read_utc_now:
        return read_wall_us
    return lambda: to_us(clock(), name="The clock's time")


def _build_recognizer(
    toolbox: Toolbox, *, rules: Sequence[ErrorRule], shown: frozenset[str] | None = NONE_SHOWN
) -> Callable[[LogRow], Pattern]:
    """Recognizes failures by what tools' authors say of errors first, then by these rules.

    `shown`: arguments whose texts the log shows of every tool; `None` for all of them.
    """

    # The log's thread asks, and must not keep unused tools alive.
    reference = weakref.ref(toolbox)

    def recognize_by_tool(row: LogRow) -> Pattern:
        found = reference()
        tool = found.find_by_name(row.tool, server=row.server) if found is not None else None
        if tool is None:
            return recognize(row, rules=rules, shown=shown)
        here = shown if shown is None else shown | tool.allow
        return recognize(row, rules=tool.error_rules, shown=here)

    return recognize_by_tool
