"""The family's week: five requests and an agent that errs, without Mulligan and with it."""

from __future__ import annotations

import asyncio
import dataclasses
import shutil
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict
from rich.console import Console

from mulligan.app.mulligan import Mulligan
from mulligan.cli import render
from mulligan.cli.actions import encode_action
from mulligan.insights.insights import Insights
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.hold import Held
from mulligan.runtime.turn import Done
from mulligan.settings import Settings
from mulligan.types.action import Action
from mulligan.types.call import LogRow
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import CallRepaired, CallRetried, Happened
from mulligan.types.log import LogQuery
from mulligan_demo.family import (
    Family,
    Phone,
    Teller,
    Tools,
    describe_request,
    format_event,
    format_start,
    open_family,
    run_life,
)
from mulligan_demo.lives import REQUEST as LAST_REQUEST
from mulligan_demo.lives import WRONG as LAST_DAY
from mulligan_packs.calendar import Event
from mulligan_testing.line import Line, LineFault, LineWrite, line_to
from mulligan_testing.radicale import radicale_server

PLANTED = {
    "an API key": "sk-live-51HxQe2eZvKYlo2C9bq",
    "a card number": "4242 4242 4242 4242",
    "a password in a URL": "s3cr3t-pa55",
    "what was asked for": "birthday dinner for Grandma",
}
"""What the demo passes to its tools, and looks for on the disk afterwards."""


async def look_around(m: Mulligan, tell: Teller) -> None:
    """Repeat what is safe to repeat, and nothing else; with secrets in the agent's hands."""
    search = _SlowSearch()

    @m.tool(effect=Effect.READ)
    async def find_events(query: str, api_key: str, limit: int) -> list[dict[str, object]]:
        return search.find()

    @m.tool(effect=Effect.READ)
    async def quote_cake(card: str, servings: int) -> dict[str, object]:
        return {"price": 48.5, "currency": "EUR", "note": f"charge to {card}"}

    @m.tool
    async def share_calendar(url: str, people: int) -> None:
        raise ConnectionResetError(f"connection reset by {url}")

    tell.show_heading("Calls that fail")
    silence = m.subscribe(lambda event: _tell(tell, event))
    with m.turn("Plan Grandma's dinner", agent="planner", context="planning the family's week"):
        await find_events(PLANTED["what was asked for"], api_key=PLANTED["an API key"], limit=10)
        m.flush()
        silence()
        await quote_cake(card=PLANTED["a card number"], servings=12)
        with suppress(ConnectionResetError):
            await share_calendar(f"https://anna:{PLANTED['a password in a URL']}@cal.test/w", 4)
        tell.show("call", "share_calendar: connection reset; it may have landed: not repeated")


class _SlowSearch:
    """Does not answer the first time."""

    def __init__(self) -> None:
        self._asked = 0

    def find(self) -> list[dict[str, object]]:
        self._asked += 1
        if self._asked == 1:
            raise TimeoutError("the calendar did not answer within 2.0 s")
        return [{"title": "Dinner", "day": "Friday"}]


def _tell(tell: Teller, event: Happened) -> None:
    match event:
        case CallRetried():
            tell.show("call", "find_events: no answer; it only reads: safe to repeat")
        case CallRepaired():
            tell.show("call", f"find_events: OK on try {event.tries}")
        case _:
            pass


def count_secrets(files: Iterable[Path]) -> dict[str, int]:
    """How often each secret stands in the store's files, byte by byte."""
    written = [file.read_bytes() for file in files]
    return {
        what: sum(text.count(secret.encode()) for text in written)
        for what, secret in PLANTED.items()
    }


WEDNESDAY, THURSDAY = "2026-11-18T10:00", "2026-11-19T10:00"
FRIDAY, SATURDAY = "2026-11-20T18:00", "2026-11-21T18:00"
LESSON = "2026-11-17T16:00"
GRANDMA = "grandma@family.test"

BEGINNING = {
    "dinner": ("Dinner", "2026-11-18T18:00"),
    "dentist": ("Dentist", "2026-11-16T10:00"),
    "swimming": ("Swimming", "2026-11-19T15:00"),
}
"""What the week looks like on Sunday."""


