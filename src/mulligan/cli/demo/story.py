"""Five requests of a family, and what went wrong with each before it was right."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from dataclasses import field

from mulligan.cli.demo.children import live
from mulligan.cli.demo.event_text import format_event, format_version
from mulligan.cli.demo.family import WEEK, Family, Phone
from mulligan.cli.demo.lives import REQUEST as LAST_REQUEST
from mulligan.cli.demo.lives import WRONG as LAST_DAY
from mulligan.cli.demo.telling import Teller
from mulligan.core.action import Action, State
from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.packs.calendar import Event
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.hold import Held
from mulligan.runtime.turn import Agent, Done
from mulligan.testing.line import Line, LineFault

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


@dataclass(slots=True, kw_only=True)
class Facts:
    """What a program may want to know of the story."""

    turns: list[Mapping[str, object]] = field(default_factory=list)
    hold: list[str] = field(default_factory=list)
    """The states that the invitation went through."""
    crash: list[str] = field(default_factory=list)
    """The states of what the killed process did."""
    killed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Who is in it: the family's program, Mum with her phone, and the line between."""

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
        facts = Facts()
        for uid, (title, start) in BEGINNING.items():
            await self.phone.desk.create_calendar_event(title, start, uid=uid)
        for chapter in (self.play_wrong_day, self.play_lost_answer, self.play_edit):
            done = await chapter()
            facts.turns.append(
                {"reply": done.reply, "confidence": done.confidence, "attempts": len(done.attempts)}
            )
        facts.hold = await self.play_invitation()
        facts.killed, facts.crash = await self.play_crash()
        return facts

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
        """The event is there and the answer is not: who calls again makes a second one."""

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
        """Somebody changes the event before its undo: theirs must survive."""
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
            self.tell.show_conflict(
                describe_versions(self.family.m.insights.open_list.find(action))
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
            return "The invitation is written, and waits for your word."

        said = f"Invite {GRANDMA} to dinner on Friday"
        about = "A server mails guests, and mail cannot be taken back: it is held before it runs."
        self.tell.show_chapter(said, about=about)
        await self._act(said, plan)
        (hold,) = holds
        open_list = self.family.m.insights.open_list
        open_list.approve(hold, by="Mum")
        self.tell.show_person(f"Mum: mulligan approve {hold[:13]}…")
        await self.family.m.recover()
        try:
            open_list.approve(hold, by="Dad")
        except ConfigurationError:
            self.tell.show_person("Dad approves it too, and is told that it is done: it ran once")
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
            tell.show_state(entry.state.value, _describe_state(entry.state, entry.detail))
        tell.say(f"the calendar says: {await self._read_calendar('swimming')}", style="green")
        return code == -signal.SIGKILL, [entry.state.value for entry in entries]

    async def _act(self, said: str, planner: Agent) -> Done:
        done = await self.family.act(said, planner)
        self.tell.show_reply(done.reply, confidence=done.confidence)
        return done

    async def _edit_by_mum(self) -> Event:
        title = "Dentist, with Ben"
        now = await self.phone.desk.update_calendar_event("dentist", title=title, start=WEDNESDAY)
        self.tell.show_person(
            f"Mum, on her phone: {format_event(now)}; now at {format_version(now.etag)}"
        )
        return now

    async def _live(self, life: str) -> int:
        return await asyncio.to_thread(live, life, store=self.store, url=self.family.url)

    async def _read_calendar(self, event_id: str) -> str:
        return format_event(await self.phone.find_event(event_id))


MEANS = {
    State.INTENT: "on disk before the call; then the process died",
    State.EXECUTED: "looked for, and there as the call would have it",
    State.PENDING_REVIEW: "nobody has reviewed it, so that is done now",
    State.UNDONE: "and read back to be sure",
}


def describe_versions(conflict: Action) -> str:
    """What a person must know to decide."""
    left, now = (format_version(conflict.detail.get(name)) for name in ("left_at", "now_at"))
    return f"Someone changed it since: it is at {now}, we left it at {left}."


def _describe_state(state: State, detail: Mapping[str, object]) -> str:
    return MEANS.get(state) or str(detail.get("why", ""))
