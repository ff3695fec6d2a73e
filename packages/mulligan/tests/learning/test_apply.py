from __future__ import annotations

import pytest

from mulligan.learning.lessons import KINDS, build_patch, build_suggestion
from mulligan.types.lesson import Earlier, FirstCall, How, Kind, LessonState, Patch, Remedy
from tests.learning.cases import HASHED, calling, changing, lesson, made
from tests.learning.failures import failed


def test_every_way_to_make_a_value_has_a_kind() -> None:
    assert set(KINDS) == set(How)


def test_a_remedy_is_made_again_of_the_call_that_failed_just_now() -> None:
    assert build_patch(HASHED, failed({"order_id": "W9"})) == Patch(changes={"order_id": "#W9"})


@pytest.mark.parametrize(
    ("remedy", "arguments"),
    [
        (HASHED, {}),
        (changing(made("limit", How.CONSTANT, value=3)), {"limit": 3}),
        (changing(made("limit", How.DROP)), {"order_id": "W9"}),
        (Remedy(), {"order_id": "W9"}),
    ],
)
def test_a_remedy_that_would_change_nothing_says_nothing(
    remedy: Remedy, arguments: dict[str, object]
) -> None:
    assert build_patch(remedy, failed(arguments)) is None


def test_a_call_that_was_just_made_in_vain_is_not_asked_for_again() -> None:
    remedy = calling("log_in")
    done = Earlier(tool="log_in", result="ok")
    again = Earlier(tool="find_order", failed=True)

    assert build_patch(remedy, failed({})) == Patch(first=(FirstCall(tool="log_in", arguments={}),))
    assert build_patch(remedy, failed({}, earlier=[done])) is None
    assert build_patch(remedy, failed({}, earlier=[done, again])) is not None


def test_only_an_active_lesson_is_proven() -> None:
    active = build_suggestion(lesson(state=LessonState.ACTIVE), failed({"order_id": "W9"}))
    candidate = build_suggestion(lesson(state=LessonState.CANDIDATE), failed({"order_id": "W9"}))

    assert active is not None
    assert candidate is not None
    assert (active.proven, candidate.proven) == (True, False)
    assert active.kinds == (Kind.REFORMAT,)


def test_one_failure_teaches_nobody_to_call_first_what_may_change_something() -> None:
    once, twice = (lesson(remedy=calling("delete_account"), seen=seen) for seen in (1, 2))

    assert build_suggestion(once, failed({"order_id": "W9"})) is None
    assert build_suggestion(twice, failed({"order_id": "W9"})) is not None
