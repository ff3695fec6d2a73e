"""A store of each earlier schema is upgraded with all that is in it, also while others write."""

from __future__ import annotations

import re

import apsw
import psycopg
import pytest

from mulligan.stores.migrations import find_latest_version, load_migrations
from mulligan.stores.opening import open_store
from mulligan.types.action import ActionQuery, State
from mulligan.types.lesson import LessonQuery
from mulligan.types.log import LogQuery
from mulligan_testing.store_contract.processes import finish_child, start_child
from tests.stores.earlier import FOLDER, LEFT, lay_postgres, lay_sqlite, open_family
from tests.stores.rolling import start_rolling

EARLIER = sorted(path.name for path in FOLDER.iterdir())
OPENER = "mulligan.stores.opening:open_store"


@pytest.fixture(params=EARLIER)
def url(request: pytest.FixtureRequest, tmp_path) -> str:
    """Of a store as an earlier version left it."""
    if request.param.startswith("sqlite"):
        return lay_sqlite(request.param, tmp_path)
    empty = request.getfixturevalue("empty_postgres_url")
    lay_postgres(request.param, empty)
    return empty


def read_schema(url: str) -> set[tuple[object, ...]]:
    """What a store is made of: its tables and indices, less the days of the log."""
    if url.startswith("sqlite"):
        asked = "select name, sql from sqlite_schema where sql is not null"
        paths = (path := url.removeprefix("sqlite:///"), path.replace(".db", ".log.db"))
        return {row for each in paths for row in apsw.Connection(each).execute(asked)}
    columns = "table_name, column_name, data_type, is_nullable, column_default"
    with psycopg.connect(url) as connection:
        made = {
            *connection.execute(f"select {columns} from information_schema.columns"),
            # How Postgres names the index of a part depends on which of them was made first.
            *connection.execute(
                "select tablename, split_part(indexdef, ' ON ', 2) from pg_indexes"
            ),
        }
    return {row for row in made if not re.match(r"execution_\d", row[0])}


@pytest.mark.parametrize("part", ["sqlite/journal", "sqlite/log", "postgres"])
def test_every_schema_but_the_latest_has_left_a_store(part: str) -> None:
    place = r"sqlite-(\d+)-\d+" if part == "sqlite/journal" else r"sqlite-\d+-(\d+)"
    place = r"postgres-(\d+)" if part == "postgres" else place
    left = {int(found[1]) for name in EARLIER if (found := re.match(place, name))}

    assert {each.number for each in load_migrations(part)} - left <= {find_latest_version(part)}


def test_it_becomes_what_a_new_store_is_and_keeps_all_that_is_in_it(url, request, tmp_path) -> None:
    store = open_store(url)
    actions = {action.id: action.state for action in store.journal.list_open_actions()}
    lessons = store.failures.list_lessons(LessonQuery(tool="get_order"))
    rows = store.log.list_rows(LogQuery())
    health, damage = store.check_health(), store.journal.verify()
    store.close()

    assert (health.problems, damage) == ((), [])
    assert sorted(actions.values()) == [State.HELD, State.INTENT]
    assert [lesson.id for lesson in lessons] == ["l1"]
    assert len(rows) == 3
    new = f"sqlite:///{tmp_path}/new.db"
    if url.startswith("postgres"):
        new = request.getfixturevalue("postgres_url")
    open_store(new).close()
    assert read_schema(url) == read_schema(new)


def test_what_was_begun_before_is_ended_after(url) -> None:
    days, sent = {"dinner": "2026-11-20"}, list[str]()
    m, *_ = open_family(url, days, sent)
    with m:
        listed = m.insights.open_list
        [held] = [each for each in listed.actions() if each.state is State.HELD]
        [moved] = listed.search(ActionQuery(states=[State.VERIFIED]))
        listed.approve(held.id, by="Ann")
        listed.undo(moved.id, by="Ann")
        m.recover_sync()
    store = open_store(url)
    states = [store.journal.find_action(each.id).state for each in (held, moved)]
    store.close()

    assert (sent, days) == (["ann@example.com"], {"dinner": "2026-11-18"})
    assert states == [State.UNCHECKED, State.UNDONE]


@pytest.mark.full
def test_many_open_it_at_once_and_write(url) -> None:
    children = [start_child(OPENER, url, task="write", count=20) for _ in range(4)]
    written = [line for child in children for line in finish_child(child)]

    store = open_store(url)
    held = {action.id for action in store.journal.list_open_actions(limit=1_000)}
    assert (len(written), set(written) - held, LEFT in held) == (80, set(), True)
    assert (store.journal.verify(), store.check_health().problems) == ([], ())
    store.close()


@pytest.mark.full
@pytest.mark.parametrize("url", [name for name in EARLIER if "postgres" in name], indirect=True)
def test_a_program_of_the_version_before_writes_on_while_it_is_upgraded(url) -> None:
    with start_rolling(url, "former", "yesterday", seconds=6) as former:
        first = former.stdout.readline()
        with start_rolling(url, "latter", seconds=3) as latter:
            told = latter.communicate(timeout=60)
        rest = former.stdout.read(), former.stderr.read()

    assert [told[1], rest[1], former.returncode, latter.returncode] == ["", "", 0, 0]
    written = {*first.split(), *told[0].split(), *rest[0].split()}
    store = open_store(url)
    held = {action.id for action in store.journal.list_open_actions(limit=100_000)}
    assert {name.partition("-")[0] for name in written} == {"former", "latter"}
    assert written <= held
    assert store.check_health().problems == ()
    store.close()
