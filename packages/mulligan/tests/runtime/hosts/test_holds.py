from __future__ import annotations

import asyncio

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.process.fault_points import Point, watch_points
from mulligan.types.action import ActionQuery
from mulligan.types.errors import HeldError


class Bank:
    def __init__(self, m: Mulligan) -> None:
        self.paid: list[int] = []
        m.declare("pay", effect=Effect.IRREVERSIBLE)

    def pay(self, amount: int) -> str:
        self.paid.append(amount)
        return f"paid {amount}"


@pytest.fixture
def bank(m: Mulligan) -> Bank:
    return Bank(m)


async def hold(host, call) -> HeldError:
    run = host.open("Pay")
    with pytest.raises(HeldError) as held:
        await run.call(call)
    await run.leave()
    return held.value


async def go_on(host, call):
    run = host.open("Pay")
    try:
        return await run.call(call)
    finally:
        await run.leave()


async def test_each_call_waits_once_however_often_its_host_makes_it(m, host, ask, bank):
    first = await hold(host, ask(bank.pay, id="1", amount=3))
    second = await hold(host, ask(bank.pay, id="1", amount=3))
    other = await hold(host, ask(bank.pay, id="2", amount=3))

    assert (first.action, str(first)) == (second.action, str(second))
    assert first.action != other.action
    assert len(m.insights.open_list.actions()) == 2


async def test_an_approved_call_runs_once_and_answers_again_with_what_it_returned(
    m, host, ask, bank
):
    call = ask(bank.pay, id="1", amount=3)
    held = await hold(host, call)
    m.insights.open_list.approve(held.action, by="Bea")

    answers = [(await go_on(host, call)).result for _ in range(3)]

    assert (answers, bank.paid) == (["paid 3"] * 3, [3])
    assert m.insights.open_list.find(held.action).state is State.UNCHECKED


async def test_what_a_person_said_in_the_host_is_the_same_word(m, host, ask, bank):
    held = await hold(host, ask(bank.pay, id="1", amount=3))

    called = await go_on(host, ask(bank.pay, id="1", amount=3, approved=True))

    assert (called.result, bank.paid) == ("paid 3", [3])
    assert m.insights.open_list.find(held.action).state is State.UNCHECKED


@pytest.mark.parametrize("in_host", [True, False])
async def test_a_denied_call_is_never_made(m, host, ask, bank, in_host):
    held = await hold(host, ask(bank.pay, id="1", amount=3))
    if not in_host:
        m.insights.open_list.deny(held.action, by="Bea")

    told = await hold(host, ask(bank.pay, id="1", amount=3, approved=False if in_host else None))

    assert (told.decided, bank.paid) == (True, [])
    assert "denied" in str(told)
    assert m.insights.open_list.find(held.action).state is State.DENIED


async def test_of_a_host_without_ids_the_next_same_call_goes_on_and_the_one_after_waits_anew(
    m, host, ask, bank
):
    call = ask(bank.pay, amount=3)
    held = await hold(host, call)
    m.insights.open_list.approve(held.action, by="Bea")

    called = await go_on(host, call)
    again = await hold(host, call)

    assert (called.result, bank.paid) == ("paid 3", [3])
    assert again.action != held.action


async def test_other_arguments_are_another_call_under_the_same_id(m, host, ask, bank):
    held = await hold(host, ask(bank.pay, id="1", amount=3))
    m.insights.open_list.approve(held.action, by="Bea")

    other = await hold(host, ask(bank.pay, id="1", amount=3000))

    assert other.action != held.action
    assert bank.paid == []


async def test_approved_with_other_arguments_it_is_another_call_in_its_place(m, host, ask, bank):
    held = await hold(host, ask(bank.pay, id="1", amount=3))

    called = await go_on(host, ask(bank.pay, id="1", amount=4, approved=True))
    asked_again = await go_on(host, ask(bank.pay, id="1", amount=3))

    first = m.insights.open_list.find(held.action)
    second = m.insights.open_list.find(str(first.detail["replaced_by"]))
    assert (called.result, asked_again.result, bank.paid) == ("paid 4", "paid 4", [4])
    assert (first.state, second.state) == (State.DENIED, State.UNCHECKED)
    assert first.detail["by"] == "a person, through the host"
    assert "made with amount=4" in called.note


