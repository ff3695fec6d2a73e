"""How a result reaches its reader: JSON for programs, a table for people, progress meanwhile."""

from __future__ import annotations

import json as encoder
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

Step = Callable[[str], None]
"""Called before each piece of work, with what it is."""


def write(
    result: dict[str, Any], *, show: Callable[[dict[str, Any]], RenderableType], json: bool
) -> None:
    """Print the result on standard output."""
    if json:
        print(encoder.dumps(result, ensure_ascii=False))
    else:
        Console().print(show(result))


@contextmanager
def progress(total: int) -> Iterator[Step]:
    """A bar on standard error while the work goes on; silent unless that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:<32}"), BarColumn(), TimeRemainingColumn())
    with Progress(
        *columns,
        console=console,
        transient=True,
        # No thread of its own: suites fork.
        auto_refresh=False,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("", total=total)

        def step(description: str) -> None:
            bar.update(task, description=description, advance=1, refresh=True)

        yield step


def share(held: Sequence[bool]) -> float:
    """How many of them are so, as a share; 0 of nothing."""
    return round(sum(held) / len(held), 4) if held else 0.0


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """A plain table: the first column is words, the others are figures."""
    drawn = Table(title=title, title_justify="left", header_style="bold")
    for index, column in enumerate(columns):
        drawn.add_column(column, justify="left" if index == 0 else "right")
    for row in rows:
        drawn.add_row(*("-" if cell is None else str(cell) for cell in row))
    return drawn
