"""A held call that a person approves with other arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path

import pytest
from pydantic import BaseModel

from mulligan import Effect, Mulligan, State
from mulligan.insights.edits import parse_changes, read_settings
from mulligan.insights.filters import ViewRequest
from mulligan.insights.insights import Insights
from mulligan.insights.open_actions import read_action
from mulligan.runtime.hold import Held
from mulligan.settings import Settings
from mulligan.types.errors import AlreadyDoneError, ConfigurationError, JournalError
from mulligan_testing.fakes import FixedClock


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


class Size(Enum):
    """Of what is ordered."""

    SMALL = "small"
    LARGE = "large"


@dataclass
class Parcel:
    """What is sent."""

    to: str
    grams: float = 100.0


class Seat(BaseModel):
    """What is booked."""

    row: int
    seat: int = 1


class Shop:
    """Tools of many types, and what they were really given."""

    def __init__(self, m: Mulligan) -> None:
        self.m, self.given = m, list[tuple[object, ...]]()

        @m.tool(effect=Effect.IRREVERSIBLE)
        def pay(amount: Decimal, when: date | None = None, size: Size = Size.SMALL) -> None:
            self.given.append((amount, when, size))

        @m.tool(effect=Effect.IRREVERSIBLE)
        def order(amount, note="") -> None:
            self.given.append((amount, note))

        @m.tool(effect=Effect.IRREVERSIBLE)
        def pack(parts: dict[str, int], number: int = 1, tags: tuple[str, ...] = ()) -> None:
            self.given.append((parts, number, tags))

        @m.tool(effect=Effect.IRREVERSIBLE)
        def send(parcel: Parcel) -> None:
            self.given.append((parcel,))

        @m.tool(effect=Effect.IRREVERSIBLE)
        def book(seat: Seat) -> None:
            self.given.append((seat,))

        self.tools = {"pay": pay, "order": order, "pack": pack, "send": send, "book": book}

    def hold(self, tool: str, *args: object) -> str:
        with self.m.turn("Do it"):
            return self.tools[tool](*args).hold.action


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with Mulligan(f"sqlite:///{tmp_path}/shop.db", recover=False) as m:
        yield Shop(m)


PAY, ORDER, PACK = ("pay", Decimal("50.10")), ("order", 5), ("pack", {"a": 1})
SEND = "send", Parcel("Ann")


@pytest.mark.parametrize(
    ("held", "changes"),
    [
        *[(PAY, {"amount": v}) for v in ("zwanzig", "x", None, True, float("nan"), "NaN")],
        (PAY, {"when": "24.12.2026"}),
        (PAY, {"size": "huge"}),
        *[(ORDER, {"amount": v}) for v in (float("nan"), float("inf"), [float("nan")])],
        *[(ORDER, {"amount": v}) for v in (Decimal("1.10"), b"xx", object(), ("a",))],
        (ORDER, {5: 3}),
        (PACK, {"parts": {"a": "b"}}),
        (PACK, {"number": 20.0}),
        (PACK, {"number": True}),
        (PACK, {"tags": ["a", 1]}),
        (SEND, {"parcel": {"to": "Bea", "gram": 5}}),
        (("book", Seat(row=1)), {"seat": {"row": 2, "set": 5}}),
        (("book", Seat(row=1)), {"seat": {"row": "two"}}),
        (SEND, {"parcel": {"to": "Bea", "grams": 2**53 + 1}}),
    ],
)
def test_what_the_annotations_would_not_take_exactly_is_refused_and_stays_held(shop, held, changes):
    action = shop.hold(*held)

    with pytest.raises(ConfigurationError, match=r"is still held\. .+\.$"):
        shop.m.insights.open_list.approve(action, by="Mum", changes=changes)
    shop.m.recover_sync()

    assert shop.given == []
    assert shop.m.insights.open_list.find(action).state is State.HELD


@pytest.mark.parametrize(
    ("held", "changes", "given"),
    [
        (PAY, {"amount": "20.50"}, (Decimal("20.50"), None, Size.SMALL)),
        (PAY, {"amount": Decimal("20.50")}, (Decimal("20.50"), None, Size.SMALL)),
        (PAY, {"amount": 20}, (Decimal(20), None, Size.SMALL)),
        (PAY, {"when": date(2026, 12, 24)}, (Decimal("50.10"), date(2026, 12, 24), Size.SMALL)),
        (PAY, {"size": "large"}, (Decimal("50.10"), None, Size.LARGE)),
        (PAY, {"size": Size.LARGE}, (Decimal("50.10"), None, Size.LARGE)),
        (ORDER, {"amount": 2**70, "note": None}, (2**70, None)),
        (PACK, {"parts": {"b": 2}, "tags": ("x",)}, ({"b": 2}, 1, ("x",))),
        (SEND, {"parcel": {"to": "Bea", "grams": 5}}, (Parcel("Bea", 5.0),)),
        (SEND, {"parcel": Parcel("Bea")}, (Parcel("Bea"),)),
        (("book", Seat(row=1)), {"seat": {"row": 2}}, (Seat(row=2),)),
    ],
)
def test_what_they_take_arrives_as_they_say(shop, held, changes, given):
    action = shop.hold(*held)

    shop.m.insights.open_list.approve(action, by="Mum", changes=changes)
    shop.m.recover_sync()

    assert shop.given == [given]
    assert [type(each) for each in shop.given[0]] == [type(each) for each in given]


def test_what_a_process_without_the_code_let_through_is_held_again_with_the_reason(shop, tmp_path):
    action = shop.hold(*PAY)
    shop.m.flush()
    with Insights.open(Settings(store=f"sqlite:///{tmp_path}/shop.db")) as insights:
        with pytest.raises(ConfigurationError, match="Decimal, which JSON has not"):
            insights.open_list.approve(action, by="Mum", changes={"amount": Decimal(20)})
        insights.open_list.approve(action, by="Mum", changes={"amount": "zwanzig"})

    shop.m.recover_sync()

    listed = shop.m.insights.open_list
    held = listed.find(action)
    assert shop.given == []
    assert held.state is State.HELD
    assert "not made with them: amount: Invalid decimal" in str(held.detail["why"])
    assert listed.read_arguments(held) == {"amount": "50.10"}


def test_the_checks_of_the_process_that_makes_the_call_look_at_what_was_changed(desk, tmp_path):
    held = desk.hold(3)
    desk.m.flush()
    with Insights.open(Settings(store=f"sqlite:///{tmp_path}/desk.db")) as insights:
        insights.open_list.approve(held, by="Mum", changes={"amount": 500})

    desk.m.recover_sync()
    story = desk.listed.show_people().read_story(held)
    desk.listed.approve(held, by="Dad", changes={"amount": 4})
    desk.m.recover_sync()

    assert story.action.state is State.HELD
    assert "Nobody may pay more than 100." in str(story.action.detail["why"])
    assert story.what == "Pay 3 €"
    assert desk.paid == [(4, "Bea")]
    changed = [e.detail["changed"] for e in desk.listed.read_story(held).entries[1::2][:2]]
    assert changed == [{"amount": {"from": 3, "to": n}} for n in (500, 4)]


def test_what_was_held_again_can_be_approved_as_it_was_asked_for(desk, tmp_path):
    held = desk.hold(3)
    desk.m.flush()
    with Insights.open(Settings(store=f"sqlite:///{tmp_path}/desk.db")) as insights:
        insights.open_list.approve(held, by="Mum", changes={"amount": 500})
    desk.m.recover_sync()

    desk.listed.approve(held, by="Mum")
    desk.m.recover_sync()

    assert desk.paid == [(3, "Bea")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"amount":1,"amount":2}', "more than once"),
        ('{"amount":NaN}', "NaN is no number"),
        ('{"amount":1e400}', "too large or too precise"),
        ('{"amount":12345678901234567.89}', "too large or too precise"),
        ('{"a":' * 3_000 + "1" + "}" * 3_000, "nested too deeply"),
    ],
)
def test_a_page_s_changes_that_python_would_read_otherwise_are_refused(text, why):
    with pytest.raises(ConfigurationError, match=why):
        parse_changes(text)


def test_the_same_call_in_a_plain_turn_hears_what_was_decided_and_came_of_it(desk):
    with desk.m.turn("Pay Bea 3"):
        held = desk.pay(3, "Bea").hold.action
        with pytest.raises(AlreadyDoneError, match="is held"):
            desk.pay(3, "Bea")
        desk.listed.approve(held, by="Mum", changes={"amount": 4})
        with pytest.raises(AlreadyDoneError, match=r"approved it with other arguments \(amount=4"):
            desk.pay(3, "Bea")
        desk.m.recover_sync()

        with pytest.raises(AlreadyDoneError, match=r"amount=4.* it was made. Its result: paid 4"):
            desk.pay(3, "Bea")

    assert desk.paid == [(4, "Bea")]


def test_the_same_call_in_a_plain_turn_hears_that_it_was_denied(desk):
    with desk.m.turn("Pay Bea 3"):
        held = desk.pay(3, "Bea").hold.action
        desk.listed.deny(held, by="Mum", note="Too much.")

        with pytest.raises(AlreadyDoneError, match=r"denied it. They said: Too much."):
            desk.pay(3, "Bea")


def test_an_expired_hold_says_so_and_offers_nothing(tmp_path):
    clock = FixedClock(datetime(2026, 11, 19, 12, tzinfo=UTC))
    with Mulligan(f"sqlite:///{tmp_path}/desk.db", recover=False, clock=clock) as m:
        held = Desk(m).hold(3)
        clock.move(timedelta(hours=1))

        page = read_action(m.insights, ViewRequest(id=held, decides=True))
        [listed] = m.insights.open_list.actions()

    assert (page.item.choices, page.commands, page.editable) == ((), (), ())
    assert "has expired" in page.item.why
    assert "has expired" in page.brief[-1].text
    assert "has expired" in str(listed.detail["why"])


def test_what_was_emptied_stands_in_the_sentence_that_is_approved(shop):
    action = shop.hold("order", 5, "for Ann")

    listed = shop.m.insights.open_list
    listed.approve(action, by="Mum", changes={"amount": None, "note": ""})

    assert listed.describe(listed.find(action)) == "Order (amount: none, note: empty)"


def test_nobody_decides_nothing(desk):
    held = desk.hold(3)

    with pytest.raises(ConfigurationError, match="Say who decides"):
        desk.listed.approve(held, by=" ")

    assert desk.listed.find(held).state is State.HELD


def test_who_decides_second_hears_what_the_first_has_decided(desk, monkeypatch):
    held, listed = desk.hold(3), desk.listed
    shown = listed.find(held)
    listed.approve(held, by="Mum", changes={"amount": 4})
    real, seen = type(listed).find, []

    def find_late(self, name):
        seen.append(name)
        return shown if len(seen) == 1 else real(self, name)

    monkeypatch.setattr(type(listed), "find", find_late)

    with pytest.raises(JournalError, match="decided meanwhile: it is approved by Mum"):
        listed.approve(held, by="Dad")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("color=blue", "color was not given: write --set 'color=\"blue\"' for a text"),
        ("urgent=True", "write --set urgent=true for that"),
        ("=5", "write --set NAME=VALUE"),
        ("amount=NaN", "NaN is no number"),
        ("amount=" + "[" * 3_000 + "]" * 3_000, "nested too deeply"),
    ],
)
def test_a_value_that_is_no_json_is_told_how_to_write_it(said, why):
    with pytest.raises(ConfigurationError, match=re.escape(why)):
        dict(read_settings([said], shown={"amount": 3}))
