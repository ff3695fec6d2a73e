"""Two tenants share a store: whatever one asks, on any surface, it reads no word of the other.

Every word of a tenant begins with its name, in every field that can hold one. Then all that
there is to ask is asked as tenant B: routes are taken from the applications, tools from the
server, commands from the parser, so that a new one is asked too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from mulligan import Effect, Memory, Mode, Mulligan
from mulligan.cli.main import build_parser, main
from mulligan.loops.drafts import DraftRules
from mulligan.types.action import ActionQuery
from mulligan.types.errors import HeldError
from mulligan.types.lesson import LessonQuery
from mulligan.types.log import LogQuery
from mulligan.types.notes import Refinement
from mulligan.types.reply import Critique
from mulligan.types.task import Reflect, Task
from mulligan_dashboard.app import create_app
from mulligan_dashboard.security import PageAccess, Role, Sealer, TokenKind, Visitor
from mulligan_dashboard.serving import LINK_LIFE
from mulligan_gateway.access import Access
from mulligan_gateway.api import PREFIX, create_api
from mulligan_gateway.http_server import GatewayApp
from tests.gateway.web import serve_app
from tests.gateway.world import RawClient, connect, run_gateway, scripted
from tests.telemetry.collector import start_collector

pytestmark = pytest.mark.full

A, B = "quokka", "narwhal"
"""The tenants' names, and the beginning of every word of theirs."""
TOKEN = {"ann": "a-token-of-anns-that-nobody-guesses"}
WEEK = timedelta(days=7)
ELSEWHERE = {
    ("dashboard",): "its routes are asked one by one",
    ("gateway",): "its routes and tools are asked one by one",
    ("tasks", "optimize"): "a model writes, and reads what `tasks show` shows",
    ("access", "grant"): "its --tenant is whom a role of the server is for",
}
"""Commands that are not run here, and why."""
MORE = {
    ("settle",): ["--note", "done"],
    ("rate",): ["--up"],
    ("report",): ["-o", "{new}"],
    ("evaluate",): ["--recorded"],
    ("suggest",): ["--tool", "look_up", "--args", "{}", "--error", "the gizmo whirred past"],
}
"""What a command is given beside what it is about."""
UNKNOWN_ERROR = "the gizmo whirred past its {} flange"
"""An error that nobody can say the kind of, so that one like it is looked for."""


@dataclass
class Walk:
    """What was asked, and where a word of somebody else's came back."""

    fetches: Counter[str] = field(default_factory=Counter)
    crossed: list[str] = field(default_factory=list)
    own: set[str] = field(default_factory=set)
    """Surfaces that have shown the asker's own words: they do show words."""

    def take(self, surface: str, what: str, said: str, *, asker: str = B) -> None:
        """Note one answer."""
        other = A if asker == B else B
        self.fetches[surface] += 1
        told = said.casefold()
        for asked in re.findall(rf"[\w~-]*{other}[\w~-]*", what):
            # Who asks for a name that is somebody else's reads it again.
            told = told.replace(asked, "")
        if other in told:
            at = told.index(other)
            self.crossed.append(f"{surface} {what}: …{told[max(0, at - 60) : at + 60]}…")
        if asker in told:
            self.own.add(surface)


@dataclass(frozen=True)
class Ids:
    """What can be asked for one by one."""

    actions: list[str]
    turns: list[str]
    lessons: list[str]
    patterns: list[str]
    texts: list[str]
    tasks: list[str]

    def list_all(self) -> list[str]:
        """One of each kind, the rest is more of the same; of actions one of each tool."""
        kinds = (self.actions, self.turns, self.lessons, self.patterns, self.texts, self.tasks)
        return [*self.actions[1:2], *(each for kind in kinds for each in kind[:1])]


