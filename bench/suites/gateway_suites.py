"""The protocol's conformance suite and the SDK's own tests: what passes directly passes through."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from bench.gateway.conformance import (
    NODE,
    SPECS,
    SUITE,
    port_name,
    run_everything,
    run_open_gateway,
    run_suite,
    write_by_lines,
)
from bench.gateway.differences import explain
from bench.gateway.interaction import install_python, install_sources, run_tests
from bench.gateway.public_servers import install_npm
from bench.peers import ROOT
from bench.report import progress

Result = dict[str, Any]
CONFORMANCE, INTERACTION = "conformance", "interaction"
PASSED = ("SUCCESS", "SKIPPED", "")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", default="", choices=("", CONFORMANCE, INTERACTION))
    parser.add_argument("--peers", type=Path, default=ROOT, metavar="DIR")
    parser.add_argument("--no-install", action="store_true", help="never install anything")


def run(options: argparse.Namespace) -> Result:
    install = not options.no_install
    sources = install_sources(options.peers / ".mcp-sources", install=install)
    rows: list[Result] = []
    with progress(8) as step:
        if options.only in ("", CONFORMANCE):
            folder = options.peers / ".npm-conformance"
            programs = install_npm(folder, SUITE, NODE, install=install)
            for spec in SPECS:
                step(f"{CONFORMANCE} {spec}")
                rows += _compare_conformance(programs, sources, spec)
        if options.only in ("", INTERACTION):
            python = install_python(options.peers / ".venv-interaction", install=install)
            step(f"{INTERACTION}, directly")
            direct = run_tests(python, sources, through=False)
            step(f"{INTERACTION}, through the gateway")
            through = run_tests(python, sources, through=True)
            rows.append(_compare(INTERACTION, "lines and http", direct, through))
    return {
        "n": sum(row["through"] for row in rows),
        "lost": sum(row["lost"] for row in rows),
        "unexplained": [each for row in rows for each in row["unexplained"]],
        "rows": rows,
    }


def _compare_conformance(programs: Path, sources: Path, spec: str) -> list[Result]:
    """The server alone, then behind a gateway that reaches it over HTTP and over its streams."""
    rows = []
    with tempfile.TemporaryDirectory() as place, run_everything(sources) as url:
        direct = run_suite(programs, url, spec)
        for server in ({"url": url}, write_by_lines(sources)):
            with run_open_gateway(Path(place), server) as ours:
                through = run_suite(programs, ours, spec)
            rows.append(_compare(f"{CONFORMANCE} {spec}", port_name(server), direct, through))
    return rows


def _compare(suite: str, way: str, direct: dict[str, str], through: dict[str, str]) -> Result:
    """What was lost on the way; a check that only one of the two runs had says nothing."""
    both = [name for name in through if name in direct]
    fine = [name for name in both if direct[name] in PASSED]
    lost = {name: through[name] for name in fine if through[name] not in PASSED}
    why = {name: explain(name, said) for name, said in lost.items()}
    return {
        "suite": suite,
        "way": way,
        "direct": len(fine),
        "through": sum(through[name] in PASSED for name in both),
        "lost": len(lost),
        "differs": [{"check": name, "said": lost[name], "why": why[name]} for name in sorted(lost)],
        "unexplained": sorted(name for name in lost if not why[name]),
    }


def failed(result: Result) -> str:
    lost = result["unexplained"]
    return f"Passes directly and not through the gateway: {', '.join(lost)}." if lost else ""
