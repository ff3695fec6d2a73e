"""A real server of events on loopback: with ETags and keys, or without.

`python -m bench.packs.event_server` serves in a process of its own, until its input ends.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from bench.packs.life import THEIRS


@dataclass(kw_only=True)
class Events:
    """What the server has, which a person may change as well."""

    etags: bool
    url: str = ""
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    says_where: bool = True
    """An answer to a POST names what was made."""
    weak: bool = False
    """An answer to a write has a weak ETag, as one that is compressed on its way."""
    upsert: bool = False
    """A POST of a title that is there changes that, and is answered with it."""
    lose: bool = False
    """The answer to the next write is lost, after its effect."""
    count: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def fill(self) -> None:
        """As in the beginning."""
        self.items, self.versions, self.keys = {}, {}, {}
        self.lose = False  # who asked for that may have been killed before it wrote
        self.write("e1", {"title": "milk"})

    def write(self, name: str, item: dict[str, Any] | None) -> None:
        """What a person does, or a request."""
        if item is None:
            self.items.pop(name, None)
        else:
            self.items[name] = item
        self.versions[name] = next(self.count)

    def edit(self) -> None:
        """A person changes all there is."""
        for name in list(self.items):
            self.write(name, {"title": THEIRS})

    def lose_next(self) -> None:
        """The answer to the next write is lost, after its effect."""
        self.lose = True


EVERYTHING = "/all"
"""Where anybody may see all there is, past every rule."""
DEEDS: dict[str, Callable[[Events], None]] = {
    "/fill": Events.fill,
    "/edit": Events.edit,
    "/lose": Events.lose_next,
}
"""What may be done from another process, past every rule."""


class EventRequest(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    events: Events

    def log_message(self, *_: object) -> None:
        """Nothing."""

    @property
    def name(self) -> str:
        return self.path.partition("?")[0].removeprefix("/events").strip("/")

    def do_GET(self) -> None:
        if self.path == EVERYTHING:
            self.answer(200, self.events.items)
        elif not self.name:
            key = self.path.partition("key=")[2]
            found = [self.events.keys[key]] if key in self.events.keys else []
            self.answer(200, [{"event_id": each} for each in found])
        elif self.name in self.events.items:
            self.answer(200, self.events.items[self.name])
        else:
            self.answer(404, {"error": "no such event"})

    def do_PUT(self) -> None:
        self.change(lambda _, new: new)

    def do_PATCH(self) -> None:
        self.change(lambda old, new: {**(old or {}), **new})

    def do_DELETE(self) -> None:
        self.change(lambda *_: None)

    def do_POST(self) -> None:
        if self.path in DEEDS:
            DEEDS[self.path](self.events)
            return self.answer(200, {})
        return self.make()

    def make(self) -> None:
        body, key = self.read_body(), self.headers.get("Idempotency-Key", "")
        alike = [n for n, item in self.events.items.items() if item["title"] == body.get("title")]
        there = alike if self.events.upsert else []
        name = self.events.keys.get(key) or next(iter(there), f"e{next(self.events.count)}")
        if key not in self.events.keys:
            self.events.write(name, body)
        if key:
            self.events.keys[key] = name
        if not self.events.says_where:
            return self.answer(201, {"ok": True})
        return self.answer(201, {"event_id": name}, name=name)

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
        if self.command != "GET" and self.events.lose and self.path not in DEEDS:
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
            weak = "W/" if self.events.weak and self.command != "GET" else ""
            self.send_header("ETag", weak + self.etag(name or self.name))
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


@contextmanager
def serve_elsewhere(*, etags: bool) -> Iterator[str]:
    """A server in a process of its own, which outlives whoever is killed. Its address."""
    command = [sys.executable, "-m", "bench.packs.event_server", "etags" if etags else "bare"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            process.stdin.close()


if __name__ == "__main__":
    with serve_events(etags=sys.argv[1:] == ["etags"]) as running:
        print(running.url, flush=True)
        sys.stdin.read()
