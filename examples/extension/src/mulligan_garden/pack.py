"""Beds of a garden as tools that can be undone: `@m.tool(**pack.plants(beds))`."""

from __future__ import annotations

from mulligan.runtime.declaration import Declared
from mulligan.types.call import Record
from mulligan.types.effect import Effect


def plants(beds: dict[str, str]) -> Declared:
    """Of a tool with a parameter `bed` that changes what grows in it."""

    def read(record: Record) -> str | None:
        return beds.get(record.arguments["bed"])

    def put_back(record: Record) -> None:
        beds.pop(record.arguments["bed"], None)
        if record.before is not None:
            beds[record.arguments["bed"]] = record.before

    return {"effect": Effect.REVERSIBLE, "before": read, "read": read, "undo": put_back}
