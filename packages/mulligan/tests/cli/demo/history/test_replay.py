from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from mulligan.insights.insights import Insights
from mulligan.settings import Settings
from mulligan.types.log import LogQuery
from mulligan.types.values import from_us
from mulligan_demo.history import DAYS, live_days


def test_a_month_is_lived_and_ends_now(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    store = f"sqlite:///{tmp_path}/office.db"

    lived = live_days(store, turns=130, now=now)

    with Insights.open(Settings(store=store)) as insights:
        rows = insights.log(LogQuery(limit=5_000))
        shown = insights.figures(timedelta(days=DAYS + 1)).all_calls
    days = {from_us(row.at_us).date() for row in rows}
    assert lived.turns >= 120
    assert len(days) >= DAYS - 2
    assert max(from_us(row.at_us) for row in rows) <= now
    assert lived.open_actions >= 2
    assert shown.calls == lived.calls > lived.turns
    assert shown.repaired
