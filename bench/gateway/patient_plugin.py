"""Gives the official SDK's own tests more time than they give themselves.

`pytest -p bench.gateway.patient_plugin`: where a test allows five seconds for what takes an idle
machine a few milliseconds, a busy one gets a minute. What the SDK itself limits stays as it is.
"""

from __future__ import annotations

import sys
from typing import Any

import anyio

LONGER = 12

_fail_after = anyio.fail_after


def _fail_later(delay: float | None, *more: Any, **options: Any) -> Any:
    asks = sys._getframe(1).f_globals.get("__name__", "")
    longer = delay is not None and asks.startswith("tests.")
    return _fail_after(delay * LONGER if longer and delay else delay, *more, **options)


anyio.fail_after = _fail_later
