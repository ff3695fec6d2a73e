"""What every call was for is in the log without anybody passing it, and no message is."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from bench.hosts.drivers import list_installed, load_driver
from bench.hosts.world import build_tools, open_app
from mulligan import Effect, Mulligan
from mulligan.insights.filters import Window
from mulligan.insights.overview import CONTEXT, Criterion
from mulligan.stores.opening import open_store
from mulligan.types.action import ActionQuery
from mulligan.types.call import LogRow
from mulligan.types.log import LogQuery
from mulligan_testing.remote import FakeRemote
from tests.gateway.world import connect, run_gateway

pytestmark = pytest.mark.filterwarnings("default")  # the frameworks' own are not ours to repair

README = Path(__file__).parents[2] / "README.md"
MESSAGE = "Find a large room for the xylophone rehearsal"


def read_goal(m: Mulligan) -> Criterion:
    goals = m.insights.progress.read_goals(Window.MONTH.length)
    return next(each for each in goals if each.what == CONTEXT)


def read_rows(m: Mulligan) -> list[LogRow]:
    m.flush()
    return m.insights.log(LogQuery(oldest_first=True))


def read_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("*.log.db*"))


@pytest.mark.full
@pytest.mark.parametrize("host", list_installed())
async def test_a_host_says_what_each_call_was_for(host: str, tmp_path: Path) -> None:
    remote = FakeRemote(tmp_path / "remote")
    script = [("find_room", {"size": "large"})] * 3
    async with open_app(f"sqlite:///{tmp_path}/store.db", remote) as m:
        await load_driver(host).run(m, build_tools(remote), MESSAGE, [*script, "Room 4."])
        rows, goal = read_rows(m), read_goal(m)

    name = host.replace("-", "_")
    assert goal.estimate.figure == goal.parts["derived"].figure == 1.0
    assert goal.parts["given"].figure == 0.0
    assert all(row.agent and f"host={name} " in f"{row.context} " for row in rows)
    assert b"xylophone" not in read_bytes(tmp_path)


async def test_a_gateway_says_what_each_call_was_for(tmp_path: Path) -> None:
    m = Mulligan(f"sqlite:///{tmp_path}/store.db")
    async with run_gateway(m=m, intent=True) as gateway, connect(gateway) as client:
        await client.call("echo", {"value": 1})
        await client.call("echo", {"value": 2}, mulligan__message=MESSAGE)
        await client.call("echo", {"value": 3}, mulligan__context="filing the report")
        await client.call("echo", {"value": 4, "why_this_call": "They play the xylophone"})
        rows, goal = read_rows(m), read_goal(m)
        # What is only watched is written down once its client has its answer.
        while len(rows) < 4:
            await asyncio.sleep(0.01)
            rows, goal = read_rows(m), read_goal(m)

    assert [row.agent for row in rows] == ["tester"] * 4
    assert rows[0].context == "derived: host=gateway step=1"
    assert re.fullmatch(r"derived: host=gateway request=<str 45 #\w+> step=1", rows[1].context)
    assert rows[2].context == "filing the report"
    assert re.fullmatch(r"why=<str 23 #\w+>", rows[3].context)
    assert (goal.parts["given"].figure, goal.parts["derived"].figure) == (0.5, 0.5)
    assert b"xylophone" not in read_bytes(tmp_path)


def test_the_program_of_the_readme_says_what_each_call_was_for(tmp_path: Path) -> None:
    [program] = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)[:1]
    url = f"sqlite:///{tmp_path}/store.db"

    exec(program.replace('"memory:"', repr(url)), {})

    with Mulligan(url) as m:
        goal = read_goal(m)
        assert goal.estimate.figure == goal.parts["derived"].figure == 1.0
    assert b"Move dinner" not in read_bytes(tmp_path)


def test_a_turn_without_a_name_has_the_function_that_it_was_opened_in() -> None:
    m = Mulligan("memory:")

    @m.tool(effect=Effect.READ)
    def find(q: str) -> str:
        return q

    def serve() -> None:
        with m.turn(MESSAGE):
            find("a")
            find("b")

    serve()

    rows = read_rows(m)
    assert [row.agent for row in rows] == ["(serve)"] * 2
    assert [row.context.split()[1] for row in rows] == ["tools=1"] * 2
    assert [row.context.split()[-1] for row in rows] == ["step=1", "step=2"]
    assert read_goal(m).parts["derived"].figure == 1.0


def test_context_that_was_given_is_logged_as_it_was_given() -> None:
    m = Mulligan("memory:")
    find = m.tool(effect=Effect.READ)(lambda: "found")

    with m.turn(MESSAGE, agent="planner", context="booking a room"):
        find()

    [row] = read_rows(m)
    goal = read_goal(m)
    assert (row.agent, row.context) == ("planner", "booking a room")
    assert (goal.parts["given"].figure, goal.parts["derived"].figure) == (1.0, 0.0)


def test_an_agent_whose_calls_are_not_logged_is_in_the_journal_all_the_same() -> None:
    store = open_store("memory:")
    m = Mulligan(store, unlogged="diarist")
    day = {"dinner": "Friday"}

    @m.tool(
        effect=Effect.REVERSIBLE,
        before=lambda record: day["dinner"],
        undo=lambda record: day.update(dinner=record.before),
    )
    def move(to: str) -> str:
        day["dinner"] = to
        return to

    seen: list[object] = []
    m.subscribe(seen.append)
    for agent in ("diarist", "planner"):
        with m.turn(MESSAGE, agent=agent):
            move("Saturday")

    assert [row.agent for row in read_rows(m)] == ["planner"]
    actions = store.journal.list_actions(ActionQuery())
    assert {each.opening.agent for each in actions} == {"diarist", "planner"}
    assert [type(each).__name__ for each in seen].count("CallLogged") == 1
