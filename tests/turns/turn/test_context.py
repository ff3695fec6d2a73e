"""The open form of a turn, for people who own their loop."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from mulligan import Effect, Mulligan, Standing, State
from mulligan.checks.dates import dates_as_said
from mulligan.core.errors import AlreadyDoneError
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check
from mulligan.core.record import Record
from mulligan.loops.actions import Attempted

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
SAID = "Dinner on Friday"
FRIDAY, SATURDAY = "2026-11-20", "2026-11-21"


class Family:
    """A calendar in a dictionary, and the application that watches it."""

    def __init__(self, check: Check[Attempted]) -> None:
        self.m = Mulligan("memory:", checks=[check], recover=False)
        self.days: dict[str, str] = {}

        def read(record: Record) -> str | None:
            return self.days.get(str(record.arguments["event"]))

        def remove(record: Record) -> None:
            del self.days[str(record.arguments["event"])]

        @self.m.tool(effect=Effect.REVERSIBLE, read=read, undo=remove)
        def plan(event: str, day: str) -> str:
            self.days[event] = day
            return day

        self.plan = plan

    def states(self) -> list[State]:
        return [a.state for a in self.m.insights.open_list.actions()]


@pytest.fixture
def family() -> Iterator[Family]:
    family = Family(dates_as_said())
    yield family
    family.m.close()


async def test_a_review_takes_back_what_was_wrong_and_says_why(family: Family) -> None:
    async with family.m.turn(SAID, now=NOW, timezone="UTC") as turn:
        family.plan("dinner", SATURDAY)
        first = await turn.review("Done.")
        after_first = dict(family.days)
        family.plan("dinner", FRIDAY)
        second = await turn.review("Done.")

    assert first.standing is Standing.REJECTED
    assert first.correction is not None
    assert "Saturday" in first.correction.text
    assert after_first == {}
    assert second.standing is Standing.ACCEPTED
    assert second.correction is None
    assert family.days == {"dinner": FRIDAY}
    assert family.states() == []


async def test_after_a_second_mistake_there_is_no_third_attempt(family: Family) -> None:
    async with family.m.turn(SAID, now=NOW, timezone="UTC") as turn:
        family.plan("dinner", SATURDAY)
        await turn.review()
        family.plan("dinner", SATURDAY)
        second = await turn.review()

    assert second.standing is Standing.REJECTED
    assert second.correction is None
    assert family.days == {}


async def test_a_turn_that_nobody_reviewed_is_reviewed_later(family: Family) -> None:
    async with family.m.turn(SAID, now=NOW, timezone="UTC"):
        family.plan("dinner", FRIDAY)
    left = family.states()

    await family.m.recover()

    assert left == [State.PENDING_REVIEW]
    assert family.states() == []


async def test_wrong_work_that_was_delivered_is_disputed_and_not_undone_by_itself(
    family: Family,
) -> None:
    with family.m.turn(SAID, now=NOW, timezone="UTC"):
        family.plan("dinner", SATURDAY)

    await family.m.recover()

    assert family.states() == [State.DISPUTED]
    assert family.days == {"dinner": SATURDAY}


async def test_wrong_work_of_a_turn_that_failed_is_undone(family: Family) -> None:
    def host() -> None:
        with family.m.turn(SAID, now=NOW, timezone="UTC"):
            family.plan("dinner", SATURDAY)
            raise RuntimeError("the host broke")

    with pytest.raises(RuntimeError):
        host()

    await family.m.recover()

    assert family.states() == []
    assert family.days == {}


async def test_outside_a_turn_a_tool_is_only_logged(family: Family) -> None:
    family.plan("dinner", SATURDAY)

    await family.m.recover()

    assert family.days == {"dinner": SATURDAY}
    assert family.m.insights.tally().emitted == 1


async def test_a_call_whose_outcome_is_unknown_is_not_repeated_in_the_turn(family: Family) -> None:
    made = []

    def nothing(record: Record) -> None:
        return None

    @family.m.tool(effect=Effect.REVERSIBLE, undo=nothing, read=nothing)
    async def pay(amount: int) -> None:
        made.append(amount)
        raise TimeoutError("no answer")

    async with family.m.turn("Pay", now=NOW):
        with pytest.raises(TimeoutError):
            await pay(3)
        with pytest.raises(AlreadyDoneError, match="could do it twice"):
            await pay(3)

    assert made == [3]


async def test_what_nobody_declared_is_held_where_the_application_is_strict() -> None:
    made = []
    with Mulligan("memory:", strict=True, recover=False) as m:

        @m.tool
        async def share(what: str) -> None:
            made.append(what)

        async with m.turn("Share it", now=NOW):
            answer = await share("everything")
        [held] = m.insights.open_list.actions()
        m.insights.open_list.approve(held.id, by="Anna")
        await m.recover()
        await m.recover()

        assert "waits for a person" in answer
        assert held.state is State.HELD
        assert made == ["everything"]
        assert m.insights.open_list.actions() == []


async def test_each_element_of_a_bulk_is_an_action_of_its_own() -> None:
    family = Family(lambda _: [Finding(rule="x.y", severity=Severity.ERROR, issue="Wrong.")])

    def read(record: Record) -> str | None:
        return family.days.get(record.arguments["events"]["name"])

    def remove(record: Record) -> None:
        if record.arguments["events"]["name"] == "stuck":
            raise PermissionError("not allowed")
        del family.days[record.arguments["events"]["name"]]

    @family.m.tool(effect=Effect.REVERSIBLE, read=read, undo=remove, each="events")
    async def plan_all(events: list[dict]) -> list[str]:
        family.days.update({event["name"]: event["day"] for event in events})
        return [event["name"] for event in events]

    async with family.m.turn(SAID, now=NOW, timezone="UTC") as turn:
        await plan_all([{"name": name, "day": SATURDAY} for name in ("a", "stuck", "b")])
        review = await turn.review()

    assert review.standing is Standing.REJECTED
    assert review.correction is None
    assert family.days == {"stuck": SATURDAY}
    assert family.states() == [State.UNDO_FAILED]
    family.m.close()
