"""`make release-check`: what would be released, built and tried as a stranger gets it.

`make sbom` is the last step alone: what the release brings, with versions and licences.

Every package is built as sdist and wheel and its metadata is checked. Then the wheels are installed
for each Python at hand, with the newest and with the oldest dependencies that they allow, and used
with every warning an error. Nothing of the checkout is on the path, and nothing is uploaded.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from textwrap import dedent

from bench.hosts.apart import run_apart, try_each
from bench.hosts.environments import FOLDER, VERSIONS
from bench.hosts.extras import PACKAGES, build_wheels
from bench.hosts.results import ROOT
from bench.missing import MissingError
from bench.peers import build_python
from mulligan.version import VERSION

DIST = ROOT / "build" / "dist"
PINS = ROOT / "bench" / "release-tools.txt"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
USE = """
    import importlib, pkgutil
    import mulligan, mulligan_dates, mulligan_replay, mulligan_packs.files
    from mulligan import *
    from mulligan.cli.main import main

    def walk(package):
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            try:
                importlib.import_module(each.name)
            except ModuleNotFoundError as error:  # a part of an extra, which `make extras` tries
                assert not error.name.startswith("mulligan"), error

    for package in (mulligan, mulligan_dates, mulligan_replay):
        walk(package)
    days = {"dinner": "Friday"}
    with Mulligan("sqlite:///seen.db") as m:
        @m.tool(effect="reversible", before=lambda r: days["dinner"],
                undo=lambda r: days.update(dinner=r.before))
        def move(day: str) -> None:
            days["dinner"] = day
        done = m.act_sync("Move it", lambda turn: move("Sunday"))
        assert done.stands and days["dinner"] == "Sunday", done
    assert main(["log", "--store", "sqlite:///seen.db", "--json"]) == 0
    assert main(["replay", "--example", "--json"]) == 0
    """
"""What is done with the wheels; `-W error` is on."""


def find_pythons() -> dict[str, str]:
    """Every supported interpreter of this machine: on the path, or beside the one that runs."""
    found: dict[str, str] = {}
    for version in PYTHONS:
        here = f"{sys.version_info.major}.{sys.version_info.minor}" == version
        beside = sorted(Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python{version}"))
        on_path = sys.executable if here else shutil.which(f"python{version}")
        for path in (on_path, *map(str, reversed(beside))):
            if path and _runs(path):
                found[version] = path
                break
    return found


def _runs(python: str) -> bool:
    """Whether it is an interpreter: a version manager's own command for one may only complain."""
    return not subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode


def read_floors() -> list[str]:
    """What the packages need that are tried, each at the oldest version that is allowed."""
    names = ("mulligan", "mulligan-dates", "mulligan-packs", "mulligan-replay")
    wanted: set[str] = set()
    for name in names:
        text = (ROOT / "packages" / name / "pyproject.toml").read_text(encoding="utf-8")
        wanted |= set(tomllib.loads(text)["project"]["dependencies"])
    outside = [each for each in wanted if not each.startswith("mulligan")]
    return sorted(
        re.sub(r"^([\w.-]+(?:\[[^]]*\])?)>=([\w.]+).*", r"\1==\2", each) for each in outside
    )


def check_versions(tag: str) -> None:
    """Every package has the version that the code says of itself, and so has the tag, if any."""
    texts = {each.name: (each / "pyproject.toml").read_text(encoding="utf-8") for each in PACKAGES}
    said = {name: str(tomllib.loads(text)["project"]["version"]) for name, text in texts.items()}
    said |= {f"the tag {tag}": tag.removeprefix("v")} if tag else {}
    if other := {name: version for name, version in said.items() if version != VERSION}:
        named = ", ".join(f"{name} says {version}" for name, version in other.items())
        raise MissingError(f"mulligan is {VERSION}, and {named}: make them one.")


def list_steps(
    tools: Path, pythons: dict[str, str], *, tag: str
) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is checked, in order, and what it is called."""
    yield "one version" + (f", that of the tag {tag}" if tag else ""), partial(check_versions, tag)
    yield "built as sdist and wheel", lambda: build_wheels(DIST, PACKAGES)
    yield (
        "metadata (twine)",
        lambda: run_apart(tools / "twine", "check", "--strict", *_list(DIST, "*")),
    )
    yield (  # W002: two databases may need the same words for one step of their schema
        "contents (check-wheel-contents)",
        lambda: run_apart(
            tools / "check-wheel-contents", "--ignore", "W002", *_list(DIST, "*.whl")
        ),
    )
    for version, python in pythons.items():
        for kind in VERSIONS:
            yield (
                f"used on Python {version}, {kind} dependencies",
                partial(_use, tools, python, kind),
            )
    yield "list of parts (build/sbom.json)", lambda: _write_parts(tools)


def _list(folder: Path, pattern: str) -> list[Path]:
    return sorted(each for each in folder.glob(pattern) if each.suffix in (".whl", ".gz"))


def _use(tools: Path, python: str, kind: str) -> None:
    """Install the wheels in an environment of their own, and use them."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        env = home / "env"
        run_apart(tools / "uv", "venv", "--quiet", "--python", python, env)
        wanted = ["mulligan[packs,replay]", *(read_floors() if kind == "floor" else [])]
        run_apart(tools / "uv", "pip", "install", "--quiet", "--python", env / "bin" / "python",
             "--find-links", DIST, *wanted)  # fmt: skip
        run_apart(env / "bin" / "python", "-W", "error", "-c", dedent(USE), at=home)


def _write_parts(tools: Path) -> None:
    """Everything that the newest release brings, as CycloneDX."""
    if not _list(DIST, "*.whl"):
        build_wheels(DIST, PACKAGES)
    with tempfile.TemporaryDirectory() as name:
        env = Path(name) / "env"
        run_apart(tools / "uv", "venv", "--quiet", "--python", sys.executable, env)
        run_apart(tools / "uv", "pip", "install", "--quiet", "--python", env / "bin" / "python",
             "--find-links", DIST, "mulligan[dashboard,gateway,packs,replay]")  # fmt: skip
        said = run_apart(tools / "cyclonedx-py", "environment", env / "bin" / "python")
    (ROOT / "build" / "sbom.json").write_text(said, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one after the other and say what came of each; 1 if anything is not as it should be."""
    parser = argparse.ArgumentParser(prog="make release-check", description=__doc__)
    parser.add_argument("--tag", default=os.environ.get("TAG", ""), help="what is released")
    parser.add_argument("--only", default="", metavar="NAME", help="the steps of this name alone")
    options = parser.parse_args(arguments)
    DIST.mkdir(parents=True, exist_ok=True)
    wanted = PINS.read_text(encoding="utf-8")
    python = build_python(FOLDER / "release", ("-r", str(PINS)), wanted=wanted, name="The tools")
    pythons = find_pythons()
    steps = list_steps(python.parent, pythons, tag=options.tag)
    bad = try_each((name, check) for name, check in steps if options.only in name)
    for version in PYTHONS:
        if version not in pythons and not options.only:
            print(f"Python {version} is not on this machine: not tried.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
