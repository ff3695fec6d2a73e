"""Which form of redaction a measurement is of."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bench.compiled.build import build_package

FORMS = ("installed", "pure", "fast")


def add_form_argument(parser: argparse.ArgumentParser) -> None:
    """The option that chooses it."""
    parser.add_argument(
        "--form",
        choices=FORMS,
        default=FORMS[0],
        help="redaction as it is installed, in pure Python, or compiled for this run",
    )


def choose_form(form: str, folder: Path) -> dict[str, str]:
    """What the environment of our own workers has for it; what is compiled goes into `folder`."""
    if form == "pure":
        return {"MULLIGAN_REDACTION_FAST": "0"}
    if form == "fast":
        build_package(folder / "compiled")
        paths = (str(folder / "compiled"), os.environ.get("PYTHONPATH", ""))
        return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return {}
