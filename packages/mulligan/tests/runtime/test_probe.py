"""A call that gave no answer: when it is believed absent, who reviews it, and what the log says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import AlreadyDoneError, ConflictError, Effect, Finding, Mulligan, Severity, State
from mulligan.loops.actions import Attempted
from mulligan.process.fault_points import Point
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.probe import ProbeResult, probe
from mulligan.types.action import Action
from mulligan.types.call import Record, Snapshot, ToolCallbacks
from mulligan.types.effect import EffectNote, ProbeBy, note_effect
from mulligan.types.interfaces import LogQuery
from mulligan.types.limits import Backoff
from mulligan_testing.fakes import FixedClock
from mulligan_testing.faults import Deed, Faults, PlannedError, Strike
from mulligan_testing.remote import FakeRemote, Fault, Item

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
MINUTES = timedelta(minutes=10)
SECONDS = timedelta(seconds=10)
IMPATIENT = Backoff(first=timedelta(), longest=timedelta(), total=timedelta(seconds=1))
"""No time to wait until a late request must have arrived: recovery has to."""


@dataclass
class Shop:
    """An application that orders things from a remote where requests may be late."""

    m: Mulligan
    remote: FakeRemote
    clock: FixedClock
    rejects: list[str] = field(default_factory=list)
    """What the check is against."""

    def __post_init__(self) -> None:
        remote = self.remote

        def landed(record: Record) -> Item | None:
            wanted = record.arguments["what"]
            found = (i for i in remote.list_items().values() if i.data["what"] == wanted)
            return next(found, None)

        def cancel(record: Record) -> None:
            remote.delete(record.result.id, by="undo")

        reversible: dict[str, Any] = {
            "effect": Effect.REVERSIBLE, "probe": landed, "probe_by": ProbeBy.CALL, "undo": cancel,
            "read": lambda record: remote.get(record.result.id),
            "about": lambda record: record.result.id,
        }  # fmt: skip

        async def order_all(what: list[str]) -> list[Item]:
            return [remote.create({"what": each}) for each in what]

        async def order(what: str) -> Item:
            return remote.create({"what": what})

        tool = self.m.tool
        self.order = tool(**reversible)(order)
        self.order_all = tool(**reversible, each="what")(order_all)
        self.order_surely = tool(
            **reversible, each="what", name="surely", refuses=ConnectionRefusedError
        )(order_all)
        self.pay = tool(
            effect=Effect.IRREVERSIBLE, probe=landed, probe_by=ProbeBy.CALL, name="pay"
        )(order)

    async def act(self, tool: Any, what: object) -> None:
        async def agent(turn: OpenTurn) -> str:
            try:
                await tool(what=what)
            except (OSError, TimeoutError):
                return "No answer."
            return "Ordered."

        await self.m.act("Order it", agent)

    def actions(self) -> list[Action]:
        return self.m.insights.open_list.actions()

    def states(self) -> list[State]:
        return [action.state for action in self.actions()]


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    rejects: list[str] = []

    def check(attempted: Attempted) -> Iterator[Finding]:
        for execution in attempted.executions:
            if execution.call.arguments.get("what") in rejects:
                yield Finding(rule="shop.unwanted", severity=Severity.ERROR, issue="Not wanted.")

    clock = FixedClock(NOW)
    remote = FakeRemote(tmp_path / "remote", late_by=None)
    url = f"sqlite:///{tmp_path}/shop.db"
    async with Mulligan(url, checks=[check], clock=clock, recover=False, backoff=IMPATIENT) as m:
        yield Shop(m=m, remote=remote, clock=clock, rejects=rejects)


async def test_a_call_that_was_held_for_long_may_still_arrive_after_it_was_made(shop: Shop) -> None:
    await shop.act(shop.pay, "tea")
    [held] = shop.actions()
    shop.clock.move(MINUTES)
    shop.m.insights.open_list.approve(held.id, by="Mum")
    shop.remote.plan(Fault.LATE)

    await shop.m.recover()
    await shop.m.recover()
    looked_for = shop.states()
    shop.remote.arrive()
    shop.clock.move(MINUTES)
    for _ in range(2):
        await shop.m.recover()

    assert looked_for == [State.UNKNOWN]
    assert shop.m.insights.open_list.find(held.id).state is State.UNCHECKED


async def test_what_is_not_there_long_after_it_was_given_up_did_not_happen(shop: Shop) -> None:
    shop.remote.plan(Fault.LOST_BEFORE)
    await shop.act(shop.order, "tea")
    [action] = shop.actions()

    shop.clock.move(SECONDS)
    await shop.m.recover()
    too_soon = shop.states()
    shop.clock.move(MINUTES)
    await shop.m.recover()

    assert too_soon == [State.UNKNOWN]
    assert shop.m.insights.open_list.find(action.id).state is State.NOT_EXECUTED


async def test_what_arrives_while_a_look_is_on_its_way_back_is_found_by_the_next(
    shop: Shop,
) -> None:
    shop.remote.plan(Fault.LATE)
    await shop.act(shop.order, "tea")
    [action] = shop.actions()

    def the_machine_sleeps() -> None:
        shop.clock.move(MINUTES)
        shop.remote.arrive()

    with Faults(Strike(deed=Deed.EDIT, point=Point.PROBED), edit=the_machine_sleeps):
        await shop.m.recover()
    shop.clock.move(MINUTES)
    for _ in range(2):
        await shop.m.recover()

    assert shop.m.insights.open_list.find(action.id).state is State.VERIFIED


async def test_a_call_that_a_look_has_found_is_reviewed_like_any_other(shop: Shop) -> None:
    shop.rejects.append("tea")
    with Faults(Strike(deed=Deed.RAISE, point=Point.CALLED)), pytest.raises(PlannedError):
        await shop.act(shop.order, "tea")

    assert shop.states() == []
    assert shop.remote.list_items() == {}


async def test_the_log_says_that_a_call_without_an_answer_was_settled(shop: Shop) -> None:
    shop.remote.plan(Fault.LATE)
    await shop.act(shop.order, "tea")
    shop.remote.arrive()
    shop.clock.move(MINUTES)
    await shop.m.recover()
    shop.remote.plan(Fault.LOST_BEFORE)
    await shop.act(shop.order, "rice")
    shop.clock.move(MINUTES)
    await shop.m.recover()

    shop.m.flush()
    rows = sorted(shop.m._parts.store.log.list_rows(LogQuery()), key=lambda row: row.id)
    assert [row.outcome for row in rows] == ["unknown", "success", "unknown", "failure"]
    assert [row.parent for row in rows] == [None, rows[0].id, None, rows[2].id]
    assert "it had no effect" in str(rows[3].error_message)


@pytest.mark.parametrize(("sure", "states"), [(True, []), (False, [State.UNKNOWN, State.UNKNOWN])])
async def test_a_bulk_that_was_refused_is_believed_at_once_only_on_its_tools_word(
    shop: Shop, sure: bool, states: list[State]
) -> None:
    shop.remote.plan(*[Fault.REFUSED] * 3)

    await shop.act(shop.order_surely if sure else shop.order_all, ["tea", "rice"])

    assert shop.states() == states


async def test_a_hold_ends_in_time_although_nobody_declares_its_tool_any_more(shop: Shop) -> None:
    await shop.act(shop.pay, "tea")
    [held] = shop.actions()
    store = shop.m._parts.store

    async with Mulligan(store, clock=shop.clock, recover=False) as stranger:
        await stranger.recover()
        waiting = stranger.insights.open_list.find(held.id).state
        shop.clock.move(2 * MINUTES)
        await stranger.recover()
        ended = stranger.insights.open_list.find(held.id).state

    assert (waiting, ended) == (State.HELD, State.EXPIRED)


async def test_the_same_call_is_not_made_while_nobody_knows_about_the_first(shop: Shop) -> None:
    shop.remote.plan(Fault.LOST_BEFORE)

    async def agent(turn: OpenTurn) -> str:
        with pytest.raises(TimeoutError):
            await shop.order(what="tea")
        with pytest.raises(AlreadyDoneError, match="could do it twice"):
            await shop.order(what="tea")
        return "I do not know."

    await shop.m.act("Order it", agent)

    assert shop.states() == [State.UNKNOWN]


@dataclass
class Diary:
    """Entries that are changed by a tool which checks first what it is given."""

    there: dict[str, Any] = field(default_factory=lambda: {"day": "Monday", "edits": 1})

    def read(self, record: Record) -> dict[str, Any]:
        return dict(self.there)

    def write(self, day: str) -> dict[str, Any]:
        self.there = {"day": day, "edits": self.there["edits"] + 1}
        return dict(self.there)

    def move(self, day: str) -> dict[str, Any]:
        if day == "never":
            raise ValueError(f"{day} is no day")
        return self.write(day)

    async def live(
        self,
        *days: str,
        lands: str = "",
        wrong: bool = False,
        **said: Any,
    ) -> list[State]:
        """A call that is refused, and the right one; what is open once all has been looked at."""
        clock = FixedClock(NOW)

        def check(attempted: Attempted) -> Iterator[Finding]:
            if wrong and attempted.executions:
                yield Finding(rule="diary.wrong", severity=Severity.ERROR, issue="Not that day.")

        async def agent(turn: OpenTurn) -> str:
            if turn.attempt.number == 1:
                for day in days or ("never", "Friday"):
                    with suppress(ValueError):  # the agent hears of it and goes on
                        move(day) if day else self.write(lands)
            return "Moved."

        async with Mulligan("memory:", checks=[check], clock=clock, recover=False) as m:
            undo = lambda record: self.write(record.before["day"])  # noqa: E731
            said |= {"effect": Effect.REVERSIBLE, "before": self.read, "undo": undo}
            move = m.tool(**said)(self.move)
            await m.act("Move it", agent)
            if lands and "" not in days:
                self.write(lands)
            for _ in range(7):
                clock.move(MINUTES)
                await m.recover()
            return [action.state for action in m.insights.open_list.actions()]


ABOUT: dict[str, Any] = {"about": lambda _: "the entry"}
VERSIONS: dict[str, Any] = {"version": lambda record: record.result["edits"]}


@pytest.mark.parametrize("said", [{}, ABOUT, VERSIONS, ABOUT | VERSIONS])
async def test_what_was_refused_before_it_did_anything_needs_nobody_once_the_right_call_is_made(
    said: dict[str, Any],
) -> None:
    diary = Diary()

    assert await diary.live(**said) == []
    assert diary.there["day"] == "Friday"


@pytest.mark.parametrize(
    "days",
    [("Friday", "never"), ("Friday", "Sunday", "never"), ("Friday", "never", "Sunday")],
)
async def test_what_was_refused_needs_nobody_where_the_call_before_it_was_undone(
    days: tuple[str, ...],
) -> None:
    diary = Diary()

    assert await diary.live(*days, wrong=True, **ABOUT, **VERSIONS) == []
    assert diary.there["day"] == "Monday"


@pytest.mark.parametrize("lands", ["never", "Monday"])
async def test_what_arrives_after_the_call_before_it_was_undone_is_found(lands: str) -> None:
    said = ABOUT | VERSIONS

    assert await Diary().live("Friday", "never", lands=lands, wrong=True, **said) == [
        State.NEEDS_HUMAN
    ]


async def test_what_an_undo_has_put_back_is_not_told_from_what_a_lost_call_would_have_written() -> (
    None
):
    clock, diary = FixedClock(NOW), Diary()

    def check(attempted: Attempted) -> Iterator[Finding]:
        if attempted.executions:
            yield Finding(rule="diary.wrong", severity=Severity.ERROR, issue="Not that day.")

    def move(day: str) -> dict[str, Any]:
        if day == "Monday":
            raise TimeoutError("no answer")
        return diary.write(day)

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            for day in ("Friday", "Monday"):
                with suppress(TimeoutError):  # the remote gave no answer
                    tool(day)
        return "Moved."

    async with Mulligan("memory:", checks=[check], clock=clock, recover=False) as m:
        said = {"before": diary.read, "undo": lambda record: diary.write(record.before["day"])}
        tool = m.tool(effect=Effect.REVERSIBLE, **said, **ABOUT, **VERSIONS)(move)
        await m.act("Move it", agent)
        for _ in range(7):
            clock.move(MINUTES)
            await m.recover()
        left = [action.state for action in m.insights.open_list.actions()]

    assert (diary.there["day"], left) == ("Monday", [State.NEEDS_HUMAN])


@pytest.mark.parametrize("said", [{}, ABOUT, ABOUT | VERSIONS])
async def test_what_arrives_after_the_right_call_is_not_taken_for_its_work(
    said: dict[str, Any],
) -> None:
    assert await Diary().live(lands="never", **said) == [State.NEEDS_HUMAN]


async def test_a_version_that_cannot_be_read_of_what_is_there_keeps_nobody_from_comparing() -> None:
    def read_version(record: Record) -> str:
        raise KeyError("etag")

    callbacks = ToolCallbacks(before=lambda _: {"day": 1}, version=read_version)
    record = Record(arguments={}, snapshot=Snapshot({"day": 1}))

    seen = await probe(record, Declaration(tool="move", callbacks=callbacks))

    assert seen.found is ProbeResult.ABSENT


async def test_what_has_landed_is_not_called_nothing_where_its_version_cannot_be_read() -> None:
    clock, there = FixedClock(NOW), {"day": "Monday", "edits": 1}

    def move(day: str) -> None:
        del there["edits"]
        there["day"] = day
        raise TimeoutError("no answer")

    async def agent(turn: OpenTurn) -> str:
        with suppress(TimeoutError):  # the remote gave no answer
            tool("Friday")
        return "Moved."

    async with Mulligan("memory:", clock=clock, recover=False) as m:
        said = {"before": lambda _: dict(there), "undo": lambda record: None}
        tool = m.tool(effect=Effect.REVERSIBLE, **said, **ABOUT, **VERSIONS)(move)
        await m.act("Move it", agent)
        for _ in range(7):
            clock.move(MINUTES)
            await m.recover()
        left = [action.state for action in m.insights.open_list.actions()]

    assert left == [State.NEEDS_HUMAN]


@pytest.mark.parametrize(
    ("lands", "left"), [(True, [State.UNKNOWN, State.NEEDS_HUMAN]), (False, [State.NEEDS_HUMAN])]
)
async def test_what_a_later_call_without_an_answer_may_have_done_is_held_against_no_earlier_one(
    lands: bool, left: list[State]
) -> None:
    """A person is asked about the later one alone, which nobody can look for."""
    clock, there = FixedClock(NOW), {"day": "Monday"}

    def move(day: str) -> None:
        raise TimeoutError("no answer")

    def write(day: str) -> None:
        there.update(day=day if lands else "Monday")
        raise TimeoutError("no answer")

    async def agent(turn: OpenTurn) -> str:
        for tool in tools:
            with suppress(TimeoutError):  # the remote gave no answer
                tool("Friday")
        return "Moved."

    async with Mulligan("memory:", clock=clock, recover=False) as m:
        look = lambda _: dict(there)  # noqa: E731
        said = {"effect": Effect.REVERSIBLE, "undo": lambda record: None, **ABOUT}
        tools = [m.tool(before=look, **said)(move), m.tool(read=look, **said)(write)]
        await m.act("Move it", agent)
        for _ in range(3):
            clock.move(MINUTES)
            await m.recover()
        states = [action.state for action in m.insights.open_list.actions()]

    assert states == left


async def test_of_two_calls_at_once_that_gave_no_answer_a_person_is_asked_about_one() -> None:
    """Neither waits for ever to hear of the other."""
    clock, there, begun = FixedClock(NOW), {"day": "Monday"}, asyncio.Barrier(2)

    async def move(day: str) -> None:
        await begun.wait()
        there["day"] = day
        raise TimeoutError("no answer")

    async def agent(turn: OpenTurn) -> str:
        await asyncio.gather(tool("Friday"), tool("Sunday"), return_exceptions=True)
        return "Moved."

    async with Mulligan("memory:", clock=clock, recover=False) as m:
        said = {"before": lambda _: dict(there), "undo": lambda record: None}
        tool = m.tool(effect=Effect.REVERSIBLE, **said, **ABOUT)(move)
        await m.act("Move it", agent)
        for _ in range(3):
            clock.move(MINUTES)
            await m.recover()
        states = [action.state for action in m.insights.open_list.actions()]

    assert states == [State.UNKNOWN, State.NEEDS_HUMAN]


async def test_a_probe_that_finds_a_conflict_puts_the_call_before_a_person() -> None:
    def find(record: Record) -> object:
        raise ConflictError("it is at version 4")

    async def book(people: int) -> None:
        raise TimeoutError("no answer")

    async with Mulligan("memory:", recover=False) as m:
        said = {"probe": find, "read": find, "undo": lambda _: None}
        tool = m.tool(effect=Effect.REVERSIBLE, probe_by=ProbeBy.CALL, **said)(book)
        async with m.turn("Book a table"):
            with pytest.raises(TimeoutError):
                await tool(4)
        (left,) = m.insights.open_list.actions()

    assert left.state is State.NEEDS_HUMAN
    assert "was changed since: it is at version 4" in left.detail["why"]


@pytest.mark.parametrize(
    ("by", "left"),
    [(ProbeBy.CALL, State.NEEDS_HUMAN), (ProbeBy.RECEIPT, State.PENDING_REVIEW)],
)
async def test_a_receipt_shows_that_a_call_happened_whatever_stands_there_since(
    by: ProbeBy, left: State
) -> None:
    async def book(people: int) -> None:
        raise TimeoutError("no answer")

    async with Mulligan("memory:", recover=False) as m:
        find = lambda record: {"people": 5}  # noqa: E731
        said = {"probe": find, "read": find, "undo": lambda _: None}
        tool = m.tool(effect=Effect.REVERSIBLE, probe_by=by, **said)(book)
        async with m.turn("Book a table"):
            with suppress(TimeoutError):  # where nobody knows, the agent is told so
                await tool(4)
        (found,) = m.insights.open_list.actions()

    assert found.state is left


async def test_what_a_probe_of_the_state_does_not_find_was_not_made_where_nothing_was_before() -> (
    None
):
    callbacks = ToolCallbacks(probe=lambda _: None)
    declared = Declaration(tool="make", callbacks=callbacks, probe_by=ProbeBy.STATE)

    seen = await probe(Record(arguments={}), declared)

    assert seen.found is ProbeResult.ABSENT


async def test_what_a_probe_finds_is_adopted_though_a_later_call_has_changed_the_object() -> None:
    clock, made, away = FixedClock(NOW), dict[str | None, dict[str, str]](), [True]
    there = {"day": "Monday"}

    def probe(record: Record) -> dict[str, str] | None:
        if away:
            raise ConnectionError
        return made.get(record.key)

    def move(day: str, key: str | None = None) -> dict[str, str]:
        there["day"] = day
        made[key] = {"day": day}
        if day == "Friday":
            raise TimeoutError("no answer")
        return dict(made[key])

    async def agent(turn: OpenTurn) -> str:
        with suppress(TimeoutError):  # the remote gave no answer
            tool("Friday")
        tool("Sunday")
        return "Moved."

    async with Mulligan("memory:", clock=clock, recover=False) as m:
        said = ABOUT | {"before": lambda _: dict(there), "undo": lambda record: None}
        tool = m.tool(effect=Effect.REVERSIBLE, probe=probe, key="key", **said)(move)
        await m.act("Move it", agent)
        before = [action.state for action in m.insights.open_list.actions()]
        away.clear()
        clock.move(MINUTES)
        await m.recover()
        after = [action.state for action in m.insights.open_list.actions()]

    assert (before, after) == ([State.UNKNOWN], [State.EXECUTED])


async def test_a_late_arrival_is_not_taken_for_the_work_of_the_same_tool_on_another_server() -> (
    None
):
    there = {server: {"title": "x", "edits": 1} for server in ("one", "two")}
    late: list[Callable[[], object]] = []
    clock = FixedClock(NOW)

    def declare(server: str) -> Callable[[str], object]:
        def put(title: str) -> dict[str, Any]:
            def arrive() -> dict[str, Any]:
                there[server] = {"title": title, "edits": 2}
                return dict(there[server])

            if server == "two":
                return arrive()
            late.append(arrive)
            raise TimeoutError("no answer")

        return m.tool(
            name="put",
            server=server,
            effect=Effect.REVERSIBLE,
            before=lambda record: dict(there[server]),
            undo=lambda record: there.update({server: record.before}),
        )(put)

    async def agent(turn: OpenTurn) -> str:
        with suppress(TimeoutError):  # the remote gave no answer
            one("new")
        two("new")
        return "Put."

    async with Mulligan("memory:", clock=clock, recover=False) as m:
        one, two = declare("one"), declare("two")
        await m.act("Put both", agent)
        late[0]()
        for _ in range(7):
            clock.move(MINUTES)
            await m.recover()
        left = [action.state for action in m.insights.open_list.actions()]

    assert left == [State.NEEDS_HUMAN]


@pytest.mark.parametrize(
    "there", [{}, {"a": {"title": "x", "edits": 1}, "b": {"title": "x", "edits": 1}}]
)
async def test_a_late_arrival_is_not_taken_for_the_work_of_a_call_on_another_object(there) -> None:
    late: list[Callable[[], object]] = []
    clock = FixedClock(NOW)

    def put(name: str, title: str) -> dict[str, Any]:
        def arrive() -> dict[str, Any]:
            there[name] = {"title": title, "edits": there.get(name, {"edits": 0})["edits"] + 1}
            return dict(there[name])

        if name == "b":
            return arrive()
        late.append(arrive)
        raise TimeoutError("no answer")

    async def agent(turn: OpenTurn) -> str:
        with suppress(TimeoutError):  # the remote gave no answer
            tool("a", "new")
        tool("b", "new")
        return "Put."

    async with Mulligan("memory:", clock=clock, recover=False) as m:
        tool = m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda record: there.get(record.arguments["name"]),
            undo=lambda record: there.pop(record.arguments["name"]),
            version=lambda record: record.result["edits"],
        )(put)
        await m.act("Put both", agent)
        late[0]()
        for _ in range(7):
            clock.move(MINUTES)
            await m.recover()
        left = [action.state for action in m.insights.open_list.actions()]

    assert left == [State.NEEDS_HUMAN]


async def test_what_a_probe_finds_with_another_value_was_changed_since_and_is_not_adopted() -> None:
    booked: dict[str | None, dict[str, int]] = {}

    async def book(people: int, key: str = "") -> None:
        booked[key] = {"people": people + 1}
        raise TimeoutError("no answer")

    async with Mulligan("memory:", recover=False) as m:
        find = lambda record: booked.get(record.key)  # noqa: E731
        said = {"probe": find, "read": find, "undo": lambda _: booked.clear(), "key": "key"}
        tool = m.tool(effect=Effect.REVERSIBLE, **said)(book)
        async with m.turn("Book a table"):
            with pytest.raises(TimeoutError):
                await tool(4)
        (left,) = m.insights.open_list.actions()

    assert left.state is State.NEEDS_HUMAN
    assert "people is not what it was given" in left.detail["why"]
    assert len(booked) == 1


async def test_who_cannot_look_is_told_what_to_declare() -> None:
    def make(what: str) -> None:
        raise ValueError("not that")

    async def agent(turn: OpenTurn) -> str:
        with suppress(ValueError):  # the agent hears of it and goes on
            tool("tea")
        return "Not made."

    async with Mulligan("memory:", recover=False) as m:
        nothing = lambda _: None  # noqa: E731
        tool = m.tool(effect=Effect.REVERSIBLE, undo=nothing, read=nothing)(make)
        await m.act("Make it", agent)
        (left,) = m.insights.open_list.actions()

    assert "Declare probe=…, and refuses=…" in left.detail["why"]


@pytest.mark.parametrize("error", [ValueError("no ink"), ConnectionRefusedError("no printer")])
async def test_what_a_tool_says_itself_is_told_though_its_call_is_found(
    shop: Shop, error: Exception
) -> None:
    shop.rejects.append("tea")
    told: list[str] = []

    def find(record: Record) -> Item | None:
        return next(iter(shop.remote.list_items().values()), None)

    def cancel(record: Record) -> None:
        shop.remote.delete(record.result.id, by="undo")

    @shop.m.tool(
        effect=Effect.REVERSIBLE, probe=find, probe_by=ProbeBy.CALL, undo=cancel, read=find
    )
    async def order_and_print(what: str) -> Item:
        shop.remote.create({"what": what})
        raise error

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            with pytest.raises(type(error)) as seen:
                await order_and_print("tea")
            told.append("".join(seen.value.__notes__))
        return "I tried."

    await shop.m.act("Order it", agent)

    assert "It took effect before the error" in told[0]
    assert (shop.states(), shop.remote.list_items()) == ([], {})


@pytest.mark.parametrize(
    ("note", "told"),
    [(EffectNote.UNHEARD, "ordered"), (EffectNote.DONE, "error"),
     (EffectNote.SOMETHING_DONE, "error")],
)  # fmt: skip
async def test_what_a_look_finds_is_the_answer_only_of_a_call_that_had_none(
    shop: Shop, note: EffectNote, told: str
) -> None:
    heard: list[str] = []

    def find(record: Record) -> Item | None:
        return next(iter(shop.remote.list_items().values()), None)

    @shop.m.tool(effect=Effect.REVERSIBLE, probe=find, probe_by=ProbeBy.CALL, undo=find, read=find)
    async def order_now(what: str) -> Item:
        shop.remote.create({"what": what})
        error = ValueError("broken")
        note_effect(error, note)
        raise error

    async def agent(turn: OpenTurn) -> str:
        try:
            await order_now("tea")
            heard.append("ordered")
        except ValueError:
            heard.append("error")
        return "I tried."

    await shop.m.act("Order it", agent)

    assert heard == [told]
