"""The family's week: five requests, and what went wrong with each before it was right.

Then what is left of it: the server's own account, the log, the open list, the disk.
"""

from __future__ import annotations

import asyncio
import dataclasses
import signal
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from mulligan.app.mulligan import Mulligan
from mulligan.cli import render
from mulligan.cli.actions import encode_action
from mulligan.insights.insights import Insights
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.hold import Held
from mulligan.runtime.turn import Agent, Done
from mulligan.settings import Settings
from mulligan.types.action import Action, State
from mulligan.types.call import LogRow
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import CallRepaired, CallRetried, Happened
from mulligan.types.log import LogQuery
from mulligan_demo.family import (
    WEEK,
    Family,
    Phone,
    Teller,
    describe_request,
    format_event,
    format_version,
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
    """What may be made again is, and what may not is not."""
    search = _SlowSearch()

    @m.tool(effect=Effect.READ)
    async def find_events(query: str, api_key: str, limit: int) -> list[dict[str, object]]:  # noqa: ARG001
        return search.find()

    @m.tool(effect=Effect.READ)
    async def quote_cake(card: str, servings: int) -> dict[str, object]:  # noqa: ARG001
        return {"price": 48.5, "currency": "EUR", "note": f"charge to {card}"}

    @m.tool
    async def share_calendar(url: str, people: int) -> None:  # noqa: ARG001
        raise ConnectionResetError(f"connection reset by {url}")

    tell.show_heading("Calls that fail, with secrets in the agent's hands")
    silence = m.subscribe(lambda event: _tell(tell, event))
    with m.turn("Plan Grandma's dinner", agent="planner", context="planning the family's week"):
        tell.say("find_events only reads, so it may be made again:")
        await find_events(PLANTED["what was asked for"], api_key=PLANTED["an API key"], limit=10)
        m.flush()
        silence()
        await quote_cake(card=PLANTED["a card number"], servings=12)
        tell.say("quote_cake works at once, with a card number in its arguments")
        try:
            await share_calendar(f"https://anna:{PLANTED['a password in a URL']}@cal.test/w", 4)
        except ConnectionResetError as error:
            tell.say(
                "share_calendar declares nothing, and its connection breaks: it may have landed, "
                f"so it is not made again. The agent gets its own {type(error).__name__}."
            )


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
            wait = event.wait.total_seconds()
            tell.say(f"  failed ({event.error_class}); try {event.try_number} in {wait:.2f} s")
        case CallRepaired():
            tell.say(f"  worked on try {event.tries}", style="green")
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


class Facts(Struct, frozen=True, kw_only=True):
    """What a program may want to know of the story."""

    turns: Sequence[Mapping[str, object]]
    hold: Sequence[str]
    """The states that the invitation went through."""
    crash: Sequence[str]
    """The states of what the killed process did."""
    killed: bool


class Story(Struct, frozen=True, kw_only=True):
    """The parties: the family's program, Mum with her phone, and the connection between them."""

    family: Family
    phone: Phone
    line: Line
    store: str

    @property
    def tell(self) -> Teller:
        """Where it is told."""
        return self.family.tell

    async def plan_the_week(self) -> Facts:
        """Everything, in order."""
        turns: list[Mapping[str, object]] = []
        for uid, (title, start) in BEGINNING.items():
            await self.phone.desk.create_calendar_event(title, start, uid=uid)
        for chapter in (self.play_wrong_day, self.play_lost_answer, self.play_edit):
            done = await chapter()
            turns.append(
                {"reply": done.reply, "confidence": done.confidence, "attempts": len(done.attempts)}
            )
        hold = await self.play_invitation()
        killed, crash = await self.play_crash()
        return Facts(turns=turns, hold=hold, crash=crash, killed=killed)

    async def play_wrong_day(self) -> Done:
        """A mistake that succeeds: the calendar says OK to the wrong day."""
        tools = self.family.tools

        async def plan(turn: OpenTurn) -> str:
            if turn.correction is None:
                await tools.get_calendar_events(*WEEK)
            else:
                self.tell.show_told(turn.correction.text)
            start = SATURDAY if turn.correction is None else FRIDAY
            await tools.update_calendar_event("dinner", start=start)
            return "Dinner is on Friday."

        said = "Move dinner to Friday"
        self.tell.show_chapter(
            said, about="The agent counts one day too far, and the calendar says OK."
        )
        return await self._act(said, plan)

    async def play_lost_answer(self) -> Done:
        """The event exists but the answer is lost: calling again would create a second one."""

        async def plan(turn: OpenTurn) -> str:  # noqa: ARG001
            await self.family.tools.create_calendar_event("Piano lesson", LESSON)
            return "The piano lesson is in."

        said = "Put a piano lesson on Tuesday"
        about = "The answer gets lost. It is made again under the same id, or there would be two."
        self.tell.show_chapter(said, about=about)
        self.line.faults[:] = [LineFault.LOST_AFTER]
        done = await self._act(said, plan)
        lessons = [event for event in await self.phone.list_week() if event.title == "Piano lesson"]
        self.tell.say(f"the calendar has {len(lessons)}: {format_event(lessons[0])}", style="green")
        return done

    async def play_edit(self) -> Done:
        """A person changes the event before its undo: their edit must survive."""
        versions: list[Event] = []

        async def plan(turn: OpenTurn) -> str:  # noqa: ARG001
            tools = self.family.tools
            await tools.get_calendar_events(*WEEK)
            versions.append(await tools.update_calendar_event("dentist", start=THURSDAY))
            versions.append(await self._edit_by_mum())
            return "The dentist is on Wednesday."

        said = "Move the dentist to Wednesday"
        about = "Wrong again, and Mum puts it right before the agent's undo can."
        self.tell.show_chapter(said, about=about)
        done = await self.family.act(said, plan)
        for action in done.open_actions:
            self.tell.show(
                "conflict", describe_versions(self.family.m.insights.open_list.find(action))
            )
        for whose, version in zip(("the agent's", "Mum's"), versions, strict=True):
            self.tell.say(
                f"         {whose}, {format_version(version.etag)}: {format_event(version)}"
            )
        self.tell.show_reply(done.reply, confidence=done.confidence)
        return done

    async def play_invitation(self) -> list[str]:
        """What cannot be undone waits for a person, and then runs once."""
        holds: list[str] = []

        async def plan(turn: OpenTurn) -> str:  # noqa: ARG001
            asked = ("Dinner with Grandma", FRIDAY)
            answer = await self.family.tools.create_calendar_event(*asked, attendees=[GRANDMA])
            if isinstance(answer, Held):
                self.tell.show_call("create_calendar_event", *asked, GRANDMA, came="held")
                self.tell.show_told(answer)
                holds.append(answer.hold.action)
            return "The invitation is ready and awaiting approval."

        said = f"Invite {GRANDMA} to dinner on Friday"
        about = "The server would mail the guest. Mail cannot be undone, so the call is held."
        self.tell.show_chapter(said, about=about)
        await self._act(said, plan)
        (hold,) = holds
        open_list = self.family.m.insights.open_list
        open_list.approve(hold, by="Mum")
        self.tell.show("person", f"Mum: mulligan approve {hold[:13]}…")
        await self.family.m.recover()
        try:
            open_list.approve(hold, by="Dad")
        except ConfigurationError:
            self.tell.show(
                "person", "Dad approves it too, and is told that it is done: it ran once"
            )
        return [entry.state.value for entry in open_list.read_story(hold).entries]

    async def play_crash(self) -> tuple[bool, list[str]]:
        """The agent's process is killed after the effect; another one cleans up."""
        tell, open_list = self.tell, self.family.m.insights.open_list
        known = {action.id for action in open_list.actions()}
        tell.show_chapter(
            LAST_REQUEST, about="Another process acts, and is killed before anyone looks."
        )
        code = await self._live("killed")
        call = ("update_calendar_event", "swimming", LAST_DAY)
        tell.show_call(*call, came=f"kill -9 (exit code {code})")
        [left] = [action for action in open_list.actions() if action.id not in known]
        tell.say(f"the calendar says: {await self._read_calendar('swimming')}", style="yellow")
        tell.say(f"the journal has only its {left.state.value}, with what was there before")
        await self._live("restarted")
        tell.say("the program is started again, and recovery takes it up:")
        entries = open_list.read_story(left.id).entries
        for entry in entries:
            why = MEANS.get(entry.state) or str(entry.detail.get("why", ""))
            tell.say(f"  {entry.state.value:16}{why}", hang=18)
        tell.say(f"the calendar says: {await self._read_calendar('swimming')}", style="green")
        return code == -signal.SIGKILL, [entry.state.value for entry in entries]

    async def _act(self, said: str, planner: Agent) -> Done:
        done = await self.family.act(said, planner)
        self.tell.show_reply(done.reply, confidence=done.confidence)
        return done

    async def _edit_by_mum(self) -> Event:
        title = "Dentist, with Ben"
        now = await self.phone.desk.update_calendar_event("dentist", title=title, start=WEDNESDAY)
        self.tell.show(
            "person", f"Mum, on her phone: {format_event(now)}; now at {format_version(now.etag)}"
        )
        return now

    async def _live(self, life: str) -> int:
        return await asyncio.to_thread(run_life, life, store=self.store, url=self.family.url)

    async def _read_calendar(self, event_id: str) -> str:
        return format_event(await self.phone.find_event(event_id))


MEANS = {
    State.INTENT: "on disk before the call; then the process died",
    State.EXECUTED: "recovery looked: the call was executed",
    State.PENDING_REVIEW: "not reviewed yet, so it is reviewed now",
    State.UNDONE: "and verified",
}


def describe_versions(conflict: Action) -> str:
    """What a person must know to decide."""
    left, now = (format_version(conflict.detail.get(name)) for name in ("left_at", "now_at"))
    return f"Someone changed it since: it is at {now}, we left it at {left}."


class Week(Struct, frozen=True, kw_only=True):
    """All that the story came to."""

    facts: Facts
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
    """Tell it as it happens, on a calendar server that is there as long as it lasts."""
    store = f"sqlite:///{folder}/demo.db"
    tell.show_heading("An agent plans a family's week. Today is Sunday, November 15.")
    with radicale_server() as server, line_to(server.url) as line:
        calendar = server.calendar()
        facts, events = asyncio.run(_plan(store, calendar, line=line, tell=tell))
    with Insights.open(Settings(store=store)) as insights:
        rows = insights.log(LogQuery(oldest_first=True))
        left = insights.open_list.actions()
        for action in left:
            insights.open_list.settle(action.id, note="Mum's edit stands.")
        still_open = insights.open_list.actions()
    files = [file for file in folder.iterdir() if file.name.startswith("demo")]
    return Week(
        facts=facts,
        written=line.written,
        events=events,
        left=left,
        still_open=still_open,
        rows=rows,
        found=count_secrets(files),
        searched=sum(file.stat().st_size for file in files),
    )


async def _plan(
    store: str, calendar: str, *, line: Line, tell: Teller
) -> tuple[Facts, Sequence[Event]]:
    """The family's program reaches the server by the line that loses answers; Mum does not."""
    with closing(Phone.connect(calendar)) as phone:
        async with open_family(store, line.rewrite_url(calendar), tell=tell) as family:
            story = Story(family=family, phone=phone, line=line, store=store)
            facts = await story.plan_the_week()
            await look_around(family.m, tell)
        return facts, await phone.list_week()


def as_json(week: Week) -> dict[str, object]:
    """The story for programs."""
    events = {event.id: dataclasses.asdict(event) for event in week.events}
    return {
        "day": str(events["dinner"]["start"])[:10],
        **asdict(week.facts),
        "events": list(events.values()),
        "written": [{**asdict(each), "what": describe_request(each)} for each in week.written],
        "open": [encode_action(action) for action in week.left],
        "still_open": [encode_action(action) for action in week.still_open],
        "rows": [render.encode_log_row(row) for row in week.rows],
        "found_on_disk": week.found,
    }


def tell_end(week: Week, tell: Teller) -> None:
    """The last part, for people."""
    tell.show_heading("What reached the calendar server: against which version, and its answer")
    for each in week.written:
        left = format_version(each.etag, none="-")
        versions = f"{format_version(each.over):7} -> {each.status} {left:6}"
        tell.say(f"{each.method} over {versions}  {describe_request(each)}")
    tell.say("The undo restores the ETag from before: the same text, to the byte.")
    tell.show_heading("What the server has now")
    for event in week.events:
        tell.say(f"{format_version(event.etag)}  {format_event(event)}")
    tell.show_heading("What `mulligan log` shows of it")
    tell.show_log(week.rows)
    tell.say("The row of the killed process died with it. Its entries in the journal did not.")
    _tell_open(week, tell)
    tell.show_heading(f"Looked through {week.searched:,} bytes of the store for the secrets")
    for what, times in week.found.items():
        tell.say(f"{what}: found {times} times", style="red" if times else "green")
    tell.show_heading("Next")
    tell.say("Put `@m.tool` above your own tools (docs/tools.md), and run `mulligan doctor`.")


def _tell_open(week: Week, tell: Teller) -> None:
    tell.show_heading("What `mulligan open` shows: actions that need attention")
    for action in week.left:
        tell.say(f"{action.opening.tool}: {action.state.value}", style="yellow")
        tell.say(f"  {describe_versions(action)}")
        tell.show("person", f'Mum: mulligan settle {action.id[:13]}… --note "my edit stands"')
    if not week.still_open:
        tell.say("Nothing is open.", style="green")
