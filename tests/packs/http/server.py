"""A real server of events on loopback: with ETags and keys, or without."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(kw_only=True)
class Events:
    """What the server has, which a person may change as well."""

    etags: bool
    url: str = ""
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    lose: bool = False
    """The answer to the next write is lost, after its effect."""
    count: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def fill(self) -> None:
        """As in the beginning."""
        self.items, self.versions, self.keys = {}, {}, {}
        self.write("e1", {"title": "milk"})

    def write(self, name: str, item: dict[str, Any] | None) -> None:
        """What a person does, or a request."""
        if item is None:
            self.items.pop(name, None)
        else:
            self.items[name] = item
        self.versions[name] = next(self.count)


class EventRequest(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    events: Events

    def log_message(self, *_: object) -> None:
        """Nothing."""

    @property
    def name(self) -> str:
        return self.path.partition("?")[0].removeprefix("/events").strip("/")

    def do_GET(self) -> None:
        if not self.name:
            key = self.path.partition("key=")[2]
            found = [self.events.keys[key]] if key in self.events.keys else []
            self.answer(200, [{"event_id": each} for each in found])
        elif self.name in self.events.items:
            self.answer(200, self.events.items[self.name])
        else:
            self.answer(404, {"error": "no such event"})

    def do_PUT(self) -> None:
        self.change(lambda old, new: new)

    def do_PATCH(self) -> None:
        self.change(lambda old, new: {**(old or {}), **new})

    def do_DELETE(self) -> None:
        self.change(lambda old, new: None)

    def do_POST(self) -> None:
        body, key = self.read_body(), self.headers.get("Idempotency-Key", "")
        name = self.events.keys.get(key) or f"e{next(self.events.count)}"
        if key not in self.events.keys:
            self.events.write(name, body)
        if key:
            self.events.keys[key] = name
        self.answer(201, {"event_id": name}, name=name)

    def change(self, make: Any) -> None:
        body, old = self.read_body(), self.events.items.get(self.name)
        wanted = self.headers.get("If-Match")
        if self.events.etags and wanted and wanted != self.etag(self.name):
            return self.answer(412, {"error": "changed"})
        if self.events.etags and self.headers.get("If-None-Match") == "*" and old is not None:
            return self.answer(412, {"error": "there already"})
        if old is None and self.command in ("PATCH", "DELETE"):
            return self.answer(404, {"error": "no such event"})
        self.events.write(self.name, make(old, body))
        return self.answer(200, self.events.items.get(self.name))

    def etag(self, name: str) -> str:
        return f'"v{self.events.versions[name]}"' if name in self.events.items else ""

    def read_body(self) -> Any:
        length = int(self.headers.get("Content-Length", 0))
        text = self.rfile.read(length)
        return json.loads(text) if text else {}

    def answer(self, status: int, body: Any, *, name: str = "") -> None:
        if self.command != "GET" and self.events.lose:
            self.events.lose = False
            self.close_connection = True
            self.connection.close()
            return
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        if name:
            self.send_header("Location", f"/events/{name}")
        if self.events.etags and (name or self.name) in self.events.items:
            self.send_header("ETag", self.etag(name or self.name))
        self.end_headers()
        self.wfile.write(text)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A line that was lost on purpose."""


@contextmanager
def serve_events(*, etags: bool) -> Iterator[Events]:
    """A server for as long as the context lasts."""
    events = Events(etags=etags)
    handler = type("Bound", (EventRequest,), {"events": events})
    server = Server(("127.0.0.1", 0), handler)
    events.url = f"http://127.0.0.1:{server.server_port}"
    events.fill()
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield events
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
