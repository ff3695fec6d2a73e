"""How things look in a terminal. Text from tools is shown as text: no markup, no escapes."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from os.path import commonprefix

from msgspec import Struct
from msgspec.structs import asdict
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from mulligan.cli.terminal import end_waiting, print_line
from mulligan.types.action import State
from mulligan.types.call import LogRow, Outcome
from mulligan.types.display import escape, escape_json
from mulligan.types.values import from_us
from mulligan_dates.text import shorten

WIDE = 160
"""Columns when the width is unknown: a pipe, a file, no COLUMNS."""

ROOM_FOR_A_TABLE = 120

SHORT = 16
"""Characters of an id that are shown at least: its millisecond, and enough to tell what was made in
the same one; more where two of a list would still be one."""
_LONGEST = 240

_STYLES = {
    Outcome.SUCCESS: "green",
    Outcome.FAILURE: "red",
    Outcome.UNKNOWN: "yellow",
    Outcome.CANCELLED: "yellow",
}


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        """A closed pipe is no error: the reader has read enough."""
        raise BrokenPipeError


def make_console() -> Console:
    """Where people read."""
    end_waiting()
    width = None if sys.stdout.isatty() else shutil.get_terminal_size((WIDE, 24)).columns
    return _Screen(width=width, highlight=False)


def print_json(value: object) -> None:
    """One JSON document on standard output, which may be a terminal."""
    end_waiting()
    print_line(escape_json(json.dumps(to_plain_json(value), ensure_ascii=False)))


def answer(options: argparse.Namespace, facts: object, *said: RenderableType) -> int:
    """Print facts as JSON where a program asks, else what a person reads: a text is foreign."""
    if options.json:
        print_json(facts)
        return 0
    console = make_console()
    for each in said:
        console.print(build_text(each) if isinstance(each, str) else each)
    return 0


def to_plain_json(value: object) -> object:
    """A value as programs read it: times in ISO, spans in seconds, whole numbers as integers."""
    match value:
        case datetime() | date():
            return value.isoformat()
        case timedelta():
            return to_plain_json(value.total_seconds())
        case float():
            return int(value) if value.is_integer() else value
        case None | bool() | int() | str():
            return value
        case Struct():
            return to_plain_json(asdict(value))
        case Mapping():
            return {str(name): to_plain_json(each) for name, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return [to_plain_json(each) for each in value]
        case _:
            return str(value)


def format_figure(value: float | None, form: str) -> str:
    """A figure as `format` writes it; a dash where there is none."""
    return "-" if value is None else format(value, form)


def build_text(value: object, style: str = "") -> Text:
    """Foreign text, harmless in a terminal."""
    return Text(escape_text(str(value)), style=style, overflow="fold")


def build_block(text: str) -> Text:
    """Foreign text of several lines, each set off, so that none looks like one of ours."""
    lines = (f"    {escape_text(line)}" for line in text.splitlines())
    return Text("\n".join(lines), overflow="fold")


def escape_text(text: str) -> str:
    """Text without what a terminal would obey."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in escape(text))


def build_table(
    rows: Iterable[Sequence[object]], *, columns: Sequence[str], title: str = ""
) -> Table:
    """A table of foreign text. An id stays in one line: half of one may be the name of another."""
    table = Table(title=title or None, title_justify="left", header_style="bold", pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=name == "id")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else build_text(cell) for cell in row))
    return table


def print_log(screen: Console, rows: Sequence[LogRow], *, became: Mapping[str, State]) -> None:
    """Rows of the log: a table where there is room for one, else a line each.

    `became`: the current states of the actions, by their calls' ids.
    """
    if screen.width >= ROOM_FOR_A_TABLE:
        names = shorten_ids([row.id for row in rows])
        columns = (
            *("time, UTC", "id", "agent", "tool", "try", "outcome", "ms", "parameters"),
            "result",
        )
        cells = (
            _format_log_cells(row, name=names[row.id], state=became.get(row.id)) for row in rows
        )
        screen.print(build_table(cells, columns=columns))
        return
    for row in rows:
        screen.print(format_log_line(row, state=became.get(row.id)))


def shorten_ids(ids: Sequence[str]) -> Mapping[str, str]:
    """Each id by as much of its beginning as tells it from the others."""
    ordered = sorted(ids)
    names = {}
    for place, each in enumerate(ordered):
        beside = [*ordered[max(place - 1, 0) : place], *ordered[place + 1 : place + 2]]
        # Characters are what is compared: these are ids and no paths.
        shared = max((len(commonprefix([each, n])) for n in beside), default=0)  # noqa: RUF071
        names[each] = each[: max(SHORT, shared + 2)]
    return names


def _format_outcome(row: LogRow, state: State | None) -> Text:
    text = Text(row.outcome, style=_STYLES.get(Outcome(row.outcome), ""))
    return text if state is None else text.append(f" → {state.value}", style="default")


def _format_log_cells(row: LogRow, *, name: str, state: State | None) -> tuple[object, ...]:
    return (
        f"{read_time(row):%m-%d %H:%M:%S}",
        name,
        row.agent,
        row.tool,
        row.try_number,
        _format_outcome(row, state),
        f"{row.duration_us / 1000:.1f}",
        shorten(row.parameters, most=_LONGEST),
        _describe_end(row),
    )


def format_log_line(row: LogRow, *, state: State | None = None) -> Text:
    """One row on one line, for following."""
    line = Text(f"{read_time(row):%m-%d %H:%M:%S} UTC {row.id} ")
    line.append(f"{row.outcome:9}", style=_STYLES.get(Outcome(row.outcome), ""))
    if state is not None:
        line.append(f"→ {state.value}")
    line.append(f"{row.duration_us / 1000:8.1f} ms  ")
    line.append(build_text(f"{row.agent or '-'} {row.tool} try {row.try_number} "))
    line.append(build_text(f"{shorten(row.parameters, most=_LONGEST)} {_describe_end(row)}"))
    return line


def _describe_end(row: LogRow) -> str:
    """The result of a call; of one that failed, also where, as far as there is room."""
    if not row.error_type:
        return shorten(row.result or "", most=_LONGEST)
    said = shorten(f"{row.error_type}: {row.error_message}", most=_LONGEST)
    return f"{said} [{shorten(row.error_at, most=_LONGEST)}]" if row.error_at else said


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
    except (ValueError, RecursionError):
        # Cut short by its bound; the text itself is still worth showing.
        return text
