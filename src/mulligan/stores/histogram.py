"""Calls by latency bucket, as a JSON object in one column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson


def dump_counts(counts: Mapping[int, float]) -> str:
    """The column's text."""
    return orjson.dumps(counts, option=orjson.OPT_NON_STR_KEYS).decode()


def load_counts(text: str) -> dict[int, float]:
    """The counts in a column."""
    return {int(bucket): calls for bucket, calls in orjson.loads(text).items()}


def add_counts(*columns: Any) -> str:
    """Columns added up, bucket by bucket: how SQLite updates a roll-up."""
    total: dict[str, float] = {}
    for column in columns:
        for bucket, calls in orjson.loads(column).items():
            total[bucket] = total.get(bucket, 0) + calls
    return orjson.dumps(total).decode()
