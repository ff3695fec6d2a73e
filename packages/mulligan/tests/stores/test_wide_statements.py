from __future__ import annotations

import apsw
import pytest

from mulligan.stores.sqlite.session import build_wide

ADD = """insert into seen values (?, ?)
  on conflict (name) do update set times = times + excluded.times"""


@pytest.fixture
def connection():
    connection = apsw.Connection(":memory:")
    connection.execute("create table seen (name text primary key, times integer)")
    yield connection
    connection.close()


@pytest.mark.parametrize("count", [0, 1, 2, 5, 255, 256, 257, 1_000])
def test_every_row_is_inserted_once(connection, count):
    rows = [(f"n{number}", number) for number in range(count)]

    for sql, values in build_wide(ADD, iter(rows)):
        connection.execute(sql, values)

    assert list(connection.execute("select * from seen order by times")) == rows


def test_rows_of_one_statement_that_meet_are_added_up(connection):
    for sql, values in build_wide(ADD, [("a", 1), ("b", 2), ("a", 3), ("a", 4)]):
        connection.execute(sql, values)

    assert dict(connection.execute("select * from seen")) == {"a": 8, "b": 2}


def test_few_statements_are_enough_for_any_number_of_rows():
    seen = {sql for count in range(600) for sql, _ in build_wide(ADD, [("a", 1)] * count)}

    assert len(seen) == 5
    assert len(list(build_wide(ADD, [("a", 1)] * 4_096))) == 16


def test_a_statement_stays_as_short_as_the_driver_keeps():
    of_many = f"insert into wide values ({', '.join(['?'] * 40)})"

    widths = [len(values) // 40 for _, values in build_wide(of_many, [range(40)] * 600)]

    assert max(len(sql) for sql, _ in build_wide(of_many, [range(40)] * 600)) <= 16_000
    assert sum(widths) == 600


def test_what_inserts_no_row_of_values_is_refused():
    with pytest.raises(ValueError, match="no row of values"):
        list(build_wide("delete from seen where name = ?", [("a",)]))
