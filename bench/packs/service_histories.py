"""Calls of the services' tools beside a second person: lost answers, stops, and a process after."""

from __future__ import annotations

import asyncio
import copy
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx

from bench.crash.clock import Clock
from bench.packs.effects import (
    THEIRS,
    Fate,
    Seen,
    Step,
    Verdict,
    find_changes,
    list_actions,
    overlay,
    read_fates,
    reject,
)
from bench.packs.histories import Totals
from mulligan import Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan_packs.services.service import Service
from mulligan_packs.services.table import load_table
from mulligan_testing.faults import Deed, Faults, Strike, cancel_when_hung
from mulligan_testing.simulations import SIMULATIONS, ServiceFault, Simulation
from mulligan_testing.simulations.core import ApiRequest, NoAnswer
from mulligan_testing.simulations.google_calendar import list_instances

LATER = timedelta(minutes=20)
FAULTS = (
    None, None, None, ServiceFault.LOST_AFTER, ServiceFault.LOST_BEFORE, ServiceFault.BROKEN_AFTER,
    ServiceFault.LIMITED, ServiceFault.LIMITED_403,
)  # fmt: skip
MOMENTS = ("never", "never", "first", "between", "after", "after")
"""When the second person is there: `between` the look before a call and the call."""
EVENING = {
    "start": {"dateTime": "2026-11-20T18:00:00Z", "timeZone": "UTC"},
    "end": {"dateTime": "2026-11-20T19:00:00Z", "timeZone": "UTC"},
}
EVENTS = ("event1", "event2", "series_20261127T180000Z", "series_20261204T180000Z")
_REPO = {"repository": "family/house"}
_FILE = {**_REPO, "branch": "main", "message": "m"}
MOST = 10
"""Elements of a bulk at most."""
Given = dict[str, Any]


def draw_call(name: str, chance: random.Random) -> tuple[str, Given]:
    """An operation of a service, and what it is called with."""
    match name:
        case "google-calendar":
            return _draw_event(chance)
        case "github":
            return _draw_issue(chance)
        case _:
            return _draw_message(chance)


def _draw_event(chance: random.Random) -> tuple[str, Given]:
    event = {"calendar_id": "primary", "event_id": chance.choice(EVENTS)}
    title = {"summary": chance.choice(("Wrong", "Wrong too"))}
    way = chance.choice(
        ("create", "update", "update", "replace", "delete", "move", "bulk", "series")
    )
    match way:
        case "create":
            weekly = {"recurrence": ["RRULE:FREQ=DAILY;COUNT=3"]} if chance.random() < 0.3 else {}
            return "create_event", {"calendar_id": "primary", **title, **EVENING, **weekly}
        case "update":
            return "update_event", {**event, **title}
        case "replace":
            return "replace_event", {**event, "event_id": "event1", **title, **EVENING}
        case "delete":
            return "delete_event", event
        case "move":
            return "move_event", {**event, "event_id": "event1", "destination": "family"}
        case "series":
            work, more = chance.choice((("update_event", title), ("delete_event", {})))
            return work, {"calendar_id": "primary", "event_id": "series", **more}
        case _:
            named = chance.sample(EVENTS, 2)
            return "update_events", {
                "updates": [{"calendar_id": "primary", "event_id": each, **title} for each in named]
            }


def _draw_issue(chance: random.Random) -> tuple[str, Given]:
    issue = {**_REPO, "issue_number": 10}
    text = chance.choice(("Wrong", "Wrong too"))
    path = {**_FILE, "path": chance.choice(("a.txt", "docs/b.txt"))}
    ways: list[tuple[str, Given]] = [
        ("update_issue", {**issue, "title": text}),
        ("update_issue", {**issue, "state": "closed"}),
        ("add_labels", {**issue, "labels": ["wrong"]}),
        ("remove_label", {**issue, "name": "base"}),
        ("create_comment", {**issue, "body": text}),
        ("update_comment", {**_REPO, "comment_id": 1, "body": text}),
        ("create_file", {**_FILE, "path": f"new-{text}.txt", "content": "d3JvbmcK"}),
        ("update_file", {**path, "content": "d3JvbmcK"}),
        ("delete_file", path),
        ("update_pull_request", {**_REPO, "pull_number": 1, "title": text}),
    ]
    return chance.choice(ways)


