"""Our redaction, three ways.

`scrub` does what logfire's scrubber does: the same values back, less their secrets, however large.
Our own bounds are lifted for it: a value that is cut would be cheaper. `full` and `parameters` are
what the log really pays, as JSON and within bounds: raw less secrets, and stubs, the default.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from bench.workers.protocol import serve
from bench.workers.scrub import scrub_block
from mulligan.redaction import Capture, Redactor
from mulligan.settings import Settings

KEY = bytes(range(32))
BOUNDLESS = 1 << 40


def main() -> None:
    fast = Settings.load().redaction.fast
    default = Redactor(key=KEY, fast=fast)
    full = Redactor(key=KEY, capture=Capture.FULL, fast=fast)

    def scrub(payload: dict[str, Any]) -> object:
        walk = full._make_walk(BOUNDLESS)
        walk.items = BOUNDLESS
        return walk.redact_value(payload)

    serve(
        {
            "scrub": partial(scrub_block, scrub),
            "full": partial(scrub_block, full.redact_parameters),
            "parameters": partial(scrub_block, default.redact_parameters),
            "form": lambda: {"fast": default._compiled is not None},
        },
        packages=["mulligan"],
    )


main()