async def test_an_approved_call_of_another_tool_leaves_a_held_one_of_the_same_id(
    m, host, ask, bank
):
    posted = []
    m.declare("post", effect=Effect.IRREVERSIBLE)

    def post(text: str) -> str:
        posted.append(text)
        return "posted"

    held = await hold(host, ask(bank.pay, id="call_0", amount=3))

    called = await go_on(host, ask(post, id="call_0", text="Hello", approved=True))
    changed = await go_on(host, ask(bank.pay, id="call_0", amount=4, approved=True))

    assert (called.note, posted) == ("", ["Hello"])
    assert ("made with amount=4" in changed.note, bank.paid) == (True, [4])
    assert m.insights.open_list.find(held.action).state is State.DENIED


async def test_what_is_changed_may_need_no_approval_any_more(m, host, ask):
    kept = {"amount": 0}

    def pledge(amount: int) -> str:
        kept["amount"] = amount
        return "pledged"

    m.declare(
        "pledge",
        effect=lambda call: (
            Effect.IRREVERSIBLE if call.arguments["amount"] > 100 else Effect.REVERSIBLE
        ),
        before=lambda record: kept["amount"],
        undo=lambda record: kept.update(amount=record.before),
    )
    held = await hold(host, ask(pledge, id="1", amount=300))
    run = host.open("Pledge")

    await run.call(ask(pledge, id="1", amount=30, approved=True))
    [action] = [m.insights.open_list.find(each) for each in run.list_actions()]
    await run.leave()

    assert m.insights.open_list.find(held.action).state is State.DENIED
    assert (kept, action.opening.effect) == ({"amount": 30}, Effect.REVERSIBLE)


@pytest.mark.parametrize("decided", ["made", "denied"])
async def test_what_was_decided_elsewhere_is_not_made_with_other_arguments(m, host, ask, decided):
    paid = []

    @m.tool(effect=Effect.IRREVERSIBLE)
    def send(amount: int) -> str:
        paid.append(amount)
        return "sent"

    held = await hold(host, ask(send, id="1", amount=3))
    if decided == "made":
        m.insights.open_list.approve(held.action, by="Bea")
        await m.recover()
    else:
        m.insights.open_list.deny(held.action, by="Bea")

    told = await hold(host, ask(send, id="1", amount=4, approved=True))

    assert (told.decided, paid) == (True, [3] if decided == "made" else [])


async def test_what_its_host_has_heard_of_is_not_changed_by_the_next_call_of_that_id(
    m, host, ask, bank
):
    await hold(host, ask(bank.pay, id="1", amount=3))
    await go_on(host, ask(bank.pay, id="1", amount=3, approved=True))

    called = await go_on(host, ask(bank.pay, id="1", amount=4, approved=True))

    assert (called.note, bank.paid) == ("", [3, 4])


async def test_a_call_that_is_approved_before_it_is_held_is_on_record_as_that(m, host, ask, bank):
    called = await go_on(host, ask(bank.pay, id="1", amount=3, approved=True))

    [action] = m.insights.open_list.search(ActionQuery())
    states = [entry.state for entry in m.insights.open_list.read_story(action.id).entries]
    assert (called.result, bank.paid) == ("paid 3", [3])
    assert states[:2] == [State.HELD, State.APPROVED]


async def test_a_tenant_never_goes_on_with_the_call_of_another(m, ask, bank):
    theirs = m._build_host({"tenant": "theirs"})
    held = await hold(m._build_host({"tenant": "ours"}), ask(bank.pay, id="1", amount=3))
    m.insights.open_list.approve(held.action, by="Bea")

    other = await hold(theirs, ask(bank.pay, id="1", amount=3))

    assert other.action != held.action
    assert bank.paid == []


async def test_recovery_leaves_an_approved_call_to_its_host(m, host, ask, bank):
    held = await hold(host, ask(bank.pay, id="1", amount=3))
    m.insights.open_list.approve(held.action, by="Bea")

    await m.recover()

    assert (bank.paid, m.insights.open_list.find(held.action).state) == ([], State.APPROVED)


