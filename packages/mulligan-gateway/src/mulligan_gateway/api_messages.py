"""What is asked over HTTP and what is answered: the one description, also of the OpenAPI document.

What goes wrong is answered as a problem, each kind by its own name (RFC 9457).
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from importlib.metadata import version
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from starlette.responses import Response

from mulligan.types.errors import MulliganError

MOST_EXECUTIONS = 100

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Words = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=100_000)]
Milliseconds = Annotated[float, Meta(ge=0, le=604_800_000)]


class ClientMessage(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What a client sends: unknown fields are refused."""


class ReportedError(ClientMessage, frozen=True):
    """How a call failed, as the client got it."""

    message: Text
    type: Words = ""
    """The class of the error, such as `TimeoutError`: as that it is logged."""
    status: int | None = None
    """The HTTP status, where there was one."""
    code: int | str | None = None


class ReportedCall(ClientMessage, frozen=True):
    """A call that an agent has made itself, and its result."""

    tool: Name
    arguments: dict[str, Any] = {}
    server: Words = ""
    result: Any = None
    error: ReportedError | None = None
    """Without it the call was a success."""
    duration_ms: Milliseconds | None = None
    """How long it took, as the client measured it."""
    schema: dict[str, Any] = {}
    """The JSON Schema of the tool's arguments: with it suggestions know what fits."""


class LogRequest(ClientMessage, frozen=True):
    """Executions of one turn, in their order."""

    executions: Annotated[list[ReportedCall], Meta(min_length=1, max_length=MOST_EXECUTIONS)]
    turn: Words = ""
    """Any name of the client's: executions and a review that share it belong together."""
    message: Text = ""
    """What the person said; counts for the first request of a turn."""
    agent: Words = ""
    context: Words = ""
    """What the agent is trying to do, a phrase for the log; likewise."""


class Logged(Struct, kw_only=True, frozen=True):
    """What was logged."""

    turn: str
    """The turn's own id, as on every row of the log."""
    executions: list[LoggedCall]


class LoggedCall(Struct, kw_only=True, frozen=True):
    """One execution that was logged."""

    tool: str
    outcome: Literal["success", "failure"]
    advice: str = ""
    """What is known to help, where it failed. Words of tools stand in it as quotes."""


class SuggestRequest(ClientMessage, frozen=True):
    """A call that failed."""

    tool: Name
    error: Text
    arguments: dict[str, Any] = {}
    server: Words = ""
    """Where the tool lives: others of its name say nothing about it."""


class Suggested(Struct, kw_only=True, frozen=True):
    """What to do about a failed call."""

    decision: str
    """`retry`, `repair`, `look_up`, `ask` or `stop`."""
    why: str
    suggestions: list[SuggestedChange]
    like: str = ""
    """The most similar known failure, where the failure itself is unknown."""


class SuggestedChange(Struct, kw_only=True, frozen=True):
    """One change of the arguments that would help."""

    changes: dict[str, Any]
    drops: list[str]
    probability: float
    """How likely a call with it works; measured on `n` outcomes, a guess where that is 0."""
    n: int
    source: str
    evidence: str


class ReviewRequest(ClientMessage, frozen=True):
    """What was done, and the reply that is about to be given."""

    message: Text = ""
    executions: Annotated[list[ReportedCall], Meta(max_length=MOST_EXECUTIONS)] = []
    turn: Words = ""
    reply: Text | None = None
    agent: Words = ""
    context: Words = ""


class ReviewAnswer(Struct, kw_only=True, frozen=True):
    """What a review has come to."""

    standing: str
    """`accepted`, `rejected`, `unreviewed` or `unchecked`."""
    confidence: str | None
    findings: list[ReviewFinding]
    feedback: str = ""
    """What to tell the agent before it tries again; empty: nothing."""
    note: str = ""
    """What the person must know beside the reply."""


class ReviewFinding(Struct, kw_only=True, frozen=True):
    """One thing that was noticed."""

    rule: str
    severity: str
    issue: str
    correction: str | None = None


class Pitfalls(Struct, kw_only=True, frozen=True):
    """What is known to go wrong, as a section for a prompt; empty if nothing."""

    text: str


