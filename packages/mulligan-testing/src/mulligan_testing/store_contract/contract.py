"""What the parts of the contract share: how a store is opened, and what is put into it."""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from mulligan.stores.crypto import Seal
from mulligan.stores.opening import Options
from mulligan.types.action import Entry, Opening, State, leads_to
from mulligan.types.call import LogRow, Outcome
from mulligan.types.effect import Effect
from mulligan.types.failure import Decision, ErrorClass
from mulligan.types.interfaces import LEASE, Store
from mulligan.types.lesson import (
    Benefit,
    Ending,
    Episode,
    Group,
    How,
    Kind,
    Lesson,
    LessonState,
    Offer,
    Origin,
    Prerequisite,
    Remedy,
    Transformation,
    Use,
)
from mulligan.types.values import RANDOM_BITS, make_uuid7

NOW = datetime(2026, 11, 16, 9, 30, 15, 123456, tzinfo=UTC)
ELSEWHERE = NOW.astimezone(timezone(timedelta(hours=9)))
"""The same moment on a clock far away."""
NAIVE = datetime(2026, 11, 16, 9, 30)  # noqa: DTZ001
"""A time without a zone, which can mean two dozen moments."""
OPENING = Opening(tool="move_event", server="calendar", effect=Effect.REVERSIBLE, tenant="home")
PAUSED = "paused"
"""The action of a process that is stopped in the middle of it."""

