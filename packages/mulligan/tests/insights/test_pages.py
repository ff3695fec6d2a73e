"""What the pages and their commands show, read from a store as it was lived."""

from __future__ import annotations

import contextlib
from datetime import timedelta

import pytest
from msgspec.structs import replace

from mulligan import Call, Effect, Mulligan, OpenTurn
from mulligan.app.judges import log_question
from mulligan.insights import tools
from mulligan.insights.cost import CostRow, read_cost
from mulligan.insights.figures import Estimate, build_share
from mulligan.insights.filters import ViewFilter, ViewRequest, Window, cut_page
from mulligan.insights.health import read_health
from mulligan.insights.open_actions import read_open
from mulligan.insights.overview import (
    GOALS,
    TREND,
    compare_goal,
    estimate_difference,
    read_overview,
)
from mulligan.insights.patterns import read_pattern, read_patterns
from mulligan.insights.reader import StoreReader
from mulligan.insights.rules import read_rules
from mulligan.insights.shadow import read_shadow
from mulligan.insights.texts import read_texts
from mulligan.insights.tools import build_repairs, read_tools
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.events import AskOutcome, JudgeAsked
from mulligan.types.finding import FindingRow
from mulligan.types.log import Batch, LogQuery, Rollup, Slot
from mulligan.types.values import to_us
from mulligan_dashboard.site import build_environment
from mulligan_testing.store_contract.contract import make_log_row
from tests.dashboard.stage import Stage, run_apart


def test_the_figures_are_those_of_the_command(filled: Stage) -> None:
    view = read_overview(filled.m.insights, ViewRequest())
    figures = filled.m.insights.figures(timedelta(days=7)).all_calls

    week = next(each.now for each in view.windows if each.window is Window.WEEK)
    assert (week.calls, week.failed, week.repaired) == (
        figures.calls, figures.failed, figures.repaired,
    )  # fmt: skip
    assert week.succeeded == figures.succeeded
    assert view.goals == filled.m.insights.progress.read_goals(timedelta(days=30))


def test_a_goal_that_rests_on_a_handful_is_an_accident_and_says_so(filled: Stage) -> None:
    goals = read_overview(filled.m.insights, ViewRequest()).goals

    few = {each.what: each for each in goals if each.estimate.n < 20 and "tools" not in each.what}
    assert few
    assert not any(each.enough or each.met is not None for each in few.values())


@pytest.mark.parametrize(
    ("worked", "tone"),
    [((27, 24), "quiet"), ((30, 12), "good"), ((12, 30), "bad")],
    ids=["chance", "better", "worse"],
)
def test_a_change_that_may_be_chance_is_neither_good_nor_bad(
    worked: tuple[int, int], tone: str
) -> None:
    now, before = (
        build_share("", Rollup(calls=30, tries=30, failures=30 - some)) for some in worked
    )
    change = estimate_difference(now, before)

    parts = build_environment().get_template("parts.html").module
    shown = str(parts.change(change))

    assert f'data-tone="{tone}"' in shown
    assert ("may be chance" in shown) is (tone == "quiet")


@pytest.mark.parametrize(
    ("low", "high", "met"), [(0.001, 0.04, True), (-0.02, 0.06, None), (-0.06, -0.02, False)]
)
def test_growth_is_a_goal_that_chance_does_not_meet(low: float, high: float, met: object) -> None:
    seen = Estimate(figure=(low + high) / 2, low=low, high=high, n=1_000)

    assert compare_goal(TREND, seen, goal=GOALS[TREND]) is met


def test_who_decides_reads_the_same_names_everywhere(stage: Stage) -> None:
    run_apart(stage.hold("Mail to ben@example.test"))
    insights = stage.m.insights

    for decides in (True, False):
        asked = ViewRequest(decides=decides)
        (waiting,) = read_overview(insights, asked).waiting
        assert waiting.what == read_open(insights, asked).items[0].what
        assert ("ben@example.test" in waiting.what) is decides


