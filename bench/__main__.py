"""`python -m bench SUITE [--json] [options]`, from the root of the repository."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import NoReturn

from bench import report, suites, versions
from bench.missing import MissingError
from bench.names import list_missing

FAILED = 1
"""Exit code when a suite that proves something found it untrue."""

UNUSABLE = 2
"""Exit code when the command, the data or a peer is not as a suite needs it."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(UNUSABLE, f"{self.prog}: {message}. See {self.prog} --help.\n")


def main(arguments: list[str]) -> int:
    """Run one suite. Standard output carries its result and nothing else."""
    known = ", ".join(suites.names())
    if arguments[:1] in ([], ["-h"], ["--help"]):
        print(f"usage: python -m bench SUITE [--json] [options]\n\nsuites: {known}")
        return 0 if arguments else UNUSABLE
    name = arguments[0]
    if name not in suites.names():
        print(f"There is no suite {name!r}; there are: {known}.", file=sys.stderr)
        return UNUSABLE
    suite = suites.load(name)
    parser = _Parser(prog=f"python -m bench {name}")
    parser.add_argument("--json", action="store_true", help="one JSON object, nothing else")
    suite.add_arguments(parser)
    options = parser.parse_args(arguments[1:])
    started, load = time.perf_counter(), os.getloadavg()[0]
    try:
        result = suite.run(options)
    except MissingError as missing:
        print(missing, file=sys.stderr)
        return UNUSABLE
    seconds = round(time.perf_counter() - started, 1)
    asked = {each: getattr(options, each) for each in ("half", "part") if hasattr(options, each)}
    result = {"suite": name, "seconds": seconds, **asked, **result}
    # Where others are at work too, times say less.
    result.setdefault("load", {"start": round(load, 1), "end": round(os.getloadavg()[0], 1)})
    result["versions"] = {**versions.ours(), **result.get("versions", {})}
    report.write(result, meanings=getattr(suite, "MEANINGS", {}), json=options.json)
    failed = suites.failure_of(suite, result)
    if lost := list_missing(name, result):
        failed = f"{name} lost names that it is compared by: {', '.join(lost)}. {failed}".rstrip()
    if failed:
        print(failed, file=sys.stderr)
    return FAILED if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
