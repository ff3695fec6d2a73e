"""The report in a real browser."""

from __future__ import annotations

import html
import shutil
import time
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from mulligan_replay import replay
from mulligan_replay.page import render_report
from tests.replay.test_hostile import SCRIPT, make

pytestmark = pytest.mark.full

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
QUIET = ("--no-sandbox", "--disable-background-networking", "--disable-component-update")
SECONDS = 2.0


def write_page(folder: Path) -> Path:
    """A report on files that try to get something to run, with as many examples as it takes."""
    paths = []
    for number in range(60):
        path = folder / f"{number}.json"
        path.write_bytes(make(number))
        paths.append(path)
    page = folder / "replay.html"
    page.write_text(render_report(replay(*paths, show_values=True).report), encoding="utf-8")
    return page


def test_a_report_on_hostile_files_opens_quickly_and_runs_nothing(tmp_path):
    path = write_page(tmp_path)
    found = next((each for name in CHROMIUM if (each := shutil.which(name))), None)
    trouble: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(QUIET))
        page = browser.new_page()
        page.on("dialog", lambda dialog: (trouble.append(dialog.message), dialog.dismiss()))
        page.on("console", lambda message: trouble.append(message.text))
        page.on("request", lambda asked: trouble.append(asked.url))
        begun = time.monotonic()
        page.goto(path.as_uri())
        took = time.monotonic() - begun
        scripts = page.locator("script").count()
        shown = page.locator("body").inner_text()
        browser.close()

    assert trouble == [path.as_uri()]
    assert scripts == 0
    assert SCRIPT in page_text(path)
    assert "How this was computed" in shown
    assert took < SECONDS


def page_text(path: Path) -> str:
    """The page's text as a browser would decode it: what was hostile is there, as text."""
    return html.unescape(path.read_text(encoding="utf-8"))
