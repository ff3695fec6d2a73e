"""The peers' own environment, made on demand so that none of them becomes our dependency."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from bench.missing import MissingError

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "bench" / "peers.txt"


def add_peer_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the peers are, and whether they may be installed."""
    parser.add_argument(
        "--peers",
        type=Path,
        default=ROOT / ".venv-peers",
        metavar="DIR",
        help="the peers' virtual environment (made when it is not there)",
    )
    parser.add_argument("--no-install", action="store_true", help="never install the peers")


def peer_python(folder: Path, *, install: bool, pins: Path = PINS, alone: bool = False) -> Path:
    """The interpreter of the peers' environment, with exactly the pinned versions in it.

    `alone`: without what they depend on.
    """
    python = folder / "bin" / "python"
    mark = folder / ".pins"
    wanted = f"{sys.version}\n{pins.read_text(encoding='utf-8')}"
    if python.exists() and mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return python
    if not install:
        raise MissingError(
            f"The peers are not installed in {folder}: run once without --no-install, "
            "which puts them there with pip."
        )
    only = ("--no-deps",) if alone else ()
    print(f"Installing the peers into {folder} …", file=sys.stderr)
    _run(sys.executable, "-m", "venv", "--clear", str(folder))
    _run(str(python), "-m", "pip", "install", "--quiet", *only, "-r", str(pins))
    mark.write_text(wanted, encoding="utf-8")
    return python


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise MissingError(f"The peers cannot be installed: {error}.") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise MissingError(f"The peers cannot be installed: {said[-1]}")
