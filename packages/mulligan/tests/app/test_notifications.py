"""Notifications of what needs a person, sent to a server that may be slow, away, or lie."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan, State, Webhook
from mulligan.app import notifications
from mulligan.app.notifications import LIFE, Notifier, sign
from mulligan.settings import Settings
from mulligan.types.action import Entry
from mulligan.types.errors import ConfigurationError
from mulligan_testing.fakes import FixedClock

KEY = bytes(range(32))
Answer = Callable[[BaseHTTPRequestHandler], None]


def take(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.end_headers()


def fail(request: BaseHTTPRequestHandler) -> None:
    request.send_response(500)
    request.end_headers()


def answer_rubbish(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"\x00\xff nothing of HTTP\r\n\r\n")


def reset(request: BaseHTTPRequestHandler) -> None:
    at_once = struct.pack("ii", 1, 0)
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    request.connection.close()


def drip(request: BaseHTTPRequestHandler) -> None:
    """A byte now and then, so that no single read ever waits long."""
    with suppress(OSError):  # whoever asked has gone
        while True:
            request.wfile.write(b"H")
            request.wfile.flush()
            time.sleep(0.02)


def take_with_rubbish(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.send_header("content-length", "1000000")
    request.end_headers()
    request.wfile.write(b"\x00 approved: true")


class Receiver:
    """A server on this machine that answers as it is told, and keeps what it was sent."""

    def __init__(self, *, port: int = 0) -> None:
        self.answers: list[Answer] = []
        """The next ones; with none left, it takes what comes."""
        self.got: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.got.append((headers, body))
                answer = receiver.answers.pop(0) if receiver.answers else take
                self.close_connection = True
                answer(self)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?to=desk"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.got]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


class Desk:
    """An application that holds what it sends, and a notifier that is told when to look."""

    def __init__(self, folder: Path, receiver: Receiver, **said: object) -> None:
        self.clock, self.now = FixedClock(), 0.0
        webhook = {"url": receiver.url, "key": KEY, "page": "https://dash.example.com", **said}
        self.webhook = Webhook(**webhook)
        self.m = Mulligan(f"sqlite:///{folder}/desk.db", recover=False, clock=self.clock)

        @self.m.tool(effect=Effect.IRREVERSIBLE)
        def send(to: str, password: str = "") -> None:
            raise AssertionError

        self.send = send
        self.notifier = self.make_notifier()

    def make_notifier(self, *, within: float = 1.0) -> Notifier:
        return Notifier(
            self.m.insights.store,
            insights=self.m.insights,
            webhook=self.webhook,
            steady=lambda: self.now,
            within=within,
        )

    def hold(self, to: str = "Bea", **given: str) -> str:
        with self.m.turn(f"Send {to} a card", agent="clerk"):
            return self.send(to, **given).hold.action


@pytest.fixture
def desk(tmp_path: Path, receiver: Receiver) -> Iterator[Desk]:
    desk = Desk(tmp_path, receiver)
    with desk.m:
        yield desk


def test_a_held_call_is_told_once_with_a_signature_and_a_link_to_its_page(desk, receiver):
    held = desk.hold(password="hunter2-hunter2")

    sent = [desk.notifier.run_once() for _ in range(3)]
    fresh = desk.make_notifier().run_once()

    [(headers, body)] = receiver.got
    said = json.loads(body)
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mac = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    assert (sent, fresh) == ([1, 0, 0], 0)
    assert headers["webhook-signature"] == f"v1,{mac}"
    assert int(headers["webhook-timestamp"]) == int(desk.clock().timestamp())
    assert (said["type"], said["data"]["action"]) == ("action.held", held)
    assert said["data"]["page"] == f"https://dash.example.com/open/{held}"
    assert b"hunter2" not in body


@pytest.mark.parametrize("answer", [fail, answer_rubbish, reset, drip], ids=lambda a: a.__name__)
def test_what_is_not_taken_is_sent_again_later_under_its_id(desk, receiver, answer, caplog):
    desk.hold()
    receiver.answers = [answer, answer]

    sent = []
    for _ in range(7):
        sent.append(desk.notifier.run_once())
        desk.now += 0.6

    # After a second, and after two more.
    assert sent == [0, 0, 0, 0, 0, 0, 1]
    assert receiver.ids == [receiver.ids[0]] * 3
    assert len({body for _, body in receiver.got}) == 1
    assert receiver.url not in caplog.text


def test_what_a_server_answers_beside_its_status_decides_nothing(desk, receiver):
    held = desk.hold()
    receiver.answers = [take_with_rubbish]

    sent = desk.notifier.run_once()

    assert sent == 1
    assert desk.m.insights.open_list.find(held).state is State.HELD


def test_no_redirect_is_followed(desk, receiver):
    other = Receiver()
    desk.hold()

    def send_on(request: BaseHTTPRequestHandler) -> None:
        request.send_response(307)
        request.send_header("location", other.url)
        request.end_headers()

    receiver.answers = [send_on]
    sent = desk.notifier.run_once()
    other.close()

    assert (sent, len(receiver.got), other.got) == (0, 1, [])


def test_what_is_decided_before_it_could_be_told_is_not_told(desk, receiver):
    held = desk.hold()
    receiver.answers = [fail]
    desk.notifier.run_once()

    desk.m.insights.open_list.deny(held, by="Mum")
    desk.now += 60
    desk.notifier.run_once()

    assert len(receiver.got) == 1


def test_what_has_waited_for_a_day_is_given_up(desk, receiver):
    desk.hold()
    desk.clock.move(LIFE + timedelta(seconds=1))

    assert desk.notifier.run_once() == 0
    assert receiver.got == []


def test_an_undo_that_became_a_conflict_is_told_as_something_new(desk, receiver):
    held = desk.hold()
    desk.notifier.run_once()
    journal = desk.m.insights.store.journal
    at = desk.clock()
    steps = [State.APPROVED, State.INTENT, State.NEEDS_HUMAN]
    for version, state in enumerate(steps, start=2):
        journal.submit([Entry(action=held, state=state, at=at, version=version)]).result()

    desk.notifier.run_once()

    types = [json.loads(body)["type"] for _, body in receiver.got]
    assert types == ["action.held", "action.needs_attention"]
    assert receiver.ids == [f"{held}-1", f"{held}-4"]


def test_while_one_application_sends_another_of_its_store_does_not(desk, tmp_path, receiver):
    arrived, gone = threading.Event(), threading.Event()

    def keep_waiting(request: BaseHTTPRequestHandler) -> None:
        arrived.set()
        gone.wait(60)
        take(request)

    receiver.answers = [keep_waiting]
    desk.hold()
    slow, other = desk.make_notifier(within=60), Desk(tmp_path, receiver)
    sending = threading.Thread(target=slow.run_once)
    with other.m:
        sending.start()
        assert arrived.wait(60)
        meanwhile = other.notifier.run_once()
        gone.set()
        sending.join()
        afterwards = other.notifier.run_once()

    assert (meanwhile, afterwards, len(receiver.got)) == (0, 0, 1)


def test_slack_gets_blocks_in_which_nobody_is_called(tmp_path, receiver):
    desk = Desk(tmp_path, receiver, form="slack", key=None)
    with desk.m:
        held = desk.hold("<!channel> *now*")
        desk.notifier.run_once()

    [(headers, body)] = receiver.got
    said = json.loads(body)
    kinds = [(each["text"]["type"], each["text"]["text"]) for each in said["blocks"]]
    assert "webhook-signature" not in headers
    assert kinds[-1] == ("mrkdwn", f"<https://dash.example.com/open/{held}|Decide on its page>")
    assert [kind for kind, _ in kinds[:-1]] == ["plain_text", "plain_text"]
    assert "<!channel>" not in said["text"]


@pytest.mark.parametrize(
    "said",
    [
        {"url": "file:///etc/passwd", "key": KEY},
        {"url": "https://user:pass@hooks.example.com", "key": KEY},
        {"url": "http://", "key": KEY},
        {"url": "https://hooks.example.com/a b", "key": KEY},
        {"url": "https://hooks.example.com", "key": b"short"},
        {"url": "https://hooks.example.com", "page": "javascript:alert(1)", "key": KEY},
        {"url": "https://hooks.example.com"},
    ],
)
def test_settings_that_send_nowhere_or_unsigned_are_refused(said):
    with pytest.raises(ConfigurationError, match="webhook"):
        Mulligan("memory:", recover=False, webhook=said).close()


def test_the_key_may_come_from_the_environment_and_is_never_shown(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.mulligan.webhook]\nurl = "https://hooks.example.com/s3cret"\n'
    )
    key = base64.b64encode(KEY).decode()

    settings = Settings.load(folder=tmp_path, environment={"MULLIGAN_WEBHOOK_KEY": key})

    assert settings.webhook.key == KEY
    assert "s3cret" not in repr(settings)
    assert repr(KEY) not in repr(settings)


def test_the_signature_is_the_one_of_standard_webhooks():
    # The example of the specification.
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signed = sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", at=1614265330, body=b'{"test": 2432232314}')

    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_an_application_tells_by_itself_and_no_turn_waits_for_it(tmp_path, receiver, monkeypatch):
    monkeypatch.setattr(notifications, "CLOSING", 60.0)
    going_on, answered = threading.Event(), list[int]()

    def keep_waiting(request: BaseHTTPRequestHandler) -> None:
        going_on.wait(60)
        answered.append(1)
        take(request)

    receiver.answers = [keep_waiting]
    webhook = {"url": receiver.url, "key": KEY}
    with Mulligan(f"sqlite:///{tmp_path}/own.db", webhook=webhook) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        def send(to: str) -> None:
            raise AssertionError

        with m.turn("Send it"):
            send("Bea")
        wait_until(lambda: receiver.got)
        with m.turn("Send another"):
            send("Dan")
        while_it_waited = list(answered)
        going_on.set()

    # The second one was told as the program ended.
    assert while_it_waited == []
    assert len(set(receiver.ids)) == len(receiver.got) == 2


PROCESS = """
import sys, time
from mulligan import Effect, Mulligan
url, store, work = sys.argv[1:]
m = Mulligan(store, webhook={"url": url, "key": bytes(range(32))}, lease=2)
@m.tool(effect=Effect.IRREVERSIBLE)
def send(to: str) -> None: ...
for number in range(int(work)):
    with m.turn("Send it"):
        send(f"{number}")
