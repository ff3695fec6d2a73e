"""Queries live in `.sql` files, each under a line `-- name: x`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from mulligan.core.runtime.late_pattern import compile_late

_NAME = compile_late(r"^-- name: (\w+)\s*$", re.MULTILINE)
_PARAMETER = compile_late(r"(?<![:\w]):([a-z_]+)")


@cache
def load(*names: str) -> dict[str, str]:
    """The queries of the named files; a later file replaces what an earlier one named."""
    return {
        name: query
        for file in names
        for name, query in _split_blocks(
            files("mulligan.stores").joinpath("sql", f"{file}.sql").read_text("utf-8")
        )
    }


def convert_for_psycopg(query: str) -> str:
    """The same query with psycopg's parameters; whole columns go in binary form."""
    return _PARAMETER.sub(r"%(\1)s", query.replace("%", "%%").replace("?", "%b"))


def _split_blocks(text: str) -> list[tuple[str, str]]:
    parts = _NAME.split(text)[1:]
    return [
        (name, query.strip().rstrip(";"))
        for name, query in zip(parts[::2], parts[1::2], strict=True)
    ]
