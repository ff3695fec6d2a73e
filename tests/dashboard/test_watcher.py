from __future__ import annotations

import json
from typing import Any

from mulligan.app.insights.views import Views
from mulligan.dashboard.stream import Client, Hub
from mulligan.dashboard.watcher import Watcher
from tests.dashboard.stage import Stage


def read_news(client: Client) -> list[tuple[str, Any]]:
    parts = [part for part in client.take().decode().split("\n\n") if part]
    lines = [part.split("\ndata: ") for part in parts]
    return [(event.removeprefix("event: "), json.loads(data)) for event, data in lines]


async def test_what_is_new_is_told_once(stage: Stage) -> None:
    hub, client = Hub(), Client()
    hub.clients.add(client)
    watcher = Watcher(Views(stage.m.insights), hub)
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
