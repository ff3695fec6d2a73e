from __future__ import annotations

import asyncio

import pytest

from mulligan_dashboard import live as stream
from mulligan_dashboard.live import MOST_CLIENTS, MOST_MESSAGES, RESYNC, Client, Hub


def test_what_waits_is_sent_at_once_and_in_order() -> None:
    client = Client()
    client.put(b"1")
    client.put(b"2")

    assert client.take() == b"12"
    assert client.take() == b""


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


async def listen(hub: Hub, line: Line) -> asyncio.Task[None]:
    task = asyncio.create_task(hub.answer()({}, line.receive, line.send))
    for _ in range(5):
        await asyncio.sleep(0)
    return task


async def test_news_reach_who_listens_until_they_go() -> None:
    hub, line = Hub(), Line()
    task = await listen(hub, line)

    hub.publish("call", b'{"tool": "find"}')
    await asyncio.sleep(0.01)
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
        await asyncio.sleep(0.01)
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

    await asyncio.sleep(0.05)
    line.gone.set()
    await task

    assert b": still here\n\n" in line.got


async def test_a_stream_ends_with_the_token_it_was_opened_by() -> None:
    hub, line = Hub(), Line()

    await asyncio.wait_for(hub.answer(left=0.05)({}, line.receive, line.send), 10)
    over = Line()
    await asyncio.wait_for(hub.answer(left=-1)({}, over.receive, over.send), 10)

    assert (hub.clients, over.got) == (set(), [])
    assert line.got[0] == b"retry: 2000\n\n"