def _draw_message(chance: random.Random) -> tuple[str, Given]:
    text = chance.choice(("wrong", "wrong too"))
    message = {"channel": "C1", "timestamp": FIRST}
    ways: list[tuple[str, Given]] = [
        ("post_message", {"channel": "C1", "text": text}),
        ("post_message", {"channel": "C1", "text": text, "thread_ts": FIRST}),
        ("update_message", {"channel": "C1", "ts": FIRST, "text": text}),
        ("set_topic", {"channel": "C1", "topic": text}),
        ("set_purpose", {"channel": "C1", "purpose": text}),
        ("add_reaction", {**message, "name": "eyes"}),
        ("remove_reaction", {**message, "name": "tada"}),
        ("add_pin", message),
        ("archive_channel", {"channel": "C2"}),
    ]
    return chance.choice(ways)


FIRST = "1763510400.000001"
"""The first message that is there."""


def fill_simulation(name: str, simulation: Simulation) -> None:
    """What there is at the beginning."""

    def act(method: str, path: str, body: Any) -> None:
        simulation.act(method, path, body, by="agent" if name == "slack" else "base")

    if name == "google-calendar":
        for number in (1, 2):
            one = {"id": f"event{number}", "summary": f"Base {number}", **EVENING}
            act("POST", "/calendars/primary/events", one)
        series = {"id": "series", "summary": "Series", "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"]}
        act("POST", "/calendars/primary/events", {**series, **EVENING})
        act("PATCH", f"/calendars/primary/events/{EVENTS[2]}", {"summary": "Exception"})
    elif name == "github":
        act("POST", "/repos/family/house/issues", {"title": "Base", "labels": ["base"]})
        act("POST", "/repos/family/house/issues/10/comments", {"body": "Base"})
        for path in ("a.txt", "docs/b.txt"):
            file = {"message": "m", "content": "YmFzZQo=", "branch": "main"}
            act("PUT", f"/repos/family/house/contents/{path}", file)
    else:
        act("POST", "/chat.postMessage", {"channel": "C1", "text": "Base"})
        act("POST", "/reactions.add", {"channel": "C1", "timestamp": FIRST, "name": "tada"})


def look(name: str, simulation: Simulation) -> Seen:
    """All that people have written, each by its name."""
    state = simulation.state
    if name == "google-calendar":
        return _look_at_events(simulation)
    if name == "github":
        house = state["family/house"]
        # Of an issue or a pull request each call changes some fields, and others are others'.
        return {
            f"{kind}/{name} {field}": sorted(value) if isinstance(value, list) else value
            for kind in house
            for name, thing in house[kind].items()
            for field, value in thing.items()
            if value is not None
        }
    found: Seen = {}
    for channel, each in state.items():
        found |= {f"{channel}/{n}": each[n] for n in ("topic", "purpose", "archived")}
        found |= {f"{channel}/pin {ts}": by for ts, by in each["pins"].items()}
        for ts, message in each["messages"].items():
            found[f"{channel}/{ts}"] = message["text"]
            reactions = message.get("reactions", {})
            found |= {f"{channel}/{ts} {n}": sorted(who) for n, who in reactions.items()}
    return found


def _look_at_events(simulation: Simulation) -> Seen:
    """Every event that is there; one of a series that says what the series says is none."""
    own = load_table("google-calendar").objects["event"].own

    def strip(event: Given) -> Given:
        return {name: value for name, value in event.items() if name not in own}

    found: Seen = {}
    for calendar, events in simulation.state["calendars"].items():
        for name, event in events.items():
            series = events.get(event.get("recurringEventId"))
            plain = {each["id"]: strip(each) for each in list_instances(series)} if series else {}
            if strip(event) != plain.get(name) and (series or event["status"] != "cancelled"):
                found[f"{calendar}/{name}"] = strip(event)
    return found


