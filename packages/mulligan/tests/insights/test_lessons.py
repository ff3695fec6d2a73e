"""Lessons, patterns and tasks: their pages, the evidence, and decisions about them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan import Mode, Mulligan
from mulligan.insights.filters import ActOrder, ViewFilter, ViewRequest, Window
from mulligan.insights.insights import Insights
from mulligan.insights.lessons import (
    decide_lesson,
    estimate_ratings,
    read_lesson,
    read_lessons,
    read_worth,
)
from mulligan.insights.patterns import PatternLife, read_pattern, read_patterns
from mulligan.insights.tasks import decide_task, read_task
from mulligan.learning.lesson_file import encode_lessons
from mulligan.stores.memory import MemoryLog
from mulligan.types.call import OWN
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import (
    Ending,
    Episode,
    Group,
    Kind,
    Lesson,
    LessonQuery,
    LessonState,
    Offer,
    Origin,
    Remedy,
    Use,
)
from mulligan.types.log import REPLY_SETTLED, Batch
from mulligan.types.notes import NotesState
from mulligan.types.reply import Rating, build_rating_row
from mulligan_testing.fakes import FixedClock
from mulligan_testing.store_contract.contract import make_lesson, make_log_row, make_use
from tests.dashboard.stage import Stage


@pytest.fixture
def insights(lived: Mulligan) -> Insights:
    return lived.insights


def test_a_limit_of_an_operator_is_no_tool_that_lessons_could_be_of() -> None:
    lines = list(encode_lessons([make_lesson()]))
    with Mulligan("memory:") as m:
        m.insights.set_mode(Mode.OBSERVE)

        added = m.insights.lesson_list.add(lines)

    assert len(added) == 1


@pytest.mark.parametrize(
    ("act", "state"),
    [("quarantine", LessonState.QUARANTINED), ("revoke", LessonState.RETIRED)],
)
def test_a_persons_word_counts_at_once_and_is_on_record(insights: Insights, act, state) -> None:
    own = next(s for s in read_lessons(insights, ViewRequest()).rows if s.lesson.by != "seed")

    page = decide_lesson(
        insights, ActOrder(act=act, id=own.lesson.id, by="Mum", words={"note": "doubtful"})
    )

    assert (page.lesson.state, page.lesson.by) == (state, "Mum")
    assert read_lessons(insights, ViewRequest(words={"state": state.value})).paging.total == 1
    assert insights.acts.list_acts()[0].act == f"{act} lesson {own.lesson.id}"


def test_what_is_built_in_cannot_be_decided(insights: Insights) -> None:
    seed = next(s for s in read_lessons(insights, ViewRequest()).rows if s.lesson.by == "seed")

    assert read_lesson(insights, ViewRequest(id=seed.lesson.id)).choices == ()
    with pytest.raises(ConfigurationError, match="built in"):
        decide_lesson(insights, ActOrder(act="revoke", id=seed.lesson.id, by="Mum"))


@pytest.mark.parametrize("version", ["x", "-1", "9999", "٣"])
def test_a_version_that_is_not_there_is_refused(insights: Insights, version: str) -> None:
    with pytest.raises(ConfigurationError):
        decide_task(
            insights, ActOrder(act="pin", id="weekly-report", by="Mum", words={"version": version})
        )


def test_a_task_is_a_tree_of_versions(lived: Mulligan) -> None:
    page = read_task(lived.insights, ViewRequest(id="weekly-report"))

    numbers = [each.notes.version for each in page.versions]
    assert numbers == sorted(numbers, reverse=True)
    assert page.versions[-1].depth == 0
    assert {each.notes.version for each in page.versions if each.leads} >= {0, page.on_top}
    assert all(each.depth > 0 for each in page.versions[:-1])
    assert any(line.startswith("+") for line in page.versions[-2].difference)
    assert {each.state for each in page.versions} & set(NotesState)


def test_a_lesson_offers_what_its_state_lets_it(lived: Mulligan) -> None:
    insights = lived.insights
    lesson = next(s for s in lived.insights.lesson_list.list_lessons(_every()) if s).lesson.id

    assert read_lesson(insights, ViewRequest(id=lesson)).choices == ("quarantine", "revoke")
    decide_lesson(insights, ActOrder(act="quarantine", id=lesson, by="Mum"))
    assert read_lesson(insights, ViewRequest(id=lesson)).choices == ("approve", "revoke")
    assert len(read_lesson(insights, ViewRequest(id=lesson)).versions) > 1


def test_calls_that_a_lesson_touched_are_pages_with_the_newest_first(stage: Stage) -> None:
    failures, insights = stage.m.insights.store.failures, stage.m.insights
    failures.append([make_lesson()])
    failures.use([make_use(number) for number in range(130)])

    first, last = (read_lesson(insights, ViewRequest(id="l1", page=page)) for page in (1, 99))

    assert (first.paging.total, first.paging.pages, last.paging.number) == (130, 7, 7)
    assert [use.call for use in first.uses] == [make_use(n).call for n in range(129, 109, -1)]
    assert [use.call for use in last.uses] == [make_use(n).call for n in range(9, -1, -1)]


def _every():
    from mulligan.types.lesson import LessonQuery, LessonState

    return LessonQuery(state=LessonState.ACTIVE)


NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


def make_episode(number: int, lesson: str, *, group: Group = Group.TREATED) -> Episode:
    return Episode(
        id=f"e{number:05d}", at=NOW, tool="find", fingerprint="f", error_class=ErrorClass.RULE,
        ending=Ending.REPAIRED, group=group,
        offer=Offer(source=Origin.MEMORY, kinds=(Kind.CLAMP,), probability=0.5, n=1, lesson=lesson),
    )  # fmt: skip


def name_lesson(name: str) -> Lesson:
    return Lesson(
        id=name, version=1, tool="find", error_class=ErrorClass.RULE, when="full", statement=name,
        remedy=Remedy(), learned_at=NOW,
    )  # fmt: skip


def test_every_lesson_is_measured_or_said_not_to_be(lived: Mulligan) -> None:
    view = read_worth(lived.insights, ViewRequest())

    assert view.lessons
    for each in view.lessons:
        assert (each.lift is None) == (min(each.treated, each.control) < 5)
        assert each.treated_repaired <= each.treated


def test_without_a_control_group_nothing_is_said(stage: Stage) -> None:
    view = read_worth(stage.m.insights, ViewRequest())

    assert (view.lift, view.enough, view.calibration.n) == (None, False, 0)
    assert (view.paging.total, view.lessons) == (0, ())


def test_only_lessons_that_are_shown_are_read(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = stage.m.insights.store.failures
    failures.append([name_lesson(f"l{n:02d}") for n in range(60)])
    failures.record([make_episode(n, f"l{n % 45:02d}") for n in range(90)])
    failures.record([make_episode(90, "l44", group=Group.CONTROL), make_episode(91, "gone")])
    asked: list[LessonQuery] = []
    listed = type(failures).list_lessons
    monkeypatch.setattr(
        type(failures),
        "list_lessons",
        lambda self, query: asked.append(query) or listed(self, query),
    )
    insights = stage.m.insights

    first, last = (read_worth(insights, ViewRequest(page=page)) for page in (1, 3))

    assert (first.paging.total, first.paging.pages, first.failures) == (46, 3, 92)
    assert [each.lesson for each in first.lessons][:2] == ["l44", "l00"]
    assert (first.lessons[0].treated, first.lessons[0].control) == (2, 1)
    assert [each.lesson for each in last.lessons] == [f"l{n:02d}" for n in range(39, 44)]
    assert [len(query.ids) for query in asked] == [20, 6]


def test_a_lesson_that_is_built_in_is_measured_too(stage: Stage) -> None:
    listed = stage.m.insights.lesson_list
    seed = listed.list_built_in(LessonQuery())[0].lesson
    stage.m.insights.store.failures.record([make_episode(1, seed.id)])

    (row,) = read_worth(stage.m.insights, ViewRequest()).lessons

    assert (row.lesson, row.statement, row.treated) == (seed.id, seed.statement, 1)


def use_of(number: int) -> Use:
    return replace(make_use(number), turn=f"t{number}")


def rate_replies(log: MemoryLog, *, turns: int, up: int) -> None:
    """A reply in each turn, and a thumb for each; those of the newest turns point up."""
    replies = [make_log_row(n, server=OWN, tool=REPLY_SETTLED, turn=f"t{n}") for n in range(turns)]
    thumbs = [
        build_rating_row(
            Rating(of=reply.id, up=n >= turns - up), row_id=f"z{n:04d}", at_us=n, tenant=""
        )
        for n, reply in enumerate(replies)
    ]
    log.write(Batch(rows=[*replies, *thumbs]))


def test_thumbs_of_its_turns_alone_count() -> None:
    log = MemoryLog()
    rate_replies(log, turns=10, up=4)

    liked = estimate_ratings(log, [use_of(n) for n in (0, 8, 9)])

    assert (liked.n, round(liked.figure or 0, 2)) == (3, 0.67)


MONTH = ViewFilter(window=Window.MONTH)


@pytest.mark.parametrize(
    ("days", "life"),
    [
        ((1,), PatternLife.NEW),
        ((1, 5), PatternLife.KNOWN),
        ((5,), PatternLife.KNOWN),
        ((20,), PatternLife.FIXED),
        ((1, 20), PatternLife.REGRESSED),
    ],
)
def test_where_a_pattern_stands_follows_from_when_it_was_seen(
    days: tuple[int, ...], life: PatternLife
) -> None:
    now = datetime.fromisoformat("2026-11-16T09:30+00:00")
    clock = FixedClock(now - timedelta(days=25))
    with Mulligan("memory:", clock=clock, recover=False) as m:

        @m.tool
        def break_down() -> None:
            raise RuntimeError("no")

        for ago in sorted(days, reverse=True):
            clock.now = now - timedelta(days=ago)
            with pytest.raises(RuntimeError):
                break_down()
        clock.now = now
        m.flush()
        (row,) = read_patterns(m.insights, ViewRequest(filter=MONTH)).rows

    assert (row.life, row.count) == (life, len(days))


def test_a_failing_call_stands_beside_the_one_that_worked(lived: Mulligan) -> None:
    insights = lived.insights
    wanted = next(
        r
        for r in read_patterns(insights, ViewRequest(filter=MONTH)).rows
        if r.tool == "update_ticket"
    )

    page = read_pattern(insights, ViewRequest(id=wanted.fingerprint, filter=MONTH))

    assert page.failed is not None
    assert page.worked is not None
    assert page.worked.outcome == "success"
    assert {change.name for change in page.changes} == {"ticket", "state"}


def test_of_many_lessons_about_it_the_first_are_shown(lived: Mulligan) -> None:
    insights = lived.insights
    row = next(
        r
        for r in read_patterns(insights, ViewRequest(filter=MONTH)).rows
        if r.tool == "update_ticket"
    )
    like = replace(make_lesson(), tool=row.tool, tenant="", fingerprint=row.fingerprint)
    others = replace(like, fingerprint="another", when="nothing of the kind")
    lived.insights.store.failures.append(
        [replace(like, id=f"like {n}") for n in range(12)]
        + [replace(others, id=f"other {n}") for n in range(12)]
    )

    page = read_pattern(insights, ViewRequest(id=row.fingerprint, filter=MONTH))

    assert len(page.lessons) == 10
    assert 12 <= page.lessons_in_all <= 14
    assert {each.fingerprint for each in page.lessons} == {row.fingerprint}


def test_one_that_was_never_seen_is_said(lived: Mulligan) -> None:
    with pytest.raises(ConfigurationError, match="no such pattern"):
        read_pattern(lived.insights, ViewRequest(id="3:ffff", filter=MONTH))
