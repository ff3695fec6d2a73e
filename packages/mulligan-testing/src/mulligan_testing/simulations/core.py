"""What all simulated services have in common: routes, faults, lag, a ledger of what happened."""

from __future__ import annotations

import copy
import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan_testing.line import serve_beside

Thing = dict[str, Any]
"""Something that a service has, as JSON would say it."""
State = dict[str, Any]
"""All that it has."""
KEPT = 64
"""States of which reads that lag may see one."""


class ServiceFault(StrEnum):
    """What happens to one write."""

    LOST_AFTER = "lost_after"
    """It takes effect, and its answer is lost."""
    LOST_BEFORE = "lost_before"
    """It never arrives."""
    LATE = "late"
    """Its answer is lost, and it takes effect once it is told to `arrive`."""
    BROKEN_AFTER = "broken_after"
    """It takes effect, and the answer is a 500."""
    LIMITED = "limited"
    """It is refused for being one too many (429)."""
    LIMITED_403 = "limited_403"
    """The same, as some services say it (403)."""


class ApiRequest(Struct, frozen=True, kw_only=True):
    """A request, as the service reads it."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    """By their names in lower case."""
    body: Any = None
    names: Mapping[str, str] = field(default_factory=dict)
    """What stands in the places of its route."""

    @property
    def by(self) -> str:
        """Who asks: the token."""
        return self.headers.get("authorization", "").rpartition(" ")[2]


class ApiAnswer(Struct, frozen=True, kw_only=True):
    """What a service says."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Refused(Exception):  # noqa: N818 - it is an answer
    """A refusal, with its status and its reason."""

    def __init__(self, status: int, reason: str, message: str = "") -> None:
        super().__init__(status, reason, message or reason)
        self.status, self.reason = status, reason

    def __str__(self) -> str:
        return str(self.args[2])


class NoAnswer(Exception):  # noqa: N818 - it is none
    """The connection ends without an answer."""


def require(found: Thing | None, status: int, reason: str, message: str = "") -> Thing:
    """What was found; where nothing was, a refusal."""
    if found is None:
        raise Refused(status, reason, message)
    return found


Handle = Callable[[Any, ApiRequest, State], Any]
ROUTES: dict[str, list[tuple[str, re.Pattern[str], int, Handle]]] = {}


def route(method: str, path: str, *, status: int = 200) -> Callable[[Handle], Handle]:
    """Make a method answer requests to a path with places: `/events/{event_id}`. What it returns is
    the body of an answer with that status, unless it is an answer."""
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))
    pattern = re.sub(r"\\\{(\w+)(?:\\\.){3}\\\}", r"(?P<\1>.+)", pattern)

    def register(handle: Handle) -> Handle:
        owner = handle.__qualname__.partition(".")[0]
        ROUTES.setdefault(owner, []).append((method, re.compile(f"{pattern}/?$"), status, handle))
        return handle

    return register