@dataclass(kw_only=True)
class ServiceHistory:
    """One or two calls, and what comes after them."""

    name: str
    chance: random.Random
    simulation: Simulation
    store: str
    calls: Sequence[tuple[str, Given]]
    fault: ServiceFault | None
    undo_fault: ServiceFault | None
    moment: str
    stop: int
    """At which point of the protocol it is stopped; 0: at none."""
    wrong: bool
    steps: list[Step] = field(default_factory=list)
    known: list[list[str]] = field(default_factory=list)
    edited: bool = False
    phase: int | None = None
    """The call that is made; `None`: an undo."""

    def run(self) -> Verdict:
        """Live through it, and say what was seen."""
        fill_simulation(self.name, self.simulation)
        base, clock = look(self.name, self.simulation), Clock()
        self.simulation.disturb = lambda when: (
            self._disturb("between") if when == "before" else None
        )
        with self._open(clock) as (m, tools):
            strike = [Strike(deed=Deed.CANCEL, hit=self.stop)] if self.stop else []
            asyncio.run(self._act(m, tools, Faults(*strike)))
            if not self.stop:
                asyncio.run(self._recover(m, clock))
            self._note(m)
            fates = self._read_fates(m)
        if self.store != "memory:":
            with self._open(clock) as (m, _):
                asyncio.run(self._recover(m, clock))
                fates = self._read_fates(m)
        trouble = " ".join(
            str(each) for each in (self.fault, self.undo_fault, self.stop and "stopped") if each
        )
        return Verdict(
            base=base,
            orders=[self.steps],
            end=look(self.name, self.simulation),
            calls=len(self.known) * MOST,
            fates=fates,
            kind=f"{self.calls} {self.moment=} {self.wrong=} {trouble}",
            trouble=trouble,
            must_settle=self.moment == "never" and not trouble and len(self.calls) == 1,
        )

    @contextmanager
    def _open(self, clock: Clock) -> Iterator[tuple[Mulligan, dict[str, Any]]]:
        transport = httpx.MockTransport(self._answer)
        headers = {"Authorization": "Bearer agent"}
        base_url = f"http://service{self.simulation.base}"
        checks = [reject] if self.wrong else []
        with (
            httpx.Client(base_url=base_url, transport=transport, headers=headers) as client,
            Mulligan(self.store, checks=checks, clock=clock, recover=False) as m,
        ):
            service = Service(load_table(self.name), client)
            yield m, {each.__name__: each for each in service.tools(m)}

    def _answer(self, request: httpx.Request) -> httpx.Response:
        sent = ApiRequest(
            method=request.method,
            path=request.url.path,
            query=dict(parse_qsl(request.url.query.decode(), keep_blank_values=True)),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=json.loads(request.content) if request.content else None,
        )
        before, count = look(self.name, self.simulation), len(self.steps)
        try:
            answer = self.simulation.answer(sent)
        except NoAnswer:
            raise httpx.ReadTimeout("no answer", request=request) from None
        finally:
            self._write_down(before, since=count, call=self._name_phase(request))
        text = b"" if answer.body is None else json.dumps(answer.body).encode()
        return httpx.Response(answer.status, content=text, headers=dict(answer.headers))

    def _write_down(self, before: Seen, *, since: int, call: int | None) -> None:
        """What a request has changed, less what the second person did meanwhile."""
        for step in self.steps[since:]:
            before = step.apply(before) or before
        changes = find_changes(before, look(self.name, self.simulation))
        if changes and call is not None:
            self.steps.append(Step(call=call, apply=overlay(copy.deepcopy(changes))))

    async def _act(self, m: Mulligan, tools: dict[str, Any], faults: Faults) -> None:
        async def agent(turn: OpenTurn) -> str:
            if turn.attempt.number > 1:
                return "I leave it at that."
            self._disturb("first")
            for at, (operation, given) in enumerate(self.calls):
                self.phase = len(self.known)
                self.simulation.faults = [self.fault] if self.fault and at == 0 else []
                try:
                    tools[operation](**given)
                except Exception:
                    pass
                finally:
                    self._note(m)
            self.phase = None
            self.simulation.faults = [self.undo_fault] if self.undo_fault else []
            self._disturb("after")
            return "Done."

        with faults:
            await cancel_when_hung(m.act("Do it", agent), faults)
        self.phase = None
        self.simulation.faults = []

    async def _recover(self, m: Mulligan, clock: Clock) -> None:
        for _ in range(4):
            clock.go_on(LATER)
            await m.recover()

    def _read_fates(self, m: Mulligan) -> list[Fate]:
        """What is said of each action, in order: each element of a bulk is a call of its own."""
        fates, counted = list[Fate](), Counter[int]()
        for fate in reversed(read_fates(m, self.known)):
            fates.append(replace(fate, call=fate.call * MOST + counted[fate.call]))
            counted[fate.call] += 1
        return fates

    def _name_phase(self, request: httpx.Request) -> int | None:
        """Which call a request is of; `None`: of an undo."""
        if self.phase is None:
            return None
        _, given = self.calls[min(self.phase, len(self.calls) - 1)]
        named = [each["event_id"] for each in given.get("updates", ())]
        event = request.url.path.rpartition("/")[2]
        return self.phase * MOST + (named.index(event) if event in named else 0)

    def _note(self, m: Mulligan) -> None:
        self.known.append([each.id for each in list_actions(m)])

    def _disturb(self, moment: str) -> None:
        """The second person, once."""
        if moment != self.moment or self.edited:
            return
        self.edited = True
        before = look(self.name, self.simulation)
        method, path, body = self._draw_edit()
        self.simulation.act(method, path, body, by=THEIRS)
        changes = find_changes(before, look(self.name, self.simulation))
        self.steps.append(Step(call=None, apply=overlay(copy.deepcopy(changes))))

    def _draw_edit(self) -> tuple[str, str, Any]:
        said = f"{THEIRS} {self.chance.randint(1, 99)}"
        if self.name == "google-calendar":
            event = self.chance.choice(("event1", "series", *EVENTS))
            return "PATCH", f"/calendars/primary/events/{event}", {"location": said}
        if self.name == "github":
            ways: list[tuple[str, str, Any]] = [
                ("PATCH", "/issues/10", {"body": said}),
                ("POST", "/issues/10/labels", {"labels": [said]}),
                ("PATCH", "/pulls/1", {"body": said}),
                ("POST", "/issues/10/comments", {"body": said}),
            ]
            method, path, body = self.chance.choice(ways)
            return method, f"/repos/family/house{path}", body
        ways = [
            ("POST", "/conversations.setTopic", {"channel": "C1", "topic": said}),
            ("POST", "/reactions.add", {"channel": "C1", "timestamp": FIRST, "name": "eyes"}),
            ("POST", "/chat.postMessage", {"channel": "C1", "text": said, "thread_ts": FIRST}),
        ]
        if self.moment != "between":
            ways.append(("POST", "/chat.update", {"channel": "C1", "ts": FIRST, "text": said}))
        else:
            # Without versions, an edit of the very text between a look and a call is lost by it.
            ways = ways[1:]
        return self.chance.choice(ways)


class ServicePlace:
    """One kind of service, made anew for each history."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder

    def draw(self, chance: random.Random, totals: Totals) -> None:
        """Draw a history, live through it, and judge it."""
        calls = [draw_call(self._name, chance) for _ in range(chance.choice((1, 1, 2)))]
        stop = chance.choice((0, 0, chance.randint(1, 12)))
        store = "memory:"
        if stop or chance.random() < 0.2:
            store = f"sqlite:///{self._folder}/{chance.randrange(10**9)}.db"
        for operation, _ in calls:
            totals.deeds[operation] += 1
        ServiceHistory(
            name=self._name,
            chance=chance,
            simulation=SIMULATIONS[self._name](),
            store=store,
            calls=calls,
            fault=chance.choice(FAULTS),
            undo_fault=chance.choice((None, None, *FAULTS)),
            moment=chance.choice(MOMENTS),
            stop=stop,
            wrong=chance.random() < 0.85,
        ).run().judge(totals)
