"""A step that is asked for twice is made once, in whichever process, whatever became of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Remote, State
from mulligan.process.fault_points import Point
from mulligan.runtime.steps import compute_id
from mulligan.types.adapter import Plain
from mulligan_testing.faults import Deed, Faults, Strike

NOW = "2026-11-16T09:00:00+00:00"
TURN = {"id": "w1", "message": "Move dinner", "now": NOW}


class Office:
    """An application, and what its tools did; another one on the same store is another process."""

    def __init__(self, url: str, *, remote: dict[str, str]) -> None:
        self.remote, self.calls = remote, 0
        self.m = Mulligan(url, checks=[self._check], recover=False)
        self.tools: dict[str, Any] = {"move": self._declare_move(), "send": self._declare_send()}

    def _check(self, attempted):
        if any(each.call.arguments.get("day") == "27" for each in attempted.executions):
            yield "It was the 20th."

    def _declare_move(self):
        def landed(record):
            return self.remote.get(str(record.key))

        def undo(record):
            self.remote.pop(str(record.key))

        @self.m.tool(
            effect=Effect.REVERSIBLE,
            undo=undo,
            probe=landed,
            read=landed,
            key="key",
            remote=Remote(lands_within=0.5),
        )
        async def move(day: str, key: str | None = None) -> str:
            self.calls += 1
            self.remote[str(key)] = day
            return day

        return move

    def _declare_send(self):
        @self.m.tool(effect=Effect.IRREVERSIBLE)
        async def send(to: str) -> str:
            self.calls += 1
            self.remote[to] = "sent"
            return "sent"

        return send

    async def make(self, step: Plain) -> Plain:
        return await self.m._build_host({}).make_step(step, tools=self.tools)

    async def cut_short(self, step: Plain, point: Point) -> None:
        """Its process ends there."""
        strike = Strike(deed=Deed.CANCEL, point=point)
        with Faults(strike), pytest.raises(asyncio.CancelledError):
            await self.make(step)
        self.m.close()

    def read_state(self, number: int) -> State | None:
        name = compute_id(TURN, number, "call", 0)
        found = self.m._parts.store.journal.find_action(name)
        return None if found is None else found.state


def ask(tool: str, number: int = 1, *, steps: tuple[Plain, ...] = (), **arguments) -> Plain:
    step = {"turn": TURN, "attempt": 1, "steps": list(steps), "kind": "call", "number": number}
    return step | {"tool": tool, "arguments": arguments}


def take(came: Plain, step: Plain) -> Plain:
    return {**came, "tool": step["tool"], "arguments": step["arguments"], "attempt": 1}


REVIEW = {"turn": TURN, "attempt": 1, "kind": "review", "reply": "Done."}


def declare_post(office: Office) -> None:
    """A letter that can be looked for, and is not there before it was sent."""

    @office.m.tool(
        effect=Effect.IRREVERSIBLE,
        key="key",
        probe=lambda _: None,
        remote=Remote(lands_within=timedelta(0)),
    )
    async def post(to: str, key: str | None = None) -> str:
        office.calls += 1
        return "sent"

    office.tools["post"] = post


@pytest.fixture
async def offices(tmp_path) -> AsyncIterator[tuple[Office, Office]]:
    remote: dict[str, str] = {}
    url = f"sqlite:///{tmp_path}/office.db"
    pair = Office(url, remote=remote), Office(url, remote=remote)
    yield pair
    for office in pair:
        office.m.close()


async def test_a_step_asked_for_twice_is_made_once_and_told_twice(offices) -> None:
    one, other = offices
    step = ask("move", day="20")

    first, second = await one.make(step), await other.make(step)

    assert first == second == {"id": compute_id(TURN, 1, "call", 0), "result": "20"}
    assert (one.calls, other.calls) == (1, 0)
    # Nobody reviews it meanwhile: its engine will.
    await other.m.recover()
    assert other.read_state(1) is State.EXECUTED


@pytest.mark.full
@pytest.mark.parametrize(("point", "calls"), [(Point.INTENDED, (0, 1)), (Point.CALLED, (1, 0))])
async def test_a_step_that_was_cut_short_is_found_or_made_again_if_it_had_no_effect(
    offices, point, calls
) -> None:
    one, other = offices
    step = ask("move", day="20")
    await one.cut_short(step, point)

    came = await other.make(step)

    assert came["result"] == "20"
    assert (one.calls, other.calls) == calls
    assert list(other.remote.values()) == ["20"]


@pytest.mark.parametrize("point", [Point.REVIEWED, Point.DOOMED, Point.TAKEN_BACK, Point.UNDONE])
async def test_a_review_that_was_cut_short_is_gone_on_with_and_tells_the_truth(
    offices, point
) -> None:
    one, other = offices
    step = ask("move", day="27")
    review = REVIEW | {"steps": [take(await one.make(step), step)]}
    await one.cut_short(review, point)

    answer = await other.make(review)
    again = await other.make(review)

    assert "Undone and verified" in answer["feedback"]
    assert again["feedback"] == answer["feedback"]
    assert (other.remote, other.read_state(1)) == ({}, State.UNDONE)


async def test_what_was_right_is_verified_by_whoever_reviews_it(offices) -> None:
    one, other = offices
    step = ask("move", day="20")
    taken = take(await one.make(step), step)

    answer = await other.make(REVIEW | {"steps": [taken]})

    assert (answer["feedback"], answer["standing"], answer["reply"]) == ("", "accepted", "Done.")
    assert other.read_state(1) is State.VERIFIED


@pytest.mark.full
async def test_a_hold_waits_until_it_was_decided_and_is_made_by_one(offices) -> None:
    one, other = offices
    step = ask("send", to="Ann")

    held = await one.make(step)
    one.m.close()
    still = await other.make(step)
    other.m.insights.open_list.approve(held["waits"], by="Cleo")
    came = await other.make(step | {"kind": "look"})
    again = await other.make(step | {"kind": "look"})

    assert held == still
    assert came == again == {"id": held["waits"], "result": "sent"}
    assert other.calls == 1


async def test_what_a_person_changed_is_made_once_as_they_wrote_it(offices) -> None:
    one, other = offices
    step = ask("send", to="Ann")

    held = await one.make(step)
    change = one.m.insights.open_list.approve
    await asyncio.to_thread(change, held["waits"], by="Cleo", changes={"to": "Bea"})
    came = await other.make(step | {"kind": "look"})
    again = await one.make(step | {"kind": "look"})

    assert came == again == {"id": held["waits"], "result": "sent"}
    assert (one.calls, other.calls, one.remote) == (0, 1, {"Bea": "sent"})


async def test_what_was_approved_and_cut_short_before_it_was_made_is_asked_about_again(
    offices,
) -> None:
    one, other = offices
    for office in offices:
        declare_post(office)
    step = ask("post", to="Ann")
    held = await one.make(step)
    one.m.insights.open_list.approve(held["waits"], by="Cleo")
    await one.cut_short(step | {"kind": "look"}, Point.RELEASED)

    for _ in range(3):
        await other.m.recover()
    came = await other.make(step | {"kind": "look"})
    other.m.insights.open_list.approve(came["waits"], by="Cleo")
    made = await other.make(step | {"kind": "look"})

    assert came["waits"] != held["waits"]
    assert made == {"id": came["waits"], "result": "sent"}
    assert (one.calls, other.calls) == (0, 1)


@pytest.mark.full
async def test_what_a_person_denied_is_told_in_words(offices) -> None:
    one, _ = offices
    step = ask("send", to="Ann")
    held = await one.make(step)

    one.m.insights.open_list.deny(held["waits"], by="Cleo")
    came = await one.make(step | {"kind": "look"})

    assert "denied" in came["refused"]
    assert one.calls == 0


async def test_a_tool_that_fails_is_told_and_one_that_is_not_there_is_a_mistake(offices) -> None:
    one, _ = offices

    came = await one.make(ask("move", days="20"))

    assert came["refused"].startswith("move failed:")
    with pytest.raises(Exception, match="No tool 'fly'"):
        await one.make(ask("fly"))


async def test_what_is_known_and_was_said_before_reaches_the_review(tmp_path) -> None:
    seen = []
    said = [{"role": "user", "content": "Dinner is on the 20th"}]
    turn = TURN | {"known": {"home": "Elm Street"}, "history": said}

    with Mulligan("memory:", checks=[lambda attempted: seen.append(attempted.turn)]) as m:
        await m._build_host({}).make_step(REVIEW | {"turn": turn, "steps": []}, tools={})

    assert [(each.known["home"], each.history.said) for each in seen] == [
        ("Elm Street", ("Dinner is on the 20th",))
    ]
