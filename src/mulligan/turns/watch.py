"""Watches the calls of one tool: what went in, what came out, and one redacted row of it."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from mulligan.core.call import Call, ErrorClass, Execution, Failure, LogRow, Outcome
from mulligan.core.event import CallLogged
from mulligan.core.limits import Breaker
from mulligan.redaction import ErrorText
from mulligan.turns.declaration import Declaration
from mulligan.turns.instruments import Instruments
from mulligan.turns.signature import Signature
from mulligan.turns.turn import OpenTurn, current_turn

if TYPE_CHECKING:
    from mulligan.telemetry.spans import ToolSpan

_report = logging.getLogger("mulligan")

_STOPPED = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)
"""Not failures of the tool: somebody stopped it."""


class Pending:
    """A call that is under way."""

    __slots__ = (
        "arguments", "at_us", "id", "parameters", "parent", "span", "start", "try_number", "turn",
    )  # fmt: skip

    def __init__(self, *, id: str, at_us: int, arguments: Mapping[str, object]) -> None:  # noqa: A002
        self.id = id
        self.at_us = at_us
        self.arguments = arguments
        self.parameters: str | None = None
        """Redacted before the tool can change what it was given; `None`: not sampled."""
        self.parent: str | None = None
        self.span: ToolSpan | None = None
        self.start = 0
        self.try_number = 1
        self.turn: OpenTurn | None = None


class Watch:
    """Sees every call of one tool. What goes wrong in here never reaches the tool's caller."""

    def __init__(
        self, declaration: Declaration, *, signature: Signature, instruments: Instruments
    ) -> None:
        self.declaration = declaration
        self.instruments = instruments
        self.breaker = Breaker()
        self._signature = signature
        self._tool = instruments.redactor.label(declaration.tool)
        self._server = instruments.redactor.label(declaration.server) if declaration.server else ""
        self._weight = 1.0 / instruments.sample if instruments.sample > 0 else 1.0

    def begin(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Pending:
        """A first try starts."""
        instruments = self.instruments
        at_us = instruments.wall_us()
        arguments = self._signature.bind(args, kwargs)
        pending = Pending(id=instruments.new_id(at_us), at_us=at_us, arguments=arguments)
        if instruments.sample >= 1.0 or instruments.chance.random() < instruments.sample:
            pending.parameters = self._redacted(arguments)
        instruments.budget.earn()
        return self._started(pending)

    def begin_again(self, first: Pending, *, try_number: int) -> Pending:
        """A later try of the same call starts."""
        at_us = self.instruments.wall_us()
        pending = Pending(id=self.instruments.new_id(at_us), at_us=at_us, arguments=first.arguments)
        pending.parameters = first.parameters or self._redacted(first.arguments)
        pending.parent = first.id
        pending.try_number = try_number
        return self._started(pending)

    def succeed(self, pending: Pending, result: object) -> None:
        """It came back. Queue its row."""
        duration_us = (time.perf_counter_ns() - pending.start) // 1000
        if pending.parameters is None and pending.span is None:
            return
        try:
            if pending.span is not None:
                pending.span.end()
            if pending.parameters is None:
                return
            self._emit(pending, duration_us, result=self.instruments.redactor.result(result))
        except Exception:  # noqa: BLE001 - the log may fail, the tool may not
            _report.warning("A call of %s could not be logged.", self._tool, exc_info=True)

    def fail(self, pending: Pending, error: BaseException) -> Execution:
        """It raised. Queue its row, and say what came of it."""
        duration_us = (time.perf_counter_ns() - pending.start) // 1000
        execution = self._execution(pending, error, duration_us)
        try:
            if pending.span is not None:
                pending.span.end(error_type=type(error).__name__)
            text = self.instruments.redactor.error(
                error,
                arguments=pending.arguments,
                enums=self._signature.enums,
                allow=self.declaration.allow,
            )
            pending.parameters = pending.parameters or self._redacted(pending.arguments)
            self._emit(pending, duration_us, execution=execution, error=text)
        except Exception:  # noqa: BLE001 - the log may fail, the tool may not
            _report.warning("A failure of %s could not be logged.", self._tool, exc_info=True)
        return execution

    def succeeded(self, pending: Pending, result: object) -> Execution:
        """A later try came back."""
        duration_us = (time.perf_counter_ns() - pending.start) // 1000
        self.succeed(pending, result)
        return Execution(
            call=self._call(pending),
            outcome=Outcome.SUCCESS,
            at=_instant(pending.at_us),
            duration=timedelta(microseconds=duration_us),
            result=result,
            try_number=pending.try_number,
        )

    def _started(self, pending: Pending) -> Pending:
        pending.turn = current_turn()
        if self.instruments.spans is not False:
            pending.span = self._open_span(pending)
        pending.start = time.perf_counter_ns()
        return pending

    def _open_span(self, pending: Pending) -> ToolSpan | None:
        # Importing OpenTelemetry takes 9 ms. Who has set up tracing has imported it already.
        if self.instruments.spans is None and "opentelemetry.trace" not in sys.modules:
            return None
        try:
            from mulligan.telemetry.spans import ToolSpan, spans_wanted

            if self.instruments.spans is None and not spans_wanted():
                return None
            agent = pending.turn.agent if pending.turn else ""
            return ToolSpan(tool=self._tool, call=pending.id, agent=agent)
        except Exception:  # noqa: BLE001 - tracing may fail, the tool may not
            _report.warning("No span for a call of %s.", self._tool, exc_info=True)
            return None

    def _redacted(self, arguments: Mapping[str, object]) -> str:
        return self.instruments.redactor.parameters(
            arguments, enums=self._signature.enums, allow=self.declaration.allow
        )

    def _emit(
        self,
        pending: Pending,
        duration_us: int,
        *,
        result: str | None = None,
        execution: Execution | None = None,
        error: ErrorText | None = None,
    ) -> None:
        turn = pending.turn
        failure = execution.failure if execution is not None else None
        sampled = execution is None and pending.try_number == 1
        # The named constructor takes twice as long, at every call.
        row = tuple.__new__(LogRow, (
            pending.id,
            pending.at_us,
            turn.tenant if turn is not None and turn.tenant else self.instruments.tenant,
            turn.agent if turn is not None else "",
            self._server,
            self._tool,
            pending.parameters or "{}",
            turn.context if turn is not None else "",
            execution.outcome if execution is not None else Outcome.SUCCESS,
            duration_us,
            failure.error_class if failure is not None else None,
            error.type if error is not None else None,
            error.message if error is not None else None,
            error.code if error is not None else None,
            error.at if error is not None else None,
            result,
            pending.try_number,
            pending.parent,
            turn.turn.id if turn is not None else None,
            self._weight if sampled else 1.0,
        ))  # fmt: skip
        self.instruments.log.emit(row)
        if self.instruments.events.wanted:
            self.instruments.events.publish(CallLogged(row=row))

    def _execution(self, pending: Pending, error: BaseException, duration_us: int) -> Execution:
        call = self._call(pending)
        try:
            failure = self.instruments.classify(call, error)
        except Exception:  # noqa: BLE001 - a classifier's mistake must not hide the tool's
            _report.warning("An error of %s could not be classified.", self._tool, exc_info=True)
            failure = Failure(error_class=ErrorClass.UNKNOWN, error=error)
        return Execution(
            call=call,
            outcome=_outcome(error, failure),
            at=_instant(pending.at_us),
            duration=timedelta(microseconds=duration_us),
            failure=failure,
            try_number=pending.try_number,
        )

    def _call(self, pending: Pending) -> Call:
        turn = pending.turn.turn if pending.turn is not None else None
        return Call(
            id=pending.id,
            tool=self.declaration.tool,
            server=self.declaration.server,
            arguments=pending.arguments,
            agent=turn.agent if turn else "",
            context=turn.context if turn else "",
            tenant=turn.tenant if turn else self.instruments.tenant,
            turn=turn.id if turn else None,
            parent=pending.parent,
        )


def was_stopped(error: BaseException) -> bool:
    """Whether somebody stopped the call, rather than the call failing."""
    return isinstance(error, _STOPPED)


def _outcome(error: BaseException, failure: Failure) -> Outcome:
    if was_stopped(error):
        return Outcome.CANCELLED
    if failure.error_class is ErrorClass.AMBIGUOUS:
        return Outcome.UNKNOWN
    return Outcome.FAILURE


def _instant(at_us: int) -> datetime:
    return datetime.fromtimestamp(at_us / 1_000_000, UTC)
