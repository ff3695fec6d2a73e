from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan.types.interfaces import WriterSeen


@pytest.mark.parametrize(
    ("life", "waited_for"), [("lives", True), ("silent", True), ("gone", False), ("revoked", False)]
)
def test_who_may_come_back_is_waited_for(life: str, waited_for: bool) -> None:
    seen = WriterSeen(
        id="w", pid=7, here=True, life=life, silent=timedelta(), lease=timedelta(seconds=30)
    )

    assert seen.is_waited_for() is waited_for
