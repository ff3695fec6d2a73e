"""Old rows of the log, packed: up to 512 in one compressed batch."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from mulligan.codec.json_text import decode_json, encode_json
from mulligan.core.call import LogRow

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