class Office:
    """An application of one tenant that does everything that leaves a word behind."""

    def __init__(self, m: Mulligan, word: str) -> None:
        self.m, self.word = m, word
        m.tool(effect=Effect.READ, mode=Mode.AUTO)(self.find_order)
        self.find = m.tool(name=f"{word}_find", effect=Effect.READ)(self.find_order)
        self.look = m.tool(effect=Effect.READ)(self.look_up)
        self.move = m.tool(
            name=f"{word}_move",
            effect=Effect.REVERSIBLE,
            before=lambda record: f"{word} before",
            undo=self.fail_undo,
        )(self.move_event)
        self.pay = m.tool(name=f"{word}_pay", effect=Effect.IRREVERSIBLE)(self.pay_out)

        @m.check(f"{word}_move")
        def unwanted(call: Any) -> str:
            return f"Nobody wanted {word}finding."

    def fail_undo(self, record: object) -> None:
        raise OSError(f"{self.word}undo is away")

    async def find_order(self, order_id: str) -> str:
        if not order_id.startswith("#"):
            raise ValueError(f"Order {order_id} not found at {self.word}desk")
        return f"{self.word}result"

    async def look_up(self, what: str) -> str:
        raise RuntimeError(UNKNOWN_ERROR.format(f"{self.word}ish"))

    async def move_event(self, event: str, day: str) -> str:
        return f"{self.word} moved"

    async def pay_out(self, to: str, amount: int) -> str:
        return f"{self.word} paid"

    async def live(self) -> None:
        """A day of it."""
        word, m = self.word, self.m
        about = {"agent": f"{word}agent", "context": f"{word}context"}
        for n in range(4):
            async with m.turn(f"{word}message find W{n}", **about):
                with suppress(ValueError):  # as it is meant to fail
                    await self.find(f"W{n}")
                await self.find(f"#W{n}")
                with suppress(RuntimeError):  # the same
                    await self.look(f"{word}argument")
        async with m.turn(f"{word}message pay", **about):
            with suppress(HeldError):  # it waits for a person
                await self.pay(f"{word}recipient", 5)

        async def agent(_: object) -> str:
            await self.move(f"{word}event", f"{word}day")
            return f"{word}reply"

        await m.act(f"{word}message move", agent, **about)
        replied = await m.reply(
            lambda _: f"We delve, {word}reply", query=f"{word}query", rules="marketing"
        )
        critic = DraftRules(critics=[lambda *_: Critique(score=9, suggestion=f"{word}tip")])
        await m.draft(lambda _: f"{word}draft", question=f"{word}question", rules=critic)
        m.rate(replied.id, up=False, note=f"{word}note")
        reflect = Reflect(
            strategy=lambda _: Refinement(description=f"{word}advice"),
            score=lambda _: 1.0,
            every=2,
        )
        task = Task(id="weekly", description=f"{word}description", reflect=reflect)
        for _ in range(4):
            await m.run_task(task, lambda prompt: f"{word}output")
        m.flush()
        lessons = m.insights.lesson_list
        await asyncio.to_thread(lessons.consolidate)
        for seen in lessons.list_lessons(LessonQuery()):
            lessons.approve(seen.lesson.id, by=f"{word}person", note=f"{word}why")

    def list_ids(self) -> Ids:
        """What it has left behind."""
        insights = self.m.insights
        rows = insights.log(LogQuery(limit=500))
        return Ids(
            actions=[each.id for each in insights.open_list.search(ActionQuery())],
            turns=[each.turn for each in rows if each.turn],
            lessons=[each.lesson.id for each in insights.lesson_list.list_lessons(LessonQuery())],
            patterns=[each.pattern.fingerprint for each in insights.patterns(WEEK)],
            texts=[each.id for each in rows if each.tool == "reply.settled"],
            tasks=[each.ground.task for each in insights.task_list.list_tasks()],
        )


def open_office(url: str, word: str, **settings: object) -> Mulligan:
    return Mulligan(url, tenant=word, recover=False, memory=Memory(control=0.0), **settings)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """One kind of store is enough here: who may see what is decided above it."""
    return f"sqlite:///{tmp_path}/m.db"


@pytest.fixture
async def offices(url: str) -> AsyncIterator[dict[str, Office]]:
    """Both tenants, each an application of its own on one store; A was there first and last."""
    with open_office(url, A) as a, open_office(url, B) as b:
        both = {A: Office(a, A), B: Office(b, B)}
        await both[A].live()
        await both[B].live()
        yield both


