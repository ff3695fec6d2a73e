"""What reaches the operator's own machine: values, files, cookies, databases, the command line."""

from __future__ import annotations

import asyncio
import functools
import os
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import apsw
import httpx
import psycopg
import pytest

from mulligan import Effect, Mulligan, Redaction
from mulligan.insights.insights import Insights
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.log import LogQuery
from mulligan_dashboard.security import Role
from mulligan_dashboard.serving import DashboardServer, PageAddress
from tests.cli.conftest import store
from tests.cli.running import run
from tests.dashboard.conftest import filled, m, serve, stage, visits
from tests.gateway.world import connect, run_gateway, wait_until

__all__ = ["filled", "m", "stage", "store", "visits"]

LONG = 10**5_000
"""Python refuses to write an integer of so many digits in decimal."""


class Plan(Enum):
    LONG = LONG


class Account:
    def __init__(self, user: object) -> None:
        self.user = user

    def read(self, name: str) -> str:
        return name


def close_over(value: object):
    def read(name: str) -> tuple[str, object]:
        return name, value

    return read


@pytest.mark.parametrize(
    "make",
    [
        lambda value: close_over(value),
        lambda value: close_over(Plan.LONG),
        lambda value: Account(value).read,
        lambda value: functools.partial(lambda held, name: name, value),
    ],
    ids=["a closure", "an enum", "a method", "a partial"],
)
def test_an_integer_of_thousands_of_digits_does_not_stop_a_declaration(make):
    m = Mulligan("memory:")

    tool = m.tool(effect=Effect.READ, name="read")(make(LONG))

    assert tool("Ada") in ("Ada", ("Ada", LONG), ("Ada", Plan.LONG))
    m.close()


def test_an_integer_of_thousands_of_digits_as_a_default_does_not_stop_a_declaration():
    m = Mulligan("memory:")

    @m.tool(effect=Effect.READ)
    def read(limit: int = LONG) -> bool:
        return limit == LONG

    assert read()
    m.close()


def test_a_call_with_an_integer_of_thousands_of_digits_is_made_checked_and_undone(tmp_path):
    held, corrections = {"count": 1}, []

    def refuse_first(changes):
        return [] if corrections else ["That is too much."]

    m = Mulligan(f"sqlite:///{tmp_path}/store.db", checks=[refuse_first])

    @m.tool(
        effect=Effect.REVERSIBLE,
        before=lambda record: dict(held),
        read=lambda record: dict(held),
        undo=lambda record: held.update(record.before),
        version=lambda record: hash(held["count"]),
        about=lambda record: record.arguments["of"],
    )
    def count(of: int, to: int) -> dict:
        held["count"] = to
        return {"count": to, "seen": [{LONG: to}]}

    async def agent(turn):
        if turn.correction is None:
            count(LONG, LONG)
        else:
            corrections.append((turn.correction.text, held["count"]))
            count(1, 2)
        return "Counted."

    asyncio.run(m.act("Count it", agent))
    m.close()

    [(text, after)] = corrections
    assert "Undone and verified" in text
    assert after == 1
    assert held == {"count": 2}


def test_an_approved_call_is_made_by_another_process_with_all_digits_of_its_integer(tmp_path):
    url, made = f"sqlite:///{tmp_path}/store.db", []

    def build() -> tuple[Mulligan, object]:
        m = Mulligan(url)

        @m.tool(effect=Effect.IRREVERSIBLE)
        def send(amount: int) -> None:
            made.append(amount)

        return m, send

    first, send = build()
    asyncio.run(first.act("Send it", lambda turn: str(send(LONG))))
    first.close()
    with Insights.open(Settings(store=url)) as insights:
        [waiting] = insights.open_list.actions()
        insights.open_list.approve(waiting.id, by="Ada")
    second, _ = build()
    asyncio.run(second.recover())
    second.close()

    assert made == [LONG]


def test_an_error_with_an_integer_of_thousands_of_digits_reaches_the_agent_with_its_advice(caplog):
    m = Mulligan("memory:")

    @m.tool(effect=Effect.READ)
    def find(number: int) -> None:
        raise KeyError(number)

    with pytest.raises(KeyError):
        asyncio.run(m.act("Find it", lambda turn: find(LONG)))

    assert "No advice" not in caplog.text
    m.close()