async def test_an_approved_call_is_left_alone_while_its_host_makes_it(m, host, ask, bank):
    """Also by a pass of recovery that had it before itself when the host began."""
    held = await hold(host, ask(bank.pay, id="1", amount=3))
    m.insights.open_list.approve(held.action, by="Bea")
    looked, go, called, answer = (asyncio.Event() for _ in range(4))

    async def wait_there(point: Point) -> None:
        if point is Point.RECOVERED:
            looked.set()
            await go.wait()

    async def pay(amount: int) -> str:
        called.set()
        await answer.wait()
        return bank.pay(amount)

    watch_points(wait_there)
    try:
        passing = asyncio.ensure_future(m.recover())
        await looked.wait()
        making = asyncio.ensure_future(go_on(host, ask(pay, id="1", amount=3)))
        await called.wait()
        go.set()
        await passing
    finally:
        watch_points(None)
    await m.recover()
    during = m.insights.open_list.find(held.action).state
    answer.set()
    made = await making

    assert during is State.INTENT
    assert (made.result, bank.paid) == ("paid 3", [3])
    assert m.insights.open_list.find(held.action).state is State.UNCHECKED


async def test_another_process_goes_on_with_what_this_one_held(tmp_path, ask):
    store, call = f"sqlite:///{tmp_path / 'store.db'}", None
    async with Mulligan(store, recover=False) as m:
        bank = Bank(m)
        held = await hold(m._build_host({}), ask(bank.pay, id="1", amount=3))
    async with Mulligan(store, recover=False) as m:
        bank = Bank(m)
        m.insights.open_list.approve(held.action, by="Bea")
        call = await go_on(m._build_host({}), ask(bank.pay, id="1", amount=3))

    assert (call.result, bank.paid) == ("paid 3", [3])


async def test_of_a_call_that_a_person_changed_only_what_they_changed_is_theirs(m, host, ask):
    m.declare("write", effect=Effect.IRREVERSIBLE)

    def write(subject: str, body: str) -> str:
        return "sent"

    await hold(host, ask(write, id="1", subject="Helo", body="Copy eve@x.org."))
    run = host.open("Write")
    await run.call(ask(write, id="1", subject="Hello", body="Copy eve@x.org.", approved=True))
    await run.leave()

    assert run.turn.turn.known == {"changed by a person": [{"subject": "Hello"}]}


@pytest.mark.parametrize("named", ["1", ""], ids=["with ids", "without ids"])
async def test_what_a_person_changed_elsewhere_is_what_runs_when_its_host_goes_on(
    m, host, ask, bank, named
):
    call = ask(bank.pay, id=named, amount=3)
    held = await hold(host, call)
    change = m.insights.open_list.approve
    await asyncio.to_thread(change, held.action, by="Bea", changes={"amount": 4})

    called = await go_on(host, call)

    assert (called.result, bank.paid) == ("paid 4", [4])
    assert "made with amount=4" in called.note
    if named:
        again = await go_on(host, call)
        assert (again.result, bank.paid) == ("paid 4", [4])
        assert "made with amount=4" in again.note
    else:
        assert (await hold(host, call)).action != held.action


async def test_what_a_check_here_refuses_of_a_change_waits_again_when_its_host_goes_on(
    m, host, ask, bank
):
    call = ask(bank.pay, id="1", amount=3)
    held = await hold(host, call)
    change = m.insights.open_list.approve
    await asyncio.to_thread(change, held.action, by="Bea", changes={"amount": 400})

    @m.check("pay")
    def within_limit(call):
        return None if call.arguments["amount"] <= 100 else "At most 100."

    with pytest.raises(HeldError, match="awaiting approval") as again:
        await go_on(host, call)

    assert again.value.action == held.action
    assert "At most 100." in again.value.why
    assert bank.paid == []
    await asyncio.to_thread(change, held.action, by="Bea")
    assert (await go_on(host, call)).result == "paid 3"


async def test_of_a_changed_call_that_two_runs_go_on_with_one_is_made(m, host, ask, bank):
    call = ask(bank.pay, id="1", amount=3)
    held = await hold(host, call)
    change = m.insights.open_list.approve
    await asyncio.to_thread(change, held.action, by="Bea", changes={"amount": 4})

    came = await asyncio.gather(*(go_on(host, call) for _ in range(4)))

    assert bank.paid == [4]
    assert [each.result for each in came] == ["paid 4"] * 4
