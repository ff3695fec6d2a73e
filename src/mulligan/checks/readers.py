"""Reading through functions that the user gives: sync or async, and they may fail."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def await_value(value: T | Awaitable[T]) -> T:
    """What a function of the user's returned, waited for where it must be."""
    if inspect.isawaitable(value):
        return await value
    return value
