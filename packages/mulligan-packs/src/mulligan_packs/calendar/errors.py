"""What the calendar pack raises. Each carries the HTTP status that tells its class.

CalendarError               the server refused, or its answer makes no sense
├── NoSuchEventError        404: no event has that id; nothing was sent that writes
├── ChangedSinceError       412: the event was edited meanwhile; also a `ConflictError`
│   └── OutdatedError       412: the same, seen before anything was sent that writes
├── BadEventError           422: a date that is none, an end before its start; nothing was sent
└── SharedEventError        others are invited: a change would be mailed to them
"""

from __future__ import annotations

from mulligan.types.errors import ConflictError, MulliganError


class CalendarError(MulliganError):
    """The server refused, or its answer makes no sense."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class NoSuchEventError(CalendarError):
    """No event has that id, so nothing was done."""

    def __init__(self, event_id: str) -> None:
        super().__init__(
            f"There is no event with the id {event_id!r}. Look the event up, and use the id that "
            "comes back.",
            status=404,
        )


class ChangedSinceError(CalendarError, ConflictError):
    """The event is not as it was read, so the server says that it did not write."""

    def __init__(self, event_id: str) -> None:
        super().__init__(
            f"The event {event_id!r} has been changed since it was read. Read it again, and "
            "decide anew.",
            status=412,
        )


class OutdatedError(ChangedSinceError):
    """The event was found to be changed before anything was sent, so nothing was written."""


class BadEventError(CalendarError):
    """What was asked for is no event, so nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__(message, status=422)


class SharedEventError(CalendarError):
    """Others are invited, and would be told of a change: it cannot be undone."""