class Planner(Struct, frozen=True, kw_only=True):
    """The agent, which errs in the same way whether its tools are watched or not."""

    tools: Tools
    phone: Phone
    """Mum's."""
    tell: Teller

    async def move_dinner(self, turn: OpenTurn | None = None) -> str:
        """Count one day too far; the calendar says OK. Told why, take the right one."""
        if turn is None or turn.correction is None:
            await self.tools.update_calendar_event("dinner", start=SATURDAY)
        else:
            self.tell.show("told", _shorten_correction(turn.correction.text))
            await self.tools.update_calendar_event("dinner", start=FRIDAY)
        return "Dinner is on Friday."

    async def add_lesson(self, turn: OpenTurn | None = None) -> str:  # noqa: ARG002
        """Lose the answer; call again."""
        try:
            await self.tools.create_calendar_event("Piano lesson", LESSON)
        except ConnectionError:
            await self.tools.create_calendar_event("Piano lesson", LESSON)
        return "The piano lesson is in."

    async def move_dentist(self, turn: OpenTurn | None = None) -> str:  # noqa: ARG002
        """Take the wrong day again; Mum sees it, and puts it right."""
        await self.tools.update_calendar_event("dentist", start=THURSDAY)
        title = "Dentist, with Ben"
        now = await self.phone.desk.update_calendar_event("dentist", title=title, start=WEDNESDAY)
        self.tell.show("person", f"Mum, on her phone: {format_event(now)}")
        return "The dentist is on Wednesday."

    async def invite_grandma(self, turn: OpenTurn | None = None) -> object:  # noqa: ARG002
        """Write to somebody outside; it cannot be undone."""
        asked = ("Dinner with Grandma", FRIDAY)
        return await self.tools.create_calendar_event(*asked, attendees=[GRANDMA])

    async def move_swimming(self, turn: OpenTurn | None = None) -> str:  # noqa: ARG002
        """Take the wrong day once more; nobody is there to see it."""
        await self.tools.update_calendar_event("swimming", start=LAST_DAY)
        return "Swimming is on Monday."


def _shorten_correction(text: str) -> str:
    told = (line.strip() for line in text.splitlines())
    kept = (line for line in told if line.startswith(("Undone and verified", "Fix:")))
    return " ".join(kept).replace("verified:", "verified.")


class Facts(Struct, frozen=True, kw_only=True):
    """What a program may want to know of the story."""

    turns: Sequence[Mapping[str, object]]
    hold: Sequence[str]
    """The states that the invitation went through."""
    crash: Sequence[str]
    """The states of what the killed process did."""
    killed: bool


