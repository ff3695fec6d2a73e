"""Two versions of the schema at once: who goes on beside whom, and what waits for whom."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from mulligan.stores import migrations
from mulligan.stores.migrations import find_latest_version, load_migrations
from mulligan.stores.opening import open_store
from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.postgres.store import PostgresSchema
from mulligan.types.errors import SchemaTooNewError, StoreError
from mulligan.types.log import LogQuery
from mulligan_testing.store_contract.contract import make_first_entry
from tests.stores.test_migrate import works


def start_rolling(url: str, name: str, *more: str, seconds: float = 4) -> subprocess.Popen[str]:
    script = Path(__file__).with_name("rolling.py")
    return subprocess.Popen(
        [sys.executable, script, url, name, str(seconds), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def read_version(url: str) -> int:
    session = PostgresSession(url, timeout=timedelta(seconds=5))
    try:
        return PostgresSchema(session).read_version()
    finally:
        session.close()


def test_two_versions_write_while_the_schema_moves_on_under_them(postgres_url) -> None:
    url, latest = postgres_url, find_latest_version("postgres")

    with start_rolling(url, "former", seconds=8) as former:
        first = former.stdout.readline()
        assert read_version(url) == latest
        following = start_rolling(url, "following", "tomorrow")
        said = following.communicate(timeout=120)
        # Not `communicate`, which passes over the lines that were read ahead with the first.
        rest = former.stdout.read(), former.stderr.read()

    assert [former.returncode, following.returncode] == [0, 0], (said, rest)
    assert [said[1], rest[1]] == ["", ""]
    written = [*first.split(), *said[0].split(), *rest[0].split()]
    assert read_version(url) == latest + 1
    assert {name.partition("-")[0] for name in written} == {"former", "following"}
    store = open_store(url)
    held = [each.id for each in store.journal.list_open_actions(limit=100_000)]
    logged = [each.agent for each in store.log.list_rows(LogQuery(limit=100_000))]
    assert sorted(held) == sorted(logged) == sorted(written)
    assert store.check_health().problems == ()
    store.close()


def add_migrations(monkeypatch, *texts: str) -> int:
    """Have this program know some more; what the first of them is numbered."""
    known = load_migrations("postgres")
    number, more = known[-1].number + 1, []
    for each, text in enumerate(texts, start=number):
        before = more[-1].needs if more else known[-1].needs
        more.append(migrations._read_migration(each, text, needs_before=before))
    monkeypatch.setattr(migrations, "load_migrations", lambda part: (*known, *more))
    return number


def test_what_takes_away_waits_for_programs_that_still_use_it(postgres_url, monkeypatch) -> None:
    former = open_store(postgres_url)
    former.journal.submit([make_first_entry("a")]).result()
    number = find_latest_version("postgres") + 1
    add_migrations(
        monkeypatch,
        "-- expand\nalter table tool add column note text;",
        f"-- contract: {number}\nalter table tool drop column seal;",
    )

    beside = open_store(postgres_url)
    beside.journal.submit([make_first_entry("b")]).result()
    waited = read_version(postgres_url)
    former.journal.submit([make_first_entry("c")]).result()
    beside.close()
    former.close()
    after = open_store(postgres_url)

    assert (waited, read_version(postgres_url)) == (number, number + 1)
    assert {each.id for each in after.journal.list_open_actions()} == {"a", "b", "c"}
    after.close()


def test_who_needs_what_comes_after_it_is_told_whom_to_stop(postgres_url, monkeypatch) -> None:
    former = open_store(postgres_url)
    former.journal.submit([make_first_entry("a")]).result()
    number = find_latest_version("postgres") + 1
    add_migrations(
        monkeypatch,
        f"-- contract: {number}\nalter table tool drop column seal;",
        "-- expand\nalter table tool add column note text;",
    )

    with pytest.raises(StoreError, match=rf"pid {os.getpid()} on .*stop them first"):
        open_store(postgres_url)

    assert read_version(postgres_url) == number - 1
    former.close()


@pytest.mark.parametrize(
    ("text", "tolerated"),
    [
        ("-- expand\nalter table execution add column later text;", True),
        ("-- contract: 1\ndrop index execution_rated;", True),
        ("alter table tool add column note text;", False),
        ("-- contract: {number}\nalter table tool drop column seal;", False),
    ],
)
def test_a_later_schema_is_used_where_it_only_adds_and_else_refused(
    postgres_url, monkeypatch, text: str, tolerated: bool
) -> None:
    with monkeypatch.context() as tomorrow:
        number = find_latest_version("postgres") + 1
        add_migrations(tomorrow, text.replace("{number}", str(number)))
        open_store(postgres_url).close()

    assert read_version(postgres_url) == number
    if tolerated:
        assert works(postgres_url)
    else:
        with pytest.raises(SchemaTooNewError):
            open_store(postgres_url)