WRITERS = {
    "report": ["report", "-o", "out/page.html"],
    "export": ["export", "out"],
    "parquet": ["export", "out", "--parquet"],
    "evaluation": ["evaluate", "--limit", "1", "--html", "out/page.html"],
    "backup": ["backup", "out"],
}
"""Commands that write files, into a folder of their own."""
posix = pytest.mark.skipif(os.name != "posix", reason="files have no modes here")


@pytest.fixture
def no_umask():
    before = os.umask(0)
    yield
    os.umask(before)


@posix
@pytest.mark.parametrize("command", WRITERS.values(), ids=WRITERS)
def test_no_file_that_a_command_writes_can_be_read_by_others(no_umask, store, command, capsys):
    Path("out").mkdir(mode=0o700)
    for name in ("page.html", "page.svg"):
        Path("out", name).touch(mode=0o666)

    code, _, told = run(capsys, *command, "--store", store)

    written = [file for file in Path("out").iterdir() if file.stat().st_size]
    assert code == 0, told
    assert written
    assert [file for file in written if file.stat().st_mode & 0o077] == []


@posix
@pytest.mark.parametrize("command", ["export", "backup"])
def test_nobody_else_can_put_files_into_a_folder_that_a_command_makes(
    no_umask, store, command, capsys
):
    run(capsys, command, "out", "--store", store)

    assert Path("out").stat().st_mode & 0o077 == 0


@posix
@pytest.mark.parametrize("command", ["report", "evaluation"])
def test_a_planted_link_does_not_have_a_report_written_over_what_it_leads_to(
    store, command, capsys
):
    Path("out").mkdir()
    Path("precious").write_text("precious")
    for name in ("page.html", "page.svg"):
        Path("out", name).symlink_to("../precious")

    code, _, told = run(capsys, *WRITERS[command], "--store", store)

    assert code == 2
    assert "is a symbolic link, which is not followed" in told
    assert Path("precious").read_text() == "precious"


@posix
def test_a_link_beside_an_export_is_not_written_through(store, capsys):
    Path("out").mkdir()
    Path("precious").write_text("precious")
    for name in (".calls.jsonl.lines", ".actions.jsonl.lines"):
        Path("out", name).symlink_to("../precious")

    code, _, told = run(capsys, "export", "out", "--store", store)

    assert code == 0, told
    assert Path("precious").read_text() == "precious"


@pytest.mark.full
@pytest.mark.parametrize(
    "address",
    [
        "shop:zebra42@tcp(db.local:3306)/shop",
        "shop:zeb/ra42@unix(/tmp/mysql.sock)/shop",
        "shop:zebra42@/shop",
        "shop:zebra42@(db.local:3306)/shop",
        "shop/zebra42@//db.local:1521/shop",
        "shop:zebra42@db.local:5432/shop",
        "jdbc:sqlserver://db.local;user=shop;password=zebra42;encrypt=true",
        "Driver={SQL Server};Server=db.local;UID=shop;PWD=zebra42;",
        "redis://:zebra42@cache.local:6379/0",
        "host=db.local user=shop password=zebra42 dbname=shop",
        "postgresql+psycopg2://shop:zebra42@db.local/shop",
    ],
)
@pytest.mark.parametrize("hide", ["secrets", "personal"])
def test_the_password_of_a_database_is_readable_in_no_list_of_open_actions(
    tmp_path, capsys, address, hide
):
    url = f"sqlite:///{tmp_path}/store.db"
    with Mulligan(url, redaction=Redaction(hide=hide)) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        def drop(database: str) -> None: ...

        asyncio.run(m.act("Drop it", lambda turn: str(drop(database=address))))

    shown = [run(capsys, *command, "--store", url)[1] for command in (["open"], ["actions"])]

    assert all("drop" in each.lower() for each in shown)
    assert not any("zeb" in each or "ra42" in each for each in shown)


