"""A store whose pages say something else than what was written there."""

from __future__ import annotations

import sqlite3
from typing import Any

IMAGES = "select owner, value, checksum from kept where name = 'before' order by owner"
CHANGE = "update kept set value = {0}, checksum = {0} where owner = {0} and name = 'before'"
FLIPPED = (b"2026-11-18", b"2026-11-19")
"""The day in a snapshot, and one bit of it further."""

Snapshot = tuple[str, bytes, bytes]
"""Whose snapshot, what it is, and its checksum."""


def damage(url: str, *, how: str) -> None:
    """Have bits in the snapshots be others, or each be found in the place of the next one."""
    change = {"flips": _flip, "mixes up": _mix_up}[how]
    if url.startswith("postgresql:"):
        import psycopg

        with psycopg.connect(url) as server:
            for owner, value, checksum in change(_read(server.execute(IMAGES))):
                server.execute(CHANGE.format("%s"), (value, checksum, owner))
        return
    with sqlite3.connect(url.removeprefix("sqlite:///")) as database:
        for owner, value, checksum in change(_read(database.execute(IMAGES))):
            database.execute(CHANGE.format("?"), (value, checksum, owner))


def _read(rows: Any) -> list[Snapshot]:
    return [(owner, bytes(value), bytes(checksum)) for owner, value, checksum in rows]


def _flip(snapshots: list[Snapshot]) -> list[Snapshot]:
    return [(owner, value.replace(*FLIPPED), checksum) for owner, value, checksum in snapshots]


def _mix_up(snapshots: list[Snapshot]) -> list[Snapshot]:
    others = snapshots[1:] + snapshots[:1]
    return [(mine[0], *other[1:]) for mine, other in zip(snapshots, others, strict=True)]
