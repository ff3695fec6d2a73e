"""Every story in every framework: a lost answer, a rejection, a kill, a hold, a refusal."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.hosts.counting import Counted, count, find_untrue
from bench.hosts.frameworks import FRAMEWORKS, Step
from bench.hosts.tools import SEATS, SOON, declare_tools
from mulligan import Finding, Mulligan, Severity
from mulligan_testing.remote import FakeRemote, Fault

ROOT = Path(__file__).parents[2]

CALLS: dict[str, dict[str, Any]] = {
    "create_event": {"day": "2026-11-20"},
    "book_table": {"people": 4},
    "add": {},
    "move": {"name": "dinner", "day": "2026-11-20"},
    "move_all": {"names": ["piano", "judo"], "day": "2026-11-20"},
    "reserve": {"seat": "7A"},
    "invite": {"guests": []},
}
FAULTS = (Fault.LOST_BEFORE, Fault.LOST_AFTER, Fault.LATE, Fault.INVALID_AFTER, Fault.DOWN_AFTER)


@dataclass(frozen=True)
class Cell:
    """One story with one tool in one framework."""

    framework: str
    story: str
    tool: str
    fault: Fault = Fault.NONE

    def __str__(self) -> str:
        return f"{self.framework}: {self.story} of {self.tool}, {self.fault}"


def list_cells(framework: str) -> Iterator[Cell]:
    """Every story that there is of a framework."""
    for tool in CALLS:
        for fault in FAULTS:
            yield Cell(framework, "lost answer", tool, fault)
        yield Cell(framework, "rejection", tool)
        yield Cell(framework, "rejection", tool, Fault.LOST_AFTER)
        yield Cell(framework, "kill", tool)
    yield Cell(framework, "hold", "invite")
    yield Cell(framework, "killed hold", "invite")
    yield Cell(framework, "refusal", "reserve")
    yield Cell(framework, "invented key", "book_table")


async def run_cell(cell: Cell, folder: Path) -> Counted:
    """Tell one story to its end, recovery included, and count: also at somebody else's remote."""
    counted = await _run_cell(cell, folder)
    elsewhere = [line for line in _make_other(folder).ledger() if line.by != "person"]
    counted.untrue += [f"{line.op} of {line.id} at another one's" for line in elsewhere]
    return counted


async def _run_cell(cell: Cell, folder: Path) -> Counted:
    remote = make_remote(folder)
    match cell.story:
        case "kill" | "killed hold":
            return await _run_killed(cell, folder, remote)
        case "hold":
            said = await act(cell, folder, remote, [(cell.tool, _build_hold())])
            return count(remote, await _approve(cell, folder, remote), said=said)
        case "rejection":
            scripts = [_build_script(cell.tool, title) for title in ("wrong", "right")]
        case "refusal":
            scripts = [[("reserve", {"title": "t", "seat": seat}) for seat in ("9Z", "7A")]]
        case "invented key":
            # Where a host lets it through, it is refused; the model then leaves it out.
            invented = [{"title": f"i{n}", "people": 4, "request_id": "req-1"} for n in (1, 2)]
            repaired = [{"title": f"t{n}", "people": 4} for n in (1, 2)]
            scripts = [[("book_table", each) for each in (*invented, *repaired)]]
        case _:
            scripts = [_build_script(cell.tool, "t")]
    remote.plan(cell.fault, by="agent")
    said = await act(cell, folder, remote, *scripts)
    return count(remote, await _recover(cell, folder, remote), said=said)


