"""How many actions need a person in the end, and why, over the histories of the campaigns.

In the histories somebody is nearly always there who edits, kills or cuts a line: a share says how
a version compares with another, not how often a person is asked in an application.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from bench import suites

Result = dict[str, Any]
CAMPAIGNS = {
    "crash": ("--points 300 --calls 100", "--quick --points 6 --calls 2"),
    "sql": ("--histories 300", "--histories 2"),
    "effects": ("--histories 100", "--histories 1"),
}
"""What each is run with, and in the short form."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--short", action="store_true", help="a few histories of each")


def run(options: argparse.Namespace) -> Result:
    found = {name: _run_campaign(name, options) for name in CAMPAIGNS}
    causes: Counter[str] = Counter()
    for each in found.values():
        causes.update(each["by_cause"])
    return {
        "n": len(found),
        "actions": sum(each["actions"] for each in found.values()),
        "needed": sum(each["needed"] for each in found.values()),
        "by_cause": dict(causes.most_common()),
        "by_campaign": found,
    }


def _run_campaign(name: str, options: argparse.Namespace) -> Result:
    suite, parser = suites.load(name), argparse.ArgumentParser()
    suite.add_arguments(parser)
    given = CAMPAIGNS[name][options.short].split()
    told = suite.run(parser.parse_args([*given, "--seed", str(options.seed)]))
    if name == "crash":
        counted = told["needed_a_person"]
        actions, needed = counted["actions"], counted["persons"]
    else:
        counted, actions = told, sum(told["outcomes"].values())
        needed = sum(told["by_cause"].values())
    return {"actions": actions, "needed": needed, "by_cause": counted["by_cause"]}