_number = itertools.count()
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Contract:
    """Opens the store under test. Subclasses say where it is."""

    opener: ClassVar[str] = "mulligan.stores.opening:open_store"
    """`module:function` that opens a store by its URL, also in another process: by the URL alone,
    or by the URL and `Options`, as the entry points of the group `mulligan.stores` do."""

    @pytest.fixture
    def url(self) -> str:
        """Where a fresh, empty store is."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, url: str) -> Iterator[Store]:
        """The store, open."""
        store = self.open(url)
        yield store
        store.close()

    def open(self, url: str) -> Store:
        """Open the store again."""
        return find_opener(self.opener)(url)


def find_opener(name: str, *, lease: timedelta = LEASE) -> Callable[[str], Store]:
    """The function that `module:function` names, told about the lease where it wants to know."""
    module, _, function = name.partition(":")
    found: Callable[..., Store] = getattr(import_module(module), function)
    takes = inspect.signature(found).parameters
    needs = [
        each for each in takes.values() if each.default is each.empty and each.kind in _BY_POSITION
    ]
    if len(needs) > 1:
        return lambda url: found(url, Options(seal=Seal(None), lease=lease))
    told = "lease" in takes or any(each.kind is each.VAR_KEYWORD for each in takes.values())
    return partial(found, lease=lease) if told and lease != LEASE else found


def make_id() -> str:
    """An id like those of calls and actions: unique, and in order of time."""
    return make_uuid7(1_790_000_000_000_000 + next(_number), random.getrandbits(RANDOM_BITS))


def make_first_entry(
    action: str, *, state: State = State.INTENT, opening: Opening = OPENING
) -> Entry:
    """The first entry of an action."""
    return Entry(action=action, state=state, at=NOW, version=1, opening=opening)


def make_next_entry(action: str, state: State, *, version: int, at: datetime = NOW) -> Entry:
    """A later entry of an action."""
    return Entry(action=action, state=state, at=at, version=version)


def find_way(state: State) -> list[State]:
    """The shortest way from nothing to a state."""
    ways = [[first] for first in State if leads_to(None, first)]
    for way in ways:
        if way[-1] is state:
            return way
        ways.extend([*way, after] for after in State if leads_to(way[-1], after))
    raise AssertionError(f"nothing leads to {state}")


def walk(action: str, way: list[State], *, at: datetime = NOW) -> list[Entry]:
    """The entries that take an action along a way."""
    return [
        Entry(
            action=action,
            state=state,
            at=at,
            version=version,
            opening=OPENING if version == 1 else None,
        )
        for version, state in enumerate(way, start=1)
    ]


def make_log_row(number: int = 0, *, at: datetime = NOW, **changes: object) -> LogRow:
    """A row of the log; `number` orders rows of one time."""
    at_us = round(at.timestamp() * 1_000_000) + number
    row = LogRow(
        id=make_uuid7(at_us, number),
        at_us=at_us,
        tenant="home",
        agent="planner",
        server="calendar",
        tool="move_event",
        parameters='{"to":"2026-11-20"}',
        context="move dinner to Friday",
        outcome=str(Outcome.SUCCESS),
        duration_us=1500 + number,
        result='{"ok":true}',
    )
    return row._replace(**changes)  # type: ignore[arg-type]


def make_failed_row(number: int = 0, *, at: datetime = NOW, **changes: object) -> LogRow:
    """A row of a call that failed."""
    failure = {
        "outcome": str(Outcome.FAILURE),
        "error_class": "validation",
        "error_type": "ValueError",
        "error_message": "no such day",
        "error_code": "422",
        "error_at": "calendar.py:12",
        "result": None,
    }
    return make_log_row(number, at=at, **(failure | changes))


HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


PREFIXED = Transformation(argument="id", how=How.PREFIX, given={"text": "#", "№": [1, 2.5, None]})
DROPPED = Transformation(argument="«limit»", how=How.DROP)
REMEDY = Remedy(
    changes=(PREFIXED, DROPPED),
    first=(Prerequisite(tool="find_order", arguments=(PREFIXED,)), Prerequisite(tool="log_in")),
)
OFFER = Offer(
    source=Origin.MEMORY,
    kinds=(Kind.REFORMAT, Kind.DROP),
    probability=0.875,
    n=12,
    lesson="l1",
    taken=True,
    automatic=True,
    helped=True,
)
TEXT = "Заказ «#7» \u2028 \x00 \ud800 😀"


def make_episode(number: int = 0, **changes: Any) -> Episode:
    """A failure that was repaired; `number` orders them."""
    episode = Episode(
        id=f"call-{number:06}",
        at=NOW + timedelta(seconds=number),
        tool="get_order",
        server="shop",
        schema_hash="s1",
        fingerprint="f1",
        error_class=ErrorClass.VALIDATION,
        template="order <id> is not valid",
        tenant="home",
        principal="anna",
        agent="planner",
        context="find the order",
        turn="t1",
        ending=Ending.REPAIRED,
        decision=Decision.REPAIR,
        verified=True,
        remedies=(REMEDY, Remedy()),
        offer=OFFER,
        group=Group.TREATED,
        calls=2,
        took=timedelta(seconds=3, microseconds=7),
    )
    return replace(episode, **changes)


def make_lesson(version: int = 1, **changes: Any) -> Lesson:
    """A version of a lesson."""
    lesson = Lesson(
        id="l1",
        version=version,
        tool="get_order",
        server="shop",
        schema_hash="s1",
        tenant="home",
        fingerprint="f1",
        error_class=ErrorClass.VALIDATION,
        when="order <id> is not valid",
        when_not="the order is closed",
        statement="The id of an order begins with a number sign.",
        mistake="the sign is left out",
        correction="put it in front",
        example=('{"id": "<id>"}', '{"id": "#<id>"}'),
        remedy=REMEDY,
        state=LessonState.ACTIVE,
        why="three verified uses",
        by="evidence",
        seen=5,
        agents=("planner", "clerk"),
        batch="b1",
        learned_at=NOW,
    )
    return replace(lesson, **changes)


def make_use(number: int = 0, **changes: Any) -> Use:
    """A call that a lesson helped."""
    use = Use(
        lesson="l1",
        version=1,
        call=f"call-{number:06}",
        at=NOW + timedelta(seconds=number),
        tenant="home",
        principal="anna",
        agent="planner",
        turn="t1",
        benefit=Benefit.HELPED,
        note="as suggested",
    )
    return replace(use, **changes)
