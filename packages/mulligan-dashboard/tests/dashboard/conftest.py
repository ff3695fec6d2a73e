"""The dashboard on a port, a browser, and a store behind both."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from mulligan import Mulligan
from mulligan_dashboard.app import create_app
from mulligan_dashboard.security import PageAccess, Role, Sealer, TokenKind, Visitor
from mulligan_dashboard.serving import LINK_LIFE, DashboardServer, PageAddress
from mulligan_demo.history import live_days
from tests.dashboard.stage import Stage, run_apart

# Imported where it is used: most of these tests need no browser.
if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)  # fmt: skip
HOST = {"host": "127.0.0.1"}


@pytest.fixture
def visits() -> ExitStack:
    """Whatever looks at a store: to be ended before the store is closed under it."""
    return ExitStack()


@pytest.fixture
def m(tmp_path: Path, visits: ExitStack) -> Iterator[Mulligan]:
    with Mulligan(f"sqlite:///{tmp_path}/office.db", recover=False) as m, visits:
        yield m


@pytest.fixture
def stage(m: Mulligan) -> Stage:
    return Stage(m)


@pytest.fixture
def filled(stage: Stage) -> Stage:
    run_apart(stage.fill())
    return stage


@pytest.fixture(scope="session")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the store of a month of the office, lived once for all tests and workers."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with (shared / "month.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "month").exists():
            lived = tmp_path_factory.mktemp("month")
            run_apart(live_in_thread(f"sqlite:///{lived}/office.db"))
            lived.rename(shared / "month")
    return shared / "month"


async def live_in_thread(store: str) -> None:
    await asyncio.to_thread(live_days, store, turns=240)


@pytest.fixture
def lived(month: Path, tmp_path: Path, visits: ExitStack) -> Iterator[Mulligan]:
    """An application on a copy of that store."""
    folder = tmp_path / "month"
    shutil.copytree(month, folder)
    with Mulligan(f"sqlite:///{folder}/office.db", recover=False) as m, visits:
        yield m


class Door:
    """The application behind its guard, and keys of every kind."""

    def __init__(self, m: Mulligan) -> None:
        self.now = 1_000_000.0
        self.sealer = Sealer(now=lambda: self.now)
        self.access = PageAccess(sealer=self.sealer, hosts=frozenset({"127.0.0.1"}))
        app = create_app(m.insights, access=self.access, carry_out=m.recover_sync)
        self.client = TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)

    def link(self, role: Role = Role.LOOK, *, name: str = "Mum") -> str:
        visitor = Visitor(name=name, role=role)
        return self.sealer.write(visitor, kind=TokenKind.LINK, life=LINK_LIFE)

    def key(self, role: Role = Role.LOOK) -> dict[str, str]:
        """What a program sends that was given a link."""
        return {"authorization": f"Bearer {self.link(role)}"}


@pytest.fixture
def door(m: Mulligan) -> Iterator[Door]:
    door = Door(m)
    with door.client:
        yield door


@contextmanager
def serve(m: Mulligan) -> Iterator[DashboardServer]:
    server = DashboardServer(m.insights, PageAddress(port=0, name="Mum"), carry_out=m.recover_sync)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    found = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    # Not longer than its tests: those with a loop of their own cannot run beside it.
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=found, args=list(QUIET))


Visit = Callable[..., "Page"]


@pytest.fixture
def visit(browser: Browser, visits: ExitStack) -> Iterator[Visit]:
    """Opens a page of an application's dashboard, and fails where its console has an error."""
    from playwright.sync_api import expect

    trouble: list[str] = []
    servers: dict[int, DashboardServer] = {}

    def open_page(
        m: Mulligan, path: str = "/", *, role: Role = Role.ADMIN, strict: bool = True, **how: object
    ) -> Page:
        if id(m) not in servers:
            servers[id(m)] = visits.enter_context(serve(m))
        server = servers[id(m)]
        context = browser.new_context(**how)
        visits.callback(context.close)
        page = context.new_page()
        # A loaded machine is slow; that says nothing about the page.
        page.set_default_timeout(30_000)
        expect.set_options(timeout=20_000)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        if strict:
            page.on(
                "console",
                lambda said: trouble.append(said.text) if said.type == "error" else None,
            )
        page.goto(server.make_link(role))
        if path != "/":
            page.goto(server.url.rstrip("/") + path)
        return page

    yield open_page
    visits.close()
    assert trouble == []
