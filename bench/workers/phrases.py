"""Phrases resolved one by one, answered or timed: the same for every contender."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from bench.workers.protocol import serve

Told = list[str]
"""The kind of an answer, its start and its end."""
Resolve = Callable[[str, datetime, str], Iterable[Told]]
"""From a phrase, the time it was said at and a locale to everything it can mean."""


_NO_COUNTRY = frozenset({"EU", "UN"})


def country_of(locale: str) -> str | None:
    """The country that the data means by a locale: `GB` by `en-GB`, and none by `en-EU`."""
    region = locale.replace("_", "-").rpartition("-")[2]
    return region if len(region) == 2 and region.isupper() and region not in _NO_COUNTRY else None


def serve_phrases(
    resolve: Resolve, *, packages: list[str], forget: Callable[[], None] = lambda: None
) -> None:
    """Answer to what phrases mean, and how long each takes: again, and after `forget`."""

    def answer(*, cases: list[list[str]]) -> dict[str, Any]:
        return {"answers": [list(_asked(resolve, each)) for each in cases]}

    def timed(*, cases: list[list[str]]) -> dict[str, Any]:
        return {"us": [_time_again(resolve, each) for each in cases]}

    def timed_first(*, cases: list[list[str]]) -> dict[str, Any]:
        return {"us": [_time(resolve, each, forget) for each in cases]}

    serve({"answer": answer, "time": timed, "time_first": timed_first}, packages=packages)


def _asked(resolve: Resolve, case: list[str]) -> Iterable[Told]:
    text, ref, locale = case
    try:
        return list(resolve(text, datetime.fromisoformat(ref), locale))
    except Exception:
        # A resolver that falls over has not answered; it is not a reason to stop measuring.
        return []


def _time(resolve: Resolve, case: list[str], forget: Callable[[], None] = lambda: None) -> float:
    forget()
    gc.disable()
    started = time.perf_counter()
    _asked(resolve, case)
    spent = time.perf_counter() - started
    gc.enable()
    return spent * 1e6


def _time_again(resolve: Resolve, case: list[str]) -> float:
    """Of a phrase that was heard before, also where another question made it forget."""
    _asked(resolve, case)
    return _time(resolve, case)


def moment(at: datetime) -> Told:
    """An answer that is one moment."""
    told = at.replace(tzinfo=None).isoformat()
    return ["moment", told, told]
