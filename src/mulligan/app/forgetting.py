"""Forgets at once what is past its time, for who does not wait for the hour."""

from __future__ import annotations

from mulligan.app.insights.insights import Insights
from mulligan.app.settings import Settings
from mulligan.app.upkeep.housekeeping import Swept, sweep


def forget_now(settings: Settings) -> Swept:
    """Sweep a store, and write it anew however large it is."""
    with Insights.open(settings) as insights:
        return sweep(insights.store, retention=settings.retention, clock=insights.clock, whole=True)
