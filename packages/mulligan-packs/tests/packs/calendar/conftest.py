"""One Radicale for each test process, and a calendar of its own for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.process.fault_points import watch_points
from mulligan_packs.calendar import CalDAV
from mulligan_testing.line import Line, line_to
from mulligan_testing.radicale import RadicaleServer, radicale_server
from tests.packs.calendar.family import Family, rejects_everything


@pytest.fixture(scope="session")
def radicale() -> Iterator[RadicaleServer]:
    with radicale_server() as server:
        yield server


@pytest.fixture
def calendar_url(radicale: RadicaleServer) -> str:
    return radicale.calendar()


@pytest.fixture
def line(radicale: RadicaleServer) -> Iterator[Line]:
    with line_to(radicale.url) as between:
        yield between


@pytest.fixture
def open_calendar() -> Iterator[Callable[[str], CalDAV]]:
    """Opens calendars, and lets go of them after the test."""
    opened: list[CalDAV] = []

    def opens(url: str) -> CalDAV:
        opened.append(CalDAV(url, timeout=120))
        return opened[-1]

    yield opens
    for calendar in opened:
        calendar.close()


@pytest.fixture
async def family(
    radicale: RadicaleServer, calendar_url: str, line: Line, tmp_path: Path
) -> AsyncIterator[Family]:
    """An application whose reviewer rejects everything, over a line that can lose answers."""
    store = f"sqlite:///{tmp_path}/family.db"
    async with Mulligan(store, checks=[rejects_everything], recover=False) as m:
        family = Family.of(m, radicale=radicale, calendar_url=calendar_url, line=line)
        yield family
    family.calendar.close()
    watch_points(None)
