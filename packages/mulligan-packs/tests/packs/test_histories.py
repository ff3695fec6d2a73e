"""Random calls beside a second writer: what is there bears out what is said.

The short form of `python -m bench sql` and `python -m bench effects`."""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path

import pytest

from bench.packs.campaign import Totals, run_histories
from bench.packs.effect_mutants import MUTANTS as EFFECT_MUTANTS
from bench.packs.histories import Place
from bench.suites.effects import open_place
from mulligan_testing.postgres import PostgresServer, to_sqlalchemy_url

pytestmark = pytest.mark.full


@pytest.mark.parametrize(("on", "count"), [("sqlite", 20), ("postgres", 10)])
def test_no_row_is_lost_taken_or_spoken_of_untruly(
    request: pytest.FixtureRequest, tmp_path: Path, on: str, count: int
) -> None:
    with ExitStack() as stack:
        url = f"sqlite:///{tmp_path}/rows.db"
        if on == "postgres":
            server: PostgresServer = request.getfixturevalue("postgres")
            url = to_sqlalchemy_url(stack.enter_context(server.create_database()))
        totals = run_histories(Place(url).draw, count=count, seed=7)

    assert totals.histories == count
    assert totals.examples == []
    assert totals.broken == 0


@pytest.mark.parametrize(
    ("pack", "count"),
    [
        ("files", 2),
        ("http", 5),
        ("calendar", 1),
        ("google-calendar", 5),
        ("github", 5),
        ("gmail", 5),
        ("jira", 5),
        ("notion", 5),
        ("outlook-calendar", 5),
        ("outlook-mail", 5),
        ("slack", 5),
        ("stripe", 5),
    ],
)
def test_nothing_is_lost_in_files_http_and_calendars(tmp_path: Path, pack: str, count: int) -> None:
    with open_place(pack, tmp_path) as draw:
        totals = run_histories(draw, count=count, seed=7)

    assert totals.histories == count
    assert totals.examples == []
    assert totals.broken == 0


def test_a_mistake_in_the_http_pack_is_noticed(tmp_path: Path) -> None:
    planted, totals = (
        EFFECT_MUTANTS["http"]["whatever the answer, it was made by this call"],
        Totals(),
    )

    with open_place("http", tmp_path) as draw, planted():
        draw(random.Random("1:685"), totals)

    assert totals.broken
