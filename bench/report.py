"""How a result reaches its reader: JSON for programs, a table for people, progress meanwhile."""

from __future__ import annotations

import json as encoder
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

Result = dict[str, Any]
Renderable = Table | Text
MOST_LISTED = 20
Step = Callable[[str], None]
"""Called before each piece of work, with what it is."""


def write(result: Result, *, meanings: Mapping[str, str], json: bool) -> None:
    """Print the result on standard output; `meanings` are words for figures, by their names."""
    if json:
        print(encoder.dumps(result, ensure_ascii=False))
    else:
        Console().print(*render(result["suite"], result, meanings))


def render(
    title: str, held: Mapping[str, Any], meanings: Mapping[str, str]
) -> Iterator[Renderable]:
    """The figures by their names, then a table or a list for each part that has several."""
    figures = {name: each for name, each in held.items() if not isinstance(each, dict | list)}
    for name, each in held.items():
        if isinstance(each, dict) and _is_row(each):
            figures |= {f"{name}.{inner}": figure for inner, figure in each.items()}
    if figures:
        rows = [(name, each, meanings.get(name, "")) for name, each in figures.items()]
        yield table(title, ("", "", ""), rows)
    for name, each in held.items():
        under = f"{title}: {name}"
        if isinstance(each, dict) and each and all(map(_is_row, each.values())):
            yield _tabulate(under, each)
        elif isinstance(each, dict) and not _is_row(each):
            yield from render(under, each, {})
        elif isinstance(each, list) and each and all(map(_is_row, each)):
            yield _tabulate(under, dict(enumerate(each[:MOST_LISTED], 1)))
        elif isinstance(each, list) and each:
            yield Text("\n".join([under, *(f"  {one}" for one in each[:MOST_LISTED])]))


def _is_row(part: object) -> bool:
    return isinstance(part, dict) and not any(isinstance(each, dict) for each in part.values())


def _tabulate(title: str, rows: Mapping[Any, Mapping[str, Any]]) -> Table:
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    cells = [(name, *(row.get(column) for column in columns)) for name, row in rows.items()]
    return table(title, ("", *columns), cells)


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


def compute_share(part: int, whole: int) -> float | None:
    """Of nothing there is none."""
    return round(part / whole, 4) if whole else None


def count_rules(**named: Iterable[Collection[str]]) -> dict[str, dict[str, int]]:
    """How often each rule had a word, by what it is counted as; several may speak at once."""
    counts = {
        name: Counter(rule for rules in told for rule in rules) for name, told in named.items()
    }
    rules = sorted({rule for each in counts.values() for rule in each})
    return {rule: {name: each[rule] for name, each in counts.items()} for rule in rules}


def share(held: Sequence[bool]) -> float:
    """How many of them are so, as a share; 0 of nothing."""
    return round(sum(held) / len(held), 4) if held else 0.0


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """A plain table: the first column is words, the others are figures."""
    drawn = Table(title=title, title_justify="left", box=SIMPLE_HEAD, show_header=any(columns))
    for index, column in enumerate(columns):
        drawn.add_column(column, justify="left" if index == 0 else "right")
    for row in rows:
        drawn.add_row(*("-" if cell is None else _write_cell(cell) for cell in row))
    return drawn


def _write_cell(cell: object) -> str:
    return f"{cell:,}" if type(cell) in (int, float) else str(cell)
