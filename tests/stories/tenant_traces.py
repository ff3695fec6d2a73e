"""What one tenant can see, with another in the same process and store and without it.

`python -m tests.stories.tenant_traces 300` runs as many random sequences in memory, and with
`postgres` behind it each of them in two databases of its own.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

from mulligan import ConflictError, Effect, Finding, Memory, Mode, Mulligan, Repeat, Severity
from mulligan.runtime.context import OpenTurn
from mulligan.stores.opening import open_store
from mulligan.types.action import ActionQuery, State
from mulligan.types.call import Record
from mulligan.types.errors import MulliganError
from mulligan.types.interfaces import Store
from mulligan.types.lesson import EpisodeQuery, LessonQuery, LessonState
from mulligan.types.limits import Backoff
from mulligan.types.log import LogQuery, PatternQuery
from mulligan_testing.fakes import FixedClock
from mulligan_testing.postgres import run_postgres_server
from mulligan_testing.remote import Item

ORDERS = {f"#W{1000 + n}": n for n in range(20)}
EVENTS = ("e1", "e2", "e3")
NAMES = [
    ("ann@example.com", "bob@example.com"),
    ("3f2b8c1e-0f5b-4a51-9f0c-7d1f6b1f2a10", "3f2b8c1e-0f5b-4a51-9f0c-7d1f6b1f2a11"),
    ("1001", "1002"),
    ("acme", "Acme"),
    ("o'brien & sons", "o'brien  & sons"),
    ("n" * 200 + "1", "n" * 200 + "2"),
]
STEP = timedelta(minutes=3)
LONG = timedelta(days=30)
SECRET = bytes(range(32))
"""The same in both runs, so that the same name is the same identity."""
NO_WAIT = Backoff(first=timedelta(), longest=timedelta())
_ID = re.compile(r"\b[0-9a-f]{32}\b")
_TIMED = re.compile(r"(duration_us|seconds|latency|repairs)=(?:\{[^}]*\}|\([^)]*\)|[^,)]*)")


@dataclass
class Place:
    """The outside world of one tenant: events with versions, payments, and how often it is away."""

    events: dict[str, Item] = field(
        default_factory=lambda: {
            event: Item(id=event, version="1", data={"day": "mon"}) for event in EVENTS
        }
    )
    payments: list[int] = field(default_factory=list)
    away: int = 0

    def set_day(self, event: str, day: object) -> Item:
        """Write an event, which moves its version on."""
        version = int(self.events[event].version) + 1
        self.events[event] = Item(id=event, version=str(version), data={"day": day})
        return self.events[event]


class Office:
    """An application whose tools are the same for every tenant, each with a place of its own."""

    def __init__(self, m: Mulligan, places: dict[str, Place]) -> None:
        self.m, self.places = m, places
        moving = {"before": self._read, "undo": self._put_back, "version": _read_version}
        self.move = m.tool(effect=Effect.REVERSIBLE, about=_name_event, **moving)(self.move_event)
        self.pay = m.tool(effect=Effect.IRREVERSIBLE)(self.pay_out)
        self.look = m.tool(effect=Effect.READ)(self.look_up)
        self.find = m.tool(effect=Effect.READ, mode=Mode.AUTO)(self.find_order)
        self.save = m.tool(effect=Effect.READ, repeat=Repeat.IDEMPOTENT)(self.save_note)

    async def move_event(self, where: str, event: str, day: str) -> Item:
        return self.places[where].set_day(event, day)

    async def pay_out(self, where: str, cents: int) -> str:
        self.places[where].payments.append(cents)
        return "paid"

    async def look_up(self, where: str) -> int:
        return len(self.places[where].payments)

    async def find_order(self, order_id: str) -> int:
        if order_id not in ORDERS:
            raise ValueError(f"Order {order_id} not found")
        return ORDERS[order_id]

    async def save_note(self, where: str) -> str:
        if self.places[where].away:
            self.places[where].away -= 1
            raise ConnectionRefusedError("away")
        return "saved"

    def _read(self, record: Record) -> Item:
        return self.places[_name_place(record)].events[_name_event(record)]

    def _put_back(self, record: Record) -> None:
        place, before = self.places[_name_place(record)], cast("Item", record.before)
        if place.events[before.id].version != record.version:
            raise ConflictError("Somebody else has moved it.")
        place.set_day(before.id, before.data["day"])


def refuse_friday(attempted: Any) -> Iterator[Finding]:
    for execution in attempted.executions:
        if execution.call.arguments.get("day") == "fri":
            yield Finding(
                rule="event.friday",
                severity=Severity.ERROR,
                issue="Nobody works on Fridays.",
                correction="Choose a Monday.",
            )


def _name_place(record: Record) -> str:
    return str(record.arguments["where"])


def _name_event(record: Record) -> str:
    return str(record.arguments["event"])


def _read_version(record: Record) -> str:
    return cast("Item", record.result).version


class Tenant:
    """One tenant at work: its own dice, its own place, and what it gets to see."""

    def __init__(self, name: str, office: Office, seed: int) -> None:
        self.name, self.office, self.m = name, office, office.m
        self.dice = random.Random(seed)
        self.seen: list[object] = []
        self._steps: tuple[Callable[[], Awaitable[object]], ...] = (
            self.teach, self.teach, self.teach, self.ask, self.ask, self.fail, self.move_well,
            self.move_well, self.move_badly, self.move_badly_twice, self.hold, self.hold,
            self.approve, self.deny, self.undo, self.undo_edited, self.trust, self.revoke,
        )  # fmt: skip

    async def take_step(self) -> None:
        step = self.dice.choice(self._steps)
        try:
            result: object = await step()
        except (MulliganError, ValueError, ConnectionError, ConflictError) as error:
            result = error
        self.m.flush()
        self.seen.append((step.__name__, repr(result), self.m.pitfalls(tenant=self.name)))

    async def _act(self, agent: Callable[[OpenTurn], Awaitable[object]]) -> object:
        told: list[object] = []

        async def listen(turn: OpenTurn) -> object:
            told.append(turn.correction)
            return await agent(turn)

        person = f"p{self.dice.randrange(4)}@example.com"
        done = await self.m.act("Please.", listen, agent="desk", tenant=self.name, principal=person)
        return told, done.reply, done.standing, done.confidence, done.findings, done.open_actions

    async def teach(self) -> object:
        number = 1000 + self.dice.randrange(20)

        async def agent(_: OpenTurn) -> object:
            try:
                return await self.office.find(f"W{number}")
            except ValueError as error:
                return str(error), await self.office.find(f"#W{number}")

        return await self._act(agent)

    async def ask(self) -> object:
        number = 1000 + self.dice.randrange(20)
        return await self._act(lambda _: self.office.find(f"W{number}"))

    async def fail(self) -> object:
        self.office.places[self.name].away = self.dice.randrange(1, 6)

        async def agent(_: OpenTurn) -> object:
            for _try in range(3):
                try:
                    return await self.office.save(self.name)
                except ConnectionError as error:
                    self.seen.append(repr(error))
            return "not saved"

        return await self._act(agent)

    async def move_well(self) -> object:
        event = self.dice.choice(EVENTS)
        return await self._act(lambda _: self.office.move(self.name, event, "tue"))

    async def move_badly(self) -> object:
        event = self.dice.choice(EVENTS)

        async def agent(turn: OpenTurn) -> object:
            await self.office.look(self.name)
            return await self.office.move(self.name, event, "wed" if turn.correction else "fri")

        return await self._act(agent)

    async def move_badly_twice(self) -> object:
        event = self.dice.choice(EVENTS)
        return await self._act(lambda _: self.office.move(self.name, event, "fri"))

    async def hold(self) -> object:
        cents = self.dice.randrange(100)
        return await self._act(lambda _: self.office.pay(self.name, cents))

    def _choose(self, *states: State) -> str:
        query = ActionQuery(tenant=self.name, states=frozenset(states), limit=50)
        found = self.m.insights.open_list.search(query)
        return self.dice.choice(found).id if found else "0" * 32

    async def approve(self) -> object:
        return self.m.insights.open_list.approve(self._choose(State.HELD), by="ann").state

    async def deny(self) -> object:
        return self.m.insights.open_list.deny(self._choose(State.HELD), by="ann").state

    async def undo(self) -> object:
        return self.m.insights.open_list.undo(self._choose(State.VERIFIED), by="ann").state

    async def undo_edited(self) -> object:
        self.office.places[self.name].set_day(self.dice.choice(EVENTS), "sun")
        return await self.undo()

    def _choose_lesson(self, *states: LessonState) -> str:
        found = self.m.insights.lesson_list.list_lessons(LessonQuery(tenant=self.name))
        names = [each.lesson.id for each in found if each.lesson.state in states]
        return self.dice.choice(names) if names else "0" * 32

    async def trust(self) -> object:
        lesson = self._choose_lesson(LessonState.CANDIDATE)
        return self.m.insights.lesson_list.approve(lesson, by="ann").state

    async def revoke(self) -> object:
        if self.dice.random() < 0.7:
            return "kept"
        lesson = self._choose_lesson(LessonState.ACTIVE)
        return len(self.m.insights.lesson_list.revoke(lesson, by="ann").uses)

    def read_all(self) -> list[object]:
        """Everything that any surface could show this tenant, besides what it was told."""
        insights = self.m.insights
        store, now = insights.store, insights.clock()
        span = {"since": now - LONG, "until": now + LONG}
        whose = insights.log(LogQuery(tenant=self.name, limit=1))
        identity = whose[0].tenant if whose else "nobody"
        actions = store.journal.list_actions(ActionQuery(tenant=identity, limit=10_000))
        lessons = store.failures.list_lessons(LessonQuery(tenant=identity))
        return [
            self.office.places[self.name],
            insights.log(LogQuery(tenant=self.name, limit=10_000)),
            insights.keep_to(self.name).open_list.actions(),
            [_drop_writer(each) for each in actions],
            [store.journal.list_entries(each.id) for each in actions],
            store.failures.list_episodes(EpisodeQuery(tenant=identity)),
            lessons,
            [store.failures.list_uses(each.id) for each in lessons],
            store.log.list_patterns(PatternQuery(**span, tenant=identity)),
            sorted(
                (repr(slot), repr(figures))
                for slot, figures in store.log.read_rollups(**span).items()
                if slot.tenant == identity
            ),
        ]


def _drop_writer(action: Any) -> object:
    """An action without the process that wrote it, which is another in each run."""
    return re.sub(r"writer='[0-9a-f]*'", "", repr(action))


def clean(trace: list[object]) -> str:
    """As text in which ids go by their order, and how long things took is left out."""
    names: dict[str, str] = {}
    text = "\n".join(map(repr, trace))
    text = _ID.sub(lambda found: names.setdefault(found[0], f"id{len(names)}"), text)
    return _TIMED.sub(r"\1", text)


async def run(store: Store, seed: int, *, names: tuple[str, str], other: bool, steps: int) -> str:
    """One sequence of the first tenant, with steps of the other one in between or without."""
    clock, first, second = FixedClock(), *names
    places = {first: Place(), second: Place()}
    settings = {"recover": False, "memory": Memory(control=0.0), "backoff": NO_WAIT, "clock": clock}
    async with Mulligan(store, checks=[refuse_friday], **settings) as m:
        office = Office(m, places)
        one = Tenant(first, office, seed)
        two = Tenant(second, office, seed + 1_000_000)
        turns = random.Random(seed + 2_000_000)
        for _ in range(steps):
            await one.take_step()
            await m.recover()
            m.insights.lesson_list.consolidate()
            for _between in range(turns.randrange(4) if other else 0):
                await two.take_step()
                await m.recover()
            clock.move(STEP)
        m.flush()
        return clean([*one.seen, *one.read_all()])


def open_with_secret(url: str) -> Store:
    """A store whose secret is the same in every run."""
    store = open_store(url)
    store.load_secret = lambda: SECRET
    return store


Fresh = Callable[[], AbstractContextManager[str]]
"""Where a store lies that has nothing in it yet, for as long as it is needed."""


def compare(fresh: Fresh, seed: int, *, names: tuple[str, str], steps: int = 20) -> tuple[str, str]:
    """The trace of one tenant with the other one, and without."""

    def trace(*, other: bool) -> str:
        with fresh() as url:
            store = open_with_secret(url)
            return asyncio.run(run(store, seed, names=names, other=other, steps=steps))

    return trace(other=True), trace(other=False)


@contextmanager
def choose_fresh(kind: str) -> Iterator[Fresh]:
    """Stores in memory, or databases of a server that is started for it."""
    if kind == "memory":
        yield lambda: nullcontext("memory:")
        return
    with run_postgres_server(synced=False) as server, server.create_database() as made:
        open_store(made).close()
        yield lambda: server.create_database(made.rpartition("/")[2])


def main(count: int, kind: str = "memory") -> int:
    differing = []
    with choose_fresh(kind) as fresh:
        for seed in range(count):
            together, alone = compare(fresh, seed, names=NAMES[seed % len(NAMES)])
            if together != alone:
                differing.append(seed)
                print(f"sequence {seed} differs", flush=True)
            elif seed % 25 == 0:
                print(f"sequence {seed}: {len(alone)} characters, the same", flush=True)
    print(f"{count} sequences on {kind}: {len(differing)} differ {differing}")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
