"""A server that says little: its answers to writes need not have an ETag, or a body.

A person may edit what a write has left right then, before anybody can read it.
"""

from __future__ import annotations

import gzip
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Event = dict[str, Any]


class QuietServer(ThreadingHTTPServer):
    """Its events, and how it answers writes."""

    daemon_threads = True
    tag: str | None = None
    """What stands before the ETag of an answer to a write: `W/`, or nothing. `None`: no ETag."""
    shows = "whole"
    """What it answers a write with: the `whole` resource, its `id`, or `nothing`."""
    stamps = False
    """It sets a time and a number with every write."""
    names = False
    """What it has always holds its own id, whatever is sent."""
    trims = False
    """It writes titles in its own way."""
    status = 0
    location = ""
    compresses = ""
    """Whose way it compresses answers in, where the client takes that: `apache`, `nginx`."""
    gets = False
    """Asked to make what is there, it answers with that: "get or create"."""
    refuses = False
    """A write that is answered with one of its refusals takes no effect."""
    repeats = 0
    """So many writes, from now on, arrive twice: their caller sees the second answer."""
    queues = False
    """What it changes only takes effect when it is told to `land`."""
    edit: Callable[[], object] | None = None
    """What a person does once the next write is through, and before anybody reads."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _QuietAnswers)
        self.refusals: list[int] = []
        """Statuses that the next writes are answered with; 0 for what became of them."""
        self.queue: list[Callable[[], None]] = []
        self.items: dict[str, Event] = {}
        self.versions: dict[str, int] = {}
        self.count = itertools.count(1)
        self.write("e1", {"title": "milk", "size": 1})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def write(self, name: str, item: Event | None) -> None:
        """What a person does, or a request."""
        self.versions[name] = next(self.count)
        if item is None:
            self.items.pop(name, None)
            return
        if self.trims and "title" in item:
            item = {**item, "title": item["title"].strip().lower()}
        if self.names:
            item = {**item, "id": name}
        if self.stamps:
            number = self.items.get(name, {}).get("version", 0) + 1
            item = {**item, "updated_at": f"2026-11-16T10:00:{number:02}Z", "version": number}
        self.items[name] = item

    def land(self) -> None:
        """Let what waits take effect."""
        while self.queue:
            self.queue.pop(0)()

    def name_version(self, name: str) -> str:
        return f'"v{self.versions[name]}"' if name in self.items else ""


class _QuietAnswers(BaseHTTPRequestHandler):
    server: QuietServer
    refusal = 0

    def log_message(self, *_: object) -> None:
        """Nothing."""

    @property
    def name(self) -> str:
        return self.path.removeprefix("/events").strip("/")

    def do_GET(self) -> None:
        found = self.server.items.get(self.name)
        headers = {"ETag": self.server.name_version(self.name)} if found else {}
        self.answer(200 if found else 404, found or {"error": "gone"}, headers)

    def do_PUT(self) -> None:
        self.change(lambda _, new: new)

    def do_PATCH(self) -> None:
        self.change(lambda old, new: {**(old or {}), **new})

    def do_DELETE(self) -> None:
        if self.name not in self.server.items:
            return self.answer(404, {"error": "gone"}, {})
        return self.change(lambda *_: None)

    def do_POST(self) -> None:
        name, body = f"e{next(self.server.count)}", self.read_body()
        if self.is_refused():
            return None
        if self.server.gets:
            return self.conclude("e1", 200, {"Location": "/events/e1"})
        self.server.write(name, body)
        return self.conclude(name, 201, {"Location": self.server.location or f"/events/{name}"})

    def change(self, make: Any) -> None:
        body, server = self.read_body(), self.server
        wanted, there = self.headers.get("If-Match"), server.name_version(self.name)
        exists = self.headers.get("If-None-Match") == "*" and there
        if exists or (wanted and wanted != there):
            return self.answer(412, {"error": "changed"}, {})
        if self.is_refused():
            return None
        write = partial(server.write, self.name, make(server.items.get(self.name), body))
        if server.queues:
            server.queue.append(write)
        else:
            write()
        if server.repeats:
            server.repeats -= 1
            there = server.name_version(self.name)
            if wanted and wanted != there:
                return self.answer(412 if there else 404, {"error": "repeated"}, {})
        return self.conclude(self.name, 200, {})

    def conclude(self, name: str, status: int, headers: dict[str, str]) -> None:
        """Answer a write with what it left; what a person does then is not in the answer."""
        server = self.server
        shown = {"whole": server.items.get(name), "id": {"id": name}, "nothing": None}[server.shows]
        if server.tag is not None and name in server.items:
            headers |= {"ETag": server.tag + server.name_version(name)}
        edit, server.edit = server.edit, None
        if edit is not None:
            edit()
        self.answer(self.refusal or server.status or status, shown, headers)

    def is_refused(self) -> bool:
        """Whether a write is answered with a refusal, and is one."""
        server = self.server
        self.refusal = server.refusals.pop(0) if server.refusals else 0
        if self.refusal and server.refuses:
            self.answer(self.refusal, {"error": "refused"}, {})
        return bool(self.refusal) and server.refuses

    def read_body(self) -> Any:
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return json.loads(text) if text else {}

    def answer(self, status: int, body: object, headers: dict[str, str]) -> None:
        text = b"" if body is None else json.dumps(body).encode()
        if text and self.server.compresses and "gzip" in self.headers.get("Accept-Encoding", ""):
            text, tag = gzip.compress(text), headers.get("ETag", "")
            changed = f'{tag[:-1]}-gzip"' if self.server.compresses == "apache" else f"W/{tag}"
            headers = {**headers, "Content-Encoding": "gzip", **({"ETag": changed} if tag else {})}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@contextmanager
def serve_quietly() -> Iterator[QuietServer]:
    with QuietServer() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()
