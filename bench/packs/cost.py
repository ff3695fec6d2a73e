"""What a tool of `packs/sql` costs beyond its own statement: statements, synced commits, time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Engine,
    MetaData,
    Table,
    create_engine,
    delete,
    event,
    insert,
    text,
    update,
)

from bench.packs.rows import create_world
from bench.rounds import compare_all, digits, middle
from bench.syncs import counting_syncs
from mulligan import Mulligan
from mulligan_packs import sql

AS_TEXT = "update as text"
WAYS = ("update", "insert", "delete", AS_TEXT)


def count_statements(folder: Path) -> dict[str, int]:
    """For each way of writing, the statements of one call beyond the bare one."""
    url = f"sqlite:///{folder}/cost.db"
    return {way: _count(url, way) for way in WAYS}


def _count(url: str, way: str) -> int:
    create_world(url)
    engine = create_engine(url)
    statement = _build_statement(engine, way)

    async def change(task_id: int) -> None:  # noqa: ARG001
        with engine.begin() as connection:
            connection.execute(statement)

    if way == "insert":
        declared = sql.insert(engine, "task", version="rev")
    elif way == "delete":
        declared = sql.delete(engine, "task", id="task_id", version="rev")
    else:
        declared = sql.update(engine, "task", id="task_id", version="rev")
    with Mulligan("memory:", recover=False) as m:
        tool = m.tool(**declared)(change)
        # The first call also reads what the table is like.
        asyncio.run(_call_in_turn(m, tool))
        create_world(url)
        with _counted(engine) as ours:
            asyncio.run(_call_in_turn(m, tool))
    create_world(url)
    with _counted(engine) as bare:
        asyncio.run(change(1))
    engine.dispose()
    return len(ours) - len(bare)


def count_commits(folder: Path, *, calls: int = 10) -> dict[str, float]:
    """Synced commits of one update: of the bare statement, and of a tool's call by whose file.

    SQLite counts its own in the file's header; those of the journal are counted at the disk.
    """
    path = folder / "commits.db"
    with counting_syncs() as syncs, _open_both(path, folder / "journal.db") as (bare, tool, m):
        asyncio.run(_call_in_turn(m, tool))
        started = _read_commits(path)
        _repeat(lambda: bare(1), calls)
        between, synced = _read_commits(path), len(syncs)
        asyncio.run(_call_in_turn(m, tool, calls))
        ended = _read_commits(path)
        # Before it is closed, which syncs once more.
        journal = sum("journal.db" in name for name in syncs[synced:])
    counted = {"bare": between - started, "database": ended - between, "journal": journal}
    return {name: count / calls for name, count in counted.items()}


def time_calls(folder: Path, *, calls: int, rounds: int) -> tuple[list[float], list[float]]:
    """µs of an update through a tool, and of the bare one, in rounds one after the other."""
    ours, alone = list[float](), list[float]()
    with _open_both(folder / "timed.db", folder / "timed-journal.db") as (bare, tool, m):
        for number in range(rounds + 1):
            started = time.perf_counter()
            asyncio.run(_call_in_turn(m, tool, calls))
            between = time.perf_counter()
            _repeat(lambda: bare(1), calls)
            ended = time.perf_counter()
            if number > 0:  # the first one warms both up
                ours.append((between - started) / calls * 1e6)
                alone.append((ended - between) / calls * 1e6)
    return ours, alone


Change = Callable[[int], None]


@contextmanager
def _open_both(path: Path, journal: Path) -> Iterator[tuple[Change, Any, Mulligan]]:
    """One update as a bare function and as a tool, with a journal on disk."""
    url = f"sqlite:///{path}"
    create_world(url)
    engine = create_engine(url)
    statement = _build_statement(engine, "update")

    def change(task_id: int) -> None:  # noqa: ARG001
        with engine.begin() as connection:
            connection.execute(statement)

    with Mulligan(f"sqlite:///{journal}", recover=False) as m:
        tool = m.tool(**sql.update(engine, "task", id="task_id", version="rev"))(change)
        yield change, tool, m
    engine.dispose()


def _repeat(work: Callable[[], None], count: int) -> None:
    for _ in range(count):
        work()


def _read_commits(path: Path) -> int:
    """How many transactions have changed a file of SQLite's, by its header."""
    with path.open("rb") as file:
        return int.from_bytes(file.read(28)[24:28], "big")


async def _call_in_turn(m: Mulligan, tool: Any, calls: int = 1) -> None:
    async with m.turn("Do it"):
        for _ in range(calls):
            done = tool(task_id=1)
            if isinstance(done, Awaitable):
                await done


def _build_statement(engine: Engine, way: str) -> Any:
    task = Table("task", MetaData(), autoload_with=engine)
    return {
        "update": update(task).where(task.c.task_id == 1).values(title="x", rev=task.c.rev + 1),
        "insert": insert(task).values(title="new", made=1, rev=1),
        "delete": delete(task).where(task.c.task_id == 1),
        AS_TEXT: text("UPDATE task SET title = 'x', rev = rev + 1 WHERE task_id = 1"),
    }[way]


@contextmanager
def _counted(engine: Engine) -> Iterator[list[str]]:
    sent: list[str] = []

    def hear(_: Any, __: Any, statement: str, *rest: Any) -> None:  # noqa: ARG001
        sent.append(statement)

    event.listen(engine, "before_cursor_execute", hear)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", hear)


def measure_rows(folder: Path, *, calls: int, rounds: int) -> dict[str, Any]:
    """A tool of `packs/sql` beside its bare statement: what it sends, commits and takes."""
    by_way, commits = count_statements(folder), count_commits(folder)
    constructs = [count for way, count in by_way.items() if way != AS_TEXT]
    all_commits, bare = commits["database"] + commits["journal"], commits["bare"]
    ours, alone = time_calls(folder, calls=calls, rounds=rounds)
    keys, spread = compare_all(("sql_ratio", ours, alone))
    keys |= {"sql_statements": max(constructs), "sql_commits": digits(all_commits - bare)}
    keys["sql_commits_ratio"] = digits(all_commits / bare)
    figures = {"statements": by_way, "commits": commits}
    figures |= {"call_us": middle(ours), "bare_us": middle(alone)}
    return {**keys, "sql": figures, "spread": spread}
