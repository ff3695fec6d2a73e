"""Modules and functions of ours that one call enters, on the ways that users pay for most."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import CodeType, FrameType
from typing import NamedTuple

from bench.counts.counter import PACKAGES
from bench.peers import ROOT
from bench.turns import RIGHT, Desk
from mulligan import Effect, Mulligan
from mulligan.checks.file import preset
from mulligan.runtime.declaration import Declared
from mulligan.settings import Settings
from mulligan.types.reply import Reply
from mulligan_gateway.gateway import Gateway
from mulligan_gateway.servers_file import Server
from mulligan_gateway.stdio_server import serve_stdio

TIMES = 5
"""Each way is gone so often, and the least counts: what is only due now and then is no part."""
WARM = 2
"""Before that, so that what is loaded or compiled at first use is."""
SCRIPT = ROOT / "packages/mulligan-gateway/tests/gateway/scripted_server.py"
ADD = (
    b'{"jsonrpc":"2.0","id":%d,"method":"tools/call",'
    b'"params":{"name":"add","arguments":{"a":1,"b":2}}}\n'
)
LOADED = """
import sys
from mulligan import Mulligan

with Mulligan("memory:"):
    print(sum(name.startswith("mulligan") for name in sys.modules))
"""
MADE = re.compile(r"= ContextVar\(")
INSIDE = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<module>"})
"""Parts of a function, and of an import: a reader does not go elsewhere for them."""


class Visits(NamedTuple):
    """What was entered."""

    modules: int
    functions: int
    calls: int


class Visitor:
    """Notes every function of the package that is entered."""

    def __init__(self) -> None:
        self._entered: list[CodeType] = []

    @contextmanager
    def follow(self) -> Iterator[None]:
        """Note those that this thread enters in here, and threads that are started meanwhile."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGES) and code.co_name not in INSIDE:
            self._entered.append(code)

    def count(self) -> Visits:
        """All of them."""
        entered = list(self._entered)
        functions = set(entered)
        return Visits(len({each.co_filename for each in functions}), len(functions), len(entered))


def count_visits() -> Mapping[str, Visits]:
    """Each way, in this process."""
    return {
        "observed": visit_observed(),
        "failing": visit_failing(),
        "accepted": visit_accepted(),
        "rejected": visit_rejected(),
        "gateway": asyncio.run(visit_gateway()),
        "reply": visit_reply(),
    }


def count_surface() -> Mapping[str, int]:
    """How much of us is loaded at first, passed on unseen, and offered to be set."""
    loaded = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    ).stdout
    sources = (path.read_text(encoding="utf-8") for path in ROOT.glob("packages/*/src/**/*.py"))
    return {
        "loaded_modules": int(loaded),
        "context_variables": sum(len(MADE.findall(each)) for each in sources),
        "tool_options": len(Declared.__annotations__),
        "settings": len(Settings.__struct_fields__),
    }


def visit_observed() -> Visits:
    """A call of a tool that reads, outside any turn."""
    with Mulligan("memory:") as m:

        @m.tool(effect=Effect.READ)
        def look_up(name: str) -> str:
            return name

        return _find_least(lambda: look_up("Ana"))


def visit_failing() -> Visits:
    """The same, which fails twice: it is tried again, and then its caller is told what may help."""
    tries = itertools.count(1)

    def find_table(seats: int) -> str:
        if next(tries) % 2:
            raise ConnectionResetError("connection reset by peer")
        raise ValueError(f"seats must be an integer, not {seats!r}")

    with Mulligan("memory:") as m:
        # A tool that fails all the time is not tried again for long.
        names = [f"find_table_{number}" for number in range(WARM + TIMES)]
        tools = iter([m.tool(effect=Effect.READ, name=name)(find_table) for name in names])

        def fail() -> None:
            with suppress(ValueError):  # what it fails with in the end
                next(tools)("three")  # type: ignore[arg-type]

        return _find_least(fail)


def visit_accepted() -> Visits:
    """A turn of one reversible call, which its review accepts."""
    return _visit_act("accepted")


def visit_rejected() -> Visits:
    """A turn whose call is rejected and undone, and its second attempt."""
    return _visit_act("rejected")


def _visit_act(kind: str) -> Visits:
    # In one loop, as an application runs: what the first turn of a loop begins is no part.
    with Mulligan("memory:", checks="standard") as m, asyncio.Runner() as runner:
        desk = Desk(m)

        def act() -> None:
            runner.run(desk.run(kind))
            assert desk.days == {"Dinner": RIGHT}  # else another way was gone

        return _find_least(act)


async def visit_gateway() -> Visits:
    """A `tools/call` over stdio, of a server whose tools nobody has declared."""
    ours, theirs = os.pipe(), os.pipe()
    server = Server(name="one", command=(sys.executable, str(SCRIPT)))
    async with Mulligan("memory:") as m:
        gateway = Gateway(m, [server], report=lambda _: None)
        await gateway.start()
        serving = asyncio.create_task(serve_stdio(gateway, reads=ours[0], writes=theirs[1]))
        found = []
        for number in range(WARM + TIMES):
            visitor = Visitor()
            with visitor.follow():
                os.write(ours[1], ADD % number)
                await asyncio.to_thread(os.read, theirs[0], 65_536)
            found.append(visitor.count())
        os.close(ours[1])
        await serving
        await gateway.stop()
    for each in (ours[0], *theirs):
        os.close(each)
    return min(found[WARM:], key=_read_functions)


def visit_reply() -> Visits:
    """The eight checks of one reply that need no model."""
    checks = preset("marketing")
    reply = Reply(text="Dinner is on Friday at 7.", query="When is dinner?", context=("At 7.",))
    return _find_least(lambda: [list(check(reply)) for check in checks])


def _find_least(go: Callable[[], object]) -> Visits:
    found = []
    for _ in range(WARM + TIMES):
        visitor = Visitor()
        with visitor.follow():
            go()
        found.append(visitor.count())
    return min(found[WARM:], key=_read_functions)


def _read_functions(visits: Visits) -> int:
    return visits.functions
