"""The HTTP API: what agents in other languages log and ask, as routes that a server mounts."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache, partial
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mulligan.app.hosts import ApplicationHost
from mulligan.app.mulligan import Mulligan
from mulligan.runtime.context import NextCall, carry, read_context
from mulligan.types.action import Kept
from mulligan.types.adapter import Answer, HostCall, HostRun
from mulligan.types.display import show_name
from mulligan.types.errors import StoreError
from mulligan.types.interfaces import Clock, Vault
from mulligan.types.values import IdentityKind
from mulligan_gateway.access import EVERYTHING, Grant
from mulligan_gateway.api_messages import (
    JSON,
    Logged,
    LoggedCall,
    LogRequest,
    Pitfalls,
    ProblemError,
    ProblemKind,
    ReportedCall,
    ReviewAnswer,
    ReviewFinding,
    ReviewRequest,
    Suggested,
    SuggestedChange,
    SuggestRequest,
    answer_problem,
    describe_api,
)
from mulligan_gateway.protocol import MEBI, MOST_TOOLS, LaneFullError, Lanes, join_parts
from mulligan_gateway.sign_in import Refusal

LIFE = timedelta(hours=24)
OWNER = "http-api"
"""Whose the answers are in the vault, where they lie until their life is over."""
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


class RepeatedWrites:
    """What was answered under each key, kept with the store: also over a restart."""

    def __init__(self, vault: Vault, *, clock: Clock) -> None:
        self._vault = vault
        self._clock = clock
        self._under_way: set[str] = set()

    async def answer_once(
        self, key: str, *, whose: str, body: bytes, work: Callable[[], Awaitable[bytes]]
    ) -> tuple[bytes, bool]:
        """The answer, and whether it is one that was given before.

        `whose` is the principal and the route: each principal has keys of its own.
        """
        if not key:
            return await work(), False
        if not _KEY.fullmatch(key):
            raise ProblemError(
                ProblemKind.UNREADABLE, "Idempotency-Key: up to 200 characters, no blanks."
            )
        name = hashlib.sha256(f"{whose}\0{key}".encode()).hexdigest()
        digest = hashlib.sha256(body).digest()
        if name in self._under_way:
            raise ProblemError(ProblemKind.IN_PROGRESS, "Ask again in a moment.", retry_after=1)
        self._under_way.add(name)
        try:
            found = await asyncio.to_thread(self._vault.get, OWNER, name)
            if found is not None:
                if found[: len(digest)] != digest:
                    raise ProblemError(ProblemKind.OTHER_BODY, "Use a new key for a new request.")
                return found[len(digest) :], True
            answer = await work()
            kept = Kept(
                owner=OWNER, name=name, value=digest + answer, expires_at=self._clock() + LIFE
            )
            await asyncio.to_thread(self._vault.put, kept)
            return answer, False
        finally:
            self._under_way.discard(name)


MOST_TURNS = 1_000
"""Turns that clients have begun and not ended: the oldest ends first."""
IDLE = 900.0
"""Seconds after which an unused turn ends, so that it is learned from."""
MOST_ADVISED = 10
"""Failures of one request that are looked into, the last: each takes a tenth of a second."""


class ReportedFailureError(Exception):
    """A failure as a client reports it, with all that it says for programs."""

    def __init__(
        self, text: str, *, status: int | None = None, code: int | str | None = None
    ) -> None:
        super().__init__(text)
        self.status = self.status_code = status
        self.code = code


@dataclass(slots=True, kw_only=True)
class ReportedTurn:
    """A turn under way."""

    run: HostRun
    used: float
    """When it was last used, on a monotonic clock."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class ReportedTurns:
    """Every open turn of the clients. A client reaches only its own."""

    def __init__(
        self,
        host: ApplicationHost,
        *,
        vouches_for: Callable[[str], bool] = lambda _: False,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._host = host
        self._vouches_for = vouches_for
        self._now = now
        self._open: OrderedDict[tuple[str, str], ReportedTurn] = OrderedDict()
        self._tools: set[tuple[str, str]] = set()

    @asynccontextmanager
    async def enter(
        self, said: LogRequest | ReviewRequest, *, principal: str
    ) -> AsyncIterator[HostRun]:
        """The turn that is named, begun if it is not there; without a name one of its own."""
        key = principal, said.turn
        turn = self._open.pop(key, None) if said.turn else None
        if turn is None:
            run = self._host.open(
                said.message,
                agent=said.agent,
                principal=principal,
                context=said.context,
                vouched=self._vouches_for(principal),
            )
            turn = ReportedTurn(run=run, used=0.0)
        turn.used = self._now()
        last = isinstance(said, ReviewRequest)
        goes_on = bool(said.turn) and not last and not turn.run.is_full
        if goes_on:
            self._open[key] = turn
        try:
            async with turn.lock:
                yield turn.run
        finally:
            if not goes_on:
                await turn.run.leave()
        await self._end_forgotten()

    async def log(self, run: HostRun, calls: Sequence[ReportedCall]) -> list[LoggedCall]:
        """Log calls that their agent has made already, with what would help those that failed."""
        for call in calls:
            self._refuse_declared(call)
        failed = [at for at, call in enumerate(calls) if call.error is not None]
        unread = frozenset(failed[:-MOST_ADVISED])
        return [
            await self._log_one(run, call, advised=at not in unread)
            for at, call in enumerate(calls)
        ]

    async def close(self) -> None:
        """End every turn that is still open."""
        while self._open:
            await self._open.popitem()[1].run.leave()

    async def _end_forgotten(self) -> None:
        """End unused turns: the oldest come first, as each use puts one last."""
        before = self._now() - IDLE
        while self._open:
            oldest = next(iter(self._open.values()))
            if oldest.lock.locked() or (len(self._open) <= MOST_TURNS and oldest.used >= before):
                return
            await self._open.popitem(last=False)[1].run.leave()

    async def _log_one(self, run: HostRun, call: ReportedCall, *, advised: bool) -> LoggedCall:
        took_us = None if call.duration_ms is None else round(call.duration_ms * 1000)
        known = NextCall(took_us=took_us, advised=advised)
        try:
            with carry(read_context()._replace(next_call=[known])):
                await run.call(_build_call(call))
        except ReportedFailureError as failed:
            advice = self._host.read_advice(failed)
            return LoggedCall(tool=call.tool, outcome="failure", advice=advice)
        return LoggedCall(tool=call.tool, outcome="success")

    def _refuse_declared(self, call: ReportedCall) -> None:
        """A tool whose calls are held or undone here is called here, or what was done is on no
        record; any other is logged and reviewed, and never held: it has run."""
        key, known = (call.server, call.tool), self._host.tools.find_tool(_build_call(call))
        if known is not None and known.reach.has_effect:
            raise ProblemError(
                ProblemKind.DECLARED,
                f"{call.tool} is declared here, so that its calls are held and undone: make "
                "them through the gateway, and do not report them.",
            )
        if known is None and key not in self._tools:
            if len(self._tools) >= MOST_TOOLS:
                raise ProblemError(ProblemKind.TOO_MANY, "No more names of tools are taken.")
            self._tools.add(key)


def _build_call(call: ReportedCall) -> HostCall:
    async def make(arguments: Mapping[str, object]) -> object:  # noqa: ARG001 - it was made
        if (said := call.error) is not None:
            text = f"{said.type}: {said.message}" if said.type else said.message
            raise _build_type(said.type)(text, status=said.status, code=said.code)
        return call.result

    return HostCall(
        tool=call.tool,
        arguments=call.arguments,
        make=make,
        schema=call.schema,
        server=call.server,
        once=True,
        reported=True,
        remote=True,
    )


@lru_cache(maxsize=256)
def _build_type(name: str) -> type[ReportedFailureError]:
    """A class of the name that the client's has, which is all that is known of it."""
    named = name.rpartition(".")[2]
    if not named.isidentifier():
        return ReportedFailureError
    return type(named, (ReportedFailureError,), {})


PREFIX = "/v1"
DESCRIPTION = f"{PREFIX}/openapi.json"
"""It says nothing of any store, so it needs no token."""
WAITING = 50
"""Requests of one principal that wait for one that is worked on."""
M = TypeVar("M")
R = TypeVar("R", LogRequest, ReviewRequest)


FindPrincipal = Callable[[Mapping[str, str]], "str | Refusal"]
"""Who asks, by the headers of a request, or why they are refused."""
FindGrant = Callable[[str], Grant]
"""What a principal may do."""


def create_api(
    m: Mulligan,
    *,
    find_principal: FindPrincipal,
    find_grant: FindGrant = lambda _: EVERYTHING,
    vouches_for: Callable[[str], bool] = lambda _: False,
    most: int = MEBI,
) -> list[Route]:
    """The routes of the API, for a server to mount beside its own: how often each client may ask
    is the server's to say. `most`: bytes of one request.

    What a client reports as a person's words counts as said only where `vouches_for` says so.
    """
    api = Api(
        m,
        find_principal=find_principal,
        find_grant=find_grant,
        vouches_for=vouches_for,
        most=most,
    )

    async def show_description(request: Request) -> Response:  # noqa: ARG001
        """The OpenAPI document."""
        return Response(msgspec.json.encode(describe_api(PREFIX)), media_type=JSON)

    ask, log = partial(api.build_endpoint, in_lane=True), api.build_endpoint
    return [
        Route(f"{PREFIX}/executions", log(api.log_executions), methods=["POST"]),
        Route(f"{PREFIX}/suggestions", ask(api.suggest), methods=["POST"]),
        Route(f"{PREFIX}/reviews", log(api.review), methods=["POST"]),
        Route(f"{PREFIX}/pitfalls", ask(api.list_pitfalls), methods=["GET"]),
        Route(DESCRIPTION, show_description, methods=["GET"]),
    ]


Answers = Callable[[Request, str], Awaitable[Response]]


class Api:
    """What clients in other languages may ask of one application."""

    def __init__(
        self,
        m: Mulligan,
        *,
        find_principal: FindPrincipal,
        find_grant: FindGrant,
        vouches_for: Callable[[str], bool],
        most: int,
    ) -> None:
        self._insights = m._ask_about()  # noqa: SLF001 - the gateway is an application of it
        self._find_principal = find_principal
        self._find_grant = find_grant
        self._most = most
        host = m._build_host({}, name="api")  # noqa: SLF001 - as above
        self._turns = ReportedTurns(host, vouches_for=vouches_for)
        self._repeats = RepeatedWrites(host.parts.store.vault, clock=host.clock)
        self._redactor = host.parts.runtime.redactor
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

        async def answer(said: LogRequest, run: HostRun, logged: list[LoggedCall]) -> object:  # noqa: ARG001
            return Logged(turn=run.id, executions=logged)

        return await self._write_once(request, principal, LogRequest, answer, status=201)

    async def review(self, request: Request, principal: str) -> Response:
        """Review what an agent has done, and its reply, before the reply is shown."""

        async def answer(said: ReviewRequest, run: HostRun, logged: list[LoggedCall]) -> object:  # noqa: ARG001
            return _build_review(await run.review(said.reply))

        return await self._write_once(request, principal, ReviewRequest, answer)

    async def suggest(self, request: Request, principal: str) -> Response:
        """What to do about a call that failed."""
        said = _decode(await self._read_body(request), SuggestRequest)
        self._require_granted(principal, said)
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

    async def list_pitfalls(self, request: Request, principal: str) -> Response:
        """What is known to go wrong with a tool, or with what an agent uses."""
        asked = request.query_params
        unknown = sorted(set(asked) - {"tool", "agent", "tokens"})
        if unknown:
            raise ProblemError(ProblemKind.UNREADABLE, f"Unknown parameter {unknown[0]!r}.")
        tokens = asked.get("tokens", "400")
        if not re.fullmatch(r"[0-9]{1,4}", tokens) or not 0 < int(tokens) <= 4000:
            raise ProblemError(ProblemKind.UNREADABLE, "tokens is a number from 1 to 4000.")
        grant, agent = self._find_grant(principal), asked.get("agent", "")
        text = await asyncio.to_thread(
            self._insights.lesson_list.describe_pitfalls,
            (asked["tool"],) if "tool" in asked else (),
            agent=self._redactor.identify(agent, IdentityKind.AGENT) if agent else None,
            label=self._redactor.redact_label(agent),
            tokens=int(tokens),
            allows=grant.allows if grant.tools else None,
        )
        return Response(msgspec.json.encode(Pitfalls(text=text)), media_type=JSON)

    def _require_principal(self, request: Request) -> str:
        found = self._find_principal(request.headers)
        if not isinstance(found, str):
            raise ProblemError(_KIND_OF[found.status], found.said)
        return found

    def _require_granted(self, principal: str, *calls: ReportedCall | SuggestRequest) -> None:
        grant = self._find_grant(principal)
        for call in calls:
            if not grant.allows(call.server, call.tool):
                said = f"The operator does not grant '{show_name(call.tool)}' to you."
                raise ProblemError(ProblemKind.NOT_GRANTED, said)

    async def _read_body(self, request: Request) -> bytes:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != JSON:
            raise ProblemError(ProblemKind.UNREADABLE, f"Send {JSON}, not {kind or 'nothing'!r}.")
        body = await join_parts(request.stream(), most=self._most)
        if body is None:
            raise ProblemError(ProblemKind.TOO_LARGE, f"{self._most} bytes at most.")
        return body

    async def _write_once(
        self,
        request: Request,
        principal: str,
        kind: type[R],
        answer: Callable[[R, HostRun, list[LoggedCall]], Awaitable[object]],
        *,
        status: int = 200,
    ) -> Response:
        """Log what a request reports, and answer it: both once for a key."""
        async with self._lanes.enter(principal):
            body = await self._read_body(request)
            said = _decode(body, kind)
        self._require_granted(principal, *said.executions)

        async def work() -> bytes:
            async with self._turns.enter(said, principal=principal) as run:
                async with self._lanes.enter(principal):
                    logged = await self._turns.log(run, said.executions)
                return msgspec.json.encode(await answer(said, run, logged))

        told, replayed = await self._repeats.answer_once(
            request.headers.get("idempotency-key", ""),
            whose="\0".join((self._insights.tenant or "", principal, request.url.path)),
            body=body,
            work=work,
        )
        headers = {"Idempotent-Replayed": "true"} if replayed else {}
        return Response(told, status_code=status, headers=headers, media_type=JSON)


_KIND_OF = {
    401: ProblemKind.UNAUTHORIZED,
    403: ProblemKind.FORBIDDEN,
    421: ProblemKind.MISDIRECTED,
    429: ProblemKind.TOO_MANY,
    503: ProblemKind.UNAVAILABLE,
}


def refuse_request(
    status: int, said: str, *, retry_after: int = 0, challenge: str = ""
) -> Response:
    """Why a request is refused before it comes to the API."""
    answer = answer_problem(ProblemError(_KIND_OF[status], said, retry_after=retry_after))
    if challenge:
        answer.headers["www-authenticate"] = f"Bearer {challenge}"
    return answer


def _decode(body: bytes, kind: type[M]) -> M:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        # It says what is wrong and where; of a value nothing is repeated.
        said = "It is nested too deep." if isinstance(error, RecursionError) else f"{error}."
        raise ProblemError(ProblemKind.UNREADABLE, said) from error


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
