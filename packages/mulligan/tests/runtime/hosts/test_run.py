from __future__ import annotations

import asyncio
from contextlib import suppress
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from mulligan import Arguments, Effect, Mode, Mulligan, NothingDone, Standing
from mulligan.checks.text import avoids
from mulligan.runtime.host_run import Rewriting
from mulligan.types.errors import HeldError
from mulligan.types.finding import Correction
from mulligan.types.log import LogQuery

DAYS = {"dinner": 18}


@pytest.fixture(autouse=True)
def fresh_days() -> None:
    DAYS.update(dinner=18)


def declare_move(m: Mulligan) -> None:
    m.declare(
        "move",
        effect=Effect.REVERSIBLE,
        before=lambda record: DAYS["dinner"],
        undo=lambda record: DAYS.update(dinner=record.snapshot.state),
    )

    @m.check("move")
    def is_friday(call):
        return None if call.arguments["day"] == 20 else "It was to be the 20th."


def move(day: int) -> str:
    DAYS.update(dinner=day)
    return "moved"


async def test_a_run_is_a_turn_whose_calls_are_logged_with_what_it_is_about(m, host, ask):
    run = host.open("Move it", agent="planner")
    await run.call(ask(move, day=20))
    await run.leave()
    m.flush()

    [row] = m.insights.log(LogQuery())

    assert (row.tool, row.agent, row.turn) == ("move", "planner", run.id)


async def test_what_was_done_wrong_is_undone_and_the_agent_told(m, host, ask):
    declare_move(m)
    run = host.open("Move dinner to the 20th")

    await run.call(ask(move, day=21))
    first = await run.review("Moved.")
    at_first = DAYS["dinner"]
    await run.call(ask(move, day=20))
    second = await run.review("Moved to the 20th.")
    await run.leave()

    assert (at_first, first.undone) == (18, True)
    assert "It was to be the 20th." in first.feedback
    assert (second.feedback, second.standing, DAYS["dinner"]) == ("", Standing.ACCEPTED, 20)
    assert second.reply == "Moved to the 20th."


async def test_a_reply_is_written_again_by_the_host_until_it_is_good():
    async with Mulligan("memory:", replies=[avoids(words=["cheap"])]) as m:
        run = m._build_host({}).open("What is it like?")
        first = await run.review("It is cheap.")
        second = await run.review("It is good value.")
        await run.leave()

    assert "'cheap'" in first.feedback
    assert (first.undone, second.feedback) == (False, "")
    assert (second.reply, second.standing) == ("It is good value.", Standing.ACCEPTED)


async def test_what_a_host_does_while_its_reply_is_written_again_is_reviewed_too(ask):
    async with Mulligan("memory:", replies=[avoids(words=["cheap"])], recover=False) as m:
        declare_move(m)
        run = m._build_host({}).open("Move dinner to the 20th")
        await run.call(ask(move, day=20))
        first = await run.review("It was cheap.")
        await run.call(ask(move, day=21))
        second = await run.review("Moved.")
        await run.leave()

    assert (first.undone, "'cheap'" in first.feedback) == (False, True)
    assert (second.undone, "It was to be the 20th." in second.feedback) == (True, True)


async def test_a_run_that_is_left_while_its_reply_is_written_again_leaves_nothing_behind():
    async with Mulligan("memory:", replies=[avoids(words=["cheap"])]) as m:
        run = m._build_host({}).open("What is it like?")
        await run.review("It is cheap.")
        await run.leave(failed=True)

    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert [task for task in others if "answer" in repr(task)] == []


async def test_advice_stands_beside_an_error_and_beside_a_result_that_is_one(m, host, ask):
    def look(city: str) -> dict[str, str]:
        if city == "Rome":
            raise ValueError("unknown city 'Rome'")
        return {"error": "unknown city 'Oslo'"}

    run = host.open("How is the weather?")
    with pytest.raises(ValueError, match="Rome") as raised:
        await run.call(ask(look, city="Rome"))
    returned = await run.call(ask(look, city="Oslo"))
    await run.leave()

    assert "What to do:" in host.read_advice(raised.value)
    assert returned.result == {"error": "unknown city 'Oslo'"}
    assert "What to do:" in returned.note


