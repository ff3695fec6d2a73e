"""A row of the casebook that cannot be read is named, and hides no other."""

from __future__ import annotations

import apsw
import psycopg
import pytest

from mulligan.stores.opening import open_store
from mulligan.types.errors import StoreDamagedError
from mulligan.types.lesson import EpisodeQuery, LessonQuery
from mulligan_testing.store_contract.contract import make_episode, make_lesson, make_use

DAMAGES = {
    "cut": "substr(body, 1, 40)",
    "other": "replace(replace(body, 'validation', 'valid'), 'helped', 'hoped')",
}


class Damaged:
    """A store with three episodes, lessons and uses, of which the middle one is spoiled."""

    def __init__(self, url: str, change) -> None:
        store = open_store(url)
        store.casebook.record([make_episode(number) for number in range(3)])
        store.casebook.append([make_lesson(id=f"l{number}") for number in range(3)])
        store.casebook.use([make_use(number) for number in range(3)])
        store.close()
        change("episode", "id = 'call-000001'")
        change("lesson_version", "lesson = 'l1'")
        change("lesson_use", "call = 'call-000001'")
        self.store = open_store(url)


@pytest.fixture(params=["sqlite", "postgres"])
def spoil(request, tmp_path):
    """A function that spoils a store of this kind by an SQL expression."""
    stores = []

    def spoil(expression: str):
        path = tmp_path / "family.db"
        url = f"sqlite:///{path}"
        if request.param == "postgres":
            url = request.getfixturevalue("postgres_url")

        def change(table: str, where: str) -> None:
            statement = f"update {table} set body = {expression} where {where}"
            if request.param == "postgres":
                with psycopg.connect(url) as connection:
                    connection.execute("set search_path = mulligan")
                    connection.execute(statement)
            else:
                connection = apsw.Connection(str(path))
                connection.execute(statement)
                connection.close()

        stores.append(Damaged(url, change).store)
        return stores[-1]

    yield spoil
    for store in stores:
        store.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_cannot_be_read_hides_no_other_and_is_named(spoil, damage) -> None:
    store = spoil(DAMAGES[damage])

    episodes = store.casebook.list_episodes(EpisodeQuery(tool="get_order"))
    lessons = store.casebook.list_lessons(LessonQuery(tool="get_order"))
    problems = store.check_health().problems

    assert [episode.id for episode in episodes] == ["call-000000", "call-000002"]
    assert [lesson.id for lesson in lessons] == ["l0", "l2"]
    assert [lesson.id for lesson in store.casebook.list_lessons(LessonQuery(text="order"))] == [
        "l0",
        "l2",
    ]
    assert [problem.split(" cannot")[0] for problem in problems] == [
        "Lesson l1",
        "Episode call-000001",
    ]
    assert all("mulligan doctor" in problem for problem in problems)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_history_is_not_given_out(spoil, damage) -> None:
    store = spoil(DAMAGES[damage])

    with pytest.raises(StoreDamagedError, match="Lesson l1 cannot be read"):
        store.casebook.list_lesson_versions("l1")
    with pytest.raises(StoreDamagedError, match="use of lesson l1 cannot be read"):
        store.casebook.list_uses("l1")

    assert store.casebook.list_lesson_versions("l0") == [make_lesson(id="l0")]


def test_a_page_that_begins_after_a_damaged_row_is_full(spoil) -> None:
    store = spoil("'{}'")

    found = store.casebook.list_episodes(EpisodeQuery(limit=2))

    assert [episode.id for episode in found] == ["call-000000", "call-000002"]


def test_a_text_that_is_none_hides_no_other(tmp_path) -> None:
    path = tmp_path / "family.db"

    def change(table: str, where: str) -> None:
        connection = apsw.Connection(str(path))
        connection.execute(f"update {table} set body = cast(x'ff' as text) where {where}")
        connection.close()

    store = Damaged(f"sqlite:///{path}", change).store

    assert [lesson.id for lesson in store.casebook.list_lessons(LessonQuery())] == ["l0", "l2"]
    assert len(store.casebook.list_episodes(EpisodeQuery())) == 2
    assert len(store.check_health().problems) == 2
    store.close()


def test_counts_that_make_no_sense_are_not_given_out(tmp_path) -> None:
    path = tmp_path / "family.db"
    store = open_store(f"sqlite:///{path}")
    store.casebook.record([make_episode()])
    connection = apsw.Connection(str(path))
    connection.execute("update case_count set source = 'nobody'")
    connection.execute("update ending_count set decision = 'perhaps'")
    connection.close()

    with pytest.raises(StoreDamagedError, match="get_order"):
        store.casebook.count_episodes(since=make_episode().at.date())
    with pytest.raises(StoreDamagedError, match="get_order"):
        store.casebook.read_endings("get_order", fingerprint="f1", tenant="home")

    store.close()
