"""A server that has bytes, and one that sends its clients elsewhere."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Pictures(ThreadingHTTPServer):
    """What it has, what it was asked, and where it sends those who post."""

    daemon_threads = True
    content = b""
    kind = "text/plain; charset=iso-8859-1"
    location = ""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _PictureAnswers)
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _PictureAnswers(BaseHTTPRequestHandler):
    server: Pictures

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        self.answer(200, self.server.content)

    def do_PUT(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        self.server.content = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.kind = self.headers["Content-Type"]
        self.answer(200, b"")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201, b"{}")

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", self.server.kind)
        self.send_header("ETag", f'"{hashlib.sha256(self.server.content).hexdigest()}"')
        self.send_header("Content-Length", str(len(body)))
        if self.command == "POST":
            self.send_header("Location", self.server.location)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serve_pictures() -> Iterator[Pictures]:
    with Pictures() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()
