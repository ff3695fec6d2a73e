"""A REST resource, and tools of `packs/http` that change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from bench.packs.event_server import EVERYTHING
from bench.packs.life import Blow, Case, Seen, list_cases
from mulligan import Mulligan
from mulligan_packs import http

WAYS = ("put", "patch", "delete", "post")
NEW = {"title": "beer"}
BEFORE = {"e1": {"title": "milk"}}


class StruckTransport(httpx.HTTPTransport):
    """A line that is struck at before a request goes out, and before its answer is read."""

    def __init__(self, blow: Blow) -> None:
        super().__init__()
        self._blow = blow

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, if nobody dies of it."""
        self._blow.strike()
        answer = super().handle_request(request)
        self._blow.strike()
        return answer


class ResourceWorld:
    """One event on a server that runs elsewhere."""

    def __init__(self, url: str, *, etags: bool) -> None:
        self._url, self._etags = url, etags
        # Nothing in a resource tells our change from the same change by a person.
        self.promises: tuple[str, ...] = ("lost", "duplicates", "overwritten", "left")

    def list_cases(self) -> list[Case]:
        """Every method."""
        return list_cases(WAYS)

    def fill(self) -> None:
        """One event."""
        self._post("/fill")

    def look(self) -> Seen:
        """All events."""
        found: Seen = httpx.get(self._url + EVERYTHING).json()
        return found

    def edit(self) -> None:
        """A person changes all events."""
        self._post("/edit")

    def has_effect(self, case: Case, seen: Seen) -> bool:
        """Whether the events are what the request makes of them."""
        if case.kind == "post":
            return sorted(map(str, seen.values())) == sorted(map(str, [*BEFORE.values(), NEW]))
        return seen == ({} if case.kind == "delete" else {"e1": NEW})

    def has_doubled(self, seen: Seen) -> bool:
        """Only a POST can be seen twice."""
        return len(seen) > len(BEFORE) + 1

    def build_call(self, m: Mulligan, case: Case, blow: Blow) -> Callable[[], Any]:
        """A tool whose requests and answers are struck at."""
        client = httpx.Client(base_url=self._url, transport=StruckTransport(blow), timeout=60)
        more: dict[str, Any] = {}
        if case.kind == "post":
            more = {"key_header": "Idempotency-Key", "find": "/events?key={key}"}
        events = http.resource(client, "/events/{event_id}", etags=self._etags, **more)
        calls: list[str] = []

        def send(title: str, event_id: str = "") -> dict[str, Any]:
            calls.append(event_id)
            if case.lost and len(calls) == 1:
                self._post("/lose")
            body = None if case.kind == "delete" else {"title": title}
            answer = client.request(case.kind.upper(), f"/events/{event_id}", json=body)
            return answer.raise_for_status().json() or {}

        said = {"created": None} if case.kind == "post" else {}
        tool = m.tool(**getattr(events, case.kind)(**said))(send)
        about = {} if case.kind == "post" else {"event_id": "e1"}
        return lambda: tool(**NEW, **about)

    def _post(self, deed: str) -> None:
        httpx.post(self._url + deed).raise_for_status()
