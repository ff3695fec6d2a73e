"""The tools of every pack in every host: a right call, and a wrong one that is corrected.

A story is told to an agent of the host, whose model follows a script. What it came to is counted
from the world, the log and the journal.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.hosts.counting import StoryCounts
from bench.hosts.drivers import Ran, Step, load_driver
from bench.hosts.world import FRIDAY, SATURDAY, WEDNESDAY, list_rows
from mulligan import Mulligan
from mulligan.types.action import Action, ActionQuery, State

MESSAGE = "Change it as we said."
TOLD = "It was to be otherwise."
"""What the agent reads of a wrong call."""
STANDS = (State.VERIFIED, State.UNCHECKED)


@dataclass(frozen=True, kw_only=True)
class PackWorld:
    """What the tools of a pack change."""

    pack: str
    tool: str
    """The one that the model calls."""
    right: Mapping[str, Any]
    wrong: Mapping[str, Any]
    marks: tuple[str, str]
    """What tells of the world that the right call stands, and that the wrong one does."""
    build: Callable[[Mulligan], Sequence[Callable[..., Any]]]
    """The tools, declared with an application."""
    reset: Callable[[], object]
    look: Callable[[], object]


async def run_pack_story(host: str, world: PackWorld) -> StoryCounts:
    """One message on which the model calls the tool rightly, and one on which it first does not."""
    right, wrong = (world.tool, dict(world.right)), (world.tool, dict(world.wrong))
    accepted = await _tell(host, world, [right, "It is done."])
    corrected = await _tell(host, world, [wrong, "It is done.", right, "It is done."])
    return accepted + corrected


async def _tell(host: str, world: PackWorld, script: Sequence[Step]) -> StoryCounts:
    world.reset()
    with tempfile.TemporaryDirectory() as folder:
        async with Mulligan(f"sqlite:///{folder}/store.db") as m:
            tools = world.build(m)
            m.check(world.tool)(partial(_check, world))
            ran = await load_driver(host).run(m, tools, MESSAGE, script)
            rows = [(row.server, row.tool) for row in list_rows(m)]
            actions = m.insights.open_list.search(ActionQuery())
            seen = str(world.look())
    calls = len(script) // 2
    return _count(world, ran, calls=calls, rows=rows, actions=actions, seen=seen)


def _check(world: PackWorld, call: Any) -> str | None:
    asked = {name: call.arguments.get(name) for name in world.right}
    return None if asked == world.right else TOLD


def _count(
    world: PackWorld,
    ran: Ran,
    *,
    calls: int,
    rows: Sequence[tuple[str, str]],
    actions: Sequence[Action],
    seen: str,
) -> StoryCounts:
    right, wrong = world.marks
    states = [action.state for action in actions]
    names = {*rows, *((each.opening.server, each.opening.tool) for each in actions)}
    told, wanted = any(TOLD in shown for shown in ran.shown), calls > 1
    left = [state for state in states if state not in (*STANDS, State.UNDONE)]
    counts = StoryCounts(
        right_rejected=int(right not in seen or (told and not wanted)),
        wrong_passed=int(wrong in seen or (wanted and not told)),
        double_rows=abs(len(rows) - calls) + abs(len(actions) - calls) + abs(len(names) - 1),
        false_cases=len(left) + ("In effect until" in ran.reply),
    )
    if any(counts.figures.values()):
        came = f"{rows} {[state.value for state in states]} {seen} {ran.reply!r}"
        counts.notes = [f"{world.pack}, {calls} calls: {came}"]
    return counts


@contextmanager
def open_calendar(_: Path) -> Iterator[PackWorld]:
    """An event of a calendar on a CalDAV server."""
    from mulligan_packs.calendar import CalDAV, calendar_tools
    from mulligan_testing.radicale import radicale_server

    dinner = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Somebody//EN\r\nBEGIN:VEVENT\r\nUID:dinner\r\n"
        "DTSTAMP:20261101T080000Z\r\nSUMMARY:Dinner\r\nDTSTART:{day}T180000Z\r\nDURATION:PT90M\r\n"
        "END:VEVENT\r\nEND:VCALENDAR\r\n"
    ).format(day=WEDNESDAY.replace("-", ""))
    with radicale_server() as server:
        url = server.calendar()
        calendar = CalDAV(url, timeout=120)
        yield PackWorld(
            pack="calendar",
            tool="update_calendar_event",
            right={"event_id": "dinner", "start": f"{FRIDAY}T18:00"},
            wrong={"event_id": "dinner", "start": f"{SATURDAY}T18:00"},
            marks=(FRIDAY.replace("-", ""), SATURDAY.replace("-", "")),
            build=lambda m: [*calendar_tools(m, calendar, zone="UTC")],
            reset=lambda: server.put(url, dinner, name="dinner.ics"),
            look=lambda: server.export(url),
        )
        calendar.close()


@contextmanager
def open_files(folder: Path) -> Iterator[PackWorld]:
    """A file."""
    from bench.packs.folders import FolderWorld
    from mulligan_packs.files import file_tools

    world = FolderWorld(folder)
    yield PackWorld(
        pack="files",
        tool="write_file",
        right={"path": "a.txt", "content": "beer"},
        wrong={"path": "a.txt", "content": "wine"},
        marks=("beer", "wine"),
        build=lambda m: [*file_tools(m, folder / "root")],
        reset=world.fill,
        look=world.look,
    )


@contextmanager
def open_sql(folder: Path) -> Iterator[PackWorld]:
    """A row of a table."""
    from sqlalchemy import create_engine, text
    from sqlalchemy.pool import NullPool

    from bench.packs.rows import RowWorld
    from mulligan_packs import sql

    url = f"sqlite:///{folder}/tasks.db"
    world, engine = RowWorld(url), create_engine(url, poolclass=NullPool)
    change = text("UPDATE task SET title = :title, rev = rev + 1 WHERE task_id = :task_id")

    def build(m: Mulligan) -> list[Callable[..., Any]]:
        declared = sql.update(engine, "task", id="task_id", version="rev")
        declared["server"] = "tasks"

        @m.tool(**declared)
        async def rename_task(task_id: int, title: str) -> str:
            """Give a task another title."""
            with engine.begin() as connection:
                connection.execute(change, {"task_id": task_id, "title": title})
            return "renamed"

        return [rename_task]

    yield PackWorld(
        pack="sql",
        tool="rename_task",
        right={"task_id": 1, "title": "beer"},
        wrong={"task_id": 1, "title": "wine"},
        marks=("beer", "wine"),
        build=build,
        reset=world.fill,
        look=world.look,
    )
    engine.dispose()


@contextmanager
def open_http(_: Path) -> Iterator[PackWorld]:
    """A resource of a REST server, which has ETags."""
    import httpx

    from bench.packs.event_server import serve_events
    from mulligan_packs import http

    with serve_events(etags=True) as events, httpx.Client(base_url=events.url) as client:

        def build(m: Mulligan) -> list[Callable[..., Any]]:
            @m.tool(**http.resource(client, "/events/{event_id}").put())
            def replace_event(event_id: str, title: str) -> str:
                """Give an event another title."""
                client.put(f"/events/{event_id}", json={"title": title}).raise_for_status()
                return "replaced"

            return [replace_event]

        yield PackWorld(
            pack="http",
            tool="replace_event",
            right={"event_id": "e1", "title": "beer"},
            wrong={"event_id": "e1", "title": "wine"},
            marks=("beer", "wine"),
            build=build,
            reset=events.fill,
            look=lambda: events.items,
        )


@contextmanager
def open_mail(_: Path) -> Iterator[PackWorld]:
    """A draft in a mailbox."""
    from bench.packs.mail_server import serve_dovecot
    from bench.packs.mails import FIRST, MailWorld
    from mulligan_packs.mail import mail_tools

    with serve_dovecot() as url:
        world = MailWorld(url)
        yield PackWorld(
            pack="mail",
            tool="update_draft",
            right={"mail_id": FIRST, "body": "beer"},
            wrong={"mail_id": FIRST, "body": "wine"},
            marks=("beer", "wine"),
            build=lambda m: [*mail_tools(m, world.mailbox)],
            reset=world.fill,
            look=world.look,
        )


PACKS = {
    "calendar": open_calendar,
    "files": open_files,
    "sql": open_sql,
    "http": open_http,
    "mail": open_mail,
}
"""What each pack's tools change, with the server that it needs: one for all hosts."""
