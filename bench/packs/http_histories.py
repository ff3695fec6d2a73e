"""Calls of `packs/http` to a server of many habits, with a second writer and lost answers."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from bench.crash.clock import Clock
from bench.packs.acting import act_once, recover, reject
from bench.packs.campaign import Totals
from bench.packs.effects import (
    THEIRS,
    Fate,
    Seen,
    Step,
    Verdict,
    list_actions,
    overlay,
    read_fates,
)
from bench.packs.event_server import Server
from mulligan import Effect, Mulligan
from mulligan.process.fault_points import Point, watch_points
from mulligan_packs import http

DEEDS = (
    "put", "put", "put new", "patch", "patch", "delete", "post", "post", "get or create",
    "upsert", "copy", "late put", "late post", "late delete", "put and more",
    "ensure", "ensure", "date", "wrapped", "nested", "nested last",
    "change made", "change made", "change beside",
)  # fmt: skip
BEFORE = ("cut before", "500 before", "409 before", "400 before")
AFTER = ("cut after", "500 after", "409 after", "412 after", "404 after", "422 after", "repeated")
FAULTS = ("", "", "", *BEFORE, *AFTER)
UNDO_FAULTS = ("", "", "", "ignored", "kept", "cut before", "500 before", "cut after", "500 after")
MOMENTS = ("never", "never", "before", "within", "after", "after", "looked")
OWN = ("updated_at", "version", "rev", "sha", "lastEditedBy", "created_at", "id")
"""Fields that the server sets by itself."""
PLACES = ("relative", "absolute", "none", "elsewhere", "collection", "lies", "lies")
TWO = {"change made": ("post", "change made"), "change beside": ("patch", "put and more")}
"""A call on what the one before it has written to."""
DAY, OTHER_DAY = "2026-01-01T00:00:00Z", "2030-01-01T00:00:00Z"
"""A field may be called what servers change with every write, and be what people write."""
BESIDE = ("i1", "i2", "i4")
"""What a call may write to as well."""
Item = dict[str, Any]
Tools = dict[str, Callable[..., Any]]


@dataclass(frozen=True, kw_only=True)
class Habits:
    """What a server is like."""

    etags: str
    """Of what is read: strong, weak, none."""
    tells: str
    """Of what is written: strong, weak, none."""
    fields: tuple[str, ...]
    status: int
    """By which a write is answered that went well."""
    body: str
    """What it is answered with: all of it, its id, nothing."""
    place: str
    """Where `Location` leads."""
    keyed: bool
    """It knows a request by its key, and finds what was made by it."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One change of one thing."""

    by: str
    name: str
    new: Item | None