class Surfaces:
    """Everything that `asker` can ask, with the ids of both."""

    def __init__(self, offices: Mapping[str, Office], url: str, *, asker: str = B) -> None:
        self.walk, self.url, self.asker = Walk(), url, asker
        self.offices, self.m = offices, offices[asker].m
        self.ids = {word: office.list_ids() for word, office in offices.items()}
        self.identity = {word: str(o.m.insights.tenant) for word, o in offices.items()}

    def take(self, surface: str, what: str, said: str) -> None:
        self.walk.take(surface, what, said, asker=self.asker)

    async def ask_pages(self) -> None:
        """Every route of the dashboard: pages, JSON, CSV and acts, with every id there is."""
        async with self.open_dashboard() as (client, routes):
            for route in routes:
                method = "GET" if "GET" in (route.methods or ()) else "POST"
                if route.path == "/stream":
                    continue
                for path in self._fill(route.path):
                    await self._ask_page(client, method, path)

    def _fill(self, path: str) -> Iterator[str]:
        named = [each for ids in self.ids.values() for each in ids.list_all()]
        yield from (path.replace("{id}", name) for name in named) if "{id}" in path else (path,)

    async def _ask_page(self, client: httpx.AsyncClient, method: str, path: str) -> None:
        if method == "POST":
            answer = await client.post(path, json={})
            self.take("acts", path, answer.text)
            return
        asked = f"?window=30d&tenant={self.identity[A]}"
        one = any(each in path for ids in self.ids.values() for each in ids.list_all())
        for query in ("", asked) if one else ("", "?format=csv", asked):
            answer = await client.get(path + query)
            kind = "CSV" if "csv" in query else "JSON" if "/api/" in path else "pages"
            self.take(kind, f"{path}{query}", answer.text)

    @asynccontextmanager
    async def open_dashboard(self) -> AsyncIterator[tuple[httpx.AsyncClient, list[Route]]]:
        sealer = Sealer()
        app = create_app(self.m.insights, access=PageAccess(sealer=sealer))
        who = Visitor(name="mum", role=Role.ADMIN, tenant=self.identity[self.asker])
        key = sealer.write(who, kind=TokenKind.LINK, life=LINK_LIFE)
        headers = {"authorization": f"Bearer {key}"}
        async with (
            serve_app(app, lifespan="on") as url,
            httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client,
        ):
            yield client, [each for each in app._app.routes if isinstance(each, Route)]

    async def listen(self) -> None:
        """The stream of the pages, while both tenants make calls."""
        async with (
            self.open_dashboard() as (client, _),
            asyncio.timeout(60),
            client.stream("GET", "/stream") as stream,
        ):
            said, heard = "", stream.aiter_text()
            while f"{self.asker}_find" not in said:
                for office in self.offices.values():
                    await office.find("#W1")
                    office.m.flush()
                said += await anext(heard)
        self.take("SSE", "/stream", said)

    async def ask_gateway(self) -> None:
        """Every route of the HTTP API, and all that an MCP client can ask."""
        async with run_gateway(
            scripted(ORDERS="1"), m=open_office(self.url, self.asker), pitfalls=True
        ) as gateway:
            app = GatewayApp(gateway, Access(tokens={TOKEN["ann"]: "ann"}))
            async with serve_app(app) as url:
                headers = {"authorization": f"Bearer {TOKEN['ann']}"}
                async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
                    for route in app.api.routes:
                        await self._ask_api(client, route)
            async with connect(gateway) as client:
                await self._ask_mcp(client)

    async def _ask_api(self, client: httpx.AsyncClient, route: Any) -> None:
        tools = [
            "find_order",
            "look_up",
            *(f"{word}_find" for word in (A, B, A.replace("k", "", 1))),
        ]
        errors = [UNKNOWN_ERROR.format("b"), "unknown tool", "order w9 whirred found at desk"]
        failed = [
            {"tool": tool, "error": error, "arguments": {"order_id": "W9", "what": "x"}}
            for tool in tools
            for error in errors
        ]
        # What a client reports is its own, whatever it calls it.
        reported = [
            each | {"error": {"message": each["error"]}}
            for each in failed
            if A not in str(each["tool"])
        ]
        bodies: dict[str, list[dict[str, Any]]] = {
            f"{PREFIX}/suggestions": failed,
            f"{PREFIX}/executions": [{"executions": [each], "turn": "t"} for each in reported],
            f"{PREFIX}/reviews": [{"executions": [each], "reply": "Done."} for each in reported],
        }
        queries = {f"{PREFIX}/pitfalls": ["", *(f"?tool={tool}" for tool in tools)]}
        for body in bodies[route.path] if "POST" in route.methods else ():
            answer = await client.post(
                route.path, json=body, headers={"idempotency-key": f"{hash(str(body))}"}
            )
            self.take("HTTP API", f"{route.path} {body}", answer.text)
        for query in queries.get(route.path, [""]) if "GET" in route.methods else ():
            answer = await client.get(route.path + query)
            self.take("HTTP API", route.path + query, answer.text)

    async def _ask_mcp(self, client: RawClient) -> None:
        own: list[Any] = []
        await client.call("fail", {"why": UNKNOWN_ERROR.format(f"{self.asker}ish")})
        for method in ("tools", "prompts", "resources", "resources/templates"):
            cursor: dict[str, Any] | None = {}
            while cursor is not None:
                answer = await client.ask(f"{method}/list", cursor)
                self.take("MCP", f"{method}/list", json.dumps(answer))
                page = answer.get("result", {})
                own += [t for t in page.get("tools", ()) if t["name"].startswith("mulligan_")]
                cursor = {"cursor": page["nextCursor"]} if page.get("nextCursor") else None
        asked = {
            "tool": ["fail", "look_up", f"{A}_find", f"{B}_find"],
            "action": self.ids[A].actions + self.ids[B].actions,
            "words": ["fail", "not found", "unknown"],
        }
        for tool in own:
            names = tool["inputSchema"]["properties"]
            for arguments in ({}, *({name: v} for name in names for v in asked[name])):
                answer = await client.call(tool["name"], arguments)
                self.take("MCP", f"{tool['name']} {arguments}", json.dumps(answer))

    def run_commands(self, folder: Path, read: Callable[[], str]) -> None:
        """Every command that is about one tenant, with every id there is."""
        for number, (name, given) in enumerate(self._list_commands(folder)):
            arguments = [*name, "--store", self.url, "--tenant", self.asker, *given]
            files = folder / f"c{number}"
            with suppress(SystemExit):  # refused: what it said is looked at
                main([each.replace("{new}", str(files)) for each in arguments])
            written = [each.read_text() for each in files.glob("*")] if files.is_dir() else []
            written += [files.read_text()] if files.is_file() else []
            self.take("CLI", " ".join((*name, *given)), read() + str(written))

    def _list_commands(self, folder: Path) -> Iterator[tuple[list[str], list[str]]]:
        (folder / "no.jsonl").write_text("")
        for name, parser in list_commands(build_parser()):
            if tuple(name) in ELSEWHERE or "--tenant" not in parser.format_help():
                continue
            # What the table of a command says, its JSON says too.
            form = ["--json"] if "--json" in parser.format_help() else []
            for given in self._list_given(name, parser, folder):
                yield name, [*given, *form]

    def _list_given(
        self, name: list[str], parser: argparse.ArgumentParser, folder: Path
    ) -> Iterator[list[str]]:
        """What a command is given, so that it says all that it has to say."""
        ids = list(self.ids.values())
        known = {
            "id": [each for kind in ids for each in kind.list_all()],
            "lesson": [each for kind in ids for each in kind.lessons[:2]],
            "task": [each for kind in ids for each in kind.tasks],
            "folder": ["{new}"],
            "file": [str(folder / "no.jsonl")],
            "tool": ["look_up", f"{A}_find"],
            "checks": ["marketing"],
            "version": ["0"],
            "view": next((a.choices for a in parser._actions if a.dest == "view"), []),
        }
        positional = [a.dest for a in parser._actions if not a.option_strings]
        more = MORE.get(tuple(name), [])
        if not positional:
            yield more
        elif name == ["tasks", "diff"]:
            yield from ([each, "0", "1"] for each in known["task"])
        else:
            yield from ([each, *more] for each in known[positional[0]])
            if name == ["view"]:
                one = {"open": 0, "turns": 1, "lessons": 2, "patterns": 3, "tasks": 5}
                for view, at in one.items():
                    kinds = [
                        [k.actions, k.turns, k.lessons, k.patterns, k.texts, k.tasks] for k in ids
                    ]
                    yield from ([view, each] for kind in kinds for each in kind[at][:2])

    async def ask_prompts(self) -> None:
        """What an agent is told before and after a call."""
        with (
            start_collector() as collector,
            open_office(self.url, self.asker, otlp=collector.address) as m,
        ):
            mine = Office(m, self.asker)
            for tool in (None, "find_order", "look_up", f"{A}_find", f"{B}_find"):
                for agent in ("", f"{A}agent", f"{B}agent"):
                    told = m.pitfalls(tool, agent=agent, tokens=4000)
                    self.take("prompts", f"{tool} {agent}", told)
            async with m.turn("Find it", agent="planner"):
                for call, given in ((mine.find, "W1"), (mine.look, "x"), (mine.look, "y")):
                    try:
                        await call(given)
                    except (ValueError, RuntimeError) as error:
                        notes = "\n".join(getattr(error, "__notes__", ()))
                        self.take("advice", given, f"{error}\n{notes}")
        for body in collector.bodies:
            self.take("OTel", "span", body.decode("latin-1"))


