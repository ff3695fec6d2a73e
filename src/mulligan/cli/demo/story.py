"""Five requests of a family, and what went wrong with each before it was right."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field

from mulligan.cli.demo.calendar import in_words
from mulligan.cli.demo.children import live
from mulligan.cli.demo.family import SUNDAY, ZONE, Family
from mulligan.cli.demo.lives import REQUEST as LAST_REQUEST
from mulligan.cli.demo.lives import TUESDAY
from mulligan.core.action import State
from mulligan.core.errors import ConfigurationError
from mulligan.testing.remote import Item
from mulligan.turns.acting import Agent, Done
from mulligan.turns.hold import Held
from mulligan.turns.turn import OpenTurn

MONDAY, WEDNESDAY, THURSDAY = "2026-11-16", "2026-11-18", "2026-11-19"
FRIDAY, SATURDAY = "2026-11-20", "2026-11-21"

BEGINNING = {
    "dinner": {"title": "Dinner", "day": WEDNESDAY},
    "dentist": {"title": "Dentist", "day": MONDAY},
    "swimming": {"title": "Swimming", "day": THURSDAY},
}


@dataclass(slots=True, kw_only=True)
class Facts:
    """What a program may want to know of the story."""

    turns: list[Mapping[str, object]] = field(default_factory=list)
    hold: list[str] = field(default_factory=list)
    """The states that the invitation went through."""
    crash: list[str] = field(default_factory=list)
    """The states of what the killed process did."""
    killed: bool = False


async def plan_the_week(family: Family, *, store: str) -> Facts:
    """Everything, in order."""
    facts = Facts()
    for name, data in BEGINNING.items():
        await family.calendar.create(data, id=name, by="person")
    for chapter in (wrong_day, lost_answer, edit_in_between):
        done = await chapter(family)
        facts.turns.append(
            {"reply": done.reply, "confidence": done.confidence, "attempts": len(done.attempts)}
        )
    facts.hold = await invitation(family)
    facts.killed, facts.crash = await crash(family, store=store)
    return facts


async def wrong_day(family: Family) -> Done:
    """A mistake that succeeds: the calendar says 200 to the wrong day."""

    async def planner(turn: OpenTurn) -> str:
        if turn.correction is not None:
            family.tell.told(turn.correction.text)
        await family.move_event("dinner", SATURDAY if turn.correction is None else FRIDAY)
        return "Dinner is on Friday."

    said = "Move dinner to Friday"
    family.tell.chapter(said, about="The agent counts one day too far, and the calendar says OK.")
    return await _act(family, said, planner)


async def lost_answer(family: Family) -> Done:
    """The event is there and the answer is not: who calls again makes a second one."""

    async def planner(turn: OpenTurn) -> str:  # noqa: ARG001
        await family.add_event("Piano lesson", "2026-11-17")
        return "The piano lesson is in."

    said = "Put a piano lesson on Tuesday"
    family.tell.chapter(
        said, about="The answer gets lost. Called again, there would be two lessons."
    )
    await family.calendar.lose_next_answer()
    return await _act(family, said, planner)


async def edit_in_between(family: Family) -> Done:
    """Somebody changes the event before its undo: theirs must survive."""
    versions: list[Item] = []

    async def planner(turn: OpenTurn) -> str:  # noqa: ARG001
        ours = await family.move_event("dentist", THURSDAY)
        theirs = {"title": "Dentist, with Ben", "day": WEDNESDAY}
        now = await family.calendar.update("dentist", theirs, by="person")
        family.tell.person(f"Mum, on her phone: {in_words(theirs)}; now at {now.version}")
        versions.extend([ours, now])
        return "The dentist is on Wednesday."

    said = "Move the dentist to Wednesday"
    family.tell.chapter(
        said, about="Wrong again, and Mum puts it right before the agent's undo can."
    )
    done = await family.m.act(said, planner, now=SUNDAY, timezone=ZONE)
    for action in done.open_actions:
        found = family.m.insights.open_list.find(action)
        family.tell.conflict(str(found.detail.get("why", "")))
    for whose, version in zip(("the agent's", "Mum's"), versions, strict=True):
        family.tell.say(f"         {whose}, {version.version}: {in_words(version.data)}")
    family.tell.reply(done.reply, confidence=done.confidence)
    return done


async def invitation(family: Family) -> list[str]:
    """What cannot be undone waits for a person, and then runs once."""
    holds: list[str] = []

    async def planner(turn: OpenTurn) -> str:  # noqa: ARG001
        answer = await family.mail_invitation("Grandma", FRIDAY)
        if isinstance(answer, Held):
            family.tell.call("mail_invitation", "Grandma", FRIDAY, came="held")
            family.tell.told(answer)
            holds.append(answer.hold.action)
        return "The invitation is written, and waits for your word."

    said = "Invite Grandma to dinner on Friday"
    family.tell.chapter(said, about="Mail cannot be taken back, so it is held before it is sent.")
    await _act(family, said, planner)
    (hold,) = holds
    open_list = family.m.insights.open_list
    open_list.approve(hold, by="Mum")
    family.tell.person(f"Mum: mulligan approve {hold[:13]}…")
    await family.m.recover()
    try:
        open_list.approve(hold, by="Dad")
    except ConfigurationError:
        family.tell.person("Dad approves it too, and is told that it is done: it ran once")
    return [entry.state.value for entry in open_list.story(hold).entries]


async def crash(family: Family, *, store: str) -> tuple[bool, list[str]]:
    """The agent's process is killed after the effect; another one cleans up."""
    tell, calendar, open_list = family.tell, family.calendar, family.m.insights.open_list
    known = {action.id for action in open_list.actions()}
    tell.chapter(LAST_REQUEST, about="Another process acts, and is killed before anyone looks.")
    code = await asyncio.to_thread(live, "killed", store=store, port=calendar.port)
    tell.call("move_event", "swimming", TUESDAY, came=f"kill -9 (exit code {code})")
    [left] = [action for action in open_list.actions() if action.id not in known]
    tell.say(f"the calendar says: {await _on_calendar(family, 'swimming')}", style="yellow")
    tell.say(f"the journal has only its {left.state.value}, with what was there before")
    await asyncio.to_thread(live, "restarted", store=store, port=calendar.port)
    tell.say("the program is started again, and recovery takes it up:")
    entries = open_list.story(left.id).entries
    for entry in entries:
        tell.state(entry.state.value, _why(entry.state, entry.detail))
    tell.say(f"the calendar says: {await _on_calendar(family, 'swimming')}", style="green")
    return code == -signal.SIGKILL, [entry.state.value for entry in entries]


MEANS = {
    State.INTENT: "on disk before the call; then the process died",
    State.EXECUTED: "looked for by its key, and there",
    State.PENDING_REVIEW: "nobody has reviewed it, so that is done now",
    State.UNDONE: "and read back to be sure",
}


def _why(state: State, detail: Mapping[str, object]) -> str:
    return MEANS.get(state) or str(detail.get("why", ""))


async def _on_calendar(family: Family, event: str) -> str:
    now = await family.calendar.get(event)
    return in_words(now.data) if now else "nothing"


async def _act(family: Family, said: str, planner: Agent) -> Done:
    done = await family.m.act(said, planner, now=SUNDAY, timezone=ZONE)
    family.tell.reply(done.reply, confidence=done.confidence)
    return done
