"""Questions that a judge gave no answer to, as rows of the log: nobody else would notice."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from mulligan.codec.json_text import decode_json
from mulligan.core.call import OWN, LogRow, Outcome
from mulligan.core.error_class import ErrorClass
from mulligan.core.event import AskOutcome, JudgeAsked
from mulligan.core.instants import from_us
from mulligan.turns.calls.runtime import Runtime
from mulligan.turns.turn.context import Labels, find_current_turn

_report = logging.getLogger("mulligan")

JUDGE_ASKED = "judge.asked"
"""What such a row is of."""
_SHOWN = frozenset({"purpose", "model", "prompt", "outcome", "requests"})
"""Names and numbers of ours: no secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOutage:
    """A question without an answer, as it is on record."""

    at: datetime
    purpose: str
    model: str
    outcome: str
    """`late`, `down`, `unreadable`, …"""
    took: timedelta
    turn: str | None


def log_outage(asked: JudgeAsked, *, runtime: Runtime) -> None:
    """Put a question that was not answered on record. It may fail; who asked may not."""
    if asked.outcome is AskOutcome.ANSWERED:
        return
    try:
        runtime.log.emit(_build_row(asked, runtime=runtime))
    except Exception as error:  # noqa: BLE001 - the log may fail, a review may not
        _report.warning("A judge's silence could not be logged (%s).", type(error).__name__)


def read_outage(row: LogRow) -> JudgeOutage:
    """The outage that a row keeps."""
    said = decode_json(row.parameters)
    return JudgeOutage(
        at=from_us(row.at_us),
        purpose=str(said.get("purpose", "")),
        model=str(said.get("model", "")),
        outcome=row.error_type or "",
        took=timedelta(microseconds=row.duration_us),
        turn=row.turn,
    )


def _build_row(asked: JudgeAsked, *, runtime: Runtime) -> LogRow:
    turn, at_us = find_current_turn(), runtime.wall_us()
    labels = turn.labels if turn else Labels(runtime.tenant, "", "", None)
    said = {name: getattr(asked, name) for name in ("purpose", "model", "prompt", "requests")}
    return LogRow(
        id=runtime.make_id(at_us),
        at_us=at_us,
        tenant=labels.tenant,
        agent=labels.agent,
        server=OWN,
        tool=JUDGE_ASKED,
        parameters=runtime.redactor.redact_parameters(said, allow=_SHOWN),
        context=labels.context,
        outcome=Outcome.FAILURE.value,
        duration_us=asked.duration // timedelta(microseconds=1),
        error_class=ErrorClass.AMBIGUOUS.value,
        error_type=asked.outcome.value,
        error_message=None,
        error_code=None,
        error_at=None,
        result=None,
        try_number=1,
        parent=None,
        turn=labels.turn,
        weight=1.0,
    )
