"""How we serve over HTTP: a client that sends no request, or half of one, blocks no other."""

from __future__ import annotations

from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

ARRIVAL = 20.0
"""Seconds within which a request is here as a whole, its headers and its body."""
UNREAD = 60.0
"""Seconds for which a client may take nothing of what is sent to it."""
MOST_SILENT = 256
"""Connections without a request under way: beyond them the oldest is closed. Well below the 1,024
files that a process may have open by default."""
BACKLOG = 256
"""Connections that are taken at once, before any of them can be closed again."""


def configure_server(app: Any, **options: Any) -> uvicorn.Config:
    """The settings of a server of ours."""
    return uvicorn.Config(
        app,
        http=PromptProtocol,
        ws="none",
        backlog=BACKLOG,
        log_level="warning",
        access_log=False,
        server_header=False,
        **options,
    )


class PromptProtocol(H11Protocol):
    """A connection that is closed where no whole request comes in time."""

    silent_since: float | None = None
    """Since when no request is under way; `None`: one is, or the connection is over."""
    _limit: Any = None
    _unread: Any = None

    def connection_made(self, transport: Any) -> None:
        """A client is connected."""
        super().connection_made(transport)
        self._note_silent()
        self._expect_request()

    def data_received(self, data: bytes) -> None:
        """Some of a request, or all of it."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._expect_request()
            return
        self.silent_since = None
        if self.cycle.more_body:
            self._expect_request()
        else:
            self._end_limit()

    def on_response_complete(self) -> None:
        """The connection may be used again."""
        self._end_limit()
        super().on_response_complete()
        # The next request may have been here before this one was answered.
        if self.cycle.response_complete and not self.transport.is_closing():
            self._note_silent()

    def pause_writing(self) -> None:
        """What was sent is not taken."""
        super().pause_writing()
        self._unread = self.loop.call_later(UNREAD, self.transport.abort)

    def resume_writing(self) -> None:
        """It is taken again."""
        self._unread.cancel()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """No client is connected any more."""
        self.silent_since = None
        self._end_limit()
        if self._unread is not None:
            self._unread.cancel()
        super().connection_lost(exc)

    def _note_silent(self) -> None:
        self.silent_since = self.loop.time()
        silent = [
            (each.silent_since, id(each), each)
            for each in self.connections
            if isinstance(each, PromptProtocol) and each.silent_since is not None
        ]
        if len(silent) > MOST_SILENT:
            min(silent)[2].hang_up()

    def hang_up(self) -> None:
        """Let go of it, whatever is still to come."""
        self.silent_since = None
        self.transport.close()

    def _expect_request(self) -> None:
        if self._limit is None:
            self._limit = self.loop.call_later(ARRIVAL, self._give_up)

    def _give_up(self) -> None:
        self._limit = None
        if self.flow.read_paused:
            # We have not read what it sends.
            self._expect_request()
        else:
            self.hang_up()

    def _end_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
