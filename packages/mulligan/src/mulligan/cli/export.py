"""`mulligan export`: calls and actions as files, for analysis elsewhere."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from mulligan.cli import render
from mulligan.cli.actions import encode_action
from mulligan.cli.options import add_span, add_store_and_json, command, option
from mulligan.cli.terminal import make_progress
from mulligan.insights.insights import Insights
from mulligan.insights.turns import read_calls
from mulligan.settings import Settings
from mulligan.types.action import ActionQuery, read_all
from mulligan.types.errors import ConfigurationError, MissingExtraError
from mulligan.types.log import LogQuery
from mulligan.types.private_files import OWNER_ONLY

TEXT, NUMBER, SHARE, TIME, FLAG, NESTED = (
    "VARCHAR", "BIGINT", "DOUBLE", "TIMESTAMPTZ", "BOOLEAN", "JSON",
)  # fmt: skip

CALLS = {
    "id": TEXT, "at": TIME, "tenant": TEXT, "agent": TEXT, "server": TEXT, "tool": TEXT,
    "parameters": NESTED, "context": TEXT, "outcome": TEXT, "duration_us": NUMBER,
    "error_class": TEXT, "error_type": TEXT, "error_message": TEXT, "error_code": TEXT,
    "error_at": TEXT, "result": NESTED, "try_number": NUMBER, "parent": TEXT, "turn": TEXT,
    "weight": SHARE,
}  # fmt: skip
ACTIONS = {
    "id": TEXT, "tool": TEXT, "server": TEXT, "agent": TEXT, "tenant": TEXT, "turn": TEXT,
    "attempt": NUMBER, "bulk": TEXT, "effect": TEXT, "state": TEXT, "settled": FLAG,
    "version": NUMBER, "opened_at": TIME, "changed_at": TIME, "detail": NESTED,
}  # fmt: skip
"""The columns of a Parquet file, and what they hold, in the words of DuckDB."""


@command(
    "export",
    add_store_and_json,
    option("folder", type=Path, help="target folder; created if missing"),
    option("--parquet", action="store_true", help="Parquet instead of JSON lines"),
    add_span,
    about="Write calls and actions into a folder: as JSON lines, or as Parquet for DuckDB, "
    'pandas and columnar\nstores (`pip install "mulligan[parquet]"`). Values are redacted as '
    "in the log.",
)
def run_export(options: argparse.Namespace, settings: Settings) -> int:
    """Write the files, each whole or not at all."""
    if options.parquet and find_spec("duckdb") is None:
        raise MissingExtraError(need="mulligan export --parquet", extra="parquet")
    form = "parquet" if options.parquet else "jsonl"
    asked = {"since": options.since, "until": options.until}
    files = {name: options.folder / f"{name}.{form}" for name in ("calls", "actions")}
    for path in files.values():
        if path.exists():
            raise ConfigurationError(f"{path} already exists: name another folder.")
    with Insights.open(settings) as insights:
        options.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        calls = map(render.encode_log_row, read_calls(insights, LogQuery(**asked)))
        actions = map(encode_action, read_all(insights.open_list.search, ActionQuery(**asked)))
        rows = {
            "calls": _write(calls, files["calls"], CALLS),
            "actions": _write(actions, files["actions"], ACTIONS),
        }
    shown = {name: str(path) for name, path in files.items()}
    said = ", ".join(f"{count:,} {name}" for name, count in rows.items())
    whose = {"tenant": settings.tenant or None}
    hint = "" if any(rows.values()) else _explain_nothing(whose | asked)
    return render.answer(
        options, {"rows": rows, "files": shown}, f"{options.folder}: {said}.{hint}"
    )


def _explain_nothing(asked: Mapping[str, str | datetime | None]) -> str:
    """Why both files are empty: what was asked for, as it was understood."""
    given = {name: value for name, value in asked.items() if value is not None}
    if not given:
        return " The store has none yet."
    said = " ".join(f"--{name} {render.to_plain_json(value)}" for name, value in given.items())
    return f" Nothing matches {said}."


def _write(rows: Iterable[Mapping[str, object]], path: Path, columns: Mapping[str, str]) -> int:
    """Write a file beside its name, put it in its place once it is whole, and say how many rows."""
    count = 0
    # A folder only its owner can use: no other user can plant a link or read a partial file.
    with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as aside:
        whole = Path(aside, "lines")
        with whole.open("w", encoding="utf-8") as file, make_progress() as progress:
            for row in progress.track(rows, description=path.stem):
                count += 1
                file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
        if path.suffix == ".parquet":
            whole = _convert(whole, Path(aside, path.name), columns)
        whole.chmod(OWNER_ONLY)
        whole.replace(path)
    return count


def _convert(lines: Path, target: Path, columns: Mapping[str, str]) -> Path:
    import duckdb

    with duckdb.connect(config={"autoinstall_known_extensions": "false"}) as connection:
        read = connection.read_json(str(lines), format="newline_delimited", columns=dict(columns))
        read.write_parquet(str(target), compression="zstd")
    return target
