"""Whatever leaves us is less secrets: planted ones are looked for behind every door there is.

Commands come from the parser, pages and their data from the routes of the dashboard, so that a new
one is looked behind by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from mulligan import Effect, Failures, Finding, Mode, Mulligan, Severity, UnfinishedRunError
from mulligan.cli.commands import list_commands
from mulligan.cli.main import build_parser
from mulligan.insights.insights import Insights
from mulligan.loops.briefs import Brief
from mulligan.loops.drafts import Critique, DraftRules
from mulligan.loops.replies import ReplyRules
from mulligan.loops.review import Opinion
from mulligan.runtime.context import OpenTurn
from mulligan.settings import Settings
from mulligan.types.adapter import HostCall
from mulligan.types.effect import Precheck
from mulligan.types.errors import FlaggedCallError, HeldError, MulliganError
from mulligan.types.notes import Refinement
from mulligan.types.task import Reflect, Task
from mulligan_dashboard.app import create_app
from mulligan_dashboard.sections import SECTIONS, SINGLE
from mulligan_dashboard.security import PageAccess, Role, Visitor
from mulligan_gateway.api import create_api
from mulligan_testing.fakes import ScriptedJudge
from tests.cli.running import run
from tests.gateway.world import connect, run_gateway, scripted

pytestmark = pytest.mark.promise(8)

KEY, PASSWORD, WORD, CARD = (
    "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e", "Zebra-7734-correct", "hunterword", "4111111111111111",
)  # fmt: skip
SECRETS = (KEY, PASSWORD, WORD, CARD, "4111 1111 1111 1111")
"""By its form, by its name in a text, by the name of its argument alone, by its check digit."""
TEXT = f"with api key {KEY}, password={PASSWORD} and card {CARD}"
GIVEN = {"api_key": KEY, "password": WORD, "note": TEXT, "items": [{"pin": WORD}, CARD]}


def find_leaks(left: str) -> list[str]:
    """The secrets in what left, each with what stands around it."""
    places = ((left.find(secret), secret) for secret in SECRETS)
    return [left[max(0, at - 60) : at + len(secret) + 20] for at, secret in places if at >= 0]


@dataclass
class Doors:
    """What left through each door that an application has towards its agents and its operator."""

    left: dict[str, list[object]] = field(default_factory=dict)

    def see(self, door: str, *said: object) -> None:
        self.left.setdefault(door, []).extend(said)

    def see_error(self, error: BaseException, *, ours: bool = False) -> None:
        self.see("notes of errors", *getattr(error, "__notes__", ()))
        advised = getattr(error, "mulligan", None)
        if advised is not None:
            self.see("advice", str(advised), advised.advice, advised.foreseen)
        if ours:
            self.see("errors of ours", str(error), getattr(error, "findings", ()))


class Desk:
    """An application with a tool for everything that can go wrong, all of them given secrets."""

    def __init__(self, m: Mulligan, doors: Doors) -> None:
        self.m, self.doors = m, doors
        self.undoable, self.notes = True, list[str]()
        saving = {"before": lambda _: [*self.notes], "undo": self._undo}
        self.save = m.tool(effect=Effect.REVERSIBLE, **saving)(self.save_note)
        self.pay = m.tool(effect=Effect.IRREVERSIBLE)(self.pay_card)
        self.find = m.tool(effect=Effect.READ)(self.find_order)
        self.look = m.tool(effect=Effect.READ, failures=Failures(precheck=Precheck.REFUSE))(
            self.look_up
        )
        self.note = m.tool(name="note_down", effect=Effect.REVERSIBLE, **saving)(self.save_note)
        m.declare("host_save", effect=Effect.REVERSIBLE, **saving)
        m.declare("host_pay", effect=Effect.IRREVERSIBLE)
        self.fix = m.tool(effect=Effect.READ, mode=Mode.AUTO)(self.fix_card)
        m.check("save_note", "host_save")(self._object)

    async def save_note(self, api_key: str, password: str, note: str, items: list[Any]) -> str:
        self.notes.append(note)
        return f"saved {note}"

    async def pay_card(self, card_number: str, password: str, note: str) -> str:
        return f"paid {note}"

    async def find_order(self, api_key: str, password: str, order_id: str) -> str:
        raise ValueError(f"order {order_id} {TEXT} does not exist for {password}")

    async def look_up(self, api_key: str, token: str) -> str:
        return "there"

    async def fix_card(self, card_number: str) -> str:
        if not isinstance(card_number, str):
            raise TypeError("card_number must be a string")
        return f"fixed {TEXT}"

    def _undo(self, record: object) -> None:
        if not self.undoable:
            raise RuntimeError(f"not undone {TEXT}, {WORD}")
        self.notes.clear()

    def _object(self, call: Any) -> Finding:
        given = call.arguments
        return Finding(
            rule="note.wrong",
            severity=Severity.ERROR,
            issue=f"{given['note']!r} is not {given['password']}, nor {given['items']}",
            correction=f"Use {given['password']} {TEXT}",
        )

    async def run(self) -> None:
        for undoable in (True, False):
            self.undoable = undoable
            await self._act(self._save)
        await self._act(self._pay)
        await self._act(self._note)
        for _ in range(4):
            await self._act(self._fail)
        await self._host()
        await self._outside()
        await self._write()
        await self._learn()

    async def _act(self, agent: Any) -> None:
        done = await self.m.act(f"Do it {TEXT}", agent, context=TEXT, agent=f"agent {KEY}")
        told = (done.note, done.question, done.findings, *done.attempts)
        # The reply is the agent's own, unless we speak in its place.
        self.doors.see("results", *told, done.reply if done.question else "")

    async def _save(self, turn: OpenTurn) -> str:
        self.doors.see("corrections", turn.correction)
        await self.save(**GIVEN)
        return "Saved."

    async def _pay(self, turn: OpenTurn) -> str:
        held = await self.pay(CARD, WORD, TEXT)
        self.doors.see("holds", str(held), held.hold)
        return str(held)

    async def _note(self, turn: OpenTurn) -> str:
        """What no check looks at, so that a judge is asked."""
        await self.note(**GIVEN)
        return f"Noted {TEXT}"

    async def _fail(self, turn: OpenTurn) -> str:
        for call in (
            self.find(KEY, WORD, f"password={PASSWORD}"),
            self.look(KEY, WORD),
        ):
            try:
                await call
            except (ValueError, FlaggedCallError) as error:
                self.doors.see_error(error, ours=isinstance(error, MulliganError))
        await self.fix(card_number=int(CARD))  # type: ignore[arg-type]
        self.doors.see("repaired", *map(str, turn.repaired))
        return "Failed."

    async def _host(self) -> None:
        """The same by way of a host's run, as the adapters do it."""
        run = self.m._build_host({}).open(f"Do it {TEXT}", agent="hosted")

        async def save(given: Any) -> str:
            return await self.save_note(**given)

        async def pay(given: Any) -> str:
            return await self.pay_card(**given)

        await run.call(HostCall(tool="host_save", arguments=GIVEN, make=save))
        try:
            given = {"card_number": CARD, "password": WORD, "note": TEXT}
            await run.call(HostCall(tool="host_pay", arguments=given, make=pay))
        except HeldError as held:
            self.doors.see_error(held, ours=True)
        answer = await run.review("Saved.")
        self.doors.see("answers to a host", answer.feedback, answer.note, answer.findings)
        await run.leave()

    async def _outside(self) -> None:
        try:
            await self.save(**GIVEN)
        except (MulliganError, UnfinishedRunError) as error:
            self.doors.see_error(error, ours=True)

    async def _write(self) -> None:
        def object_to(reply: Any) -> Iterator[Finding]:
            yield Finding(
                rule="text.secret", severity=Severity.ERROR, issue=f"It says {TEXT}",
                correction=f"Leave out {TEXT}", quote=TEXT,
            )  # fmt: skip

        def write(feedback: object) -> str:
            self.doors.see("feedback", getattr(feedback, "text", None))
            return f"A reply {TEXT} with enough words to be one."

        replied = await self.m.reply(write, rules=ReplyRules(checks=[object_to]), query=TEXT)
        self.doors.see("findings on replies", replied.findings, replied.metadata)

        def critic(question: str, draft: object) -> Critique:
            return Critique(score=3, issues=(f"It says {TEXT}",), suggestion=f"Without {TEXT}")

        def draft(brief: Brief) -> str:
            self.doors.see("critiques", brief.critique)
            return "A draft."

        await self.m.draft(draft, question="Why?", rules=DraftRules(critics=[critic]))

    async def _learn(self) -> None:
        task = Task(
            id="report",
            description="Report.",
            expected_output="A report.",
            reflect=Reflect(
                gate="accept", strategy=lambda _: Refinement(suggestions=(f"Say {TEXT}",))
            ),
        )
        for _ in range(3):
            await self.m.run_task(task, self._work)

    async def _work(self, prompt: str) -> str:
        self.doors.see("prompts of tasks", prompt)
        return f"Done {TEXT}"


