"""Logfire's scrubber, with the patterns it comes with, on the value of an attribute."""

from __future__ import annotations

from typing import Any

from logfire._internal.scrubbing import Scrubber

from bench.workers.protocol import serve
from bench.workers.scrub import scrub_block


def main() -> None:
    scrubber = Scrubber(patterns=None)

    def scrub(*, n: int, size: int, seed: int) -> dict[str, Any]:
        return scrub_block(
            lambda payload: scrubber.scrub_value(("attributes",), payload),
            n=n,
            size=size,
            seed=seed,
        )

    serve({"scrub": scrub}, packages=["logfire"])


main()