async def act(
    cell: Cell, folder: Path, remote: FakeRemote, *scripts: Sequence[Step], struck: Any = None
) -> list[str]:
    """A turn in which the model follows one script an attempt. What it said that is untrue."""
    untrue: list[str] = []
    titles = [str(arguments["title"]) for script in scripts for _, arguments in script]
    waiting = list(scripts)

    async def agent(turn: Any) -> str:
        if turn.correction is not None:
            untrue.extend(find_untrue(remote, turn.correction.text, titles))
        for step in waiting.pop(0) if waiting else ():
            try:
                told = await FRAMEWORKS[cell.framework](list(tools.values()), [step])
            except Exception as error:
                untrue.extend(find_untrue(remote, str(error), titles))
            else:
                for answer in told.answers:
                    untrue.extend(find_untrue(remote, answer, titles))
        return "Done."

    async with Mulligan(_find_store(folder), checks=[_reject_wrong], recover=False) as m:
        tools = declare_tools(m, remote, framework=cell.framework, struck=struck or (lambda: None))
        done = await m.act("Do it.", agent)
        untrue.extend(find_untrue(remote, str(done.reply), titles))
    return untrue


def make_remote(folder: Path) -> FakeRemote:
    """A remote with a few objects that were there before."""
    remote = FakeRemote(folder / "remote")
    if not remote.ledger():
        for name in ("dinner", "piano", "judo"):
            remote.create({"day": "2026-11-16"}, id=name, by="person")
        for seat in SEATS:
            remote.create({"title": ""}, id=seat, by="person")
    return remote


def _make_other(folder: Path) -> FakeRemote:
    """Of another person, whose tools have the same names and are declared last."""
    (folder / "other").mkdir(exist_ok=True)
    return make_remote(folder / "other")


async def _run_killed(cell: Cell, folder: Path, remote: FakeRemote) -> Counted:
    """A process that is killed inside the tool, or once its call is held; then another one."""
    child = [sys.executable, "-m", "bench.hosts.campaign", cell.framework, cell.story, cell.tool]
    started = await asyncio.to_thread(
        subprocess.run, [*child, str(folder)], cwd=ROOT, capture_output=True, check=False
    )
    if started.returncode != -signal.SIGKILL:
        raise RuntimeError(f"{cell} was not killed: {started.stderr.decode()[-500:]}")
    if cell.story == "killed hold":
        return count(remote, await _approve(cell, folder, remote))
    return count(remote, await _recover(cell, folder, remote))


async def _approve(cell: Cell, folder: Path, remote: FakeRemote) -> Path:
    """A person lets every held call run, and a process that has the code runs them."""
    async with Mulligan(_find_store(folder), recover=False) as m:
        declare_tools(m, remote, framework=cell.framework)
        declare_tools(m, _make_other(folder), framework=cell.framework)
        for held in m.insights.open_list.actions():
            m.insights.open_list.approve(held.id, by="Mum")
        await m.recover()
        await m.recover()
    return folder / "store.db"


async def _recover(cell: Cell, folder: Path, remote: FakeRemote) -> Path:
    """Another process looks after what the first has left, once nothing can land any more."""
    async with Mulligan(_find_store(folder), checks=[_reject_wrong], recover=False) as m:
        declare_tools(m, remote, framework=cell.framework)
        declare_tools(m, _make_other(folder), framework=cell.framework)
        remote.arrive()
        for _ in range(2):
            await asyncio.sleep(2 * SOON.total_seconds())
            await m.recover()
    return folder / "store.db"


def _build_script(tool: str, title: str) -> list[Step]:
    return [(tool, {"title": title, **CALLS[tool]})]


def _build_hold() -> dict[str, Any]:
    return {"title": "t", "guests": ["Grandma"]}


def _find_store(folder: Path) -> str:
    return f"sqlite:///{folder / 'store.db'}"


def _reject_wrong(attempted: Any) -> Iterator[Finding]:
    for each in attempted.executions:
        if each.call.arguments.get("title") == "wrong":
            yield Finding(
                rule="bench.wrong", severity=Severity.ERROR, issue="It is wrong.", call=each.call.id
            )


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def _live_until_killed(cell: Cell, folder: Path) -> None:
    remote = make_remote(folder)
    if cell.story == "killed hold":
        await act(cell, folder, remote, [(cell.tool, _build_hold())])
        _die()
    await act(cell, folder, remote, _build_script(cell.tool, "t"), struck=_die)


if __name__ == "__main__":
    framework, story, tool, place = sys.argv[1:]
    asyncio.run(_live_until_killed(Cell(framework, story, tool), Path(place)))
