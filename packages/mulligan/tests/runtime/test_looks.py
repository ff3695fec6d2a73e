"""What a turn may be called, by who looked at which of its calls."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from mulligan import Confidence, Effect, Mulligan, NothingDone, Review, Severity, Standing, State
from mulligan.checks.subject import limit_to_tools
from mulligan.checks.text import avoids
from mulligan.loops.actions import Attempted
from mulligan.loops.review import Opinion
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.review import join_verdicts
from mulligan.runtime.turn import Done
from mulligan.types.call import Call
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Fact, Finding, Verdict
from mulligan.types.turn import Turn
from mulligan_testing.fakes import ScriptedJudge

pytestmark = pytest.mark.promise(4)
NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
SAID = "Move dinner to Friday"
FRIDAY = "2026-11-20"

MOVE, NOTE, BOTH = ("move",), ("note",), ("move", "note")
HIGH, MEDIUM = (Standing.ACCEPTED, Confidence.HIGH), (Standing.ACCEPTED, Confidence.MEDIUM)
UNCHECKED, UNREVIEWED = (Standing.UNCHECKED, None), (Standing.UNREVIEWED, None)
NOBODY = "unchecked"
CONFIRMS, SILENT = Opinion(findings=(), confirmed=True), Opinion(findings=(), confirmed=False)


class Desk:
    """Two tools that change something and one that reads."""

    def __init__(self, **settings: Any) -> None:
        self.m = Mulligan("memory:", recover=False, **settings)
        self.days: dict[str, str] = {}
        keeps: dict[str, Any] = {
            "effect": Effect.REVERSIBLE,
            "before": lambda r: self.days.get(next(iter(r.arguments.values()))),
            "undo": lambda r: self.days.pop(next(iter(r.arguments.values()))),
        }

        @self.m.tool(**keeps)
        async def move(event: str, day: str) -> str:
            self.days[event] = day
            return "moved"

        @self.m.tool(**keeps)
        async def note(text: str) -> str:
            self.days[text] = ""
            return "noted"

        @self.m.tool(effect=Effect.READ)
        async def search() -> str:
            return "dinner"

        self.tools: dict[str, Callable[[], Any]] = {
            "move": lambda: move("dinner", FRIDAY),
            "note": lambda: note("Buy milk"),
            "search": search,
        }

    async def act(self, calls: Sequence[str], said: str = SAID) -> Done:
        async def agent(turn: OpenTurn) -> str:
            for call in calls:
                await self.tools[call]()
            return "Done."

        async with self.m:
            return await self.m.act(said, agent, now=NOW, timezone="Europe/Berlin")

    def looked(self, done: Done) -> list[str]:
        """Of each action: who looked at it."""
        actions = []
        for call in done.attempts[-1].calls:
            # A call that only read is no action.
            with suppress(ConfigurationError):
                actions.append(self.m.insights.open_list.find(call))
        verified = State.VERIFIED
        return [str(a.detail["by"] if a.state is verified else a.state) for a in actions]


def by_tool(attempted: Attempted) -> Sequence[str]:
    """Goes by the name of the tool, as most people write it."""
    moves = [e.call for e in attempted.executions if e.call.tool == "move"]
    return [f"{call.id} is on no day." for call in moves if not call.arguments["day"]]


def by_argument(attempted: Attempted) -> Sequence[str]:
    given = [e.call.arguments.get("day", FRIDAY) for e in attempted.executions]
    return [f"{day} is not in this year." for day in given if not str(day).startswith("2026")]


def by_presence(attempted: Attempted) -> Sequence[str]:
    return ["No day." for e in attempted.executions if e.call.arguments.keys() == {"event"}]


def of_everything(attempted: Attempted) -> Sequence[str]:
    given = [value for e in attempted.executions for value in e.call.arguments.values()]
    return ["Nothing was given."] if None in given else []


def of_copies(attempted: Attempted) -> Sequence[str]:
    return ["Twice."] if {} in [{**e.call.arguments} for e in attempted.executions] else []


def of_texts(attempted: Attempted) -> Sequence[str]:
    return (
        ["A secret."] if "secret" in str([e.call.arguments for e in attempted.executions]) else []
    )


def of_results(attempted: Attempted) -> Sequence[str]:
    return ["It failed."] if any(e.result == "failed" for e in attempted.executions) else []


def of_numbers(attempted: Attempted) -> Sequence[str]:
    return ["Too much."] if len(attempted.executions) > 3 else []


def of_the_reply(attempted: Attempted) -> Sequence[str]:
    return ["Too short."] if not attempted.reply else []


def doubts_notes(attempted: Attempted) -> Sequence[Finding]:
    return [
        Finding(rule="x.y", severity=Severity.WARNING, issue="Hm.", call=e.call.id)
        for e in attempted.executions
        if e.call.tool == "note"
    ]


async def of_later(attempted: Attempted) -> Sequence[str]:
    return by_tool(attempted)


def yields(attempted: Attempted) -> Any:
    yield from by_tool(attempted)


named = limit_to_tools(["move"])(lambda _: ())


@pytest.mark.full
@pytest.mark.parametrize(
    ("checks", "calls", "standing", "looked"),
    [
        ([], MOVE, UNCHECKED, [NOBODY]),
        ([], BOTH, UNCHECKED, [NOBODY, NOBODY]),
        ([], ("search",), UNCHECKED, []),
        ([], (), UNCHECKED, []),
        ([by_tool], MOVE, MEDIUM, ["checks"]),
        ([by_tool], NOTE, UNCHECKED, [NOBODY]),
        ([by_tool], BOTH, UNCHECKED, ["checks", NOBODY]),
        ([yields], BOTH, UNCHECKED, ["checks", NOBODY]),
        ([of_later], BOTH, UNCHECKED, ["checks", NOBODY]),
        ([named], BOTH, UNCHECKED, ["checks", NOBODY]),
        ([by_argument], BOTH, UNCHECKED, ["checks", NOBODY]),
        ([by_presence], BOTH, UNCHECKED, [NOBODY, NOBODY]),
        ([of_numbers], BOTH, UNCHECKED, [NOBODY, NOBODY]),
        ([of_the_reply], BOTH, UNCHECKED, [NOBODY, NOBODY]),
        ([of_everything], BOTH, MEDIUM, ["checks", "checks"]),
        ([of_copies], BOTH, MEDIUM, ["checks", "checks"]),
        ([of_texts], BOTH, MEDIUM, ["checks", "checks"]),
        ([of_results], BOTH, MEDIUM, ["checks", "checks"]),
        ([by_tool, doubts_notes], BOTH, MEDIUM, ["checks", "checks"]),
        ([of_everything], ("search",), UNCHECKED, []),
        ([of_results], ("search",), MEDIUM, []),
        ([of_everything], (), UNCHECKED, []),
        ([of_the_reply], (), UNCHECKED, []),
    ],
)
async def test_only_who_read_a_call_has_looked_at_it(checks, calls, standing, looked) -> None:
    desk = Desk(checks=checks)

    done = await desk.act(calls, said="Plan the evening")

    assert (done.standing, done.confidence) == standing
    assert desk.looked(done) == looked


def goes_by_tool(call: Call) -> str | None:
    return "No day." if call.tool == "move" and not call.arguments["day"] else None


def goes_by_tool_with_result(call: Call, result: object) -> str | None:
    return "No." if call.tool == "move" and result == "failed" else None


def reads_result(result: object) -> str | None:
    return "No." if result == "failed" else None


def reads_call(call: Call, turn: Turn) -> str | None:
    return "No." if turn.message in call.arguments.values() else None


@pytest.mark.full
@pytest.mark.parametrize(
    ("check", "tools", "looked"),
    [
        (goes_by_tool, (), ["checks", NOBODY]),
        (goes_by_tool_with_result, (), [NOBODY, NOBODY]),
        (goes_by_tool_with_result, ("move",), ["checks", NOBODY]),
        (goes_by_tool_with_result, BOTH, ["checks", "checks"]),
        (reads_result, (), ["checks", "checks"]),
        (reads_call, (), ["checks", "checks"]),
    ],
)
async def test_a_function_of_a_call_has_looked_where_it_read_or_was_named_for(
    check, tools, looked
) -> None:
    desk = Desk()
    desk.m.check(*tools)(check) if tools else desk.m.check(check)

    done = await desk.act(BOTH)

    assert desk.looked(done) == looked


@pytest.mark.parametrize("check", [of_everything, limit_to_tools(["find"])(of_everything)])
async def test_a_look_at_a_call_that_failed_is_none_at_what_was_done(check: Any) -> None:
    async with Mulligan("memory:", checks=[check], recover=False) as m:

        @m.tool(effect=Effect.REVERSIBLE, before=lambda _: None, undo=lambda _: None)
        async def find(event: str) -> str:
            raise NothingDone("There is no such event.")

        async def agent(turn: OpenTurn) -> str:
            with suppress(NothingDone):  # the agent goes on as if it had been done
                await find("dinner")
            return "Dinner is moved."

        done = await m.act(SAID, agent, now=NOW)

    assert (done.standing, done.confidence) == UNCHECKED


WHOLE = {"event": "dinner", "day": FRIDAY}


@pytest.mark.parametrize(
    "take",
    [
        lambda call: copy.copy(call.arguments),
        lambda call: copy.deepcopy(call).arguments,
        lambda call: pickle.loads(pickle.dumps(call)).arguments,
        lambda call: dict(call.arguments),
        lambda call: dict(**call.arguments),
        lambda call: call.arguments.copy(),
        lambda call: call.arguments | {},
        lambda call: WHOLE if call.arguments == WHOLE else {},
        lambda call: {} if call.arguments != WHOLE else WHOLE,
    ],
)
async def test_what_a_check_makes_of_arguments_is_what_a_dict_gives(take: Any) -> None:
    desk, taken = Desk(), []

    @desk.m.check
    def keep(call: Call) -> None:
        taken.append(take(call))

    done = await desk.act(MOVE)

    assert taken == [WHOLE]
    assert (done.findings, desk.looked(done)) == ((), ["checks and facts"])


def say(tools: Sequence[str] | None) -> Any:
    """A fact of the application's own that speaks for calls of these tools; for no call by name."""

    async def gather(turn: Turn, calls: Sequence[Call]) -> list[Fact]:
        ids = tuple(call.id for call in calls if tools is not None and call.tool in tools)
        about = "It was read back, and it is right."
        return [Fact(kind="x", subject="x", value="yes", about=about, confirms=True, calls=ids)]

    return gather


