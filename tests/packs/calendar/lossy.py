"""A line to the server that can lose a request or its answer, and counts what got through."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

WRITES = ("PUT", "DELETE")
PATIENCE = 60


class Fault(StrEnum):
    """What happens to one write on its way."""

    LOST_AFTER = "lost_after"
    """It takes effect, and its answer is lost."""
    LOST_BEFORE = "lost_before"
    """It never arrives."""
    BROKEN_AFTER = "broken_after"
    """It takes effect, and the answer is a 500."""
    NO_ETAG = "no_etag"
    """It takes effect, and the answer does not tell the ETag."""


@dataclass(slots=True, kw_only=True)
class Lossy:
    """The line, as a test sees it."""

    url: str
    upstream: str
    faults: list[Fault] = field(default_factory=list)
    """Of the next writes, in order."""
    written: list[str] = field(default_factory=list)
    """`METHOD status` of every write that reached the server."""

    strange: bool = False
    """Whether every read is answered with a page for people, as a portal does."""

    def seen_from_here(self, url: str) -> str:
        """The same place on the server, by way of this line."""
        return url.replace(self.upstream, self.url)

    def done(self) -> int:
        """How many writes took effect."""
        return sum(status.split()[1].startswith("2") for status in self.written)


@contextmanager
def lossy(upstream: str) -> Iterator[Lossy]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Line)
    server.daemon_threads = True
    line = Lossy(url=f"http://127.0.0.1:{server.server_address[1]}/", upstream=upstream)
    server.line = line
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield line
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Line(BaseHTTPRequestHandler):
    """One request, handed on and answered, or not."""

    def _hand_on(self) -> None:
        line: Lossy = self.server.line
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        writes = self.command in WRITES
        fault = line.faults.pop(0) if writes and line.faults else None
        if fault is Fault.LOST_BEFORE:
            return
        status, headers, content = self._ask(line.upstream, body)
        if writes:
            line.written.append(f"{self.command} {status}")
        if fault is Fault.LOST_AFTER:
            return
        if fault is Fault.BROKEN_AFTER:
            status, content = 500, b""
        if fault is Fault.NO_ETAG:
            headers = [pair for pair in headers if pair[0].lower() != "etag"]
        if line.strange and not writes:
            status, headers, content = 200, [("Content-Type", "text/html")], b"<p>Log in"
        self._answer(status, headers, content)

    do_GET = do_PUT = do_DELETE = do_PROPFIND = do_REPORT = do_OPTIONS = _hand_on

    def _ask(self, upstream: str, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(urlsplit(upstream).netloc, timeout=PATIENCE)
        try:
            # As it came, but for what would have the answer packed.
            headers = {k: v for k, v in self.headers.items() if k.lower() != "accept-encoding"}
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def _answer(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        """Nobody reads it."""
