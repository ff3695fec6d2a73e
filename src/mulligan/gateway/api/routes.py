"""The routes: each reads a message, asks the application, and answers with a message."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import field
from typing import Protocol, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mulligan.app.mulligan import Mulligan
from mulligan.core.adapter import Answer
from mulligan.core.errors import StoreError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.api.idempotency import RepeatedWrites
from mulligan.gateway.api.messages import (
    Logged,
    LogRequest,
    Pitfalls,
    ReviewAnswer,
    ReviewFinding,
    ReviewRequest,
    Suggested,
    SuggestedChange,
    SuggestRequest,
)
from mulligan.gateway.api.openapi import describe_api
from mulligan.gateway.api.problems import ProblemError, ProblemKind, answer_problem
from mulligan.gateway.api.turns import ReportedTurns
from mulligan.gateway.protocol.limits import LaneFullError, Lanes

PREFIX = "/v1"
JSON = "application/json"
WAITING = 50
"""Requests of one principal that wait for one that is worked on."""
REPLAYED = {"Idempotent-Replayed": "true"}
M = TypeVar("M")


class Refused(Protocol):
    """Why somebody is not let in."""

    @property
    def status(self) -> int:
        """401, 403 or 421."""

    @property
    def said(self) -> str:
        """A sentence for whoever asked."""


FindPrincipal = Callable[[Mapping[str, str]], "str | Refused"]
"""Who asks, by the headers of a request, or why they are refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiLimits:
    """What one client may ask."""

    body: int = 1024 * 1024
    """Bytes of one request."""
    per_minute: int = 600
    """Requests of one principal."""


def create_api(
    m: Mulligan,
    *,
    find_principal: FindPrincipal,
    trusted: Collection[str] = (),
    limits: ApiLimits = ApiLimits(),  # noqa: B008 - it is frozen
    prefix: str = PREFIX,
) -> list[Route]:
    """The routes of the API, for a server to mount beside its own.

    What a client reports as a person's words counts as said only for principals in `trusted`.
    """
    api = Api(m, find_principal=find_principal, trusted=trusted, limits=limits, prefix=prefix)
    return [
        Route(f"{prefix}/executions", api.build_endpoint(api.log_executions), methods=["POST"]),
        Route(
            f"{prefix}/suggestions",
            api.build_endpoint(api.suggest, in_lane=True),
            methods=["POST"],
        ),
        Route(f"{prefix}/reviews", api.build_endpoint(api.review), methods=["POST"]),
        Route(
            f"{prefix}/pitfalls",
            api.build_endpoint(api.list_pitfalls, in_lane=True),
            methods=["GET"],
        ),
        Route(f"{prefix}/openapi.json", api.show_description, methods=["GET"]),
    ]