def test_a_filter_leaves_the_rest_out(filled: Stage) -> None:
    view = read_overview(
        filled.m.insights, ViewRequest(filter=ViewFilter(agent="helper", window=Window.DAY))
    )

    assert view.open_actions == 0
    assert [each.now.calls for each in view.windows] == [3, 3, 3]
    assert len(view.trend) == 25
    assert sum(part.share.calls for part in view.trend) == 3
    assert [seen.pattern.tool for seen in view.patterns] == ["find_events", "share_file"]


def test_an_empty_store_has_an_overview_too(stage: Stage) -> None:
    view = read_overview(stage.m.insights, ViewRequest())

    assert [each.now.calls for each in view.windows] == [0, 0, 0]
    assert len(view.trend) == 8
    assert all(part.share.succeeded.figure is None for part in view.trend)


def test_an_operator_sees_what_doctor_says(filled: Stage) -> None:
    view = read_health(filled.m.insights, ViewRequest())
    diagnosis = filled.m.insights.diagnose()

    assert view.problems == diagnosis.problems
    assert view.health.open_actions == 3
    assert view.health.size_bytes > 0
    assert {each.what: each.days for each in view.retention}["Calls in the log"] == 30
    assert view.rows.stored == 5
    assert {each.tool for each in view.tools} >= {"send_mail", "move_event"}


def test_a_judge_that_gives_no_answer_is_listed(filled: Stage) -> None:
    asked = JudgeAsked(
        purpose="review_actions", model="m", prompt="p 1", outcome=AskOutcome.DOWN,
        duration=timedelta(seconds=1),
    )  # fmt: skip
    for outcome in (AskOutcome.DOWN, AskOutcome.ANSWERED, AskOutcome.DOWN, AskOutcome.DOWN):
        log_question(replace(asked, outcome=outcome), runtime=filled.m._parts.runtime)
    filled.m.flush()

    view = read_health(filled.m.insights, ViewRequest())

    assert (view.outage_count, [each.outcome for each in view.outages]) == (3, ["down"] * 3)


def test_processes_are_listed_with_what_is_in_their_hands(filled: Stage) -> None:
    [worker] = read_health(filled.m.insights, ViewRequest()).workers

    assert worker.seen.id == filled.m.insights.store.journal.identify_writer()
    assert (worker.seen.life, worker.seen.here, worker.open_actions) == ("lives", True, 3)


def test_the_cost_is_what_is_on_record_and_nothing_more(stage: Stage) -> None:
    asked = JudgeAsked(
        purpose="review_actions", model="small", prompt="p 1", outcome=AskOutcome.ANSWERED,
        duration=timedelta(seconds=1.5), input_tokens=900, output_tokens=40,
    )  # fmt: skip
    for outcome in (AskOutcome.ANSWERED, AskOutcome.LATE):
        log_question(replace(asked, outcome=outcome), runtime=stage.m._parts.runtime)
    run_apart(stage.hold("Mail to ben@example.test"))
    [held] = stage.m.insights.store.journal.list_open_actions()
    stage.m.insights.open_list.deny(held.id, by="ann")
    stage.m.flush()

    view = read_cost(stage.m.insights, ViewRequest())

    judge, *_, people = view.spent
    assert judge == CostRow(
        what="Questions to the judge small", times=2, seconds=3, input_tokens=1800, output_tokens=80
    )
    assert (people.times, people.seconds) == (1, view.waited)
    assert {each.what: each.times for each in view.saved}["Held calls denied"] == 1


def test_a_hold_that_no_person_decided_is_no_decision_of_people() -> None:
    with Mulligan("memory:") as m:

        @m.tool(effect="irreversible")
        def send_mail(to: str) -> None:
            """Send it."""

        @m.tool(effect="reversible", before=lambda _: 20, undo=lambda _: None)
        def move(day: int) -> None:
            """Move dinner."""

        @m.check("move")
        def is_friday(call: Call) -> str | None:
            return None if call.arguments["day"] == 21 else "This Friday is the 21st."

        def agent(turn: OpenTurn) -> None:
            move(21 if turn.correction else 22)
            if not turn.correction:
                send_mail("ann")

        m.act_sync("Move dinner to this Friday", agent)
        view = read_cost(m.insights, ViewRequest())

    assert {each.what: each.times for each in view.saved}["Held calls denied"] == 1
    assert (view.spent[-1].times, view.waited) == (0, None)


