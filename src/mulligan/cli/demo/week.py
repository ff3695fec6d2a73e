"""The family's week from its first request to what is left of it on the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from mulligan.app.insights import Insights
from mulligan.app.settings import Settings
from mulligan.cli.demo.family import Phone, open_family
from mulligan.cli.demo.flaky import count_secrets, look_around
from mulligan.cli.demo.story import Facts, Story
from mulligan.cli.demo.telling import Teller
from mulligan.core.action import Action
from mulligan.core.call import LogRow
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.log_query import LogQuery
from mulligan.packs.calendar import Event
from mulligan.testing.line import Line, LineWrite, line_to
from mulligan.testing.radicale import radicale_server


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """All that the story came to."""

    facts: Facts
    written: Sequence[LineWrite]
    """Every write of the family's program that reached the server."""
    events: Sequence[Event]
    """What the server has in the end."""
    left: Sequence[Action]
    """What needed a person in the end."""
    still_open: Sequence[Action]
    """The same, after that person's note."""
    rows: Sequence[LogRow]
    found: Mapping[str, int]
    """How often each secret was found on the disk."""
    searched: int
    """Bytes."""


def live_the_week(folder: Path, tell: Teller) -> Week:
    """Tell it as it happens, on a calendar server that is there as long as it lasts."""
    store = f"sqlite:///{folder}/demo.db"
    tell.show_heading("An agent plans a family's week. Today is Sunday, November 15.")
    with radicale_server() as server, line_to(server.url) as line:
        calendar = server.calendar()
        facts, events = asyncio.run(_plan(store, calendar, line=line, tell=tell))
    with Insights.open(Settings(store=store)) as insights:
        rows = insights.log(LogQuery(oldest_first=True))
        left = insights.open_list.actions()
        for action in left:
            insights.open_list.settle(action.id, note="Mum's edit stands.")
        still_open = insights.open_list.actions()
    files = [file for file in folder.iterdir() if file.name.startswith("demo")]
    return Week(
        facts=facts,
        written=line.written,
        events=events,
        left=left,
        still_open=still_open,
        rows=rows,
        found=count_secrets(files),
        searched=sum(file.stat().st_size for file in files),
    )


async def _plan(
    store: str, calendar: str, *, line: Line, tell: Teller
) -> tuple[Facts, Sequence[Event]]:
    """The family's program reaches the server by the line that loses answers; Mum does not."""
    with closing(Phone.connect(calendar)) as phone:
        async with open_family(store, line.rewrite_url(calendar), tell=tell) as family:
            story = Story(family=family, phone=phone, line=line, store=store)
            facts = await story.plan_the_week()
            await look_around(family.m, tell)
        return facts, await phone.list_week()
