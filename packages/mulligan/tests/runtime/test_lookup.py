"""What is recalled for a failure, of a memory that is full of other things."""

from __future__ import annotations

from pathlib import Path

import pytest

from mulligan.learning.fingerprint import compute_fingerprint, mask_error
from mulligan.runtime.lookup import MOST_ALIKE, Asking, Recall
from mulligan.stores.opening import open_store
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import FailureStore
from mulligan.types.lesson import How, Lesson, LessonState, Pattern
from tests.learning.cases import NOW, changing, lesson, made
from tests.learning.failures import failed, obj

ARGUMENTS = {"order_id": "W27"}
ERROR = "order_id W27 was not found"
MANY = range(3 * MOST_ALIKE)


@pytest.fixture(params=["sqlite", "memory"])
def failures(request, tmp_path: Path):
    store = open_store("memory:" if request.param == "memory" else f"sqlite:///{tmp_path}/a.db")
    yield store.failures
    store.close()


def active(name: str, *, tool: str, when: str, **fields: object) -> Lesson:
    return lesson(
        id=name, tool=tool, when=when, fingerprint=f"1:{name}", state=LessonState.ACTIVE,
        seen=3, of=3, by="Ann", schema_hash="", **fields,
    )  # fmt: skip


def suggest(failures: FailureStore) -> list[str | None]:
    """The lessons that have something to say about an order that was not found."""
    call = failed(
        ARGUMENTS,
        error=ERROR,
        tool="get_order",
        schema=obj("order_id", order_id={"type": "string"}),
    )
    masked = mask_error(ERROR, ARGUMENTS)
    pattern = Pattern(
        fingerprint=compute_fingerprint("get_order", masked),
        tool="get_order",
        template=masked,
        error_class=ErrorClass.MISSING,
    )
    recall = Recall(failures, clock=lambda: NOW, control=0.0, seeds=False)
    found = recall.look_up(Asking(failed=call, pattern=pattern))
    return [each.lesson for each in found.suggest(call)]


def test_the_closest_lesson_of_a_tool_is_found_among_many(failures: FailureStore) -> None:
    others = [
        active(f"a{n}", tool="get_order", when=f"reason {n}: try later",
               error_class=ErrorClass.RATE_LIMIT)
        for n in MANY
    ]  # fmt: skip
    close = active("z", tool="get_order", when="order_id <order_id> was not found here")
    failures.append([*others, close])

    assert suggest(failures) == ["z"]


def test_lessons_of_other_tools_crowd_out_none_that_is_about_no_tool(
    failures: FailureStore,
) -> None:
    masked = mask_error(ERROR, ARGUMENTS)
    others = [active(f"a{n}", tool=f"tool_{n}", when=masked) for n in MANY]
    remedy = changing(made("order_id", How.PREFIX, text="#"))
    at_length = "such numbers are written with a sign in front of them"
    general = active("z", tool="", when=masked, correction=at_length, remedy=remedy)
    failures.append([*others, general])

    assert suggest(failures) == ["z"]