@dataclass
class Filled:
    """A store that such an application has left, and what left the application meanwhile."""

    store: str
    doors: Doors


class _Listener(logging.Handler):
    """Keeps each record as a program's log would have it."""

    def __init__(self, doors: Doors) -> None:
        super().__init__()
        self.doors = doors

    def emit(self, record: logging.LogRecord) -> None:
        self.doors.see("log of the program", self.format(record))


async def fill(store: str, doors: Doors) -> None:
    judge = ScriptedJudge(lambda asked: None if asked.answer is not Opinion else OBJECTION)
    async with Mulligan(store, judge=judge, recover=False) as m:
        events: list[object] = []
        m.subscribe(events.append)
        await Desk(m, doors).run()
        m.flush()
        doors.see("events", *events)
        doors.see("prompts of judges", *(each.message for each in judge.prompts))
        doors.see("pitfalls", m.pitfalls(), m.pitfalls("find_order"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    doors, store = Doors(), f"sqlite:///{tmp_path_factory.mktemp('doors')}/doors.db"
    logger, listener = logging.getLogger("mulligan"), _Listener(doors)
    logger.addHandler(listener)
    asyncio.run(fill(store, doors))
    logger.removeHandler(listener)
    return Filled(store, doors)


OBJECTION = Opinion(findings=(), confirmed=False)


def test_nothing_that_an_agent_or_its_host_is_told_has_a_secret_in_it(filled: Filled) -> None:
    left = {door: "\n".join(map(repr, said)) for door, said in filled.doors.left.items()}

    leaks = {door: found for door, said in left.items() if (found := find_leaks(said))}

    silent = [door for door, said in filled.doors.left.items() if not any(map(str, said))]
    assert leaks == {}
    assert silent == []


ASKED = {
    "mulligan export": ("OUT",),
    "mulligan backup": ("OUT",),
    "mulligan report": ("-o", "OUT"),
    "mulligan view": ("tools",),
    "mulligan demo": ("--help",),
    "mulligan show": ("ACTION",),
    "mulligan settle": ("ACTION", "--note", TEXT),
    "mulligan rate": ("ACTION", "--down", "--note", TEXT),
    "mulligan approve": ("HELD",),
    "mulligan deny": ("HELD",),
    "mulligan undo": ("ACTION",),
    "mulligan suggest": (
        "--tool", "find_order", "--args", json.dumps(GIVEN),
        "--error", f"password {WORD}: no such key {TEXT}",
    ),
    "mulligan lessons show": ("00000000",),
    "mulligan lessons approve": ("00000000",),
    "mulligan lessons quarantine": ("00000000",),
    "mulligan lessons revoke": ("00000000",),
    "mulligan lessons import": ("NOWHERE",),
    "mulligan tasks show": ("report",),
    "mulligan tasks history": ("report",),
    "mulligan tasks diff": ("report", "0", "1"),
    "mulligan tasks pin": ("report", "1"),
    "mulligan tasks rollback": ("report",),
    "mulligan tasks optimize": ("--help",),
    "mulligan tasks clear": ("--help",),
    "mulligan tasks export": ("report",),
    "mulligan evaluate": ("--recorded",),
    "mulligan access grant": ("nobody",),
    "mulligan access revoke": ("nobody",),
    "mulligan completion": ("bash",),
    "mulligan gateway": ("--help",),
    "mulligan dashboard": ("--help",),
    "mulligan worker": ("--help",),
}  # fmt: skip
"""What a command needs to be told. One that needs nothing is not in here."""


def list_runs(filled: Filled, folder: Path) -> Iterator[list[str]]:
    """Every command of the parser, for a person and for a program."""
    with Insights.open(Settings(store=filled.store)) as insights:
        actions = insights.open_list.actions()
        held = next(each.id for each in actions if each.state.value == "held")
        other = next(each.id for each in actions if each.state.value != "held")
    words = {"ACTION": other, "HELD": held, "NOWHERE": f"{folder}/{KEY}"}
    for title, parser in list_commands("mulligan", build_parser()):
        if any(isinstance(each, argparse._SubParsersAction) for each in parser._actions):
            continue
        options = {name for each in parser._actions for name in each.option_strings}
        said = [words.get(word, word) for word in ASKED.get(title, ())]
        store = ["--store", filled.store] if "--store" in options else []
        for more in ([], ["--json"] if "--json" in options else []):
            out = f"{folder}/{len(list(folder.iterdir()))}"
            yield [*title.split()[1:], *(out if w == "OUT" else w for w in said), *store, *more]


@pytest.mark.full
def test_no_command_prints_or_writes_a_secret(
    filled: Filled, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    leaks: dict[str, list[str]] = {}
    unread: list[object] = []
    for asked in list_runs(filled, tmp_path):
        code, out, err = run(capsys, *asked)
        if code == 2 and "usage:" in err:
            unread.append((asked, err))
        if found := find_leaks(out + err):
            leaks[" ".join(asked[:3])] = found
    written = [each for each in tmp_path.rglob("*") if each.is_file()]
    for file in written:
        # A backup is the store itself, whose vault keeps what an undo needs.
        kept = ".db" in file.name or file.read_bytes().startswith(b"SQLite")
        if not kept and (found := find_leaks(file.read_text(errors="replace"))):
            leaks[file.name] = found

    assert leaks == {}
    assert {"calls.jsonl", "actions.jsonl"} <= {each.name for each in written}
    assert unread == []


def test_no_error_of_a_command_repeats_a_secret(
    filled: Filled, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, err = run(capsys, "show", KEY, "--store", filled.store)

    assert "<key>" in err
    assert find_leaks(out + err) == []


_LINK = re.compile(r'href="(/[^"#]*)"')


@pytest.mark.full
def test_no_page_and_no_data_of_the_dashboard_shows_a_secret(filled: Filled) -> None:
    visitor = Visitor(name="ann", role=Role.ADMIN)
    leaks: dict[str, list[str]] = {}
    seen: dict[str, int] = {}
    with Insights.open(Settings(store=filled.store)) as insights:
        app = create_app(insights, access=PageAccess(visitor=visitor))
        client = TestClient(app, base_url="http://127.0.0.1")
        sections = (*SECTIONS, *SINGLE)
        waiting = ["/", *(each.path for each in sections if not each.one)]
        while waiting and len(seen) < 300:
            path = waiting.pop()
            if path in seen or path.startswith("/static"):
                continue
            answer = client.get(path)
            seen[path] = answer.status_code
            waiting += [link.replace("&amp;", "&") for link in _LINK.findall(answer.text)]
            if not path.startswith("/api"):
                waiting.append("/api/v1" + ("/overview" if path == "/" else path))
            if found := find_leaks(answer.text):
                leaks[path] = found

    stems = {each.path.partition("{")[0] for each in sections}
    met = {stem for stem in stems if any(path.startswith(stem) for path in seen)}
    assert leaks == {}
    assert {200} <= set(seen.values())
    assert met >= stems - {"/lessons/", "/patterns/", "/tasks/"}


async def test_no_answer_of_the_gateway_repeats_a_secret_that_it_was_given(tmp_path: Path) -> None:
    given = {"order_id": f"password={PASSWORD}", "api_key": KEY, "password": WORD}
    async with (
        run_gateway(scripted(ORDERS="1"), m=Mulligan(f"sqlite:///{tmp_path}/g.db")) as gateway,
        connect(gateway, can=()) as client,
    ):
        await client.ask("tools/list")
        failed = await client.call("find_order", given)
        await client.call("fail", {"why": f"no {TEXT} {WORD}", "password": WORD})
        own = [
            await client.call(name, {})
            for name in ("mulligan_why", "mulligan_pitfalls", "mulligan_status")
        ]
        listed = await client.ask("tools/list")
        reports = list(gateway.reports)

    first, *beside = failed["result"]["content"]
    assert WORD not in first["text"]
    assert find_leaks(json.dumps([beside, own, listed, reports])) == []


async def test_no_answer_of_the_http_api_explains_a_secret(tmp_path: Path) -> None:
    error = {"message": f"limit must be a number {TEXT}", "status": 422}
    execution = {"tool": "find", "arguments": GIVEN, "error": error}
    async with Mulligan("memory:") as m:
        routes = create_api(m, find_principal=lambda _: "ann", vouches_for=lambda _: True)
        transport = httpx.ASGITransport(app=Starlette(routes=routes))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            asked = {"tool": "find", "arguments": GIVEN, "error": f"no such password {WORD} {TEXT}"}
            answers = [
                await client.post("/v1/executions", json={"executions": [execution]}),
                await client.post("/v1/suggestions", json=asked),
                await client.post(
                    "/v1/reviews", json={"executions": [execution], "message": TEXT, "reply": "x"}
                ),
                await client.get("/v1/pitfalls"),
            ]

    assert [each.status_code for each in answers] == [201, 200, 200, 200]
    assert find_leaks("\n".join(each.text for each in answers)) == []


TRACED = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
trace.set_tracer_provider(provider)

from mulligan import Mulligan
from tests.attacks.test_doors import Desk, Doors

async def main():
    async with Mulligan("memory:", recover=False) as m:
        await Desk(m, Doors()).run()

asyncio.run(main())
"""


@pytest.mark.full
def test_no_span_has_a_secret_in_it() -> None:
    done = subprocess.run([sys.executable, "-c", TRACED], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert "execute_tool save_note" in done.stdout
    assert find_leaks(done.stdout + done.stderr) == []
