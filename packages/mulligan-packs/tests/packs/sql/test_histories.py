"""Random tables, random calls and a second writer: the whole database bears out what is said.

The short form of `python -m bench sql --histories 2000`, also with `--on postgres` or `mariadb`.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from bench.packs.histories import Place, run_histories
from bench.packs.sql_mutants import MUTANTS
from mulligan_testing.postgres import PostgresServer, to_sqlalchemy_url


@pytest.mark.parametrize(("on", "count"), [("sqlite", 20), ("postgres", 10)])
def test_no_row_is_lost_taken_or_spoken_of_untruly(
    request: pytest.FixtureRequest, tmp_path: Path, on: str, count: int
) -> None:
    with ExitStack() as stack:
        url = f"sqlite:///{tmp_path}/rows.db"
        if on == "postgres":
            server: PostgresServer = request.getfixturevalue("postgres")
            url = to_sqlalchemy_url(stack.enter_context(server.create_database()))
        totals = run_histories(Place(url), count=count, seed=7)

    assert totals.histories == count
    assert totals.examples == []
    assert totals.broken == 0


def test_a_mistake_in_the_pack_is_noticed(tmp_path: Path) -> None:
    place = Place(f"sqlite:///{tmp_path}/rows.db")

    with MUTANTS["rows written are not compared with rows declared"]():
        totals = run_histories(place, count=100, seed=3, until=lambda seen: bool(seen.broken))

    assert totals.broken
