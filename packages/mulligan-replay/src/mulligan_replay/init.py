"""`mulligan init`: the lines that add Mulligan to an agent, for the framework of a trace."""

from __future__ import annotations

import argparse
from pathlib import Path

from mulligan.cli import render
from mulligan.cli.options import add_json, command, option
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError
from mulligan.types.private_files import write_private
from mulligan_replay.files import list_files
from mulligan_replay.hosts import HOSTS, find_host, find_installed, list_lines


@command(
    "init",
    add_json,
    option("files", nargs="*", type=Path, metavar="FILE", help="traces of the agent"),
    option("--host", choices=tuple(HOSTS), help="the framework, where there is no trace of it"),
    option(
        "--store",
        default="sqlite:///mulligan.db",
        metavar="URL",
        help="where the agent keeps its record, such as that of `mulligan replay --learn`",
    ),
    option("-o", "--output", type=Path, metavar="FILE", help="write a new file, besides"),
    examples=(
        "mulligan init traces.jsonl --store sqlite:///app.db",
        "mulligan init --host langchain -o with_mulligan.py",
    ),
    about="Write the lines that add Mulligan to an agent. The framework is recognised in a trace, "
    "else by what\nis installed. Tools that are irreversible by "
    "their names are declared so,\nand their calls are held for approval. It needs "
    '`pip install "mulligan[replay]"`.',
)
def run_init(options: argparse.Namespace, settings: Settings) -> int:  # noqa: ARG001
    """Recognise the framework, and write the lines."""
    files = list_files(options.files)
    missing = next((path for path in files if not path.is_file()), None)
    if missing is not None:
        raise ConfigurationError(f"{missing} is no file.")
    named = options.host or find_host(files)
    host = named or _choose_installed()
    lines = list(list_lines(host, options.store, files))
    if not named:
        lines.insert(0, f"# For {host}, the only framework installed here; --host names another.")
    said: list[str] = []
    if options.output is not None:
        if options.output.exists():
            raise ConfigurationError(f"{options.output} is there already: name a new file.")
        write_private(options.output, "\n".join((*lines, "")))
        said = ["", f"Written to {options.output}."]
    return render.answer(options, {"host": host, "lines": lines}, *lines, *said)


def _choose_installed() -> str:
    found = find_installed()
    if len(found) == 1:
        return found[0]
    seen = f"{', '.join(found)} are installed" if found else "none of them is installed"
    raise ConfigurationError(
        f"No framework was recognised, and {seen}. Name it with --host: {', '.join(HOSTS)}. "
        "For functions of your own, and for all other frameworks, decorate them with @m.tool."
    )
