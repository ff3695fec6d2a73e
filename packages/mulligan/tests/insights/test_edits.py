"""A held call that a person approves with other arguments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.insights.filters import ViewRequest
from mulligan.insights.insights import Insights
from mulligan.insights.open_actions import read_action
from mulligan.runtime.hold import Held
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError, JournalError


class Desk:
    """An application that pays and writes, and all that it really did."""

    def __init__(self, m: Mulligan) -> None:
        self.m, self.paid = m, list[tuple[object, object]]()

        @m.tool(effect=Effect.IRREVERSIBLE, describe=lambda r: f"Pay {r.arguments['amount']} €")
        def pay(amount: int, to: str) -> str:
            self.paid.append((amount, to))
            return f"paid {amount}"

        @m.tool(effect=Effect.IRREVERSIBLE)
        def log_in(name: str, password: str) -> None:
            self.paid.append((name, password))

        @m.check("pay")
        def within_limit(call, turn):
            return None if call.arguments["amount"] <= 100 else "Nobody may pay more than 100."

        self.pay, self.log_in = pay, log_in

    def hold(self, amount: int = 3, to: str = "Bea") -> str:
        with self.m.turn(f"Pay {to} {amount}"):
            held = self.pay(amount, to)
        assert isinstance(held, Held)
        return held.hold.action

    @property
    def listed(self):
        return self.m.insights.open_list


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Mulligan(f"sqlite:///{tmp_path}/desk.db", recover=False) as m:
        yield Desk(m)


def test_it_runs_with_what_the_person_wrote_and_the_record_says_who_changed_what(desk):
    held = desk.hold(3)

    desk.listed.approve(held, by="Mum", changes={"amount": 4, "to": "Bea"})
    desk.m.recover_sync()

    story = desk.listed.show_people().read_story(held)
    [said] = [e.detail for e in story.entries if e.state is State.APPROVED]
    assert desk.paid == [(4, "Bea")]
    assert (said["by"], said["changed"]) == ("Mum", {"amount": {"from": 3, "to": 4}})
    assert said["checked"] == ["schema", "checks"]
    assert "4" in story.what
    assert "3" not in story.what


def test_what_was_not_changed_after_all_is_a_plain_approval(desk):
    held = desk.hold(3)

    approved = desk.listed.approve(held, by="Mum", changes={"amount": 3})

    assert "changed" not in approved.detail


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"amount": "four"}, "amount: .*integer"),
        ({"amount": True}, "amount: .*integer"),
        ({"note": "quick"}, "note.* is not an argument"),
        ({"amount": 101}, "Nobody may pay more than 100"),
    ],
)
def test_what_the_schema_or_a_check_refuses_stays_held_as_it_was(desk, changes, why):
    held = desk.hold(3)

    with pytest.raises(ConfigurationError, match=why):
        desk.listed.approve(held, by="Mum", changes=changes)

    assert desk.listed.find(held).state is State.HELD
    assert desk.listed.read_arguments(desk.listed.find(held)) == {"amount": 3, "to": "Bea"}


def test_a_process_without_the_code_has_the_schema_alone_and_says_so(desk, tmp_path):
    held = desk.hold(3)
    desk.m.flush()

    with Insights.open(Settings(store=f"sqlite:///{tmp_path}/desk.db")) as insights:
        with pytest.raises(ConfigurationError, match="integer"):
            insights.open_list.approve(held, by="Mum", changes={"amount": "x"})
        approved = insights.open_list.approve(held, by="Mum", changes={"amount": 5})
    desk.m.recover_sync()

    assert approved.detail["checked"] == ["schema"]
    assert desk.paid == [(5, "Bea")]


def test_a_tenant_s_page_holds_a_change_against_a_schema_that_it_does_not_quote(desk, tmp_path):
    with desk.m.turn("Pay Bea 3", tenant="acme"):
        held = desk.pay(3, "Bea").hold.action
    desk.m.flush()

    settings = Settings(store=f"sqlite:///{tmp_path}/desk.db", tenant="acme")
    with Insights.open(settings) as insights:
        with pytest.raises(ConfigurationError, match="amount: its tool does not take") as refused:
            insights.open_list.approve(held, by="Mum", changes={"amount": "x"})
        approved = insights.open_list.approve(held, by="Mum", changes={"amount": 5})

    assert "integer" not in str(refused.value)
    assert approved.detail["checked"] == ["schema"]


def test_of_two_who_decide_at_once_only_the_first_one_s_arguments_are_there(desk, monkeypatch):
    held, listed = desk.hold(3), desk.listed
    shown = listed.find(held)
    listed.approve(held, by="Mum", changes={"amount": 4})

    monkeypatch.setattr(type(listed), "find", lambda *_: shown)
    with pytest.raises(JournalError):
        listed.approve(held, by="Dad", changes={"amount": 50})
    desk.m.recover_sync()

    assert desk.paid == [(4, "Bea")]


def test_what_is_hidden_is_not_changed_and_stays_beside_what_is(desk):
    with desk.m.turn("Log in"):
        held = desk.log_in("bea", "hunter2-hunter2").hold.action
    asked = ViewRequest(id=held, decides=True)

    editable = read_action(desk.m.insights, asked).editable
    with pytest.raises(ConfigurationError, match=r"password .*not shown whole"):
        desk.listed.approve(held, by="Mum", changes={"password": "other"})
    desk.listed.show_people().approve(held, by="Mum", changes={"name": "mum"})
    desk.m.recover_sync()

    assert editable == ("name",)
    assert desk.paid == [("mum", "hunter2-hunter2")]


def test_what_only_the_holding_process_can_make_is_made_as_it_was_asked_for(desk):
    class Till:
        @desk.m.tool(effect=Effect.IRREVERSIBLE)
        def take(self, amount: int) -> None:
            desk.paid.append((amount, "till"))

    with desk.m.turn("Take 3"):
        held = Till().take(3).hold.action

    with pytest.raises(ConfigurationError, match="only the process that holds the call"):
        desk.listed.approve(held, by="Mum", changes={"amount": 4})
    desk.listed.approve(held, by="Mum")
    desk.m.recover_sync()

    assert desk.paid == [(3, "till")]


def test_an_agent_whose_attempt_is_rejected_hears_of_the_call_as_it_runs(desk):
    days = {"dinner": "Friday"}

    @desk.m.tool(
        effect=Effect.REVERSIBLE,
        before=lambda r: days["dinner"],
        undo=lambda r: days.update(dinner=r.before),
    )
    def move(day: str) -> None:
        days["dinner"] = day

    @desk.m.check("move")
    def never(call, turn):
        return "Not that day."

    def agent(turn):
        if turn.correction is None:
            move("Monday")
            held = desk.pay(3, "Bea")
            desk.listed.approve(held.hold.action, by="Mum", changes={"amount": 4})
        else:
            heard.append(turn.correction.text)
        return "Done."

    heard: list[str] = []
    desk.m.act_sync("Move dinner and pay Bea 3", agent)

    assert "pay(amount=4" in heard[0]
    assert "amount=3" not in heard[0]
