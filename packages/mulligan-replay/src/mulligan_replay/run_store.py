"""A throw-away store of replayed runs, for the dashboard: their calls, failures, findings and
lessons, redacted as in an application's own.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from mulligan.learning.fingerprint import recognize
from mulligan.redaction import Redactor
from mulligan.stores.opening import open_store
from mulligan.types.call import LogRow
from mulligan.types.errors import ConfigurationError, SilentError
from mulligan.types.finding import FindingRow
from mulligan.types.log import Batch, roll_up
from mulligan.types.values import to_us
from mulligan_replay.review import ReviewedTurn, SeenCall, build_error

MOST_WAITING = 1_000
"""Calls that are written together."""


class RunStore:
    """A new SQLite file that the calls of reviewed turns are written to."""

    def __init__(self, path: Path, *, key: bytes) -> None:
        if path.exists():
            raise ConfigurationError(f"{path} exists: a dashboard of a replay needs a new file.")
        self.url = f"sqlite:///{path}"
        self._store = open_store(self.url)
        self._redactor = Redactor(key=key)
        self._rows: list[LogRow] = []
        self._found: list[FindingRow] = []
        self._number = 0
        self._now = datetime.now(UTC)

    def add(self, reviewed: ReviewedTurn) -> None:
        """Write down the calls of a turn, and what the checks say of them."""
        at = to_us(reviewed.traced.at or self._now, name="at")
        turn, tools = f"{self._number:032x}", dict[str, str]()
        for call in reviewed.calls:
            row = self._build_row(
                call, at=at if call.traced.at is None else to_us(call.traced.at, name="at"), of=turn
            )
            tools[call.execution.call.id] = row.tool
            self._rows.append(row)
        agent = self._redactor.redact_label(reviewed.traced.agent)
        for number, each in enumerate(reviewed.findings):
            tool = tools.get(each.call or "", "")
            rule, severity = each.rule, each.severity.value
            self._found.append(
                FindingRow(f"{turn}/{number}", at, "", agent, "", tool, rule, severity)
            )
        if len(self._rows) >= MOST_WAITING:
            self._write()

    def _build_row(self, call: SeenCall, *, at: int, of: str) -> LogRow:
        self._number += 1
        execution, failure = call.execution, call.execution.failure
        label, given = self._redactor.redact_label, execution.call.arguments
        error = None
        if failure is not None:
            raised = SilentError(failure.said) if call.silent else _build_error(call)
            error = self._redactor.redact_error(raised, arguments=given)
        parameters, result = self._redactor.redact_row(given, execution.result)
        return LogRow(
            id=f"{at:016x}{self._number:016x}",
            at_us=at,
            tenant="",
            agent=label(execution.call.agent),
            server=label(execution.call.server),
            tool=label(execution.call.tool),
            parameters=parameters,
            context="",
            outcome=execution.outcome.value,
            duration_us=int(execution.duration.total_seconds() * 1_000_000),
            error_class=None if failure is None else failure.error_class.value,
            error_type=None if error is None else error.type,
            error_message=None if error is None else error.message,
            error_code=None if error is None else error.code,
            result=result if error is None else None,
            turn=of,
        )

    def _write(self) -> None:
        rows, self._rows = self._rows, []
        found, self._found = self._found, []
        patterns = {row.id: recognize(row) for row in rows if row.error_class is not None}
        self._store.log.write(
            Batch(rows=rows, rollups=roll_up(rows), patterns=patterns, findings=found)
        )

    def close(self) -> None:
        """Write what is left."""
        self._write()
        self._store.close()


def _build_error(call: SeenCall) -> BaseException:
    return build_error(call.traced.error_type, call.traced.error or "")
