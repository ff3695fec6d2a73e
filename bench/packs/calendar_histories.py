"""Calls of `packs/calendar` to a real server, beside another client and over a line that fails."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urljoin

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
    find_changes,
    list_actions,
    overlay,
    read_fates,
)
from mulligan import Mulligan, State
from mulligan.codec import decode_value
from mulligan.process.fault_points import Point, watch_points
from mulligan_packs.calendar import CalDAV, calendar_tools
from mulligan_testing.line import Line, LineFault
from mulligan_testing.radicale import RadicaleServer

DEEDS = (
    "create", "create", "rename", "same", "move", "move", "describe", "bulk", "delete", "delete",
)  # fmt: skip
FAULTS = (None, None, None, *LineFault)
MOMENTS = ("never", "never", "intended", "within", "after", "after", "looked")
KINDS = ("plain", "plain", "days", "zoned", "series", "exception", "invited")
UIDS = ("event-{}", "ü {}@example.com", "a/b-{}", "{}%20x")
WRITES = {"SEQUENCE", "DTSTAMP", "LAST-MODIFIED"}
CHANGES = {
    "rename": {"SUMMARY"},
    "same": set(),
    "describe": {"LOCATION", "DESCRIPTION"},
    "move": {"DTSTART", "DTEND", "DURATION"},
    "bulk": {"SUMMARY"},
}
"""The properties that an update is to change."""


def build_text(uid: str, kind: str, number: int) -> str:
    """An event as other programs write it."""
    times = "DTSTART:20261118T170000Z\r\nDURATION:PT90M\r\n"
    zone, more = "", ""
    if kind == "days":
        times = "DTSTART;VALUE=DATE:20261118\r\nDTEND;VALUE=DATE:20261120\r\n"
    if kind in ("zoned", "series", "exception"):
        zone = (
            "BEGIN:VTIMEZONE\r\nTZID:Europe/Vienna\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\n"
            "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nTZOFFSETFROM:+0200\r\n"
            "TZOFFSETTO:+0100\r\nEND:STANDARD\r\nBEGIN:DAYLIGHT\r\nDTSTART:19700329T020000\r\n"
            "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n"
            "END:DAYLIGHT\r\nEND:VTIMEZONE\r\n"
        )
        times = (
            "DTSTART;TZID=Europe/Vienna:20261118T180000\r\n"
            "DTEND;TZID=Europe/Vienna:20261118T190000\r\n"
        )
    if kind in ("series", "exception"):
        times += "RRULE:FREQ=WEEKLY;COUNT=5\r\nEXDATE;TZID=Europe/Vienna:20261125T180000\r\n"
    if kind == "invited":
        times += "ORGANIZER:mailto:me@example.com\r\nATTENDEE:mailto:ann@example.com\r\n"
    if kind == "exception":
        more = (
            f"BEGIN:VEVENT\r\nUID:{uid}\r\nDTSTAMP:20261101T080000Z\r\nSUMMARY:On its own\r\n"
            "RECURRENCE-ID;TZID=Europe/Vienna:20261202T180000\r\n"
            "DTSTART;TZID=Europe/Vienna:20261203T200000\r\n"
            "DTEND;TZID=Europe/Vienna:20261203T210000\r\nEND:VEVENT\r\n"
        )
    return (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Somebody//Else 1.0//EN\r\n"
        f"{zone}BEGIN:VEVENT\r\nUID:{uid}\r\nDTSTAMP:20261101T080000Z\r\n"
        f"SUMMARY:Dinner {number} für Großmama\\, und alle\r\n{times}"
        "X-SOMEBODY-COLOUR;X-SHADE=dark:blue\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\n"
        "DESCRIPTION:soon\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\nEND:VEVENT\r\n"
        f"{more}END:VCALENDAR\r\n"
    )


def split_lines(text: str) -> tuple[str, ...]:
    """What a calendar says, line by line, in whatever order; zones are anybody's to spell out."""
    plain = text.replace("\r\n", "\n").replace("\n ", "")
    said = re.sub("BEGIN:VTIMEZONE.*?END:VTIMEZONE\n", "", plain, flags=re.DOTALL)
    return tuple(sorted(filter(None, said.split("\n"))))


def _drop_stamps(lines: Any) -> Any:
    """What an event says, less what any write changes: two calls may leave it alike."""
    return lines and [each for each in lines if each.split(":")[0] not in WRITES]


