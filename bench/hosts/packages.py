"""`make packages`: each package's own tests on its own wheel, in a fresh environment.

There, the wheel, built from the package's sdist, is installed with its extra `test` and nothing
else; the tests are those of the checkout. What a package needs and does not say fails here.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

from bench.hosts.apart import LONGEST, clean_environment, run_apart, try_each
from bench.hosts.extras import build_wheels
from bench.hosts.results import ROOT
from bench.missing import MissingError

FOLDER = ROOT / ".venv-environments"
PACKAGES = {each.parent.name: each for each in sorted(ROOT.glob("packages/*/tests"))}
"""The tests of each package, by its name."""
_COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped)")


def try_package(package: str, folder: Path = FOLDER) -> str:
    """Make the environment and run the tests: how many passed and were skipped."""
    home = folder / f"package-{package}"
    python, log = home / "bin" / "python", folder / f"package-{package}.log"
    run_apart(sys.executable, "-m", "venv", "--clear", home)
    run_apart(python, "-m", "pip", "install", "-q", "--find-links", folder, f"{package}[test]")
    tests = [str(PACKAGES[package]), "-n", "1", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [str(python), "-m", "pytest", *tests],
        cwd=ROOT,  # for its tests; of its sources nothing is on the path
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    log.write_text(done.stdout, encoding="utf-8")
    counts = read_counts(done.stdout)
    came = ", ".join(f"{count} {what}" for what, count in counts.items()) or "no test was run"
    if not ({*counts} <= {"passed", "skipped"} and counts.get("passed")):
        raise MissingError(f"{came}; see {log.relative_to(ROOT)}")
    return came


def read_counts(said: str) -> dict[str, int]:
    """How many tests passed, failed and were skipped, by pytest's last line."""
    last = said.strip().rpartition("\n")[2]
    return {what: int(count) for count, what in _COUNTS.findall(last)}


def main(arguments: list[str] | None = None) -> int:
    """Try them one after the other; 1 if any failed."""
    parser = argparse.ArgumentParser(prog="make packages", description=__doc__)
    parser.add_argument("--package", default="", choices=("", *PACKAGES), help="this one alone")
    options = parser.parse_args(arguments)
    FOLDER.mkdir(exist_ok=True)
    build_wheels(FOLDER)
    asked = [options.package] if options.package else PACKAGES
    return 1 if try_each((package, partial(try_package, package)) for package in asked) else 0


if __name__ == "__main__":
    sys.exit(main())
