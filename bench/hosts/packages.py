"""`make packages`: each package's own tests on its own wheel, in a fresh environment.

There, the wheel, built from the package's sdist, is installed with its extra `test` and nothing
else; the tests are those of the checkout. What a package needs and does not say fails here.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.hosts.extras import build_wheels
from bench.hosts.results import ROOT
from bench.missing import MissingError

FOLDER = ROOT / ".venv-environments"
PACKAGES = {each.parent.name: each for each in sorted(ROOT.glob("packages/*/tests"))}
"""The tests of each package, by its name."""
LONGEST = 3600
"""Seconds for the tests of one package."""
_COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped)")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the tests of one package came to."""

    package: str
    counts: dict[str, int]
    seconds: float
    log: Path

    @property
    def is_good(self) -> bool:
        """Whether some passed and none failed."""
        return {*self.counts} <= {"passed", "skipped"} and self.counts.get("passed", 0) > 0

    def __str__(self) -> str:
        came = ", ".join(f"{count} {what}" for what, count in self.counts.items())
        told = came or "no test was run"
        seen = "" if self.is_good else f"  see {self.log.relative_to(ROOT)}"
        return f"{self.package:20} {told:36} {self.seconds:6.0f} s{seen}"


def try_package(package: str, folder: Path = FOLDER) -> Outcome:
    """Make the environment and run the tests; `MissingError` says what could not be installed."""
    home, begun = folder / f"package-{package}", time.monotonic()
    python, log = str(home / "bin" / "python"), folder / f"package-{package}.log"
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(home)],
        [python, "-m", "pip", "install", "-q", "--find-links", str(folder), f"{package}[test]"],
    ):
        done = _run(command)
        if done.returncode:
            raise MissingError(f"{package} cannot be installed: {done.stdout.strip()[-500:]}")
    tests = [str(PACKAGES[package]), "-n", "1", "-q", "-p", "no:cacheprovider"]
    done = _run([python, "-m", "pytest", *tests])
    log.write_text(done.stdout, encoding="utf-8")
    return Outcome(
        package=package,
        counts=read_counts(done.stdout),
        seconds=time.monotonic() - begun,
        log=log,
    )


def read_counts(said: str) -> dict[str, int]:
    """How many tests passed, failed and were skipped, by pytest's last line."""
    last = said.strip().rpartition("\n")[2]
    return {what: int(count) for count, what in _COUNTS.findall(last)}


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run in the checkout, for its tests; of its sources nothing is on the path."""
    apart = ("PYTHON", "MULLIGAN")
    return subprocess.run(
        command,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith(apart)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST,
        check=False,
    )


def main(arguments: list[str] | None = None) -> int:
    """Try them one after the other, and print a table; 1 if any failed."""
    parser = argparse.ArgumentParser(prog="make packages", description=__doc__)
    parser.add_argument("--package", default="", choices=("", *PACKAGES), help="this one alone")
    options = parser.parse_args(arguments)
    FOLDER.mkdir(exist_ok=True)
    build_wheels(FOLDER)
    bad = []
    for package in [options.package] if options.package else PACKAGES:
        try:
            outcome = try_package(package)
            print(outcome, flush=True)
            bad += [] if outcome.is_good else [package]
        except (MissingError, subprocess.TimeoutExpired) as error:
            print(f"{package:20} NOT RUN: {error}", flush=True)
            bad.append(package)
    print(f"Not as they should be: {', '.join(bad)}" if bad else "All is as it should be.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
