"""Rows of the log as an application leaves them."""

from __future__ import annotations

import random

import msgspec

from bench.payloads import AGENT, CONTEXT, call_arguments
from mulligan.types.call import LogRow
from mulligan.types.values import RANDOM_BITS, make_uuid7

START_US = 1_800_000_000_000_000


def build_rows(n: int, *, seed: int) -> list[LogRow]:
    """Rows as calls leave them: three agents with four tools each, turns of ten calls, and one call
    in twenty fails. Each tool has a latency of its own, from 0.5 ms to 1 s.
    """
    chance = random.Random(f"rows {seed}")
    arguments = [msgspec.json.encode(each).decode() for each in call_arguments(2_000, seed=seed)]
    rows = []
    for number in range(n):
        failed = chance.random() < 0.05
        agent = number // 10 % 3
        tool = agent * 4 + chance.randrange(4)
        at_us = START_US + number * 300
        rows.append(
            LogRow(
                id=make_uuid7(at_us, chance.getrandbits(RANDOM_BITS)),
                at_us=at_us,
                tenant="",
                agent=f"{AGENT} {agent}",
                server="calendar",
                tool=f"plan_event_{tool}",
                parameters=arguments[number % len(arguments)],
                context=CONTEXT,
                outcome="failure" if failed else "success",
                duration_us=int(500 * 2**tool * chance.lognormvariate(0, 0.4)),
                error_class="rate_limit" if failed else None,
                error_type="ApiError" if failed else None,
                error_message="Too many requests: wait 3 seconds" if failed else None,
                error_code="429" if failed else None,
                error_at="calendar.py:42" if failed else None,
                result=None if failed else '{"id":"evt_8f3k2m91","title":"<text 24 9f2c41aa>"}',
                try_number=1,
                parent=None,
                turn=make_uuid7(START_US + number // 10 * 3_000, 7),
                weight=1.0,
            )
        )
    return rows