class Story(Struct, frozen=True, kw_only=True):
    """The parties: the family's program, its agent, and the connection that loses answers."""

    family: Family
    planner: Planner
    line: Line
    store: str

    @property
    def tell(self) -> Teller:
        """Where it is told."""
        return self.family.tell

    async def plan_the_week(self) -> Facts:
        """Everything, in order."""
        turns: list[Mapping[str, object]] = []
        for chapter in (self.play_wrong_day, self.play_lost_answer, self.play_edit):
            done = await chapter()
            self.tell.show_reply(done.reply, confidence=done.confidence)
            turns.append(
                {"reply": done.reply, "confidence": done.confidence, "attempts": len(done.attempts)}
            )
        hold = await self.play_invitation()
        killed, crash = await self.play_crash()
        return Facts(turns=turns, hold=hold, crash=crash, killed=killed)

    async def play_wrong_day(self) -> Done:
        """A mistake that succeeds: the calendar says OK to the wrong day."""
        self.tell.show_chapter("Move dinner to Friday")
        return await self.family.act("Move dinner to Friday", self.planner.move_dinner)

    async def play_lost_answer(self) -> Done:
        """The event exists but the answer is lost: calling again would create a second one."""
        self.tell.show_chapter("Put a piano lesson on Tuesday")
        self.line.faults[:] = [LineFault.LOST_AFTER]
        return await self.family.act("Put a piano lesson on Tuesday", self.planner.add_lesson)

    async def play_edit(self) -> Done:
        """A person changes the event before its undo: their edit must survive."""
        self.tell.show_chapter("Move the dentist to Wednesday")
        done = await self.family.act("Move the dentist to Wednesday", self.planner.move_dentist)
        for _ in done.open_actions:
            self.tell.show("conflict", "Mum changed it since: hers stays, and is on the open list")
        return done

    async def play_invitation(self) -> list[str]:
        """What cannot be undone waits for a person, and then runs once."""
        holds: list[str] = []

        async def plan(turn: OpenTurn) -> str:
            answer = await self.planner.invite_grandma(turn)
            if isinstance(answer, Held):
                self.tell.show(
                    "call", "create_calendar_event(Dinner with Grandma): held for approval"
                )
                holds.append(answer.hold.action)
            return "The invitation is ready and awaiting approval."

        said = f"Invite {GRANDMA} to dinner on Friday"
        self.tell.show_chapter(said)
        await self.family.act(said, plan)
        (hold,) = holds
        open_list = self.family.m.insights.open_list
        open_list.approve(hold, by="Mum")
        self.tell.show("person", f"Mum: mulligan approve {hold[:13]}…")
        await self.family.m.recover()
        with suppress(ConfigurationError):
            open_list.approve(hold, by="Dad")
            raise RuntimeError("An approved call was approved again.")
        self.tell.show("person", "Dad approves it too, and is told that it was done: it ran once")
        return [entry.state.value for entry in open_list.read_story(hold).entries]

    async def play_crash(self) -> tuple[bool, list[str]]:
        """The agent's process is killed after the effect; another one cleans up."""
        open_list = self.family.m.insights.open_list
        known = {action.id for action in open_list.actions()}
        self.tell.show_chapter(LAST_REQUEST)
        code = await self._live("killed")
        self.tell.show("call", f"update_calendar_event(swimming, {LAST_DAY}): OK, then kill -9")
        [left] = [action for action in open_list.actions() if action.id not in known]
        await self._live("restarted")
        states = [entry.state.value for entry in open_list.read_story(left.id).entries]
        self.tell.show("recovery", " → ".join(dict.fromkeys(states)))
        return code == -signal.SIGKILL, states

    async def _live(self, life: str) -> int:
        return await asyncio.to_thread(run_life, life, store=self.store, url=self.family.url)


class Week(Struct, frozen=True, kw_only=True):
    """All that the story came to."""

    facts: Facts
    without: Sequence[Event]
    """What the server has where the same agent was not watched."""
    written: Sequence[LineWrite]
    """Every write of the family's program that reached the server."""
    events: Sequence[Event]
    """What the server has in the end."""
    left: Sequence[Action]
    """What needed a person in the end."""
    still_open: Sequence[Action]
    """The same, after that person's note."""
    rows: Sequence[LogRow]
    found: Mapping[str, int]
    """How often each secret was found on the disk."""
    searched: int
    """Bytes."""


def live_the_week(folder: Path, tell: Teller) -> Week:
    """Live it twice on a calendar server of its own: without Mulligan, then with it, told."""
    store = f"sqlite:///{folder}/demo.db"
    with radicale_server() as server:
        with line_to(server.url) as line:
            without = asyncio.run(_live_without(server.calendar(), line=line))
        tell_without(without, tell)
        with line_to(server.url) as line:
            facts, events = asyncio.run(_plan(store, server.calendar(), line=line, tell=tell))
    with Insights.open(Settings(store=store)) as insights:
        rows = insights.log(LogQuery(oldest_first=True))
        left = insights.open_list.actions()
        for action in left:
            insights.open_list.settle(action.id, note="Mum's edit stands.")
        still_open = insights.open_list.actions()
    files = [file for file in folder.iterdir() if file.name.startswith("demo")]
    return Week(
        facts=facts,
        without=without,
        written=line.written,
        events=events,
        left=left,
        still_open=still_open,
        rows=rows,
        found=count_secrets(files),
        searched=sum(file.stat().st_size for file in files),
    )


