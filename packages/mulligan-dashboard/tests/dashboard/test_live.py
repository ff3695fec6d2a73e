"""Live updates: pages that listen get them once; one that does not read hinders no other."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from mulligan.insights.filters import ViewFilter
from mulligan_dashboard import live as stream
from mulligan_dashboard.live import MOST_CLIENTS, MOST_MESSAGES, RESYNC, Client, Hub, Watcher
from tests.dashboard.stage import Stage


@pytest.mark.parametrize(("size", "times"), [(10, MOST_MESSAGES + 1), (600 * 1024, 2)])
def test_who_does_not_read_is_told_to_look_at_everything_anew(size: int, times: int) -> None:
    client = Client()

    for _ in range(times + 1_000):
        client.put(b"x" * size)

    assert (len(client.queue), client.size) == (0, 0)
    assert client.take() == RESYNC
    client.put(b"next")
    assert client.take() == b"next"


class Line:
    """The other end of a stream."""

    def __init__(self, *, reads: bool = True) -> None:
        self.got: list[bytes] = []
        self.reads = reads
        self.gone = asyncio.Event()

    async def receive(self) -> dict[str, str]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, object]) -> None:
        if message["type"] == "http.response.body":
            self.got.append(message["body"])
            if not self.reads:
                await asyncio.Event().wait()

    async def wait_for(self, some: bytes) -> None:
        async with asyncio.timeout(60):
            while some not in b"".join(self.got):  # noqa: ASYNC110 - the stream tells nobody
                await asyncio.sleep(0)


async def listen(hub: Hub, line: Line) -> asyncio.Task[None]:
    task = asyncio.create_task(hub.answer()({}, line.receive, line.send))
    for _ in range(5):
        await asyncio.sleep(0)
    return task


async def test_news_reach_who_listens_until_they_go() -> None:
    hub, line = Hub(), Line()
    task = await listen(hub, line)

    hub.publish("call", b'{"tool": "find"}')
    await line.wait_for(b"event: call\n")
    line.gone.set()
    await task

    assert line.got[1:] == [b'event: call\ndata: {"tool": "find"}\n\n']
    assert hub.clients == set()


async def test_who_does_not_read_is_let_go_and_hinders_nobody(monkeypatch) -> None:
    monkeypatch.setattr(stream, "SEND_TIMEOUT", 0.05)
    hub, stuck, live = Hub(), Line(reads=False), Line()
    first, second = await listen(hub, stuck), await listen(hub, live)

    for number in range(20):
        hub.publish("call", str(number).encode())
        await live.wait_for(b"data: %d\n" % number)
    await first

    assert len(hub.clients) == 1
    assert b"".join(live.got).count(b"event: call") == 20
    live.gone.set()
    await second


async def test_there_is_an_end_to_how_many_may_listen() -> None:
    hub = Hub()
    hub.clients |= {Client() for _ in range(MOST_CLIENTS)}

    assert getattr(hub.answer(), "status_code", None) == 503


async def test_silence_is_filled_so_that_the_line_stays(monkeypatch) -> None:
    monkeypatch.setattr(stream, "IDLE", 0.01)
    hub, line = Hub(), Line()
    task = await listen(hub, line)

    await line.wait_for(b": still here\n\n")
    line.gone.set()
    await task


async def test_a_stream_ends_with_the_token_it_was_opened_by() -> None:
    hub, line = Hub(), Line()

    await asyncio.wait_for(hub.answer(left=0.05)({}, line.receive, line.send), 10)
    over = Line()
    await asyncio.wait_for(hub.answer(left=-1)({}, over.receive, over.send), 10)

    assert (hub.clients, over.got) == (set(), [])
    assert line.got[0] == b"retry: 2000\n\n"


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
