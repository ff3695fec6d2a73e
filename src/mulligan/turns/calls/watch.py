"""Watches the calls of one tool: what went in, what came out, and one redacted row of it."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from mulligan.core.call import Call, ErrorClass, Execution, Failure, LogRow, Outcome
from mulligan.core.effect import Effect, Mode, Precheck
from mulligan.core.errors import NoSchemaError, SilentError
from mulligan.core.event import CallLogged, CallRepaired
from mulligan.core.instants import from_us
from mulligan.core.limits import Breaker, RetryBudget
from mulligan.core.suggestion import NO_SCHEMA
from mulligan.learning.errors.classify import build_classifier
from mulligan.learning.repair.applying import TrackRecord
from mulligan.turns.calls.live import Pending
from mulligan.turns.calls.runtime import Runtime
from mulligan.turns.journal.book import LiveAction
from mulligan.turns.memory.offers import Corrected
from mulligan.turns.tools.declaration import Declaration
from mulligan.turns.tools.results import Results
from mulligan.turns.tools.signature import Signature
from mulligan.turns.turn.context import Labels, OpenTurn, find_current_turn

if TYPE_CHECKING:
    from mulligan.telemetry.spans import ToolSpan

_report = logging.getLogger("mulligan")

_STOPPED = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)
"""Not failures of the tool: somebody stopped it."""

SUCCESS = Outcome.SUCCESS.value
NO_ERROR = (None, None, None, None, None)
_NOT_THERE = (
    Outcome.FAILURE.value, 0, ErrorClass.AMBIGUOUS.value, None,
    "It gave no answer; it was looked for, and is not there.", None, None, None,
)  # fmt: skip


class Watch:
    """Sees every call of one tool. What goes wrong in here never reaches the tool's caller."""

    def __init__(self, declaration: Declaration, *, signature: Signature, runtime: Runtime) -> None:
        self.declaration = declaration
        self.runtime = runtime
        self.breaker = Breaker()
        self.budget = RetryBudget()
        self.signature = signature
        self.prechecks = declaration.precheck is not Precheck.AFTER
        """Its calls are looked at before they are made."""
        self._record = TrackRecord()
        self._tool = runtime.redactor.redact_label(declaration.tool)
        self._server = (
            runtime.redactor.redact_label(declaration.server) if declaration.server else ""
        )
        self._sample = runtime.sample
        self.error_rules = (*declaration.error_rules, *runtime.error_rules)
        self._classify = build_classifier(self.error_rules, otherwise=runtime.classify)
        self._results = Results(declaration, rules=self.error_rules)
        self._said: set[str] = set()
        self._schema: Mapping[str, object] | None = None
        self.acts = _acts(declaration, strict=runtime.strict)
        """It changes the world, and what it does in a turn is journaled or held."""
        self.guarded = self.acts or self.prechecks
        """A call of a turn is looked at or written down before it is made."""
        self._outside = Labels(tenant=runtime.tenant, agent="", context="", turn=None)
        self._calls = 0
        """First tries since the last failure."""

    @property
    def rarely_fails(self) -> bool:
        """Whether nobody need look ahead or ask around for this tool."""
        return self._record.fails_rarely(self._calls)

    def load_schema(self) -> Mapping[str, object]:
        """The schema of its arguments, or none if what was declared is none."""
        if self._schema is None:
            from mulligan.learning.shape.schema import read_schema

            self._schema = self.declaration.schema
            try:
                if self._schema:
                    read_schema(self._schema, tool=self.declaration.tool)
            except NoSchemaError as error:
                self.say_once(str(error))
                self._schema = NO_SCHEMA
        return self._schema

    def advises(self, agent: str) -> bool:
        """Whether this agent wants to be told what would help."""
        return agent not in self.runtime.unadvised

    def begin(
        self,
        args: tuple[object, ...],
        kwargs: dict[str, object],
        *,
        corrects: Corrected | None = None,
    ) -> Pending:
        """A first try starts, or the corrected call after one that failed."""
        runtime = self.runtime
        pending = Pending(runtime.wall_us(), chance=runtime.chance)
        key = self.declaration.key
        if key and kwargs.get(key) is None and not self.signature.places(key, args):
            # The same on every try, so that the remote can tell a second try from a second call.
            kwargs[key] = pending.id
        arguments = self.signature.bind(args, kwargs)
        pending.take(arguments)
        turn = pending.turn = find_current_turn()
        if turn is not None and turn.offers:
            offered = self._match_offer(turn, arguments)
            corrects = corrects or offered
        if corrects is not None:
            pending.follow(corrects)
        self._calls += 1
        sampled = self._sample >= 1.0 or runtime.chance.random() < self._sample
        try:
            if sampled or corrects is not None:
                pending.parameters = self._redact_arguments(arguments)
        except Exception as error:  # noqa: BLE001 - the log may fail, the tool may not
            self.note("A call of %s cannot be logged", error)
        return self._start(pending)

    def _match_offer(self, turn: OpenTurn, arguments: Mapping[str, object]) -> Corrected | None:
        """What the agent was told to try, if this is it."""
        said = self.declaration
        try:
            return turn.offers.take(arguments, server=said.server, tool=said.tool, key=said.key)
        except Exception:  # noqa: BLE001 - values that cannot even be compared
            return None

    def begin_again(self, first: Pending, *, try_number: int) -> Pending:
        """A later try of the same call starts."""
        runtime = self.runtime
        pending = Pending(runtime.wall_us(), chance=runtime.chance)
        pending.take(first.arguments)
        pending.parameters = first.parameters
        pending.parent = first.parent or first.id
        pending.try_number = try_number
        pending.turn = first.turn
        return self._start(pending)

    def log_success(self, pending: Pending, result: object) -> int:
        """It came back. Queue its row; how long it took, in microseconds."""
        duration_us = (time.perf_counter_ns() - pending.start) // 1000
        if self.breaker.failing:
            self.breaker.succeed()
        if pending.follows is not None:
            self._announce_repair(pending, pending.follows)
        try:
            if pending.span is not None:
                self._end_span(pending.span)
            if pending.parameters is None:
                return duration_us
            shown = self.runtime.redactor.redact_result(result)
            weight = 1.0 / self._sample if pending.try_number == 1 else 1.0
            self._emit(pending, (SUCCESS, duration_us, *NO_ERROR, shown), weight=weight)
        except Exception as error:  # noqa: BLE001 - the log may fail, the tool may not
            self.note("A call of %s could not be logged", error)
        return duration_us

    def log_failure(
        self, pending: Pending, error: BaseException, *, failure: Failure | None = None
    ) -> Execution:
        """It raised, or returned a failure. Queue its row, and say what came of it."""
        duration_us = (time.perf_counter_ns() - pending.start) // 1000
        self.budget.earn(self._calls)
        if pending.try_number == 1:
            self._record.count_failure(self._calls)
        self._calls = 0
        execution = self._build_failed_execution(
            pending, error, duration_us=duration_us, failure=failure
        )
        try:
            text = self.runtime.redactor.redact_error(
                error,
                arguments=pending.as_given(),
                enums=self.signature.enums,
                allow=self.declaration.allow,
            )
            if pending.span is not None:
                self._end_span(pending.span, error_type=text.type)
            pending.parameters = pending.parameters or self._redact_arguments(pending.as_given())
            error_class = execution.failure.error_class.value if execution.failure else None
            what = (text.type, text.message, text.code, text.at)
            ended = (execution.outcome.value, duration_us, error_class, *what, None)
            self._emit(pending, ended, weight=1.0)
        except Exception as trouble:  # noqa: BLE001 - the log may fail, the tool may not
            self.note("A failure of %s could not be logged", trouble)
        return execution

    def log_settled(self, action: LiveAction) -> None:
        """A look has found out what became of a call that gave no answer: a row beside its own."""
        opening, at_us = action.opening, self.runtime.wall_us()
        pending = Pending(at_us, chance=self.runtime.chance)
        pending.parent, pending.try_number = opening.call, 2
        pending.labels = Labels(
            tenant=opening.tenant, agent=opening.agent, context="", turn=opening.turn
        )
        try:
            pending.parameters = self._redact_arguments(action.record.arguments)
            shown = self.runtime.redactor.redact_result(action.record.result)
            found = (SUCCESS, 0, *NO_ERROR, shown)
            self._emit(pending, found if action.looked_up else _NOT_THERE, weight=1.0)
        except Exception as error:  # noqa: BLE001 - the log may fail, recovery may not
            self.note("What became of a call of %s could not be logged", error)

    def detect_silent_error(self, pending: Pending, result: object) -> Execution | None:
        """A result that says of itself that it is an error, as the failure it is."""
        try:
            trouble = self._results.find_trouble(result)
        except NoSchemaError as error:
            self.say_once(str(error))
            return None
        except Exception as error:  # noqa: BLE001 - a result may be anything
            self.note("A result of %s could not be looked at", error)
            return None
        if trouble is None:
            return None
        said, error_class = trouble
        failure = Failure(error_class=error_class, said=said)
        failed = self.log_failure(pending, SilentError(said), failure=failure)
        return replace(failed, result=result)

    def _announce_repair(self, pending: Pending, by: Corrected) -> None:
        tool, tries = self.declaration.tool, pending.try_number
        self.runtime.events.publish(CallRepaired(call=pending.id, tool=tool, tries=tries, by=by.by))

    def log_result(self, pending: Pending, result: object) -> Execution:
        """It came back, and somebody wants to know more than the result."""
        failed = self.detect_silent_error(pending, result)
        if failed is not None:
            return failed
        duration_us = self.log_success(pending, result)
        return self.build_execution(pending, result=result, duration_us=duration_us)

    def build_execution(self, pending: Pending, *, result: object, duration_us: int) -> Execution:
        """What came of a call that came back."""
        return Execution(
            call=self._build_call(pending),
            outcome=Outcome.SUCCESS,
            at=from_us(pending.at_us),
            duration=timedelta(microseconds=duration_us),
            result=result,
            try_number=pending.try_number,
        )

    def build_proposal(self, pending: Pending) -> Execution:
        """A call that was not made yet, as a check may look at it."""
        return Execution(
            call=self._build_call(pending),
            outcome=Outcome.UNKNOWN,
            at=from_us(pending.at_us),
            duration=timedelta(),
        )

    def _start(self, pending: Pending) -> Pending:
        turn = pending.turn
        pending.labels = self._outside if turn is None else turn.labels
        if self.runtime.spans is not False:
            pending.span = self._open_span(pending)
        pending.start_clock()
        return pending

    def _open_span(self, pending: Pending) -> ToolSpan | None:
        # Importing OpenTelemetry takes 9 ms. Who has set up tracing has imported it already.
        if self.runtime.spans is None and "opentelemetry.trace" not in sys.modules:
            return None
        try:
            from mulligan.telemetry.spans import ToolSpan, has_tracer_provider

            if self.runtime.spans is None and not has_tracer_provider():
                return None
            return ToolSpan(tool=self._tool, call=pending.id, agent=pending.labels.agent)
        except Exception as error:  # noqa: BLE001 - tracing may fail, the tool may not
            self.note("No span for a call of %s", error)
            return None

    def _end_span(self, span: ToolSpan, *, error_type: str | None = None) -> None:
        try:
            span.end(error_type=error_type)
        except Exception as error:  # noqa: BLE001 - tracing may fail, the log and the tool may not
            self.note("A span of %s did not end well", error)

    def note(self, what: str, error: Exception) -> None:
        """Say what went wrong in here. Only the type: the rest may quote the tool's own error."""
        _report.warning(f"{what} (%s).", self._tool, type(error).__name__)

    def say_once(self, what: str) -> None:
        """Say what is wrong with a declaration: in full, but not at every call."""
        if what not in self._said:
            self._said.add(what)
            _report.warning("%s", what)

    def _redact_arguments(self, arguments: Mapping[str, object]) -> str:
        return self.runtime.redactor.redact_parameters(
            arguments, enums=self.signature.enums, allow=self.declaration.allow
        )

    def _emit(self, pending: Pending, ended: tuple[object, ...], *, weight: float) -> None:
        tenant, agent, context, turn = pending.labels
        called = (pending.id, pending.at_us, tenant, agent, self._server, self._tool)
        given = (pending.parameters, context)
        tried = (pending.try_number, pending.parent, turn, weight)
        # The named constructor takes twice as long, at every call.
        row = tuple.__new__(LogRow, (*called, *given, *ended, *tried))
        self.runtime.log.emit(row)
        if self.runtime.events.wanted:
            self.runtime.events.publish(CallLogged(row=row))

    def _build_failed_execution(
        self,
        pending: Pending,
        error: BaseException,
        *,
        duration_us: int,
        failure: Failure | None,
    ) -> Execution:
        call = self._build_call(pending)
        try:
            failure = failure or self._classify(call, error)
        except Exception as trouble:  # noqa: BLE001 - a mistake of ours must not hide the tool's
            self.note("An error of %s could not be classified", trouble)
            failure = Failure(error_class=ErrorClass.UNKNOWN, error=error)
        return Execution(
            call=call,
            outcome=_classify_outcome(error, failure),
            at=from_us(pending.at_us),
            duration=timedelta(microseconds=duration_us),
            failure=failure,
            try_number=pending.try_number,
        )

    def _build_call(self, pending: Pending) -> Call:
        turn = pending.turn.turn if pending.turn is not None else None
        return Call(
            id=pending.id,
            tool=self.declaration.tool,
            server=self.declaration.server,
            arguments=pending.arguments,
            agent=turn.agent if turn else "",
            context=turn.context if turn else "",
            tenant=turn.tenant if turn else self.runtime.tenant,
            turn=turn.id if turn else None,
            parent=pending.parent,
        )


def _acts(declaration: Declaration, *, strict: bool) -> bool:
    """Whether a call of a turn is more than a row of the log."""
    if declaration.mode is Mode.OBSERVE:
        return False
    return (
        strict if declaration.effect is Effect.UNDECLARED else declaration.effect is not Effect.READ
    )


def was_stopped(error: BaseException) -> bool:
    """Whether somebody stopped the call, rather than the call failing."""
    return isinstance(error, _STOPPED)


def _classify_outcome(error: BaseException, failure: Failure) -> Outcome:
    if was_stopped(error):
        return Outcome.CANCELLED
    if failure.error_class is ErrorClass.AMBIGUOUS:
        return Outcome.UNKNOWN
    return Outcome.FAILURE