@pytest.mark.parametrize(
    ("checks", "facts", "calls", "standing", "looked"),
    [
        ([], [say(MOVE)], MOVE, HIGH, ["facts"]),
        ([], [say(None)], MOVE, HIGH, ["facts"]),
        ([], [say(BOTH)], BOTH, HIGH, ["facts", "facts"]),
        ([], [say(MOVE), say(NOTE)], BOTH, HIGH, ["facts", "facts"]),
        ([], [say(MOVE)], BOTH, UNCHECKED, ["facts", NOBODY]),
        ([], [say(None)], BOTH, UNCHECKED, [NOBODY, NOBODY]),
        ([of_everything], [say(MOVE)], BOTH, MEDIUM, ["checks and facts", "checks"]),
        ([of_everything], [say(BOTH)], BOTH, HIGH, ["checks and facts", "checks and facts"]),
        ([by_tool], [say(NOTE)], BOTH, MEDIUM, ["checks", "facts"]),
        ([doubts_notes], [say(BOTH)], BOTH, MEDIUM, ["facts", "checks and facts"]),
        ([], [say(None)], (), HIGH, []),
    ],
)
async def test_a_fact_speaks_for_the_calls_that_it_names(
    checks, facts, calls, standing, looked
) -> None:
    desk = Desk(checks=checks, facts=facts)

    done = await desk.act(calls, said="Plan the evening")

    assert (done.standing, done.confidence) == standing
    assert desk.looked(done) == looked


