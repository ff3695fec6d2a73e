"""Environments beside ours, made on demand so that what is in them is no dependency of ours."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.missing import MissingError

ROOT = Path(__file__).resolve().parent.parent
SOURCES = tuple(str(each) for each in sorted(ROOT.glob("packages/mulligan*/src")))
"""Of this checkout, for an environment in which it is not installed."""
BASE = ROOT / "packages" / "mulligan"
BESIDE = tuple(
    part
    for name in ("dates", "gateway", "dashboard", "packs", "testing")
    for part in ("-e", str(ROOT / "packages" / f"mulligan-{name}"))
)
"""The packages that the base needs, and that build on it, as pip is told of them."""
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
    only = ("--no-deps",) if alone else ()
    return build_python(
        folder,
        ("-r", str(pins), *only),
        wanted=pins.read_text(encoding="utf-8"),
        name="The peers",
        install=install,
    )


def build_python(
    folder: Path, packages: Sequence[str], *, wanted: str, name: str, install: bool = True
) -> Path:
    """The interpreter of an environment with these packages, made anew once `wanted` changes."""
    python = folder / "bin" / "python"
    mark = folder / ".pins"
    wanted = f"{sys.version}\n{wanted}"
    if python.exists() and mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return python
    if not install:
        raise MissingError(
            f"{name} are not installed in {folder}: run once without --no-install, "
            "which puts them there with pip."
        )
    print(f"Installing {name[0].lower()}{name[1:]} into {folder} …", file=sys.stderr)
    _run(sys.executable, "-m", "venv", "--clear", str(folder), name=name)
    _run(str(python), "-m", "pip", "install", "--quiet", *packages, name=name)
    mark.write_text(wanted, encoding="utf-8")
    return python


def _run(*command: str, name: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise MissingError(f"{name} cannot be installed: {error}.") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise MissingError(f"{name} cannot be installed: {said[-1]}")
