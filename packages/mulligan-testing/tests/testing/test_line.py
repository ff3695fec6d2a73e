"""The line to a server: what it loses, what it hands on, and what it keeps of that."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import RemoteDisconnected
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from mulligan_testing.line import Line, LineFault, line_to

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Notes(ThreadingHTTPServer):
    """A server with one note, and an ETag that counts its writes."""

    daemon_threads = True
    kept: list[str]


class Answer(BaseHTTPRequestHandler):
    server: Notes

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.kept.append(body.decode())
        self._answer("")

    def do_GET(self) -> None:
        self._answer(self.server.kept[-1])

    def _answer(self, text: str) -> None:
        self.send_response_only(200)
        self.send_header("ETag", f"v{len(self.server.kept)}")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture
def server() -> Iterator[Notes]:
    with Notes(("127.0.0.1", 0), Answer) as notes:
        notes.kept = ["milk"]
        thread = Thread(target=notes.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield notes
        notes.shutdown()
        thread.join()


@pytest.fixture
def line(server: Notes) -> Iterator[Line]:
    with line_to(f"http://127.0.0.1:{server.server_port}/") as between:
        yield between


def put(line: Line, text: str) -> str | None:
    request = urllib.request.Request(
        f"{line.url}note", data=text.encode(), method="PUT", headers={"If-Match": "v1"}
    )
    with DIRECT.open(request, timeout=60) as answer:
        return answer.headers["ETag"]


def test_what_is_written_is_handed_on_and_kept(line: Line, server: Notes) -> None:
    etag = put(line, "beer")

    [written] = line.written
    with DIRECT.open(line.rewrite_url(f"{line.upstream}note"), timeout=60) as answer:
        assert answer.read() == b"beer"
    assert etag == written.etag == "v2"
    assert (written.method, written.path, written.over) == ("PUT", "/note", "v1")
    assert (written.body, line.count_done()) == ("beer", 1)


@pytest.mark.parametrize(
    ("fault", "lands"), [(LineFault.LOST_AFTER, True), (LineFault.LOST_BEFORE, False)]
)
def test_a_lost_write_leaves_its_caller_without_an_answer(
    line: Line, server: Notes, fault: LineFault, lands: bool
) -> None:
    line.faults[:] = [fault]

    with pytest.raises(RemoteDisconnected):
        put(line, "beer")

    assert server.kept == (["milk", "beer"] if lands else ["milk"])
    assert line.count_done() == lands


def test_an_answer_can_be_broken_or_tell_no_version(line: Line, server: Notes) -> None:
    line.faults[:] = [LineFault.BROKEN_AFTER, LineFault.NO_ETAG]

    with pytest.raises(urllib.error.HTTPError, match="500"):
        put(line, "beer")
    told = put(line, "wine")

    assert told is None
    assert server.kept == ["milk", "beer", "wine"]
    assert [written.etag for written in line.written] == ["v2", "v3"]