@dataclass(kw_only=True)
class Rest:
    """What a server has, and all that ever happened to it."""

    habits: Habits
    disturb: Callable[[str], None] = lambda _: None
    """Somebody else, at a moment."""
    items: dict[str, Item] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    keys: dict[str, tuple[int, str]] = field(default_factory=dict)
    ledger: list[Entry] = field(default_factory=list)
    late: list[Callable[[], None]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """Of the next writes."""
    by: str = "call"
    count: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def write(self, name: str, content: Item | None, *, by: str = "") -> None:
        """Have something be there, or be gone; the server adds what it always does."""
        number = next(self.count)
        self.versions[name] = number
        plain = None if content is None else drop_own(content)
        self.ledger.append(Entry(by=by or self.by, name=name, new=plain))
        if plain is None:
            self.items.pop(name, None)
            return
        was = self.items.get(name, {})
        moment = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(seconds=number)
        told = {
            "updated_at": moment.isoformat(),
            "created_at": was.get("created_at", moment.isoformat()),
            "version": was.get("version", 0) + 1,
            "rev": f"{number}-abc",
            "sha": hashlib.sha256(f"{number}{plain}".encode()).hexdigest(),
            "lastEditedBy": by or "api",
        }
        shown = {each: told[each] for each in self.habits.fields if each in told}
        self.items[name] = {"id": name, **plain, **shown}

    def look(self) -> Seen:
        """All that is there, less what the server says of itself."""
        return {name: drop_own(item) for name, item in self.items.items()}

    def land(self) -> None:
        """Do what was put off."""
        late, self.late = self.late, []
        for each in late:
            each()


def drop_own(item: Item) -> Item:
    """What people wrote."""
    return {name: value for name, value in item.items() if name not in OWN}


class RestRequest(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    rest: Rest

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        rest = self.server.rest  # type: ignore[attr-defined]
        path, _, query = self.path.partition("?")
        name = path.removeprefix("/items").strip("/")
        if query.startswith("key="):
            _, found = rest.keys.get(query[4:], (404, None))
            return self._answer(200, [{"id": found}] if found in rest.items else [])
        if not name:
            return self._answer(200, [*rest.items.values()])
        if name not in rest.items:
            return self._answer(404, {"error": "nothing there"})
        return self._answer(200, rest.items[name], headers=_tag(rest, name, rest.habits.etags))

    def do_PUT(self) -> None:
        self._write()

    do_PATCH = do_DELETE = do_POST = do_PUT  # noqa: N815 - its own names

    def _write(self) -> None:
        rest: Rest = self.server.rest  # type: ignore[attr-defined]
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length) or b"{}")
        fault = rest.faults.pop(0) if rest.faults else ""
        if fault == "cut before":
            return self._cut()
        if fault.endswith("before"):
            return self._answer(int(fault[:3]), {"error": "not done"})
        if fault == "ignored":
            return self._answer(200, {"ok": True})
        if fault == "kept" and self.command == "PUT":
            body = self._keep_day(rest, body)
        rest.disturb("before")
        status, name = self._do(rest, body)
        done = status < 400
        if fault == "repeated":
            status, name = self._do(rest, body)
        answer = self._prepare_answer(rest, status, name)
        if done:
            rest.disturb("within")
        if fault == "cut after":
            return self._cut()
        if done and fault.endswith("after"):
            return self._answer(int(fault[:3]), {"error": "done, and this is said"})
        return self._answer(status, answer[0], headers=answer[1])

    def _keep_day(self, rest: Rest, body: Item) -> Item:
        """What is sent, but for a field that stays as it is."""
        there = rest.items.get(self.path.removeprefix("/items/"), {})
        return {**body, "modified": there["modified"]} if "modified" in there else body

    def _do(self, rest: Rest, body: Item) -> tuple[int, str]:
        path, _, query = self.path.partition("?")
        name, _, way = path.removeprefix("/items").strip("/").partition("/")
        if self.command == "POST":
            return self._make(rest, body, name=name, way=way or query)
        old = rest.items.get(name)
        if rest.habits.etags == "strong":
            wanted = self.headers.get("If-Match")
            if wanted and (old is None or wanted != f'"v{rest.versions[name]}"'):
                return 412, name
            if self.headers.get("If-None-Match") and old is not None:
                return 412, name
        if old is None and self.command != "PUT":
            return 404, name
        new = {"PUT": body, "PATCH": {**(old or {}), **body}}.get(self.command)
        status = 201 if old is None else rest.habits.status
        if name == BESIDE[-1] and rest.habits.keyed:
            status = 303
        if query == "late":
            rest.late.append(lambda by=rest.by: rest.write(name, new, by=by))  # type: ignore[misc]
            return 202, name
        rest.write(name, new)
        return status, name

    def _make(self, rest: Rest, body: Item, *, name: str, way: str) -> tuple[int, str]:
        key = self.headers.get("Idempotency-Key", "") if rest.habits.keyed else ""
        if key in rest.keys:
            return rest.keys[key]
        if way == "copy":
            if name not in rest.items:
                return 404, name
            body = {**rest.items[name]}
        alike = [n for n, item in rest.items.items() if item.get("title") == body.get("title")]
        if way in ("unique", "upsert") and alike:
            if way == "upsert":
                rest.keys |= {key: (200, alike[0])} if key else {}
                rest.write(alike[0], {**rest.items[alike[0]], **body})
            return 200, alike[0]
        made = f"n{next(rest.count)}"
        if key:
            rest.keys[key] = 201, made
        if way == "late":
            rest.late.append(lambda by=rest.by: rest.write(made, body, by=by))  # type: ignore[misc]
            return 202, made
        rest.write(made, body)
        return rest.habits.status if rest.habits.status == 303 else 201, made

    def _prepare_answer(self, rest: Rest, status: int, name: str) -> tuple[Any, dict[str, str]]:
        item, habits = rest.items.get(name), rest.habits
        if status >= 400:
            return {"error": "not done"}, {}
        headers = _tag(rest, name, habits.tells) if item is not None else {}
        host = f"http://{self.headers['Host']}"
        places = {
            "relative": f"/items/{name}",
            "absolute": f"{host}/items/{name}",
            "elsewhere": f"http://127.0.0.1:9/items/{name}",
            "collection": "/items",
        }
        if self.command == "POST" and habits.place == "lies":
            # Of a copy it answers with what was copied, of all else with where something else is.
            source = self.path.removeprefix("/items").strip("/").partition("/")[0]
            if source in rest.items:
                item, headers = rest.items[source], _tag(rest, source, habits.tells)
            headers["Location"] = f"/items/{source if source in rest.items else 'i4'}"
        if self.command == "POST" and habits.place in places:
            headers["Location"] = places[habits.place]
        if status == 202:
            headers = {"Location": f"/jobs/{name}"}
        if status == 303:
            headers["Location"] = f"/items/{name}"
        bodies = {"whole": item, "id": {"id": name}}
        return bodies.get(habits.body), headers

    def _answer(self, status: int, body: Any, *, headers: dict[str, str] | None = None) -> None:
        text = b"" if body is None or status == 204 else json.dumps(body).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        if text:
            self.send_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.close()


