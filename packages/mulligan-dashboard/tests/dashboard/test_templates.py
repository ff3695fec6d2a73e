"""Pages in a real browser: what a person sees, and what happens when they press something."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from mulligan import Mulligan
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.lessons import read_lessons
from mulligan.insights.open_actions import read_action, read_open
from mulligan.insights.patterns import read_patterns
from mulligan.insights.tasks import read_tasks
from mulligan.insights.turns import read_turns
from mulligan.loops.actions import Attempted
from mulligan.types.action import Entry, Opening, State
from mulligan.types.call import LogRow
from mulligan.types.effect import Effect
from mulligan.types.failure import ErrorClass
from mulligan.types.finding import Finding, Severity, Standing
from mulligan.types.lesson import Lesson, LessonState, Pattern, Remedy
from mulligan.types.log import Batch, LogQuery, roll_up
from mulligan.types.values import make_uuid7, to_us
from mulligan_dashboard.sections import SECTIONS
from mulligan_dashboard.security import Role
from tests.dashboard.conftest import Visit
from tests.dashboard.stage import Stage, run_apart

pytestmark = pytest.mark.full

PATHS = [section.path for section in SECTIONS]
PHONE = {"viewport": {"width": 390, "height": 780}}


def find_serious(page: Page, *rules: str) -> list[str]:
    """What an accessibility check calls serious or worse, by some of its rules or by all."""
    asked: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        asked["runOnly"] = {"type": "rule", "values": rules}
    found = Axe().run(page, options=asked).response["violations"]
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:120]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def refuse_first(page: Page, path: str) -> list[int]:
    """Answer the first request for something as a server does that is busy; the answers so far."""
    given: list[int] = []

    def answer(route: Route) -> None:
        if given:
            route.continue_()
            return
        given.append(503)
        route.fulfill(status=503, body="busy")

    page.route(path, answer)
    return given


def is_too_wide(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


def list_pages(m: Mulligan) -> list[str]:
    """Every page, also one of each kind that is about one thing."""
    insights = m.insights
    month = ViewFilter(window=Window.MONTH)
    lessons = read_lessons(insights, ViewRequest(filter=month)).rows
    found = {
        "/open": [item.id for item in read_open(insights, ViewRequest(filter=month)).items],
        "/turns": [row.turn for row in read_turns(insights, ViewRequest(filter=month)).rows],
        "/patterns": [
            row.fingerprint for row in read_patterns(insights, ViewRequest(filter=month)).rows
        ],
        "/lessons": [seen.lesson.id for seen in lessons],
        "/tasks": [row.ground.task for row in read_tasks(insights, ViewRequest(filter=month)).rows],
    }
    return PATHS + [f"{path}/{ids[0]}" for path, ids in found.items() if ids]


def look_at(
    page: Page, path: str, *, closely: bool = True, rules: tuple[str, ...] = ()
) -> list[str]:
    """What is wrong with a page; closely: also for those who cannot see it."""
    root = re.match(r"http://[^/]+", page.url)
    assert root is not None
    page.goto(f"{root[0]}{path}?window=30d")
    expect(page.locator("h1")).to_be_visible()
    wide = ["wider than its screen"] if is_too_wide(page) else []
    found = find_serious(page, *rules) if closely else []
    return [f"{path}: {each}" for each in (*wide, *found)]


@pytest.mark.parametrize(("scheme", "rules"), [("light", ()), ("dark", ("color-contrast",))])
def test_every_page_with_data_is_whole_and_accessible(
    visit: Visit, lived: Mulligan, scheme: str, rules: tuple[str, ...]
) -> None:
    """In the dark, only the colours are others."""
    page = visit(lived, color_scheme=scheme)
    pages = list_pages(lived)

    trouble = [each for path in pages for each in look_at(page, path, rules=rules)]

    assert len(pages) == len(PATHS) + 5
    assert trouble == []
    assert page.locator("html").get_attribute("data-theme") == scheme


def test_every_page_without_data_says_so(visit: Visit, m: Mulligan) -> None:
    page = visit(m)

    assert [each for path in PATHS for each in look_at(page, path, closely=False)] == []
    for path in ("/open", "/turns", "/tools", "/patterns", "/repairs", "/texts", "/tasks"):
        look_at(page, path, closely=False)
        expect(page.locator(".empty")).to_be_visible()


def test_every_page_fits_a_phone(visit: Visit, lived: Mulligan) -> None:
    page = visit(lived, **PHONE)

    pages = list_pages(lived)
    assert [each for path in pages for each in look_at(page, path, closely=False)] == []
    page.get_by_text("Menu", exact=True).click()
    expect(page.get_by_role("link", name="Overview")).to_be_visible()


def test_every_chart_is_drawn(visit: Visit, lived: Mulligan) -> None:
    page = visit(lived, "/?window=30d")

    for path in ("/", "/tools", "/repairs", "/texts"):
        page.goto(re.sub(r"(http://[^/]+).*", rf"\1{path}?window=30d", page.url))
        expect(page.locator(".chart canvas").first).to_be_visible()
        assert page.locator(".chart canvas").count() == page.locator(".chart").count()


def test_a_page_that_is_drawn_again_and_again_listens_no_more_than_at_first(
    visit: Visit, lived: Mulligan
) -> None:
    page = visit(lived, "/?window=30d")
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable")

    def count() -> float:
        cdp.send("HeapProfiler.collectGarbage")
        found = cdp.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in found if each["name"] == "JSEventListeners")

    expect(page.locator(".chart canvas").first).to_be_visible()
    seen = []
    for _ in range(2):
        for _ in range(20):
            page.evaluate("last = ''; refresh()")
        seen.append(count())

    assert seen[1] <= seen[0]


def test_a_figure_leads_to_what_it_counts(visit: Visit, lived: Mulligan) -> None:
    page = visit(lived, "/tools?window=30d")

    row = page.locator("tr", has_text="find_events").first
    row.locator("td[data-label='Excess failures'] a").click()

    page.wait_for_url("**/patterns?window=30d&tool=*find_events")
    expect(page.locator("td[data-label='Tool']").first).to_have_text("find_events")
    page.get_by_role("link", name=re.compile("room")).first.click()
    page.locator("td[data-label='Turn'] a").first.click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()


def press(page: Page, name: str, *, row: str, note: str = "") -> None:
    page.locator("tr", has_text=row).get_by_role("button", name=name).click()
    if note:
        page.get_by_label("Note").fill(note)
    page.locator("dialog").get_by_role("button", name=name).click()
    expect(page.locator("dialog")).to_be_hidden()


def test_what_is_decided_on_the_page_is_carried_out(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/open")

    press(page, "Approve", row="Picnic")
    press(page, "Deny", row="Lunch", note="Not now")
    press(page, "Undo", row="Move event")

    expect(page.get_by_text("Nothing is open.")).to_be_visible()
    assert (filled.sent, filled.days) == (["Picnic"], {"dinner": "Friday"})
    assert filled.states() == []
    rows = filled.m.insights.log(LogQuery(server="(mulligan)", tool="person.acted"))
    acts = [(row.agent, row.context.split()[0]) for row in rows]
    assert acts == [("Mum", "undo"), ("Mum", "deny"), ("Mum", "approve")]


def test_the_list_and_the_page_say_what_the_terminal_says(visit: Visit, filled: Stage) -> None:
    [held, *_] = filled.m.insights.open_list.actions()
    asked = ViewRequest(id=held.id, decides=True)
    with ThreadPoolExecutor() as pool:  # the browser's own thread has a loop
        brief = pool.submit(read_action, filled.m.insights, asked).result().brief
    page = visit(filled.m, "/open")

    page.locator("tr", has_text="Picnic").get_by_role("button", name="Approve").click()
    expect(page.locator("#confirm-yes")).to_be_enabled()

    shown = list(zip(
        page.locator("#confirm-details dt").all_inner_texts(),
        page.locator("#confirm-details dd").all_inner_texts(),
        strict=True,
    ))  # fmt: skip
    assert shown == [(line.name, line.text) for line in brief]
    assert ("Effect", "irreversible: once made, it cannot be undone") in shown
    expect(page.locator("#confirm-does")).to_contain_text("If it has not run by")


def test_several_holds_are_decided_at_once_and_all_are_read(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/open")

    for box in page.locator("[data-pick]").all():
        box.check()
    page.locator("[data-many='approve']").click()
    details = page.locator("#confirm-details")
    expect(details.get_by_text("Tell them: Picnic")).to_be_visible()
    expect(details.get_by_text("Tell them: Lunch")).to_be_visible()
    assert find_serious(page) == []
    page.locator("dialog").get_by_role("button", name="Approve").click()

    expect(page.locator("dialog")).to_be_hidden()
    expect(page.locator("[data-pick]")).to_have_count(0)
    assert sorted(filled.sent) == ["Lunch", "Picnic"]


def test_the_jobs_of_an_operator_take_three_clicks_at_most(visit: Visit, lived: Mulligan) -> None:
    """Each from the overview, counted; filters are links or one choice."""
    page = visit(lived, "/?window=30d")
    clicks: list[str] = []

    def click(name: str) -> None:
        clicks.append(name)
        page.locator(name).first.click()

    def begin() -> None:
        page.goto(re.sub(r"(http://[^/]+).*", r"\1/?window=30d", page.url))
        clicks.clear()

    begin()
    page.get_by_label("Agent").select_option("billing")  # why did an agent fail
    page.wait_for_url("**agent=billing**")
    click("nav >> text=Turns")
    click("text=With a failed call")
    expect(page.locator("td[data-label='Failed'] .bad").first).to_be_visible()
    assert len(clicks) + 1 <= 3

    begin()
    click("nav >> text=Actions")  # undo something settled
    click("button[data-act$='/undo']")
    expect(page.locator("#confirm-yes")).to_be_enabled()
    assert len(clicks) + 1 <= 3

    begin()
    click("nav >> text=Tools")  # which tool is worst, and why
    click("td[data-label='Excess failures'] a")
    expect(page.locator("td[data-label='What fails'] a").first).to_be_visible()
    assert len(clicks) <= 3

    begin()
    click("text=7d")  # this week beside the last
    expect(page.get_by_text("This period beside the one before")).to_be_visible()
    assert len(clicks) <= 3

    begin()
    click("nav >> text=Lessons")  # revoke a lesson
    click("td a[href^='/lessons/']")
    click("button[data-act$='/revoke']")
    expect(page.locator("#confirm-yes")).to_be_enabled()
    assert len(clicks) <= 3

    begin()
    click("nav >> text=Does it help?")
    expect(page.get_by_text("Lift against the control group")).to_be_visible()
    expect(page.get_by_role("link", name="CSV")).to_be_visible()  # export what one sees


def test_a_key_leads_to_the_search_and_the_search_to_what_was_found(
    visit: Visit, filled: Stage
) -> None:
    page = visit(filled.m, "/health")

    page.keyboard.press("/")
    page.wait_for_url("**/search#look")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("share")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?text=share")
    assert find_serious(page) == []
    page.get_by_role("link", name="share_file").first.click()

    page.wait_for_url("**/tools?tool=share_file")


def test_a_rule_is_softened_for_one_tool_until_a_day_and_counts_again(
    visit: Visit, m: Mulligan
) -> None:
    def flag(attempted: Attempted) -> Iterator[Finding]:
        for each in attempted.executions:
            told = {"severity": Severity.ERROR, "issue": "Too late.", "call": each.call.id}
            yield Finding(rule="day.late", **told)

    def work() -> Standing:
        with Mulligan(m.insights.settings.store, checks=[flag], attempts=1, recover=False) as other:
            days = {"dinner": 20}
            declared = {"before": lambda _: dict(days), "undo": lambda r: days.update(r.before)}

            @other.tool(effect="reversible", **declared)
            def move(day: int) -> None:
                days["dinner"] = day

            return other.act_sync("The 21st", lambda _: move(21), agent="planner").standing

    with ThreadPoolExecutor() as pool:  # the browser's own thread has a loop
        assert pool.submit(work).result() is Standing.REJECTED
        page = visit(m, "/rules")
        page.locator("tr", has_text="day.late").get_by_role("button", name="Soften").click()
        expect(page.locator("#confirm-yes")).to_be_enabled()
        assert page.locator("#confirm-scope option").all_inner_texts() == [
            "of move by planner", "of move", "by planner", "all",
        ]  # fmt: skip
        page.get_by_label("Which calls").select_option("of move")
        page.get_by_label("Until the end of").fill("2099-12-31")
        page.get_by_label("Note").fill("The parser is being mended.")
        assert find_serious(page) == []
        page.locator("dialog").get_by_role("button", name="Soften").click()
        said = page.locator("tr", has_text="The parser is being mended.")
        expect(said).to_contain_text("2099-12-31")
        expect(said).to_contain_text("Mum")

        assert pool.submit(work).result() is Standing.ACCEPTED
        said.get_by_role("button", name="End").click()
        page.locator("dialog").get_by_role("button", name="End").click()
        expect(said).to_have_count(0)
        assert pool.submit(work).result() is Standing.REJECTED
    assert [each.by for each in m.insights.acts.list_acts()] == ["Mum", "Mum"]


def test_what_is_settled_has_a_note(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/open")

    press(page, "Settle", row="Move event", note="Sunday is fine.")

    expect(page.locator("tr", has_text="Move event")).to_have_count(0)
    assert filled.days == {"dinner": "Sunday"}
    assert filled.states() == ["held", "held"]


def test_who_may_only_look_cannot_press(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/open", role=Role.LOOK)

    for button in page.get_by_role("button", name=re.compile("Approve|Deny|Undo|Settle")).all():
        expect(button).to_be_disabled()


def test_one_action_is_a_page_with_all_it_takes_to_decide(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/open")

    page.get_by_role("link", name=re.compile("Picnic")).click()

    expect(page.locator("blockquote")).to_have_text("Tell them: Picnic")
    expect(page.get_by_text("We start at eight", exact=True)).to_be_visible()
    assert find_serious(page) == []
    page.get_by_role("button", name="Deny").click()
    page.locator("dialog").get_by_role("button", name="Deny").click()
    expect(page.locator("main").get_by_text("denied").first).to_be_visible()


def test_a_call_is_approved_with_what_a_person_writes_on_its_page(
    visit: Visit, filled: Stage
) -> None:
    page = visit(filled.m, "/open")
    page.get_by_role("link", name=re.compile("Picnic")).click()
    subject = page.get_by_label("subject", exact=True)

    subject.fill("Picnic at noon")
    # A page that is drawn again takes nothing away that a person has written.
    page.get_by_role("heading", level=1).click()
    page.evaluate("async () => { last = ''; await refresh(); }")
    expect(subject).to_have_value("Picnic at noon")
    assert find_serious(page) == []
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("#confirm-details").get_by_text("You change subject")).to_be_visible()
    expect(page.locator("#confirm-title")).to_have_text("Approve with changes")
    page.locator("dialog").get_by_role("button", name="Approve with changes").click()

    expect(page.locator("dialog")).to_be_hidden()
    expect(page.get_by_text('{"subject":{"from":"Picnic","to":"Picnic at noon"}}')).to_be_visible()
    assert filled.sent == ["Picnic at noon"]


def test_what_a_tool_does_not_take_is_told_in_the_dialog_and_stays_held(
    visit: Visit, m: Mulligan
) -> None:
    paid = []

    @m.tool(effect=Effect.IRREVERSIBLE)
    def pay(amount: int) -> None:
        paid.append(amount)

    with m.turn("Pay 3"):
        pay(3)
    page = visit(m, "/open", strict=False, **PHONE)
    page.get_by_role("link", name=re.compile("Pay")).first.click()
    amount, dialog = page.get_by_label("amount", exact=True), page.locator("dialog")
    for value, told in (("four", "is no JSON"), ('"4"', "is still held")):
        amount.fill(value)
        page.get_by_role("button", name="Approve").click()
        if told == "is still held":
            dialog.get_by_role("button", name="Approve with changes").click()
        expect(page.locator("#confirm-error")).to_contain_text(told)
        dialog.get_by_role("button", name="Cancel").click()
    too_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    amount.fill("4")
    page.get_by_role("button", name="Approve").click()
    dialog.get_by_role("button", name="Approve with changes").click()

    expect(dialog).to_be_hidden()
    assert (paid, too_wide) == ([4], False)


def press_act(page: Page, name: str, *, nth: int = 0) -> None:
    page.locator("main").get_by_role("button", name=name, exact=True).nth(nth).click()
    page.locator("dialog").get_by_role("button", name=name).click()
    expect(page.locator("dialog")).to_be_hidden()


def test_a_whole_turn_is_undone_as_its_page_has_shown(visit: Visit, stage: Stage) -> None:
    stage.days["lunch"] = "Friday"

    async def move_both() -> None:
        async with stage.m.turn("Move both to Monday", agent="planner") as turn:
            await stage.move_event("dinner", "Monday")
            await stage.move_event("lunch", "Monday")
            await turn.review("Moved.")

    run_apart(move_both())
    stage.m.flush()
    page = visit(stage.m, "/turns")

    page.locator("td[data-label='Turn'] a").first.click()
    page.get_by_role("link", name="Undo this turn…").click()
    expect(page.get_by_text("2 to undo (2 can be, 0 cannot")).to_be_visible()
    assert find_serious(page) == []
    page.get_by_role("button", name="Undo as planned").click()
    page.locator("dialog").get_by_role("button", name="Undo").click()

    expect(page.get_by_text("0 to undo")).to_be_visible()
    assert stage.days == {"dinner": "Friday", "lunch": "Friday"}
    page.get_by_role("link", name="Turns").first.click()
    page.goto(page.url + "?agent=planner")
    page.get_by_role("link", name="Undo what planner did since a time…").click()
    expect(page.get_by_role("textbox", name="Since")).to_be_visible()


def test_a_turn_names_the_rule_that_a_waiver_has_muted(visit: Visit) -> None:
    waiver = {"rule": "check.late", "until": "9999-12-31", "reason": "It is being mended."}
    with Mulligan("memory:", waivers=[waiver]) as m:

        @m.tool(effect="reversible", undo=lambda _: None, read=lambda _: None)
        async def move(day: int) -> None:
            """Move dinner."""

        @m.check("move")
        def late(call: Any) -> str:
            return "It is too late."

        async def agent(_: object) -> str:
            await move(21)
            return "Done."

        run_apart(m.act("Move dinner to the 21st", agent))
        m.flush()
        page = visit(m, "/turns")
        page.locator("td[data-label='Turn'] a").first.click()

        expect(page.get_by_text("Muted by a waiver: check.late")).to_be_visible()
        expect(page.locator(".badge", has_text="verified")).to_have_count(0)


def test_a_lesson_is_revoked_and_approved_again(visit: Visit, lived: Mulligan) -> None:
    lesson = next(path for path in list_pages(lived) if path.startswith("/lessons/"))
    page = visit(lived, lesson)

    press_act(page, "Revoke")
    expect(page.locator("header .badge")).to_have_text("retired")
    retired = lived.insights.lesson_list.read_history(lesson.removeprefix("/lessons/")).lesson
    press_act(page, "Approve")
    expect(page.locator("header .badge")).to_have_text("active")

    assert (retired.state, retired.by) == (LessonState.RETIRED, "Mum")


def test_a_task_is_pinned_and_rolled_back(visit: Visit, lived: Mulligan) -> None:
    page = visit(lived, "/tasks/weekly-report")

    press_act(page, "Pin", nth=1)
    expect(page.get_by_text("pinned by a person")).to_be_visible()
    (pinned,) = lived.insights.task_list.list_tasks()
    press_act(page, "Roll back")
    expect(page.get_by_text("Version 0 is active")).to_be_visible()
    (rolled,) = lived.insights.task_list.list_tasks()

    assert (pinned.pinned, pinned.on_top > 0, rolled.on_top) == (True, True, 0)


def test_who_may_decide_may_not_change_what_was_learned(visit: Visit, lived: Mulligan) -> None:
    page = visit(lived, "/tasks/weekly-report", role=Role.DECIDE)

    for button in page.locator("main").get_by_role("button").all():
        expect(button).to_be_disabled()


def test_what_happens_meanwhile_shows_by_itself(visit: Visit, stage: Stage) -> None:
    page = visit(stage.m, "/open")
    expect(page.get_by_text("Nothing is open.")).to_be_visible()

    # Before anybody has looked for news, and while the page's own answer is kept.
    run_apart(stage.hold("Breakfast"))

    expect(page.locator("tr", has_text="Breakfast")).to_have_count(1)


def test_a_store_that_was_busy_for_a_moment_leaves_no_page_behind(
    visit: Visit, stage: Stage
) -> None:
    page = visit(stage.m, "/open", strict=False)
    expect(page.locator("#live")).to_have_attribute("data-on", "yes")
    busy = refuse_first(page, "**/open")

    run_apart(stage.hold("Breakfast"))

    expect(page.locator("tr", has_text="Breakfast")).to_have_count(1)
    assert busy == [503]


def test_a_page_that_was_not_let_listen_asks_again(visit: Visit, stage: Stage) -> None:
    page = visit(stage.m, "/", strict=False)
    busy = refuse_first(page, "**/stream*")

    page.goto(page.url + "open")
    expect(page.locator("#live")).to_have_attribute("data-on", "no")
    run_apart(stage.hold("Breakfast"))

    expect(page.locator("#live")).to_have_attribute("data-on", "yes")
    expect(page.locator("tr", has_text="Breakfast")).to_have_count(1)
    assert busy == [503]


def test_thousands_of_rows_are_pages_that_open_quickly(visit: Visit, m: Mulligan) -> None:
    plant_many(m, 2_000)
    page = visit(m, "/open")

    for path, shown in (("/open", 20), ("/turns", 20), ("/lessons", 20), ("/patterns", 20)):
        began = time.monotonic()
        assert look_at(page, path, closely=False) == []
        assert page.locator(".list tbody tr").count() == shown
        assert time.monotonic() - began < 30
    page.goto(re.sub(r"/patterns.*", "/open?page=100", page.url))
    expect(page.get_by_text("1,981 – 2,000 of 2,000")).to_be_visible()


def plant_many(m: Mulligan, count: int) -> None:
    """Straight into the store: what matters here is how many there are."""
    now = datetime.now(UTC)
    ids = [make_uuid7(to_us(now, name="now") + n, n) for n in range(count)]
    opening = Opening(tool="send", effect=Effect.IRREVERSIBLE, agent="planner")
    entries = [
        Entry(action=each, state=State.HELD, at=now, version=1, opening=opening) for each in ids
    ]
    for start in range(0, count, 1_000):
        m.insights.store.journal.submit(entries[start : start + 1_000]).result()
    first = m.insights.store.log.list_rows(LogQuery(limit=1))
    assert first == []
    row = LogRow(
        id="", at_us=to_us(now, name="now") - 1, tenant="", agent="planner", server="",
        tool="find", parameters="{}", context="many", outcome="failure", duration_us=1_000,
        error_class="validation", error_type="ValueError", error_message="no", error_code=None,
        error_at=None, result=None, try_number=1, parent=None, turn=None, weight=1.0,
    )  # fmt: skip
    rows = [row._replace(id=f"{each[:-4]}ffff", turn=f"turn{n}") for n, each in enumerate(ids)]
    patterns = {
        each.id: Pattern(
            fingerprint=f"3:{n:016x}", tool="find", error_class=ErrorClass.VALIDATION,
            template=f"error {n}",
        )
        for n, each in enumerate(rows)
    }  # fmt: skip
    m.insights.store.log.write(Batch(rows=rows, rollups=roll_up(rows), patterns=patterns))
    m.insights.store.failures.append(
        [
            Lesson(
                id=f"lesson{n}", version=1, tool="find", error_class=ErrorClass.VALIDATION,
                when="no", statement=f"Lesson {n}", remedy=Remedy(), learned_at=now,
            )
            for n in range(count)
        ]
    )  # fmt: skip


def test_a_filter_stays_in_the_address(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/")

    page.get_by_label("Agent").select_option("helper")
    page.wait_for_url("**/?agent=helper")
    page.locator("nav").get_by_role("link", name="Open").click()
    page.wait_for_url("**/open?agent=helper")

    expect(page.get_by_text("None of these is open.")).to_be_visible()
    page.get_by_role("link", name="Clear").click()
    expect(page.locator("tr", has_text="Picnic")).to_have_count(1)


def test_the_theme_can_be_switched_and_is_kept(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/", color_scheme="light")

    page.get_by_role("button", name="Switch to dark").click()
    page.reload()

    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_every_control_can_be_reached_by_the_keyboard(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/open")
    seen = set()

    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.textContent.trim()"))

    assert {"Skip to the content", "Overview", "Approve", "Deny", "Undo", "Settle"} <= seen
