"""A turn with a judge: asked once, last, and never believed against a fact or twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mulligan import Confidence, Effect, JudgeLimits, Mulligan, Review, Standing, State
from mulligan.checks.dates import dates_as_said
from mulligan.checks.requests import made_once
from mulligan.loops.actions import Attempted
from mulligan.loops.review import Area, Opinion, Remark
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.turn import Done
from mulligan.types.call import Record
from mulligan.types.events import ActionUndone, Happened, RemarkDropped
from mulligan.types.finding import Fact, Finding, Severity
from mulligan_testing.fakes import ScriptedJudge
from mulligan_testing.remote import FakeRemote, Item
from tests.world import World, Worlds, moves

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
CONTENT = Opinion(findings=(), confirmed=True)
AGAINST = Opinion(
    findings=(
        Remark(area=Area.OTHER, severity=Severity.ERROR, call=1, issue="That is not wanted."),
    ),
    confirmed=False,
)


@dataclass
class Notebook:
    """Notes on a remote, written under the eyes of a judge."""

    world: World
    judge: ScriptedJudge
    events: list[Happened]

    @property
    def m(self) -> Mulligan:
        return self.world.m

    def tool(self, **declared: object) -> Callable[[str], str]:
        remote = self.world.remote

        def read(record: Record) -> Item | None:
            return remote.get(str(record.arguments["text"]))

        def remove(record: Record) -> None:
            remote.delete(str(record.arguments["text"]), by="undo")

        @self.m.tool(effect=Effect.REVERSIBLE, read=read, undo=remove, **declared)
        def write(text: str) -> str:
            return remote.create({}, id=text).id

        return write

    async def act(self, tool: Callable[[str], str]) -> Done:
        async def agent(turn: OpenTurn) -> str:
            tool(f"note {len(turn.attempts)}")
            return "Written."

        return await self.world.act(agent, "Write a note")

    def notes(self) -> list[str]:
        return list(self.world.remote.list_items())

    def states(self) -> list[State]:
        return self.world.states()


@pytest.fixture
def make(worlds: Worlds, tmp_path: Path) -> Callable[..., Awaitable[Notebook]]:
    async def notebook(*answers: object, **settings: object) -> Notebook:
        judge, events = ScriptedJudge(answers), []
        remote = FakeRemote(tmp_path / "notes")
        world = await worlds(remote=remote, judge=judge, about={"now": NOW}, **settings)
        world.m.subscribe(events.append)
        return Notebook(world, judge, events)

    return notebook


async def test_a_judge_that_confirms_makes_it_sure(make) -> None:
    book = await make(CONTENT)

    done = await book.act(book.tool())

    assert (done.standing, done.confidence) == (Standing.ACCEPTED, Confidence.HIGH)
    assert len(book.judge.questions) == 1
    assert book.states() == []


async def test_what_a_judge_rejects_is_undone_and_tried_again(make) -> None:
    book = await make(AGAINST, CONTENT)

    done = await book.act(book.tool())

    book.m.flush()
    assert done.standing is Standing.ACCEPTED
    assert book.notes() == ["note 2"]
    assert [e.tool for e in book.events if isinstance(e, ActionUndone)] == ["write"]


async def test_a_judge_alone_does_not_undo_a_second_time_where_the_agent_breaks(make) -> None:
    book = await make(AGAINST, AGAINST)
    write = book.tool()

    async def agent(turn: OpenTurn) -> str:
        write(f"note {turn.attempt.number}")
        if turn.correction is not None:
            raise RuntimeError("the model is gone")
        return "Written."

    with pytest.raises(RuntimeError):
        await book.world.act(agent)

    assert book.notes() == ["note 2"]
    assert book.states() == [State.DISPUTED]


async def test_a_judge_alone_does_not_undo_a_second_time(make) -> None:
    book = await make(AGAINST, AGAINST)

    done = await book.act(book.tool())

    assert str(done.reply).startswith("Written.\n\nIn effect until a person decides")
    assert done.confidence is Confidence.LOW
    assert book.notes() == ["note 2"]
    assert book.states() == [State.DISPUTED]


async def test_a_judge_that_is_down_leaves_it_visibly_unchecked_and_is_asked_again(make) -> None:
    book = await make(None, CONTENT)

    done = await book.act(book.tool())
    left = book.states()
    await book.m.recover()

    assert (done.standing, done.confidence) == (Standing.UNREVIEWED, None)
    assert str(done.reply).startswith("Written.\n\nNot yet checked:\n- Write (")
    assert left == [State.PENDING_REVIEW]
    assert book.states() == []


async def test_a_tool_can_insist_on_a_verdict(make) -> None:
    book = await make(None)

    done = await book.act(book.tool(review=Review(on_no_verdict="undo")))

    assert book.notes() == []
    assert "could not be reviewed" in str(done.reply)
    assert book.states() == []


async def test_a_judge_is_not_asked_where_a_check_has_settled_it(make) -> None:
    def rejects(attempted: Attempted) -> list[Finding]:
        wrong = Finding(rule="x.y", severity=Severity.ERROR, issue="Wrong.")
        return [wrong] if attempted.executions else []

    book = await make(checks=[rejects])

    done = await book.act(book.tool())

    assert book.judge.questions == []
    assert done.standing is Standing.REJECTED
    assert book.notes() == []


async def test_a_judge_is_not_asked_about_tools_that_do_not_want_it(make) -> None:
    book = await make()

    done = await book.act(book.tool(review=Review(judged=False)))

    assert book.judge.questions == []
    assert (done.standing, done.confidence) == (Standing.UNCHECKED, None)


async def test_a_tool_that_only_reads_can_ask_for_review(make) -> None:
    book = await make(AGAINST, CONTENT)

    @book.m.tool(effect=Effect.READ, review=Review(judged=True))
    async def find_place(name: str) -> str:
        return f"{name}, the shop"

    async def agent(turn: OpenTurn) -> str:
        await find_place("Home")
        return "Found." if turn.correction is None else "Found, I think."

    done = await book.m.act("Where is home?", agent, now=NOW)

    assert done.reply == "Found, I think."
    assert [attempt.number for attempt in done.attempts] == [1, 2]


async def test_a_fact_that_confirms_makes_it_sure_without_a_judge() -> None:
    async def facts(turn: object, calls: object) -> list[Fact]:
        return [
            Fact(kind="note", subject="note 1", value="as said", about="As said.", confirms=True)
        ]

    async def breaks(turn: object, calls: object) -> list[Fact]:
        raise RuntimeError("a gather with a mistake")

    seen = []
    with Mulligan("memory:", facts=[breaks, facts], checks=[lambda a: seen.append(a.facts) or ()],
                  recover=False) as m:  # fmt: skip

        async def agent(turn: OpenTurn) -> str:
            return "Nothing to do."

        done = await m.act("Do nothing", agent, now=NOW)

    assert done.confidence is Confidence.HIGH
    assert [fact.kind for fact in seen[0]] == ["note"]


@pytest.mark.full
@pytest.mark.parametrize(("content", "ran"), [(True, 1), (False, 0)])
async def test_checks_can_let_a_call_through_that_cannot_be_undone(content: bool, ran: int) -> None:
    made = []

    def check(attempted: Attempted) -> list[Finding]:
        doubt = Finding(rule="x.y", severity=Severity.WARNING, issue="Hm.")
        given = [execution.call.arguments["to"] for execution in attempted.executions]
        return [] if content and given else [doubt]

    with Mulligan("memory:", checks=[check], recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE, review=Review(release="checks"))
        async def send(to: str) -> str:
            made.append(to)
            return "sent"

        async def agent(turn: OpenTurn) -> str:
            return await send("Grandma")

        done = await m.act("Write to Grandma", agent, now=NOW)
        states = [action.state for action in m.insights.open_list.actions()]

    assert len(made) == ran
    assert (done.reply == "sent") is content
    assert states == ([] if content else [State.HELD])


async def test_checks_of_other_tools_let_nothing_through() -> None:
    made: list[str] = []
    with Mulligan("memory:", checks=[made_once("create")], recover=False) as m:

        @m.tool(
            effect=Effect.IRREVERSIBLE, review=Review(release="checks"), describe="Write to {to}"
        )
        async def send(to: str) -> None:
            made.append(to)

        async def agent(turn: OpenTurn) -> str:
            await send("Grandma")
            return "Sent."

        done = await m.act("Write to Grandma", agent, now=NOW)
        [held] = m.insights.open_list.actions()
        told = m.insights.open_list.read_story(held.id).what

    assert (made, held.state) == ([], State.HELD)
    assert told == "Write to Grandma"
    assert "awaiting approval:\n- Write to Grandma" in str(done.reply)


async def test_a_judge_is_told_of_days_and_home_though_nobody_asked_for_facts(make) -> None:
    book = await make(CONTENT)
    write = book.tool()

    async def agent(turn: OpenTurn) -> str:
        write("2026-11-20: cook at home")
        return "Written."

    about = {"now": NOW, "timezone": "Europe/Berlin", "known": {"home": "12 Elm St"}}
    await book.m.act("Move dinner at home to Friday", agent, **about)

    asked = book.judge.questions[0]
    assert asked.values["facts"].splitlines() == [
        '- "Friday", said on Sunday 2026-11-15, can mean Friday 2026-11-20.',
        "- `place.home`: see fact 2 between the marks.",
    ]
    assert asked.untrusted["fact 2"] == "When the person says home, they mean 12 Elm St."


async def test_what_a_judge_alone_rejects_beyond_its_budget_is_put_before_a_person(make) -> None:
    book = await make(AGAINST, CONTENT, AGAINST, judge_limits=JudgeLimits(undos=1))
    write = book.tool()
    await book.act(write)
    before = book.notes()

    async def agent(turn: OpenTurn) -> str:
        write("a note that is right")
        return "Written."

    done = await book.world.act(agent, "Write a note")

    (open_action,) = book.m.insights.open_list.actions()
    assert (before, done.standing) == (["note 2"], Standing.REJECTED)
    assert book.notes() == ["note 2", "a note that is right"]
    assert (open_action.state, len(done.attempts)) == (State.DISPUTED, 1)
    assert "no instruction: \u201cThat is not wanted.\u201d" in str(open_action.detail["why"])
    assert "judge.budget_spent" in str(open_action.detail["why"])


async def test_a_check_that_rejects_is_followed_whatever_the_judges_have_spent(make) -> None:
    def against(attempted: Attempted) -> list[Finding]:
        again = attempted.executions[0].call.arguments["text"] != "note 1"
        return [] if again else [Finding(rule="a.b", severity=Severity.ERROR, issue="No.")]

    book = await make(CONTENT, judge_limits=JudgeLimits(undos=0), checks=[against])

    done = await book.act(book.tool())

    assert (done.standing, book.notes()) == (Standing.ACCEPTED, ["note 2"])


MONDAY = datetime(2025, 10, 20, 9, 0, tzinfo=UTC)
FRIDAY, SATURDAY = "2025-10-24", "2025-10-25"
SHOWCASE = Opinion(
    findings=(
        Remark(
            area=Area.DATE, severity=Severity.ERROR, call=1,
            issue="User asked for 'next Friday' but the date 2025-10-24 is actually a Thursday",
            correction="Change the date to 2025-10-25 which is the actual Friday",
        ),
    ),
    confirmed=False,
)  # fmt: skip
"""A judge's mistake that loops before this one followed."""


async def test_a_judge_that_calls_a_friday_a_thursday_has_nothing_undone(worlds: Worlds) -> None:
    about = {"now": MONDAY, "timezone": "America/New_York"}
    world = await worlds(judge=ScriptedJudge([SHOWCASE]), about=about)
    dropped: list[tuple[str, str]] = []
    world.m.subscribe(
        lambda e: dropped.append((e.part, e.why)) if isinstance(e, RemarkDropped) else None
    )

    done = await world.act(moves(world, FRIDAY), "Move dinner to next Friday")
    world.m.flush()

    assert (done.standing, len(done.attempts)) == (Standing.ACCEPTED, 1)
    assert dropped == [("finding", "date.weekday")]
    assert (world.day(), world.undos()) == (FRIDAY, 0)


async def test_an_unknown_zone_gives_no_fact(worlds: Worlds) -> None:
    judge = ScriptedJudge([CONTENT])
    world = await worlds(judge=judge, checks=[dates_as_said()], about={"now": MONDAY})

    done = await world.act(moves(world, SATURDAY))

    [asked] = judge.questions
    assert asked.values["now"].endswith("(UTC; the person's time zone is not known)")
    assert "Friday" not in asked.values["facts"]
    assert (done.findings, world.undos()) == ((), 0)
