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
from mulligan.redaction.keys import Keys
from mulligan.redaction.stub import Stubs
from mulligan.redaction.walk import Walk

KEY = bytes(range(32))
BOUNDLESS = 1 << 40


def main() -> None:
    stubs = Stubs(KEY)
    keys = Keys(stubs)

    def scrub(payload: dict[str, Any]) -> object:
        walk = Walk(stubs=stubs, keys=keys, full=True, room=BOUNDLESS)
        walk.items = BOUNDLESS
        return walk.redact_value(payload)

    serve(
        {
            "scrub": partial(scrub_block, scrub),
            "full": partial(scrub_block, Redactor(key=KEY, capture=Capture.FULL).redact_parameters),
            "parameters": partial(scrub_block, Redactor(key=KEY).redact_parameters),
        },
        packages=["mulligan"],
    )


main()