@pytest.mark.parametrize(
    ("checks", "calls", "standing", "looked"),
    [
        # The words account for the call; whether anybody looked at it is another question.
        ([], MOVE, UNCHECKED, [NOBODY]),
        ([by_tool], MOVE, HIGH, ["checks and facts"]),
        (["standard"], MOVE, HIGH, ["checks and facts"]),
        ([by_tool], BOTH, UNCHECKED, ["checks", NOBODY]),
        ([of_everything], BOTH, MEDIUM, ["checks", "checks"]),
        (["standard"], NOTE, UNCHECKED, [NOBODY]),
    ],
)
async def test_words_that_account_for_a_call_make_sure_what_was_looked_at(
    checks, calls, standing, looked
) -> None:
    desk = Desk(checks=checks)

    done = await desk.act(calls)

    assert (done.standing, done.confidence) == standing
    assert desk.looked(done) == looked


@pytest.mark.parametrize(
    ("opinion", "checks", "calls", "standing", "looked"),
    [
        (CONFIRMS, [], BOTH, HIGH, ["judge", "judge"]),
        (SILENT, [], BOTH, MEDIUM, ["judge", "judge"]),
        (SILENT, [by_tool], BOTH, MEDIUM, ["checks and judge", "judge"]),
        (CONFIRMS, [by_tool], MOVE, HIGH, ["checks and judge"]),
        (None, [], MOVE, UNREVIEWED, ["pending_review"]),
        (None, [of_everything], MOVE, UNREVIEWED, ["pending_review"]),
    ],
)
async def test_a_judge_who_answers_has_seen_every_call(
    opinion, checks, calls, standing, looked
) -> None:
    desk = Desk(checks=checks, judge=ScriptedJudge([opinion]))

    done = await desk.act(calls, said="Plan the evening")

    assert (done.standing, done.confidence) == standing
    assert desk.looked(done) == looked