@dataclass(slots=True)
class RequestCount:
    """How many requests somebody has made in the minute that goes on."""

    minute: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, principal: str, *, most: int) -> None:
        """One more; `ProblemError` beyond what is allowed."""
        now = time.monotonic()
        if int(now // 60) != self.minute:
            self.minute, self.counts = int(now // 60), {}
        self.counts[principal] = self.counts.get(principal, 0) + 1
        if self.counts[principal] > most:
            wait = 60 - int(now % 60)
            raise ProblemError(
                ProblemKind.TOO_MANY, f"{most} a minute are served.", retry_after=wait
            )


Answers = Callable[[Request, str], Awaitable[Response]]


class Api:
    """What clients in other languages may ask of one application."""

    def __init__(
        self,
        m: Mulligan,
        *,
        find_principal: FindPrincipal,
        trusted: Collection[str],
        limits: ApiLimits,
        prefix: str,
    ) -> None:
        self._m = m
        self._insights = m._ask_about()  # noqa: SLF001 - the gateway is an application of it
        self._prefix = prefix
        self._find_principal = find_principal
        self._limits = limits
        host = m._build_host({}, name="api")  # noqa: SLF001 - as above
        self._turns = ReportedTurns(host, trusted=trusted)
        self._repeats = RepeatedWrites(host.parts.store.vault, clock=host.clock)
        self._count = RequestCount()
        self._lanes = Lanes(wide=1, waiting=WAITING)

    def build_endpoint(
        self, answer: Answers, *, in_lane: bool = False
    ) -> Callable[[Request], Awaitable[Response]]:
        """A route: whoever asks is known, and what goes wrong is told as a problem.

        `in_lane`: it is all work, so it waits until nothing else of the same principal is.
        """

        async def answer_request(request: Request) -> Response:
            try:
                principal = self._require_principal(request)
                if not in_lane:
                    return await answer(request, principal)
                async with self._lanes.enter(principal):
                    return await answer(request, principal)
            except ProblemError as error:
                return answer_problem(error)
            except LaneFullError:
                said = f"{WAITING} of your requests wait already."
                return answer_problem(ProblemError(ProblemKind.TOO_MANY, said, retry_after=1))
            except StoreError as error:
                said = f"{type(error).__name__}."
                return answer_problem(ProblemError(ProblemKind.UNAVAILABLE, said, retry_after=5))

        return answer_request

    async def log_executions(self, request: Request, principal: str) -> Response:
        """Log calls that an agent has made, and say what would help those that failed."""
        async with self._lanes.enter(principal):
            body = await self._read_body(request)
            said = _decode(body, LogRequest)

        async def work() -> bytes:
            async with self._turns.enter(
                said.turn,
                principal=principal,
                message=said.message,
                agent=said.agent,
                context=said.context,
                last=False,
            ) as run:
                async with self._lanes.enter(principal):
                    logged = await self._turns.log(run, said.executions)
                return msgspec.json.encode(Logged(turn=run.id, executions=logged))

        return await self._write_once(request, principal, body=body, work=work, status=201)

    async def review(self, request: Request, principal: str) -> Response:
        """Review what an agent has done, and its reply, before anybody sees it."""
        async with self._lanes.enter(principal):
            body = await self._read_body(request)
            said = _decode(body, ReviewRequest)

        async def work() -> bytes:
            async with self._turns.enter(
                said.turn,
                principal=principal,
                message=said.message,
                agent=said.agent,
                context=said.context,
                last=True,
            ) as run:
                async with self._lanes.enter(principal):
                    await self._turns.log(run, said.executions)
                answer = await self._turns.review(run, said.reply)
            return msgspec.json.encode(_build_review(answer))

        return await self._write_once(request, principal, body=body, work=work)

    async def suggest(self, request: Request, principal: str) -> Response:  # noqa: ARG002
        """What to do about a call that failed."""
        said = _decode(await self._read_body(request), SuggestRequest)
        advice, found, like = await asyncio.to_thread(
            self._insights.suggest,
            said.tool,
            arguments=said.arguments,
            error=said.error,
            server=said.server,
        )
        changes = [
            SuggestedChange(
                changes=dict(each.patch.changes),
                drops=list(each.patch.drops),
                probability=each.probability,
                n=each.n,
                source=str(each.source),
                evidence=each.evidence,
            )
            for each in found
        ]
        told = Suggested(
            decision=str(advice.decision),
            why=advice.why,
            suggestions=changes,
            like="" if like is None else str(like),
        )
        return Response(msgspec.json.encode(told), media_type=JSON)

    async def list_pitfalls(self, request: Request, principal: str) -> Response:  # noqa: ARG002
        """What is known to go wrong with a tool, or with what an agent uses."""
        asked = request.query_params
        unknown = sorted(set(asked) - {"tool", "agent", "tokens"})
        if unknown:
            raise ProblemError(ProblemKind.UNREADABLE, f"Nobody knows {unknown[0]!r}.")
        tokens = asked.get("tokens", "400")
        if not re.fullmatch(r"[0-9]{1,4}", tokens) or not 0 < int(tokens) <= 4000:
            raise ProblemError(ProblemKind.UNREADABLE, "tokens is a number from 1 to 4000.")
        text = await asyncio.to_thread(
            self._m.pitfalls,
            asked.get("tool"),
            agent=asked.get("agent", ""),
            tokens=int(tokens),
        )
        return Response(msgspec.json.encode(Pitfalls(text=text)), media_type=JSON)

    async def show_description(self, request: Request) -> Response:  # noqa: ARG002
        """The OpenAPI document: it says nothing of any store, so that anybody may have it."""
        return Response(msgspec.json.encode(describe_api(self._prefix)), media_type=JSON)

    def _require_principal(self, request: Request) -> str:
        found = self._find_principal(request.headers)
        if not isinstance(found, str):
            kinds = {403: ProblemKind.FORBIDDEN, 421: ProblemKind.MISDIRECTED}
            raise ProblemError(kinds.get(found.status, ProblemKind.UNAUTHORIZED), found.said)
        self._count.add(found, most=self._limits.per_minute)
        return found

    async def _read_body(self, request: Request) -> bytes:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != JSON:
            raise ProblemError(ProblemKind.UNREADABLE, f"Send {JSON}, not {kind or 'nothing'!r}.")
        parts, size = [], 0
        async for part in request.stream():
            size += len(part)
            if size > self._limits.body:
                raise ProblemError(ProblemKind.TOO_LARGE, f"{self._limits.body} bytes at most.")
            parts.append(part)
        return b"".join(parts)

    async def _write_once(
        self,
        request: Request,
        principal: str,
        *,
        body: bytes,
        work: Callable[[], Awaitable[bytes]],
        status: int = 200,
    ) -> Response:
        answer, replayed = await self._repeats.answer_once(
            request.headers.get("idempotency-key", ""),
            whose="\0".join((self._insights.tenant or "", principal, request.url.path)),
            body=body,
            work=work,
        )
        headers = REPLAYED if replayed else {}
        return Response(answer, status_code=status, headers=headers, media_type=JSON)


def _decode(body: bytes, kind: type[M]) -> M:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise ProblemError(ProblemKind.UNREADABLE, _explain(error)) from error


def _explain(error: Exception) -> str:
    """What is wrong and where; of a value nothing is repeated."""
    return "It is nested too deep." if isinstance(error, RecursionError) else f"{error}."


def _build_review(answer: Answer) -> ReviewAnswer:
    return ReviewAnswer(
        standing=str(answer.standing),
        confidence=None if answer.confidence is None else str(answer.confidence),
        findings=[
            ReviewFinding(
                rule=each.rule,
                severity=str(each.severity),
                issue=each.describe(),
                correction=each.correction,
            )
            for each in answer.findings
        ],
        feedback=answer.feedback,
        note=answer.note,
    )