async def test_a_repaired_call_says_so_beside_a_result_that_is_no_text(m, host, ask):
    m.declare(
        "book",
        effect=Effect.READ,
        mode=Mode.AUTO,
        arguments=Arguments(
            schema={"type": "object", "properties": {"seats": {"type": "integer"}}}
        ),
    )

    def book(seats: object) -> list[object]:
        if not isinstance(seats, int):
            raise NothingDone("seats must be an integer")
        return [seats]

    run = host.open("Book two")
    called = await run.call(ask(book, seats="2"))
    await run.leave()

    assert called.result == [2]
    assert called.note.startswith("[Mulligan: book failed as it was called.")


async def test_two_calls_at_once_are_told_each_their_own(m, host, ask):
    started = asyncio.Event()

    async def fetch(city: str) -> str:
        if city == "Rome":
            await started.wait()
            raise ValueError("unknown city 'Rome'")
        started.set()
        return "sun"

    run = host.open("How is the weather?")
    failed, went = await asyncio.gather(
        run.call(ask(fetch, city="Rome")), run.call(ask(fetch, city="Bari")), return_exceptions=True
    )
    await run.leave()

    assert isinstance(failed, ValueError)
    assert (went.result, went.note) == ("sun", "")


async def test_what_a_run_inside_another_did_is_undone_with_it(m, host, ask):
    declare_move(m)

    @m.check("delegate")
    def is_wanted(call):
        return "Nobody wanted this."

    outer = host.open("Leave dinner alone", agent="lead")

    async def delegate() -> str:
        inner = host.open("Move dinner to the 20th", agent="helper")
        await inner.call(ask(move, day=20))
        answer = await inner.review("Moved.")
        await inner.leave()
        return str(answer.reply)

    called = await outer.call(ask(delegate))
    during = DAYS["dinner"]
    answer = await outer.review("Moved.")
    await outer.leave()

    assert (called.result, during) == ("Moved.", 20)
    assert (answer.undone, DAYS["dinner"]) == (True, 18)


async def test_messages_of_a_rejected_attempt_are_kept_with_the_turn(m, host, ask):
    declare_move(m)
    run = host.open("Move dinner to the 20th")
    await run.call(ask(move, day=21))
    await run.review("Moved.")

    await run.keep_dropped(b"[]")
    await run.leave()

    assert m._parts.store.vault.get(run.id, "messages 1") == b"[]"


async def test_what_was_done_beside_a_call_that_waits_is_reviewed_before_its_host_pauses(
    m, host, ask
):
    declare_move(m)
    m.declare("pay", effect=Effect.IRREVERSIBLE)

    def pay(amount: int) -> str:
        raise AssertionError("nobody wants it any more")

    run = host.open("Move dinner to the 20th, and pay 30")
    await run.call(ask(move, day=21))
    with pytest.raises(HeldError):
        await run.call(ask(pay, id="1", amount=30))
    await run.leave()

    assert DAYS["dinner"] == 18
    assert m.insights.open_list.actions() == []
    again = host.open("Move dinner to the 20th, and pay 30")
    with pytest.raises(HeldError) as told:
        await again.call(replace(ask(pay, id="1", amount=30), approved=True))
    await again.leave()
    assert told.value.decided
    assert "A person denied it" not in str(told.value)
    assert "It was to be the 20th." in str(told.value)


async def test_a_call_that_waits_stays_where_all_else_is_right(m, host, ask):
    declare_move(m)
    m.declare("pay", effect=Effect.IRREVERSIBLE)

    def pay(amount: int) -> str:
        return "paid"

    run = host.open("Move dinner to the 20th, and pay 30")

    await run.call(ask(move, day=20))
    with pytest.raises(HeldError):
        await run.call(ask(pay, id="1", amount=30))
    await run.leave()

    [waits] = m.insights.open_list.actions()
    assert (waits.opening.tool, DAYS["dinner"]) == ("pay", 20)


