from __future__ import annotations

import pytest

from mulligan import ConflictError
from mulligan_packs.calendar.errors import (
    BadEventError,
    CalendarError,
    ChangedSinceError,
    NoSuchEventError,
)


@pytest.mark.parametrize(
    ("error", "status"),
    [(NoSuchEventError("e1"), 404), (ChangedSinceError("e1"), 412), (BadEventError("no"), 422)],
)
def test_every_error_carries_the_status_that_tells_its_class(
    error: CalendarError, status: int
) -> None:
    assert error.status == status


def test_somebody_elses_change_is_a_conflict_to_an_undo() -> None:
    assert issubclass(ChangedSinceError, ConflictError)
    assert not issubclass(NoSuchEventError, ConflictError)