def test_what_shadow_mode_would_have_done_is_listed_by_tool() -> None:
    with Mulligan("memory:", mode="shadow") as m:

        @m.tool(effect="irreversible")
        def send_mail(to: str) -> None:
            """Send it."""

        for _ in range(2):
            send_mail("ann")
        m.flush()

        view = read_shadow(m.insights, ViewRequest())
        other = read_shadow(m.insights, ViewRequest(filter=ViewFilter(tool="find")))

    [row] = view.rows
    assert (row.tool, row.agent, row.held, row.undone) == ("send_mail", "(unnamed)", 2, 0)
    assert other.rows == ()


def test_the_rules_that_spoke_up_about_a_tool_are_found_by_its_server_too(m: Mulligan) -> None:
    at_us = to_us(m.insights.clock(), name="now")
    found = FindingRow("1", at_us, "", "planner", "office", "move", "day.late", "error")
    m.insights.store.log.write(Batch(rows=[], findings=[found]))

    asked = {tool: ViewFilter(tool=tool) for tool in ("office/move", "move", "home/move")}
    rows = {tool: read_rules(m.insights, ViewRequest(filter=f)).rows for tool, f in asked.items()}

    assert [row.rule for row in rows["office/move"]] == ["day.late"]
    assert rows["move"] == rows["office/move"]
    assert rows["home/move"] == ()


MONTH = ViewFilter(window=Window.MONTH)


def test_who_fails_more_than_others_comes_first(lived: Mulligan) -> None:
    view = read_tools(lived.insights, ViewRequest(filter=MONTH))

    excess = [row.excess for row in view.tools]
    assert excess == sorted(excess, reverse=True)
    assert excess[0] > 0 > excess[-1]
    assert abs(sum(excess)) < 1
    assert view.faults["infrastructure"] > 0 < view.faults["model"]


@pytest.mark.full
def test_a_tool_stands_out_until_what_was_learned_about_it_is_exported(lived: Mulligan) -> None:
    changed = set(read_tools(lived.insights, ViewRequest(filter=MONTH)).changed)
    one = min(changed)

    lived.insights.acts.record_export([one], by="Mum")
    without = set(read_tools(lived.insights, ViewRequest(filter=MONTH)).changed)
    lived.insights.acts.record_export([], by="Mum")

    assert without == changed - {one}
    assert read_tools(lived.insights, ViewRequest(filter=MONTH)).changed == ()


def test_one_tool_alone(lived: Mulligan) -> None:
    view = read_tools(
        lived.insights,
        ViewRequest(filter=ViewFilter(window=Window.MONTH, tool="crm/find_customers")),
    )

    every = read_tools(lived.insights, ViewRequest(filter=MONTH))
    assert [row.name for row in view.tools] == ["crm/find_customers"]
    assert sum(part.share.calls for part in view.trend) == view.tools[0].share.calls
    # What it fails beyond the others is the same, whether they are shown or not.
    assert view.tools[0] == next(row for row in every.tools if row.name == "crm/find_customers")


def test_every_agent_of_the_heat_map_has_a_cell(
    lived: Mulligan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "MOST_CELLS", 2)

    view = read_tools(lived.insights, ViewRequest(filter=MONTH))

    assert len(view.heat_tools) == 2
    assert set(view.heat_agents) == {cell.agent for cell in view.heat}