def list_commands(
    parser: argparse.ArgumentParser, name: tuple[str, ...] = ()
) -> Iterator[tuple[list[str], argparse.ArgumentParser]]:
    """Every command of the command line, by its words."""
    groups = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not groups:
        yield list(name), parser
    for group in groups:
        for word, under in group.choices.items():
            yield from list_commands(under, (*name, word))


async def walk_all(surfaces: Surfaces, folder: Path, read: Callable[[], str]) -> Walk:
    await surfaces.ask_pages()
    await surfaces.listen()
    await surfaces.ask_gateway()
    await surfaces.ask_prompts()
    await asyncio.to_thread(surfaces.run_commands, folder, read)
    return surfaces.walk


@pytest.fixture
def read(capfd: pytest.CaptureFixture[str]) -> Callable[[], str]:
    return lambda: "".join(capfd.readouterr())


async def test_no_word_of_one_tenant_reaches_another_on_any_surface(offices, url, tmp_path, read):
    walk = await walk_all(Surfaces(offices, url), tmp_path, read)

    assert walk.crossed == []
    assert walk.own == set(walk.fetches)


async def test_a_client_is_not_told_the_errors_and_tools_of_another_tenant(tmp_path):
    url = f"sqlite:///{tmp_path}/m.db"
    asked = {"search": "patient whirred found in ward seven", "qokka_search": "unknown tool"}
    with open_office(url, A) as a, open_office(url, B) as b:

        @a.tool(effect=Effect.READ)
        def quokka_search(what: str) -> None:
            raise ValueError("Patient quokka not found in ward seven")

        with a.turn("Find them"), suppress(ValueError):  # as it is meant to fail
            quokka_search("x")
        a.flush()
        async with connect_api(b) as client:
            answers = [
                (await client.post(f"{PREFIX}/suggestions", json={"tool": tool, "error": error}))
                for tool, error in asked.items()
            ]

    assert [each.status_code for each in answers] == [200, 200]
    assert [each.text for each in answers if A in each.text] == []


