"""Many rows in one statement: at each, the driver lets go of the interpreter, and must get it back.

Beside a thread that computes, that takes some milliseconds every time: row by row, a log could not
keep up with what is logged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from mulligan.core.runtime.late_pattern import compile_late

_WIDTHS = (256, 64, 16, 4, 1)
"""Rows of a statement. Few different ones, so that the driver knows each of them by heart."""
_LONGEST = 16_000
"""Characters: what is longer is prepared anew at every use."""
_ROW = compile_late(r"values \((\?(?:, \?)*)\)")


def build_wide(sql: str, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[str, list[Any]]]:
    """An insertion of one row of positional values, as statements that insert all of them."""
    waiting = list(rows)
    done = 0
    for wide, width in _write_wide(sql):
        while len(waiting) - done >= width:
            yield wide, list(chain.from_iterable(islice(waiting, done, done + width)))
            done += width


@lru_cache(maxsize=32)
def _write_wide(sql: str) -> tuple[tuple[str, int], ...]:
    found = _ROW.search(sql)
    if found is None:
        raise ValueError(f"There is no row of values to repeat in: {sql}")
    row = f"({found[1].replace(' ', '')})"
    start, end = f"{sql[: found.start()]}values ", sql[found.end() :]
    most = (_LONGEST - len(start) - len(end)) // (len(row) + 1)
    return tuple((start + ",".join([row] * n) + end, n) for n in _WIDTHS if n <= max(most, 1))
