"""What the log has of calls, for tests that have an application `m`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mulligan import Mulligan
from mulligan.core.call import LogRow
from mulligan.core.event import CallLogged


@pytest.fixture
def rows(m: Mulligan) -> Callable[[], list[LogRow]]:
    seen: list[LogRow] = []
    m.subscribe(lambda event: seen.append(event.row) if isinstance(event, CallLogged) else None)

    def so_far() -> list[LogRow]:
        m.flush()
        return seen

    return so_far
