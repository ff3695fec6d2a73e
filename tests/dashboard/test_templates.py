"""Pages in a real browser: what a person sees, and what happens when they press something."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from mulligan import Mulligan
from mulligan.core.log_query import LogQuery
from mulligan.dashboard.sections import SECTIONS
from mulligan.dashboard.security.roles import Role
from tests.dashboard.conftest import Visit
from tests.dashboard.stage import Stage, run_apart

PATHS = [section.path for section in SECTIONS]
PHONE = {"viewport": {"width": 390, "height": 780}}


def find_serious(page: Page) -> list[str]:
    """What an accessibility check calls serious or worse."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:120]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def is_too_wide(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_with_data_is_whole_and_accessible(
    visit: Visit, filled: Stage, path: str, scheme: str
) -> None:
    page = visit(filled.m, path, color_scheme=scheme)

    expect(page.locator("h1")).to_be_visible()
    assert page.locator("html").get_attribute("data-theme") == scheme
    assert find_serious(page) == []
    assert not is_too_wide(page)


@pytest.mark.parametrize("path", PATHS)
def test_a_page_without_data_says_so(visit: Visit, m: Mulligan, path: str) -> None:
    page = visit(m, path)

    expect(page.locator("h1")).to_be_visible()
    assert find_serious(page) == []


@pytest.mark.parametrize("path", PATHS)
def test_a_page_fits_a_phone(visit: Visit, filled: Stage, path: str) -> None:
    page = visit(filled.m, path, **PHONE)

    assert not is_too_wide(page)
    assert find_serious(page) == []
    page.get_by_text("Menu", exact=True).click()
    expect(page.get_by_role("link", name="Overview")).to_be_visible()


def press(page: Page, name: str, *, row: str, note: str = "") -> None:
    page.locator("tr", has_text=row).get_by_role("button", name=name).click()
    if note:
        page.get_by_label("Note").fill(note)
    page.locator("dialog").get_by_role("button", name=name).click()
    expect(page.locator("dialog")).to_be_hidden()


def test_an_approved_call_is_made_once(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/open")

    press(page, "Approve", row="Picnic")

    expect(page.locator("tr", has_text="Picnic")).to_have_count(0)
    assert filled.sent == ["Picnic"]
    rows = filled.m.insights.log(LogQuery(server="(mulligan)", tool="person.acted"))
    assert [(row.agent, row.context.split()[0]) for row in rows] == [("Mum", "approve")]


def test_a_denied_call_is_never_made(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/open")

    press(page, "Deny", row="Lunch", note="Not now")

    expect(page.locator("tr", has_text="Lunch")).to_have_count(0)
    assert filled.sent == []
    assert "denied" not in filled.states()


def test_an_undo_is_carried_out(visit: Visit, filled: Stage) -> None:
    assert filled.days == {"dinner": "Sunday"}
    page = visit(filled.m, "/open")

    press(page, "Undo", row="Move event")

    expect(page.locator("tr", has_text="Move event")).to_have_count(0)
    assert filled.days == {"dinner": "Friday"}
    assert filled.states() == ["held", "held"]


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


def test_what_happens_meanwhile_shows_by_itself(visit: Visit, stage: Stage) -> None:
    page = visit(stage.m, "/open")
    expect(page.get_by_text("Nothing is open.")).to_be_visible()
    expect(page.locator("#live")).to_have_attribute("data-on", "yes")
    page.wait_for_timeout(1_500)

    run_apart(stage.hold("Breakfast"))

    expect(page.locator("tr", has_text="Breakfast")).to_have_count(1)


def test_a_filter_stays_in_the_address(visit: Visit, filled: Stage) -> None:
    page = visit(filled.m, "/")

    page.get_by_label("Agent").select_option("helper")
    page.wait_for_url("**/?agent=helper")
    page.locator("nav").get_by_role("link", name="Open").click()
    page.wait_for_url("**/open?agent=helper")

    expect(page.get_by_text("Nothing is open.")).to_be_visible()
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
