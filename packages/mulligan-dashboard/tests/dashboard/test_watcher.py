from __future__ import annotations

import json
from typing import Any

from mulligan.insights.filters import ViewFilter
from mulligan_dashboard.live import RESYNC, Client, Hub, Watcher
from tests.dashboard.stage import Stage


def read_news(client: Client) -> list[tuple[str, Any]]:
    parts = [part for part in client.take().decode().split("\n\n") if part]
    lines = [part.split("\ndata: ") for part in parts]
    return [(event.removeprefix("event: "), json.loads(data)) for event, data in lines]


async def test_what_is_new_is_told_once(stage: Stage) -> None:
    hub, client = Hub(), Client()
    hub.clients.add(client)
    watcher = Watcher(stage.m.insights, hub)
    await watcher.look()

    await stage.hold()
    await stage.fail()
    stage.m.flush()
    await watcher.look()
    first = read_news(client)
    await watcher.look()

    event, calls = first[0]
    assert (event, len(first)) == ("calls", 2)
    assert [each["tool"] for each in calls] == [
        "find_events", "find_events", "find_events", "share_file",
    ]  # fmt: skip
    assert first[-1] == ("changed", {"topics": ["calls", "open"]})
    assert read_news(client) == []


async def test_a_page_that_was_made_before_the_first_look_is_made_anew(stage: Stage) -> None:
    hub, insights = Hub(), stage.m.insights
    watcher = Watcher(insights, hub)
    early = Client(made_at=watcher.read_mark())
    hub.clients.add(early)

    await watcher.look()
    in_time = Client(made_at=watcher.read_mark())
    hub.clients.add(in_time)
    await watcher.look()

    assert early.take() == RESYNC
    assert in_time.take() == b""


async def test_who_asks_after_the_news_is_shown_them(stage: Stage) -> None:
    insights = stage.m.insights
    watcher = Watcher(insights, Hub())
    await watcher.look()
    before = len(insights.list_open(ViewFilter()))

    await stage.hold()
    await watcher.look()

    assert (before, len(insights.list_open(ViewFilter()))) == (0, 1)
