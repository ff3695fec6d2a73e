from __future__ import annotations

from mulligan.telemetry.writer import CROWDED, RowQueue
from mulligan.types.call import Outcome
from tests.telemetry.rows import a_row


def a_queue(rows: int = 3, size: int = 1 << 20) -> RowQueue:
    return RowQueue(most_rows=rows, most_bytes=size)


def test_rows_come_out_failures_first_and_each_kind_in_order() -> None:
    queue = a_queue(10)
    rows = [a_row(1), a_row(2, outcome=Outcome.FAILURE), a_row(3)]

    for row in rows:
        queue.put(row)

    assert queue.take(10) == [rows[1], rows[0], rows[2]]
    assert len(queue) == 0


def test_a_full_queue_sheds_the_oldest_success_and_counts_it() -> None:
    queue = a_queue(3)
    rows = [a_row(n) for n in range(5)]

    for row in rows:
        queue.put(row)

    assert queue.take(10) == rows[2:]
    assert queue.take_shed() == (2, 0)
    assert (queue.emitted, queue.shed) == (5, 2)


def test_failures_push_successes_out_but_never_the_other_way_round() -> None:
    queue = a_queue(3)
    failures = [a_row(n, outcome=Outcome.FAILURE) for n in range(3)]

    for row in [a_row(10), a_row(11), *failures, a_row(12)]:
        queue.put(row)

    assert queue.take(10) == failures
    assert queue.take_shed() == (3, 0)


def test_with_nothing_but_failures_the_oldest_goes() -> None:
    queue = a_queue(2)
    failures = [a_row(n, outcome=Outcome.FAILURE) for n in range(3)]

    for row in failures:
        queue.put(row)

    assert queue.take(10) == failures[1:]
    assert queue.take_shed() == (0, 1)


def test_bytes_are_a_bound_of_their_own() -> None:
    queue = a_queue(rows=1000, size=10_000)

    for n in range(20):
        queue.put(a_row(n, parameters="x" * 2000))

    assert 1 <= len(queue) <= 4
    assert queue.emitted == len(queue) + queue.shed


def test_a_row_larger_than_everything_is_refused_and_counted() -> None:
    queue = a_queue(rows=10, size=1000)

    queue.put(a_row(1, parameters="x" * 5000))

    assert len(queue) == 0
    assert queue.take_shed() == (1, 0)


def test_who_puts_is_told_that_it_is_crowded_by_rows_or_by_bytes() -> None:
    by_rows, by_bytes = a_queue(rows=8), a_queue(rows=1000, size=8 * 1400)

    assert [by_rows.put(a_row(n)) for n in range(10)] == [1, 2, 3, 4, 5, 6, *[CROWDED] * 4]
    assert CROWDED not in [by_bytes.put(a_row(n, parameters="x" * 800)) for n in range(5)]
    assert CROWDED in [by_bytes.put(a_row(n, parameters="x" * 800)) for n in range(3)]