class ProblemDocument(Struct, kw_only=True, frozen=True, omit_defaults=True):
    """Why a request was not done (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str = ""


JSON, MEDIA_TYPE = "application/json", "application/problem+json"
PREFIX = "urn:mulligan:problem:"


class ProblemKind(Enum):
    """The kinds: their names, their status, and a title for a person."""

    UNREADABLE = ("unreadable", 400, "The request cannot be read.")
    UNAUTHORIZED = ("unauthorized", 401, "A valid bearer token is required.")
    FORBIDDEN = ("forbidden", 403, "Requests from this origin are not allowed.")
    NOT_GRANTED = ("not-granted", 403, "The operator does not grant this tool.")
    MISDIRECTED = ("misdirected", 421, "The Host header names another host.")
    DECLARED = ("declared", 409, "Calls of this tool must go through the gateway.")
    IN_PROGRESS = ("in-progress", 409, "The same request is still in progress.")
    TOO_LARGE = ("too-large", 413, "The request is too large.")
    OTHER_BODY = ("other-body", 422, "The key was used for another request.")
    TOO_MANY = ("too-many", 429, "Too many requests.")
    UNAVAILABLE = ("unavailable", 503, "The store or the issuer is unavailable.")

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


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "maxLength": 200},
    "description": "Within a day, the same key and body run once and get the first answer again.",
}


_TEXT = {"type": "string"}
_TOKENS = {"type": "integer", "minimum": 1, "maximum": 4000, "default": 400}
_OF_PITFALLS = [
    {"name": name, "in": "query", "schema": schema}
    for name, schema in (("tool", _TEXT), ("agent", _TEXT), ("tokens", _TOKENS))
]


_POSTS = (
    (
        "executions",
        "logExecutions",
        "Log calls that an agent has made, with what would help those that failed.",
        (LogRequest, Logged),
    ),
    (
        "suggestions",
        "suggest",
        "What to do about a call that failed.",
        (SuggestRequest, Suggested),
    ),
    (
        "reviews",
        "review",
        "Review what was done, and the reply, before it is shown.",
        (ReviewRequest, ReviewAnswer),
    ),
)


@cache
def describe_api(prefix: str) -> dict[str, Any]:
    """The whole document."""
    kinds: tuple[type, ...] = (
        *(each for *_, both in _POSTS for each in both),
        Pitfalls,
        ProblemDocument,
    )
    found, parts = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    schemas = dict(zip(kinds, found, strict=True))
    problems = _list_problems(schemas)

    def describe(name: str, summary: str, gives: type, **asks: Any) -> dict[str, Any]:
        status = "201" if gives is Logged else "200"
        given = {"description": summary, "content": {JSON: {"schema": schemas[gives]}}}
        answers = {status: given, **problems}
        return {"operationId": name, "summary": summary, **asks, "responses": answers}

    paths: dict[str, Any] = {}
    for path, name, summary, (asks, gives) in _POSTS:
        # A question changes nothing, so that asking it twice needs no key.
        keys = [] if gives is Suggested else [_KEY]
        body = {"required": True, "content": {JSON: {"schema": schemas[asks]}}}
        post = describe(name, summary, gives, parameters=keys, requestBody=body)
        paths[f"{prefix}/{path}"] = {"post": post}
    summary = "What is known to go wrong with a tool, or with what an agent uses."
    get = describe("listPitfalls", summary, Pitfalls, parameters=_OF_PITFALLS)
    paths[f"{prefix}/pitfalls"] = {"get": get}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Mulligan",
            "version": version("mulligan"),
            "description": "Log what agents do, ask what helps, and have it reviewed.",
        },
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": parts,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _list_problems(schemas: dict[type, dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, list[ProblemKind]] = {}
    for kind in ProblemKind:
        found.setdefault(str(kind.status), []).append(kind)
    return {
        status: {
            "description": " ".join(f"`{kind.type}`: {kind.title}" for kind in kinds),
            "content": {MEDIA_TYPE: {"schema": schemas[ProblemDocument]}},
        }
        for status, kinds in found.items()
    }