PLANTED = {
    "trigger": "create trigger quiet after insert on entry begin delete from entry; end",
    "view": "create view quiet as select * from entry",
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_trigger_or_view_is_named_by_the_doctor(tmp_path, capsys, kind):
    url = f"sqlite:///{tmp_path}/store.db"
    open_store(url).close()
    with closing(apsw.Connection(f"{tmp_path}/store.db")) as intruder:
        intruder.execute(PLANTED[kind])

    code, told, _ = run(capsys, "doctor", "--store", url)

    assert code == 1
    assert f"has a {kind}, `quiet`, that Mulligan did not make" in " ".join(told.split())


def test_a_planted_trigger_is_never_run(tmp_path):
    url = f"sqlite:///{tmp_path}/store.db"
    open_store(url).close()
    with closing(apsw.Connection(f"{tmp_path}/store.db")) as intruder:
        intruder.execute(PLANTED["trigger"])

    with Mulligan(url) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        def send(to: str) -> None: ...

        asyncio.run(m.act("Send it", lambda turn: str(send("Ada"))))

    with closing(apsw.Connection(f"{tmp_path}/store.db")) as looking:
        assert looking.execute("select count(*) from entry").fetchall() != [(0,)]


def test_a_trigger_in_our_tables_of_a_server_is_named_by_the_doctor(postgres_url, capsys):
    with psycopg.connect(postgres_url) as intruder:
        intruder.execute(
            "create function quiet() returns trigger language plpgsql as 'begin return null; end'"
        )
        intruder.execute(
            "create trigger quiet before insert on mulligan.entry for each row execute function"
            " quiet()"
        )
        intruder.execute("create rule hush as on delete to mulligan.entry do instead nothing")

    code, told, _ = run(capsys, "doctor", "--store", postgres_url)

    assert code == 1
    assert "mulligan.entry has a trigger, `quiet`" in " ".join(told.split())
    assert "mulligan.entry has a rule, `hush`" in " ".join(told.split())


def test_a_store_that_nobody_touched_has_nothing_planted(postgres_url, tmp_path):
    for url in (postgres_url, f"sqlite:///{tmp_path}/store.db"):
        store = open_store(url)
        problems = store.check_health().problems
        store.close()

        assert problems == ()


class Neighbour(BaseHTTPRequestHandler):
    """Another server on a port of the same machine, which notes the cookies that it is sent."""

    cookies: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.cookies.append(self.headers.get("cookie", ""))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@contextmanager
def serve_neighbour() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Neighbour) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join(10)


def test_a_server_on_another_port_that_is_sent_the_cookie_can_decide_nothing(filled):
    hold = filled.m.insights.open_list.actions()[0].id
    with serve(filled.m) as dashboard, serve_neighbour() as port:
        with httpx.Client(follow_redirects=True) as browser:
            browser.get(dashboard.make_link(Role.ADMIN))
            # Browsers do not tell ports apart, and neither does this jar.
            browser.get(f"http://127.0.0.1:{port}/")
        stolen = Neighbour.cookies.pop()
        with httpx.Client(base_url=dashboard.url, headers={"cookie": stolen}) as thief:
            page = thief.get("/", headers={"accept": "text/html"}).text
            keys = [*re.findall(r'content="([0-9a-f]{64})"', page), ""]
            origin = dashboard.url.rstrip("/")
            answers = [
                thief.post(
                    f"/api/v1/open/{hold}/approve",
                    json={},
                    headers={"origin": origin, "x-form-token": key},
                ).status_code
                for key in keys
            ]

    assert "mulligan" in stolen
    assert set(answers) == {403}
    assert filled.sent == []


def test_behind_tls_no_other_host_can_plant_the_cookie(m):
    server = DashboardServer(m.insights, PageAddress(port=0, names=("desk.test",), secure=True))
    server.close()

    assert server.access.cookie.startswith("__Host-")


async def test_a_server_cannot_pass_a_failure_off_as_a_success_by_a_number_that_nobody_reads():
    m = Mulligan("memory:")
    told = '{"content":[{"type":"text","text":"no"}],"isError":true,"n":%s}' % ("9" * 5_000)

    async with run_gateway(m=m) as gateway, connect(gateway) as client:
        client.send = client.lines.append  # Python's own reader refuses such a number
        client.say("tools/call", {"name": "raw", "arguments": {"text": told}}, key=7)
        await wait_until(lambda: m.flush() and bool(m.insights.log(LogQuery())))
        rows = m.insights.log(LogQuery())

    assert [row.outcome for row in rows] == ["failure"]
