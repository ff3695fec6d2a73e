from __future__ import annotations

from mulligan.stores.encoding import add_counts, dump_counts, load_counts


def test_counts_come_back_as_they_went() -> None:
    counts = {3: 1.0, 12: 2.5}

    assert load_counts(dump_counts(counts)) == counts


def test_columns_are_added_bucket_by_bucket() -> None:
    one, other = dump_counts({1: 2, 2: 1}), dump_counts({2: 3})

    assert load_counts(add_counts(one, other)) == {1: 2, 2: 4}
    assert load_counts(f"{one},{other}") == {1: 2, 2: 4}
    assert load_counts("") == {}
