"""A store whose pages say something else than what was written there."""

from __future__ import annotations

import sqlite3
from typing import Any

IMAGES = "select owner, value, checksum from kept where name = 'before' order by owner"
CHANGE = "update kept set value = {0}, checksum = {0} where owner = {0} and name = 'before'"
FLIPPED = (b"2026-11-18", b"2026-11-19")
"""The day in a pre-image, and one bit of it further."""

Image = tuple[str, bytes, bytes]
"""Whose pre-image, what it is, and its checksum."""


def damage(url: str, *, how: str) -> None:
    """Have bits in the pre-images be others, or each be found in the place of the next one."""
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


def _read(rows: Any) -> list[Image]:
    return [(owner, bytes(value), bytes(checksum)) for owner, value, checksum in rows]


def _flip(images: list[Image]) -> list[Image]:
    return [(owner, value.replace(*FLIPPED), checksum) for owner, value, checksum in images]


def _mix_up(images: list[Image]) -> list[Image]:
    others = images[1:] + images[:1]
    return [(mine[0], *other[1:]) for mine, other in zip(images, others, strict=True)]
