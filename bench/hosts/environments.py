"""`make hosts`: each host at its newest release and at its floor, in an environment of its own.

There, Mulligan is installed with the extra of that host alone, and the stories, the adapter's tests
and the example run. Each leaves a result in `bench/hosts/results`, and all of them the table.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

from bench.hosts.drivers import HOSTS, OTHERS
from bench.hosts.results import ROOT, Outcome, Result, load_results, read_tests, write_table
from bench.missing import MissingError
from bench.peers import BASE, BESIDE, build_python

FOLDER = ROOT / ".venv-hosts"
TESTING = ("pytest", "pytest-asyncio", "pytest-randomly", "pytest-xdist")
PACKS = ("caldav", "httpx", "icalendar", "radicale", "sqlalchemy")
"""What the packs and their servers need."""
VERSIONS = ("newest", "floor")
CALLED = {"llama-index": "llama-index-core"}
"""What pip calls a framework without an extra, where that is not its name."""
OF_ITS_TIME = {"claude-agent": ("mcp<2",), "langchain": ("langgraph-prebuilt==1.0.5",)}
"""What a floor needs that does not say so itself: its requirements have no upper end."""
LONGEST = 900
"""Seconds for the tests of one environment."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """A host at one version."""

    host: str
    version: str
    project: dict[str, object]
    """Of `pyproject.toml`."""

    def __str__(self) -> str:
        return f"{self.host}-{self.version}"

    @property
    def module(self) -> str:
        """What files of the host are named by."""
        return self.host.replace("-", "_")

    @property
    def requirement(self) -> Requirement:
        """What brings the host; its lowest version is the floor."""
        if self.host in OTHERS:
            return Requirement(CALLED.get(self.host, self.host))
        extras = self.project["optional-dependencies"]
        lines = extras.get(self.host) if isinstance(extras, dict) else None
        if not lines:
            raise MissingError(f"pyproject.toml has no extra {self.host!r} that brings the host.")
        return Requirement(lines[0])

    def list_packages(self) -> list[str]:
        """What pip is asked for."""
        wanted = self.requirement
        if self.host in OTHERS:
            return ["-e", str(BASE), *BESIDE, str(wanted), *TESTING]
        brought = ["-e", f"{BASE}[{self.host}]", *BESIDE, *TESTING, *PACKS]
        if self.version == "newest":
            return brought
        [floor] = [each.version for each in wanted.specifier if each.operator == ">="]
        return [*brought, f"{wanted.name}=={floor}", *OF_ITS_TIME.get(self.host, ())]

    def list_missing(self) -> list[str]:
        """What every host has, and this one has not."""
        example = ROOT / "examples" / "hosts" / f"with_{self.module}.py"
        wanted = (*self.list_tests(), example)
        return [path.relative_to(ROOT).as_posix() for path in wanted if not path.is_file()]

    def list_tests(self) -> list[Path]:
        """The test files of the host."""
        stories = ROOT / "tests" / "stories"
        examples = stories / "test_host_examples.py"
        if self.host in OTHERS:
            return [examples]
        adapters = BASE / "tests" / "hosts"
        own = adapters / f"test_{self.module}.py"
        more = adapters.glob(f"test_{self.module}_*.py")
        shared = ("host_stories", "host_effects", "host_packs", "typed_outputs", "conversations")
        told = [stories / f"test_{each}.py" for each in shared]
        return [*told, own, *sorted(more), examples]


def list_environments(host: str = "", version: str = "") -> Iterator[Environment]:
    """Those that are asked for."""
    project = tomllib.loads((BASE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if host not in ("", *HOSTS, *OTHERS):
        raise MissingError(
            f"No host is called {host!r}. There are: {', '.join((*HOSTS, *OTHERS))}."
        )
    for each in (*HOSTS, *OTHERS):
        for at in VERSIONS if each in HOSTS else VERSIONS[:1]:
            if host in ("", each) and version in ("", at):
                yield Environment(host=each, version=at, project=project)


def try_host(environment: Environment, folder: Path = FOLDER, *, install: bool = True) -> Result:
    """Install, run, and read what it came to."""
    packages = environment.list_packages()
    needs = environment.project["dependencies"]
    python = build_python(
        folder / str(environment),
        packages,
        wanted=f"{needs}\n{environment.requirement}\n{packages}",
        name=f"What {environment} needs",
        install=install,
    )
    report, log = folder / f"{environment}.xml", folder / f"{environment}.log"
    report.unlink(missing_ok=True)
    log.write_text(_run_tests(environment, python, report), encoding="utf-8")
    if not report.is_file():
        raise MissingError(f"{environment} has run no test; see {log}.")
    stories, reasons, failed, passed = read_tests(report)
    return Result(
        host=environment.host,
        version=environment.version,
        release=_read_release(python, environment.requirement.name),
        python=".".join(map(str, sys.version_info[:2])),
        stories=dict(sorted(stories.items())),
        reasons=dict(sorted(reasons.items())),
        passed=passed,
        failed=sorted(failed),
    )


def _run_tests(environment: Environment, python: Path, report: Path) -> str:
    files = [str(path) for path in environment.list_tests() if path.is_file()]
    # Without what all tests share: a database server and more, which this environment has not.
    how = (f"--confcutdir={BASE / 'tests' / 'hosts'}", "-n", "1", "-q", f"--junitxml={report}")
    chosen = f"{environment.host} or {environment.module}"
    done = subprocess.run(
        [str(python), "-m", "pytest", *files, *how, "-k", chosen],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    return done.stdout


def _read_release(python: Path, package: str) -> str:
    ask = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.check_output([str(python), "-c", ask], text=True).strip()


def _describe(result: Result) -> str:
    told = list(result.stories.values())
    cannot = told.count(Outcome.CANNOT)
    parts = [f"{result.release}:"]
    if told:
        parts.append(f"{told.count(Outcome.PASSED)} of {len(told)} stories,")
    parts += [f"{cannot} it has no power for,"] if cannot else []
    parts.append(f"{result.passed} other tests")
    broken = [name for name, came in result.stories.items() if came is Outcome.FAILED]
    failed = [*broken, *result.failed]
    return " ".join(parts) + (f"; FAILED: {', '.join(failed)}" if failed else "")


def main(arguments: list[str] | None = None) -> int:
    """Try what is asked for, one after the other; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="make hosts", description=__doc__)
    parser.add_argument("--host", default="", help="this one alone")
    parser.add_argument("--version", default="", choices=("", *VERSIONS), help="this one alone")
    parser.add_argument("--no-install", action="store_true", help="never install anything")
    options = parser.parse_args(arguments)
    bad = []
    try:
        asked = list(list_environments(options.host, options.version))
    except MissingError as missing:
        parser.error(str(missing))
    for number, environment in enumerate(asked, 1):
        print(f"[{number}/{len(asked)}] {environment} …", flush=True)
        begun = time.monotonic()
        try:
            result = try_host(environment, install=not options.no_install)
        except (MissingError, subprocess.SubprocessError) as error:
            print(f"    NOT RUN: {error}", flush=True)
            bad.append(str(environment))
            continue
        result.save()
        print(f"    {_describe(result)} ({time.monotonic() - begun:.0f} s)", flush=True)
        bad += [f"{environment} has no {path}" for path in environment.list_missing()]
        if not result.is_good:
            bad.append(f"{environment}: see {FOLDER.name}/{environment}.log")
    write_table(load_results())
    print("\n".join(["Not as it should be:", *bad]) if bad else "All is as it should be.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