async def _live_without(url: str, *, line: Line) -> Sequence[Event]:
    """The same requests and the same agent, with the calendar's bare tools."""
    with closing(Phone.connect(url)) as mum, closing(Phone.connect(line.rewrite_url(url))) as own:
        await mum.write_beginning(BEGINNING)
        planner = Planner(tools=own.desk, phone=mum, tell=Teller(Console(quiet=True)))
        await planner.move_dinner()
        line.faults[:] = [LineFault.LOST_AFTER]
        await planner.add_lesson()
        await planner.move_dentist()
        await planner.invite_grandma()
        await planner.move_swimming()
        return await mum.list_week()


async def _plan(store: str, url: str, *, line: Line, tell: Teller) -> tuple[Facts, Sequence[Event]]:
    """The family's program reaches the server by the line that loses answers; Mum does not."""
    with closing(Phone.connect(url)) as phone:
        await phone.write_beginning(BEGINNING)
        async with open_family(store, line.rewrite_url(url), tell=tell) as family:
            planner = Planner(tools=family.tools, phone=phone, tell=tell)
            story = Story(family=family, planner=planner, line=line, store=store)
            facts = await story.plan_the_week()
            await look_around(family.m, tell)
        return facts, await phone.list_week()


def as_json(week: Week) -> dict[str, object]:
    """The story for programs."""
    events = {event.id: dataclasses.asdict(event) for event in week.events}
    return {
        "day": str(events["dinner"]["start"])[:10],
        **asdict(week.facts),
        "without": [dataclasses.asdict(event) for event in week.without],
        "events": list(events.values()),
        "written": [{**asdict(each), "what": describe_request(each)} for each in week.written],
        "open": [encode_action(action) for action in week.left],
        "still_open": [encode_action(action) for action in week.still_open],
        "rows": [render.encode_log_row(row) for row in week.rows],
        "found_on_disk": week.found,
    }


NOTES = {
    "Dinner": ("Friday was asked for", "undone, corrected and done again"),
    "Piano lesson": ("made again as no answer came", "made again under the same id"),
    "Dentist": ("right, but only because Mum looked", "Mum's edit was kept"),
    "Dinner with Grandma": ("invited, and nobody was asked", "invited once Mum had approved"),
    "Swimming": ("Monday was asked for; nobody knows", "undone after the crash; ask again"),
}
"""What a calendar does not show, by title: without Mulligan, and with it."""


def list_times(events: Sequence[Event], title: str) -> str:
    """When there are events of a title: a person may have added to it after a comma."""
    found = [event for event in events if event.title.split(",")[0] == title]
    return format_start(found[0]) + (f", {len(found)}x" if len(found) > 1 else "")


def tell_without(events: Sequence[Event], tell: Teller) -> None:
    """What the family finds at the end of the week."""
    tell.show_heading("An agent plans a family's week. Without Mulligan, the family finds:")
    for title, (note, _) in NOTES.items():
        tell.show_row(title, list_times(events, title), note)
    tell.show_heading("The same agent makes the same mistakes with Mulligan. It is Sunday, Nov 15.")


def tell_end(week: Week, tell: Teller) -> None:
    """The last part: the same table again, and where to go next."""
    tell.show_heading("With Mulligan, the family finds:")
    for title, (_, note) in NOTES.items():
        tell.show_row(title, list_times(week.events, title), note)
    times = sum(week.found.values())
    tell.say(
        f"The agent held {len(week.found)} secrets: found {times} times in {week.searched:,} bytes "
        "of the store.",
        style="red" if times else "green",
    )
    tell.show_heading("Next (the store of this story is gone)")
    program = find_program()
    steps = {
        f"{program} replay --example": "what it catches in a recorded run",
        f"{program} demo --history": "a month of an office, to look at",
        "docs/tutorial.md": "your own tools, in three steps",
    }
    for step, why in steps.items():
        tell.say(f"{step:{len(program) + 18}} {why}")


def find_program() -> str:
    """As it is typed here: the environment of a checkout is on nobody's path."""
    ours = Path(sys.executable).with_name("mulligan")
    on_path = shutil.which("mulligan")
    if (on_path and Path(on_path) == ours) or not ours.is_relative_to(Path.cwd()):
        return "mulligan"
    return str(ours.relative_to(Path.cwd()))
