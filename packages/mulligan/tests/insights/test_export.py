from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.insights.turns import read_actions, read_calls
from mulligan.types.action import ActionQuery
from mulligan.types.log import LogQuery

AT = datetime(2026, 11, 15, 9, tzinfo=UTC)


@pytest.mark.parametrize("page", [1, 2, 3, 100])
@pytest.mark.parametrize("step", [timedelta(0), timedelta(seconds=1)])
def test_pages_have_everything_once(page: int, step: timedelta, tmp_path: Path) -> None:
    now = [AT]
    with Mulligan(f"sqlite:///{tmp_path}/a.db", clock=lambda: now[-1], recover=False) as m:

        @m.tool(effect="reversible", before=lambda record: "", undo=lambda record: None)
        def note(text: str) -> str:
            return text

        for number in range(7):
            with m.turn("Note it"):
                note(str(number))
            now.append(now[-1] + step)
        m.flush()
        calls = [row.id for row in read_calls(m.insights, LogQuery(), page=page)]
        actions = [each.id for each in read_actions(m.insights, ActionQuery(), page=page)]

    assert len(set(calls)) == len(calls) == 7
    assert len(set(actions)) == len(actions) == 7
    assert calls == sorted(calls)
