"""A copy is its source, row by row, whatever happened on the way; and nobody's data is lost."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from mulligan import Mulligan
from mulligan.insights.insights import Copied, copy_store
from mulligan.settings import Settings
from mulligan.stores import copying
from mulligan.stores.copying import copy_rows
from mulligan.stores.opening import open_store
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import CopyRound
from tests.cli.running import run
from tests.stores.filled import fill
from tests.stores.logs import open_log

KEY = b"k" * 32


def use(url: str, *, calls: int = 3, key: bytes | None = None) -> None:
    """An application that changes something, and fails at something."""
    day = [""]
    with Mulligan(url, vault_key=key) as m:

        @m.tool(effect="reversible", before=lambda _: day[0], undo=lambda _: None)
        def move(to: str) -> None:
            day[0] = to

        @m.tool(effect="read")
        def find(limit: int) -> int:
            raise ValueError(f"limit: {limit} is more than 50")

        for number in range(calls):
            move(f"day {number}")
            with pytest.raises(ValueError, match="limit"):
                find(50 + number)


def copy(
    source: str,
    target: str,
    *,
    key: bytes | None = None,
    on_round: Callable[[CopyRound], object] = lambda _: None,
) -> Copied:
    settings = Settings(store=source, vault_key=key)
    return copy_store(settings, target, watch=lambda *_: None, on_round=on_round)


def read_rows(url: str, tables: Iterable[str]) -> dict[str, list[str]]:
    """Every row, by the driver itself."""
    connection: Any
    if url.startswith("sqlite"):
        path = url.removeprefix("sqlite:///")
        connection = sqlite3.connect(path)
        connection.execute(f"attach '{path.removesuffix('.db')}.log.db' as log")
        connection.row_factory = sqlite3.Row
    else:
        connection = psycopg.connect(url, options="-csearch_path=mulligan", row_factory=dict_row)
    with closing(connection):
        return {
            table: sorted(
                repr(sorted(dict(row).items()))
                for row in connection.execute(f"select * from {table}")
            )
            for table in tables
        }


def assert_equal(source: str, target: str, copied: Copied) -> None:
    rows = read_rows(source, copied.tables)
    assert rows == read_rows(target, copied.tables)
    assert {name: len(each) for name, each in rows.items()} == {
        name: table.rows for name, table in copied.tables.items()
    }


@pytest.fixture
def urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A source, and where its copy is to be; no round waits for an application to pause."""
    monkeypatch.setattr(copying, "_PAUSE", 0.0)
    return f"sqlite:///{tmp_path}/one.db", f"sqlite:///{tmp_path}/two.db"


def test_a_copy_has_every_row_and_goes_on_as_the_store(urls: tuple[str, str], capsys) -> None:
    source, target = urls
    use(source)

    code, out, said = run(capsys, "copy", source, target, "--json")

    copied = json.loads(out)
    assert (code, copied["problems"]) == (0, [])
    assert [copied["tables"][each]["rows"] for each in ("action", "execution")] == [3, 6]
    assert said.endswith("Round 2: every row is equal.\n")
    use(target)
    with closing(open_store(target)) as store, closing(open_store(source)) as first:
        assert store.check_health().problems == ()
        assert store.load_secret() == first.load_secret()


def test_what_changed_and_went_since_follows(urls: tuple[str, str]) -> None:
    source, target = urls
    use(source)
    copy(source, target)
    use(source, calls=2)
    with open_log(source) as session:
        session.execute("delete from execution where id = (select min(id) from execution)")

    copied = copy(source, target)

    assert copied.tables["execution"].rows == 9
    assert copied.rounds == 2
    assert_equal(source, target, copied)


def test_rounds_go_on_while_an_application_writes(urls: tuple[str, str]) -> None:
    source, target = urls
    use(source)
    rounds: list[CopyRound] = []

    def write_more(done: CopyRound) -> None:
        rounds.append(done)
        if done.number < 4:
            use(source, calls=1)

    copied = copy(source, target, on_round=write_more)

    assert [each.equal for each in rounds] == [False, False, False, False, True]
    assert copied.tables["action"].rows == 6
    assert_equal(source, target, copied)


def test_with_a_key_the_copy_is_signed_as_its_source_is(urls: tuple[str, str]) -> None:
    source, target = urls
    use(source, key=KEY)

    copied = copy(source, target, key=KEY)

    [problem] = copied.problems
    assert "it was moved" in problem
    assert_equal(source, target, copied)


