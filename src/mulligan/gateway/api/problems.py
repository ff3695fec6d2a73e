"""What goes wrong over HTTP, each kind by its own name (RFC 9457)."""

from __future__ import annotations

from enum import Enum

import msgspec
from starlette.responses import Response

from mulligan.core.errors import MulliganError
from mulligan.gateway.api.messages import ProblemDocument

MEDIA_TYPE = "application/problem+json"
PREFIX = "urn:mulligan:problem:"


class ProblemKind(Enum):
    """The kinds: their names, their status, and a title for a person."""

    UNREADABLE = ("unreadable", 400, "The request cannot be read.")
    UNAUTHORIZED = ("unauthorized", 401, "Who asks is not known.")
    FORBIDDEN = ("forbidden", 403, "This may not be asked from there.")
    MISDIRECTED = ("misdirected", 421, "This is not the host that was asked for.")
    DECLARED = ("declared", 409, "Calls of this tool go through Mulligan itself.")
    IN_PROGRESS = ("in-progress", 409, "The same request is still being done.")
    TOO_LARGE = ("too-large", 413, "The request is too large.")
    OTHER_BODY = ("other-body", 422, "The key was used for another request.")
    TOO_MANY = ("too-many", 429, "Too many requests.")
    UNAVAILABLE = ("unavailable", 503, "The store cannot do its work now.")

    def __init__(self, named: str, status: int, title: str) -> None:
        self.type = f"{PREFIX}{named}"
        self.status = status
        self.title = title


class ProblemError(MulliganError):
    """A request that is not done."""

    def __init__(self, kind: ProblemKind, detail: str = "", *, retry_after: int = 0) -> None:
        super().__init__(detail or kind.title)
        self.kind = kind
        self.detail = detail
        self.retry_after = retry_after


def answer_problem(error: ProblemError) -> Response:
    """A problem as a response."""
    kind = error.kind
    said = ProblemDocument(
        type=kind.type, title=kind.title, status=kind.status, detail=error.detail
    )
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after else {}
    if kind is ProblemKind.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="mulligan"'
    return Response(
        msgspec.json.encode(said), status_code=kind.status, headers=headers, media_type=MEDIA_TYPE
    )
