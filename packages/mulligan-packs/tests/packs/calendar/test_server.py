"""One calendar over the wire: found wherever it lies, and every failure has a class."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mulligan.learning.classify import classify
from mulligan.types.call import Call
from mulligan.types.failure import ErrorClass
from mulligan_packs.calendar import CalDAV
from mulligan_packs.calendar.errors import CalendarError, ChangedSinceError
from mulligan_packs.calendar.events import Invited, Stored
from mulligan_packs.calendar.server import MOST_CACHED, EtagCache
from mulligan_packs.calendar.text import create_text
from mulligan_testing.line import Line, LineFault
from mulligan_testing.radicale import RadicaleServer
from tests.packs.calendar.family import event_text

pytestmark = pytest.mark.full

Open = Callable[[str], CalDAV]
LOST = [LineFault.LOST_AFTER, LineFault.LOST_BEFORE, LineFault.BROKEN_AFTER]


def class_of(error: BaseException) -> ErrorClass:
    return classify(Call(id="c", tool="t"), error).error_class


def test_an_event_is_found_whatever_its_file_is_called(
    open_calendar: Open, radicale: RadicaleServer, calendar_url: str
) -> None:
    radicale.put(calendar_url, event_text(1), name="what-another-program-chose.ics")
    calendar = open_calendar(calendar_url)

    found = calendar.get("event-1")

    assert found is not None
    assert found.href.endswith("/what-another-program-chose.ics")
    [exported] = radicale.export(calendar_url).values()
    assert found.text.encode() == exported
    assert calendar.get("event-2") is None


@pytest.mark.parametrize("event_id", ["a/b c", "dinner@example.org", "Grüße", "100%"])
def test_any_id_can_be_written_and_read_again(
    open_calendar: Open, calendar_url: str, event_id: str
) -> None:
    calendar = open_calendar(calendar_url)
    changes = {"title": "Dinner", "start": "2026-11-20"}
    text = create_text(event_id, changes, invited=Invited(), zone=None)
    new = Stored(id=event_id, href=calendar.build_href(event_id), text=text, etag="")

    written = calendar.put(new, if_match=None)

    found = calendar.get(event_id)
    assert found is not None
    assert (found.id, found.etag) == (event_id, written.etag)
    with pytest.raises(ChangedSinceError):
        open_calendar(calendar_url).put(new, if_match=None)


def test_a_server_that_is_not_there_was_never_sent_anything(open_calendar: Open) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        calendar = open_calendar(f"http://127.0.0.1:{taken.getsockname()[1]}/cal/")

        with pytest.raises(ConnectionRefusedError) as failed:
            calendar.get("event-1")

    assert class_of(failed.value) is ErrorClass.NOT_SENT


def test_a_server_on_this_machine_is_reached_whatever_is_said_about_proxies(
    open_calendar: Open, radicale: RadicaleServer, calendar_url: str, monkeypatch
) -> None:
    radicale.put(calendar_url, event_text(1), name="event-1.ics")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, nowhere)

        found = open_calendar(calendar_url).get("event-1")

    assert found is not None


@pytest.mark.parametrize("fault", LOST)
def test_a_write_without_an_answer_is_ambiguous(
    open_calendar: Open, line: Line, radicale: RadicaleServer, calendar_url: str, fault: LineFault
) -> None:
    radicale.put(calendar_url, event_text(1), name="event-1.ics")
    calendar = open_calendar(line.rewrite_url(calendar_url))
    found = calendar.get("event-1")
    line.faults[:] = [fault]

    with pytest.raises((OSError, CalendarError)) as failed:
        calendar.delete(found, if_match=found.etag)

    assert class_of(failed.value) is ErrorClass.AMBIGUOUS


def test_an_answer_that_is_no_calendar_is_not_taken_for_one(
    open_calendar: Open, line: Line, calendar_url: str
) -> None:
    line.strange = True
    calendar = open_calendar(line.rewrite_url(calendar_url))

    with pytest.raises(CalendarError, match="no calendar"):
        calendar.get("event-1")


class ApacheAnswers(BaseHTTPRequestHandler):
    """Compresses what it can, under an ETag that it refuses as a condition."""

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        text, tag = event_text(1).encode(), '"v1"'
        self.send_response(200)
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            text, tag = gzip.compress(text), '"v1-gzip"'
            self.send_header("Content-Encoding", "gzip")
        self.send_header("ETag", tag)
        self.send_header("Content-Type", "text/calendar")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def test_the_version_of_an_event_is_not_that_of_a_compressed_answer(open_calendar: Open) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), ApacheAnswers) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        found = open_calendar(f"http://127.0.0.1:{server.server_port}/").get("event-1")
        server.shutdown()

    assert found is not None
    assert found.etag == '"v1"'


def test_what_lies_in_a_stretch_of_time_is_listed(
    open_calendar: Open, radicale: RadicaleServer, calendar_url: str
) -> None:
    radicale.put(calendar_url, event_text(1), name="event-1.ics")
    calendar, at = open_calendar(calendar_url), datetime(2026, 11, 18, 18, tzinfo=UTC)

    assert [each.id for each in calendar.list_events(at, at + timedelta(hours=1))] == ["event-1"]
    assert calendar.list_events(at + timedelta(days=1), at + timedelta(days=2)) == []


def stored(number: int) -> Stored:
    return Stored(id="e", href="", text=f"text {number}", etag=f'"{number}"')


def test_a_text_is_known_by_its_version_as_long_as_there_is_room() -> None:
    memory = EtagCache()

    for number in range(MOST_CACHED + 1):
        memory.keep(stored(number))

    assert memory.find_version("e", '"0"') is None
    assert memory.find_version("e", '"1"') == stored(1)
    assert memory.find_version("other", '"1"') is None


def test_only_a_second_write_over_the_same_version_is_one_again() -> None:
    memory = EtagCache()

    sent = [memory.send("a", '"1"'), memory.send("a", '"2"'), memory.send("a", None)]
    again = [memory.send("a", '"1"'), memory.send("a", None), memory.send("b", None)]

    assert sent == [False, False, False]
    assert again == [True, True, False]


def test_a_version_that_is_back_can_be_written_over_anew() -> None:
    memory = EtagCache()
    memory.send("a", '"1"')

    memory.reach("a", '"1"')

    assert memory.send("a", '"1"') is False
