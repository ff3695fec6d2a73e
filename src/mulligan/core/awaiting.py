"""Functions of others may be sync or async: what they answer, waited for if it must be."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def await_value(answer: T | Awaitable[T]) -> T:
    """The answer itself; awaited, where what was called is async."""
    if inspect.isawaitable(answer):
        return await answer
    return answer
