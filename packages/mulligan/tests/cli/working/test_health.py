from __future__ import annotations

import asyncio
import json

import pytest

from mulligan.app.worker import WorkerHealth
from mulligan.cli.worker import build_response, parse_address, serve_health
from mulligan.types.errors import ConfigurationError

WELL = WorkerHealth(healthy=True, why="Fine.", passes=3, seconds_since_pass=0.5)
ILL = WorkerHealth(healthy=False, why="Away.", passes=3, seconds_since_pass=9.0)


@pytest.mark.parametrize(
    ("request_line", "health", "status"),
    [
        ("GET /health HTTP/1.1", WELL, 200),
        ("GET /health?verbose HTTP/1.1", ILL, 503),
        ("HEAD /health HTTP/1.1", ILL, 503),
        ("GET /live HTTP/1.1", ILL, 200),
        ("GET / HTTP/1.1", WELL, 404),
        ("POST /health HTTP/1.1", WELL, 405),
        ("nonsense", WELL, 405),
    ],
)
def test_a_request_is_answered_by_its_first_line(request_line, health, status) -> None:
    head, _, body = build_response(request_line, lambda: health).partition(b"\r\n\r\n")

    assert head.split()[1] == str(status).encode()
    assert (body == b"") is request_line.startswith("HEAD")


async def test_a_worker_is_asked_over_the_wire() -> None:
    async with serve_health(("127.0.0.1", 0), lambda: WELL) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(), 10)
        writer.close()

    assert json.loads(answer.partition(b"\r\n\r\n")[2])["why"] == "Fine."


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:8391", ("127.0.0.1", 8391)),
        ("[::1]:80", ("::1", 80)),
        (":80", ("127.0.0.1", 80)),
        ("80", ("127.0.0.1", 80)),
    ],
)
def test_an_address_is_read(text, address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["here", "a:b", "a:99999", ""])
def test_what_is_no_address_is_refused(text) -> None:
    with pytest.raises(ConfigurationError, match="HOST:PORT"):
        parse_address(text)


async def test_a_port_that_is_taken_is_named() -> None:
    async with serve_health(("127.0.0.1", 0), lambda: WELL) as port:
        with pytest.raises(ConfigurationError, match=f"{port} cannot be listened on"):
            async with serve_health(("127.0.0.1", port), lambda: WELL):
                pass
