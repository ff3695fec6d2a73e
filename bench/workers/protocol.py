"""One JSON line in, one JSON line out: how the bench talks to a worker."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any


def serve(operations: Mapping[str, Callable[..., dict[str, Any]]], *, packages: list[str]) -> None:
    """Say hello with the versions of what is measured, then run what is asked until input ends."""
    # A library that prints must not break the protocol: its standard output becomes our error.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        versions = {"python": sys.version.split()[0], **{name: version(name) for name in packages}}
        print(json.dumps({"versions": versions}), file=answers, flush=True)
        for line in sys.stdin:
            order = json.loads(line)
            print(json.dumps(operations[order.pop("op")](**order)), file=answers, flush=True)
