"""The measurements that every contender of a tool call goes through, line by line the same."""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bench.payloads import call_arguments

ObservedTool = Callable[..., Awaitable[dict[str, Any]]]
Flush = Callable[[], Awaitable[None]]


async def call_block(tool: ObservedTool, flush: Flush, *, n: int, seed: int) -> dict[str, Any]:
    """Microseconds a call: where it is made, and with everything it left behind stored.

    Also of processor time, of this thread and of all, which a busy machine changes little.
    """
    arguments = call_arguments(n, seed=seed)
    with _tidy():
        started, own, whole = time.perf_counter(), time.thread_time(), time.process_time()
        for each in arguments:
            await tool(**each)
        called, own = time.perf_counter(), time.thread_time() - own
        await flush()
        stored, whole = time.perf_counter(), time.process_time() - whole
    taken = {"call_us": called - started, "total_us": stored - started}
    taken |= {"call_cpu_us": own, "total_cpu_us": whole}
    return {name: seconds / n * 1e6 for name, seconds in taken.items()}


async def stall_block(
    tool: ObservedTool, flush: Flush, *, rate: int, seconds: float, seed: int
) -> dict[str, Any]:
    """How late the event loop is for a tick every millisecond while `rate` calls a second run.

    Ticks and calls share one task: a second timer would mostly measure how the selector rounds
    its time-outs. What the calls take themselves counts as lag too, as it would for a neighbour.
    """
    arguments = call_arguments(int(rate * seconds), seed=seed)
    waiting = iter(arguments)
    lags: list[float] = []
    made = 0
    with _tidy():
        started = before = time.perf_counter()
        while made < len(arguments):
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            lags.append((now - before - 0.001) * 1e3)
            before = now
            due = min(int((now - started) * rate), len(arguments))
            for _ in range(due - made):
                await tool(**next(waiting))
            made = due
    await flush()
    p99 = statistics.quantiles(lags, n=100)[98]
    return {"p50_ms": statistics.median(lags), "p99_ms": p99, "worst_ms": max(lags)}


async def nothing_to_flush() -> None:
    """For what leaves nothing behind."""


@contextmanager
def _tidy() -> Iterator[None]:
    """Start every block with the same heap: no garbage of others, payloads out of its sight."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
