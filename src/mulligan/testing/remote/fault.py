"""What can happen to one request on its way there and back, and what its caller sees of it."""

from __future__ import annotations

from enum import StrEnum

from mulligan.core.errors import MulliganError

RETRY_AFTER = 0.01
"""Seconds that a busy remote asks for: long enough to be read, short enough for a test."""


class Fault(StrEnum):
    """What can happen to one request on its way there and back."""

    NONE = "none"
    LOST_BEFORE = "lost_before"
    """It never arrives; the caller sees a timeout."""
    LOST_AFTER = "lost_after"
    """It takes effect; the answer is lost; the caller sees a timeout."""
    LATE = "late"
    """The caller sees a timeout; it takes effect some requests later: see `late_by`."""
    DOUBLED = "doubled"
    """It arrives twice, as a network that repeats makes it."""
    DOUBLED_LATE = "doubled_late"
    """It takes effect and is answered, and arrives once more some requests later."""
    REPEATED = "repeated"
    """It takes effect and arrives once more, as a proxy or a client repeats it by itself. The
    caller sees the answer to the second: refused by its own condition (412), as made already (409),
    or as gone (404)."""
    BUSY = "busy"
    """429, and nothing happens."""
    REFUSED = "refused"
    """The connection is refused; nothing happens."""
    FORBIDDEN = "forbidden"
    """403, and nothing happens."""
    GONE = "gone"
    """404, whatever is asked for."""
    ERROR_AFTER = "error_after"
    """It takes effect; the caller sees a 500."""
    BAD_REQUEST_AFTER = "bad_request_after"
    """It takes effect; the caller sees a 400."""
    FORBIDDEN_AFTER = "forbidden_after"
    """It takes effect; the caller sees a 403."""
    CONFLICT_AFTER = "conflict_after"
    """It takes effect; the caller sees a 409."""
    MISSING_AFTER = "missing_after"
    """It takes effect; the caller sees a 404, as of a delete that was repeated."""
    UNMET_AFTER = "unmet_after"
    """It takes effect; the caller sees a 412, as of a conditional write that was repeated."""
    INVALID_AFTER = "invalid_after"
    """It takes effect; the caller sees a 422."""
    BUSY_AFTER = "busy_after"
    """It takes effect; the caller sees a 429 with Retry-After, as from a proxy in between."""
    DOWN_AFTER = "down_after"
    """It takes effect; the caller sees a 503 with Retry-After."""
    REDIRECTED = "redirected"
    """It takes effect, and a 303 leads to a host that is dead: its connection is refused."""
    RESET_AFTER = "reset_after"
    """It takes effect; the connection breaks before the answer."""


class RemoteError(MulliganError):
    """An answer that is an error, with its status."""

    def __init__(self, status: int, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.retry_after = retry_after
        """Seconds, as the header of that name has them."""


_LIES = {
    Fault.ERROR_AFTER: (500, "internal error", None),
    Fault.BAD_REQUEST_AFTER: (400, "bad request", None),
    Fault.FORBIDDEN_AFTER: (403, "forbidden", None),
    Fault.CONFLICT_AFTER: (409, "conflict", None),
    Fault.MISSING_AFTER: (404, "not found", None),
    Fault.UNMET_AFTER: (412, "precondition failed", None),
    Fault.INVALID_AFTER: (422, "invalid", None),
    Fault.BUSY_AFTER: (429, "too many requests", RETRY_AFTER),
    Fault.DOWN_AFTER: (503, "service unavailable", RETRY_AFTER),
}
"""Answers that sound like a refusal, to a request that took effect."""

AFTER_EFFECT = (*_LIES, Fault.LOST_AFTER, Fault.REDIRECTED, Fault.RESET_AFTER)
"""Faults whose caller sees an error although the request took effect."""


def fail_before_effect(fault: Fault) -> None:
    """What keeps a request from taking effect, raised as its caller sees it."""
    match fault:
        case Fault.LOST_BEFORE:
            raise TimeoutError("no answer")
        case Fault.REFUSED:
            raise ConnectionRefusedError("connection refused")
        case Fault.BUSY:
            raise RemoteError(429, "too many requests")
        case Fault.FORBIDDEN:
            raise RemoteError(403, "forbidden")
        case Fault.GONE:
            raise RemoteError(404, "not found")
        case _:
            return


def fail_after_effect(fault: Fault) -> None:
    """What hides from its caller that a request took effect."""
    if fault in _LIES:
        status, message, retry_after = _LIES[fault]
        raise RemoteError(status, message, retry_after=retry_after)
    match fault:
        case Fault.LOST_AFTER:
            raise TimeoutError("no answer")
        case Fault.REDIRECTED:
            raise ConnectionRefusedError("connection refused by the host that a 303 led to")
        case Fault.RESET_AFTER:
            raise ConnectionResetError("connection reset by peer")
        case _:
            return
