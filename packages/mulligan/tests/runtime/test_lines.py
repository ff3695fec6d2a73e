"""What recovery undoes at once, and what one after the other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mulligan import Effect
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.recovery import split_lines
from mulligan.types.action import Opening
from mulligan.types.call import Record, ToolCallbacks

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def build(name: str, *objects: str, at: int, after: tuple[str, ...] = ()) -> LiveAction:
    abilities = ToolCallbacks(about=lambda _: objects) if objects else ToolCallbacks()
    return LiveAction(
        id=name,
        opening=Opening(tool="put", effect=Effect.REVERSIBLE),
        declaration=Declaration(tool="put", abilities=abilities),
        record=Record(arguments={}),
        opened_at=NOW + timedelta(seconds=at),
        after=after,
    )


def name_lines(*actions: LiveAction) -> list[list[str]]:
    return sorted([action.id for action in line] for line in split_lines(actions))


def test_two_undos_of_one_object_are_made_the_newest_first_whatever_turns_they_are_of() -> None:
    assert name_lines(build("z", "x", at=1), build("a", "x", at=2)) == [["a", "z"]]


def test_undos_of_different_objects_do_not_wait_for_each_other() -> None:
    assert name_lines(build("a", "x", at=1), build("b", "y", at=2)) == [["a"], ["b"]]


def test_what_touches_both_of_two_objects_brings_them_into_one_line() -> None:
    both = build("c", "x", "y", at=3)

    assert name_lines(build("a", "x", at=1), build("b", "y", at=2), both) == [["c", "b", "a"]]


def test_what_may_be_about_anything_is_never_undone_beside_another_of_that_kind() -> None:
    assert name_lines(build("a", at=1), build("b", at=2), build("c", "x", at=3)) == [
        ["b", "a"],
        ["c"],
    ]


def test_what_was_told_to_wait_for_another_is_in_its_line() -> None:
    waits = build("a", "x", at=1, after=("b",))

    assert name_lines(waits, build("b", "y", at=2)) == [["b", "a"]]


def test_a_folder_is_in_one_line_with_what_was_made_in_it() -> None:
    folder, file = build("a", "docs", at=1), build("b", "docs/more/x", at=2)

    assert name_lines(folder, file, build("c", "other/x", at=3)) == [["b", "a"], ["c"]]
