"""Old rows of the log, packed: up to 512 in one compressed batch."""

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from mulligan.codec.json_text import decode_json, encode_json
from mulligan.core.call import LogRow
from mulligan.stores.database.driver import Session

ROWS_AT_A_TIME = 512


def pack(rows: Sequence[LogRow]) -> dict[str, object]:
    """A batch of rows in the order of their ids, as its row in the archive."""
    times = [row.at_us for row in rows]
    return {
        "first_id": rows[0].id,
        "last_id": rows[-1].id,
        "from_us": min(times),
        "to_us": max(times),
        "row_count": len(rows),
        "packed": zlib.compress(encode_json(rows)),
    }


def unpack(packed: bytes) -> list[LogRow]:
    """The rows of a batch."""
    return [LogRow(*row) for row in decode_json(zlib.decompress(packed))]


def find_packed(session: Session, rows: Sequence[LogRow]) -> set[str]:
    """The ids of those of some rows that are in a batch. To ask it of new rows costs nothing."""
    [(newest,)] = session.fetch("newest_packed")
    asked = sorted(row.id for row in rows if newest is not None and row.id <= newest)
    found: set[str] = set()
    if asked:
        for first_id, last_id in session.fetch("archive_spans", first=asked[0], last=asked[-1]):
            among = asked[bisect_left(asked, first_id) : bisect_right(asked, last_id)]
            if among:
                found |= _read_ids(session, first_id).intersection(among)
    return found


def _read_ids(session: Session, first_id: str) -> set[str]:
    return {
        row.id
        for (packed,) in session.fetch("archive", first_id=first_id)
        for row in unpack(bytes(packed))
    }