async def test_a_turn_of_many_reviews_has_as_many_tries_after_each_that_ended(m, host, ask):
    declare_move(m)
    run = host.open("Move dinner to the 20th")
    told = []
    for day in (21, 22, 23, 20, 24):
        await run.call(ask(move, day=day))
        answer = await run.review(None)
        told.append((bool(answer.feedback), answer.standing, DAYS["dinner"]))
    await run.leave()

    assert told == [
        (True, Standing.REJECTED, 18),
        (False, Standing.REJECTED, 18),
        (True, Standing.REJECTED, 18),
        (False, Standing.ACCEPTED, 20),
        (True, Standing.REJECTED, 20),
    ]
    assert m.insights.open_list.actions() == []


async def test_an_agent_that_is_anothers_tool_is_held_to_what_the_person_said(m, host, ask):
    declare_move(m)
    seen = []

    @m.check("move")
    def listen(call, turn):
        seen.append(turn.message)

    outer = host.open("Move dinner to the 20th")
    with outer.make_current():
        inner = host.open("Move dinner to the 21st")
    await inner.call(ask(move, day=20))
    await inner.review("Moved.")
    await inner.leave()
    await outer.leave()

    assert set(seen) == {"Move dinner to the 20th"}


async def test_what_a_host_refuses_is_not_held_and_did_nothing(m, host, ask):
    m.declare("pay", effect=Effect.IRREVERSIBLE)
    made = []

    async def check(arguments):
        raise ValueError("amount must be a number")

    run = host.open("Pay")
    call = replace(ask(pay_into(made), amount="thirty"), check=check)
    ahead = await run.hold(call)
    with pytest.raises(NothingDone, match="amount must be a number"):
        await run.call(call)
    await run.leave()

    assert (ahead, made, m.insights.open_list.actions()) == (None, [], [])


async def test_a_reply_that_is_out_is_told_as_unreviewed_whatever_its_listener_does(m, caplog):
    def listen(answer):
        raise RuntimeError(answer.standing)

    run = m._build_host({"on_answer": listen}).open("Hello")
    answer = run.deliver("Hi.")
    reviewed = await run.review("Hi.")
    await run.leave()

    assert (answer.standing, reviewed.reply) == (Standing.UNREVIEWED, "Hi.")
    assert caplog.text.count("on_answer failed") == 2


def pay_into(made):
    def pay(amount):
        made.append(amount)
        return "paid"

    return pay


@pytest.mark.parametrize(("kept", "day", "left"), [(True, 21, ["disputed"]), (False, 18, [])])
async def test_what_a_killed_run_did_is_undone_unless_somebody_may_go_on_from_it(
    m, host, ask, kept, day, left
):
    declare_move(m)
    run = host.open("Move dinner to the 20th", kept=kept)
    await run.call(ask(move, day=21))

    # As after a kill: nobody leaves, and nobody is at work on it any more.
    m._parts.runtime.book.live.clear()
    await m.recover()

    assert DAYS["dinner"] == day
    assert [action.state for action in m.insights.open_list.actions()] == left


async def test_what_checks_a_text_may_fail_or_go_on_without_the_next_one():
    async def fail(text, rewrite):
        raise ValueError(text)

    late = asyncio.Event()

    async def check_in_time(text, rewrite):
        with suppress(TimeoutError):  # it is too late on purpose
            await asyncio.wait_for(rewrite(Correction(text="not good", findings=())), 0.01)
        late.set()
        return SimpleNamespace(text=text)

    with pytest.raises(ValueError, match="bad"):
        await Rewriting(fail).offer("bad")
    rewriting = Rewriting(check_in_time)
    await rewriting.offer("bad")
    await late.wait()
    assert (await rewriting.offer("good, but late")).text == "bad"