with m.turn("Look around"):
    pass
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that several processes open."""
    sqlite = request.param == "sqlite"
    return f"sqlite:///{tmp_path}/shared.db" if sqlite else request.getfixturevalue("postgres_url")


def run_process(receiver: Receiver, store: str, *, holds: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROCESS, receiver.url, store, str(holds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def stop(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=60)


def wait_until(happened: Callable[[], object], *, within: float = 60.0) -> None:
    until = time.monotonic() + within
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.full
def test_of_two_processes_of_a_store_each_notification_is_sent_by_one(shared, receiver):
    first = run_process(receiver, shared, holds=10)
    second = run_process(receiver, shared, holds=10)
    wait_until(lambda: len(set(receiver.ids)) == 20)
    stop(first)
    stop(second)

    assert sorted(receiver.ids) == sorted(set(receiver.ids))


@pytest.mark.full
def test_what_a_killed_process_could_not_note_is_sent_again_under_its_id(shared, receiver):
    arrived, gone = threading.Event(), threading.Event()

    def keep_waiting(request: BaseHTTPRequestHandler) -> None:
        arrived.set()
        gone.wait(60)

    receiver.answers = [keep_waiting]
    killed = run_process(receiver, shared, holds=1)
    assert arrived.wait(60)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    gone.set()
    next_one = run_process(receiver, shared, holds=0)
    wait_until(lambda: len(receiver.got) == 2)
    stop(next_one)
    for pipe in (killed.stdin, killed.stdout):
        pipe.close()

    first, second = receiver.ids
    assert first == second