class Simulation:
    """A service in one process. Whoever asks is known by the token."""

    base: ClassVar[str] = ""
    """What its paths begin with."""
    pages: ClassVar[str] = ""
    simulates: ClassVar[Mapping[str, str]] = {}
    """What it does as the service does, and where below `pages` that is said."""
    differences: ClassVar[Mapping[str, str]] = {
        "no-412": "conditions are ignored",
        "no-trash": "what is deleted is gone for good",
        "lag": "reads show what was there before the last write",
    }
    """How it may differ from what is documented, to see whether anybody notices."""

    own_headers: ClassVar[Mapping[str, str]] = {}
    """What the service's own programs send, by which people `act`."""

    def __init__(self, *, differs: frozenset[str] = frozenset()) -> None:
        self.state: State = self.build_state()
        self.differs = differs
        self.faults: list[ServiceFault] = []
        """Of the next writes, in order."""
        self.ledger: list[tuple[str, str, str]] = []
        """Every write that took effect: by whom, its method, its path."""
        self.told: list[str] = []
        """Everybody who was sent a notice."""
        self.disturb: Callable[[str], object] = lambda _: None
        """What another party does, `before` or `after` a write of anybody's."""
        self.count = 0
        self.serial = 0
        self._late: list[ApiRequest] = []
        self._past: deque[State] = deque([copy.deepcopy(self.state)], maxlen=KEPT)
        self._lock = threading.RLock()

    def build_state(self) -> State:
        """What is there at the beginning."""
        raise NotImplementedError

    def describe_error(self, refused: Refused) -> ApiAnswer:
        """A refusal, in the service's form."""
        raise NotImplementedError

    def is_read(self, request: ApiRequest) -> bool:
        """Whether a request changes nothing."""
        return request.method == "GET"

    def answer(self, request: ApiRequest) -> ApiAnswer:
        """Do what a request asks for."""
        with self._lock:
            if self.is_read(request):
                behind = 2 if "lag" in self.differs and len(self._past) > 1 else 1
                return self._dispatch(request, copy.deepcopy(self._past[-behind]))
            fault = self.faults.pop(0) if self.faults else None
            return self._write(request, fault)

    def arrive(self) -> None:
        """Let every late write take effect now."""
        late, self._late = self._late, []
        for each in late:
            self._apply(each)

    def act(self, method: str, path: str, body: Any = None, *, by: str = "second") -> Any:
        """Do something as somebody else, without faults. What it was answered with."""
        parts = urlsplit(self.base + path)
        headers = {"authorization": f"Bearer {by}", **self.own_headers}
        query = dict(parse_qsl(parts.query))
        request = ApiRequest(
            method=method, path=parts.path, query=query, headers=headers, body=body
        )
        with self._lock:
            if self.is_read(request):
                return self._dispatch(request, copy.deepcopy(self.state)).body
            return self._apply(request).body

    def _write(self, request: ApiRequest, fault: ServiceFault | None) -> ApiAnswer:
        if fault is ServiceFault.LOST_BEFORE:
            raise NoAnswer
        if fault is ServiceFault.LATE:
            self._late.append(request)
            raise NoAnswer
        if fault in (ServiceFault.LIMITED, ServiceFault.LIMITED_403):
            status = 429 if fault is ServiceFault.LIMITED else 403
            return self.describe_error(Refused(status, "rateLimitExceeded"))
        self.disturb("before")
        answer = self._apply(request)
        self.disturb("after")
        if fault is ServiceFault.LOST_AFTER:
            raise NoAnswer
        return ApiAnswer(status=500, body={}) if fault is ServiceFault.BROKEN_AFTER else answer

    def _apply(self, request: ApiRequest) -> ApiAnswer:
        self.count += 1
        before = copy.deepcopy(self.state)
        answer = self._dispatch(request, self.state)
        if self.state == before:
            return answer
        self.ledger.append((request.by, request.method, request.path))
        self._past.append(copy.deepcopy(self.state))
        return answer

    def _dispatch(self, request: ApiRequest, state: State) -> ApiAnswer:
        before = copy.deepcopy(state)
        for method, pattern, status, handle in ROUTES[type(self).__name__]:
            found = pattern.match(request.path.removeprefix(self.base))
            if not found or method != request.method:
                continue
            names = {n: unquote(each) for n, each in found.groupdict().items()}
            try:
                said = handle(self, replace(request, names=names), state)
                return said if isinstance(said, ApiAnswer) else ApiAnswer(status=status, body=said)
            except Refused as refused:
                state.clear()
                state.update(before)
                return self.describe_error(refused)
        return self.describe_error(Refused(404, "notFound", f"No {request.method} {request.path}"))

    @contextmanager
    def serve(self) -> Iterator[str]:
        """The service on loopback: where it is."""
        server = _Server(("127.0.0.1", 0), _Handler)
        server.simulation = self
        with serve_beside(server):
            yield f"http://127.0.0.1:{server.server_port}{self.base}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    simulation: Simulation


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = ApiRequest(
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=read_body(content, self.headers.get("Content-Type", "")),
        )
        try:
            answer = self.server.simulation.answer(request)
        except NoAnswer:
            self.close_connection = True
            self.connection.close()
            return
        text = b"" if answer.body is None else json.dumps(answer.body).encode()
        self.send_response_only(answer.status)
        headers = {"Content-Type": "application/json", **answer.headers}
        for name, value in {**headers, "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815 - its own names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its own name
        """Log nothing."""


def read_body(content: bytes, kind: str) -> Any:
    """A body by its media type."""
    if not content:
        return None
    if "form" in kind:
        return dict(parse_qsl(content.decode(), keep_blank_values=True))
    return json.loads(content)