def _tag(rest: Rest, name: str, kind: str) -> dict[str, str]:
    weak = "W/" if kind == "weak" else ""
    return {} if kind == "none" else {"ETag": f'{weak}"v{rest.versions[name]}"'}


def _send(client: httpx.Client, way: str, path: str, body: Item | None = None) -> Any:
    answer = client.request(way, path, json=body)
    if answer.status_code != 303:
        answer.raise_for_status()
    return answer.json() if answer.content else None


@dataclass(kw_only=True)
class HttpHistory:
    """One or two calls, and what comes after them."""

    chance: random.Random
    rest: Rest
    url: str
    store: str
    deeds: list[str]
    fault: str
    undo_fault: str
    moment: str
    wrong: bool
    lands: str
    """When what is late takes effect: before the undo, or after it."""
    said: list[str] = field(default_factory=list)
    edited: bool = False
    known: list[list[str]] = field(default_factory=list)
    """After each call, also within another, the ids of all actions."""
    tools: Tools = field(default_factory=dict)

    def run(self) -> Verdict:
        """Live through it, and say what was seen."""
        rest, clock = self.rest, Clock()
        for number in range(1, 5):
            item = {"title": f"milk {number}", "n": number, "modified": DAY}
            rest.write(f"i{number}", item, by="base")
        base, rest.ledger = rest.look(), []
        rest.disturb = self._disturb_at
        watch_points(self._reach)
        try:
            with self._open(clock) as (m, tools):
                asyncio.run(self._act(m, tools))
                fates = asyncio.run(self._recover(m, clock))
            if self.store != "memory:":
                with self._open(clock) as (m, _):
                    fates = asyncio.run(self._recover(m, clock))
        finally:
            watch_points(None)
        rest.land()
        steps = [
            Step(
                call=None if each.by == THEIRS else int(each.by),
                apply=overlay({each.name: each.new}),
            )
            for each in rest.ledger
            if each.by != "undo"
        ]
        return Verdict(
            base=base,
            orders=[steps],
            end=rest.look(),
            fates=fates,
            kind=f"{self.deeds} {self.fault=} {self.undo_fault=} {self.moment=} {self.wrong=} "
            f"{self.lands=} {self.said=} {rest.habits}",
            trouble=self._name_trouble(),
            must_settle=self.moment == "never" and not self._name_trouble(),
        )

    def _name_trouble(self) -> str:
        """What may keep a server from telling what a call did."""
        habits = self.rest.habits
        for deed in self.deeds:
            unsure = ("get or create", "upsert", "put and more", "ensure")
            if deed.startswith("late") or deed in unsure:
                return deed
        if habits.status == 303:
            return "a redirect tells no version"
        if self.fault or self.undo_fault:
            return f"answer: {self.fault or 'undo ' + self.undo_fault}"
        by_id = habits.place == "none" and habits.body != "none" and "copy" not in self.deeds
        told = habits.place in ("relative", "absolute") or by_id
        if {"post", "copy", "wrapped"} & {*self.deeds} and not told:
            return "what was made is not told"
        strong = (habits.etags, habits.tells) == ("strong", "strong")
        return "" if strong else "no strong ETag"

    @contextmanager
    def _open(self, clock: Clock) -> Iterator[tuple[Mulligan, Tools]]:
        checks = [reject] if self.wrong else []
        with (
            httpx.Client(base_url=self.url, timeout=20) as client,
            Mulligan(self.store, checks=checks, clock=clock, recover=False) as m,
        ):
            items = self._describe(client)
            self.tools = self._declare(m, client, items) | self._declare_more(m, client, items)
            yield m, self.tools | self._declare_nested(m, client, items)

    def _describe(self, client: httpx.Client) -> http.Resource:
        habits, more = self.rest.habits, dict[str, Any]()
        if habits.keyed:
            more = {"key_header": "Idempotency-Key", "find": "/items?key={key}"}
        return http.resource(client, "/items/{item}", etags=habits.etags == "strong", **more)

    def _declare(self, m: Mulligan, client: httpx.Client, items: http.Resource) -> Tools:
        send = partial(_send, client)

        @m.tool(**items.put())
        def put(item: str, title: str, late: str = "", first: str = "", then: str = "") -> Any:
            if first:
                send("PUT", f"/items/{first}", {"title": "booked too"})
            answer = send("PUT", f"/items/{item}{late}", {"title": title, "n": 9})
            if then:
                send("PUT", f"/items/{then}", {"title": "booked too"})
            return answer

        @m.tool(**items.patch())
        def patch(item: str, title: str) -> Any:
            return send("PATCH", f"/items/{item}", {"title": title})

        @m.tool(**items.delete())
        def delete(item: str, late: str = "") -> Any:
            return send("DELETE", f"/items/{item}{late}")

        @m.tool(**items.post())
        def post(title: str, way: str = "") -> Any:
            return send("POST", f"/items{way}", {"title": title, "n": 5, "modified": DAY})

        @m.tool(**items.post(created=None))
        def make(title: str, way: str = "") -> Any:
            """What each POST makes, so that whatever is found by the key of one was made by it."""
            return send("POST", f"/items{way}", {"title": title, "n": 5, "modified": DAY})

        @m.tool(**items.post())
        def copy(item: str) -> Any:
            return send("POST", f"/items/{item}/copy")

        return {tool.__name__: tool for tool in (put, patch, delete, post, make, copy)}

    def _declare_more(self, m: Mulligan, client: httpx.Client, items: http.Resource) -> Tools:
        send = partial(_send, client)

        @m.tool(**items.post())
        def ensure(title: str, n: int, modified: str) -> Any:
            """Look first, as any careful tool does: what is found was made by somebody else."""
            wanted = {"title": title, "n": n, "modified": modified}
            found = [each for each in send("GET", "/items") if wanted.items() <= each.items()]
            return found[0] if found else send("POST", "/items", wanted)

        @m.tool(**items.patch())
        def date(item: str, day: str) -> Any:
            return send("PATCH", f"/items/{item}", {"modified": day})

        return {"ensure": ensure, "date": date}

    def _declare_nested(self, m: Mulligan, client: httpx.Client, items: http.Resource) -> Tools:
        """Tools that call those, each call of which counts as one of its own."""

        def write(item: str, title: str) -> Any:
            answer = client.put(f"/items/{item}", json={"title": title, "n": 8})
            return answer.raise_for_status() and None

        def call(name: str, **given: Any) -> Any:
            self._note(m)
            outer, self.rest.by = self.rest.by, str(len(self.known))
            try:
                return self.tools[name](**given)
            finally:
                self._note(m)
                self.rest.by = outer

        @m.tool(effect=Effect.READ)
        def wrapped(item: str, title: str) -> Any:
            return [call("patch", item=item, title=title), call("post", title=title)]

        @m.tool(**items.put())
        def nested(item: str, title: str) -> Any:
            write(item, title)
            return call("patch", item=item, title="wine")

        @m.tool(**items.put())
        def nested_last(item: str, title: str) -> Any:
            call("patch", item=item, title="wine")
            return write(item, title)

        return {tool.__name__: tool for tool in (wrapped, nested, nested_last)}

    def _note(self, m: Mulligan) -> None:
        """The actions that there are by now: those that are new are of the call that is made."""
        self.known.append([each.id for each in list_actions(m)])

    async def _act(self, m: Mulligan, tools: Tools) -> None:
        def work() -> None:
            for at, deed in enumerate(self.deeds):
                self.rest.by = str(len(self.known))
                self.rest.faults = [self.fault] if at == 0 and self.fault else []
                try:
                    self._call(tools, deed)
                    self.said.append("")
                except Exception as error:
                    self.said.append(f"{type(error).__name__}: {error}"[:90])
                self._note(m)
            self.rest.by = "undo"
            self.rest.faults = [self.undo_fault] if self.undo_fault else []
            self._disturb_at("after")
            # What was accepted is done whenever; of what had another answer, a look tells.
            if self.lands == "before" or self.fault:
                self.rest.land()

        await act_once(m, work)

    def _call(self, tools: Tools, deed: str) -> None:
        there = self.chance.choice(("i1", "i1", "i2"))
        match deed:
            case "put" | "put new" | "late put" | "put and more":
                self._put(tools["put"], deed, there)
            case "ensure":
                title = self.chance.choice(("milk 2", "beer"))
                tools["ensure"](title=title, n=2, modified=DAY)
            case "date":
                tools["date"](item=there, day=OTHER_DAY)
            case "wrapped" | "nested" | "nested last":
                tools[deed.replace(" ", "_")](item=there, title="beer")
            case "change made":
                made = [name for name in self.rest.items if name.startswith("n")]
                tools["patch"](item=made[-1] if made else there, title="wine")
            case "patch" | "delete" | "copy":
                given = {"title": "beer"} if deed == "patch" else {}
                tools[deed](item=there, **given)
            case "late delete":
                tools["delete"](item=there, late="?late")
            case "get or create" | "upsert":
                way = "?unique" if deed == "get or create" else "?upsert"
                tools["post"](title=self.chance.choice(("milk 2", "beer")), way=way)
            case _:
                tool = tools["make" if self.rest.habits.keyed else "post"]
                tool(title="beer", way="?late" if deed == "late post" else "")

    def _put(self, put: Callable[..., Any], deed: str, there: str) -> None:
        more = {"late": "?late"} if deed == "late put" else {}
        if deed == "put and more":
            ours = [each.name for each in self.rest.ledger if each.by != THEIRS]
            beside = self.chance.choice(ours or BESIDE)
            more = {self.chance.choice(("first", "then")): beside}
        put(item="new" if deed == "put new" else there, title="beer", **more)

    async def _recover(self, m: Mulligan, clock: Clock) -> list[Fate]:
        await recover(m, clock)
        return read_fates(m, self.known)

    # Somebody else.

    async def _reach(self, point: Point) -> None:
        if point is Point.LOOKED:
            self._disturb_at("looked")

    def _disturb_at(self, moment: str) -> None:
        if moment != self.moment or self.edited:
            return
        rest, self.edited = self.rest, True
        ours = [each.name for each in rest.ledger if each.by not in (THEIRS, "undo")]
        ours = ours or ["i1"]
        name = self.chance.choice(ours if self.chance.random() < 0.75 else ["i1", "i3", "p1"])
        number = self.chance.randint(1, 99)
        way = self.chance.choice(["edit", "edit", "replace", "delete"])
        if way == "delete" and name in rest.items:
            rest.write(name, None, by=THEIRS)
        elif way == "edit" and name in rest.items:
            rest.write(name, {**rest.items[name], "said": f"{THEIRS} {number}"}, by=THEIRS)
        else:
            rest.write(name, {"title": f"{THEIRS} {number}"}, by=THEIRS)