async def test_a_key_of_one_tenant_does_not_bring_up_the_answer_to_another(tmp_path):
    url = f"sqlite:///{tmp_path}/m.db"
    body = {"executions": [{"tool": "search", "error": {"message": "no"}}]}
    answers = []
    for word in (A, B):
        async with open_office(url, word) as m, connect_api(m) as client:
            headers = {"idempotency-key": "1"}
            answers.append(await client.post(f"{PREFIX}/executions", json=body, headers=headers))

    assert [each.headers.get("idempotent-replayed") for each in answers] == [None, None]
    assert answers[0].json()["turn"] != answers[1].json()["turn"]


@pytest.mark.parametrize("whose", [A, None])
async def test_a_link_to_the_pages_of_one_tenant_opens_no_others(tmp_path, whose):
    url, sealer = f"sqlite:///{tmp_path}/m.db", Sealer(b"one secret for all servers")
    with open_office(url, A) as a, open_office(url, B) as b:
        tenant = str(a.insights.tenant) if whose else ""
        who = Visitor(name="mum", role=Role.ADMIN, tenant=tenant)
        key = sealer.write(who, kind=TokenKind.LINK, life=LINK_LIFE)
        app = create_app(b.insights, access=PageAccess(sealer=sealer))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            answer = await client.get("/", headers={"authorization": f"Bearer {key}"})

    assert answer.status_code == 401


def connect_api(m: Mulligan) -> httpx.AsyncClient:
    app = Starlette(routes=create_api(m, find_principal=lambda _: "ann"))
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test")
