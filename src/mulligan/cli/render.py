"""How things look in a terminal. Text from tools is shown as text: no markup, no escapes."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mulligan.core.call import LogRow, Outcome
from mulligan.core.escape import escape, escape_json
from mulligan.core.instants import from_us

WIDE = 160
"""Columns when nobody says how wide: a pipe, a file, no COLUMNS."""

ROOM_FOR_A_TABLE = 120

_STYLES = {
    Outcome.SUCCESS: "green",
    Outcome.FAILURE: "red",
    Outcome.UNKNOWN: "yellow",
    Outcome.CANCELLED: "yellow",
}


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        """Who closes a pipe has read enough; the program's end says so, not an error."""
        raise BrokenPipeError


def make_console() -> Console:
    """Where people read."""
    width = None if sys.stdout.isatty() else shutil.get_terminal_size((WIDE, 24)).columns
    return _Screen(width=width, highlight=False)


def print_json(value: object) -> None:
    """One JSON document on standard output, which may be a terminal."""
    print(escape_json(json.dumps(value, ensure_ascii=False, default=str)))


def build_text(value: object) -> Text:
    """Foreign text, harmless in a terminal."""
    return Text(escape_text(str(value)), overflow="fold")


def escape_text(text: str) -> str:
    """Text without what a terminal would obey."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in escape(text))


def build_table(
    rows: Iterable[Sequence[object]], *, columns: Sequence[str], title: str = ""
) -> Table:
    """A table of foreign text."""
    table = Table(title=title or None, title_justify="left", header_style="bold", pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else build_text(cell) for cell in row))
    return table


def print_log(screen: Console, rows: Iterable[LogRow], *, title: str = "") -> None:
    """Rows of the log: a table where there is room for one, else a line each."""
    if screen.width >= ROOM_FOR_A_TABLE:
        screen.print(build_log_table(rows, title=title))
        return
    if title:
        screen.print(title)
    for row in rows:
        screen.print(format_log_line(row))


def build_log_table(rows: Iterable[LogRow], *, title: str = "") -> Table:
    """Rows of the log as a table."""
    columns = ("time, UTC", "agent", "tool", "try", "outcome", "ms", "parameters", "came of it")
    return build_table((_format_log_cells(row) for row in rows), columns=columns, title=title)


def _format_log_cells(row: LogRow) -> tuple[object, ...]:
    return (
        f"{read_time(row):%m-%d %H:%M:%S}",
        row.agent,
        row.tool,
        row.try_number,
        Text(row.outcome, style=_STYLES.get(Outcome(row.outcome), "")),
        f"{row.duration_us / 1000:.1f}",
        _shorten(row.parameters),
        _describe_end(row),
    )


def format_log_line(row: LogRow) -> Text:
    """One row on one line, for following."""
    line = Text(f"{read_time(row):%m-%d %H:%M:%S} UTC ")
    line.append(f"{row.outcome:9}", style=_STYLES.get(Outcome(row.outcome), ""))
    line.append(f"{row.duration_us / 1000:8.1f} ms  ")
    line.append(build_text(f"{row.agent or '-'} {row.tool} try {row.try_number} "))
    line.append(build_text(f"{_shorten(row.parameters)} {_describe_end(row)}"))
    return line


def _describe_end(row: LogRow) -> str:
    """What came of a call; of one that failed, also where, as far as there is room."""
    if not row.error_type:
        return _shorten(row.result or "")
    said = _shorten(f"{row.error_type}: {row.error_message}")
    return f"{said} [{_shorten(row.error_at)}]" if row.error_at else said


def encode_log_row(row: LogRow) -> Mapping[str, object]:
    """One row as JSON, its JSON texts parsed and its time readable."""
    fields = row._asdict()
    fields["at"] = read_time(row).isoformat()
    del fields["at_us"]
    for name in ("parameters", "result"):
        fields[name] = _parse_json(fields[name])
    return fields


def read_time(row: LogRow) -> datetime:
    """When a row's call was made, in UTC."""
    return from_us(row.at_us)


def _parse_json(text: str | None) -> object:
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        # Cut short by its bound; the text itself is still worth showing.
        return text


def _shorten(text: str, *, most: int = 240) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
