"""`python -m bench.pictures`: every page of the dashboard as a picture, light, dark and narrow.

A month of the demo's office is lived first, so that the pages show what an application leaves;
with `--store` the store is taken as it is.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.insights import Insights
from mulligan.insights.lessons import read_lessons
from mulligan.insights.open_actions import read_open
from mulligan.insights.patterns import read_patterns
from mulligan.insights.turns import read_turn, read_turns
from mulligan.settings import Settings
from mulligan_dashboard.sections import SECTIONS
from mulligan_dashboard.security import Role
from mulligan_dashboard.serving import DashboardServer, PageAddress
from mulligan_demo.history import live_days

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
QUIET = ("--no-sandbox", "--disable-background-networking", "--disable-component-update")
LOOKS: dict[str, Any] = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 390, "height": 800}, "color_scheme": "light"},
}
TALLEST = 2_400
HIDE_PLACE = """
for (const each of document.querySelectorAll("dd code"))
  if (each.textContent.startsWith("sqlite:")) each.textContent = "sqlite:///office.db"
"""
"""Where the store is on this machine is nobody's business."""


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser(prog="python -m bench.pictures", description=__doc__)
    parser.add_argument("--turns", type=int, default=900, help="of the month (default: 900)")
    parser.add_argument("--folder", type=Path, default=PICTURES)
    parser.add_argument("--store", metavar="URL", help="one with such a month in it already")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = options.store or live_month(f"sqlite:///{folder}/office.db", turns=options.turns)
        found = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
        browser = playwright.chromium.launch(executable_path=found, args=list(QUIET))
        with Insights.open(Settings(store=store)) as insights, serve(insights) as server:
            for look in LOOKS:
                take(browser, server, insights, look=look, folder=options.folder)
        browser.close()


def live_month(store: str, *, turns: int) -> str:
    """The month, on a thread of its own: that of the browser has a loop already."""
    thread = threading.Thread(target=live_days, args=(store,), kwargs={"turns": turns})
    thread.start()
    thread.join()
    return store


def take(
    browser: Browser, server: DashboardServer, insights: Insights, *, look: str, folder: Path
) -> None:
    """Every page in one look."""
    context = browser.new_context(**LOOKS[look])
    page = context.new_page()
    page.goto(server.make_link(Role.ADMIN))
    for name, path in list_pages(insights).items():
        page.goto(server.url.rstrip("/") + path)
        while page.get_by_text("being counted").count():
            page.wait_for_timeout(500)
            page.reload()
        page.wait_for_timeout(400)
        page.evaluate(HIDE_PLACE)
        size = LOOKS[look]["viewport"]
        height = page.evaluate("document.documentElement.scrollHeight")
        # As on a screen that is tall enough: what stays at its edge is at the picture's edge.
        tall = max(size["height"], min(TALLEST, height))
        page.set_viewport_size({"width": size["width"], "height": tall})
        page.wait_for_timeout(300)
        page.screenshot(path=folder / f"{name}-{look}.png")
        page.set_viewport_size(size)
        print(f"{name}-{look}.png")
    context.close()


def list_pages(insights: Insights) -> dict[str, str]:
    """The address of each page, by the name of its picture."""
    month = ViewFilter(window=Window.MONTH)
    corrected = next(
        page
        for turn in list_turns(insights, month)
        for page in [read_turn(insights, ViewRequest(id=turn))]
        if page.standing == "corrected" and page.request
    )
    opened = read_open(insights, ViewRequest(filter=month)).items
    conflict = next((item for item in opened if item.state == "conflict"), opened[0])
    pattern = next(
        row
        for row in read_patterns(insights, ViewRequest(filter=month)).rows
        if (row.tool, row.error_class) == ("update_ticket", "validation")
    )
    lesson = next(
        s for s in read_lessons(insights, ViewRequest(filter=month)).rows if s.lesson.by != "seed"
    )
    return {
        **{each.name: f"{each.path}?window=30d" for each in SECTIONS},
        "overview": "/",
        "open-one": f"/open/{conflict.id}",
        "turns-one": f"/turns/{corrected.row.turn}",
        "patterns-one": f"/patterns/{pattern.fingerprint}",
        "lessons-one": f"/lessons/{lesson.lesson.id}",
        "tasks-one": "/tasks/weekly-report",
    }


def list_turns(insights: Insights, asked: ViewFilter) -> Iterator[str]:
    """The ids of all turns, the newest first."""
    for number in range(1, read_turns(insights, ViewRequest(filter=asked)).paging.pages + 1):
        yield from (
            row.turn for row in read_turns(insights, ViewRequest(filter=asked, page=number)).rows
        )


@contextmanager
def serve(insights: Insights) -> Iterator[DashboardServer]:
    """The dashboard, as long as pictures are taken."""
    server = DashboardServer(insights, PageAddress(port=0, name="Mara"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(10)


if __name__ == "__main__":
    main()