def test_the_failures_listed_for_a_pattern_are_those_that_it_counts(m: Mulligan) -> None:
    @m.tool(effect=Effect.READ)
    def find_order(order: str) -> str:
        raise LookupError(f"order {order} does not exist")

    with m.turn("Find them", agent="desk"):
        for number in range(4):
            with contextlib.suppress(LookupError):  # it is to be seen on the page
                find_order(f"W-{1000 + number}")
    m.flush()
    [row] = read_patterns(m.insights, ViewRequest(filter=MONTH)).rows

    page = read_pattern(m.insights, ViewRequest(filter=MONTH, id=row.fingerprint))

    # A try that was made again is listed too.
    assert row.count == 4 <= len(page.latest)


SLOTS = {
    Slot(0, "", "", "find", "planner"): Rollup(
        calls=100, failures=20, retried=15, repaired=10, suggested=8, suggested_right=6
    ),
    Slot(0, "", "", "find", "helper"): Rollup(calls=50),
}


def test_the_funnel_narrows_from_failures_to_repairs() -> None:
    view = build_repairs(ViewFilter(), SLOTS, trend=())

    assert [(step.name, step.count) for step in view.funnel] == [
        ("failed", 20), ("corrected", 8), ("retried", 15), ("repaired", 10),
    ]  # fmt: skip
    assert view.funnel[-1].share.figure == 0.5
    assert (view.wasted, view.suggestions_right.figure) == (5, 0.75)


def test_who_leans_on_repairs_comes_first() -> None:
    first, second = build_repairs(ViewFilter(), SLOTS, trend=()).agents

    assert (first.agent, first.repaired, first.wasted) == ("planner", 10, 5)
    assert first.needed.figure == 10 / 90
    assert second.needed.figure == 0


@pytest.mark.full
def test_replies_and_drafts_are_counted(lived: Mulligan) -> None:
    view = read_texts(lived.insights, ViewRequest(filter=ViewFilter(window=Window.MONTH)))

    assert sum(point.n for point in view.trend) == view.replies.n > 40
    assert 0 < (view.replies.reflected.figure or 0) < 0.6
    assert view.checks[0].rule.startswith("text.")
    assert view.drafts.n == 30
    assert sum(view.scores.values()) > 0


def test_thumbs_are_counted_and_the_newest_shown(m: Mulligan) -> None:
    reply = "a1" * 16
    for up in (True, True, False):
        m.rate(reply, up=up, note="" if up else "Too long.")
    m.flush()

    view = read_texts(m.insights, ViewRequest())

    assert (view.rated, round(view.rated_up.figure or 0, 2)) == (3, 0.67)
    assert (view.thumbs[0].note, view.thumbs[0].of) == ("Too long.", reply)


@pytest.mark.parametrize(
    ("number", "first", "last"), [(1, 1, 20), (2, 21, 40), (3, 41, 41), (9, 41, 41)]
)
def test_a_list_is_cut_into_pages(number: int, first: int, last: int) -> None:
    paging, rows = cut_page(range(1, 42), number=number)

    assert (paging.first, paging.last, paging.pages) == (first, last, 3)
    assert (rows[0], rows[-1]) == (first, last)


def test_a_pulse_stays_until_something_happens(stage: Stage) -> None:
    insights = stage.m.insights
    first = insights.read_change_token()
    assert insights.read_change_token() == first

    run_apart(stage.hold())
    held = insights.read_change_token()
    run_apart(stage.fail(repaired=0))
    stage.m.flush()
    called = insights.read_change_token()

    assert held.open_mark != first.open_mark
    assert called.last_row != held.last_row
    new = insights.list_new_rows(after=held.last_row)
    assert [row.tool for row in new] == ["find_events", "share_file"]


def test_who_reads_for_a_tenant_has_a_store_of_its_rows_alone() -> None:
    store = open_store("memory:")
    store.log.write(Batch(rows=[make_log_row(n, tenant=t) for n, t in enumerate(("a", "b"))]))

    def read(tenant: str | None) -> list[str]:
        reader = StoreReader(store, tenant=tenant, settings=Settings())
        return sorted(row.tenant for row in reader.store.log.list_rows(LogQuery()))

    assert (read("a"), read("b"), read(None)) == (["a"], ["b"], ["a", "b"])
