"""What a host says of a call is no proof of what was done: the same stories in every host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.hosts.drivers import Driver, list_installed, load_driver
from bench.hosts.world import (
    FRIDAY,
    SATURDAY,
    add_event,
    answer_with_a_refusal,
    build_tools,
    misread,
    misread_in_other_words,
    move,
    open_app,
)
from mulligan import Effect, Mulligan, State
from mulligan_testing.remote import FakeRemote

# The frameworks' own are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]


@pytest.fixture(params=list_installed())
def driver(request: pytest.FixtureRequest) -> Driver:
    driver, story = load_driver(request.param), request.function.__name__
    if story in driver.CANNOT:
        request.applymarker(pytest.mark.xfail(reason=driver.CANNOT[story], strict=True))
    return driver


@pytest.fixture
def remote(tmp_path: Path) -> FakeRemote:
    return FakeRemote(tmp_path / "remote")


@pytest.fixture
def m(tmp_path: Path, remote: FakeRemote) -> Iterator[Mulligan]:
    with open_app(f"sqlite:///{tmp_path / 'store.db'}", remote) as app:
        yield app


@pytest.mark.parametrize("spoil", [misread, misread_in_other_words, answer_with_a_refusal])
async def test_what_fails_after_its_effect_was_done_whatever_its_error_looks_like(
    driver: Driver, m: Mulligan, remote: FakeRemote, spoil: object
) -> None:
    script = [("book_table", {"people": "five"}), "I hope so.", "It is not booked."]

    await driver.run(m, build_tools(remote, spoil=spoil), "Book a table for four", script)

    assert [(line.op, line.by) for line in remote.ledger()] == [
        ("create", "agent"),
        ("delete", "undo"),
    ]
    assert m.insights.open_list.actions() == []


async def test_nobody_is_asked_to_approve_what_cannot_run(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    script = [("send_invitation", {"whom": "Ann"}), "I cannot."]

    ran = await driver.run(m, build_tools(remote), "Invite Ann", script)

    assert m.insights.open_list.actions() == []
    assert remote.list_items() == {}
    assert "awaiting approval" not in ran.shown[1]
    assert "to" in ran.shown[1]


async def test_a_run_that_goes_on_is_about_what_the_person_said(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    seen: list[str] = []

    @m.check("send_invitation")
    def note_message(turn: Any) -> None:
        seen.append(turn.message)

    event, tools = add_event(remote), build_tools(remote)
    asked = "Move dinner to Friday and invite Ann"
    invite = ("send_invitation", {"to": "Ann"})
    script = [move(event, SATURDAY), "Moved.", move(event, FRIDAY), invite, "It waits."]

    ran = await driver.run(m, tools, asked, script)
    [held] = [each for each in m.insights.open_list.actions() if each.state is State.HELD]
    m.insights.open_list.approve(held.id, by="Ann")
    await driver.go_on(m, tools, ran, ["All is done."])

    assert seen[-1:] == [asked]


async def test_what_a_person_approved_is_no_reason_to_try_again(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    @m.check("send_invitation")
    def is_known(call: Any) -> str:
        return f"Nobody named {call.arguments['to']}."

    tools, invite = build_tools(remote), ("send_invitation", {"to": "Ann"})

    ran = await driver.run(m, tools, "Invite my sister", [invite, "It waits."])
    [held] = m.insights.open_list.actions()
    m.insights.open_list.approve(held.id, by="Ann")
    ended = await driver.go_on(m, tools, ran, ["Ann is invited.", "I cannot."])

    assert [line.op for line in remote.ledger()] == ["create"]
    assert ended.reply == "Ann is invited."


async def test_what_a_person_approved_stands_where_another_call_is_rejected(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    event, tools = add_event(remote), build_tools(remote)
    invite = ("send_invitation", {"to": "Ann"})
    script = [move(event, SATURDAY), "Done.", invite, move(event, FRIDAY), "Done.", "Done."]

    ran = await driver.run(m, tools, "Invite Ann, and move dinner to Friday", [invite, "It waits."])
    [held] = m.insights.open_list.actions()
    m.insights.open_list.approve(held.id, by="Ann")
    ended = await driver.go_on(m, tools, ran, script)

    assert [line.data.get("title") for line in remote.ledger()].count("invitation to Ann") == 1
    assert "send_invitation(to=Ann) (a person approved it, and it was done)" in str(ended.shown)
    assert "is done, as a person approved it" in str(ended.shown)
    assert m.insights.open_list.actions() == []


async def test_a_call_that_may_have_happened_is_not_made_again_and_the_model_told(
    driver: Driver, m: Mulligan
) -> None:
    written: list[str] = []
    m.declare(
        "write_note",
        effect=Effect.REVERSIBLE,
        before=lambda _: list(written),
        undo=lambda _: written.clear(),
    )

    async def write_note(text: str) -> str:
        """Write a note."""
        written.append(text)
        raise TimeoutError

    script = [
        ("write_note", {"text": "Hello"}),
        ("write_note", {"text": "Hello"}),
        "I am not sure.",
    ]

    ran = await driver.run(m, [write_note], "Write a note", script)

    assert written in ([], ["Hello"])
    assert "could do it twice" in ran.shown[2]
