"""Calls by latency bucket, as a JSON object in one column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from mulligan.codec.json_text import decode_json, encode_json


def dump_counts(counts: Mapping[int, float]) -> str:
    """The column's text."""
    return encode_json(counts).decode()


def load_counts(text: str) -> dict[int, float]:
    """The counts in a column, or in several that are joined by commas."""
    return {int(bucket): calls for bucket, calls in _sum(text).items()}


def add_counts(*columns: Any) -> str:
    """Columns added up, bucket by bucket: how SQLite updates a roll-up."""
    return encode_json(_sum(",".join(columns))).decode()


def _sum(text: str) -> dict[str, float]:
    total: defaultdict[str, float] = defaultdict(float)
    for each in decode_json(f"[{text}]"):
        for bucket, calls in each.items():
            total[bucket] += calls
    return total
