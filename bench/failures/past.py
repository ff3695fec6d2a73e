"""Failures of the past as a failure store would keep them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from mulligan.learning.classify import classify_text
from mulligan.learning.fingerprint import compute_fingerprint, mask_error
from mulligan.types.failure import Decision
from mulligan.types.lesson import Ending, Episode, FailedCall, Remedy

STARTED = datetime(2026, 1, 1, tzinfo=UTC)
"""When the first case happened: the data has an order and no times."""


def past_episode(
    case: Mapping[str, Any],
    failed: FailedCall,
    *,
    number: int,
    turn: str,
    decision: Decision | None = None,
    remedies: tuple[Remedy, ...] = (),
) -> Episode:
    """A case of the data, by its number in it; repaired where the data has the call that was."""
    masked = mask_error(failed.error, failed.call.arguments)
    repaired = "fixed_args" in case
    return Episode(
        id=case["id"],
        at=STARTED + timedelta(minutes=number),
        tool=case["tool"],
        fingerprint=compute_fingerprint(case["tool"], masked),
        error_class=classify_text(failed.error),
        template=masked,
        agent=case["model"],
        turn=turn,
        ending=Ending.REPAIRED if repaired else Ending.LEFT,
        decision=decision,
        verified=repaired,
        remedies=remedies,
    )