class HttpPlace:
    """One server for all histories, with habits of their own each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server: Any = Server(("127.0.0.1", 0), RestRequest)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def draw(self, chance: random.Random, totals: Totals) -> None:
        """Draw a history, live through it, and judge it."""
        etags = chance.choice(("strong", "strong", "weak", "none"))
        tells = chance.choice(("strong", "strong", "weak", "none")) if etags == "strong" else etags
        habits = Habits(
            etags=etags,
            tells=tells,
            fields=tuple(each for each in OWN[:-1] if chance.random() < 0.3),
            status=chance.choice((200, 200, 204, 303)),
            body=chance.choice(("whole", "whole", "id", "none")),
            place=chance.choice(PLACES),
            keyed=chance.random() < 0.5,
        )
        deeds = [chance.choice(DEEDS) for _ in range(chance.choice((1, 1, 2)))]
        deeds = [each for deed in deeds for each in TWO.get(deed, (deed,))]
        # Without ETags nobody can tell at which version a write arrives.
        fault = chance.choice(FAULTS)
        makers = ("post", "copy", "create", "upsert", "ensure", "wrapped")
        makes = any(deed.split()[-1] in makers for deed in deeds)
        if fault == "repeated" and (etags != "strong" or (makes and not habits.keyed)):
            fault = "500 after"
        if any(deed.startswith("late") for deed in deeds) and fault:
            fault = chance.choice(("cut after", "500 after"))
        moment, undo_fault = chance.choice(MOMENTS), chance.choice(UNDO_FAULTS)
        if chance.random() < 0.4:
            # What a server says of itself shows where nothing else befalls a call.
            fault, moment, undo_fault = "", "never", "kept" if "date" in deeds else ""
        if etags != "strong" and moment in ("before", "looked"):
            moment = "within"
        if etags != "strong" and "nested last" in deeds and moment == "within":
            # Within the write of the inner call is before that of the outer one.
            moment = "after"
        rest = self._server.rest = Rest(habits=habits)
        store = "memory:"
        if chance.random() < 0.25:
            store = f"sqlite:///{self._folder}/{chance.randrange(10**9)}.db"
        for deed in deeds:
            totals.deeds[deed] += 1
        HttpHistory(
            chance=chance,
            rest=rest,
            url=f"http://127.0.0.1:{self._server.server_port}",
            store=store,
            deeds=deeds,
            fault=fault,
            undo_fault=undo_fault,
            moment=moment,
            wrong=chance.random() < 0.85,
            lands=chance.choice(("before", "after")),
        ).run().judge(totals)
