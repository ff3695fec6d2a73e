"""One block of text checks, timed the same way on both sides."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

from bench.texts import sample_replies


def text_block(
    check: Callable[[str, str], set[str]], *, n: int, size: int, seed: int
) -> dict[str, Any]:
    """Microseconds a reply of about `size` characters, and what was found in each."""
    samples = sample_replies(n, size=size, seed=seed)
    gc.collect()
    started = time.perf_counter()
    found = [check(sample.text, sample.context) for sample in samples]
    us = (time.perf_counter() - started) / n * 1e6
    return {
        "us": us,
        "characters": sum(len(sample.text) for sample in samples) / n,
        "found": [sorted(each) for each in found],
    }