@dataclass(kw_only=True)
class CalendarHistory:
    """Some calls on one calendar, and what comes after them."""

    chance: random.Random
    radicale: RadicaleServer
    line: Line
    url: str
    store: str
    uids: dict[str, str]
    """By the name of the file."""
    kinds: list[str]
    deeds: list[str]
    fault: LineFault | None
    undo_fault: LineFault | None
    moment: str
    wrong: bool
    parts: list[tuple[int, str]] = field(default_factory=list)
    """The call and the event of everything that was to be done; of a new one, no event."""
    said: list[str] = field(default_factory=list)
    edits: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """What somebody else did, after so many writes."""
    marks: list[int] = field(default_factory=list)
    """How many writes there were after each call."""

    def look(self) -> Seen:
        """Every event, by the name of its file."""
        found = self.radicale.export(self.url).items()
        return {unquote(path.rpartition("/")[2]): split_lines(t.decode()) for path, t in found}

    def run(self) -> Verdict:
        """Live through it, and say what was seen."""
        base, clock, known = self.look(), Clock(), list[list[str]]()
        self.line.written.clear()
        self.line.faults = [self.fault] if self.fault else []
        watch_points(self._reach)
        try:
            with self._open(clock) as (m, tools):
                asyncio.run(self._act(m, tools, known))
                fates = asyncio.run(self._recover(m, clock, known))
            if self.store != "memory:":
                with self._open(clock) as (m, _):
                    fates = asyncio.run(self._recover(m, clock, known))
        finally:
            watch_points(None)
            self.line.then = None
        end = self.look()
        untrue = list(self._find_slips(base))
        if not self.edits and end != base and all(f.state is State.UNDONE for f in fates):
            untrue.append("all is called undone, and it is not as it was to the letter")
        return Verdict(
            base=base,
            orders=[list(self._list_steps())],
            end=end,
            fates=fates,
            kind=f"{self.deeds} {self.kinds} {self.fault=} {self.undo_fault=} {self.moment=} "
            f"{self.wrong=} {self.said=}",
            trouble=f"answer: {self.fault or self.undo_fault or ''}",
            must_settle=not self.edits and not self.fault and not self.undo_fault,
            untrue=untrue,
            alike=lambda wanted, there: _drop_stamps(wanted) == _drop_stamps(there),
        )

    def _list_steps(self) -> Iterator[Step]:
        """Writes of the calls as they reached the server, and what somebody else did between."""
        edits = [*self.edits]
        for at, write in enumerate(self.line.written):
            while edits and edits[0][0] <= at:
                yield Step(call=None, apply=overlay(edits.pop(0)[1]))
            call = next((c for c, mark in enumerate(self.marks) if at < mark), None)
            if call is not None and write.done:
                name = unquote(write.path.rpartition("/")[2])
                new = None if write.method == "DELETE" else split_lines(write.body)
                yield Step(call=self._find_part(call, name), apply=overlay({name: new}))
        for _, changes in edits:
            yield Step(call=None, apply=overlay(changes))

    def _find_part(self, call: int, name: str) -> int:
        uid = self.uids.get(name, "")
        return self.parts.index((call, uid) if (call, uid) in self.parts else (call, ""))

    def _find_slips(self, base: Seen) -> Iterator[str]:
        """What an update changed beyond what it was asked to."""
        for at, write in enumerate(self.line.written):
            call = next((c for c, mark in enumerate(self.marks) if at < mark), None)
            name = unquote(write.path.rpartition("/")[2])
            if call is None or call > 0 or self.edits or name not in base or not write.body:
                continue
            old = Counter[str](base[name])
            new = Counter[str](split_lines(write.body))
            lines = [*(old - new), *(new - old)]
            changed = {line.split(":")[0].split(";")[0] for line in lines}
            beyond = changed - CHANGES[self.deeds[call]] - WRITES
            if beyond:
                yield f"{self.deeds[call]} changed {sorted(beyond)}"

    @contextmanager
    def _open(self, clock: Clock) -> Iterator[tuple[Mulligan, Any]]:
        checks = [reject] if self.wrong else []
        calendar = CalDAV(self.line.rewrite_url(self.url), timeout=60)
        with Mulligan(self.store, checks=checks, clock=clock, recover=False) as m:
            yield m, calendar_tools(m, calendar, zone="Europe/Vienna")
        calendar.close()

    async def _act(self, m: Mulligan, tools: Any, known: list[list[str]]) -> None:
        async def work() -> None:
            for at, deed in enumerate(self.deeds):
                if self.moment == "within":
                    self.line.then = self._disturb
                try:
                    await self._choose_call(tools, at, deed)()
                    self.said.append("")
                except Exception as error:
                    self.said.append(f"{type(error).__name__}: {error}"[:90])
                known.append([each.id for each in list_actions(m)])
                self.marks.append(len(self.line.written))
            self.line.then = None
            self.line.faults = [self.undo_fault] if self.undo_fault else []
            if self.moment == "after":
                self._disturb()

        await act_once(m, work)

    def _find_title(self, uid: str) -> str:
        """The title that an event has already."""
        number = [*self.uids.values()].index(uid)
        return f"Dinner {number} für Großmama, und alle"

    def _choose_call(self, tools: Any, at: int, deed: str) -> Callable[[], Any]:
        uids = [*self.uids.values()]
        chosen = self.chance.sample(uids, 2 if deed == "bulk" else 1)
        if deed == "create":
            self.parts.append((at, ""))
            given = {"attendees": ["bob@example.com"]} if self.chance.random() < 0.15 else {}
            start = self.chance.choice(["2026-11-21", "2026-11-21T18:00"])
            return lambda: tools.create_calendar_event("Cake", start, **given)
        self.parts += [(at, uid) for uid in chosen]
        if deed == "bulk":
            updates = [{"event_id": uid, "title": f"Both {at}"} for uid in chosen]
            return lambda: tools.bulk_update_calendar_events(updates)
        if deed == "delete":
            return lambda: tools.delete_calendar_event(chosen[0])
        changes = {
            "rename": {"title": f"Cake {at}"},
            "same": {"title": self._find_title(chosen[0])},
            "describe": {"location": "Graz", "description": "ü\n,;"},
            "move": {"start": "2026-11-21T18:00", "end": "2026-11-21T19:00"},
        }
        return lambda: tools.update_calendar_event(chosen[0], **changes[deed])

    async def _recover(self, m: Mulligan, clock: Clock, known: list[list[str]]) -> list[Fate]:
        await recover(m, clock)
        return [
            Fate(
                call=self._find_told(m, each.id, fate.call),
                state=fate.state,
                why=fate.why,
                held=fate.held,
            )
            for each, fate in zip(list_actions(m), read_fates(m, known), strict=True)
        ]

    def _find_told(self, m: Mulligan, action: str, call: int) -> int:
        """Which part an action is about: of a bulk there is one for each event."""
        kept = m._parts.store.vault.get(action, "arguments")
        given = repr(decode_value(kept)) if kept is not None else ""
        of_it = [at for at, part in enumerate(self.parts) if part[0] == call]
        return next((at for at in of_it if repr(self.parts[at][1]) in given), of_it[0])

    # Another client.

    async def _reach(self, point: Point) -> None:
        if {Point.INTENDED: "intended", Point.LOOKED: "looked"}.get(point) == self.moment:
            self._disturb()

    def _disturb(self) -> None:
        if self.edits:
            return
        before = self.look()
        written = [unquote(each.path.rpartition("/")[2]) for each in self.line.written]
        about = [n for n, uid in self.uids.items() if uid in [each[1] for each in self.parts]]
        near = [name for name in [*written, *about] if name in before]
        far = not near or self.chance.random() < 0.25
        name = self.chance.choice(([*before] or [""]) if far else near)
        ways = ["edit", "edit", "remind", "new"]
        # Of an event that is gone after a delete without an answer, nobody can tell who deleted it.
        if self.fault is None or "delete" not in self.deeds:
            ways.append("delete")
        way = self.chance.choice(ways) if name else "new"
        self._edit(name, way)
        self.edits.append((len(self.line.written), find_changes(before, self.look())))

    def _edit(self, name: str, way: str) -> None:
        place = urljoin(self.url, quote(name))
        if way == "new":
            text = build_text(f"{THEIRS}-1", "plain", 9)
            self.radicale.put(self.url, text, name="theirs-1.ics")
            return
        with httpx.Client(trust_env=False, timeout=60) as client:
            if way == "delete":
                client.delete(place).raise_for_status()
                return
            text = client.get(place).raise_for_status().text.replace("\r\n ", "")
        if way == "edit":
            text = text.replace("SUMMARY:", f"SUMMARY:{THEIRS} ", 1)
        else:
            text = text.replace("END:VEVENT", f"X-NOTE:{THEIRS}\r\nEND:VEVENT", 1)
        self.radicale.put(self.url, text, name=quote(name))


