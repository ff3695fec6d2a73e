"""A small world for stories of hosts: tools that are declared by name, on a remote that counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from bench.hosts.tools import SOON, read_version, send_undo
from mulligan import Effect, Mode, Mulligan
from mulligan.checks.text import avoids
from mulligan.runtime.declaration import Remote
from mulligan.types.call import LogRow, Record
from mulligan.types.effect import ProbeBy
from mulligan.types.log import LogQuery
from mulligan_testing.remote import FakeRemote, Item

WEDNESDAY = "2026-11-18"
FRIDAY = "2026-11-20"
SATURDAY = "2026-11-21"


def open_app(store: str, remote: FakeRemote) -> Mulligan:
    """An application that knows the tools of others by their names, and checks what they do."""
    m = Mulligan(store, replies=[avoids(words=["guaranteed"])])

    def read_event(record: Record) -> Item | None:
        return remote.get(_read_id(record))

    m.declare(
        "move_event",
        effect=Effect.REVERSIBLE,
        before=read_event,
        version=read_version,
        about=_read_id,
        undo=lambda record: _put_back(remote, record),
        probe=lambda record: _find_move(remote, record),
        probe_by=ProbeBy.CALL,
        remote=Remote(lands_within=SOON),
    )
    m.declare(
        "book_table",
        effect=Effect.REVERSIBLE,
        read=lambda record: remote.get(_read_result_id(record)),
        about=_read_result_id,
        undo=lambda record: send_undo(lambda: remote.delete(_read_result_id(record), by="undo")),
        probe=lambda record: _find_booking(remote, record),
        probe_by=ProbeBy.CALL,
        remote=Remote(lands_within=SOON),
    )
    m.declare("find_room", effect=Effect.READ, mode=Mode.AUTO)
    m.declare("send_invitation", effect=Effect.IRREVERSIBLE)

    @m.check("move_event")
    def is_right_day(call: Any) -> str | None:
        return None if call.arguments.get("day") == FRIDAY else f"It was to be on {FRIDAY}."

    @m.check("book_table")
    def is_for_four(call: Any) -> str | None:
        return None if call.arguments.get("people") == "four" else "It was to be for four."

    return m


def misread() -> object:
    """Fail as frameworks do that refuse arguments, but inside a tool, after its effect."""
    from pydantic import TypeAdapter

    return TypeAdapter(int).validate_python("abc")


def misread_in_other_words() -> object:
    """The same as other frameworks say it."""
    try:
        return misread()
    except ValueError as error:
        raise ValueError(f"Validation failed for input parameters: {error}") from error


def answer_with_a_refusal() -> object:
    """The same as yet others say it: in an answer."""
    missing = "the following mandatory input parameters are not present:\npeople"
    return {"error": f"Invoking `book_table()` failed as {missing}"}


def build_tools(
    remote: FakeRemote,
    *,
    struck: Callable[[], None] = lambda: None,
    spoil: Callable[[], object] = misread,
) -> list[Callable[..., Any]]:
    """The tools as a framework is given them: plain, async, not ours. `struck` is called inside a
    tool after its effect, where the process may be killed; `spoil` where the answer is read."""

    async def move_event(event_id: str, day: str) -> dict[str, str]:
        """Move an event to another day."""
        moved = remote.update(event_id, {"day": day})
        struck()
        return {"id": moved.id, "version": moved.version, "day": day}

    async def find_room(size: Literal["small", "large"]) -> str:
        """Find a free room."""
        if size not in ("small", "large"):
            raise ValueError(f"size must be one of 'small', 'large', not {size!r}")
        return f"room 4, {size}"

    async def send_invitation(to: str) -> str:
        """Send an invitation, which nobody can take back."""
        remote.create({"title": f"invitation to {to}"})
        struck()
        return f"sent to {to}"

    async def fetch_weather(city: str) -> str:
        """Say what the weather will be."""
        raise ValueError(f"unknown city {city!r}")

    async def book_table(people: str) -> Any:
        """Book a table. It is booked before its answer is read."""
        remote.create({"people": people})
        return spoil()

    return [move_event, find_room, send_invitation, fetch_weather, book_table]


def add_event(remote: FakeRemote) -> str:
    """An event that a person has put on Wednesday, by its id."""
    return remote.create({"day": WEDNESDAY}, by="person").id


def move(event: str, day: str) -> tuple[str, dict[str, Any]]:
    """A step of a script: the event is moved."""
    return "move_event", {"event_id": event, "day": day}


def list_days(remote: FakeRemote) -> list[object]:
    """Where events were, one day after the other."""
    return [line.data.get("day") for line in remote.ledger()]


def list_rows(m: Mulligan) -> list[LogRow]:
    """The calls of tools on the log, newest first; what is said of replies is left out."""
    m.flush()
    return [row for row in m.insights.log(LogQuery()) if not row.tool.startswith("reply.")]


def _put_back(remote: FakeRemote, record: Record) -> None:
    item: Any = record.before
    at = record.version
    send_undo(lambda: remote.update(item.id, item.data, if_version=at, by="undo"))


def _find_move(remote: FakeRemote, record: Record) -> object:
    """The move in the remote's own history, where nobody else moves anything."""
    asked = record.arguments
    for line in remote.ledger():
        if (line.id, line.by, line.data.get("day")) == (asked["event_id"], "agent", asked["day"]):
            return {"id": line.id, "version": line.after, "day": asked["day"]}
    return None


def _find_booking(remote: FakeRemote, record: Record) -> object:
    for item in remote.list_items().values():
        if item.data.get("people") == record.arguments["people"]:
            return {"id": item.id, "version": item.version}
    return None


def _read_result_id(record: Record) -> str:
    result: Any = record.result
    return str(result["id"])


def _read_id(record: Record) -> str:
    return str(record.arguments["event_id"])