@pytest.mark.parametrize(
    ("checks", "calls", "standing"),
    [
        ([], (), MEDIUM),
        ([], ("search",), MEDIUM),
        ([], MOVE, UNCHECKED),
        ([by_tool], BOTH, UNCHECKED),
        ([by_tool], MOVE, MEDIUM),
    ],
)
async def test_a_text_that_was_checked_says_nothing_of_what_was_done(
    checks, calls, standing
) -> None:
    desk = Desk(checks=checks, replies=[avoids(words=("nonsense",))])

    done = await desk.act(calls)

    assert (done.standing, done.confidence) == standing


@pytest.mark.parametrize(
    ("outer", "inner", "standing", "looked"),
    [
        (MOVE, MOVE, MEDIUM, ["checks", "checks"]),
        (MOVE, NOTE, UNCHECKED, ["checks", NOBODY]),
        (NOTE, MOVE, UNCHECKED, [NOBODY, "checks"]),
        ((), MOVE, MEDIUM, ["checks"]),
        ((), NOTE, UNCHECKED, [NOBODY]),
    ],
)
async def test_a_look_at_a_turn_is_none_at_a_turn_inside_it(outer, inner, standing, looked) -> None:
    desk, made = Desk(checks=[by_tool], replies=[avoids(words=("nonsense",))]), []

    async def agent(turn: OpenTurn) -> str:
        for call in outer:
            await desk.tools[call]()

        async def inside(turn: OpenTurn) -> str:
            for call in inner:
                await desk.tools[call]()
            return "Done inside."

        made.append(await desk.m.act("And the rest", inside, now=NOW))
        return "Done."

    async with desk.m:
        done = await desk.m.act("Plan the evening", agent, now=NOW)

    assert (done.standing, done.confidence) == standing
    assert [*desk.looked(done), *desk.looked(made[0])] == looked


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([HIGH, HIGH], HIGH),
        ([HIGH, MEDIUM], MEDIUM),
        ([MEDIUM, UNCHECKED], UNCHECKED),
        ([UNCHECKED, UNREVIEWED], UNREVIEWED),
        ([HIGH, (Standing.REJECTED, Confidence.LOW)], (Standing.REJECTED, Confidence.LOW)),
    ],
)
def test_several_reviews_are_as_good_as_the_worst_of_them(parts, whole) -> None:
    verdicts = [
        Verdict(standing=standing, confidence=sure, by=(f"{n}",), looked={f"c{n}": (f"{n}",)})
        for n, (standing, sure) in enumerate(parts)
    ]

    joined = join_verdicts(verdicts)

    assert (joined.standing, joined.confidence) == whole
    assert joined.by == ("0", "1")
    assert joined.looked == {"c0": ("0",), "c1": ("1",)}


@pytest.mark.parametrize(("check", "ran"), [(by_tool, 0), (of_numbers, 0), (of_everything, 1)])
async def test_checks_release_only_a_call_that_one_of_them_has_looked_at(check, ran) -> None:
    sent = []

    async with Mulligan("memory:", checks=[check], recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE, review=Review(release="checks"))
        async def send(to: str) -> str:
            sent.append(to)
            return "sent"

        async def agent(turn: OpenTurn) -> str:
            await send("Ann")
            return "Done."

        await m.act("Write to Ann", agent, now=NOW)

    assert len(sent) == ran


async def test_a_call_that_a_person_approved_is_not_called_verified_when_it_has_run() -> None:
    async with Mulligan("memory:", checks=[of_everything], recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        async def send(to: str) -> str:
            return "sent"

        async def agent(turn: OpenTurn) -> str:
            await send("Ann")
            return "Done."

        done = await m.act("Write to Ann", agent, now=NOW)
        [held] = done.open_actions
        m.insights.open_list.approve(held, by="Mum")
        await m.recover()
        story = m.insights.open_list.read_story(held)

    assert story.action.state is State.UNCHECKED
    assert story.action.detail["why"] == (
        "A person approved it before it ran. The result was not reviewed."
    )
    assert "Mum" in str([entry.detail for entry in story.entries])
