"""What an attacker tried, and must not get."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from mulligan import Arguments, ConflictError, Effect, Mode, Mulligan, Review, Standing, State
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from mulligan.types.finding import Finding, Severity

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
WRONG = Finding(rule="x.y", severity=Severity.ERROR, issue="Wrong.")


def rejects(attempted: Any) -> list[Finding]:
    return [WRONG] if attempted.executions else []


@pytest.fixture
def strict() -> Iterator[Mulligan]:
    with Mulligan("memory:", checks=[rejects], recover=False) as m:
        yield m


def states(m: Mulligan) -> dict[str, State]:
    return {a.opening.tool: a.state for a in m.insights.open_list.actions()}


async def test_a_tool_that_changes_what_its_snapshot_was_read_from_is_really_undone(
    strict,
) -> None:
    db = {"e1": {"day": "Fri"}}

    def put_back(record: Record) -> None:
        db["e1"] = dict(record.before)

    @strict.tool(effect=Effect.REVERSIBLE, before=lambda _: db["e1"], undo=put_back)
    async def move(day: str) -> str:
        db["e1"]["day"] = day
        return day

    async def agent(turn: OpenTurn) -> str:
        await move("Sat")
        return "Moved."

    await strict.act("Move it", agent, now=NOW)

    assert db == {"e1": {"day": "Fri"}}


@pytest.mark.full
async def test_what_a_persons_edit_rests_on_is_not_taken_away_by_recovery(strict) -> None:
    store: dict[str, dict[str, str]] = {}

    def read(record: Record) -> dict[str, str] | None:
        return store.get(str(record.arguments["name"]))

    def remove(record: Record) -> None:
        if store[str(record.arguments["name"])]["etag"] != record.version:
            raise ConflictError("changed since")
        del store[str(record.arguments["name"])]

    kept: dict[str, Any] = {"undo": remove, "read": read, "version": lambda r: r.result["etag"]}

    @strict.tool(effect=Effect.REVERSIBLE, **kept)
    async def make_calendar(name: str) -> dict[str, str]:
        store[name] = {"id": name, "etag": "1"}
        return dict(store[name])

    @strict.tool(effect=Effect.REVERSIBLE, **kept)
    async def make_event(name: str, calendar_id: str) -> dict[str, str]:
        store[name] = {"id": name, "calendar_id": calendar_id, "etag": "1"}
        return dict(store[name])

    async def agent(turn: OpenTurn) -> str:
        await make_calendar("c1")
        await make_event("e1", "c1")
        store["e1"] = {"id": "e1", "calendar_id": "c1", "etag": "2", "by": "a person"}
        return "Made."

    await strict.act("Make it", agent, now=NOW)
    for _ in range(3):
        await strict.recover()
        await asyncio.sleep(0.4)

    assert set(store) == {"c1", "e1"}
    assert states(strict) == {"make_calendar": State.UNDO_FAILED, "make_event": State.CONFLICT}


async def test_what_nobody_approved_is_never_verified_in_a_persons_name() -> None:
    async def silent(question: object) -> None:
        return None

    def look(attempted: Attempted) -> list[str]:
        return [] if all(e.call.arguments["to"] for e in attempted.executions) else ["To nobody."]

    judge = SimpleNamespace(ask=silent)
    with Mulligan("memory:", checks=[look], judge=judge, recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE, review=Review(release="checks"))
        async def send(to: str) -> str:
            return "sent"

        async def agent(turn: OpenTurn) -> str:
            return await send("Grandma")

        done = await m.act("Write to Grandma", agent, now=NOW)
        await m.recover()

        assert done.standing is Standing.UNREVIEWED
        assert states(m) == {"send": State.PENDING_REVIEW}


async def test_one_action_that_cannot_be_read_stops_no_other(caplog) -> None:
    sent = []
    with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        async def book(day: date) -> None:
            """Called by a model with words for a day."""

        @m.tool(effect=Effect.IRREVERSIBLE)
        async def mail(to: str) -> None:
            sent.append(to)

        async with m.turn("Book and mail", now=NOW):
            await book("next friday, sk-live-51HxQe2eZvKYlo2C9bq")  # type: ignore[arg-type]
            await mail("Grandma")
        for action in m.insights.open_list.actions():
            m.insights.open_list.approve(action.id, by="Anna")
        await m.recover()

    assert sent == ["Grandma"]
    assert "sk-live" not in caplog.text


async def test_two_passes_at_once_undo_once() -> None:
    undone = []
    with Mulligan("memory:", checks=[rejects], recover=False) as m:

        def read(record: Record) -> int | None:
            return None if undone else 1

        async def remove(record: Record) -> None:
            await asyncio.sleep(0.05)
            undone.append(1)

        @m.tool(effect=Effect.REVERSIBLE, read=read, undo=remove)
        async def add() -> int:
            return 1

        async def agent(turn: OpenTurn) -> str:
            await add()
            raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await m.act("Add it", agent, now=NOW)
        await asyncio.gather(*(m.recover() for _ in range(4)))

    assert undone == [1]


@pytest.mark.parametrize(
    ("given", "schema"),
    [
        ({"doctor": "Hanna"}, {"doctor": {"enum": ["Anna", "Bernd"]}}),
        ({"seats": "1,500"}, {"seats": {"type": "integer"}}),
    ],
)
def test_no_correction_applies_itself_that_could_mean_somebody_or_something_else(
    given: dict[str, object], schema: dict[str, object]
) -> None:
    booked = []

    class RefusedError(Exception):
        status_code = 422

    with Mulligan("memory:", recover=False) as m:
        declared = {"type": "object", "properties": schema, "required": list(schema)}

        @m.tool(effect=Effect.READ, mode=Mode.AUTO, arguments=Arguments(schema=declared))
        def book(**arguments: object) -> str:
            if arguments == given:
                raise RefusedError("invalid value")
            booked.append(arguments)
            return "booked"

        with pytest.raises(RefusedError):
            book(**given)

    assert booked == []


async def test_a_text_that_is_long_to_read_is_read_beside_the_loop() -> None:
    main, readers = threading.get_ident(), set()

    class RejectedError(Exception):
        """One whose text is made where it is printed."""

        def __str__(self) -> str:
            readers.add(threading.get_ident())
            return "rejected"

    with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.READ)
        async def summarize(text: str) -> str:
            raise RejectedError

        async with m.turn("Summarize it"):
            with pytest.raises(RejectedError):
                await summarize("abcdefg" * 2_000)

    assert readers - {main}
