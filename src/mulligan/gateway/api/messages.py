"""What is asked over HTTP and what is answered: the one description, also of the OpenAPI page."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

MOST_EXECUTIONS = 100

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Words = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=100_000)]
Milliseconds = Annotated[float, Meta(ge=0, le=604_800_000)]


class ClientMessage(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What a client sends: a field that nobody knows is refused."""


class ReportedError(ClientMessage, frozen=True):
    """How a call failed, as the client got it."""

    message: Text
    type: Words = ""
    """The class of the error, such as `TimeoutError`: as that it is logged."""
    status: int | None = None
    """The HTTP status, where there was one."""
    code: int | str | None = None


class ReportedCall(ClientMessage, frozen=True):
    """A call that an agent has made itself, and what came of it."""

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
    """The known failure that it is most like, where nobody knows what it is."""


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


def describe_schemas() -> tuple[dict[type, dict[str, Any]], dict[str, Any]]:
    """The JSON Schema of each message, and the parts that they share."""
    kinds = (
        LogRequest, Logged, SuggestRequest, Suggested, ReviewRequest, ReviewAnswer, Pitfalls,
        ProblemDocument,
    )  # fmt: skip
    found, parts = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    return dict(zip(kinds, found, strict=True)), parts
