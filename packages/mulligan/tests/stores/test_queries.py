from __future__ import annotations

from importlib.resources import files

import pytest

from mulligan.stores.database import convert_for_psycopg, load_queries

FILES = sorted(
    each.name.removesuffix(".sql")
    for each in files("mulligan.stores").joinpath("sql").iterdir()
    if each.name.endswith(".sql")
)


@pytest.mark.parametrize("name", FILES)
def test_every_query_of_a_file_has_a_name_and_a_text(name: str) -> None:
    queries = load_queries(name)

    assert all(query and not query.endswith(";") for query in queries.values())


def test_a_later_file_replaces_what_an_earlier_one_named() -> None:
    pairs = [
        (a, b)
        for a in FILES
        for b in FILES
        if a != b and load_queries(a).keys() & load_queries(b).keys()
    ]
    one, other = pairs[0]

    assert load_queries(one, other).items() >= load_queries(other).items()


def test_parameters_are_written_as_psycopg_wants_them() -> None:
    query = "select a::text from t where b = :name and c like '10%' and d = ?"

    assert convert_for_psycopg(query) == (
        "select a::text from t where b = %(name)s and c like '10%%' and d = %b"
    )
