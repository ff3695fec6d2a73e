"""One block of redaction, timed the same way on both sides."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

from bench.payloads import mixed_payloads


def scrub_block(
    scrub: Callable[[dict[str, Any]], object], *, n: int, size: int, seed: int
) -> dict[str, Any]:
    """Microseconds a payload of about `size` bytes."""
    payloads = mixed_payloads(n, size=size, seed=seed)
    gc.collect()
    started = time.perf_counter()
    for payload in payloads:
        scrub(payload)
    return {"us": (time.perf_counter() - started) / n * 1e6}
