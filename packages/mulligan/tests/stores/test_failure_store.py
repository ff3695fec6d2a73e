"""The failure store against a model, and a row of it that cannot be read."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from mulligan.stores.opening import open_store
from mulligan.types.errors import StaleLessonError, StoreDamagedError
from mulligan.types.failure import Decision
from mulligan.types.interfaces import FailureStore
from mulligan.types.lesson import (
    Balance,
    Benefit,
    Ending,
    EpisodeQuery,
    Group,
    LessonQuery,
    LessonState,
    build_episode_slot,
)
from mulligan_testing.store_contract.contract import (
    DAY,
    NOW,
    OFFER,
    make_episode,
    make_lesson,
    make_use,
)

TABLES = "episode, case_count, ending_count, lesson, lesson_version, lesson_word, lesson_use"

EXAMPLES = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

tenants = st.sampled_from(["", "a", "b"])

tools = st.sampled_from(["pay", "find_order"])

fingerprints = st.sampled_from(["", "f1", "f2"])

texts = st.lists(st.sampled_from(["order", "Amount", "cents", "is", "#7"]), max_size=4).map(
    " ".join
)

days = st.integers(-3, 3).map(lambda number: NOW + number * DAY)

episodes = st.builds(
    make_episode,
    st.integers(0, 12),
    at=days,
    tenant=tenants,
    tool=tools,
    fingerprint=fingerprints,
    ending=st.sampled_from(Ending),
    decision=st.none() | st.sampled_from(Decision),
    offer=st.none() | st.just(OFFER) | st.just(replace(OFFER, taken=False, helped=None)),
    group=st.none() | st.sampled_from(Group),
)

lessons = st.builds(
    make_lesson,
    st.integers(1, 3),
    id=st.sampled_from(["l1", "l2", "l3", "l4"]),
    tenant=tenants,
    tool=tools,
    fingerprint=fingerprints,
    when=texts,
    statement=texts,
    mistake=st.just(""),
    correction=st.just(""),
    state=st.sampled_from(LessonState),
    agents=st.sampled_from([(), ("planner",), ("planner", "clerk")]),
    learned_at=days,
)

uses = st.builds(
    make_use,
    st.integers(0, 6),
    lesson=st.sampled_from(["l1", "l2"]),
    at=days,
    turn=st.none() | st.sampled_from(["t1", "t2"]),
    principal=st.sampled_from(["", "anna", "ben"]),
    benefit=st.sampled_from(Benefit),
)

steps = st.lists(
    st.tuples(st.just("record"), st.lists(episodes, max_size=4))
    | st.tuples(st.just("append"), st.lists(lessons, min_size=1, max_size=2))
    | st.tuples(st.just("use"), st.lists(uses, max_size=4))
    | st.tuples(st.just("prune"), days),
    max_size=12,
)


class Model:
    """What a failure store has to say, worked out the long way."""

    def __init__(self) -> None:
        self.recorded = {}
        self.pruned = set()
        self.lessons = {}
        self.uses = {}

    def record(self, given) -> None:
        for each in given:
            if each.id not in self.pruned:
                self.recorded.setdefault(each.id, each)

    def append(self, given) -> None:
        known = {name: list(versions) for name, versions in self.lessons.items()}
        for each in sorted(given, key=lambda lesson: (lesson.id, lesson.version)):
            versions = known.setdefault(each.id, [])
            if each.version != len(versions) + 1:
                raise StaleLessonError
            versions.append(each)
        self.lessons = known

    def use(self, given) -> None:
        for each in given:
            self.uses.setdefault((each.lesson, each.call), each)

    def prune(self, before) -> None:
        self.pruned |= {name for name, each in self.recorded.items() if each.at < before}

    def balance(self, lesson: str) -> Balance:
        mine = [use for use in self.uses.values() if use.lesson == lesson]
        helped = [use for use in mine if use.benefit is Benefit.HELPED]
        return Balance(
            helped=count_people(helped),
            harmed=count_people([use for use in mine if use.benefit is Benefit.HARMED]),
            turns=len({use.turn for use in helped} - {None}),
            principals=len({use.principal for use in helped} - {""}),
            uses=len(mine),
        )


def count_people(found) -> int:
    """Everybody who is named once, and each time that nobody is."""
    named = {each.principal for each in found} - {""}
    return len(named) + sum(not each.principal for each in found)


def take(failures: FailureStore | Model, step: str, given) -> bool:
    """Take one step; whether it was refused."""
    try:
        if step == "prune":
            failures.prune(before=given)
        else:
            getattr(failures, step)(given)
    except StaleLessonError:
        return True
    return False


def words(lesson) -> set[str]:
    text = f"{lesson.tool} {lesson.when} {lesson.statement}".replace("_", " ").replace("#", "")
    return set(text.casefold().split())


def agree_on_episodes(failures: FailureStore, model: Model) -> None:
    kept = sorted(
        (each for name, each in model.recorded.items() if name not in model.pruned),
        key=lambda each: each.id,
    )
    assert failures.list_episodes(EpisodeQuery()) == kept
    for tenant in ("", "a", "b"):
        mine = [each for each in kept if each.tenant == tenant]
        assert failures.list_episodes(EpisodeQuery(tenant=tenant)) == mine
        left = [each for each in mine if each.tool == "pay" and each.ending is Ending.LEFT]
        query = EpisodeQuery(tenant=tenant, tool="pay", ending=Ending.LEFT)
        assert failures.list_episodes(query) == left
        decided = [
            each
            for each in model.recorded.values()
            if (each.tool, each.fingerprint, each.tenant) == ("pay", "f1", tenant) and each.decision
        ]
        endings = {
            decision: count_people([each for each in decided if each.decision is decision])
            for decision in {each.decision for each in decided}
        }
        assert failures.read_endings("pay", fingerprint="f1", tenant=tenant) == endings
    counted = Counter(build_episode_slot(each) for each in model.recorded.values())
    since = (NOW - DAY).date()
    assert failures.count_episodes(since=NOW.date() - timedelta(days=99)) == counted
    assert failures.count_episodes(since=since) == {
        k: v for k, v in counted.items() if k.day >= since
    }


def agree_on_lessons(failures: FailureStore, model: Model) -> None:
    latest = [versions[-1] for versions in model.lessons.values()]
    latest.sort(key=lambda lesson: (lesson.tool, lesson.id))
    assert failures.list_lessons(LessonQuery()) == latest
    for name, versions in model.lessons.items():
        assert failures.list_lesson_versions(name) == versions
    for tenant in ("", "a", "b"):
        query = LessonQuery(tool="pay", fingerprint="f1", tenant=tenant)
        wanted = ("pay", "f1", tenant)
        assert failures.list_lessons(query) == [
            each for each in latest if (each.tool, each.fingerprint, each.tenant) == wanted
        ]
    assert failures.list_lessons(LessonQuery(agent="clerk", since=NOW)) == [
        each for each in latest if "clerk" in each.agents and each.learned_at >= NOW
    ]
    asked = {"order", "amount", "7"}
    found = failures.list_lessons(LessonQuery(text="Order, amount: 7!"))
    assert {lesson.id for lesson in found} == {each.id for each in latest if asked & words(each)}
    shared = [len(asked & words(lesson)) for lesson in found]
    assert shared == sorted(shared, reverse=True)
    used = {lesson for lesson, _ in model.uses}
    assert failures.read_balances(["l1", "l2"]) == {
        lesson: model.balance(lesson) for lesson in used
    }


def agree(failures: FailureStore, given) -> None:
    model = Model()
    for step, content in given:
        refused = take(failures, step, content)
        assert refused is take(model, step, content)
    agree_on_episodes(failures, model)
    agree_on_lessons(failures, model)


def without_repeats_of_pruned(given):
    """An episode that was pruned is forgotten, so whoever records it again counts it again."""
    known, gone, clean = {}, set(), []
    for step, content in given:
        if step == "prune":
            gone |= {name for name, at in known.items() if at < content}
        elif step == "record":
            content = [each for each in content if each.id not in gone]
            for each in content:
                known.setdefault(each.id, each.at)
        clean.append((step, content))
    return clean


plans = steps.map(without_repeats_of_pruned)


@EXAMPLES
@given(plans)
def test_in_memory_a_failure_store_is_what_was_put_into_it(given) -> None:
    agree(open_store("memory:").failures, given)


@pytest.mark.full
@EXAMPLES
@given(plans)
def test_in_sqlite_a_failure_store_is_what_was_put_into_it(given) -> None:
    with TemporaryDirectory() as folder, ExitStack() as stack:
        store = open_store(f"sqlite:///{Path(folder)}/family.db")
        stack.callback(store.close)

        agree(store.failures, given)


@pytest.fixture
def emptied(postgres_url):
    """A Postgres store, and a way to empty its failures: making a database takes too long."""
    store = open_store(postgres_url)

    def empty() -> FailureStore:
        with psycopg.connect(postgres_url) as connection:
            connection.execute("set search_path = mulligan")
            connection.execute(f"truncate {TABLES}")
        return store.failures

    yield empty
    store.close()


@EXAMPLES
@given(given=plans)
def test_in_postgres_a_failure_store_is_what_was_put_into_it(emptied, given) -> None:
    agree(emptied(), given)


DAMAGES = {
    "cut": "substr(body, 1, 40)",
    "other": "replace(replace(body, 'validation', 'valid'), 'helped', 'hoped')",
}


class Damaged:
    """A store with three episodes, lessons and uses, of which the middle one is spoiled."""

    def __init__(self, url: str, change) -> None:
        store = open_store(url)
        store.failures.record([make_episode(number) for number in range(3)])
        store.failures.append([make_lesson(id=f"l{number}") for number in range(3)])
        store.failures.use([make_use(number) for number in range(3)])
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

    episodes = store.failures.list_episodes(EpisodeQuery(tool="get_order"))
    lessons = store.failures.list_lessons(LessonQuery(tool="get_order"))
    problems = store.check_health().problems

    assert [episode.id for episode in episodes] == ["call-000000", "call-000002"]
    assert [lesson.id for lesson in lessons] == ["l0", "l2"]
    assert [lesson.id for lesson in store.failures.list_lessons(LessonQuery(text="order"))] == [
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
        store.failures.list_lesson_versions("l1")
    with pytest.raises(StoreDamagedError, match="use of lesson l1 cannot be read"):
        store.failures.list_uses("l1")

    assert store.failures.list_lesson_versions("l0") == [make_lesson(id="l0")]


def test_a_page_that_begins_after_a_damaged_row_is_full(spoil) -> None:
    store = spoil("'{}'")

    found = store.failures.list_episodes(EpisodeQuery(limit=2))

    assert [episode.id for episode in found] == ["call-000000", "call-000002"]


def test_a_text_that_is_none_hides_no_other(tmp_path) -> None:
    path = tmp_path / "family.db"

    def change(table: str, where: str) -> None:
        connection = apsw.Connection(str(path))
        connection.execute(f"update {table} set body = cast(x'ff' as text) where {where}")
        connection.close()

    store = Damaged(f"sqlite:///{path}", change).store

    assert [lesson.id for lesson in store.failures.list_lessons(LessonQuery())] == ["l0", "l2"]
    assert len(store.failures.list_episodes(EpisodeQuery())) == 2
    assert len(store.check_health().problems) == 2
    store.close()


def test_counts_that_make_no_sense_are_not_given_out(tmp_path) -> None:
    path = tmp_path / "family.db"
    store = open_store(f"sqlite:///{path}")
    store.failures.record([make_episode()])
    connection = apsw.Connection(str(path))
    connection.execute("update case_count set source = 'nobody'")
    connection.execute("update ending_count set decision = 'perhaps'")
    connection.close()

    with pytest.raises(StoreDamagedError, match="get_order"):
        store.failures.count_episodes(since=make_episode().at.date())
    with pytest.raises(StoreDamagedError, match="get_order"):
        store.failures.read_endings("get_order", fingerprint="f1", tenant="home")

    store.close()