class CalendarPlace:
    """One server, and a line to it."""

    def __init__(self, folder: Path, radicale: RadicaleServer, line: Line) -> None:
        self._folder, self._radicale, self._line = folder, radicale, line

    def draw(self, chance: random.Random, totals: Totals) -> None:
        """Draw a history, live through it, and judge it."""
        url, uids, kinds = self._radicale.calendar(), dict[str, str](), list[str]()
        for number in range(chance.randint(2, 3)):
            uid, kind = chance.choice(UIDS).format(number), chance.choice(KINDS)
            name = f"{chance.choice(['file', 'other name'])}-{number}.ics"
            if uid.startswith("event") and chance.random() < 0.7:
                name = f"{uid}.ics"
            self._radicale.put(url, build_text(uid, kind, number), name=quote(name))
            uids[name] = uid
            kinds.append(kind)
        store = "memory:"
        if chance.random() < 0.2:
            store = f"sqlite:///{self._folder}/{chance.randrange(10**9)}.db"
        deeds = [chance.choice(DEEDS) for _ in range(chance.choice((1, 1, 2)))]
        for deed in deeds:
            totals.deeds[deed] += 1
        CalendarHistory(
            chance=chance,
            radicale=self._radicale,
            line=self._line,
            url=url,
            store=store,
            uids=uids,
            kinds=kinds,
            deeds=deeds,
            fault=chance.choice(FAULTS),
            undo_fault=chance.choice(FAULTS),
            moment=chance.choice(MOMENTS),
            wrong=chance.random() < 0.85,
        ).run().judge(totals)
