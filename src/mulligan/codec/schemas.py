"""Dataclasses as JSON Schema, as `encode_json` writes them: for those who describe an interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

Schemas = dict[str, Any]


def describe_types(kinds: Sequence[Any], *, at: str) -> tuple[list[Schemas], Schemas]:
    """A schema for each kind, and what they refer to, by name; `at` is where that will stand."""
    schemas, parts = msgspec.json.schema_components(
        kinds, schema_hook=lambda _: {"description": "Any value."}, ref_template=f"{at}{{name}}"
    )
    return list(schemas), parts
