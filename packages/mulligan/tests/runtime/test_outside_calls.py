"""A call outside any turn: recorded, checked and held like any other, and counted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Review, State
from mulligan.checks.dates import dates_as_said
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.hold import Held
from mulligan.stores.opening import open_store
from mulligan.types.action import Action
from mulligan.types.errors import OutsideTurnError, RejectedError
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Store

SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
FRIDAY, SATURDAY = "2026-11-20", "2026-11-21"


def no_saturday(attempted: Attempted) -> Iterator[Finding]:
    for execution in attempted.executions:
        if execution.call.arguments.get("day") == SATURDAY:
            yield Finding(
                rule="test.saturday",
                severity=Severity.ERROR,
                issue="Nobody works on Saturday.",
                correction="Use Friday.",
                call=execution.call.id,
            )


class Office:
    """A diary with a tool of every kind, and what was sent."""

    def __init__(self, **settings: Any) -> None:
        self.store: Store = open_store("memory:")
        self.m = Mulligan(self.store, **{"checks": [no_saturday], "recover": False, **settings})
        self.day, self.sent = "2026-11-18", []
        undo = {
            "effect": Effect.REVERSIBLE,
            "before": lambda record: self.day,
            "undo": self._put_back,
        }
        self.move = self.m.tool(name="move", **undo)(self._move)
        self.move_async = self.m.tool(name="move_async", **undo)(self._move_async)
        self.mail = self.m.tool(effect=Effect.IRREVERSIBLE, name="mail")(self._mail)
        self.note = self.m.tool(name="note")(self._mail)

    def _move(self, day: str) -> str:
        self.day = day
        return day

    async def _move_async(self, day: str) -> str:
        return self._move(day)

    def _mail(self, to: str) -> str:
        self.sent.append(to)
        return "sent"

    def _put_back(self, record: Any) -> None:
        self.day = record.before

    def list_actions(self) -> list[Action]:
        found = self.m.insights.open_list.actions()
        return [action for action in found if action.opening.tool]

    def count_outside(self) -> dict[str, int]:
        self.m.flush()
        return {each.tool: each.count for each in self.m.insights.diagnose().outside}


@pytest.fixture
def office() -> Iterator[Office]:
    made = Office()
    yield made
    made.m.close()


def test_a_call_that_cannot_be_undone_is_held(office: Office) -> None:
    answer = office.mail("ann@example.com")

    assert isinstance(answer, Held)
    assert office.sent == []
    assert [each.state for each in office.list_actions()] == [State.HELD]


def test_a_wrong_one_is_taken_back_and_its_caller_is_told_what_is_true(office: Office) -> None:
    with pytest.raises(
        RejectedError, match=r"(?s)Nobody works on Saturday.*Undone and verified"
    ) as caught:
        office.move(SATURDAY)

    assert office.day == "2026-11-18"
    assert [finding.rule for finding in caught.value.findings] == ["test.saturday"]
    assert office.list_actions() == []


async def test_the_same_holds_for_async_tools_and_for_plain_ones_on_an_event_loop(
    office: Office,
) -> None:
    for move in (office.move_async, lambda day: asyncio.sleep(0, office.move(day))):
        assert await move(FRIDAY) == FRIDAY
        with pytest.raises(RejectedError):
            await move(SATURDAY)
        assert office.day == FRIDAY
    assert isinstance(office.mail("ann@example.com"), Held)


def test_what_could_not_be_taken_back_is_named_as_standing(office: Office) -> None:
    def fail(record: Any) -> None:
        raise OSError("no")

    stuck = office.m.tool(
        effect=Effect.REVERSIBLE, before=lambda r: office.day, undo=fail, name="stuck"
    )(office._move)

    with pytest.raises(RejectedError, match=r"(?s)Not undone:.*stuck\(day=2026-11-21\)"):
        stuck(SATURDAY)

    assert [each.state for each in office.list_actions()] == [State.UNDO_FAILED]


def test_a_check_that_waits_is_waited_for(office: Office) -> None:
    @office.m.check("move")
    async def looks_it_up(call: Any) -> str | None:
        await asyncio.sleep(0)
        return "Not on Friday." if call.arguments["day"] == FRIDAY else None

    with pytest.raises(RejectedError, match="Not on Friday"):
        office.move(FRIDAY)


def test_it_may_be_simply_made_where_the_application_says_so() -> None:
    office = Office(outside="run")

    assert office.mail("ann@example.com") == "sent"
    assert office.move(SATURDAY) == SATURDAY
    assert office.count_outside() == {"mail": 1, "move": 1}
    office.m.close()


async def test_it_may_be_refused_before_anything_is_done() -> None:
    office = Office(outside="refuse")

    with pytest.raises(OutsideTurnError, match=r"mail was called outside any turn.*turn.bind"):
        office.mail("ann@example.com")
    with pytest.raises(OutsideTurnError):
        await office.move_async(FRIDAY)

    assert (office.sent, office.day) == ([], "2026-11-18")
    assert office.count_outside() == {"mail": 1, "move_async": 1}
    office.m.close()


def test_calls_outside_are_counted_by_tool_and_those_inside_are_not(office: Office) -> None:
    office.move(FRIDAY)
    office.move(FRIDAY)
    office.mail("ann@example.com")
    with office.m.turn("Move it"):
        office.move(FRIDAY)

    counted = office.count_outside()

    (advice,) = [each for each in office.m.insights.diagnose().advice if "outside" in each]
    assert counted == {"move": 2, "mail": 1}
    assert advice.startswith("3 calls with an effect were made outside any turn")
    assert "move 2, mail 1" in advice


def test_a_tool_that_a_lone_call_makes_belongs_to_it(office: Office) -> None:
    @office.m.tool(effect=Effect.REVERSIBLE, before=lambda r: office.day, undo=office._put_back)
    def move_and_mail(day: str) -> object:
        office._move(day)
        return office.mail("ann@example.com")

    answer = move_and_mail(FRIDAY)

    assert isinstance(answer, Held)
    (held,) = office.list_actions()
    assert held.opening.turn is not None
    assert office.count_outside() == {"move_and_mail": 1}


def make_dated() -> Office:
    return Office(checks=[dates_as_said()])


async def test_an_executor_that_loses_the_turn_has_no_wrong_call_accepted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    office = make_dated()
    loop = asyncio.get_running_loop()

    async def agent(turn: OpenTurn) -> object:
        return await loop.run_in_executor(None, office.move, SATURDAY)

    with pytest.raises(RejectedError, match="Friday 2026-11-20"):
        await office.m.act("Move it to Friday", agent, now=SUNDAY, timezone="Europe/Berlin")

    assert office.day == "2026-11-18"
    assert office.count_outside() == {"move": 1}
    assert "turn.bind(function)" in caplog.text
    office.m.close()


async def test_bound_to_the_turn_it_has_a_second_attempt() -> None:
    office = make_dated()
    loop = asyncio.get_running_loop()

    async def agent(turn: OpenTurn) -> str:
        day = SATURDAY if turn.correction is None else FRIDAY
        await loop.run_in_executor(None, turn.bind(office.move), day)
        return "Moved."

    done = await office.m.act("Move it to Friday", agent, now=SUNDAY, timezone="Europe/Berlin")

    assert (done.standing, len(done.attempts), office.day) == ("accepted", 2, FRIDAY)
    assert office.count_outside() == {}
    office.m.close()


async def test_what_several_turns_may_have_asked_for_is_put_before_a_person() -> None:
    office = make_dated()
    about = {"now": SUNDAY, "timezone": "Europe/Berlin"}

    with office.m.turn("Move it to Friday", **about):
        second = office.m.turn("Move it to Saturday", own=True, **about)
        with second, ThreadPoolExecutor(1) as pool:
            answer = pool.submit(office.move, SATURDAY).result()

    (action,) = office.list_actions()
    assert (answer, office.day) == (SATURDAY, SATURDAY)
    assert action.state is State.DISPUTED
    assert "outside any turn while 2 were going on" in str(action.detail["why"])
    office.m.close()


def test_what_no_turn_speaks_against_is_settled_also_beside_several() -> None:
    office = make_dated()

    with office.m.turn("Hello"), office.m.turn("Hello", own=True), ThreadPoolExecutor(1) as pool:
        pool.submit(office.move, SATURDAY).result()

    assert office.list_actions() == []
    office.m.close()


def test_a_tool_of_another_application_is_a_turn_of_its_own_there(office: Office) -> None:
    other = Office()

    with other.m.turn("Move it"):
        answer = office.mail("ann@example.com")

    assert isinstance(answer, Held)
    assert len(office.list_actions()) == 1
    assert other.list_actions() == []
    other.m.close()


def test_a_loop_that_a_program_has_set_is_left_as_it_was(office: Office) -> None:
    found: list[asyncio.AbstractEventLoop] = []

    def call_in_old_program() -> None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        office.move(FRIDAY)
        found.append(asyncio.get_event_loop())
        loop.close()

    thread = threading.Thread(target=call_in_old_program)
    thread.start()
    thread.join(60)

    assert len(found) == 1


def test_what_nobody_could_check_and_may_not_stand_does_not_look_done() -> None:
    office = Office(checks=[])
    insists = {"effect": Effect.REVERSIBLE, "review": Review(on_no_verdict="undo")}
    ways = {"before": lambda record: office.day, "undo": office._put_back}
    move = office.m.tool(name="insist", **insists, **ways)(office._move)

    with pytest.raises(RejectedError, match="It could not be reviewed"):
        move(FRIDAY)

    assert office.day == "2026-11-18"
