"""Every suite, one after the other, each in a process of its own, and one page for all of them."""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path
from typing import Any

from bench import suites
from bench.missing import MissingError
from bench.report import progress
from bench.whole.page import KEPT, PAGE, merge, write_page
from bench.whole.plan import list_arguments, list_forms
from bench.whole.plot import PLOT, write_plot
from bench.whole.running import Measured, run_suite

Result = dict[str, Any]
OWN = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    others = [name for name in suites.names() if name != OWN]
    parser.add_argument("--quick", action="store_true", help="minutes, not hours; no figures")
    parser.add_argument("--only", nargs="+", choices=others, metavar="SUITE", help="these alone")
    parser.add_argument("--data", type=Path, metavar="DIR", help="for the suites on data")
    parser.add_argument("--half", choices=("public", "heldout"), default="public")
    parser.add_argument(
        "--with", dest="own", metavar="OPTIONS", help="of the one suite that --only names"
    )
    parser.add_argument("--no-page", action="store_true", help="leave the page as it is")
    parser.add_argument("--page", type=Path, default=PAGE, help=argparse.SUPPRESS)
    parser.add_argument("--plot", type=Path, default=PLOT, help=argparse.SUPPRESS)
    parser.add_argument("--kept", type=Path, default=KEPT, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> Result:
    wanted = options.only or [name for name in suites.names() if name != OWN]
    if options.own and len(wanted) != 1:
        raise MissingError("--with has options of one suite: name it with --only.")
    data = None if options.data is None else options.data.absolute()
    done: list[Measured] = []
    with progress(len(wanted)) as step:
        for suite in wanted:
            step(suite)
            arguments = list_arguments(suite, quick=options.quick, data=data, half=options.half)
            short = options.quick or arguments is None
            forms = [options.own] if options.own else list_forms(suite, quick=short)
            done += [_run(suite, arguments, form, quick=options.quick) for form in forms]
    if not options.no_page:
        known = merge(done, options.kept)
        write_page(known, machine=_name_machine(), path=options.page)
        write_plot(known, options.plot)
    return {
        "n": sum(each.state == "measured" for each in done),
        "failed": {each.name: each.said for each in done if each.state == "failed"},
        "missing": {each.name: each.said for each in done if each.state == "missing"},
        "suites": {each.name: each.to_json() for each in done},
    }


def _run(suite: str, arguments: list[str] | None, form: str, *, quick: bool) -> Measured:
    if arguments is None and not form:
        return run_suite(suite, None, quick=quick)
    return run_suite(suite, [*(arguments or ()), *form.split()], quick=quick)


def _name_machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def failed(result: Result) -> str:
    """Which suites were not content."""
    said = [f"{suite}: {why}" for suite, why in result["failed"].items()]
    return "; ".join(said)