@pytest.mark.parametrize("log_only", [False, True], ids=["actions", "log"])
def test_what_an_application_wrote_to_the_copy_is_not_lost(
    urls: tuple[str, str], *, log_only: bool
) -> None:
    source, target = urls
    use(source)
    copied = copy(source, target)
    if log_only:
        with open_log(target) as session:
            session.execute(
                "update execution set id = 'f' where id = (select max(id) from execution)"
            )
    else:
        use(target)
    before = read_rows(target, copied.tables)

    with pytest.raises(ConfigurationError, match="has used the target since"):
        copy(source, target)

    assert read_rows(target, copied.tables) == before


def test_a_store_of_its_own_is_no_target(urls: tuple[str, str]) -> None:
    source, target = urls
    use(source)
    use(target)
    tables = ("action", "execution", "writer")
    before = read_rows(target, tables)

    with pytest.raises(ConfigurationError, match="has data of its own"):
        copy(source, target)

    assert read_rows(target, tables) == before


def test_a_store_is_no_copy_of_itself_by_any_name(
    urls: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, _ = urls
    use(source)
    before = read_rows(source, ["action", "entry", "writer", "execution"])
    (tmp_path / "linked").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)

    for same in (source, "sqlite:///one.db", f"sqlite:///{tmp_path}/linked/one.db"):
        with pytest.raises(ConfigurationError, match="are the same database, so nothing was"):
            copy(source, same)

    assert read_rows(source, before) == before


def test_a_servers_store_is_no_copy_of_itself_by_any_name(postgres_url: str) -> None:
    use(postgres_url)
    mark = "&" if "?" in postgres_url else "?"

    for same in (postgres_url, f"{postgres_url}{mark}application_name=copy"):
        with pytest.raises(ConfigurationError, match="are the same database, so nothing was"):
            copy(postgres_url, same)


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("memory:", "sqlite:///two.db", "'memory:' cannot be copied: name sqlite:///file.db"),
        ("sqlite:///one.db", "two.db", "'two.db' cannot be copied: name sqlite:///file.db"),
        ("sqlite:///none.db", "sqlite:///two.db", "none.db does not exist: check the path."),
    ],
)
def test_a_place_that_is_none_is_refused_in_a_sentence(
    source: str, target: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)

    code, _, error = run(capsys, "copy", source, target)

    assert code != 0
    assert said in error
    assert not Path("two.db").exists()


DIE_AT = """
import os, signal, sys
from mulligan.insights.insights import copy_store
from mulligan.settings import Settings
source, target, pages = sys.argv[1], sys.argv[2], int(sys.argv[3])
def watch(compared, rows):
    global pages
    pages -= 1
    if not pages:
        os.kill(os.getpid(), signal.SIGKILL)
copy_store(Settings(store=source), target, watch=watch, on_round=lambda _: None)
"""


def copy_until_killed(source: str, target: str, *, pages: int) -> None:
    command = [sys.executable, "-c", DIE_AT, source, target, str(pages)]
    assert subprocess.run(command, check=False).returncode == -9


@pytest.mark.full
def test_every_table_goes_to_files_and_back_to_a_server(
    postgres_url: str, empty_postgres_url: str, tmp_path: Path
) -> None:
    files = f"sqlite:///{tmp_path}/two.db"
    with (
        closing(open_store(postgres_url)) as first,
        closing(open_store(files)) as second,
        closing(open_store(empty_postgres_url)) as third,
    ):
        first.load_secret()
        fill(postgres_url)

        *_, there = copy_rows(first, second, lambda *_: None)
        *_, back = copy_rows(second, third, lambda *_: None)

    assert there.tables.keys() == back.tables.keys()
    assert [name for name, table in back.tables.items() if not table.rows] == ["stray_block"]
    rows = read_rows(postgres_url, back.tables)
    assert rows == read_rows(empty_postgres_url, back.tables)
    assert {name: len(each) for name, each in rows.items()} == {
        name: len(each) for name, each in read_rows(files, back.tables).items()
    }


@pytest.mark.full
def test_killed_again_and_again_beside_a_writer_it_ends_equal(
    urls: tuple[str, str], empty_postgres_url: str
) -> None:
    source, _ = urls
    use(source, calls=20)

    for pages in (1, 3, 8, 13, 21):
        copy_until_killed(source, empty_postgres_url, pages=pages)
        use(source, calls=2)
    copied = copy(source, empty_postgres_url)

    assert copied.tables["action"].rows == 30
    assert_equal(source, empty_postgres_url, copied)
    assert copied.problems == ()
    # The numbers that tables count go on where the source's end.
    use(empty_postgres_url)
