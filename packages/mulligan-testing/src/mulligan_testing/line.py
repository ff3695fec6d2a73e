"""A line to an HTTP server that can lose a request or its answer, and keeps what got through."""

from __future__ import annotations

import http.client
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from mulligan.types.values import hide_fields

WRITES = ("POST", "PUT", "PATCH", "DELETE")
_TIMEOUT = 60
_OWN = ("content-length", "connection", "transfer-encoding")
"""Headers of an answer that we write ourselves."""

Headers = Sequence[tuple[str, str]]


class LineFault(StrEnum):
    """What happens to one write in flight."""

    LOST_AFTER = "lost_after"
    """It takes effect, and its answer is lost."""
    LOST_BEFORE = "lost_before"
    """It never arrives."""
    BROKEN_AFTER = "broken_after"
    """It takes effect, and the answer is a 500."""
    NO_ETAG = "no_etag"
    """It takes effect, and the answer does not tell the ETag."""


@hide_fields("body")
class LineWrite(Struct, frozen=True, kw_only=True):
    """A write that reached the server, and what the server said to it."""

    method: str
    path: str
    status: int
    over: str = ""
    """The version it was made conditional on; empty: where nothing was."""
    etag: str = ""
    """The version that the server says it left."""
    body: str = ""

    @property
    def done(self) -> bool:
        """Whether the server says that it took effect."""
        return 200 <= self.status < 300


@dataclass(slots=True, kw_only=True)
class Line:
    """The line, as whoever made it sees it."""

    url: str
    upstream: str
    faults: list[LineFault | None] = field(default_factory=list)
    """Of the next writes, in order."""
    written: list[LineWrite] = field(default_factory=list)
    """Every write that reached the server, in order."""
    strange: bool = False
    """Whether every read is answered with a page for people, as a portal does."""
    then: Callable[[], object] | None = None
    """What another party does once the next write took effect, before its answer is sent."""

    def rewrite_url(self, url: str) -> str:
        """The same place on the server, by way of this line."""
        return url.replace(self.upstream, self.url)

    def count_done(self) -> int:
        """How many writes took effect."""
        return sum(each.done for each in self.written)


@contextmanager
def line_to(upstream: str) -> Iterator[Line]:
    """A line to the server at a URL, on loopback, for as long as the context lasts."""
    server = _Server(("127.0.0.1", 0), _Request)
    server.line = Line(url=f"http://127.0.0.1:{server.server_port}/", upstream=upstream)
    with serve_beside(server):
        yield server.line


@contextmanager
def serve_beside(server: ThreadingHTTPServer) -> Iterator[None]:
    """Have a server answer on a thread of its own, for as long as the context lasts."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    line: Line

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log no broken connections: breaking them is what a line is for."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Request(BaseHTTPRequestHandler):
    """One request, handed on and answered, or not."""

    server: _Server

    def _hand_on(self) -> None:
        line, writes = self.server.line, self.command in WRITES
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = line.faults.pop(0) if writes and line.faults else None
        if fault is LineFault.LOST_BEFORE:
            return
        status, headers, content = self._ask(line.upstream, body)
        if writes:
            line.written.append(self._as_written(status, headers, body))
            then, line.then = line.then, None
            if then is not None:
                then()
        if fault is LineFault.LOST_AFTER:
            return
        if fault is LineFault.BROKEN_AFTER:
            status, content = 500, b""
        if fault is LineFault.NO_ETAG:
            headers = [pair for pair in headers if pair[0].lower() != "etag"]
        if line.strange and not writes:
            status, headers, content = 200, [("Content-Type", "text/html")], b"<p>Log in"
        self._answer(status, headers, content)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _hand_on  # noqa: N815 - its own names
    do_OPTIONS = do_PROPFIND = do_REPORT = _hand_on  # noqa: N815

    def _ask(self, upstream: str, body: bytes) -> tuple[int, Headers, bytes]:
        connection = http.client.HTTPConnection(urlsplit(upstream).netloc, timeout=_TIMEOUT)
        try:
            # As it came, but for what would have the answer packed.
            headers = {k: v for k, v in self.headers.items() if k.lower() != "accept-encoding"}
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def _as_written(self, status: int, headers: Headers, body: bytes) -> LineWrite:
        told = {name.lower(): value for name, value in headers}
        return LineWrite(
            method=self.command,
            path=self.path,
            status=status,
            over=self.headers.get("If-Match", ""),
            etag=told.get("etag", ""),
            body=body.decode(errors="replace"),
        )

    def _answer(self, status: int, headers: Headers, content: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _OWN:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its own name
        """Log nothing."""
