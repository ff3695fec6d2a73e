from __future__ import annotations

from mulligan.core.call import Outcome
from mulligan.stores.relational.rows.packing import pack, unpack
from tests.telemetry.rows import a_row


def test_rows_come_out_as_they_went_in() -> None:
    rows = [a_row(n, outcome=outcome) for n, outcome in enumerate(Outcome)]

    packed = pack(rows)

    assert unpack(packed["packed"]) == rows


def test_a_batch_says_what_is_in_it_without_being_opened() -> None:
    rows = [a_row(5), a_row(2), a_row(9)]

    packed = pack(rows)

    assert (packed["first_id"], packed["last_id"]) == (rows[0].id, rows[-1].id)
    assert (packed["from_us"], packed["to_us"]) == (rows[1].at_us, rows[2].at_us)
    assert packed["row_count"] == 3
