"""Clients over HTTP: their sessions, each found by its own client only, and ended when unused."""

from __future__ import annotations

import asyncio
import secrets

from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.gateway import Gateway
from mulligan.gateway.protocol.party import Party
from mulligan.gateway.serving.streams import Streams
from mulligan.gateway.sessions.client import ClientSession

MOST_SESSIONS = 500
MOST_OF_ONE = 50
"""Sessions of one principal: each has servers of its own, which are processes."""
IDLE = 1_800.0
"""Seconds after which a session that nobody uses is over."""
RECENT = 60.0
"""Seconds after which a session that nobody uses makes room for another of the same principal."""


class TooManySessionsError(Exception):
    """There is no room for another session."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(status, said)
        self.status, self.said = status, said


@dataclass(eq=False, slots=True, kw_only=True)
class HttpSession:
    """A session that a client comes back to."""

    principal: str
    session: ClientSession
    streams: Streams
    used_at: float = 0.0
    busy: int = 0
    """Connections that are open now."""


class HttpParty(Party):
    """A client that has a connection for each of its requests."""

    def __init__(self, streams: Streams, *, keeps_ids: bool) -> None:
        super().__init__(streams, keeps_ids=keeps_ids)
        self._streams = streams

    def tell(self, frame: bytes, *, during: bytes) -> None:
        """Hand over what comes before an answer, on the connection of that answer."""
        self._streams.send(frame, during=during)


class HttpClients:
    """The clients of a gateway over HTTP."""

    def __init__(
        self,
        gateway: Gateway,
        *,
        most: int = MOST_SESSIONS,
        most_of_one: int = MOST_OF_ONE,
        idle: float = IDLE,
    ) -> None:
        self._gateway = gateway
        self._most = most
        self._most_of_one = most_of_one
        self._idle = idle
        self._by_id: dict[str, HttpSession] = {}
        self._by_principal: dict[str, HttpSession] = {}
        """Those of the revisions without sessions: one for all requests of one client."""
        self._closing: set[asyncio.Task[None]] = set()
        self._sweep: asyncio.TimerHandle | None = None

    def open(self, principal: str) -> tuple[str, HttpSession]:
        """A client has come that will come back; `TooManySessionsError` if there are too many."""
        self._end_idle()
        own = [
            (each.used_at, name)
            for name, each in self._by_id.items()
            if each.principal == principal
        ]
        if len(own) >= self._most_of_one and not self._end_oldest(own):
            said = f"You have {len(own)} sessions, the limit. Close one first."
            raise TooManySessionsError(429, said)
        if len(self._by_id) >= self._most:
            raise TooManySessionsError(503, "There are too many sessions.")
        found, name = self._make(principal), secrets.token_urlsafe(24)
        self._by_id[name] = found
        return name, found

    def find(self, name: str, principal: str) -> HttpSession | None:
        """A session by its id; one of somebody else's is as unknown as none at all."""
        found = self._by_id.get(name)
        if found is None or found.principal != principal:
            return None
        return found

    def share(self, principal: str) -> HttpSession:
        """What all requests of a client have in common that says nothing of sessions."""
        self._end_idle()
        if principal not in self._by_principal:
            self._by_principal[principal] = self._make(principal, keeps_ids=False)
        return self._by_principal[principal]

    async def end(self, name: str) -> None:
        """A client is done."""
        found = self._by_id.pop(name, None)
        if found is not None:
            await found.session.close()

    async def close(self) -> None:
        """The gateway ends."""
        if self._sweep is not None:
            self._sweep.cancel()
        every = [*self._by_id.values(), *self._by_principal.values()]
        self._by_id.clear()
        self._by_principal.clear()
        await asyncio.gather(*(each.session.close() for each in every))
        if self._closing:
            await asyncio.wait(self._closing)

    def _make(self, principal: str, *, keeps_ids: bool = True) -> HttpSession:
        streams = Streams(self._gateway.options.limits)
        client = HttpParty(streams, keeps_ids=keeps_ids)
        session = self._gateway.open_session(client, principal=principal)
        session.on_cancelled = streams.cancel
        now = asyncio.get_running_loop().time()
        return HttpSession(principal=principal, session=session, streams=streams, used_at=now)

    def _end_oldest(self, own: list[tuple[float, str]]) -> bool:
        """Make room where a session was left behind."""
        before = asyncio.get_running_loop().time() - RECENT
        left = [
            name for used_at, name in sorted(own) if used_at < before and not self._by_id[name].busy
        ]
        if left:
            self._close_apart(self._by_id.pop(left[0]))
        return bool(left)

    def _end_idle(self) -> None:
        """End what nobody uses, now and from time to time: its servers run for nobody."""
        loop = asyncio.get_running_loop()
        before = loop.time() - self._idle
        for kept in (self._by_id, self._by_principal):
            for name, each in list(kept.items()):
                if not each.busy and each.used_at < before:
                    self._close_apart(kept.pop(name))
        if self._sweep is not None:
            self._sweep.cancel()
        self._sweep = loop.call_later(max(self._idle / 4, 1.0), self._end_idle)

    def _close_apart(self, left: HttpSession) -> None:
        closing = asyncio.ensure_future(left.session.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
