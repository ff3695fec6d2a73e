"""Turns that clients of the API report piece by piece, each by a name of the client's own."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import field
from functools import lru_cache

from mulligan.app.hosts import ApplicationHost
from mulligan.core.adapter import Answer, HostCall, HostRun
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.api.messages import LoggedCall, ReportedCall, ReportedError
from mulligan.gateway.api.problems import ProblemError, ProblemKind
from mulligan.gateway.protocol.limits import MOST_TOOLS
from mulligan.runtime.live_action import NextCall, with_next_call

MOST_TURNS = 1_000
"""Turns that clients have begun and not ended: the oldest ends first."""
IDLE = 900.0
"""Seconds after which a turn that nobody goes on with is over, so that it is learned from."""
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
    """When somebody came to it last, on a clock that nobody sets."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class ReportedTurns:
    """Every turn that clients have begun. Nobody reaches one of somebody else's."""

    def __init__(
        self,
        host: ApplicationHost,
        *,
        trusted: Collection[str] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._host = host
        self._trusted = trusted
        self._now = now
        self._open: OrderedDict[tuple[str, str], ReportedTurn] = OrderedDict()
        self._tools: set[tuple[str, str]] = set()

    @asynccontextmanager
    async def enter(
        self, name: str, *, principal: str, message: str, agent: str, last: bool, context: str = ""
    ) -> AsyncIterator[HostRun]:
        """The turn of that name, begun if it is not there; without a name one of its own."""
        key = principal, name
        turn = self._open.pop(key, None) if name else None
        if turn is None:
            run = self._host.open(
                message,
                agent=agent,
                principal=principal,
                context=context,
                vouched=principal in self._trusted,
            )
            turn = ReportedTurn(run=run, used=0.0)
        turn.used = self._now()
        goes_on = bool(name) and not last and not turn.run.is_full
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

    async def review(self, run: HostRun, reply: str | None) -> Answer:
        """Review what was reported of a turn, and its reply."""
        return await run.review(reply)

    async def close(self) -> None:
        """End every turn that is still open."""
        while self._open:
            await self._open.popitem()[1].run.leave()

    async def _end_forgotten(self) -> None:
        """End what nobody goes on with: the oldest come first, as each use puts one last."""
        before = self._now() - IDLE
        while self._open:
            oldest = next(iter(self._open.values()))
            if oldest.lock.locked() or (len(self._open) <= MOST_TURNS and oldest.used >= before):
                return
            await self._open.popitem(last=False)[1].run.leave()

    async def _log_one(self, run: HostRun, call: ReportedCall, *, advised: bool) -> LoggedCall:
        made = _build_call(call)
        try:
            with with_next_call(NextCall(took_us=_read_duration(call), advised=advised)):
                await run.call(made)
        except ReportedFailureError as failed:
            advice = self._host.read_advice(failed)
            return LoggedCall(tool=call.tool, outcome="failure", advice=advice)
        return LoggedCall(tool=call.tool, outcome="success")

    def _refuse_declared(self, call: ReportedCall) -> None:
        """A tool whose calls are held or undone here is called here, or what was done is on no
        record; any other is logged and reviewed, and never held: it has run."""
        key, known = (call.server, call.tool), self._host.tools.find_tool(_build_call(call))
        if known is not None and known.acts:
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
        if call.error is not None:
            raise _build_failure(call.error)
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


def _read_duration(call: ReportedCall) -> int | None:
    return None if call.duration_ms is None else round(call.duration_ms * 1000)


def _build_failure(said: ReportedError) -> ReportedFailureError:
    text = f"{said.type}: {said.message}" if said.type else said.message
    return _build_type(said.type)(text, status=said.status, code=said.code)


@lru_cache(maxsize=256)
def _build_type(name: str) -> type[ReportedFailureError]:
    """A class of the name that the client's has, which is all that is known of it."""
    named = name.rpartition(".")[2]
    if not named.isidentifier():
        return ReportedFailureError
    return type(named, (ReportedFailureError,), {})
