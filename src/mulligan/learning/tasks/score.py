"""How good a run was: by its user's own score, else by its verdict and the way there."""

from __future__ import annotations

import logging

from mulligan.core.finding import Standing, Verdict
from mulligan.core.notes import Scorecard
from mulligan.core.task import Ran, Reflect

WARNING = 0.1
TOOL_ERROR = 0.1
RETRY = 0.05
COST = 0.1
"""For a run that took twice its usual tokens, or more."""
LEAST_ACCEPTED = 0.5
"""However rough the way was, an accepted output is worth more than a rejected one."""

_report = logging.getLogger("mulligan")


def score_by(
    settings: Reflect | None, ran: Ran, *, verdict: Verdict, static: Scorecard, told: bool
) -> float | None:
    """The user's score where there is one that makes sense; `None` when nobody can tell."""
    if settings is None or settings.score is None:
        usual = static.tokens / static.metered if static.metered else None
        return score_run(ran, verdict=verdict, usual_tokens=usual, told=told)
    try:
        score = float(settings.score(ran.output))
    except Exception as error:  # noqa: BLE001 - a user's score may raise anything
        _report.warning("A score failed (%s), so the run is no evidence.", type(error).__name__)
        return None
    if not 0.0 <= score <= 1.0:
        _report.warning("A score of %s is not from 0 to 1, so the run is no evidence.", score)
        return None
    return score


def score_run(
    ran: Ran, *, verdict: Verdict, usual_tokens: float | None = None, told: bool = True
) -> float | None:
    """From 0 to 1, by acceptance first and the way there second; `None` when nobody could tell.

    `told`: whether the run said how it went. A bare output that nobody checks says nothing.
    """
    if verdict.standing is Standing.UNCHECKED and not told:
        return None
    if verdict.standing is Standing.REJECTED:
        return 0.0
    if verdict.standing is Standing.UNREVIEWED:
        return None
    rough = (
        WARNING * len(verdict.findings)
        + TOOL_ERROR * ran.tool_errors
        + RETRY * ran.retries
        + COST * _measure_excess(ran.tokens, usual_tokens)
    )
    return max(LEAST_ACCEPTED, 1.0 - rough)


def _measure_excess(tokens: int | None, usual: float | None) -> float:
    """How far above the usual, from 0 to 1."""
    if tokens is None or not usual:
        return 0.0
    return min(1.0, max(0.0, tokens / usual - 1.0))
