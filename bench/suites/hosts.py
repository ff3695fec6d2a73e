"""What a run of another framework costs with Mulligan, and what stories come to in it."""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.hosts.conversations import ONE, Converse, converse_by_hand, run_conversations
from bench.hosts.counting import StoryCounts
from bench.hosts.drivers import HOSTS, Driver, Step, list_installed, load_driver
from bench.hosts.environments import FOLDER, list_environments
from bench.hosts.pack_stories import PACKS, run_pack_story
from bench.hosts.results import ROOT
from bench.hosts.typed_outputs import run_typed_stories
from bench.hosts.world import build_tools, open_app
from bench.missing import MissingError
from bench.report import progress
from mulligan import Mulligan
from mulligan_testing.remote import FakeRemote

Result = dict[str, Any]

THREE = "three messages"
CALLS = 3
SCRIPT: list[Step] = [*[("find_room", {"size": "large"})] * CALLS, "Room 4."]
"""Calls that only read: what an effect costs is the journal's, and measured by `overhead`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", choices=list(HOSTS), help="only this one")
    parser.add_argument("--runs", type=int, default=200, metavar="N", help="of each kind; 200")


def run(options: argparse.Namespace) -> Result:
    here = list_installed()
    hosts = [options.host] if options.host else list(dict.fromkeys((*here, *list_elsewhere())))
    rows, versions = [], dict[str, str]()
    stories: dict[str, dict[str, dict[str, int]]] = {}
    with progress(len(hosts)) as step:
        for host in hosts:
            step(host)
            if host in here:
                rows.append({"host": host, **asyncio.run(_measure(host, options.runs))})
                versions[host] = importlib.metadata.version(_name_package(host))
                stories[host] = _tell_stories(host)
            else:
                there = measure_elsewhere(host, options.runs)
                rows += there["rows"]
                versions |= there["versions"]
                stories |= there["stories"]
    ratio = {row["host"]: row["ratio"] for row in rows}
    if not options.host:
        stories |= _tell_without_host()
    told = {"ratio": ratio, "rows": rows, "stories": stories}
    return {"n": options.runs, **told, "versions": versions}


def failed(result: Result) -> str:
    """Why a result is no proof: a story that did not come out as it should."""
    wrong = [
        f"{host}, {story}: {count} {name}"
        for host, stories in result["stories"].items()
        for story, figures in stories.items()
        for name, count in figures.items()
        if count
    ]
    return "; ".join(wrong)


def list_elsewhere() -> list[str]:
    """The hosts that have an environment of their own, with their newest release."""
    return [host for host in HOSTS if _find_python(host).is_file()]


def measure_elsewhere(host: str, runs: int) -> Result:
    """The same in the environment of a host."""
    if host not in list_elsewhere():
        raise MissingError(f"{host} is not installed here: `make hosts HOST={host}` installs it.")
    command = ["-m", "bench", "hosts", "--host", host, "--runs", str(runs), "--json"]
    done = subprocess.run(
        [str(_find_python(host)), *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise MissingError(f"{host} could not be measured: {done.stderr.strip()[-300:]}")
    there: Result = json.loads(done.stdout)
    return there


def _find_python(host: str) -> Path:
    return FOLDER / f"{host}-newest" / "bin" / "python"


def _name_package(host: str) -> str:
    [environment] = list_environments(host, "newest")
    return environment.requirement.name


def _tell_stories(host: str) -> dict[str, dict[str, int]]:
    driver = load_driver(host)
    return {
        "one message": asyncio.run(run_conversations(driver.converse, tales=ONE)).figures,
        THREE: _talk(driver.converse),
        "typed output": asyncio.run(run_typed_stories(host)).figures,
        "pack": _tell_packs(host),
    }


def _talk(converse: Converse, *, decorated: bool = False) -> dict[str, int]:
    """Conversations of several messages."""
    return asyncio.run(run_conversations(converse, decorated=decorated)).figures


def _tell_without_host() -> dict[str, dict[str, dict[str, int]]]:
    """The same with decorated tools and `m.act`, and through the gateway with two clients."""
    # Its client is not there in the environments of the hosts.
    from bench.gateway.conversations import CLIENTS, run_gateway_conversations

    found = {"decorator": {THREE: _talk(converse_by_hand, decorated=True)}}
    for client in CLIENTS:
        with tempfile.TemporaryDirectory() as folder:
            told = asyncio.run(run_gateway_conversations(Path(folder), client))
            found[f"gateway {client}"] = {THREE: told.figures}
    return found


def _tell_packs(host: str) -> dict[str, int]:
    """The tools of all packs in a host, each against a server of its own."""
    told = StoryCounts()
    for open_pack in PACKS.values():
        with tempfile.TemporaryDirectory() as folder, open_pack(Path(folder)) as world:
            told += asyncio.run(run_pack_story(host, world))
    return told.figures


async def _measure(host: str, runs: int) -> dict[str, float]:
    """In turns, so that what else goes on in the machine meets both."""
    driver = load_driver(host)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        remote = FakeRemote(home / "remote")
        async with open_app(f"sqlite:///{home / 'store.db'}", remote) as m:
            await _time(driver, remote, m)
            await _time(driver, remote, None)
            pairs = [
                (await _time(driver, remote, None), await _time(driver, remote, m))
                for _ in range(runs)
            ]
    bare, with_us = (statistics.median(each) for each in zip(*pairs, strict=True))
    ratios = sorted(mulligan / alone for alone, mulligan in pairs)
    return {
        "bare_ms": round(bare * 1e3, 3),
        "mulligan_ms": round(with_us * 1e3, 3),
        "ratio": round(with_us / bare, 3),
        "ratio_p10": round(ratios[len(ratios) // 10], 3),
        "ratio_p90": round(ratios[len(ratios) * 9 // 10], 3),
        "per_call_us": round((with_us - bare) * 1e6 / CALLS, 1),
    }


async def _time(driver: Driver, remote: FakeRemote, m: Mulligan | None) -> float:
    tools = build_tools(remote)
    began = time.perf_counter()
    await driver.run(m, tools, "Find a large room", SCRIPT)
    return time.perf_counter() - began
